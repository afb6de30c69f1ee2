package read

import (
	"bytes"
	"errors"
	"slices"
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
		classes, err := WriteLIBSVM(&b, s, "")
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
		classes, err := WriteLIBSVM(&b, s, "?")
		if err != nil || b.String() != "0 2:1.5\n?\n1 1:-2 3:1e-09\n" || !slices.Equal(classes, []string{"u", "v"}) {
			t.Errorf("%q, %v, %v", b.String(), classes, err)
		}
		if _, err := WriteLIBSVM(full{}, s, "?"); err == nil {
			t.Error("a full disk is no error")
		}
		var fault *data.LabelError
		if _, err := WriteLIBSVM(&b, s, ""); !errors.As(err, &fault) || fault.Row != 1 {
			t.Errorf("a row without an answer: %v", err)
		}
	}
	s.Answers = data.Answers{"u", "u", ""}
	if _, err := WriteLIBSVM(&bytes.Buffer{}, s, "?"); err == nil {
		t.Error("one class alone has no number")
	}
	s.Answers = nil
	var b bytes.Buffer
	if _, err := WriteLIBSVM(&b, s, "?"); err != nil || b.String() != "? 2:1.5\n?\n? 1:-2 3:1e-09\n" {
		t.Errorf("rows without answers: %q, %v", b.String(), err)
	}
}
