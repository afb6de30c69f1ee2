package reproduce

import (
	"context"
	"fmt"
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
func beckerF31(ctx context.Context, l *lab) error {
	t, err := newToy("moons-even", 50)
	if err != nil {
		return err
	}
	place := around(t.problem.Rows)
	picture := Figure{
		Name:  "boundaries",
		Title: "Boundary between two moons as gamma_I grows",
		X:     Axis{Name: "x1"},
		Y:     Axis{Name: "x2"},
		Curves: append(dots(t.problem.Rows, t.class, "class -1", "class 1"),
			selectedDots("labelled", t.problem.Rows, t.problem.Labelled)),
	}
	for _, c := range []struct {
		g         float64
		laplacian graph.Laplacian
	}{{0, graph.Combinatorial}, {0.1, graph.Combinatorial}, {1, graph.Combinatorial}, {10, graph.Combinatorial}, {1, graph.Normalised}} {
		const a = 0.0625
		e, f, err := t.percentWrong(ctx, toyKernel(c.laplacian, c.g/a), a, place.rows)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("two moons g=%g", c.g)
		if c.laplacian == graph.Normalised {
			name += " normalised Laplacian"
		}
		l.add(name, unlabelledError, e)
		picture.Levels = append(picture.Levels, place.level(strings.TrimPrefix(name, "two moons "), f, 0))
	}
	l.draw(picture)
	return nil
}

const unlabelledError = "error % of unlabelled"

// toy is a set in the plane with one labelled point a class.
type toy struct {
	problem *learn.Problem
	class   []int
	work    *kernel.Work
}

// newToy labels point at of each of the two halves of a built-in set.
func newToy(name string, at int) (*toy, error) {
	set, err := data.Builtin(name)
	if err != nil {
		return nil, err
	}
	all, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	n := set.Rows.Len()
	visible, _ := data.Hide(set.Answers, []int{at, n/2 + at})
	labels, _, err := all.Of(visible)
	if err != nil {
		return nil, err
	}
	return &toy{learn.NewProblem(set.Rows, labels), all.Class, new(kernel.Work)}, nil
}

// toyKernel is the point-cloud kernel of the figures of chapter 3.
func toyKernel(laplacian graph.Laplacian, ratio float64) manifold.Warp {
	return manifold.Warp{Base: kernel.Gaussian{Sigma: 0.35},
		Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 6, Laplacian: laplacian}}, Ratio: ratio}
}

// percentWrong trains with ridge a, counts the errors on unlabelled points and returns the outputs
// at places of the plane, of which there may be none.
func (t *toy) percentWrong(ctx context.Context, w manifold.Warp, a float64, places data.Rows) (float64, *mat.Dense, error) {
	s := &score.LeaveOut{Kernel: w, Problem: t.problem, Work: t.work}
	gram, path, err := s.Bind(ctx, w.Space().Defaults())
	if err != nil {
		return 0, nil, err
	}
	f, err := path.At(a)
	if err != nil {
		return 0, nil, err
	}
	lab := t.problem.Labelled
	block := mat.NewDense(gram.Len(), len(lab), nil)
	gram.Block(block, nil, lab)
	wrong := 0
	class := t.problem.Coding.Decide(outputs(block, f))
	for i, c := range class { // labelled points are right or the fit is broken; they are not counted
		if c != t.class[i] && i != lab[0] && i != lab[1] {
			wrong++
		}
	}
	percent := 100 * float64(wrong) / float64(len(class)-len(lab))
	if places.Len() == 0 {
		return percent, nil, nil
	}
	cross := mat.NewDense(places.Len(), len(lab), nil)
	if err := gram.Cross(cross, places, lab); err != nil {
		return 0, nil, err
	}
	return percent, outputs(cross, f), nil
}
