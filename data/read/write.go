package read

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// WriteCSV writes s as CSV: a header line, the features in full precision, then
// the label column if the set names one. CSV reads it back the same. Features
// without names are called x0, x1, ...; sparse rows are written in full.
func WriteCSV(w io.Writer, s *data.Set) error {
	out := bufio.NewWriterSize(w, 1<<16)
	d := s.Rows.Dim()
	var line []byte
	for j := range d {
		name := "x" + strconv.Itoa(j)
		if s.Features != nil {
			name = s.Features[j]
		}
		line = appendText(append(line, ','), name, false)
	}
	if s.LabelName != "" {
		line = appendText(append(line, ','), s.LabelName, false)
	}
	if len(line) == 0 {
		return nil
	}
	_, _ = out.Write(append(line[1:], '\n')) // Flush returns the first error
	row := make([]float64, d)
	for i := range s.Rows.Len() {
		if sp := s.Rows.Sparse; sp != nil {
			clear(row)
			idx, val := sp.Row(i)
			for p, j := range idx {
				row[j] = val[p]
			}
		} else {
			row = s.Rows.Dense.RawRowView(i)
		}
		line = line[:0]
		for _, v := range row {
			line = strconv.AppendFloat(append(line, ','), v, 'g', -1, 64)
		}
		if s.LabelName != "" {
			line = append(line, ',')
			if s.Answers != nil {
				line = appendText(line, s.Answers[i], true)
			}
		}
		_, _ = out.Write(append(line[1:], '\n')) // Flush has the error
	}
	return out.Flush()
}

// appendText adds a name or label, in quotes unless it is a plain word or, for a
// label, a number.
func appendText(line []byte, text string, isLabel bool) []byte {
	_, isNumber := data.Number(text)
	plain := isLabel && (isNumber || text == "")
	if !plain && !isNumber && text != "" {
		plain = strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+?") == ""
	}
	if plain {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}
