package calibrate

import (
	"errors"
	"fmt"
	"math"
)

// Kinds of noise.
const (
	Laplace  = "laplace"  // density exp(-|r|/s)/(2s)
	Gaussian = "gaussian" // density exp(-r^2/(2s^2))/(s sqrt(2 pi))
)

// Noise is the distribution of the errors r = y - f(x) of a regression: centred at
// 0 and the same everywhere, so that only its scale s, in units of y, is fitted.
type Noise struct {
	Kind  string  `json:"kind"`
	Scale float64 `json:"scale"`
}

// FitNoise fits the scale to the residuals of held-out rows by maximum likelihood:
// the mean of |r| for Laplace, the root of the mean square for Gaussian. Kind ""
// takes the likelier of the two,
//
//	log-likelihood a row:  Laplace -log(2s) - 1,  Gaussian -log(s sqrt(2 pi)) - 1/2
//
// Laplace on ties. (LIBSVM's -b 1 fits Laplace to residuals of five-fold
// cross-validation and leaves those beyond five standard deviations out; here none
// is left out.) No residual, one that is not finite, or zeros only is an error.
func FitNoise(residuals []float64, kind string) (Noise, error) {
	if len(residuals) == 0 {
		return Noise{}, errors.New("calibrate: no held-out row to fit the noise on; hold some out")
	}
	var unit float64
	for i, r := range residuals {
		if r-r != 0 {
			return Noise{}, fmt.Errorf("calibrate: row %d: the residual is %g; residuals must be finite numbers", i, r)
		}
		unit = max(unit, math.Abs(r))
	}
	if unit == 0 {
		return Noise{}, errors.New("calibrate: all residuals are 0, so the noise has no scale; hold other rows out")
	}
	var mean, square float64 // in units of the largest, so that squares do not overflow
	for _, r := range residuals {
		mean += math.Abs(r/unit) / float64(len(residuals))
		square += (r / unit) * (r / unit) / float64(len(residuals))
	}
	s := math.Sqrt(square)
	switch kind {
	case Laplace:
		return Noise{Laplace, mean * unit}, nil
	case Gaussian:
		return Noise{Gaussian, s * unit}, nil
	case "":
		if -math.Log(2*mean)-1 >= -math.Log(s*math.Sqrt(2*math.Pi))-0.5 {
			return Noise{Laplace, mean * unit}, nil
		}
		return Noise{Gaussian, s * unit}, nil
	}
	return Noise{}, fmt.Errorf("calibrate: unknown noise %q; one of %s, %s", kind, Laplace, Gaussian)
}

// Check returns what makes the values no noise, or nil.
func (n Noise) Check() error {
	if n.Kind != Laplace && n.Kind != Gaussian || !(n.Scale > 0) || math.IsInf(n.Scale, 1) {
		return fmt.Errorf("noise: %q of scale %g; one of %s, %s, and the scale positive and finite", n.Kind, n.Scale, Laplace, Gaussian)
	}
	return nil
}

// HalfWidth returns h such that f(x)-h .. f(x)+h has y with probability level.
// It panics unless 0 <= level < 1.
func (n Noise) HalfWidth(level float64) float64 {
	if !(level >= 0 && level < 1) {
		panic(fmt.Sprintf("calibrate: an interval of probability %g; it must lie in [0, 1)", level))
	}
	if n.Kind == Gaussian {
		return n.Scale * math.Sqrt2 * math.Erfinv(level)
	}
	return -n.Scale * math.Log1p(-level)
}

// LogDensity returns the logarithm of the density of a residual.
func (n Noise) LogDensity(r float64) float64 {
	z := r / n.Scale
	if n.Kind == Gaussian {
		return -z*z/2 - math.Log(n.Scale*math.Sqrt(2*math.Pi))
	}
	return -math.Abs(z) - math.Log(2*n.Scale)
}
