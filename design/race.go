package design

// Problem  the best machine for many labelled rows, where to judge every candidate on all of
//          them would take hours.
// Method   successive halving (Jamieson & Talwalkar 2016): heats on growing shares of the labelled
//          rows, after each of which the better part of the field goes on. A machine is judged
//          on rows left out in folds; the rows of a heat are among those of the next.
// Limits   what needs many rows to win is lost if it is beyond the first third of a heat. The
//          winner's score is the least of several, so it is flattered a little.
// Cost     sum over heats of entrants x folds x a training on the heat's rows; machines on the same
//          kernel share it, and each begins at the last.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// Entrant is a machine that takes part in a race.
type Entrant struct {
	Method  string
	Kernel  kernel.Kernel
	Learner learn.Learner // nil: regularised least squares, whose lambda the closed score finds
	Pairs   bool          // classes are told apart two by two
	Offset  bool          // of least squares
	Theta   []float64     // the learner's parameters; of least squares the ridge, which the race finds
	Most    int           // labelled rows beyond which it costs more than all others; 0: no limit

	Rows  int     // labelled rows of its last heat
	Score float64 // there: share of errors, or root of the mean square of a regression's
	Loss  float64 // there: what the learner was tuned by, log loss or PRESS, which decides ties
	Left  string  // why it left the race; "": it went on to the end
}

// Race says on how many rows entrants are compared.
type Race struct {
	Problem *learn.Problem // classes one-versus-rest
	Seed    uint64
	First   int // labelled rows of the first heat; 0: 1000
	Last    int // labelled rows of the last heat and of the machine that wins; 0: all
	// Late, if not nil, is called after the first heat with the rows of the last one that the first
	// did not have, and returns entrants that were made with them.
	Late func(ctx context.Context, rows *learn.Problem) ([]*Entrant, error)
	// Progress, if not nil, is told the number of machines judged, of those foreseen, and the
	// best score of the present heat.
	Progress func(done, total int, best float64)

	done, total int
}

const (
	firstHeat = 1000
	growth    = 3 // of the rows from heat to heat, and of the field the other way
	finalists = 3
)

// Winner is what a race ends with: the machine, the problem in the coding that it was
// trained in, and the numbers, among the labelled, of the rows on which it was judged, fold by fold.
type Winner struct {
	*Entrant
	Machine *choose.Machine
	Problem *learn.Problem
	Folds   [][]int
	Status  search.Status
	Trained int // labelled rows that the machine was trained on
	Judged  int // machines
	Field   []*Entrant
}

// errNoEntrant says that no machine could be trained.
var errNoEntrant = errors.New("no candidate of the race could be trained")

// Run races. A context that ends leaves the winner of the last heat that was complete, trained on
// the rows of that heat; if the first was not, that of what it had judged.
func (r *Race) Run(ctx context.Context, field []*Entrant) (*Winner, error) {
	order := r.order()
	sizes := Heats(len(order), r.First, r.Last)
	r.done, r.total = 0, r.foreseen(len(field), len(sizes))
	var best *Winner
	for i, n := range sizes {
		h := r.heat(order[:n])
		w, err := h.run(ctx, entering(field, n))
		if err != nil {
			return nil, err
		}
		if w != nil && (ctx.Err() == nil || best == nil) {
			best = w
		}
		if ctx.Err() != nil {
			break
		}
		if i == 0 && len(sizes) > 1 && r.Late != nil {
			late, err := r.late(ctx, order, h, &best)
			if err != nil {
				return nil, err
			}
			field = append(field, late...)
		}
		if i < len(sizes)-1 {
			field = goOn(field, n)
		}
	}
	if best == nil {
		return nil, cmp.Or(ctx.Err(), errNoEntrant)
	}
	best.Status, best.Judged, best.Field = search.Complete, r.done, field
	if ctx.Err() != nil {
		best.Status = search.Ended(ctx)
	}
	return best, nil
}

// late judges the late entrants on the rows of the first heat.
func (r *Race) late(ctx context.Context, order []int, h *heat, best **Winner) ([]*Entrant, error) {
	n := len(h.rows)
	rest := slices.Clone(order[n:min(len(order), 2*n)])
	slices.Sort(rest)
	late, err := r.Late(ctx, r.Problem.Only(rest))
	if err != nil || ctx.Err() != nil {
		return nil, cmp.Or(err, nil)
	}
	w, err := h.run(ctx, late)
	if err != nil {
		return nil, err
	}
	if w != nil && (*best == nil || w.before((*best).Entrant)) {
		*best = w
	}
	return late, nil
}

// Heats are the numbers of labelled rows of the heats of a race over l of them, see First and Last.
func Heats(l, first, last int) []int {
	if last > 0 {
		l = min(l, last)
	}
	var sizes []int
	for n := cmp.Or(first, firstHeat); 3*n < 2*l; n *= growth {
		sizes = append(sizes, n)
	}
	return append(sizes, l)
}

// Folds is into how many folds a heat of l rows is cut, and how many of them are judged: all of
// five, of three beyond 2000 rows, and beyond 10 000 one of four.
func Folds(l int) (folds, judged int) {
	switch {
	case l > 10000:
		return 4, 1
	case l > 2000:
		return 3, 3
	}
	return min(5, l), min(5, l)
}

// foreseen is the number of machines that will be judged.
func (r *Race) foreseen(field, heats int) int {
	total := 0
	for range heats {
		total += field
		field = max(min(field, finalists), field/growth)
	}
	return total
}

// order lists the labelled rows, by their numbers among the labelled, so that every beginning of the
// list has the classes in about their proportions, at random otherwise.
func (r *Race) order() []int {
	p := r.Problem
	draw := rand.New(rand.NewPCG(r.Seed, 0x7261))
	list := draw.Perm(len(p.Labelled))
	if p.Class == nil {
		return list
	}
	count, seen := make([]float64, len(p.Classes)), make([]float64, len(p.Classes))
	for _, k := range p.Class {
		count[k]++
	}
	place := make([]float64, len(list))
	for _, q := range list {
		k := p.Class[q]
		place[q] = (seen[k] + draw.Float64()) / count[k]
		seen[k]++
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return list
}

// entering are the entrants that a heat of n rows is not too long for.
func entering(field []*Entrant, n int) []*Entrant {
	var in []*Entrant
	for _, e := range field {
		switch {
		case e.Left != "":
		case e.Most > 0 && n > e.Most:
			e.Left = fmt.Sprintf("costs too much beyond %d rows", e.Most)
		default:
			in = append(in, e)
		}
	}
	return in
}

// goOn marks those that leave after a heat of n rows and returns all entrants.
func goOn(field []*Entrant, n int) []*Entrant {
	var in []*Entrant
	for _, e := range field {
		if e.Left == "" && e.Rows == n {
			in = append(in, e)
		}
	}
	slices.SortStableFunc(in, func(a, b *Entrant) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
	for _, e := range in[min(len(in), max(finalists, len(in)/growth)):] {
		e.Left = fmt.Sprintf("not among the best on %d rows", n)
	}
	return field
}

// before says whether an entrant did better than another in the same heat.
func (e *Entrant) before(o *Entrant) bool {
	if e.Score != o.Score {
		return e.Score < o.Score
	}
	return e.Loss < o.Loss
}

// heat compares entrants on some labelled rows.
type heat struct {
	race    *Race
	rows    []int // ascending, numbers among the labelled
	problem *learn.Problem
	pairs   *learn.Problem
	folds   [][]int // of the rows of the heat
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
// trained. Entrants that fail for their parameters leave.
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
	if best == nil {
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
		m, err = train(&s, e.Kernel, g, 0, ridges(p.Task, false), h.folds)
	} else {
		m, err = trainNear(&s, e.Kernel, g, []float64{e.Theta[0] * nearby, e.Theta[0], e.Theta[0] / nearby}, h.folds)
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
	return m, adopt(m, f, g, p)
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
