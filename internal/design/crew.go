package design

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// outcome is what became of a candidate that a crew has trained.
type outcome struct {
	Machine *choose.Packed // nil: it could not be trained
	Ratio   float64        // of the candidate
	Warp    float64        // ratio of its kernel
	Failed  failure
}

// failure is an error that comes from the parameters of one candidate.
type failure struct {
	Text       string
	Indefinite bool // a matrix was not positive definite
	Pivot      int
}

// errElsewhere is the failure of a candidate that a crew has tried to train.
var errElsewhere = errors.New("a candidate could not be trained")

func failureOf(err error) failure {
	f := failure{Text: err.Error()}
	var np *blas.NotPositiveDefinite
	if f.Indefinite = errors.As(err, &np); f.Indefinite {
		f.Pivot = np.Pivot
	}
	return f
}

// err is numerical, as the error was that it was made of.
func (f failure) err() error {
	if f.Indefinite {
		return &blas.NotPositiveDefinite{Pivot: f.Pivot}
	}
	return fmt.Errorf("%w: %s", errElsewhere, f.Text)
}

// shared returns what train would do, done by the crew: where pieces are done apart, candidates that have the tables in common
// are one.
func (b *Bench) shared(
	ctx context.Context, plan []*choose.Candidate, order []int,
) (func(context.Context, *choose.Candidate) (*choose.Machine, error), error) {
	if b.Landmarks != nil && b.reduced.lead != nil { // which all candidates need
		if _, err := b.landmarks(ctx); err != nil {
			return nil, err
		}
	}
	// Numbers in the plan name the pieces where each is one candidate, whatever the order is in which they are trained.
	pieces := make([][]*choose.Candidate, len(plan))
	if b.Crew.Apart() {
		pieces = pieces[:0]
		for q, i := range order {
			if q > 0 && together(plan[order[q-1]], plan[i]) {
				pieces[len(pieces)-1] = append(pieces[len(pieces)-1], plan[i])
			} else {
				pieces = append(pieces, []*choose.Candidate{plan[i]})
			}
		}
	} else {
		for i, c := range plan {
			pieces[i] = []*choose.Candidate{c}
		}
	}
	var cut *choose.Machine // of a training that the context has ended
	give, err := share.Begin(ctx, b.Crew, "candidates", len(pieces), func(ctx context.Context, piece int) ([]outcome, error) {
		var list []outcome
		for _, c := range pieces[piece] {
			m, err := b.train(ctx, c)
			if cut = nil; ctx.Err() != nil {
				cut = m
				return nil, ctx.Err()
			}
			one, err := b.outcome(c, m, err)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	})
	if err != nil {
		return nil, err
	}
	type place struct{ piece, number int }
	places := map[*choose.Candidate]place{}
	for q, list := range pieces {
		for k, c := range list {
			places[c] = place{q, k}
		}
	}
	given := map[int][]outcome{} // pieces
	return func(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
		at := places[c]
		list, ok := given[at.piece]
		if !ok {
			var err error
			if list, err = give(ctx, at.piece); err != nil {
				if ctx.Err() != nil && cut != nil {
					return cut, nil
				}
				return nil, err
			}
			if len(list) != len(pieces[at.piece]) {
				return nil, fmt.Errorf("design: %d of %d candidates have come back", len(list), len(pieces[at.piece]))
			}
			given[at.piece] = list
		}
		return b.open(ctx, c, list[at.number])
	}, nil
}

// together says whether two candidates differ in their ratio alone.
func together(a, b *choose.Candidate) bool {
	x, y := *a, *b
	for _, c := range []*choose.Candidate{&x, &y} {
		c.Name, c.Ratio, c.Prior = "", 0, 0
	}
	return a.HasGraph() && a.Trial == nil && reflect.DeepEqual(x, y)
}

// outcome is what became of a candidate: its machine, or why it has none.
func (b *Bench) outcome(c *choose.Candidate, m *choose.Machine, err error) (outcome, error) {
	switch {
	case Numerical(err):
		return outcome{Failed: failureOf(err)}, nil
	case err != nil:
		return outcome{}, err
	}
	o := outcome{Ratio: c.Ratio}
	if w, ok := manifold.Warped(m.Kernel); ok {
		o.Warp = w.Ratio
	}
	if o.Machine, err = choose.Pack(m, b.Score.Problem.Rows); err == nil && c.Maker != nil {
		o.Machine.Kernel, err = kernel.Marshal(m.Kernel) // which was found in the training
	}
	return o, err
}

// open is the machine of a candidate that was trained elsewhere.
func (b *Bench) open(ctx context.Context, c *choose.Candidate, o outcome) (*choose.Machine, error) {
	if o.Machine == nil {
		return nil, o.Failed.err()
	}
	c.Ratio = o.Ratio
	k, err := b.warped(ctx, c, o.Warp)
	if err != nil {
		return nil, err
	}
	return o.Machine.Unpack(k, b.Score.Problem.Rows)
}

// warped is the kernel of a candidate, with this ratio of the norms if it has a graph.
func (b *Bench) warped(ctx context.Context, c *choose.Candidate, ratio float64) (kernel.Kernel, error) {
	base, err := b.kernel(c)
	switch {
	case err != nil || !c.HasGraph() || c.Trial != nil:
		return base, err
	case b.Landmarks == nil:
		return manifold.Warp{Base: base, Norm: b.norm(c), Ratio: ratio}, nil
	}
	r, err := b.landmarks(ctx)
	if err != nil {
		return nil, err
	}
	r.Base, r.Norm, r.Ratio = base, b.norm(c), ratio
	return r, nil
}
