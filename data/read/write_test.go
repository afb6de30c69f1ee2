package read

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Codes become numbers of classes in LIBSVM text, which would read 01234 as 1234;
// numbers stay as they are, with exponents where they are to be predicted.
func TestLIBSVMOfCodes(t *testing.T) {
	for _, c := range []struct {
		answers data.Answers
		classes []string
		want    string
	}{
		{data.Answers{"01234", "1234", "07"}, []string{"01234", "07", "1234"}, "0 1:1\n2 1:2\n1 1:3\n"},
		{data.Answers{"b", "a", "b"}, []string{"a", "b"}, "1 1:1\n0 1:2\n1 1:3\n"},
		{data.Answers{"+1", "-1", "1.0"}, nil, "1 1:1\n-1 1:2\n1 1:3\n"},
		{data.Answers{"0.5", "1e-05", "2"}, nil, "0.5 1:1\n1e-05 1:2\n2 1:3\n"},
	} {
		s := &data.Set{LabelName: "label", Answers: c.answers, Rows: data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, 3})}}
		var b bytes.Buffer
		_, classes, err := WriteLIBSVM(&b, s, "")
		if err != nil || b.String() != c.want || !slices.Equal(classes, c.classes) {
			t.Errorf("%q: %q, %v\n%s", c.answers, classes, err, b.String())
		}
	}
}

// TestLIBSVMOfSets: of dense and sparse rows the numbers that are not zero are written, an answer that lacks as the mark, and what
// cannot be said or written is an error.
func TestLIBSVMOfSets(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{0, 1.5, 0, 0, 0, 0, -2, 0, 1e-9})
	s := &data.Set{LabelName: "label", Answers: data.Answers{"u", "", "v"}}
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		s.Rows = rows
		var b bytes.Buffer
		_, classes, err := WriteLIBSVM(&b, s, "?")
		if err != nil || b.String() != "0 2:1.5\n?\n1 1:-2 3:1e-09\n" || !slices.Equal(classes, []string{"u", "v"}) {
			t.Errorf("%q, %v, %v", b.String(), classes, err)
		}
		if _, _, err := WriteLIBSVM(full{}, s, "?"); err == nil {
			t.Error("a full disk is no error")
		}
		var fault *data.LabelError
		if _, _, err := WriteLIBSVM(&b, s, ""); !errors.As(err, &fault) || fault.Row != 1 {
			t.Errorf("a row without an answer: %v", err)
		}
	}
	s.Answers = data.Answers{"u", "u", ""}
	if _, _, err := WriteLIBSVM(&bytes.Buffer{}, s, "?"); err == nil {
		t.Error("one class alone has no number")
	}
	s.Answers = nil
	var b bytes.Buffer
	if _, _, err := WriteLIBSVM(&b, s, "?"); err != nil || b.String() != "? 2:1.5\n?\n? 1:-2 3:1e-09\n" {
		t.Errorf("rows without answers: %q, %v", b.String(), err)
	}
}

// TestMarksOfRowsWithoutLabel: a mark is never that of a class, and reads back as no label.
func TestMarksOfRowsWithoutLabel(t *testing.T) {
	words := &data.Set{Rows: data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, 3})}, Answers: []string{"spam", "", "ham"}}
	numbers := &data.Set{Rows: words.Rows, Answers: []string{"-1", "", "1"}}
	for _, c := range []struct {
		set        *data.Set
		mark, want string
	}{
		{words, "0", "2 1:1\n0 1:2\n1 1:3\n"}, {words, "0.0", "2 1:1\n0.0 1:2\n1 1:3\n"}, {words, "-1", "1 1:1\n-1 1:2\n0 1:3\n"},
		{words, "?", "1 1:1\n? 1:2\n0 1:3\n"}, {numbers, "0", "-1 1:1\n0 1:2\n1 1:3\n"},
		{words, "1", "the mark 1 of such rows is that of rows with a label"},
		{numbers, "1.0", "the mark 1.0 of such rows is that of rows with a label"},
		{words, "foo", "the mark foo of such rows is no number, as all labels of LIBSVM text are"},
	} {
		var b bytes.Buffer
		first, classes, err := WriteLIBSVM(&b, c.set, c.mark)
		var fault *data.LabelError
		switch {
		case errors.As(err, &fault):
			if !strings.Contains(fault.Error(), c.want) || fault.Row != 1 {
				t.Errorf("%s: %v, want %s", c.mark, err, c.want)
			}
			continue
		case err != nil || b.String() != c.want:
			t.Errorf("%s: %q, %v, want %q", c.mark, b.String(), err, c.want)
		}
		o := Options{Format: FormatLIBSVM, Stdin: &b}
		if c.mark != "?" {
			o.UnlabelledMark = c.mark
		}
		s, _, err := Open(t.Context(), "-", o)
		if err != nil || !data.IsUnlabelled(s.Answers[1]) || data.IsUnlabelled(s.Answers[0]) || data.IsUnlabelled(s.Answers[2]) {
			t.Errorf("%s: read back as %v, %v", c.mark, s, err)
		}
		if (classes != nil) != (c.set == words) || classes != nil && (first == 1) != (data.ClassName(c.mark) == "0") {
			t.Errorf("%s: %v from %d", c.mark, classes, first)
		}
	}
}
