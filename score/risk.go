package score

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

// Risk is the empirical risk of left-out outputs under a loss, the mean over the
// judged rows of the sum over outputs of V(y, o): the outer loss of a bi-level
// problem (Klatzer 2014, eqs 2.3 and 5.2). With the square loss it is twice
// Klatzer's H = 1/(2L) sum (o - y)^2, and 1 for outputs that are all zero; with
// the squared hinge his sum divided by the number of rows.
//
// Several folds are judged together: with T folds of equal size it is the
// mean, and 1/T of the sum, of the folds' risks.
type Risk struct{ Loss learn.Loss }

func (r Risk) String() string { return r.Loss.Name() }

// Smooth says whether the loss has a derivative.
func (r Risk) Smooth() bool { return learn.Smooth(r.Loss) }

// Eval returns the risk.
func (r Risk) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	if bar != nil {
		bar.Zero()
	}
	rows = judged(p, rows)
	weight, total := weighing(p, rows)
	var f float64
	for _, i := range rows {
		y, n := p.Y.RawRowView(i), total/weight(i)
		for j, v := range o.RawRowView(i) {
			if p.Coding.Pairs && y[j] == 0 {
				continue // a pair that the row's class has no part in
			}
			f += r.Loss.Value(y[j], v) / n
			if bar != nil {
				d, _ := r.Loss.Derivatives(y[j], v)
				bar.Set(i, j, d/n)
			}
		}
	}
	return f
}
