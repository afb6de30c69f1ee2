package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/solve"
	"gonum.org/v1/gonum/mat"
)

// Softmax makes probabilities p_c proportional to exp(Temperature f_c) of
// one-versus-rest outputs, one a class. (The name is the field's; the number is an
// inverse temperature.)
type Softmax struct {
	Temperature float64 `json:"temperature"`
}

// Probabilities implements Calibration: as many outputs as classes.
func (s Softmax) Probabilities(dst, scores *mat.Dense, winner []int) error {
	_, k := scores.Dims()
	mustFit(dst, scores, winner, k, k)
	for i, w := range winner {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return err
		}
		p := dst.RawRowView(i)
		softmax(p, f, s.Temperature)
		if err := agreeRow(i, p, w); err != nil {
			return err
		}
	}
	return nil
}

// softmax stores the normalised exp(t f) in p.
func softmax(p, f []float64, t float64) {
	top := f[0]
	for _, v := range f {
		top = max(top, v)
	}
	var z float64
	for j, v := range f {
		// Halves, as the difference of two outputs may overflow.
		p[j] = math.Exp(t * (v/2 - top/2) * 2)
		z += p[j]
	}
	for j := range p {
		p[j] /= z
	}
}

// Check implements Calibration.
func (s Softmax) Check() error {
	if !(s.Temperature >= 0) || math.IsInf(s.Temperature, 1) {
		return fmt.Errorf("softmax: temperature %g; it must be finite and not negative", s.Temperature)
	}
	return nil
}

// FitSoftmax fits the temperature to held-out outputs and their classes:
//
//	minimise over t >= 0:  F(t) = -(1/n) sum_i [(1-e) log p_i(y_i) + e/(k-1) sum_{c != y_i} log p_i(c)]
//
// with p_i = softmax(t f_i) and e = 1/(n+2), Laplace's share for what n trials did
// not show, which keeps t finite when every row is right. F is convex; the root of
// F' is found to twelve digits. Outputs that say nothing give t = 0. No row, or an
// output that is not finite, is an error. Cost: a pass over the outputs a step,
// about ten steps, at most 200.
func FitSoftmax(scores *mat.Dense, class []int) (Softmax, error) {
	if len(class) == 0 {
		return Softmax{}, errors.New("calibrate: no held-out row to fit probabilities on; hold some out")
	}
	n, k := scores.Dims()
	if n != len(class) || k < 2 {
		panic(fmt.Sprintf("calibrate: %d x %d outputs for %d classes of rows; at least 2 columns", n, k, len(class)))
	}
	var unit float64
	for i, y := range class {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return Softmax{}, err
		}
		if y < 0 || y >= k {
			panic(fmt.Sprintf("calibrate: row %d has class %d of %d", i, y, k))
		}
		for _, v := range f {
			unit = max(unit, math.Abs(v))
		}
	}
	if unit == 0 {
		return Softmax{}, nil
	}
	p := make([]float64, k)
	slope := func(t float64) (d, dd float64) { return tempered(scores, class, unit, t, p) }
	if d, _ := slope(0); !(d < 0) {
		return Softmax{}, nil
	}
	hi := 1.0
	for range 100 { // smoothing makes F rise in the end
		if d, _ := slope(hi); d > 0 {
			break
		}
		hi *= 2
	}
	r, err := solve.Root(context.Background(), slope, 0, hi, solve.ScalarOptions{Tolerance: 1e-12})
	s := Softmax{Temperature: r.X / unit}
	if err != nil {
		s.Temperature = hi / unit // outputs so mixed in size that F is flat to rounding
	}
	if s.Check() != nil { // outputs below the least number whose inverse is finite
		s.Temperature = math.MaxFloat64
	}
	return s, nil
}

// tempered returns the first two derivatives of F by t, for outputs in the given
// unit. p is room for k numbers.
func tempered(scores *mat.Dense, class []int, unit, t float64, p []float64) (d, dd float64) {
	e := 1 / float64(len(class)+2)
	other := e / float64(len(p)-1)
	for i, y := range class {
		f := scores.RawRowView(i)
		softmax(p, f, t/unit)
		var mean, square, target float64
		for c, v := range f {
			v /= unit
			mean += p[c] * v
			target += other * v
		}
		target += (1 - e - other) * f[y] / unit
		for c, v := range f {
			square += p[c] * (v/unit - mean) * (v/unit - mean)
		}
		d += (mean - target) / float64(len(class))
		dd += square / float64(len(class))
	}
	return d, dd
}
