package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// beckerF32 shows how the point-cloud kernel deforms the plane: after warping,
// all points of the outer circle are more like its point 0 than any of the
// inner circle, although some of these lie nearer.
func beckerF32(ctx context.Context, l *lab) error {
	t, err := newToy("circles-even", 0)
	if err != nil {
		return err
	}
	n := t.problem.Rows.Len()
	place := around(t.problem.Rows)
	for _, ratio := range []float64{0, 10} {
		gram, err := toyKernel(graph.Combinatorial, ratio).Bind(ctx, t.problem.Rows, t.work)
		if err != nil {
			return err
		}
		k := mat.NewDense(n, 1, nil)
		gram.Block(k, nil, []int{0})
		at := mat.NewDense(place.rows.Len(), 1, nil)
		if err := gram.Cross(at, place.rows, []int{0}); err != nil {
			return err
		}
		inner, outer := math.Inf(-1), math.Inf(1)
		for i := range n {
			if i < n/2 {
				outer = min(outer, k.At(i, 0))
			} else {
				inner = max(inner, k.At(i, 0))
			}
		}
		name := fmt.Sprintf("two circles M=%g L", ratio)
		l.add(name, "largest similarity of an inner point", inner)
		l.add(name, "smallest similarity of an outer point", outer)
		l.draw(
			Figure{
				Name:  fmt.Sprintf("similarity-%g", ratio),
				Title: "Similarity to a point of the outer circle, " + strings.TrimPrefix(name, "two circles "),
				X:     Axis{Name: "x1"},
				Y:     Axis{Name: "x2"},
				Curves: append(dots(t.problem.Rows, t.class, "circle of class -1", "circle of class 1"),
					selectedDots("the point", t.problem.Rows, []int{0})),
				Levels: []Level{place.level("similarity", at)},
			},
		)
	}
	for _, g := range []float64{0, 0.5} {
		const a = 0.02
		e, _, err := t.percentWrong(ctx, toyKernel(graph.Combinatorial, g/a), a, data.Rows{})
		if err != nil {
			return err
		}
		l.add(fmt.Sprintf("two circles Laplacian RLS g=%g", g), unlabelledError, e)
	}
	return nil
}
