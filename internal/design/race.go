package design

// Problem  the best machine for many labelled rows, where to judge every candidate on all of
//          them would take hours.
// Method   successive halving (Jamieson & Talwalkar 2016): rounds on growing shares of the labelled
//          rows, after each of which the better part of the field goes on. A machine is judged
//          on rows left out in folds; the rows of a round are among those of the next.
// Limits   what needs many rows to win is lost if it is beyond the first third of a round. The
//          winner's score is the least of several, so it is flattered a little.
// Cost     sum over rounds of entrants x folds x a training on the round's rows; machines on the same
//          kernel share it, and each begins at the last.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

// Entrant is a machine that takes part in a race.
type Entrant struct {
	Name    string // in its field; "": it was found during the race
	Method  string
	Kernel  kernel.Kernel
	Learner learn.Learner // nil: regularised least squares, whose lambda the closed score finds
	Pairs   bool          // classes are told apart two by two
	Offset  bool          // of least squares
	Theta   []float64     // the learner's parameters; of least squares the ridge, which the race finds

	Rows  int     // labelled rows of its last round
	Score float64 // there: share of errors, log loss where a class is Rare, root of the mean square of a regression's
	Loss  float64 // there: what the learner was tuned by, log loss or PRESS, which decides ties
	Left  string  // why it left the race; "": it went on to the end

	ridge float64 // of least squares: the one that is tried; 0: it is to be found
}

// Race says on how many rows entrants are compared.
type Race struct {
	Problem *learn.Problem // classes one-versus-rest
	Seed    uint64
	First   int // labelled rows of the first round; 0: 1000
	Last    int // labelled rows of the last round; 0: all. See beyond.go for what uses all of more rows
	// Exact is the number of labelled rows up to which least squares have all rows as centres; beyond, their
	// centres are Landmarks. 0: ExactSquare.
	Exact     int
	Landmarks Landmarks
	Widths    []float64 // factors of the winner's widths that are judged after it in its round, see refine.go
	// Held, if not nil, are the rows that judge, by their numbers among the labelled, ascending: the last of rows in order. Nothing that
	// judges them learns from them.
	Held []int
	// Late, if not nil, is called after the first round with the rows of the last one that the first
	// did not have, and returns entrants that were made with them.
	Late func(ctx context.Context, rows *learn.Problem) ([]*Entrant, error)
	// Crew, if not nil, judges the entrants of a round, those on one kernel as one piece.
	Crew result.Crew
	// Progress, if not nil, is told the number of machines judged, of those foreseen, and the
	// best score of the present round.
	Progress func(done, total int, best float64)

	done, total int
}

const (
	firstRound = 1000
	growth     = 3 // of the rows from round to round, and of the field the other way
	finalists  = 3
	manyRows   = 2000
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

	finish func(ctx context.Context) error // trains it, where that was put off; nil: it is trained
}

// errNoEntrant says that no machine could be trained.
var errNoEntrant = errors.New("no candidate of the race could be trained")

// Run races. A context that ends leaves the best winner so far: of a round that was complete, or of one that was not the
// winner before it, if it has been trained on the rows of this one; of the first round, that of what it had judged.
func (r *Race) Run(ctx context.Context, field []*Entrant) (*Winner, error) {
	order := r.order()
	sizes := Rounds(len(order), r.First, r.Last)
	r.done, r.total = 0, r.foreseen(len(field), sizes)
	var best *Winner
	for i, n := range sizes {
		h := r.round(order[:n], best)
		if len(h.folds) == 0 {
			return nil, fmt.Errorf("the %d labelled rows that are compared first are of one group, so that none of them can be left out; "+
				"choose one method, as --method rls, or label more rows of other groups", n)
		}
		w, err := h.run(ctx, entering(field))
		if err != nil {
			return nil, err
		}
		if w != nil {
			best = w
		}
		last := i == len(sizes)-1
		if i == 0 && !last && r.Late != nil && ctx.Err() == nil {
			late, err := r.late(ctx, order, h)
			if err == nil {
				err = h.join(ctx, late, &best)
			}
			if err != nil {
				return nil, err
			}
			field = append(field, late...)
		}
		if !last && best != nil && ctx.Err() == nil {
			near := refined(best.Entrant, field, r.Widths)
			if err := h.join(ctx, near, &best); err != nil {
				return nil, err
			}
			field = append(field, near...)
		}
		if last && n < len(order) && best != nil && ctx.Err() == nil {
			if err := r.beyond(ctx, order, h, field, &best); err != nil {
				return nil, err
			}
		}
		if last || ctx.Err() != nil {
			break
		}
		r.goOn(field, n)
	}
	if best == nil {
		return nil, cmp.Or(ctx.Err(), errNoEntrant)
	}
	if best.finish != nil {
		if err := best.finish(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	}
	best.Status, best.Judged, best.Field = search.Complete, r.done, field
	if ctx.Err() != nil {
		best.Status = search.Ended(ctx)
	}
	return best, nil
}

// late makes the late entrants with rows that the first round did not have.
func (r *Race) late(ctx context.Context, order []int, h *round) ([]*Entrant, error) {
	n := len(h.rows)
	rest := slices.DeleteFunc(slices.Clone(order[n:min(len(order), 2*n)]), func(i int) bool { return among(r.Held, i) })
	slices.Sort(rest)
	late, err := r.Late(ctx, r.Problem.Only(rest))
	if ctx.Err() != nil {
		return nil, nil
	}
	return late, err
}

// Rounds are the numbers of labelled rows of the rounds of a race over l of them, see First and Last.
func Rounds(l, first, last int) []int {
	if last > 0 {
		l = min(l, last)
	}
	var sizes []int
	for n := cmp.Or(first, firstRound); 3*n < 2*l; n *= growth {
		sizes = append(sizes, n)
	}
	return append(sizes, l)
}

// Folds is into how many folds a round of l rows is cut, and how many of them are judged: all of
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
func (r *Race) foreseen(field int, rounds []int) int {
	total := 0
	for range rounds {
		total += field
		field = max(min(field, finalists), field/growth)
	}
	if rounds[len(rounds)-1] < len(r.Problem.Labelled) {
		total += finalists + 1
	}
	return total
}

// order lists the labelled rows, by their numbers among the labelled, so that every beginning of the
// list has the classes in about their proportions, at random otherwise, and rows that are held out in theirs, the first at the beginning.
func (r *Race) order() []int {
	p := r.Problem
	draw := rand.New(rand.NewPCG(r.Seed, 0x7261))
	list := draw.Perm(len(p.Labelled))
	if p.Class == nil && r.Held == nil {
		return list
	}
	classes := max(len(p.Classes), 1)
	part, count, seen := make([]int, len(list)), make([]float64, 2*classes), make([]float64, 2*classes)
	for q := range part {
		if p.Class != nil {
			part[q] = p.Class[q]
		}
		if among(r.Held, q) {
			part[q] += classes
		}
		count[part[q]]++
	}
	place := make([]float64, len(list))
	for _, q := range list {
		k, within := part[q], draw.Float64()
		if k >= classes {
			within = 0
		}
		place[q] = (seen[k] + within) / count[k]
		seen[k]++
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return list
}

// entering are the entrants that have not left.
func entering(field []*Entrant) []*Entrant {
	return slices.DeleteFunc(slices.Clone(field), func(e *Entrant) bool { return e.Left != "" })
}

// goOn marks those that leave after a round of n rows. Least squares, each of which costs what many machines in the
// dual on one kernel do together, and which more rows may put on landmarks, take no place from the others; no more than
// finalists of them go on, and beyond manyRows one.
func (r *Race) goOn(field []*Entrant, n int) {
	in := slices.DeleteFunc(entering(field), func(e *Entrant) bool { return e.Rows != n })
	if len(in) == 0 {
		return
	}
	slices.SortStableFunc(in, byResult)
	places, squares := max(finalists, len(in)/growth), finalists
	if Rare(r.Problem) {
		places = finalists // log losses tell machines apart that errors do not, and none leaves for being far
	}
	if n > manyRows && slices.ContainsFunc(in, func(e *Entrant) bool { return e.Learner != nil }) {
		squares = 1
	}
	var first *Entrant // of the others
	for _, e := range in {
		left, lead := &places, &first
		if e.Learner == nil {
			left, lead = &squares, &in[0]
		}
		if *lead == nil {
			*lead = e
		}
		if *left == 0 || r.far(e, *lead) {
			e.Left = fmt.Sprintf("not among the best on %d rows", n)
			continue
		}
		*left--
	}
}

// far says whether a classifier's error is above that of the best by more than three standard errors of it.
func (r *Race) far(e, best *Entrant) bool {
	p, n := best.Score, float64(e.Rows)
	if r.Held != nil {
		n *= float64(len(r.Held)) / float64(len(r.Problem.Labelled))
	}
	return r.Problem.Task == data.Classification && !Rare(r.Problem) && e.Score > p+3*math.Sqrt(max(p*(1-p), 1/n)/n)
}

// byResult orders entrants by how they did in a round, the best first.
func byResult(a, b *Entrant) int {
	return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Loss, b.Loss))
}

// before says whether an entrant did better than another in the same round.
func (e *Entrant) before(o *Entrant) bool { return byResult(e, o) < 0 }
