package dual

import (
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// finer is a matrix in single precision of a Gram matrix that can be had in double.
type finer struct {
	Matrix
	gram kernel.Gram
	rows []int // rows of gram; nil: all
}

// fineTolerance is the tolerance up to which the objective is asked for to more digits than
// kernel values in single precision give it: their roundings are independent, but there
// are |support vectors|^2 of them, with weights beta beta' K whose sum can be 1000 times the
// objective (covtype, C 10, gamma 4: 1e-6 of it). The solution itself is hardly touched:
// its objective on the matrix in double precision is 1e-8 above the minimum there.
const fineTolerance = 1e-4

// finePanel is the number of rows of double precision values in hand at a time.
const finePanel = 256

// refine returns the difference to 1/2 beta'K beta that kernel values in double precision
// make, given f = K beta in single precision at these rows: |rows|^2/2 values.
func (k finer) refine(rows []int, beta, f []float64) float64 {
	at := rows
	if k.rows != nil {
		at = subset{rows: k.rows}.of(rows)
	}
	var sum float64
	var work mat.Dense
	for lo := 0; lo < len(at); lo += finePanel {
		hi := min(lo+finePanel, len(at))
		work.Reset()
		work.ReuseAs(hi-lo, len(at)-lo)
		k.gram.Block(&work, at[lo:hi], at[lo:])
		for a := range hi - lo {
			row := work.RawRowView(a)
			g := row[a] * beta[lo+a] / 2
			for b := a + 1; b < len(row); b++ {
				g += row[b] * beta[lo+b] // once for both
			}
			sum += beta[lo+a] * g
		}
	}
	for i, v := range beta {
		sum -= v * f[i] / 2
	}
	return sum
}
