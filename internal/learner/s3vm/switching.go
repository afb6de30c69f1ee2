package s3vm

// Problem   that of the package.
// Method    1. The machine of the labelled rows alone. 2. The Count unlabelled rows of the largest outputs
//           become +1, the others -1. 3. Their costs begin at 1e-5 of C_u, those of +1 times the ratio of the classes,
//           and double until all are C_u. 4. At each cost the machine is trained;
//           while a row i of label +1 and a row j of label -1 are found with
//
//             c+ V(f_j) + c- V(-f_i)  <  c+ V(f_i) + c- V(-f_j)
//
//           they exchange their labels, those with the smallest f_i and the largest f_j first, and the machine
//           is trained again. Each exchange lowers the objective at these costs and keeps the balance, so this
//           ends.
// Cost      a training of the weighted machine for each exchange, or for each `Switches` of them.
// Source    Joachims, "Transductive inference for text classification using support vector machines", ICML
//           1999; several exchanges at a time: Sindhwani and Keerthi, "Large scale semi-supervised linear SVMs",
//           SIGIR 2006. The condition is the objective itself: for the hinge it holds wherever Joachims' does
//           (both slacks positive, their sum over 2), and where one of the two is beyond the margin.

import (
	"cmp"
	"context"
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// Switching is Joachims' transductive machine. The objective of its certificate is that of the problem with
// the labels that were decided, and the residual that of the function for them.
type Switching struct {
	Loss learn.Loss // loss.Hinge or loss.SquaredHinge; nil: the first
	// Switches is the largest number of pairs that exchange their labels between two trainings; 0: 1, as
	// the source has it.
	Switches  int
	Tolerance float64 // of the dual of the hinge, LIBSVM's; 0: 1e-4
}

var _ Solver = Switching{}

const (
	// lightest is the share of C_u that the costs of the unlabelled rows begin with, Joachims' 10^-5.
	lightest = 1e-5
	// lower is what exchanges must lower the objective by, relative: rounding does less.
	lower = 1e-12
)

// Solve implements Solver. Labels are not taken from warm, because it was told the label that is left out
// now: training alone begins there.
func (s Switching) Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error) {
	v := s.Loss
	if v == nil {
		v = learn.Hinge()
	}
	t := newSwitched(p, v, max(s.Switches, 1))
	t.tolerance = s.Tolerance
	if warm != nil {
		t.begin(p, warm)
	}
	for i, c := range t.costs[:p.Labelled()] {
		t.label(p.Rows[i], p.Y[i], c)
	}
	if err := t.train(ctx); err != nil {
		return Solution{}, err
	}
	t.gather()
	p.decided(t.y, t.f)
	if p.Labelled() == len(p.Rows) {
		return t.solution(""), nil
	}
	err := t.run(ctx)
	if err != nil && ctx.Err() == nil {
		return Solution{}, err
	}
	limited := ""
	if err != nil {
		limited = "label switching was stopped; the machine is that of the labels until then"
	}
	return t.solution(limited), nil
}

// switched is the state of label switching.
type switched struct {
	*weighted
	problem *Problem
	most    int        // exchanges between two trainings
	costs   []float64  // of the rows at the end
	y, f    []float64  // labels and outputs, in the order of the problem's rows
	up      []int      // unlabelled rows of label +1, the smallest outputs first
	down    []int      // of label -1, the largest first
	weight  [2]float64 // of C_u at present, for the labels +1 and -1
}

func newSwitched(p *Problem, v learn.Loss, most int) *switched {
	n := len(p.Rows)
	return &switched{
		weighted: newWeighted(p, v), problem: p, most: most,
		costs: p.Costs(), y: make([]float64, n), f: make([]float64, n),
	}
}

// gather brings the outputs into the order of the problem's rows.
func (t *switched) gather() {
	for i, r := range t.problem.Rows {
		t.f[i] = t.at.f[r]
	}
}

// run raises the costs of the unlabelled rows to C_u.
func (t *switched) run(ctx context.Context) error {
	u := len(t.y) - t.problem.Labelled()
	t.weight = [2]float64{lightest, lightest}
	if plus := t.problem.Count(); plus > 0 && plus < u {
		t.weight[0] = min(1, lightest*float64(plus)/float64(u-plus))
	}
	for {
		if err := t.settle(ctx); err != nil {
			return err
		}
		if t.weight[0] == 1 && t.weight[1] == 1 {
			return nil
		}
		t.weight[0], t.weight[1] = min(1, 2*t.weight[0]), min(1, 2*t.weight[1])
	}
}

// settle trains and exchanges labels until no pair lowers the objective.
func (t *switched) settle(ctx context.Context) error {
	// Labels are sorted by outputs in at most so many exchanges of one pair, were the outputs to stay.
	limit := 10 * len(t.y)
	for range limit {
		for i := t.problem.Labelled(); i < len(t.y); i++ {
			t.relabel(i)
		}
		if err := t.train(ctx); err != nil {
			return err
		}
		t.gather()
		if !t.exchange() {
			return nil
		}
	}
	return nil
}

// relabel sets the cost of an unlabelled row.
func (t *switched) relabel(i int) {
	w := t.weight[0]
	if t.y[i] < 0 {
		w = t.weight[1]
	}
	t.label(t.problem.Rows[i], t.y[i], w*t.costs[i])
}

// exchange exchanges the labels of pairs, and says whether there were any.
func (t *switched) exchange() bool {
	t.up, t.down = t.up[:0], t.down[:0]
	for i := t.problem.Labelled(); i < len(t.y); i++ {
		if t.y[i] > 0 {
			t.up = append(t.up, i)
		} else {
			t.down = append(t.down, i)
		}
	}
	slices.SortStableFunc(t.up, func(a, b int) int { return cmp.Compare(t.f[a], t.f[b]) })
	slices.SortStableFunc(t.down, func(a, b int) int { return cmp.Compare(t.f[b], t.f[a]) })
	least := lower * t.objective()
	done := 0
	for q := range min(len(t.up), len(t.down), t.most) {
		i, j := t.up[q], t.down[q]
		if !(t.gain(i, j) > least) {
			break
		}
		t.y[i], t.y[j] = -1, 1
		done++
	}
	return done > 0
}

// gain is what the objective falls by where rows i and j, of labels +1 and -1, exchange them. It falls with
// f_i and rises with f_j.
func (t *switched) gain(i, j int) float64 {
	c := t.costs[i]
	up, down := c*t.weight[0], c*t.weight[1]
	return up*(t.loss.Value(1, t.f[i])-t.loss.Value(1, t.f[j])) + down*(t.loss.Value(-1, t.f[j])-t.loss.Value(-1, t.f[i]))
}

// solution is the machine at hand, judged at C_u.
func (t *switched) solution(limited string) Solution {
	for i, r := range t.problem.Rows {
		t.label(r, t.y[i], t.costs[i])
	}
	t.gather()
	s := t.read(t.problem)
	s.Certificate = learn.Certificate{Objective: t.objective(), Residual: t.residual, Steps: t.steps, Limited: cmp.Or(limited, t.limited)}
	return s
}
