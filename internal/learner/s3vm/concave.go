package s3vm

// Problem   that of the package with the hinge H_1(t) = max(0, 1 - t), its labels eliminated by clipping the loss of
//           the unlabelled rows, and the mean output of these rows given in the place of their balance:
//
//             minimise over f, b  1/2 ||f||^2 + sum_L C_i H_1(y_i f_i) + C_u sum_U (R(f_j) + R(-f_j) - 1 + s),
//             1/u sum_U f_j = m,   R(t) = H_1(t) - H_s(t),  H_s(t) = max(0, s - t),  -1 < s <= 0
//
//           For s = 0 what an unlabelled row costs is max(0, 1 - |f|), the cheaper of its two labels.
// Method    Convex less concave: -H_s is replaced by its tangent at the function at hand,
//
//             q_j f_j,   q_j = C_u ([f_j < s] - [f_j > -s])
//
//           which is no less than it, so each minimum of the convex rest lowers the objective; it ends when q
//           stays. It begins at the outputs of the machine of the labelled rows, with a constant added that
//           brings their mean to m. The constraint goes into the kernel: with phi_0 the mean of the unlabelled
//           rows, f = m + <w, phi - phi_0> where there is an offset, else f = m k_0/k_00 + <w, phi - phi_0 k_0/k_00>,
//           k_0 = <phi_0, phi>, k_00 = ||phi_0||^2. The mean m is 2 r - 1, r the share of +1, or the one with which
//           so many rows are decided +1 (share.go).
// Cost      a training of the hinge with l + 2u variables for each tangent, some 5 for each m; one n x n matrix, the
//           kernel with the constraint.
// Source    Collobert, Sinz, Weston and Bottou, "Large scale transductive SVMs", JMLR 7 (2006); the share as in
//           Sindhwani 2007, section 3.2.3.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

// Concave is the concave-convex procedure. The objective of its certificate is that with the clipped loss, the
// residual the violation by the last tangent's machine, and the steps are those of the dual solver.
type Concave struct {
	Clip      float64 // s
	Decisions bool    // the decisions have the share, not the outputs their mean
	Tolerance float64 // of the dual, LIBSVM's; 0: 1e-4
}

var _ Solver = Concave{}

// tangents are at most so many for one mean; q changes finitely often, some 5 times.
const tangents = 100

// Solve implements Solver. Only trainings begin at warm: how good a minimum is comes from where the
// procedure begins.
func (s Concave) Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error) {
	c := &clipped{Concave: s, problem: p, costs: p.Costs(), free: newWeighted(p, learn.Hinge())}
	c.free.tolerance = s.Tolerance
	if err := c.supervised(ctx, warm); err != nil {
		return Solution{}, err
	}
	if p.Labelled() == len(p.Rows) {
		return c.solution(c.free.objective()), nil
	}
	if err := c.constrain(); err != nil {
		return Solution{}, err
	}
	var err error
	if first := 2*p.Positive - 1; s.Decisions {
		err = dichotomy(first, p.Count(), func(m float64) (int, bool, error) {
			positive, err := c.at(ctx, m)
			return positive, false, err
		})
	} else {
		_, err = c.at(ctx, first)
	}
	if err != nil && (ctx.Err() == nil || !c.known) {
		return Solution{}, err
	}
	out := c.solution(c.objective)
	switch {
	case err != nil:
		out.Certificate.Limited = searchStopped
	case s.Decisions && c.positive != p.Count():
		out.Certificate.Limited = unmet(c.positive, len(p.Rows)-p.Labelled(), p.Count())
	}
	return out, nil
}

// clipped is the state of the procedure.
type clipped struct {
	Concave
	problem *Problem
	costs   []float64
	free    *weighted // on K, of the labelled rows; later the best function
	tied    *weighted // on the kernel with the constraint
	mean    []float64 // k_0 of all rows
	centre  float64   // k_00
	first   []float64 // outputs of the machine of the labelled rows

	known     bool // a best function, with
	positive  int  // rows that it decides +1
	objective float64
}

// unlabelled are the rows of K without a label.
func (c *clipped) unlabelled() []int { return c.problem.Rows[c.problem.Labelled():] }

// supervised trains on the labelled rows alone.
func (c *clipped) supervised(ctx context.Context, warm *Solution) error {
	if warm != nil {
		c.free.begin(c.problem, warm)
	}
	for i, y := range c.problem.Y {
		c.free.label(c.problem.Rows[i], y, c.costs[i])
	}
	return c.free.train(ctx)
}

// constrain makes the machine on the kernel with the constraint.
func (c *clipped) constrain() error {
	n := len(c.free.plus)
	u := c.unlabelled()
	c.mean = make([]float64, n)
	for _, j := range u {
		floats.AddScaled(c.mean, 1/float64(len(u)), c.problem.K.RawRowView(j))
	}
	for _, j := range u {
		c.centre += c.mean[j] / float64(len(u))
	}
	var size float64
	for i := range n {
		size = max(size, math.Abs(c.problem.K.At(i, i)))
	}
	if !c.problem.Offset && !(c.centre > 1e-20*size) { // the mean of rows that were centred is rounding
		return errNoMean
	}
	k := mat.NewDense(n, n, nil)
	for i := range n {
		row := k.RawRowView(i)
		copy(row, c.problem.K.RawRowView(i))
		if c.problem.Offset {
			floats.Sub(row, c.mean)
			floats.AddConst(c.centre-c.mean[i], row)
		} else {
			floats.AddScaled(row, -c.mean[i]/c.centre, c.mean)
		}
	}
	q := *c.problem
	q.K, q.Offset = k, false
	c.tied = newWeighted(&q, learn.Hinge())
	c.tied.tolerance = c.free.tolerance
	c.tied.shift, c.tied.tilt = make([]float64, n), make([]float64, n)
	for i, y := range c.problem.Y {
		c.tied.label(c.problem.Rows[i], y, c.costs[i])
	}
	for i, j := range u {
		cost := c.costs[c.problem.Labelled()+i]
		c.tied.plus[j], c.tied.minus[j] = cost, cost
	}
	c.first = append([]float64(nil), c.free.at.f...)
	return nil
}

// at runs the procedure for a mean, keeps the function if its share is the nearest so far, of several such
// the one of the least objective, and returns how many rows are decided +1.
func (c *clipped) at(ctx context.Context, m float64) (positive int, err error) {
	objectives, err := c.descend(ctx, m)
	if err != nil {
		return 0, err
	}
	for _, j := range c.unlabelled() {
		if c.tied.at.f[j] >= 0 {
			positive++
		}
	}
	objective := objectives[len(objectives)-1]
	want := c.problem.Count()
	now, was := max(positive-want, want-positive), max(c.positive-want, want-c.positive)
	if !c.known || now < was || now == was && objective < c.objective {
		c.known, c.positive, c.objective = true, positive, objective
		c.untie(m)
	}
	return positive, nil
}

// descend runs the procedure for a mean and returns its objectives.
func (c *clipped) descend(ctx context.Context, m float64) (objectives []float64, err error) {
	t := c.tied
	for i := range t.shift {
		t.shift[i] = m
		if !c.problem.Offset {
			t.shift[i] = m * c.mean[i] / c.centre
		}
	}
	u := c.unlabelled()
	var mean float64
	for _, j := range u {
		mean += c.first[j] / float64(len(u))
	}
	f := append([]float64(nil), c.first...)
	floats.AddConst(m-mean, f)
	for range tangents {
		if !c.tangent(f) && len(objectives) > 0 {
			break
		}
		if err := t.train(ctx); err != nil {
			return nil, err
		}
		f = t.at.f
		objectives = append(objectives, c.value(m))
	}
	return objectives, nil
}

// tangent stores q at outputs f, and says whether it is another.
func (c *clipped) tangent(f []float64) (changed bool) {
	for _, j := range c.unlabelled() {
		var q float64
		if f[j] < c.Clip {
			q += c.tied.plus[j]
		}
		if f[j] > -c.Clip {
			q -= c.tied.minus[j]
		}
		changed = changed || q != c.tied.tilt[j]
		c.tied.tilt[j] = q
	}
	return changed
}

// value is the objective for a mean.
func (c *clipped) value(m float64) float64 {
	t := c.tied
	var sum float64
	for i, a := range t.at.alpha {
		sum += a * (t.at.f[i] - t.shift[i]) / 2
	}
	if !c.problem.Offset {
		sum += m * m / (2 * c.centre)
	}
	hinge := learn.Hinge()
	for i, r := range c.problem.Rows {
		f := t.at.f[r]
		if i < c.problem.Labelled() {
			sum += c.costs[i] * hinge.Value(c.problem.Y[i], f)
			continue
		}
		sum += c.costs[i] * (hinge.Value(1, f) - max(0, c.Clip-f) + hinge.Value(-1, f) - max(0, c.Clip+f) - 1 + c.Clip)
	}
	return sum
}

// untie writes the function on the kernel with the constraint as one on K.
func (c *clipped) untie(m float64) {
	alpha := append([]float64(nil), c.tied.at.alpha...)
	var b, onMean float64 // the coefficient of phi_0
	if c.problem.Offset {
		onMean = -floats.Sum(alpha)
		b = m - floats.Dot(alpha, c.mean) - c.centre*onMean
	} else {
		onMean = (m - floats.Dot(alpha, c.mean)) / c.centre
	}
	u := c.unlabelled()
	for _, j := range u {
		alpha[j] += onMean / float64(len(u))
	}
	c.free.start(alpha, b)
}

// solution is the best function, of that objective.
func (c *clipped) solution(objective float64) Solution {
	s := c.free.read(c.problem)
	s.Certificate = learn.Certificate{Objective: objective, Residual: c.free.residual, Steps: c.free.steps, Limited: c.free.limited}
	if c.tied != nil {
		s.Certificate.Residual, s.Certificate.Limited = c.tied.residual, c.tied.limited
		s.Certificate.Steps += c.tied.steps
	}
	return s
}
