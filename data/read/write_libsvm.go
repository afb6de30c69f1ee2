package read

import (
	"bufio"
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// WriteLIBSVM writes a set as LIBSVM text: answer, then index:value of the numbers
// that are not zero, indices from 1; numbers read back exactly. Answers that are no
// numbers, or codes such as 01234, get the number of their class in sorted order, from 0,
// and classes lists those; unlabelled rows begin with `mark`. An unlabelled row and an empty mark are
// an error, since the format has no other way to say it.
func WriteLIBSVM(w io.Writer, s *data.Set, mark string) (classes []string, err error) {
	for _, a := range s.Answers {
		if data.IsUnlabelled(a) || !columns.Numbered(a) {
			continue
		}
		labels, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{})
		if err != nil {
			return nil, err
		}
		classes = labels.Classes // none of numbers to predict that have exponents
		break
	}
	index := data.ClassIndex(classes)
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i := range s.Rows.Len() {
		answer := ""
		if s.Answers != nil && !data.IsUnlabelled(s.Answers[i]) {
			answer = data.ClassName(s.Answers[i])
		}
		switch {
		case answer == "" && mark == "":
			return nil, &data.LabelError{
				Row:    i,
				What:   "no label, which LIBSVM text cannot say",
				Remedy: "give the value that is to mean unlabelled with --unlabelled-mark",
			}
		case answer == "":
			line = append(line[:0], mark...)
		case classes != nil:
			k, _ := index(s.Answers[i])
			line = strconv.AppendInt(line[:0], int64(k), 10)
		default:
			line = append(line[:0], answer...)
		}
		entry := func(j int, v float64) {
			if v != 0 {
				line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
				line = strconv.AppendFloat(append(line, ':'), v, 'g', -1, 64)
			}
		}
		if sp := s.Rows.Sparse; sp != nil {
			idx, val := sp.Row(i)
			for q, j := range idx {
				entry(int(j), val[q])
			}
		} else {
			for j, v := range s.Rows.Dense.RawRowView(i) {
				entry(j, v)
			}
		}
		_, _ = out.Write(append(line, '\n')) // Flush has the error
	}
	return classes, out.Flush()
}
