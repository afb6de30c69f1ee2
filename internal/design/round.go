package design

import (
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// round compares entrants on some labelled rows.
type round struct {
	race    *Race
	rows    []int // ascending, numbers among the labelled
	problem *learn.Problem
	pairs   *learn.Problem // of the same rows, once asked for
	folds   [][]int        // of the rows of the round
	most    int            // landmarks of least squares
	means   data.Rows      // of the rows, once asked for
	prior   *Winner        // of the round before, nil if there is none to fall back to
}

func (r *Race) round(of []int, prior *Winner) *round {
	rows := slices.Clone(of)
	slices.Sort(rows)
	h := &round{race: r, rows: rows, problem: r.Problem.Only(rows), most: r.Landmarks.Of(len(rows)), prior: prior}
	if r.Held != nil {
		h.folds = [][]int{h.held()}
		return h
	}
	k, judged := Folds(len(rows))
	h.folds = parts(h.problem, r.Seed, k, judged)
	return h
}

// held are the rows of the round that are held out, by their numbers in it.
func (h *round) held() []int {
	var list []int
	for q, i := range h.rows {
		if among(h.race.Held, i) {
			list = append(list, q)
		}
	}
	return list
}

// trainer trains a machine that was judged on all rows of its round.
type trainer func(ctx context.Context) (*choose.Machine, error)

// run judges the entrants and trains the best on the rows of the round; nil if none could be
// trained. Entrants that fail for their parameters leave. The winner of the round before is judged first, and then
// trained at once, so that it is there if the context ends before all are judged; without it the round then
// has no winner, but that there is no earlier round.
func (h *round) run(ctx context.Context, field []*Entrant) (*Winner, error) {
	if h.race.Crew != nil {
		return h.shared(ctx, field)
	}
	var best, ready *Winner
	var train trainer
	for _, group := range h.groups(field) {
		w, t, err := h.group(ctx, group)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if ctx.Err() != nil && (h.prior != nil || err != nil) {
			break
		}
		if w != nil && (best == nil || w.before(best.Entrant)) {
			best, train = w, t
		}
		if w != nil && h.prior != nil && ready == nil && slices.Contains(group, h.prior.Entrant) {
			if ready = w; h.complete(ctx, ready, t) != nil {
				ready = nil
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil && h.prior != nil:
		return ready, nil
	case best == nil || best == ready:
		return best, nil
	}
	return best, h.complete(context.WithoutCancel(ctx), best, train)
}

// join judges entrants on the rows of a round that has been run, and replaces the best where one of them is better.
func (h *round) join(ctx context.Context, late []*Entrant, best **Winner) error {
	if len(late) == 0 {
		return nil
	}
	h.prior = *best
	w, err := h.run(ctx, late)
	if err == nil && w != nil && (*best == nil || w.before((*best).Entrant)) {
		*best = w
	}
	return err
}

// groups are the entrants by kernel, those of the last winner's first.
func (h *round) groups(field []*Entrant) [][]*Entrant {
	var list [][]*Entrant
	for len(field) > 0 {
		k := 1
		for k < len(field) && alike(field[k], field[0]) {
			k++
		}
		if h.prior != nil && slices.Contains(field[:k], h.prior.Entrant) {
			list = slices.Insert(list, 0, field[:k])
		} else {
			list = append(list, field[:k])
		}
		field = field[k:]
	}
	return list
}

// complete trains a winner, and places its left-out outputs among those of all labelled rows.
func (h *round) complete(ctx context.Context, w *Winner, train trainer) error {
	left := w.Machine.LeftOut
	m, err := train(ctx)
	if err != nil {
		return err
	}
	w.Machine = m
	h.place(w, left)
	return nil
}

// alike says whether two entrants differ in the learner's parameters alone.
func alike(a, b *Entrant) bool {
	return a.Method == b.Method && a.Pairs == b.Pairs && a.Learner != nil && b.Learner != nil && reflect.DeepEqual(a.Kernel, b.Kernel)
}

// coded is the problem of the round in the coding of an entrant.
func (h *round) coded(e *Entrant) *learn.Problem {
	if !e.Pairs {
		return h.problem
	}
	if h.pairs == nil {
		h.pairs = h.problem.OneVersusOne()
	}
	return h.pairs
}

// group judges entrants on one kernel. It returns the best, with its left-out outputs, and what
// trains it.
func (h *round) group(ctx context.Context, field []*Entrant) (best *Winner, train trainer, err error) {
	lead := field[0]
	p := h.coded(lead)
	g, err := lead.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	if lead.Learner == nil {
		return h.square(ctx, lead, g)
	}
	bound, err := lead.Learner.Bind(ctx, g, p)
	if err != nil {
		return nil, nil, err
	}
	judge := (&Bench{Score: score.LeaveOut{Problem: p, Folds: h.folds, Criterion: criterion(p)}, Learner: lead.Learner}).judge(g, bound)
	for i, e := range field {
		v, out, limited, err := judge(ctx, e.Theta)
		switch {
		case ctx.Err() != nil:
			return best, train, nil
		case Numerical(err):
			e.Left = err.Error()
			continue
		case err != nil:
			return nil, nil, err
		}
		h.judged(e, p, v, out)
		if best == nil || e.before(best.Entrant) {
			best = &Winner{Entrant: e, Problem: p, Machine: &choose.Machine{LeftOut: out}}
			train = func(ctx context.Context) (*choose.Machine, error) { return trained(ctx, e, g, bound, p) }
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

// criterion is what finds a lambda, and decides ties.
func criterion(p *learn.Problem) score.Criterion {
	if p.Task == data.Regression {
		return score.Press{}
	}
	return score.LogLoss{}
}

// judged stores how an entrant did. Errors are counted even where the log loss would tell more from few rows,
// because outputs of pairs of classes and of classes have log losses that cannot be compared.
func (h *round) judged(e *Entrant, p *learn.Problem, loss float64, out *mat.Dense) {
	rows := score.Judged(h.folds)
	e.Rows, e.Loss = len(h.rows), loss
	if p.Task == data.Regression {
		e.Score = rootMeanSquare(p, rows, out)
	} else if Rare(h.race.Problem) {
		e.Score = plattLoss(p, rows, out)
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

// rareShare is the share of the labelled rows below which one of two classes is rare.
const rareShare = 0.1

// Rare says whether one of two classes is so rare that machines which never find it have about the least error: they are
// then compared by the log loss of their calibrated probabilities.
func Rare(p *learn.Problem) bool {
	if p.Task != data.Classification || len(p.Classes) != 2 {
		return false
	}
	weight := p.Weight
	if weight == nil {
		weight = slices.Repeat([]float64{1}, len(p.Class))
	}
	var second float64
	for i, k := range p.Class {
		second += float64(k) * weight[i]
	}
	all := floats.Sum(weight)
	return min(second, all-second) < rareShare*all
}

// plattLoss is the log loss of the outputs of two classes after Platt's sigmoid, whose offset makes machines that differ
// in where they set their threshold alike; infinite where there is none. Both are weighted as the rows are.
func plattLoss(p *learn.Problem, rows []int, out *mat.Dense) float64 {
	scores, second := make([]float64, len(rows)), make([]bool, len(rows))
	for q, i := range rows {
		scores[q], second[q] = out.At(i, 0), p.Class[i] == 1
	}
	s, err := calibrate.FitSigmoid(scores, second, p.WeightOf(rows))
	if err != nil {
		return math.Inf(1)
	}
	losses := make([]float64, len(rows))
	for q, v := range scores {
		z := s.Slope*v + s.Offset
		if second[q] {
			z = -z
		}
		losses[q] = max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
	}
	return stat.Mean(losses, p.WeightOf(rows))
}

// rootMeanSquare is that of the errors of these rows, weighted as they are.
func rootMeanSquare(p *learn.Problem, rows []int, out *mat.Dense) float64 {
	squares := make([]float64, len(rows))
	for q, i := range rows {
		d := p.Y.At(i, 0) - out.At(i, 0)
		squares[q] = d * d
	}
	return math.Sqrt(stat.Mean(squares, p.WeightOf(rows)))
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

// place turns what is of the rows of the round into what is of all labelled rows.
func (h *round) place(w *Winner, left *mat.Dense) {
	all := h.race.Problem
	if w.Pairs {
		all = all.OneVersusOne()
	}
	w.Machine.LeftOut, w.Machine.Score = left, w.Loss
	if len(h.rows) < len(all.Labelled) {
		whole := mat.NewDense(len(all.Labelled), all.Outputs(), nil)
		for q, i := range h.rows {
			whole.SetRow(i, left.RawRowView(q))
		}
		w.Machine.LeftOut = whole
	}
	w.Folds = h.whole()
	w.Trained, w.Problem = len(h.rows), all
	if len(h.rows) < len(all.Labelled) || len(all.Labelled) < all.Rows.Len() {
		w.Machine.Outputs = nil // of other rows
	}
}

// whole are the folds by the numbers of rows among all labelled.
func (h *round) whole() [][]int {
	folds := make([][]int, len(h.folds))
	for q, f := range h.folds {
		folds[q] = make([]int, len(f))
		for p, i := range f {
			folds[q][p] = h.rows[i]
		}
	}
	return folds
}
