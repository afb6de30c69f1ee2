package score

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/learn"
)

// Criterion judges left-out outputs o (l x c, a row for each labelled row of the
// problem) on the given labelled rows (nil: all l). Where bar is not nil it
// receives dF/do, zero on rows not judged; a criterion that has no derivative
// (an error count) panics then, see Smooth. Where labelled rows have weights every sum and mean over rows is weighted
// by them: what errors cost in the training they cost in the score.
type Criterion interface {
	fmt.Stringer
	Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64
}

// Smooth tells whether the criterion has a derivative. One that has none, or not always, says so by a method Smooth() bool.
func Smooth(c Criterion) bool {
	s, ok := c.(interface{ Smooth() bool })
	return !ok || s.Smooth()
}

func judged(p *learn.Problem, rows []int) []int {
	if rows != nil {
		return rows
	}
	return indices.To(len(p.Labelled))
}

// weighing returns the weight of each labelled row, and the sum of those of these rows.
func weighing(p *learn.Problem, rows []int) (of func(i int) float64, total float64) {
	if p.Weight == nil {
		return func(int) float64 { return 1 }, float64(len(rows))
	}
	for _, i := range rows {
		total += p.Weight[i]
	}
	return func(i int) float64 { return p.Weight[i] }, total
}

// Press is the predicted residual sum of squares 1/2 sum_i |y_i - o_i|^2 (Becker
// 2013, eqs 2.13, 4.1). It punishes shrunken but rightly ordered outputs.
type Press struct{}

func (Press) String() string { return "press" }

// Eval returns PRESS over the rows.
func (Press) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	if bar != nil {
		bar.Zero()
	}
	var f float64
	rows = judged(p, rows)
	weight, _ := weighing(p, rows)
	for _, i := range rows {
		y, w := p.Y.RawRowView(i), weight(i)
		for j, v := range o.RawRowView(i) {
			if p.Coding.Pairs && y[j] == 0 {
				continue // a pair that the row's class has no part in
			}
			r := y[j] - v
			f += w * r * r / 2
			if bar != nil {
				bar.Set(i, j, -w*r)
			}
		}
	}
	return f
}

// Error is the share of rows whose class the outputs get wrong.
type Error struct{}

func (Error) String() string { return "error" }

// Smooth is false.
func (Error) Smooth() bool { return false }

// Eval counts the errors.
func (Error) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	if bar != nil {
		panic("score: the error count has no derivative; use SmoothError")
	}
	class := p.Coding.Decide(o)
	rows = judged(p, rows)
	weight, total := weighing(p, rows)
	var wrong float64
	for _, i := range rows {
		if class[i] != p.Class[i] {
			wrong += weight(i)
		}
	}
	return wrong / total
}

// SmoothError replaces the error count by 1 - s, s = 1/(1 + exp(-rho m)), of the
// margin m (Becker 2013, eq. 2.1): y o for two classes; for more, the output of
// the right class less the largest other, which counts the same errors. Rho 0
// means 10.
type SmoothError struct{ Rho float64 }

func (s SmoothError) String() string { return "smooth-error" }

// Eval returns the mean of 1 - s.
func (s SmoothError) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	if bar != nil {
		bar.Zero()
	}
	rho := s.Rho
	if rho == 0 {
		rho = 10
	}
	rows = judged(p, rows)
	weight, total := weighing(p, rows)
	var f float64
	for _, i := range rows {
		m, right, other := margin(p, i, o)
		sm := logistic(rho * m)
		f += weight(i) * (1 - sm) / total
		if bar == nil {
			continue
		}
		d := -rho * sm * (1 - sm) * weight(i) / total
		if other < 0 {
			bar.Set(i, 0, d*p.Y.At(i, 0))
			continue
		}
		bar.Set(i, right, d)
		bar.Set(i, other, -d)
	}
	return f
}

// margin returns the margin of row i, its class and, for more than one output,
// the strongest other class (-1 for one output).
func margin(p *learn.Problem, i int, o *mat.Dense) (m float64, right, other int) {
	row := o.RawRowView(i)
	right = p.Class[i]
	if len(row) == 1 {
		return p.Y.At(i, 0) * row[0], right, -1
	}
	other = -1
	for j, v := range row {
		if j != right && (other < 0 || v > row[other]) {
			other = j
		}
	}
	return row[right] - row[other], right, other
}

// SmoothWeighted is the smooth weighted error rate of two classes
// (sum_+ (1-s) + eta sum_- (1-s))/(n_+ + eta n_-) (Becker 2013, table 2.1, the
// denominator corrected). Eta 0 means 1, Rho 0 means 10.
type SmoothWeighted struct{ Eta, Rho float64 }

func (SmoothWeighted) String() string { return "smooth-wer" }

// Eval returns the weighted rate.
func (s SmoothWeighted) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	eta := s.Eta
	if eta == 0 {
		eta = 1
	}
	var f, den float64
	eachSmooth(p, rows, o, s.Rho, func(_ int, positive bool, w, sm, _ float64) {
		if !positive {
			w *= eta
		}
		f += w * (1 - sm)
		den += w
	})
	if bar != nil {
		bar.Zero()
		eachSmooth(p, rows, o, s.Rho, func(i int, positive bool, w, _, dsm float64) {
			if !positive {
				w *= eta
			}
			bar.Set(i, 0, -w*dsm/den)
		})
	}
	return f / den
}

// SmoothF is 1 - F of two classes with smooth counts, F = 2t/(n_+ + t + f), t =
// sum_+ s, f = sum_- (1-s) (Becker 2013, table 2.1). Rho 0 means 10.
type SmoothF struct{ Rho float64 }

func (SmoothF) String() string { return "smooth-f" }

// Eval returns 1 - F.
func (s SmoothF) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	var t, f, np float64
	eachSmooth(p, rows, o, s.Rho, func(_ int, positive bool, w, sm, _ float64) {
		if positive {
			np += w
			t += w * sm
		} else {
			f += w * (1 - sm)
		}
	})
	den := np + t + f
	if bar != nil {
		bar.Zero()
		dt, df := 2*(np+f)/(den*den), -2*t/(den*den)
		eachSmooth(p, rows, o, s.Rho, func(i int, positive bool, w, _, dsm float64) {
			if positive {
				bar.Set(i, 0, -dt*w*dsm)
			} else {
				bar.Set(i, 0, df*w*dsm)
			}
		})
	}
	return 1 - 2*t/den
}

// eachSmooth calls f with the weight, s = 1/(1 + exp(-rho y o)) and ds/do of each row.
func eachSmooth(p *learn.Problem, rows []int, o *mat.Dense, rho float64, f func(i int, positive bool, w, s, ds float64)) {
	if p.Outputs() != 1 {
		panic("score: this criterion is for two classes")
	}
	if rho == 0 {
		rho = 10
	}
	rows = judged(p, rows)
	weight, _ := weighing(p, rows)
	for _, i := range rows {
		y := p.Y.At(i, 0)
		s := logistic(rho * y * o.At(i, 0))
		f(i, y > 0, weight(i), s, rho*y*s*(1-s))
	}
}

func logistic(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}
