package design

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// heat compares entrants on some labelled rows.
type heat struct {
	race    *Race
	rows    []int // ascending, numbers among the labelled
	problem *learn.Problem
	pairs   *learn.Problem
	folds   [][]int // of the rows of the heat
	only    bool    // there is no winner of an earlier heat to fall back to
}

func (r *Race) heat(of []int) *heat {
	rows := slices.Clone(of)
	slices.Sort(rows)
	h := &heat{race: r, rows: rows, problem: r.Problem.Only(rows)}
	h.pairs = h.problem.OneVersusOne()
	h.folds = r.parts(h.problem)
	return h
}

// parts are the folds of a heat that are judged.
func (r *Race) parts(p *learn.Problem) [][]int {
	l := len(p.Labelled)
	list := rand.New(rand.NewPCG(r.Seed, 0x7262)).Perm(l)
	if p.Class != nil {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(p.Class[a], p.Class[b]) })
	}
	k, judged := Folds(l)
	folds := make([][]int, judged)
	for i, q := range list {
		if f := i % k; f < len(folds) {
			folds[f] = append(folds[f], q)
		}
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}

// run judges the entrants and trains the best on the rows of the heat; nil if none could be
// trained, or the context ended and an earlier heat has a winner. Entrants that fail for their parameters leave.
func (h *heat) run(ctx context.Context, field []*Entrant) (*Winner, error) {
	var best *Winner
	var train func() (*choose.Machine, error)
	for len(field) > 0 {
		k := 1
		for k < len(field) && alike(field[k], field[0]) {
			k++
		}
		w, t, err := h.group(ctx, field[:k])
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		if w != nil && (best == nil || w.before(best.Entrant)) {
			best, train = w, t
		}
		field = field[k:]
	}
	if best == nil || ctx.Err() != nil && !h.only {
		return nil, nil
	}
	left := best.Machine.LeftOut
	m, err := train()
	if err != nil {
		return nil, err
	}
	best.Machine = m
	return best, h.place(best, left)
}

// alike says whether two entrants differ in the learner's parameters alone.
func alike(a, b *Entrant) bool {
	return a.Method == b.Method && a.Pairs == b.Pairs && a.Learner != nil && b.Learner != nil && reflect.DeepEqual(a.Kernel, b.Kernel)
}

// coded is the problem of the heat in the coding of an entrant.
func (h *heat) coded(e *Entrant) *learn.Problem {
	if e.Pairs {
		return h.pairs
	}
	return h.problem
}

// group judges entrants on one kernel. It returns the best, with its left-out outputs, and what
// trains it.
func (h *heat) group(ctx context.Context, field []*Entrant) (best *Winner, train func() (*choose.Machine, error), err error) {
	lead := field[0]
	p := h.coded(lead)
	g, err := lead.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	if lead.Learner == nil {
		return h.square(ctx, lead, g)
	}
	trainer, err := lead.Learner.Bind(ctx, g, p)
	if err != nil {
		return nil, nil, err
	}
	judge := (&Bench{Score: score.LeaveOut{Problem: p, Folds: h.folds, Criterion: criterion(p)}, Learner: lead.Learner}).judge(g, trainer)
	for i, e := range field {
		v, out, limited, err := judge(ctx, e.Theta)
		switch {
		case ctx.Err() != nil:
			return best, train, nil
		case numerical(err):
			e.Left = err.Error()
			continue
		case err != nil:
			return nil, nil, err
		}
		h.judged(e, p, v, out)
		if best == nil || e.before(best.Entrant) {
			best = &Winner{Entrant: e, Problem: p, Machine: &choose.Machine{LeftOut: out}}
			train = func() (*choose.Machine, error) { return trained(context.WithoutCancel(ctx), e, g, trainer, p) }
		}
		if limited { // stronger data need more steps still
			for _, o := range field[i+1:] {
				o.Left = "its training met a limit"
			}
			break
		}
	}
	return best, train, nil
}

// square judges regularised least squares at the lambda of the best closed leave-one-out score, because a score by
// folds costs the cube of the rows for every lambda. After the first heat only lambdas near the last one are tried.
func (h *heat) square(ctx context.Context, e *Entrant, g kernel.Gram) (*Winner, func() (*choose.Machine, error), error) {
	c, p := criterion(h.problem), h.problem
	s := score.LeaveOut{Kernel: e.Kernel, Problem: p, Criterion: c, Offset: e.Offset}
	var m *choose.Machine
	var err error
	if e.Theta == nil {
		m, err = train(ctx, &s, e.Kernel, g, 0, ridges(p.Task, false), h.folds)
	} else {
		m, err = trainNear(ctx, &s, e.Kernel, g, []float64{e.Theta[0] * nearby, e.Theta[0], e.Theta[0] / nearby}, h.folds)
	}
	switch {
	case numerical(err):
		e.Left = err.Error()
		return nil, nil, nil
	case err != nil || ctx.Err() != nil:
		return nil, nil, err
	}
	e.Theta = []float64{m.Lambda}
	h.judged(e, p, c.Eval(p, score.Judged(h.folds), m.LeftOut, nil), m.LeftOut)
	return &Winner{Entrant: e, Problem: p, Machine: m}, func() (*choose.Machine, error) { return m, nil }, nil
}

// nearby is the step of lambda from heat to heat, half a decade: the best ridge of a matrix of n rows changes slowly with n.
const nearby = 3.1622776601683795

// criterion is what finds a lambda, and decides ties.
func criterion(p *learn.Problem) score.Criterion {
	if p.Task == data.Regression {
		return score.Press{}
	}
	return score.LogLoss{}
}

// judged stores how an entrant did. Errors are counted even where the log loss would tell more from few rows,
// because outputs of pairs of classes and of classes have log losses that cannot be compared.
func (h *heat) judged(e *Entrant, p *learn.Problem, loss float64, out *mat.Dense) {
	rows := score.Judged(h.folds)
	e.Rows, e.Loss = len(h.rows), loss
	if p.Task == data.Regression {
		e.Score = rootMeanSquare(p, rows, out)
	} else {
		e.Score = score.Error{}.Eval(p, rows, out, nil)
	}
	if math.IsNaN(e.Score) {
		e.Score = math.Inf(1)
	}
	r := h.race
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, max(r.total, r.done), e.Score)
	}
}

// rootMeanSquare is that of the errors of these rows.
func rootMeanSquare(p *learn.Problem, rows []int, out *mat.Dense) float64 {
	var sum float64
	for _, i := range rows {
		d := p.Y.At(i, 0) - out.At(i, 0)
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(rows)))
}

// trained is the machine of an entrant on all rows of the problem.
func trained(ctx context.Context, e *Entrant, g kernel.Gram, t learn.Trainer, p *learn.Problem) (*choose.Machine, error) {
	f, err := t.Train(ctx, nil, e.Theta, nil)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: e.Kernel, Theta: e.Theta, Lambda: ridge(e.Learner, e.Theta)}
	return m, adopt(ctx, m, f, g, p)
}

// place turns what is of the rows of the heat into what is of all labelled rows.
func (h *heat) place(w *Winner, left *mat.Dense) error {
	all := h.race.Problem
	if w.Pairs {
		all = all.OneVersusOne()
	}
	whole := mat.NewDense(len(all.Labelled), all.Outputs(), nil)
	for q, i := range h.rows {
		whole.SetRow(i, left.RawRowView(q))
	}
	w.Machine.LeftOut, w.Machine.Score = whole, w.Loss
	for _, f := range h.folds {
		rows := make([]int, len(f))
		for q, i := range f {
			rows[q] = h.rows[i]
		}
		w.Folds = append(w.Folds, rows)
	}
	w.Trained, w.Problem = len(h.rows), all
	if len(h.rows) < len(all.Labelled) || len(all.Labelled) < all.Rows.Len() {
		w.Machine.Outputs = nil // of other rows
	}
	return nil
}
