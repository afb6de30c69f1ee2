package read

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// WriteLIBSVM writes a set as LIBSVM text: answer, then index:value of the numbers
// that are not zero, indices from 1; numbers read back exactly. Answers that are no
// numbers, or codes such as 01234, get the number of their class in sorted order, from first: 0, or 1
// where 0 is `mark`, with which unlabelled rows begin; classes lists those. An unlabelled row is an error
// where mark is neither a number nor one of the words that mean unlabelled, or is that of a label.
func WriteLIBSVM(w io.Writer, s *data.Set, mark string) (first int, classes []string, err error) {
	for _, a := range s.Answers {
		if data.IsUnlabelled(a) || !columns.Numbered(a) {
			continue
		}
		labels, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{})
		if err != nil {
			return 0, nil, err
		}
		classes = labels.Classes // none of numbers to predict that have exponents
		break
	}
	if mark != "" && data.ClassName(mark) == "0" && classes != nil {
		first = 1
	}
	wrong := wrongMark(mark, s.Answers, first, len(classes))
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
			return 0, nil, &data.LabelError{
				Row:    i,
				What:   "no label, which LIBSVM text cannot say",
				Remedy: "give the value that is to mean unlabelled with --unlabelled-mark",
			}
		case answer == "" && wrong != "":
			return 0, nil, &data.LabelError{
				Row:    i,
				What:   fmt.Sprintf("no label, and the mark %s of such rows is %s", mark, wrong),
				Remedy: "give another number with --unlabelled-mark",
			}
		case answer == "":
			line = append(line[:0], mark...)
		case classes != nil:
			k, _ := index(s.Answers[i])
			line = strconv.AppendInt(line[:0], int64(first+k), 10)
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
	return first, classes, out.Flush()
}

// wrongMark says why rows without a label cannot have a mark, "" if they can: among answers, or among so many classes numbered from first.
func wrongMark(mark string, answers []string, first, classes int) string {
	const taken = "that of rows with a label"
	v, number := data.Number(mark)
	same := func(a string) bool { return !data.IsUnlabelled(a) && data.ClassName(a) == data.ClassName(mark) }
	switch {
	case !number && !data.IsUnlabelled(mark):
		return "no number, as all labels of LIBSVM text are"
	case number && classes > 0 && v == math.Trunc(v) && float64(first) <= v && v < float64(first+classes):
		return taken
	case classes == 0 && slices.ContainsFunc(answers, same):
		return taken
	}
	return ""
}
