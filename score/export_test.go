package score

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// LeaveOneOut returns the exact left-out residuals r_i = (y_i - f_i)/(1 - H_ii),
// H = K C^-1, of the labelled rows (the corrected eq. 4.1): press-label from the
// n x n system.
func (d *Direct) LeaveOneOut(p *learn.Problem) *mat.Dense {
	f := d.Fitted()
	n, _ := d.Inverse.Dims()
	r := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	for q, i := range p.Labelled {
		var h float64
		for k := range n {
			h += d.k.At(i, k) * d.Inverse.At(k, i)
		}
		for j, y := range p.Y.RawRowView(q) {
			r.Set(q, j, (y-f.At(i, j))/(1-h))
		}
	}
	return r
}

// Kept are the parts of the last evaluation.
func (o *Reduced) Kept() *manifold.ReducedParts { return o.parts }
