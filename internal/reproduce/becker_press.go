package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// beckerPress chooses the hyper-parameters of Laplacian RLS by three readings of the source's score, at the same 243 random points:
//
//	press-label    r_i = (y_i - f_i)/(1 - (K C^-1)_ii)     exact: the label left out
//	press-system   r_i = alpha_i/(C^-1)_ii                  what its code most likely did
//	literal        r_i = (y_i - f_i)/(1 - (C^-1)_ii)        eq. 4.1 as printed
//
// The last has the training residual above and nothing that vanishes with it below, so it is smallest where the machine interpolates.
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
	scored func(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error)
}

func (s system) Space() param.Space { return s.machine.Space() }

func (s system) Eval(ctx context.Context, theta []float64, _ param.Want) (param.Value, error) {
	w, inner, err := warpOf(s.machine, theta)
	if err != nil {
		return param.Value{}, err
	}
	return s.scored(ctx, s.trial, w, inner)
}

func systemPress(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error) {
	o := score.SystemPress{Warp: w, Problem: t.problem, Work: t.work}
	return o.Eval(ctx, inner, param.ValueOnly)
}

// literal is eq. 4.1 as printed: 1/2 sum of ((y_i - f_i)/(1 - (C^-1)_ii))^2.
func literal(ctx context.Context, t *trial, w manifold.Warp, inner []float64) (param.Value, error) {
	p := t.problem
	d, err := score.NewDirect(ctx, w, p, t.work, inner)
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

const testError = "test error %"

// agree is the difference of outputs that the two forms of one machine should not exceed.
const agree = 1e-8

// beckerF45 solves Laplacian RLS by the n x n system of eq. 4.3 and as RLS with the point-cloud kernel on the labelled
// rows: the same machine, so the same outputs for rows never seen.
func beckerF45(ctx context.Context, l *lab) {
	const labelled = 100
	above := 0 // the trials whose outputs do not agree
	picture := Figure{Name: "difference", Title: "Largest difference of test outputs of the two forms",
		X: Axis{Name: "unlabelled rows"}, Y: Axis{formDifference, true}}
	for _, d := range []grouped{coil20, uspst} {
		g := l.load(ctx, d)
		curve := Curve{Name: d.name}
		for _, u := range thin(ctx, "unlabelled rows", 2, []int{50, 100, 200, 400, 600, 800, g.x.Len() - d.test - labelled}) {
			name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
			l.say("%s", name)
			for run := range l.runs {
				if compareForms(ctx, l, name, g.split(l.seed, run, labelled, u, d.test), d) > agree {
					above++
				}
			}
			curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, slices.Max(l.cell(name, formDifference).values))
		}
		picture.Curves = append(picture.Curves, curve)
	}
	l.draw(picture)
	if above > 0 {
		l.note("outputs of %d trials differ by more than %g; the n x n system determines its solution to about its condition number "+
			"times 2^-53", above, agree)
	}
}

const formDifference = "largest difference of test outputs, any split"

// compareForms adds the numbers of a split, and returns the largest difference of outputs.
func compareForms(ctx context.Context, l *lab, name string, t *trial, d grouped) float64 {
	m := t.machine()
	theta := t.literature(d)
	out := t.fit(ctx, m, theta)
	w, inner := must2(warpOf(m, theta))
	direct := must(score.NewDirect(ctx, w, t.problem, t.work, inner))
	cross := mat.NewDense(t.test.Len(), t.problem.Rows.Len(), nil)
	check(direct.Gram.Cross(cross, t.test, nil))
	slow := blas.Product(blas.N(cross), blas.N(direct.Alpha))
	l.add(name, testError+" n x n system", percentWrong(slow, t.class))
	l.add(name, testError+" point-cloud kernel", percentWrong(out, t.class))
	worst := apart(out, slow)
	l.most(name, formDifference, worst)
	l.add(name, "condition number of the n x n system (1-norm)", conditionOf(direct, w, inner, t))
	return worst
}

// conditionOf is |C|_1 |C^-1|_1 of C = J K + a I + g R K.
func conditionOf(d *score.Direct, w manifold.Warp, inner []float64, t *trial) float64 {
	a := inner[len(inner)-1]
	n := d.Gram.Len()
	k, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	d.Gram.Block(k, nil, nil)
	d.Norm.MulTo(c, k)
	c.Scale(w.Ratio*a, c)
	for i := range n {
		c.Set(i, i, c.At(i, i)+a)
	}
	for _, i := range t.problem.Labelled {
		row := c.RawRowView(i)
		for j, v := range k.RawRowView(i) {
			row[j] += v
		}
	}
	return mat.Norm(c, 1) * mat.Norm(d.Inverse, 1)
}
