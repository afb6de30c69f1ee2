package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/task"
)

// BasisState says of a machine that was given few centres how many it has and how they were chosen. Sizes are those that
// --basis auto has tried.
type BasisState struct {
	Centres int          `json:"centres"`
	Choose  string       `json:"choose"`
	Sizes   []BasisPoint `json:"sizes,omitempty"`
}

// BasisPoint is one number of centres. Error is the mean loss on labelled rows that were left out, the share of errors or the mean
// square, and Spread its standard error.
type BasisPoint struct {
	Centres int     `json:"centres"`
	Error   float64 `json:"error"`
	Spread  float64 `json:"std_error"`
	Front   bool    `json:"front"` // no other size is better in both
	Chosen  bool    `json:"chosen,omitempty"`
	// Apart is the share of all rows that it decides otherwise than the machine without a limit; of a regression the mean square of
	// the difference over the mean square of the left-out errors. Reduced says that it is that machine, made smaller: its Error is that
	// one's and Apart, the most that it can be; of a regression that one's times 1 + Apart, what it is where the two do not go together.
	Apart   float64 `json:"apart"`
	Reduced bool    `json:"reduced,omitempty"`
	// Distilled says of a reduced machine that it has learned decisions alone, and has outputs of its own.
	Distilled bool `json:"distilled,omitempty"`
}

// BasisPoint measures the answer by its left-out outputs; false where there are none.
func (a *Answer) BasisPoint() (BasisPoint, bool) {
	judged, out := a.leftOut(a.Choice)
	if len(judged) == 0 || out == nil {
		return BasisPoint{}, false
	}
	p := a.Task.Problem
	loss := make([]float64, len(judged))
	if p.Task == data.Regression {
		for q, i := range judged {
			d := out.At(q, 0) - p.Y.At(i, 0)
			loss[q] = d * d
		}
	} else {
		for q, class := range p.Coding.Decide(out) {
			if class != p.Class[judged[q]] {
				loss[q] = 1
			}
		}
	}
	n := float64(len(loss))
	mean, square := 0.0, 0.0
	for _, v := range loss {
		mean += v / n
	}
	for _, v := range loss {
		square += (v - mean) * (v - mean) / max(n-1, 1)
	}
	return BasisPoint{Centres: Centres(a.Model(false)), Error: mean, Spread: math.Sqrt(square / n)}, true
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
func (a *Answer) describeBasis(res *Result, m *model.Model) {
	if a.Task.Recipe.Basis == "" && a.Sizes == nil {
		return
	}
	own, _ := res.Params[task.Choose.Name].(string) // of a method with a default of its own
	choose := cmp.Or(a.Task.Values.Word(task.Choose), own, task.Choose.Default)
	if a.Task.Recipe.Basis == "" {
		choose = "the machine without a limit"
	}
	if a.Reduced != nil {
		choose, res.Support = "reduction of the machine without a limit", Centres(m)
		if slices.ContainsFunc(a.Sizes, func(p BasisPoint) bool { return p.Chosen && p.Distilled }) {
			choose = "distillation of the machine without a limit"
		}
	}
	res.Basis = &BasisState{Centres: Centres(m), Choose: choose, Sizes: a.Sizes}
}
