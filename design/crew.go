package design

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/share"
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

// shared has the candidates trained by the crew, those that have the tables in common as one piece, and returns what train would.
func (b *Bench) shared(
	ctx context.Context, plan []*choose.Candidate, order []int,
) (func(context.Context, *choose.Candidate) (*choose.Machine, error), error) {
	if b.Landmarks != nil && b.reduced.lead != nil { // which all candidates need
		if _, err := b.landmarks(ctx); err != nil {
			return nil, err
		}
	}
	var pieces [][]*choose.Candidate
	for q, i := range order {
		if q > 0 && together(plan[order[q-1]], plan[i]) {
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], plan[i])
		} else {
			pieces = append(pieces, []*choose.Candidate{plan[i]})
		}
	}
	lists, err := share.Do(ctx, b.Crew, "candidates", len(pieces), func(ctx context.Context, piece int) ([]outcome, error) {
		var list []outcome
		for _, c := range pieces[piece] {
			one, err := b.outcome(ctx, c)
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
	found := map[*choose.Candidate]outcome{}
	for q, list := range lists {
		if len(list) != len(pieces[q]) {
			return nil, fmt.Errorf("design: %d of %d candidates have come back", len(list), len(pieces[q]))
		}
		for k, c := range pieces[q] {
			found[c] = list[k]
		}
	}
	return func(ctx context.Context, c *choose.Candidate) (*choose.Machine, error) {
		return b.open(ctx, c, found[c])
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

// outcome trains one candidate.
func (b *Bench) outcome(ctx context.Context, c *choose.Candidate) (outcome, error) {
	m, err := b.train(ctx, c)
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case Numerical(err):
		return outcome{Failed: failureOf(err)}, nil
	case err != nil:
		return outcome{}, err
	}
	o := outcome{Ratio: c.Ratio}
	if w, ok := manifold.Warped(m.Kernel); ok {
		o.Warp = w.Ratio
	}
	o.Machine, err = choose.Pack(m, b.Score.Problem.Rows)
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
