package calibrate

// Problem  probabilities of outputs f that estimate codes of -1 and 1, as those of least squares do: q_c = (1 + f_c)/2 estimates the
//          probability of class c, but may be below zero or above one, and shrinks towards the mean.
// Model    p = softmax(z),  z_c = Linear q_c + Log ln(max(q_c, 0.02)) + Offset_c: of shares near 0 the logarithm tells more than the
//          share itself. Of two classes q = ((1-f)/2, (1+f)/2).
// Method   maximum likelihood on held-out outputs, smoothed, with a ridge on the offsets; weights of several machines, whose mean f is,
//          by the same likelihood. L-BFGS-B.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/internal/vec"
)

// Shares makes probabilities of outputs that estimate codes of -1 and 1 of the classes. It decides too: the most probable class.
type Shares struct {
	Linear float64   `json:"linear"`
	Log    float64   `json:"log"`
	Offset []float64 `json:"offset"` // one a class
}

const (
	// ShareFloor is the share below which the logarithm stays: left-out shares below zero are as many as those just above.
	ShareFloor = 0.02
	// ShareSmooth is what is mixed into the probabilities of the likelihood, so that no row is worth more than its logarithm.
	ShareSmooth = 1e-3
	// shareRidge is the price of the squared offsets, and of the squared weights of regressions.
	shareRidge = 1e-3
)

// share is that of class c of a row of outputs.
func share(f []float64, c int) float64 {
	if len(f) > 1 {
		return (1 + f[c]) / 2
	}
	if c == 0 {
		return (1 - f[0]) / 2
	}
	return (1 + f[0]) / 2
}

// Probabilities implements Calibration, for winners as Decide finds them.
func (s Shares) Probabilities(dst, scores *mat.Dense, winner []int) error {
	_, outputs := scores.Dims()
	mustFit(dst, scores, winner, outputs, len(s.Offset))
	z := make([]float64, len(s.Offset))
	for i, w := range winner {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return err
		}
		p := dst.RawRowView(i)
		s.logOdds(z, f)
		softmax(p, z, 1)
		for c := range p { // as in the likelihood
			p[c] = (1-ShareSmooth)*p[c] + ShareSmooth/float64(len(p))
		}
		if err := agreeRow(i, p, w); err != nil {
			return err
		}
	}
	return nil
}

// Decide returns the most probable class of each row, the first on ties.
func (s Shares) Decide(scores *mat.Dense) []int {
	n, _ := scores.Dims()
	class := make([]int, n)
	z := make([]float64, len(s.Offset))
	for i := range class {
		s.logOdds(z, scores.RawRowView(i))
		for c, v := range z {
			if v > z[class[i]] {
				class[i] = c
			}
		}
	}
	return class
}

// logOdds stores z.
func (s Shares) logOdds(z, f []float64) {
	for c := range z {
		q := share(f, c)
		z[c] = s.Linear*q + s.Log*math.Log(max(q, ShareFloor)) + s.Offset[c]
	}
}

// Check implements Calibration.
func (s Shares) Check() error {
	if !(s.Linear >= 0) || !(s.Log >= 0) || math.IsInf(s.Linear+s.Log, 1) || len(s.Offset) < 2 {
		return fmt.Errorf("shares: slopes %g and %g with %d offsets", s.Linear, s.Log, len(s.Offset))
	}
	for _, b := range s.Offset {
		if b-b != 0 {
			return fmt.Errorf("shares: offset %g", b)
		}
	}
	return nil
}

// FitShares finds the weights of machines, not negative and of sum one, and the calibration of the mean of their outputs, each
// rows x outputs and of rows that were held out, with the classes of the rows and, if not nil, their weights. Cost: rows x classes x
// machines times some tens of steps.
func FitShares(ctx context.Context, outputs []*mat.Dense, class []int, classes int, weight []float64) ([]float64, Shares, error) {
	if len(class) == 0 {
		return nil, Shares{}, errors.New("calibrate: no held-out row to fit probabilities on; hold some out")
	}
	f := newShared(outputs, class, classes, weight)
	m := len(outputs)
	x, lo, hi := make([]float64, m+2+classes), make([]float64, m+2+classes), make([]float64, m+2+classes)
	for i := range x {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
		switch {
		case i < m:
			x[i], lo[i], hi[i] = 1/float64(m), 0, 1.5 // of all; their sum is divided out
		case i < m+2:
			x[i], lo[i] = 1, 0
		}
	}
	r, err := solve.LBFGSB(ctx, f.eval, x, lo, hi, solve.LBFGSBOptions{MaxEvaluations: ShareEvaluations(len(class) * classes)})
	if err == nil && r.Status == solve.Infeasible {
		err = errors.New("calibrate: the held-out outputs are not finite, or no row has a weight")
	}
	if err != nil {
		return nil, Shares{}, err
	}
	v, _ := f.weights(r.X)
	s := Shares{Linear: r.X[m], Log: r.X[m+1], Offset: append([]float64(nil), r.X[m+2:]...)}
	return v, s, s.Check()
}

// ShareEvaluations is how many FitShares has at most, for so many shares (rows times classes): 300, of many classes as many as a second
// has room for, at least 40.
func ShareEvaluations(shares int) int {
	const second = 3e7 // logarithms and exponentials
	return int(min(300, max(40, second/float64(shares))))
}

// shared is the likelihood of weights, slopes and offsets.
type shared struct {
	q       [][]float64 // of each machine, rows x classes
	class   []int
	classes int
	weight  []float64
	total   float64
}

func newShared(outputs []*mat.Dense, class []int, classes int, weight []float64) *shared {
	f := &shared{class: class, classes: classes, weight: weight, total: float64(len(class))}
	if weight != nil {
		f.total = 0
		for _, w := range weight {
			f.total += w
		}
	}
	for _, o := range outputs {
		q := make([]float64, len(class)*classes)
		for i := range class {
			for c := range classes {
				q[i*classes+c] = share(o.RawRowView(i), c)
			}
		}
		f.q = append(f.q, q)
	}
	return f
}

// weights are those of the machines, of sum one, and the sum that was divided out.
func (f *shared) weights(x []float64) (v []float64, sum float64) {
	v = make([]float64, len(f.q))
	for k := range v {
		v[k] = max(x[k], 1e-9)
		sum += v[k]
	}
	for k := range v {
		v[k] /= sum
	}
	return v, sum
}

// eval is the mean of -log of the smoothed probability of the row's class.
func (f *shared) eval(_ context.Context, x, grad []float64) (float64, error) {
	m, classes := len(f.q), f.classes
	v, sum := f.weights(x)
	linear, log, offset := x[m], x[m+1], x[m+2:]
	q, p, l, byShare := make([]float64, classes), make([]float64, classes), make([]float64, classes), make([]float64, classes)
	byWeight, floor := make([]float64, m), math.Log(ShareFloor)
	clear(grad)
	var loss float64
	for i, y := range f.class {
		clear(q)
		for k, own := range f.q {
			floats.AddScaled(q, v[k], own[i*classes:(i+1)*classes])
		}
		for c, s := range q { // log max(q, floor) = log floor + log(1 + max(q - floor, 0)/floor)
			l[c] = max(s-ShareFloor, 0)
		}
		vec.Log1pScaled(l, 1/ShareFloor, l)
		for c := range p {
			l[c] += floor
			p[c] = linear*q[c] + log*l[c] + offset[c]
		}
		floats.AddConst(-floats.Max(p), p)
		vec.Exp(p, p)
		z := floats.Sum(p)
		w := 1 / f.total
		if f.weight != nil {
			w = f.weight[i] / f.total
		}
		right := (1 - ShareSmooth) * p[y] / z
		smooth := right + ShareSmooth/float64(classes)
		loss -= w * math.Log(smooth)
		if grad == nil {
			continue
		}
		w *= right / smooth
		for c := range p {
			d := w * p[c] / z // by z_c
			if c == y {
				d -= w
			}
			grad[m] += d * q[c]
			grad[m+1] += d * l[c]
			grad[m+2+c] += d
			byShare[c] = d * linear
			if q[c] > ShareFloor {
				byShare[c] += d * log / q[c]
			}
		}
		for k, own := range f.q {
			byWeight[k] += floats.Dot(byShare, own[i*classes:(i+1)*classes])
		}
	}
	for c, b := range offset {
		loss += shareRidge * b * b
		if grad != nil {
			grad[m+2+c] += 2 * shareRidge * b
		}
	}
	if grad != nil { // through the division by the sum
		var mean float64
		for k, g := range byWeight {
			mean += g * v[k]
		}
		for k, g := range byWeight {
			grad[k] = (g - mean) / sum
		}
	}
	return loss, nil
}
