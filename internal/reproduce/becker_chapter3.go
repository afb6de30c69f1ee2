package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// beckerF31 bends the straight boundary of two labelled points along the moons
// as gamma_I grows: errors on the unlabelled points.
func beckerF31(ctx context.Context, l *lab) {
	t := newToy("moons-even", 50)
	place := around(t.problem.Rows)
	picture := t.picture("boundaries", "Boundary between two moons as gamma_I grows")
	for _, c := range []struct {
		g         float64
		laplacian graph.Laplacian
	}{{0, graph.Combinatorial}, {0.1, graph.Combinatorial}, {1, graph.Combinatorial}, {10, graph.Combinatorial}, {1, graph.Normalised}} {
		const a = 0.0625
		e, f := t.percentWrong(ctx, toyKernel(c.laplacian, c.g/a), a, place.rows)
		name := fmt.Sprintf("two moons g=%g", c.g)
		if c.laplacian == graph.Normalised {
			name += " normalised Laplacian"
		}
		l.add(name, unlabelledError, e)
		picture.Levels = append(picture.Levels, place.level(strings.TrimPrefix(name, "two moons "), f, 0))
	}
	l.draw(*picture)
}

const unlabelledError = "error % of unlabelled"

// toy is a set in the plane with one labelled point a class.
type toy struct {
	problem *learn.Problem
	class   []int
	work    *kernel.Work
}

// newToy labels point at of each of the two halves of a built-in set.
func newToy(name string, at int) *toy {
	set := must(data.Builtin(name))
	return labelToy(set, []int{at, set.Rows.Len()/2 + at})
}

// toyKernel is the point-cloud kernel of the figures of chapter 3.
func toyKernel(laplacian graph.Laplacian, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: 0.35},
		Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6, Laplacian: laplacian}}, Ratio: ratio}
}

// percentWrong trains with ridge a, counts the errors on unlabelled points and returns the outputs
// at places of the plane, of which there may be none.
func (t *toy) percentWrong(ctx context.Context, w manifold.Warp, a float64, places data.Rows) (float64, *mat.Dense) {
	s := &score.LeaveOut{Kernel: w, Problem: t.problem, Work: t.work}
	gram, path := must2(s.Bind(ctx, w.Space().Defaults()))
	f := must(path.At(a))
	lab := t.problem.Labelled
	block := mat.NewDense(gram.Len(), len(lab), nil)
	gram.Block(block, nil, lab)
	percent := t.wrong(outputs(block, f)) // labelled points are right or the fit is broken; they are not counted
	if places.Len() == 0 {
		return percent, nil
	}
	cross := mat.NewDense(places.Len(), len(lab), nil)
	check(gram.Cross(cross, places, lab))
	return percent, outputs(cross, f)
}

// beckerF32 shows how the point-cloud kernel deforms the plane: after warping, all points of the outer circle are more like
// its point 0 than any of the inner circle, although some of these lie nearer.
func beckerF32(ctx context.Context, l *lab) {
	t := newToy("circles-even", 0)
	n := t.problem.Rows.Len()
	place := around(t.problem.Rows)
	for _, ratio := range []float64{0, 10} {
		gram := must(toyKernel(graph.Combinatorial, ratio).Bind(ctx, t.problem.Rows, t.work))
		k := mat.NewDense(n, 1, nil)
		gram.Block(k, nil, []int{0})
		at := mat.NewDense(place.rows.Len(), 1, nil)
		check(gram.Cross(at, place.rows, []int{0}))
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
		l.draw(Figure{Name: fmt.Sprintf("similarity-%g", ratio), X: Axis{Name: "x1"}, Y: Axis{Name: "x2"},
			Title: "Similarity to a point of the outer circle, " + strings.TrimPrefix(name, "two circles "),
			Curves: append(dots(t.problem.Rows, t.class, "circle of class -1", "circle of class 1"),
				selectedDots("the point", t.problem.Rows, []int{0})),
			Levels: []Level{place.level("similarity", at)}})
	}
	for _, g := range []float64{0, 0.5} {
		const a = 0.02
		e, _ := t.percentWrong(ctx, toyKernel(graph.Combinatorial, g/a), a, data.Rows{})
		l.add(fmt.Sprintf("two circles Laplacian RLS g=%g", g), unlabelledError, e)
	}
}
