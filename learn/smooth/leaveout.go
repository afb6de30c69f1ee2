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
	"context"
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
func (s *solution) LeaveOneOut(ctx context.Context) ([]float64, error) {
	n, err := s.hessian(ctx)
	if err != nil {
		return nil, err
	}
	l := s.newLeaving(n)
	o := append([]float64(nil), s.F...)
	var rows []int
	for i, v := range l.g {
		if v != 0 {
			rows = append(rows, i)
		}
	}
	for lo := 0; lo < len(rows); lo += leavePanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := rows[lo:min(lo+leavePanel, len(rows))]
		norm := l.norms(part)
		for p, i := range part {
			m, slack := l.leverage(i, norm[p])
			if !(slack > minSlack) {
				return nil, fmt.Errorf("smooth: row %d alone determines its output (leverage one); lower C or drop the offset", i)
			}
			o[i] += m * l.g[i] / slack
		}
	}
	return o, nil
}

// leaving is what LeaveOneOut knows of all rows.
type leaving struct {
	*inner
	g, d         []float64 // derivatives of the losses
	at           []int     // place among the active rows, -1 without curvature
	kv, bs       []float64 // K v and B^-1 s; nil without a free offset
	extra, prior float64   // prior variance of f_i beyond K_ii: of a penalised offset, of any
}

func (s *solution) newLeaving(n *inner) *leaving {
	rows := len(s.F)
	l := &leaving{inner: n, g: s.terms.g, d: s.terms.d, at: make([]int, rows)}
	for i := range l.at {
		l.at[i] = -1
	}
	for q, i := range n.active {
		l.at[i] = q
	}
	if n.sumV > 0 {
		v := make([]float64, rows)
		l.bs = make([]float64, len(n.s))
		for q, i := range n.active {
			v[i] = n.v[q]
			l.bs[q] = n.v[q] / n.s[q]
		}
		l.kv = make([]float64, rows)
		mulRows(l.kv, n.k, nil, v, false)
	}
	switch {
	case n.augmented():
		l.extra, l.prior = 1, 1
	case n.sumV > 0:
		l.prior = 1 / n.sumV
	}
	return l
}

// strong says that row i takes the second form of m_i.
func (l *leaving) strong(i int) bool { return l.d[i]*(l.k.At(i, i)+l.prior) > 1 }

// norms are, with B = L L', the squared norms of L^-1 a_i' of the rows, and of L^-1 e_i of
// strong ones.
func (l *leaving) norms(rows []int) []float64 {
	active := len(l.active)
	w := mat.NewDense(max(active, 1), len(rows), nil)
	for q, j := range l.active {
		row, from := w.RawRowView(q), l.k.RawRowView(j)
		for p, i := range rows {
			if !l.strong(i) {
				row[p] = l.s[q] * (from[i] + l.extra)
			}
		}
	}
	for p, i := range rows {
		if l.strong(i) {
			w.Set(l.at[i], p, 1)
		}
	}
	if active > 0 {
		l.chol.SolveL(w)
	}
	norm := make([]float64, len(rows))
	for q := range active {
		for p, v := range w.RawRowView(q) {
			norm[p] += v * v
		}
	}
	return norm
}

// leverage is m_i and 1 - d_i m_i.
func (l *leaving) leverage(i int, norm float64) (m, slack float64) {
	if l.strong(i) {
		slack = norm
		if l.bs != nil {
			b := l.bs[l.at[i]]
			slack -= b * b / l.sumV
		}
		return (1 - slack) / l.d[i], slack
	}
	m = l.k.At(i, i) + l.extra - norm
	if l.kv != nil {
		m += (1 - l.kv[i]) * (1 - l.kv[i]) / l.sumV
	}
	return m, 1 - l.d[i]*m
}
