package reproduce

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// beckerF43 adds unlabelled rows to few labels at fixed hyper-parameters: the
// test error falls as u grows.
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
				mean, _ := meanStd(l.cell(name, testError).values)
				curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, mean)
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

const testError = "test error %"

// agree is the difference of outputs that the two forms of one machine should
// not exceed.
const agree = 1e-8

// beckerF45 solves Laplacian RLS by the n x n system of eq. 4.3 and as RLS with
// the point-cloud kernel on the labelled rows: the same machine, so the same
// outputs for rows never seen.
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
	slow := product(cross, direct.Alpha)
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

// beckerFit is the literature column of table 4.2: Laplacian RLS, or RLS without unlabelled rows, at
// published parameters.
func beckerFit(ctx context.Context, l *lab) {
	for _, r := range thin(ctx, "rows", 1, table42) {
		if !l.wants(r.data.name) {
			continue
		}
		g := l.load(ctx, r.data)
		for run := range l.runs {
			l.say("%s, split %d of %d", r.name(), run+1, l.runs)
			l.literatureTwice(ctx, r.name(), g.split(l.seed, run, 100, r.unlabelled, r.data.test), r.data)
		}
		l.printedBoth(r.name(), testError, r.printed[4])
	}
}

// literatureTwice trains a split at the literature's parameters both ways.
func (l *lab) literatureTwice(ctx context.Context, name string, t *trial, d grouped) {
	theta := t.literature(d)
	out := t.fit(ctx, t.machine(), theta)
	r := mercer.Recipe{Method: "rls", Kernel: "gaussian", Offset: "no", Set: map[string]string{"sigma": text(theta[0])}}
	labelled := float64(len(t.problem.Labelled))
	if len(theta) == 2 {
		r.Set["lambda"] = text(theta[1] / labelled) // of the averaged loss
	} else {
		r.Method = "lap-rls"
		for k, v := range map[string]string{
			"neighbours": text(theta[1]), "degree": text(theta[2]), "gamma_i": text(theta[3]), "gamma_a": text(theta[4]),
			"weights": "binary", "laplacian": "normalised", "symmetry": "union",
		} {
			r.Set[k] = v
		}
	}
	m, res := fixedFit(ctx, inputOf(t.problem, t.test, t.class), r)
	front := must(m.Predict(ctx, t.test))
	if res.Rows.Test != t.test.Len() {
		fail("mercer.Fit judged %d of %d test rows", res.Rows.Test, t.test.Len())
	}
	l.both(name, testError, percentWrong(out, t.class), 100*res.Metrics["test"]["error"])
	l.most(name, fitDifference, apart(out, front))
}
