package reproduce

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/search"
)

// beckerF41 minimises PRESS of RLS by its gradient and compares with a fine
// grid: the claims of figs 4.1 and 4.2 are that it takes less than 40
// evaluations and that low PRESS and low test error lie together.
func beckerF41(d dataset) protocol {
	const labelled = 100
	return func(ctx context.Context, l *lab) error {
		g, err := l.load(ctx, d)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s l=%d", d.name, labelled)
		for run := range l.runs {
			l.say("split %d of %d", run+1, l.runs)
			t := g.split(l.seed, run, labelled, 0, g.rows.Len()-labelled)
			m := t.machine()
			res, err := searching(ctx, m, search.Gradient{})
			if err != nil {
				return err
			}
			e, err := t.errorAt(ctx, m, res.Theta)
			if err != nil {
				return err
			}
			press, chosen, best, level, err := pressMap(ctx, t, m)
			if err != nil {
				return err
			}
			if run == 0 {
				l.draw(
					Figure{
						Name:   "press",
						Title:  "PRESS and the way of the gradient search, first split",
						X:      Axis{"lambda", true},
						Y:      Axis{"sigma", true},
						Curves: []Curve{visited("gradient search", res.Trace, 1, 0)},
						Levels: []Level{level},
					},
				)
			}
			l.add(name, "evaluations of the gradient search", float64(res.Evaluations))
			l.most(name, "evaluations, most of any split", float64(res.Evaluations))
			l.add(name, "PRESS found by gradient", res.F)
			l.add(name, "PRESS, best of the grid", press)
			l.add(name, "test error % at the gradient's PRESS minimum", e)
			l.add(name, "test error % at the grid's PRESS minimum", chosen)
			l.add(name, "test error %, best of the grid in hindsight", best)
		}
		return nil
	}
}

// mapPoints a dimension draw the level sets; a 6 x 6 grid is the source's
// comparison of cost.
const mapPoints = 15

// pressMap evaluates PRESS and test error over the box, all lambda of a sigma
// from one decomposition. It returns the smallest PRESS, the test error there,
// the smallest test error, and PRESS by lambda and sigma.
func pressMap(ctx context.Context, t *trial, m machine) (press, chosen, best float64, level Level, err error) {
	s, _, err := m.Machine(m.Space().Defaults())
	if err != nil {
		return 0, 0, 0, level, err
	}
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
		gram, path, err := s.Bind(ctx, []float64{sigma})
		if err != nil {
			return 0, 0, 0, level, err
		}
		if err := gram.Cross(cross, t.test, t.problem.Labelled); err != nil {
			return 0, 0, 0, level, err
		}
		for j := range mapPoints {
			f, err := path.At(level.X[j])
			if err != nil {
				return 0, 0, 0, level, err
			}
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
	return press, chosen, best, level, nil
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
