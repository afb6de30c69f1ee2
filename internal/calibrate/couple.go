package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// leastPair bounds the probabilities of a pair away from 0 and 1, as LIBSVM does.
const leastPair = 1e-7

// Coupling makes the probabilities p of k classes from those of pairs, r_ab = P(a | a or b) and
// r_ba = 1 - r_ab (Wu, Lin and Weng 2004, their second method, eq. 21):
//
//	minimise sum_a sum_{b != a} (r_ba p_a - r_ab p_b)^2   over  sum p = 1, p >= 0
//
// which is p'Qp with Q_aa = sum_{b != a} r_ba^2 and Q_ab = -r_ba r_ab. Solve is exact; Iterate is the
// iteration of the source, which LIBSVM stops early.
type Coupling struct{ r, q *mat.Dense }

// NewCoupling has room for k classes. All pairs are to be Set before a solution is asked for.
func NewCoupling(k int) *Coupling {
	return &Coupling{r: mat.NewDense(k, k, nil), q: mat.NewDense(k, k, nil)}
}

// Set makes r_ab the probability v, kept within 1e-7 of 0 and 1.
func (c *Coupling) Set(a, b int, v float64) {
	v = min(max(v, leastPair), 1-leastPair)
	c.r.Set(a, b, v)
	c.r.Set(b, a, 1-v)
}

// fill stores Q + rank ee' in q.
func (c *Coupling) fill(rank float64) {
	k, _ := c.r.Dims()
	for a := range k {
		row := c.q.RawRowView(a)
		diagonal := rank
		for b := range k {
			if b != a {
				row[b] = rank - c.r.At(b, a)*c.r.At(a, b)
				diagonal += c.r.At(b, a) * c.r.At(b, a)
			}
		}
		row[a] = diagonal
	}
}

// Solve stores the solution in p. Q + ee' is positive definite: p'Qp = 0 forces p_b/p_a =
// r_ba/r_ab for every pair, hence all p of one sign, hence e'p != 0. On sum p = 1 both have the same
// minimum, so p is in proportion to the solution of (Q + ee') z = e; it is positive (theorem 2 of
// the source). Cost: k^3/3 multiplications, by Cholesky's factor.
func (c *Coupling) Solve(p []float64) {
	k := len(p)
	c.fill(1)
	// L in the lower triangle of q, and L L' z = e.
	for a := range k {
		ra := c.q.RawRowView(a)
		p[a] = 1
		for b := range a + 1 {
			rb := c.q.RawRowView(b)
			s := ra[b]
			for j := range b {
				s -= ra[j] * rb[j]
			}
			if b < a {
				ra[b] = s / rb[b]
				p[a] -= ra[b] * p[b]
			} else {
				ra[a] = math.Sqrt(s)
			}
		}
		p[a] /= ra[a]
	}
	var sum float64
	for a := k - 1; a >= 0; a-- {
		for b := a + 1; b < k; b++ {
			p[a] -= c.q.At(b, a) * p[b]
		}
		p[a] /= c.q.At(a, a)
		sum += p[a]
	}
	for a := range p {
		p[a] = max(p[a]/sum, 0) // rounding may make the least ones negative
	}
}

// Iterate stores in p what algorithm 2 of the source has when no |(Qp)_a - p'Qp| reaches the
// tolerance, or after some steps: the fixed point of p_a = -(1/Q_aa) (sum_{b != a} Q_ab p_b - p'Qp),
// p normalised after each. work has k numbers. Cost: O(k^2) a step. LIBSVM's tolerance is 0.005/k,
// and max(100, k) its number of steps.
func (c *Coupling) Iterate(p, work []float64, tolerance float64, steps int) {
	k := len(p)
	if k == 2 { // the minimum in closed form, as LIBSVM 3.24 has it
		p[0], p[1] = c.r.At(0, 1), c.r.At(1, 0)
		return
	}
	c.fill(0)
	for a := range p {
		p[a] = 1 / float64(k)
	}
	for range steps {
		// The sums afresh, so that rounding does not accumulate.
		var pqp, worst float64
		for a := range k {
			work[a] = 0
			for b, v := range c.q.RawRowView(a) {
				work[a] += v * p[b]
			}
			pqp += p[a] * work[a]
		}
		for _, v := range work {
			worst = max(worst, math.Abs(v-pqp))
		}
		if worst < tolerance {
			return
		}
		for a := range k {
			qa := c.q.RawRowView(a)
			step := (pqp - work[a]) / qa[a]
			p[a] += step
			scale := 1 / (1 + step)
			pqp = (pqp + step*(step*qa[a]+2*work[a])) * scale * scale
			for b := range k {
				work[b] = (work[b] + step*qa[b]) * scale
				p[b] *= scale
			}
		}
	}
}
