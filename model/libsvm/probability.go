package libsvm

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// leastPair bounds the probabilities of a pair away from 0 and 1, as LIBSVM does.
const leastPair = 1e-7

// Probabilities returns the probabilities that svm-predict -b 1 prints: one column
// a class, in the order of the file. Its label is then the class of the largest,
// the first on ties, which need not be the label that Predict, the vote, returns.
// (Package calibrate makes probabilities that agree with the vote.)
//
// A one-class machine has two columns, for within and outside. Models without
// ProbA and ProbB, or DensityMarks, and regressions are an error.
func (m *Model) Probabilities(rows data.Rows) (*mat.Dense, error) {
	if err := m.probable(); err != nil {
		return nil, err
	}
	f, err := m.Decision(rows)
	if err != nil {
		return nil, err
	}
	if m.Classes == 1 {
		p := mat.NewDense(rows.Len(), 1, nil)
		for i := range rows.Len() {
			p.Set(i, 0, 1)
		}
		return p, nil
	}
	return m.Couple(f)
}

func (m *Model) probable() error {
	switch {
	case m.Type == OneClass && m.DensityMarks == nil, m.Type.Classifies() && (m.ProbA == nil || m.ProbB == nil):
		return errors.New("libsvm: the model has no probabilities; train it with svm-train -b 1")
	case m.Type == EpsilonSVR || m.Type == NuSVR:
		return errors.New("libsvm: a regression has no probabilities; ProbA is the scale of its Laplace noise")
	}
	return nil
}

// Couple turns decision values into the probabilities of Probabilities:
//
//	r_ij = 1/(1 + exp(ProbA f_ij + ProbB)), kept within 1e-7 of 0 and 1
//	minimise sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 over p >= 0, sum p = 1
//
// Wu, Lin and Weng 2004, eq. 21, by their algorithm 2, which stops as LIBSVM does,
// at residuals of 0.005/k: these probabilities are to be LIBSVM's. Cost: O(k^2) an
// iteration, at most max(100, k).
func (m *Model) Couple(f *mat.Dense) (*mat.Dense, error) {
	if err := m.probable(); err != nil {
		return nil, err
	}
	n, pairs := f.Dims()
	if pairs != m.Pairs() {
		panic(fmt.Sprintf("libsvm: %d decision values for %d pairs", pairs, m.Pairs()))
	}
	k := m.Classes
	out := mat.NewDense(n, k, nil)
	r, q := mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	qp := make([]float64, k)
	for row := range n {
		v, p := f.RawRowView(row), out.RawRowView(row)
		if m.Type == OneClass {
			p[0] = within(v[0], m.DensityMarks)
			p[1] = 1 - p[0]
			continue
		}
		c := 0
		for i := range k {
			for j := i + 1; j < k; j++ {
				s := min(max(1/(1+math.Exp(m.ProbA[c]*v[c]+m.ProbB[c])), leastPair), 1-leastPair)
				r.Set(i, j, s)
				r.Set(j, i, 1-s)
				c++
			}
		}
		if k == 2 { // the minimum in closed form, as LIBSVM 3.24 has it
			p[0], p[1] = r.At(0, 1), r.At(1, 0)
			continue
		}
		couple(p, r, q, qp)
	}
	return out, nil
}

// within is the probability of a one-class machine: in tenths, by the mark that
// the decision value stays below.
func within(f float64, marks []float64) float64 {
	last := len(marks) - 1
	switch {
	case f < marks[0]:
		return 0.001
	case f > marks[last]:
		return 0.999
	}
	for i := 1; i <= last; i++ {
		if f < marks[i] {
			return float64(i) / float64(len(marks))
		}
	}
	return 0 // f is the last mark: LIBSVM's answer
}

// couple stores in p the fixed point of p_t = -(1/Q_tt) (sum_{j != t} Q_tj p_j - p'Qp),
// p normalised after each, with Q_tt = sum_{s != t} r_st^2, Q_tj = -r_jt r_tj.
func couple(p []float64, r, q *mat.Dense, qp []float64) {
	k := len(p)
	for t := range k {
		p[t] = 1 / float64(k)
		var diagonal float64
		for j := range k {
			if j != t {
				diagonal += r.At(j, t) * r.At(j, t)
				q.Set(t, j, -r.At(j, t)*r.At(t, j))
			}
		}
		q.Set(t, t, diagonal)
	}
	tolerance := 0.005 / float64(k)
	for range max(100, k) {
		// The sums afresh, so that rounding does not accumulate.
		var pqp, worst float64
		for t := range k {
			qp[t] = 0
			for j, v := range q.RawRowView(t) {
				qp[t] += v * p[j]
			}
			pqp += p[t] * qp[t]
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-pqp))
		}
		if worst < tolerance {
			return
		}
		for t := range k {
			qt := q.RawRowView(t)
			step := (pqp - qp[t]) / qt[t]
			p[t] += step
			scale := 1 / (1 + step)
			pqp = (pqp + step*(step*qt[t]+2*qp[t])) * scale * scale
			for j := range k {
				qp[j] = (qp[j] + step*qt[j]) * scale
				p[j] *= scale
			}
		}
	}
}
