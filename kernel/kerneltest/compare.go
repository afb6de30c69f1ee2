package kerneltest

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// present returns the kernel's own parameter values.
func present(k kernel.Kernel) []float64 {
	var theta []float64
	for _, d := range k.Space() {
		theta = append(theta, d.Default)
	}
	return theta
}

// both returns the rows in dense and in sparse form.
func both(rows data.Rows) [2]data.Rows {
	d, s := rows, rows
	if rows.Dense != nil {
		s.Dense, s.Sparse = nil, data.CSRFromDense(rows.Dense)
	} else {
		d.Dense, d.Sparse = rows.Sparse.ToDense(), nil
	}
	return [2]data.Rows{d, s}
}

func near(t *testing.T, what string, got, want *mat.Dense, tol float64) {
	t.Helper()
	r, c := want.Dims()
	worst, wa, wb := 0.0, 0, 0
	for a := range r {
		for b := range c {
			e := math.Abs(got.At(a, b) - want.At(a, b))
			if math.IsNaN(e) {
				t.Errorf("%s: entry (%d, %d) is %g, expected %g", what, a, b, got.At(a, b), want.At(a, b))
				return
			}
			if e > worst {
				worst, wa, wb = e, a, b
			}
		}
	}
	if worst > tol {
		t.Errorf("%s: entry (%d, %d) is %.17g, expected %.17g (tolerance %.2g)", what, wa, wb, got.At(wa, wb), want.At(wa, wb), tol)
	}
}

func agree(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	var size float64
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for q, v := range want {
		if !(math.Abs(got[q]-v) <= tol*size) {
			t.Errorf("%s: parameter %d: %.17g, expected %.17g", what, q, got[q], v)
		}
	}
}

func length(idx []int, n int) int {
	if idx == nil {
		return n
	}
	return len(idx)
}

func at(idx []int, a int) int {
	if idx == nil {
		return a
	}
	return idx[a]
}
