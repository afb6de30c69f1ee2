package mercer

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
)

// Listener hears what a fit does on its way to the result, which it does not change.
// Its functions are called from the fitting goroutine; nil ones are not called.
type Listener struct {
	// Evaluation hears every point that a search, or the automatic choice, has scored.
	Evaluation func(Evaluation)
	// Surface is called once at the end of a search by scores with the points it could
	// have visited, in the parameters of its last Evaluation, and the score of any of them
	// (+Inf: infeasible). The function must not be kept.
	Surface func(ctx context.Context, space param.Space, scored func(context.Context, []float64) (float64, error)) error
	// LeftOut hears what labelled rows are given by machines that have not seen their
	// labels, where the score comes from such: the rows' numbers in the set, and outputs
	// as those of the model, a row each.
	LeftOut func(rows []int, out *mat.Dense)
}

// Evaluation is one point that was scored.
type Evaluation struct {
	N      int    // 1 for the first of the fit
	Stage  int    // number of the search it belongs to, from 1: scores of several may differ in kind
	Search string // gradient, grid, ...; auto for the design of the automatic choice
	// Space describes the parameters, in the program's terms (lambda of the averaged
	// loss); Fixed ones were not moved. Theta is a value each, NaN where a candidate of the
	// design has no such parameter.
	Space param.Space
	Theta []float64
	Score float64 // the less the better; +Inf where no machine could be trained
}

// heard counts what a listener has heard, over all searches of a fit.
type heard struct{ points, stage int }

// hears tells a point of the search that is running.
func (j *job) hears(searching string, space param.Space, theta []float64, scored float64) {
	if j.options.Listen.Evaluation == nil {
		return
	}
	j.heard.points++
	j.options.Listen.Evaluation(Evaluation{N: j.heard.points, Stage: j.heard.stage, Search: searching, Space: space, Theta: theta, Score: scored})
}

// averaged is a space in which lambda is that of the averaged loss, the ridge of the
// machine by the number of labelled rows.
type averaged struct {
	space param.Space
	at    int // of lambda; -1: the space is the machine's
	rows  float64
}

func (j *job) averaged(space param.Space) averaged {
	a := averaged{space, space.Index("lambda"), float64(len(j.problem.Labelled))}
	if a.at >= 0 {
		a.space = slices.Clone(space)
		d := &a.space[a.at]
		d.Lo, d.Hi, d.Default = d.Lo/a.rows, d.Hi/a.rows, d.Default/a.rows
	}
	return a
}

// theta is the point of this space for one of the machine's.
func (a averaged) theta(machine []float64) []float64 {
	theta := slices.Clone(machine)
	if a.at >= 0 {
		theta[a.at] /= a.rows
	}
	return theta
}

// machine is the inverse of theta.
func (a averaged) machine(theta []float64) []float64 {
	machine := slices.Clone(theta)
	if a.at >= 0 {
		machine[a.at] *= a.rows
	}
	return machine
}

// surface tells the score of a search that has ended.
func (j *job) surface(ctx context.Context, space param.Space, scored param.Objective) error {
	if j.options.Listen.Surface == nil || ctx.Err() != nil {
		return nil
	}
	shown := j.averaged(space)
	return j.options.Listen.Surface(ctx, shown.space, func(ctx context.Context, theta []float64) (float64, error) {
		v, err := scored.Eval(ctx, shown.machine(theta), false)
		return v.F, err
	})
}

// hearsCandidate tells a candidate of the automatic choice as a point: one width of the
// kernel, where it has one, the graph, and the weights of the two norms.
func (j *job) hearsCandidate(c *auto.Candidate) {
	space := param.Space{
		{Name: "sigma", Kind: param.Log}, {Name: "neighbours", Kind: param.Log}, {Name: "degree", Kind: param.Integer},
		{Name: "gamma_i", Kind: param.Log}, {Name: "gamma_a", Kind: param.Log},
	}
	own := j.method.losses != nil && !j.method.semi // a machine with C
	switch {
	case own:
		space[4].Name = "C"
	case j.method.id != "" && !j.method.semi:
		space[4].Name = "lambda"
	}
	nan := math.NaN()
	theta := []float64{nan, nan, nan, nan, nan}
	base := j.base.Space()
	if i := base.Index("sigma"); i >= 0 && !c.Linear {
		theta[0] = base[i].Default * c.Width
	}
	if !c.Supervised() {
		theta[1], theta[2] = float64(c.Graph.Neighbours), float64(c.Graph.Degree)
	}
	if c.Machine != nil {
		theta[4] = c.Lambda / float64(len(j.problem.Labelled))
		if own {
			theta[4] = 1 / (2 * c.Lambda)
		}
		if w, ok := manifold.Warped(c.Kernel); ok {
			theta[3] = w.Ratio * theta[4] / j.intrinsicScale()
		}
	}
	scored := math.Inf(1)
	if c.Machine != nil {
		scored = c.Score
	}
	j.hears("auto", space, theta, scored)
}

// leftOut is the weighted sum of what the machines give labelled rows without their
// labels, l x c; nil where one of them was not scored so.
func (j *job) leftOut(c *auto.Choice) *mat.Dense {
	left := mat.NewDense(len(j.problem.Labelled), j.problem.Outputs(), nil)
	for _, member := range c.Members {
		if member.LeftOut == nil {
			return nil
		}
		var part mat.Dense
		part.Scale(member.Weight, member.LeftOut)
		left.Add(left, &part)
	}
	return left
}

// tellLeftOut tells the left-out outputs of the choice.
func (j *job) tellLeftOut(c *auto.Choice) {
	if j.options.Listen.LeftOut == nil {
		return
	}
	left := j.leftOut(c)
	if left == nil {
		return
	}
	judged := score.Judged(j.folds)
	if judged == nil {
		judged = make([]int, len(j.problem.Labelled))
		for i := range judged {
			judged[i] = i
		}
	}
	out := pick(left, judged)
	rows := make([]int, len(judged))
	for q, i := range judged {
		rows[q] = j.problem.Labelled[i]
		addScaled(out.RawRowView(q), 1, c.Offset)
	}
	j.options.Listen.LeftOut(rows, out)
}
