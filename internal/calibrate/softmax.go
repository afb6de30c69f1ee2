package calibrate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/vec"
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

// softmax stores the normalised exp(t f) in p and returns the largest output and the sum of
// exp(t (f - top)).
func softmax(p, f []float64, t float64) (top, z float64) {
	top = f[0]
	for _, v := range f {
		if v > top {
			top = v
		}
	}
	for j, v := range f {
		p[j] = t * (v/2 - top/2) * 2 // halves, as the difference of two outputs may overflow
	}
	vec.Exp(p, p)
	z = floats.Sum(p)
	floats.Scale(1/z, p)
	return top, z
}

// Check implements Calibration.
func (s Softmax) Check() error {
	if !(s.Temperature >= 0) || math.IsInf(s.Temperature, 1) {
		return fmt.Errorf("softmax: temperature %g; it must be finite and not negative", s.Temperature)
	}
	return nil
}

// FitSoftmax fits the temperature to held-out outputs and their classes (temperature.go), weighted if weight is not nil.
// Outputs that say nothing give t = 0. No row, or an output that is not finite, is an error.
func FitSoftmax(scores *mat.Dense, class []int, weight []float64) (Softmax, error) {
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
	p, w := make([]float64, k), relative(weight, n)
	slope := func(t float64) (d, dd float64) {
		e := Unseen(n)
		for i, y := range class {
			_, d1, d2 := Smoothed(p, scores.RawRowView(i), y, t, unit, e)
			d += w[i] * d1 / float64(n)
			dd += w[i] * d2 / float64(n)
		}
		return d, dd
	}
	s := Softmax{Temperature: Root(slope, 0) / unit}
	if s.Check() != nil { // outputs below the least number whose inverse is finite
		s.Temperature = math.MaxFloat64
	}
	return s, nil
}
