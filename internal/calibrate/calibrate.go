// Package calibrate turns the outputs of a classifier into probabilities, fitted
// on held-out outputs, that never contradict its labels: the most probable class
// is always the predicted one, whatever the outputs. Those of a regression get intervals.
//
//	Sigmoid    two classes: Platt's logistic function of the output
//	Isotonic   two classes: any increasing function
//	Softmax    one-versus-rest outputs: a temperature
//	Pairs      one-versus-one outputs: sigmoids, coupled
//	Residuals  regressions: intervals by quantiles of the errors
//
// Each is a plain struct with JSON both ways. Outputs are coded as in package
// learn: of two classes one output, positive for the second; of pairs a < b one
// output a pair in the order (0,1), (0,2), ..., (1,2), ..., positive for b.
//
// Probabilities are those of a row's class given that it was not used for the
// fit, so the outputs to fit on must be held out (cross-validated): those of
// training rows are too far from zero.
//
// A new way from outputs to probabilities is a Calibration here; what it must keep is that the
// decided class is the most probable.
package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Calibration makes probabilities of outputs.
type Calibration interface {
	// Probabilities stores in dst (rows x classes) the probabilities of the rows of
	// outputs scores, of which winner are the predicted classes: rows sum to 1,
	// every entry is positive, and dst[i, winner[i]] exceeds the others of its row by
	// Margin at least. Outputs that are not finite are an error that names the row.
	Probabilities(dst, scores *mat.Dense, winner []int) error
	// Check returns what makes the values no calibration, or nil: for values read
	// from a file.
	Check() error
}

// Margin is the least difference between the probability of the predicted class
// and any other: two units of the sixth decimal, so that numbers printed with six
// decimals still have one largest, and the log loss of a row changes by 2e-6 at
// most where classes tie.
const Margin = 2e-6

// least is the least probability. It keeps logarithms finite; what evidence there
// is for so small a probability is another question.
const least = 1e-12

// Agree replaces the probabilities p by the nearest ones that agree with the
// winner w,
//
//	minimise |q - p|^2  over  sum q = 1,  q_w >= q_j + Margin for all j != w.
//
// Solution: with c the root of c - (p_w - Margin) = sum_{j != w} max(p_j - c, 0),
//
//	q_w = c + Margin,  q_j = min(p_j, c)     if some p_j > p_w - Margin, else q = p
//
// that is, winner and those above the common level c share what they have.
// Proof. The constraints and the function are convex, so the Karush-Kuhn-Tucker
// conditions suffice. Take the multipliers m_j = p_j - q_j = max(p_j - c, 0) >= 0
// of q_w >= q_j + Margin. Stationarity holds for j != w by definition and for w
// since q_w - p_w = c + Margin - p_w = sum m_j. Each m_j > 0 has q_j = c =
// q_w - Margin. The sum is kept, as sum (p_j - q_j) = q_w - p_w. The left side of
// the equation increases in c from 0 at c = p_w - Margin, where the right side,
// which decreases, is positive, so there is one root, above p_w - Margin. All
// entries but q_w are c at most and the sum is 1, so c >= (1 - Margin)/k > 0 and
// q >= 0. As Margin tends to 0, q is also the nearest in the divergence
// sum p log(p/q), the expected loss of log likelihood: means of pooled groups solve
// both (Robertson, Wright and Dykstra 1988, theorem 1.5.1).
//
// Before that, p is divided by its sum and entries below 1e-12 are raised to that.
// The strict difference makes every rule for ties find the winner. Negative or
// non-finite entries and a zero sum are an error. Cost: O(k) for each of at most k
// steps of Newton's method, which rises to the root of that piecewise linear
// function from below; two or three are usual.
func Agree(p []float64, w int) error {
	k := len(p)
	if w < 0 || w >= k {
		panic(fmt.Sprintf("calibrate: winner %d of %d classes", w, k))
	}
	var sum float64
	for j, v := range p {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("probability of class %d is %g; it must be finite and not negative", j, v)
		}
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return fmt.Errorf("the probabilities add up to %g", sum)
	}
	var raised float64
	for j := range p {
		p[j] = max(p[j]/sum, least)
		raised += p[j]
	}
	for j := range p {
		p[j] /= raised
	}
	c := p[w] - Margin
	above := 0
	for range k + 1 {
		total, n := p[w]-Margin, 0
		for j, v := range p {
			if j != w && v > c {
				total += v
				n++
			}
		}
		if n == above {
			break // the same classes as before: c is their mean
		}
		c, above = total/float64(n+1), n
	}
	if above == 0 {
		return nil
	}
	for j := range p {
		p[j] = min(p[j], c)
	}
	p[w] = c + Margin
	return nil
}

// mustFit panics unless the shapes of Probabilities agree.
func mustFit(dst, scores *mat.Dense, winner []int, outputs, classes int) {
	n, c := scores.Dims()
	if r, k := dst.Dims(); r != n || c != outputs || k != classes || len(winner) != n {
		panic(
			fmt.Sprintf(
				"calibrate: %d x %d outputs and %d winners into %d x %d; %d outputs and %d classes are due",
				n,
				c,
				len(winner),
				r,
				k,
				outputs,
				classes,
			),
		)
	}
}

// finiteRow returns an error for the first output that is not finite.
func finiteRow(row int, scores []float64) error {
	for o, v := range scores {
		if v-v != 0 {
			return fmt.Errorf("calibrate: row %d: output %d is %g; outputs must be finite numbers", row, o, v)
		}
	}
	return nil
}

// agreeRow is Agree with the row in its error.
func agreeRow(row int, p []float64, w int) error {
	if err := Agree(p, w); err != nil {
		return fmt.Errorf("calibrate: row %d: %w", row, err)
	}
	return nil
}

// logistic is 1/(1 + e^-z), without overflow and with full relative accuracy.
func logistic(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}
