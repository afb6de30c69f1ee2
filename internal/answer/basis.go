package answer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// BasisPoint measures the answer by its left-out outputs, as its model decides and by the weights of the rows; false where there are
// none.
func (a *Answer) BasisPoint() (result.BasisPoint, bool) {
	judged, out := a.leftOut(a.Choice)
	if len(judged) == 0 || out == nil {
		return result.BasisPoint{}, false
	}
	m := a.Model(false)
	loss := a.losses(m, judged, out).Each
	weight := a.Task.Problem.WeightOf(judged)
	if weight == nil {
		weight = slices.Repeat([]float64{1}, len(judged))
	}
	n, total := float64(len(loss)), floats.Sum(weight)
	var mean, square float64
	for q, v := range loss {
		mean += weight[q] * v / total
	}
	for q, v := range loss {
		w := weight[q] * (n / total) // 1 on average
		square += w * w * (v - mean) * (v - mean) / max(n-1, 1)
	}
	return result.BasisPoint{Centres: Centres(m), Error: mean, Spread: math.Sqrt(square / n)}, true
}

// Centres is the number of rows that a model is a sum over: kernels on the same rows count once.
func Centres(m *model.Model) int {
	n := 0
	for _, p := range m.Parts {
		most := 0
		for _, f := range p.Functions {
			if e, ok := f.(model.Expansion); ok {
				units, _ := e.Coef.Dims()
				most = max(most, units)
			}
		}
		n += most
	}
	return n
}

// describeBasis says what became of --basis.
func (a *Answer) describeBasis(res *result.Result, m *model.Model) {
	if a.Task.Recipe.Basis == "" && a.Sizes == nil {
		return
	}
	own, _ := res.Params[task.Choose.Name].(string) // of a method with a default of its own
	choose := cmp.Or(a.Task.Values.Word(task.Choose), own, task.Choose.Default)
	if a.Task.Recipe.Basis == "" {
		choose = "the full model"
	}
	if a.Reduced != nil {
		choose, res.Support = "reduction of the full model", Centres(m)
		if slices.ContainsFunc(a.Sizes, func(p result.BasisPoint) bool { return p.Chosen && p.Distilled }) {
			choose = "distillation of the full model"
		}
	}
	res.Basis = &result.BasisState{Centres: Centres(m), Choose: choose, Sizes: a.Sizes}
}
