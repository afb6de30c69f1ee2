package linear

// Problem   that of package s3vm with the squared hinge, for a linear machine whose offset is penalised.
// Method    1. The machine of the labelled rows. 2. The unlabelled rows of the largest outputs become +1, as many as
//           are asked for, the others -1. 3. Their cost begins at 1e-5 of the mean cost of a label and grows by a half until
//           it is C_u. At each cost the rows of label +1 inside the margin, smallest output first, are paired with those of
//           label -1, largest first; pairs whose outputs are in the wrong order exchange their labels, at most so many at
//           a time, and the machine is trained again from where it was, until there is none. Each exchange lowers the
//           objective and keeps the balance, so this ends.
// Cost      some trainings for each of the 30 costs, most of a few passes over the active rows.
// Source    Sindhwani 2007, section 6.3; Sindhwani and Keerthi, SIGIR 2006.

import (
	"cmp"
	"context"
	"slices"

	"github.com/mercer-ml/mercer/s3vm"
)

// Switching is the transductive machine by label switching. The objective of its certificate is that with the label for
// each row that costs less, the residual that of the labels that were decided.
type Switching struct {
	// Switches is the largest number of pairs that exchange their labels between two trainings; 0: any.
	Switches  int
	Tolerance float64 // of least-squares systems and of margins; 0: 1e-6
}

var _ s3vm.InColumns = Switching{}

// InColumns implements s3vm.InColumns.
func (Switching) InColumns() {}

const (
	// lightest is the share of a label's cost that an unlabelled row's begins with, and growth its factor.
	lightest, growth = 1e-5, 1.5
	// lower is what exchanges must lower the objective by, relative: rounding does less.
	lower = 1e-12
)

// Solve implements s3vm.Solver. It begins at nothing: how good a minimum is comes from where it begins.
func (s Switching) Solve(ctx context.Context, p *s3vm.Problem, _ *s3vm.Solution) (s3vm.Solution, error) {
	t := begun(p, s.Tolerance)
	limited, err := t.train(ctx, false)
	if err != nil {
		return s3vm.Solution{}, err
	}
	says := ""
	if t.each > 0 {
		limited, err = t.switched(ctx, s.Switches)
		if err != nil && ctx.Err() == nil {
			return s3vm.Solution{}, err
		}
		if err != nil {
			says = "label switching was stopped; the machine is that of the labels until then"
		}
	}
	if limited {
		says = "Newton's method stopped at its limit; the machine is not exact"
	}
	return t.solution(t.decided(), says), nil
}

// switched decides the unlabelled rows.
func (t *transduced) switched(ctx context.Context, most int) (limited bool, err error) {
	y := make([]float64, len(t.costs))
	for k, i := range t.byOutput() {
		y[i] = -1
		if k < t.problem.Count() {
			y[i] = 1
		}
	}
	full := t.each * float64(t.unlabelled()) / float64(t.l) // what C_u would be of l rows
	level := min(lightest/t.problem.Unlabelled, 1)
	for full > 0 {
		if limited, err = t.exchanged(ctx, y, level, most); err != nil || level == 1 {
			return limited, err
		}
		level = min(growth*level, 1)
	}
	return limited, nil
}

// exchanged trains with this share of C_u and exchanges labels until no pair lowers the objective.
func (t *transduced) exchanged(ctx context.Context, y []float64, level float64, most int) (limited bool, err error) {
	for i := t.l; i < len(y); i++ {
		t.price(i, y[i], level*t.each)
	}
	if limited, err = t.train(ctx, true); err != nil {
		return limited, err
	}
	for range 10 * t.unlabelled() { // were outputs to stay, so many exchanges would sort the labels
		pairs := t.pairs(y, most)
		if len(pairs) == 0 {
			break
		}
		for _, ij := range pairs {
			y[ij[0]], y[ij[1]] = -1, 1
			t.price(ij[0], -1, level*t.each)
			t.price(ij[1], 1, level*t.each)
		}
		before := t.f
		if limited, err = t.train(ctx, true); err != nil {
			return limited, err
		}
		if !(t.f < before-lower*before) {
			break
		}
	}
	return limited, nil
}

// pairs are rows of labels +1 and -1 inside the margin, whose outputs are in the wrong order.
func (t *transduced) pairs(y []float64, most int) [][2]int {
	var up, down []int
	for i := t.l; i < len(y); i++ {
		switch o := t.at(i); {
		case y[i] > 0 && o < 1:
			up = append(up, i)
		case y[i] < 0 && o > -1:
			down = append(down, i)
		}
	}
	slices.SortStableFunc(up, func(a, b int) int { return cmp.Compare(t.at(a), t.at(b)) })
	slices.SortStableFunc(down, func(a, b int) int { return cmp.Compare(t.at(b), t.at(a)) })
	if most == 0 {
		most = len(up)
	}
	var pairs [][2]int
	for k := range min(len(up), len(down), most) {
		if !(t.at(up[k]) < t.at(down[k])) {
			break
		}
		pairs = append(pairs, [2]int{up[k], down[k]})
	}
	return pairs
}
