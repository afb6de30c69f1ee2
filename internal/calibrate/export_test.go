package calibrate

// For tests that import packages above this one.
var (
	First   = first
	Winners = winners
)

// Least is the least probability.
const Least = least

// FitSlope returns the slope a of the least loss of p = logistic(a f) over the rows
// whose output keep accepts, with the targets of FitSigmoid.
func FitSlope(scores []float64, second []bool, keep func(f float64) bool) (float64, error) {
	p, err := newPlatt(scores, second, nil)
	if err != nil {
		return 0, err
	}
	part := &platt{}
	for i, x := range p.x {
		if keep(x) {
			part.x, part.t, part.w = append(part.x, x), append(part.t, p.t[i]), append(part.w, p.w[i])
		}
	}
	x, _ := golden(func(a float64) float64 { return part.value(a, 0) }, 0, 200)
	return x / p.unit, nil
}
