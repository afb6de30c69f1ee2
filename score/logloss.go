package score

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/learn"
)

// LogLoss is the calibrated, smoothed log loss of left-out outputs: the least,
// over a temperature t >= 0, of
//
//	F(t) = -(1/l) sum_i [ (1-e) log p_i(y_i) + e/(C-1) sum_{k != y_i} log p_i(k) ],
//	p_i = softmax(t o_i)   (two classes: logistic(+-t o_i)),   e = 1/(l+2)
//
// It does not change when all outputs are scaled, so, unlike PRESS, it does not
// punish outputs that are shrunken but rightly ordered. The smoothing e, Laplace's
// share for what l trials did not show, keeps the best t finite when no left-out
// row is wrong, so that such candidates are told apart by their margins. F is
// convex in t, and by the envelope theorem its derivative by the outputs is that
// at the best t, held fixed. Outputs of pairs of classes (learn.Coding) are judged
// as the two-class problems they are: the mean over the C-1 of each row.
type LogLoss struct{}

func (LogLoss) String() string { return "logloss" }

// Eval returns F at the best temperature.
func (LogLoss) Eval(p *learn.Problem, rows []int, o, bar *mat.Dense) float64 {
	rows = judged(p, rows)
	return tempered(p, rows, o, Temperature(p, rows, o), bar, nil)
}

// Losses returns what each judged row adds to F at the best temperature; their
// mean is F.
func (LogLoss) Losses(p *learn.Problem, rows []int, o *mat.Dense) []float64 {
	rows = judged(p, rows)
	each := make([]float64, len(rows))
	tempered(p, rows, o, Temperature(p, rows, o), nil, each)
	return each
}

// Temperature returns the t of LogLoss, the root of F'(t) from calibrate.LeastSharp on. It is
// 0 if the outputs are all zero or not finite. Cost: at most 200 passes over the
// outputs.
func Temperature(p *learn.Problem, rows []int, o *mat.Dense) float64 {
	rows = judged(p, rows)
	var largest float64
	for _, i := range rows {
		for _, v := range o.RawRowView(i) {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 || math.IsInf(largest, 0) || math.IsNaN(largest) {
		return 0
	}
	// In units of the largest output, so that the root is of order one.
	slope := func(x float64) (value, derivative float64) {
		d, dd := sloped(p, rows, o, x/largest)
		return d, dd / largest
	}
	return calibrate.Root(slope, calibrate.LeastSharp) / largest
}

// tempered returns F(t); where bar is not nil it receives dF/do, and where each is not nil it receives the rows' losses.
func tempered(p *learn.Problem, rows []int, o *mat.Dense, t float64, bar *mat.Dense, each []float64) (f float64) {
	if bar != nil {
		bar.Zero()
	}
	c := p.Outputs()
	weight, total := weighing(p, rows)
	smooth := calibrate.Unseen(len(rows))
	prob := make([]float64, c)
	binary := c == 1 || p.Coding.Pairs
	for q, i := range rows {
		row, scale := o.RawRowView(i), weight(i)/total
		if binary {
			// (1-e) log(1+exp(-tm)) + e log(1+exp(tm)) = log(1+exp(-tm)) + e t m
			scale /= float64(max(p.Coding.Classes-1, 1))
			for j, y := range p.Y.RawRowView(i) {
				if y == 0 {
					continue // a pair that the row's class has no part in
				}
				m := y * row[j]
				loss := calibrate.Softplus(-t*m) + smooth*t*m
				f += loss * scale
				if each != nil {
					each[q] += loss * scale * float64(len(rows))
				}
				if bar != nil {
					bar.Set(i, j, t*y*(smooth-logistic(-t*m))*scale)
				}
			}
			continue
		}
		y := p.Class[i]
		loss, _, _ := calibrate.Smoothed(prob, row, y, t, 1, smooth)
		f += loss * scale
		if each != nil {
			each[q] = loss * scale * float64(len(rows))
		}
		if bar != nil {
			other := smooth / float64(c-1)
			for j, v := range prob {
				bar.Set(i, j, t*(v-other)*scale)
			}
			bar.Set(i, y, t*(prob[y]-1+smooth)*scale)
		}
	}
	return f
}

// sloped returns F'(t) and F”(t), which the search for the best t asks for many times.
func sloped(p *learn.Problem, rows []int, o *mat.Dense, t float64) (d, dd float64) {
	c := p.Outputs()
	weight, total := weighing(p, rows)
	smooth := calibrate.Unseen(len(rows))
	prob := make([]float64, c)
	binary := c == 1 || p.Coding.Pairs
	for _, i := range rows {
		row, scale := o.RawRowView(i), weight(i)/total
		if !binary {
			_, d1, d2 := calibrate.Smoothed(prob, row, p.Class[i], t, 1, smooth)
			d += d1 * scale
			dd += d2 * scale
			continue
		}
		scale /= float64(max(p.Coding.Classes-1, 1))
		for j, y := range p.Y.RawRowView(i) {
			if y == 0 {
				continue // a pair that the row's class has no part in
			}
			m := y * row[j]
			s := logistic(-t * m)
			d += m * (smooth - s) * scale
			dd += m * m * s * (1 - s) * scale
		}
	}
	return d, dd
}
