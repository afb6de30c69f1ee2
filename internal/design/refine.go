package design

// Problem  widths by factors of two and strengths by factors of ten are coarse, and the best width shrinks as
//          rows grow, maybe beyond the narrowest that entered.
// Method   after every round but the last the neighbours of its winner are judged on the same rows: its kernel narrower and
//          wider by factors (Race.Widths), where these have not been in the race, and its machine weaker and
//          stronger by sqrt 10. Those that do well go on as others do: in the next round, of several times the rows,
//          each would cost what all of them cost in this one.

import (
	"math"
	"reflect"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
)

// refined are the neighbours of a winner that have not been in the race. Least squares find their lambda
// by themselves, and their kernels cost too much for more of them.
func refined(w *Entrant, field []*Entrant, factors []float64) []*Entrant {
	if w.Learner == nil || len(w.Theta) == 0 {
		return nil
	}
	var list []*Entrant
	enter := func(k kernel.Kernel, by float64) {
		e := &Entrant{
			Name: w.Name, Method: w.Method, Kernel: k, Learner: w.Learner, Pairs: w.Pairs, Offset: w.Offset, Theta: slices.Clone(w.Theta),
		}
		e.Theta[0] *= by
		if !slices.ContainsFunc(field, func(o *Entrant) bool { return same(o, e) }) {
			list = append(list, e)
		}
	}
	enter(w.Kernel, 1/math.Sqrt(10))
	enter(w.Kernel, math.Sqrt(10))
	for _, by := range factors {
		if k, err := Widened(w.Kernel, by); err == nil {
			enter(k, 1)
		}
	}
	return list
}

// same says whether two entrants are the same machine but for rounding.
func same(a, b *Entrant) bool {
	near := func(v, w float64) bool { return math.Abs(v-w) <= 0.01*math.Abs(w) }
	if a.Method != b.Method || a.Pairs != b.Pairs || a.Learner == nil || reflect.TypeOf(a.Kernel) != reflect.TypeOf(b.Kernel) {
		return false
	}
	return slices.EqualFunc(a.Theta, b.Theta, near) && slices.EqualFunc(a.Kernel.Space().Defaults(), b.Kernel.Space().Defaults(), near)
}
