package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// beckerPress chooses the hyper-parameters of Laplacian RLS by three readings
// of the source's score, at the same 243 random points:
//
//	press-label    r_i = (y_i - f_i)/(1 - (K C^-1)_ii)     exact: the label left out
//	press-system   r_i = alpha_i/(C^-1)_ii                  what its code most likely did
//	literal        r_i = (y_i - f_i)/(1 - (C^-1)_ii)        eq. 4.1 as printed
//
// The last has the training residual above and nothing that vanishes with it
// below, so it is smallest where the machine interpolates.
func beckerPress(ctx context.Context, l *lab) {
	const labelled, unlabelled = 100, 500
	g := l.load(ctx, digits)
	name := fmt.Sprintf("digits l=%d u=%d ", labelled, unlabelled)
	for run := range l.runs {
		t := g.split(l.seed, run, labelled, atMost(ctx, "unlabelled rows", 60, unlabelled), digits.test)
		m := t.machine()
		for _, scored := range []string{"press-label", "press-system", "eq. 4.1 as printed"} {
			l.say("split %d of %d: %s", run+1, l.runs, scored)
			var o param.Objective = m
			switch scored {
			case "press-system":
				o = system{m, t, systemPress}
			case "eq. 4.1 as printed":
				o = system{m, t, literal}
			}
			res := searching(ctx, o, search.Random{N: search.DefaultBudget, Seed: l.seed})
			l.add(name+scored, testError, t.errorAt(ctx, m, res.Theta))
			l.add(name+scored, "score found", res.F)
		}
	}
}

// system is a score by the n x n system over the box of the machine.
type system struct {
	machine
	trial  *trial
	scored func(ctx context.Context, s system, theta []float64) (param.Value, error)
}

func (s system) Space() param.Space { return s.machine.Space() }

func (s system) Eval(ctx context.Context, theta []float64, _ bool) (param.Value, error) {
	return s.scored(ctx, s, theta)
}

func systemPress(ctx context.Context, s system, theta []float64) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	o := score.SystemPress{Warp: w, Problem: s.trial.problem, Work: s.trial.work}
	return o.Eval(ctx, inner, false)
}

// literal is eq. 4.1 as printed: 1/2 sum of ((y_i - f_i)/(1 - (C^-1)_ii))^2.
func literal(ctx context.Context, s system, theta []float64) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	p := s.trial.problem
	d, err := score.NewDirect(ctx, w, p, s.trial.work, inner)
	var singular *blas.Singular
	if errors.As(err, &singular) {
		return param.Value{F: math.Inf(1)}, nil
	}
	if err != nil {
		return param.Value{}, err
	}
	f := d.Fitted()
	var v param.Value
	for q, i := range p.Labelled {
		r := (p.Y.At(q, 0) - f.At(i, 0)) / (1 - d.Inverse.At(i, i))
		v.F += r * r / 2
	}
	if math.IsNaN(v.F) {
		v.F = math.Inf(1)
	}
	return v, nil
}

// beckerF41 minimises PRESS of RLS by its gradient and compares with a fine
// grid: the claims of figs 4.1 and 4.2 are that it takes less than 40
// evaluations and that low PRESS and low test error lie together.
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

// mapPoints a dimension draw the level sets; a 6 x 6 grid is the source's
// comparison of cost.
const mapPoints = 15

// pressMap evaluates PRESS and test error over the box, all lambda of a sigma
// from one decomposition. It returns the smallest PRESS, the test error there,
// the smallest test error, and PRESS by lambda and sigma.
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
