package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

// agree is the difference of outputs that the two forms of one machine should
// not exceed.
const agree = 1e-8

// beckerF45 solves Laplacian RLS by the n x n system of eq. 4.3 and as RLS with
// the point-cloud kernel on the labelled rows: the same machine, so the same
// outputs for rows never seen.
func beckerF45() experiment {
	return experiment{
		Experiment: Experiment{ID: "becker-f4.5", Title: "Laplacian RLS by its n x n system against RLS with the point-cloud kernel",
			Source: "Becker 2013, fig. 4.5, section 4.3.3", Data: coil20.file + ", " + uspst.file, Expected: "30 s"},
		runs: beckerRuns,
		run: func(ctx context.Context, l *lab) error {
			const labelled = 100
			picture := Figure{
				Name:  "difference",
				Title: "Largest difference of test outputs of the two forms",
				X:     Axis{Name: "unlabelled rows"},
				Y:     Axis{formDifference, true},
			}
			for _, d := range []dataset{coil20, uspst} {
				g, err := l.load(ctx, d)
				if err != nil {
					return err
				}
				curve := Curve{Name: d.name}
				for _, u := range thin(ctx, "unlabelled rows", 2, []int{50, 100, 200, 400, 600, 800, g.rows.Len() - d.test - labelled}) {
					name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
					l.say("%s", name)
					for run := range l.runs {
						if err := compareForms(ctx, l, name, g.split(l.seed, run, labelled, u, d.test), d); err != nil {
							return err
						}
					}
					curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, slices.Max(l.cell(name, formDifference).values))
				}
				picture.Curves = append(picture.Curves, curve)
				l.notes = append(l.notes, d.notes...)
			}
			l.draw(picture)
			above := 0
			for _, c := range l.cells {
				if c.Metric == formDifference {
					for _, v := range c.values {
						if v > agree {
							above++
						}
					}
				}
			}
			if above > 0 {
				l.note(
					"outputs of %d trials differ by more than %g; the n x n system determines its solution to about its condition number times 2^-53",
					above,
					agree,
				)
			}
			l.note(splitNote)
			l.notes = append(l.notes, restNote(coil20, uspst))
			l.note(machineNote)
			l.note(literatureNote)
			return nil
		},
	}
}

const formDifference = "largest difference of test outputs, any split"

func compareForms(ctx context.Context, l *lab, name string, t *trial, d dataset) error {
	m := t.machine()
	theta := t.literature(d)
	out, err := t.fit(ctx, m, theta)
	if err != nil {
		return err
	}
	w, inner, err := warpOf(m, theta)
	if err != nil {
		return err
	}
	direct, err := score.NewDirect(ctx, w, t.problem, t.work, inner)
	if err != nil {
		return err
	}
	cross := mat.NewDense(t.test.Len(), t.problem.Rows.Len(), nil)
	if err := direct.Gram.Cross(cross, t.test, nil); err != nil {
		return err
	}
	n, c := out.Dims()
	slow := mat.NewDense(n, c, nil)
	blas.Gemm(1, blas.N(cross), blas.N(direct.Alpha), 0, slow)
	l.add(name, testError+" n x n system", percentWrong(slow, t.class))
	l.add(name, testError+" point-cloud kernel", percentWrong(out, t.class))
	var worst float64
	for i := range n {
		worst = max(worst, math.Abs(out.At(i, 0)-slow.At(i, 0)))
	}
	l.most(name, formDifference, worst)
	l.add(name, "condition number of the n x n system (1-norm)", conditionOf(direct, w, inner, t))
	return nil
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
