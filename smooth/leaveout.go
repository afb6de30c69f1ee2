package smooth

// Leave-one-out outputs from one Hessian. Without row i the objective loses
// c_i V(y_i, f_i); one Newton step from the solution gives
//
//	o_i = f_i + m_i c_i V'_i / (1 - d_i m_i),    m_i = -df_i/drho_i  (response.go)
//
// Exact for the square loss (where it is rls.LeaveOut) and for rows with V'_i = 0, whose
// absence changes nothing; an approximation otherwise, good to second order in the row's
// influence (Rad and Maleki, JRSS B 82, 2020, eq. 7; for the squared hinge it supposes
// that the other rows stay on their side of the kink). With a_i = k_i,A S,
//
//	m_i = K_ii - a_i B^-1 a_i' + (1 - (K v)_i)^2 / sum v     (last term: free offset)
//	1 - d_i m_i = (B^-1)_ii - (B^-1 s)_i^2 / (s'B^-1 s)      for active rows
//
// The first form loses all digits where d_i m_i is near 1, the second divides by d_i;
// rows with d_i K_ii <= 1 take the first (there 1 - d_i m_i >= 1/2 but for the offset's part).
//
// Cost: 2 |A|^2 flops a row with V'_i != 0, in panels.

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

const (
	leavePanel = 256 // rows solved together
	// minSlack bounds 1 - d_i m_i: under it the quotient has lost every digit.
	minSlack = 1e-12
)

// LeaveOneOut returns for every row the output of the machine trained without it, to
// the approximation above. A row that alone determines its output (1 - d_i m_i = 0) is an
// error.
func (s *Solution) LeaveOneOut() ([]float64, error) {
	n, err := s.hessian()
	if err != nil {
		return nil, err
	}
	o := append([]float64(nil), s.F...)
	at := make([]int, len(o)) // place among the active rows, -1 without curvature
	for i := range at {
		at[i] = -1
	}
	for q, i := range n.active {
		at[i] = q
	}
	var kv, bs []float64 // K v and B^-1 s
	if n.sumV > 0 {
		v := make([]float64, len(o))
		bs = make([]float64, len(n.s))
		for q, i := range n.active {
			v[i] = n.v[q]
			bs[q] = n.v[q] / n.s[q]
		}
		kv = make([]float64, len(o))
		mulRows(kv, n.k, nil, v, false)
	}
	extra, prior := 0.0, 0.0 // the prior variance of f_i beyond K_ii
	switch {
	case n.augmented():
		extra, prior = 1, 1
	case n.sumV > 0:
		prior = 1 / n.sumV
	}
	g, d := s.terms.g, s.terms.d
	var rows []int
	for i, v := range g {
		if v != 0 {
			rows = append(rows, i)
		}
	}
	a := len(n.active)
	for lo := 0; lo < len(rows); lo += leavePanel {
		part := rows[lo:min(lo+leavePanel, len(rows))]
		strong := func(i int) bool { return d[i]*(n.k.At(i, i)+prior) > 1 }
		w := mat.NewDense(max(a, 1), len(part), nil)
		for q, j := range n.active {
			row, from := w.RawRowView(q), n.k.RawRowView(j)
			for p, i := range part {
				if !strong(i) {
					row[p] = n.s[q] * (from[i] + extra)
				}
			}
		}
		for p, i := range part {
			if strong(i) {
				w.Set(at[i], p, 1)
			}
		}
		if a > 0 {
			n.chol.SolveL(false, w)
		}
		norm := make([]float64, len(part))
		for q := range a {
			for p, v := range w.RawRowView(q) {
				norm[p] += v * v
			}
		}
		for p, i := range part {
			var m, slack float64
			if strong(i) {
				slack = norm[p]
				if bs != nil {
					slack -= bs[at[i]] * bs[at[i]] / n.sumV
				}
				m = (1 - slack) / d[i]
			} else {
				m = n.k.At(i, i) + extra - norm[p]
				if kv != nil {
					m += (1 - kv[i]) * (1 - kv[i]) / n.sumV
				}
				slack = 1 - d[i]*m
			}
			if !(slack > minSlack) {
				return nil, fmt.Errorf("smooth: row %d alone determines its output (leverage one); lower C or drop the offset", i)
			}
			o[i] += m * g[i] / slack
		}
	}
	return o, nil
}
