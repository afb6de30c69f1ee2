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
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search"
)

// beckerF31 bends the straight boundary of two labelled points along the moons as gamma_I grows: errors on the unlabelled points.
func beckerF31(ctx context.Context, l *lab) {
	t := newToy("moons-even", 50)
	picture := t.picture("boundaries", "Boundary between two moons as gamma_I grows")
	for _, c := range []struct {
		g         float64
		laplacian graph.Laplacian
	}{{0, graph.Combinatorial}, {0.1, graph.Combinatorial}, {1, graph.Combinatorial}, {10, graph.Combinatorial}, {1, graph.Normalised}} {
		const a = 0.0625
		g, m := t.train(ctx, toyKernel(c.laplacian, c.g/a), rls.Learner{}, a)
		name := fmt.Sprintf("two moons g=%g", c.g)
		if c.laplacian == graph.Normalised {
			name += " normalised Laplacian"
		}
		l.add(name, unlabelledError, t.wrongOf(ctx, g, m))
		picture.Levels = append(picture.Levels, t.boundary(ctx, strings.TrimPrefix(name, "two moons "), g, m))
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
		bound, m := t.train(ctx, toyKernel(graph.Combinatorial, g/a), rls.Learner{}, a)
		l.add(fmt.Sprintf("two circles Laplacian RLS g=%g", g), unlabelledError, t.wrongOf(ctx, bound, m))
	}
}

// beckerF41 minimises PRESS of RLS by its gradient and compares with a fine grid: the claims of figs 4.1 and 4.2 are that
// it takes less than 40 evaluations and that low PRESS and low test error lie together.
func beckerF41(d grouped) protocol {
	const labelled = 100
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, d)
		name := fmt.Sprintf("%s l=%d", d.name, labelled)
		for run := range l.runs {
			l.say("split %d of %d", run+1, l.runs)
			t := g.split(l.seed, run, labelled, 0, g.x.Len()-labelled)
			m := t.machine()
			res := searching(ctx, m, search.Gradient{})
			e := t.errorAt(ctx, m, res.Theta)
			press, chosen, best, level := pressMap(ctx, t, m)
			if run == 0 {
				l.draw(Figure{Name: "press", Title: "PRESS and the way of the gradient search, first split",
					X: Axis{"lambda", true}, Y: Axis{"sigma", true},
					Curves: []Curve{visited("gradient search", res.Trace, 1, 0)}, Levels: []Level{level}})
			}
			l.add(name, "evaluations of the gradient search", float64(res.Evaluations))
			l.most(name, "evaluations, most of any split", float64(res.Evaluations))
			l.add(name, "PRESS found by gradient", res.F)
			l.add(name, "PRESS, best of the grid", press)
			l.add(name, "test error % at the gradient's PRESS minimum", e)
			l.add(name, "test error % at the grid's PRESS minimum", chosen)
			l.add(name, "test error %, best of the grid in hindsight", best)
		}
	}
}

// mapPoints a dimension draw the level sets; a 6 x 6 grid is the source's comparison of cost.
const mapPoints = 15

// pressMap evaluates PRESS and test error over the box, all lambda of a sigma from one decomposition. It returns the
// smallest PRESS, the test error there, the smallest test error, and PRESS by lambda and sigma.
func pressMap(ctx context.Context, t *trial, m machine) (press, chosen, best float64, level Level) {
	s, _ := must2(m.Machine(m.Space().Defaults()))
	press, best = math.Inf(1), math.Inf(1)
	lambda := m.Space()[1]
	level.Name = "PRESS"
	for j := range mapPoints {
		level.X = append(level.X, between(lambda.Lo, lambda.Hi, j))
	}
	cross := mat.NewDense(t.test.Len(), len(t.problem.Labelled), nil)
	for i := range mapPoints {
		sigma := between(m.Space()[0].Lo, m.Space()[0].Hi, i)
		level.Y = append(level.Y, sigma)
		row := make([]float64, mapPoints)
		gram, path := must2(s.Bind(ctx, []float64{sigma}))
		check(gram.Cross(cross, t.test, t.problem.Labelled))
		for j := range mapPoints {
			f := must(path.At(level.X[j]))
			e := percentWrong(outputs(cross, f), t.class)
			best = min(best, e)
			// A leverage of one has no PRESS.
			row[j] = math.Inf(1)
			if p, err := s.Score(ctx, f); err == nil {
				row[j] = p
				if p < press {
					press, chosen = p, e
				}
			}
		}
		level.Z = append(level.Z, row)
	}
	return press, chosen, best, level
}

// between is point i of mapPoints from lo to hi, evenly in log2.
func between(lo, hi float64, i int) float64 {
	u := float64(i) / (mapPoints - 1)
	return math.Exp2((1-u)*math.Log2(lo) + u*math.Log2(hi))
}

// visited is the way of a search over two of its parameters.
func visited(name string, trace []search.Record, x, y int) Curve {
	c := Curve{Name: name}
	for _, r := range trace {
		c.X, c.Y = append(c.X, r.Theta[x]), append(c.Y, r.Theta[y])
	}
	return c
}

// beckerF43 adds unlabelled rows to few labels at fixed hyper-parameters: the test error falls as u grows.
func beckerF43(d grouped, few, many int) protocol {
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, d)
		picture := Figure{Name: "unlabelled", Title: "Test error as unlabelled rows are added, " + d.name,
			X: Axis{Name: "unlabelled rows"}, Y: Axis{Name: testError}}
		for _, labelled := range []int{few, many} {
			all := g.x.Len() - d.test - labelled
			curve := Curve{Name: fmt.Sprintf("%d labels", labelled)}
			for _, u := range []int{0, all / 2, all} {
				name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
				if u == 0 {
					name += " (RLS)"
				}
				l.say("%s", name)
				for run := range l.runs {
					t := g.split(l.seed, run, labelled, u, d.test)
					l.add(name, testError, t.errorAt(ctx, t.machine(), t.literature(d)))
				}
				curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, mean(l.cell(name, testError).values))
			}
			picture.Curves = append(picture.Curves, curve)
			l.helped(curve)
		}
		l.draw(picture)
	}
}

// helped notes whether the source's claim, that the test error falls as unlabelled rows are added,
// is borne out by the means of a curve that begins without any.
func (l *lab) helped(c Curve) {
	last := len(c.Y) - 1
	for k, e := range c.Y {
		if k > 0 && e > c.Y[k-1] {
			l.note("with %s the claim that unlabelled rows help does not hold throughout: %.2f %% at u = %g, %.2f at %g; with all of "+
				"them %.2f, without any %.2f", c.Name, c.Y[k-1], c.X[k-1], e, c.X[k], c.Y[last], c.Y[0])
			return
		}
	}
	l.note("with %s the test error falls as unlabelled rows are added, as the source claims: from %.2f to %.2f %%", c.Name, c.Y[0],
		c.Y[last])
}
