package read

import (
	"bytes"
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
