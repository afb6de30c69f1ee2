package multiview

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// Agreed is a criterion of things that judges the mean of the outputs of all views of each.
type Agreed struct {
	score.Criterion
	Things *learn.Problem
	Groups [][]int // descriptions of each labelled thing, by their number among the labelled
}

// Eval implements score.Criterion.
func (a Agreed) Eval(_ *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	_, c := o.Dims()
	mean := mat.NewDense(len(a.Groups), c, nil)
	Mean(mean, o, a.Groups)
	var judged []int
	if rows != nil {
		in := map[int]bool{}
		for _, r := range rows {
			in[r] = true
		}
		for q, g := range a.Groups {
			if in[g[0]] {
				judged = append(judged, q)
			}
		}
	}
	if bar == nil {
		return a.Criterion.Eval(a.Things, judged, mean, nil)
	}
	of := mat.NewDense(len(a.Groups), c, nil)
	f := a.Criterion.Eval(a.Things, judged, mean, of)
	bar.Zero()
	for q, g := range a.Groups {
		for _, r := range g {
			to := bar.RawRowView(r)
			for j, v := range of.RawRowView(q) {
				to[j] = v / float64(len(g))
			}
		}
	}
	return f
}
