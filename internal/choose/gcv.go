package choose

import "math"

// GCV is generalised cross-validation, N SSE/(N - DF)^2.
type GCV struct{ CountBias bool }

// Name is gcv.
func (GCV) Name() string { return "gcv" }

// Decide scores the front.
func (d GCV) Decide(f Front) (Decision, error) {
	n := float64(f.N)
	return each(f, "degrees of freedom = trace of the smoother, or non-zero units of a LASSO", func(k Member) float64 {
		m := k.DF
		if d.CountBias {
			m++
		}
		if n-m-1 <= 0 {
			return math.Inf(1)
		}
		return n * k.SSE / ((n - m) * (n - m))
	})
}
