package smooth

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// soloRows is the number of rows up to which columns run side by side, one a core;
// above, the products and factorisations of one column keep all cores busy, and one
// factor at a time is in memory.
const soloRows = 2048 // no result depends on it

// Columns solves p once for each column of y (l x c), which replaces p.Y: the outputs of
// one-versus-rest coding. start, nil or of length c, holds a start for each column or nil.
// The columns share the Gram matrix and nothing else, so the results are those of
// separate calls whatever the number of cores. The error is that of the first column
// that has one.
func Columns(ctx context.Context, p Problem, y *mat.Dense, o Options, start []*Solution) ([]*Solution, error) {
	l, c := y.Dims()
	out := make([]*Solution, c)
	if err := checkGram(p.K, l); err != nil {
		return nil, err
	}
	workers := 0
	if l > soloRows {
		workers = 1
	}
	err := parallel.Each(workers, c, func(j int) error {
		q := p
		q.Y = mat.Col(nil, j, y)
		t, err := newTerms(q.Loss, q.Y, q.C, q.Weight, q.Offset)
		if err != nil {
			return err
		}
		var from *Solution
		if start != nil {
			from = start[j]
		}
		out[j], err = newton(ctx, q, t, o, from, &inner{}, true)
		return err
	})
	return out, err
}

// Path solves p for every C of cs, each from the solution before: go from small to
// large, where the first is easy and the next ones near. The factors of inner Hessians are not kept. On an
// error the solutions so far are returned with it.
func Path(ctx context.Context, p Problem, cs []float64, o Options) ([]*Solution, error) {
	if err := checkGram(p.K, len(p.Y)); err != nil {
		return nil, err
	}
	out := make([]*Solution, 0, len(cs))
	var last *Solution
	n := &inner{}
	for _, c := range cs {
		if !(c > 0) {
			return out, fmt.Errorf("smooth: C = %g; it must be positive and finite", c)
		}
		p.C = c
		t, err := newTerms(p.Loss, p.Y, c, p.Weight, p.Offset)
		if err != nil {
			return out, err
		}
		s, err := newton(ctx, p, t, o, last, n, false)
		if err != nil {
			return out, err
		}
		out = append(out, s)
		last = s
	}
	return out, nil
}
