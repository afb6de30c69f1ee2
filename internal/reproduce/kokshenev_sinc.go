package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/rbf"
)

var (
	sincSizes  = [...]int{50, 100, 200}
	sincNoises = [...]float64{0.1, 0.2, 0.4}
)

// The methods of table 4.2 and, after them, ours.
var sincMethods = [...]string{
	"MOBJ-AIC",
	"MOBJ-BIC",
	"MOBJ-MVE",
	"ROFS-GCV",
	"ROFS-BIC",
	"ROFS-GCV with the cost of choosing",
	"ROFS-BIC with the cost of choosing",
	"joint-AIC",
	"joint-BIC",
	"joint-MVE",
}

// printed42 is printed: test NRMSE x 100 by noise, method and size.
var printed42 = [3][5][3]float64{
	{{2.76, 1.84, 1.29}, {2.72, 1.86, 1.32}, {2.51, 1.78, 1.2}, {8.97, 5.97, 3.87}, {9.79, 4.46, 1.41}},
	{{4.25, 2.81, 1.97}, {4.09, 2.77, 1.98}, {3.89, 2.64, 1.8}, {11.6, 9.1, 6.75}, {11.5, 6.66, 2.51}},
	{{5.49, 3.54, 2.53}, {5.4, 3.53, 2.44}, {5.11, 3.51, 2.28}, {12.3, 10.5, 8.54}, {12.2, 8.66, 3.95}},
}

// sincDraw is a noise realisation: sin(x)/x on a regular grid of (0, 4 pi] with noise of standard deviation sd. Sets of n
// rows are nested: that of 2n is that of n with its validation rows, which lie between.
type sincDraw struct {
	x data.Rows
	y []float64
}

const sincEnd = 4 * math.Pi

func sinc(x float64) float64 { return math.Sin(x) / x }

func newSincDraw(rng *rand.Rand, sd float64) *sincDraw {
	n := 2 * sincSizes[len(sincSizes)-1]
	d := &sincDraw{x: data.Rows{Dense: mat.NewDense(n, 1, nil)}}
	for i := range n {
		x := sincEnd * float64(i+1) / float64(n)
		d.x.Dense.Set(i, 0, x)
		d.y = append(d.y, sinc(x)+sd*rng.NormFloat64())
	}
	return d
}

// part returns the n training rows or, those between them, the n validation rows.
func (d *sincDraw) part(n int, validate bool) (data.Rows, []float64) {
	step := len(d.y) / n
	var idx []int
	for i := step - 1; i < len(d.y); i += step {
		if validate {
			idx = append(idx, i-step/2)
		} else {
			idx = append(idx, i)
		}
	}
	return d.x.Select(idx), indices.Of(d.y, idx)
}

// sincGrid are the widths of all methods, and of the front its complexities.
var sincGrid = rbf.MOBJ{Widths: rbf.Widths{Lo: 0.05, Hi: 6, Steps: 100}, MaxQ: 150, Steps: 1000}

// errors returns the test NRMSE x 100 of the methods for n training rows.
func (d *sincDraw) errors(ctx context.Context, n int, grid rbf.MOBJ) []float64 {
	x, y := d.part(n, false)
	vx, vy := d.part(n, true)
	tx, ty := data.Rows{Dense: mat.NewDense(1000, 1, nil)}, make([]float64, 1000)
	for i := range ty {
		v := sincEnd * float64(i+1) / float64(len(ty))
		tx.Dense.Set(i, 0, v)
		ty[i] = sinc(v)
	}
	var errs []float64
	test := func(f *rbf.Front, i int) {
		mse := meanSquare(mat.Col(nil, 0, must(f.Predict(ctx, tx, []int{i}))), ty)
		errs = append(errs, 100*math.Sqrt(mse)/(slices.Max(y)-slices.Min(y)))
	}
	front := func(f *rbf.Front) {
		v := must(f.Validate(ctx, vx, vy))
		for _, decisor := range []choose.Decisor{choose.AIC{}, choose.BIC{}, held("mve", v)} {
			i, _ := decide(members(f, nil), decisor)
			test(f, i)
		}
	}
	front(must(grid.Fit(ctx, x, target(y)))[0])
	for _, cost := range [2]float64{-1, 0} { // the criteria of the source, then with the cost of choosing a unit
		chosen := must(rbf.ROFS{Widths: grid.Widths, Criteria: []rbf.Criterion{rbf.GCV, rbf.BIC}, Cost: cost}.Fit(ctx, x, target(y)))
		for _, s := range chosen {
			test(s.Fronts[0], 0)
		}
	}
	widths := grid.Widths
	widths.Steps = 0
	front(must(rbf.Joint{Widths: widths, MaxQ: grid.MaxQ}.Fit(ctx, x, target(y)))[0])
	return errs
}

func sincCase(sd float64, n int, method string) string {
	return fmt.Sprintf("noise %g, N = %d, %s", sd, n, method)
}

const nrmse = "test NRMSE x 100"

// sincCells runs all realisations of all cells.
func (l *lab) sincCells(ctx context.Context, sizes []int, grid rbf.MOBJ) {
	for _, sd := range thin(ctx, "noises", 1, sincNoises[:]) {
		for _, n := range sizes {
			l.say("noise %g, N = %d", sd, n)
			all := make([][]float64, l.runs)
			each(l.runs, func(run int) { all[run] = newSincDraw(l.stream(run), sd).errors(ctx, n, grid) })
			for _, errs := range all {
				for k, e := range errs {
					l.add(sincCase(sd, n, sincMethods[k]), nrmse, e)
				}
			}
		}
	}
}

// kokshenevT42 compares fronts with forward selection on sinc with noise.
func kokshenevT42(ctx context.Context, l *lab) {
	l.sincCells(ctx, thin(ctx, "sizes", 1, sincSizes[:]), brief(ctx, sincGrid))
	declare(ctx, "printed", printed42)
	for s, sd := range sincNoises {
		for m := range printed42[s] {
			for k, n := range sincSizes {
				l.printed(sincCase(sd, n, sincMethods[m]), nrmse, printed42[s][m][k])
			}
		}
	}
}
