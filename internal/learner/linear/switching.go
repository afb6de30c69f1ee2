package linear

// Problem   that of package s3vm with the squared hinge, for a linear machine whose offset is penalised.
// Method    1. The machine of the labelled rows. 2. The unlabelled rows of the largest outputs become +1, as many as
//           are asked for, the others -1. 3. Their cost begins at 1e-5 of the mean cost of a label and grows by a half until
//           it is C_u. At each cost the rows of label +1 inside the margin, smallest output first, are paired with those of
//           label -1, largest first; pairs whose outputs are in the wrong order exchange their labels, at most so many at
//           a time, and the machine is trained again from where it was, until there is none. Each exchange lowers the
//           objective and keeps the balance, so this ends. On the way machines are trained to the square root of the
//           tolerance: the order of the outputs asks for no more. The last are trained to the tolerance.
// Cost      some trainings for each of the 30 costs, most of a few passes over the active rows.
// Source    Sindhwani 2007, section 6.3; Sindhwani and Keerthi, SIGIR 2006.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
)

// Switching is the transductive machine by label switching. The objective of its certificate is that with the label for
// each row that costs less, the residual that of the labels that were decided.
type Switching struct {
	// Switches is the largest number of pairs that exchange their labels between two trainings; 0: any.
	Switches  int
	Tolerance float64 // of least-squares systems and of margins, at least 1e-12; 0: 1e-6
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
	t := &switched{transduced: begun(p, s.Tolerance), most: s.Switches, y: make([]float64, len(p.Rows))}
	if err := t.learn(ctx, false); err != nil {
		return s3vm.Solution{}, err
	}
	says := ""
	if t.each > 0 {
		if err := t.run(ctx); err != nil {
			says = "label switching was stopped; the machine is that of the labels until then"
		}
	}
	t.up, t.down, t.w, t.o = t.last[0], t.last[1], t.last[2], t.last[3]
	if says == "" && t.limited {
		says = "Newton's method stopped at its limit; the machine is not exact"
	}
	return t.solution(t.decided(), says), nil
}

// switched is the state of label switching.
type switched struct {
	*transduced
	most    int
	y       []float64    // labels of the problem's rows, as given or decided
	last    [4][]float64 // prices, weights and outputs of the last training that came to its end
	limited bool         // it did so by its limit
}

// learn trains, and keeps the machine. The error is that of the context.
func (t *switched) learn(ctx context.Context, warm bool) error {
	limited, err := t.train(ctx, warm)
	if err != nil {
		return err
	}
	t.limited = limited
	for q, v := range [][]float64{t.up, t.down, t.w, t.o} {
		t.last[q] = append(t.last[q][:0], v...)
	}
	return nil
}

// run decides the unlabelled rows.
func (t *switched) run(ctx context.Context) error {
	for k, i := range t.byOutput() {
		t.y[i] = -1
		if k < t.problem.Count() {
			t.y[i] = 1
		}
	}
	exact := t.fine
	t.fine = math.Sqrt(exact)
	for _, level := range Levels(t.problem.Unlabelled) {
		if err := t.settle(ctx, level*t.each); err != nil {
			return err
		}
	}
	t.fine = exact
	return t.settle(ctx, t.each)
}

// Levels are the shares of the cost of an unlabelled row at which its label settles, one after the other and the last 1, where
// unlabelled rows together weigh so many times what labels do.
func Levels(unlabelled float64) (shares []float64) {
	for level := min(lightest/unlabelled, 1); level < 1; level *= growth {
		shares = append(shares, level)
	}
	return append(shares, 1)
}

// settle trains with a cost of the unlabelled rows and exchanges labels until no pair lowers the objective.
func (t *switched) settle(ctx context.Context, cost float64) error {
	for i := t.l; i < len(t.y); i++ {
		t.price(i, t.y[i], cost)
	}
	if err := t.learn(ctx, true); err != nil {
		return err
	}
	for range 10 * t.unlabelled() { // were outputs to stay, so many exchanges would sort the labels
		pairs := t.pairs()
		if len(pairs) == 0 {
			break
		}
		for _, ij := range pairs {
			t.y[ij[0]], t.y[ij[1]] = -1, 1
			t.price(ij[0], -1, cost)
			t.price(ij[1], 1, cost)
		}
		before := t.f
		if err := t.learn(ctx, true); err != nil {
			return err
		}
		if !(t.f < before-lower*before) {
			break
		}
	}
	return nil
}

// pairs are rows of labels +1 and -1 inside the margin, whose outputs are in the wrong order.
func (t *switched) pairs() (pairs [][2]int) {
	var up, down []int
	for i := t.l; i < len(t.y); i++ {
		switch o := t.at(i); {
		case t.y[i] > 0 && o < 1:
			up = append(up, i)
		case t.y[i] < 0 && o > -1:
			down = append(down, i)
		}
	}
	slices.SortStableFunc(up, func(a, b int) int { return cmp.Compare(t.at(a), t.at(b)) })
	slices.SortStableFunc(down, func(a, b int) int { return cmp.Compare(t.at(b), t.at(a)) })
	for k := range min(len(up), len(down), cmp.Or(t.most, len(up))) {
		if !(t.at(up[k]) < t.at(down[k])) {
			break
		}
		pairs = append(pairs, [2]int{up[k], down[k]})
	}
	return pairs
}
