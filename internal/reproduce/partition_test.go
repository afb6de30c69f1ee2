package reproduce

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/rbf"
)

// counted are 0 to n-1.
func counted(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestCancerRows: 285 rows to learn from, 142 that judge and 142 for the test, of the 569 of the set each once.
func TestCancerRows(t *testing.T) {
	train, validate, test := cancerRows(counted(wdbcSet.n))
	if len(train) != 285 || len(validate) != 142 || len(test) != 142 {
		t.Errorf("%d rows to learn from, %d that judge, %d for the test", len(train), len(validate), len(test))
	}
	if !slices.Equal(slices.Concat(train, validate, test), counted(wdbcSet.n)) {
		t.Error("a row is missing, or there twice")
	}
}

// TestWithoutChunk: of the rows of web pages each is in one chunk, which is left by one fold and trained on by all others; chunks
// differ by a row at most.
func TestWithoutChunk(t *testing.T) {
	var all []int
	of := make([]int, webkbRows)
	for k := range chunks {
		_, _, left := withoutChunk(counted(webkbRows), k)
		for _, i := range left {
			of[i] = k
		}
		all = append(all, left...)
		if n := len(left); n != webkbRows/chunks && n != webkbRows/chunks+1 {
			t.Errorf("chunk %d has %d rows", k, n)
		}
	}
	if !slices.Equal(all, counted(webkbRows)) {
		t.Fatal("a row is in no chunk, or in two")
	}
	for k := range chunks {
		train, chunk, left := withoutChunk(counted(webkbRows), k)
		if len(train) != len(chunk) || len(train)+len(left) != webkbRows {
			t.Fatalf("chunk %d: %d training rows with %d chunks, %d left", k, len(train), len(chunk), len(left))
		}
		for q, i := range train {
			if chunk[q] != of[i] || chunk[q] == k {
				t.Fatalf("training row %d is of chunk %d, not %d", i, chunk[q], of[i])
			}
		}
	}
}

// TestSpiralGrids: the fit has the range of widths of the experiment that it repeats.
func TestSpiralGrids(t *testing.T) {
	for _, r := range []rbf.MOBJ{spiralRecipe, fitSpiral} {
		if r.Widths.Lo != 0.2 || r.Widths.Hi != 2 || r.MaxQ != 1000 {
			t.Errorf("%+v, printed are widths from 0.2 to 2 and Q to 1000", r)
		}
	}
}

// TestJudge: half the mean square, and the percentage of outputs on the side of their targets, an output of zero being of +1.
func TestJudge(t *testing.T) {
	got := judge(mat.NewDense(4, 1, []float64{0.5, 0, -2, 1}), []float64{1, 1, -1, -1})
	if want := (0.25 + 1 + 1 + 4) / 2 / 4; math.Abs(got.h-want) > 1e-15 || got.right != 75 {
		t.Errorf("%+v, want %g and 75 %%", got, want)
	}
}
