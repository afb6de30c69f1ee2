package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// manhattan is rows prepared for sums of absolute differences, s_ab = sum_k factor_k |x_ak - z_bk|.
type manhattan struct {
	*additive
	factor []float64 // of the columns; nil: 1
}

// absoluteTerms are the terms of sums of absolute differences.
func absoluteTerms() terms {
	return terms{
		distance: vec.AbsDistance,
		common: func(v, w float64) float64 {
			switch {
			case v > 0 && w > 0:
				return min(v, w)
			case v < 0 && w < 0:
				return -max(v, w)
			}
			return 0
		},
		apart: func(v, w float64) float64 { return math.Abs(v - w) },
	}
}

// newManhattan prepares rows, their columns multiplied by the factors, nil for 1.
func newManhattan(rows data.Rows, factor []float64) *manhattan {
	return &manhattan{newAdditive(absoluteTerms(), multiplied(rows, factor), timesOf(factor)), factor}
}

// timesOf is the factor of a column.
func timesOf(factor []float64) func(column int) float64 {
	return func(column int) float64 {
		if factor == nil {
			return 1
		}
		return factor[column]
	}
}

// multiplied are sparse rows with their columns multiplied by the factors; dense rows are multiplied when they are packed.
func multiplied(rows data.Rows, factor []float64) data.Rows {
	if rows.Sparse == nil || factor == nil {
		return rows
	}
	s := *rows.Sparse
	s.Value = make([]float64, len(rows.Sparse.Value))
	for q, k := range s.Index {
		s.Value[q] = rows.Sparse.Value[q] * factor[k]
	}
	return data.Rows{Sparse: &s}
}

func (m *manhattan) len() int { return m.n }

func (m *manhattan) table(comparison) string { return "sums of absolute differences" }

func (m *manhattan) take(idx []int) pairing {
	if idx == nil {
		return m
	}
	return &manhattan{m.additive.take(idx), m.factor}
}

func (m *manhattan) like(x data.Rows) (fresh, own pairing, err error) {
	if err := m.columns(x); err != nil {
		return nil, nil, err
	}
	if m.csr != nil {
		if x.Sparse == nil {
			x = data.Rows{Sparse: data.CSRFromDense(x.Dense)}
		}
		x = multiplied(x, m.factor)
	}
	return &manhattan{m.additive.like(x, timesOf(m.factor)), m.factor}, m, nil
}

func (m *manhattan) sums(dst *mat.Dense, z pairing, of comparison) func(lo, hi int) {
	return func(lo, hi int) { m.pairs(dst, z.(*manhattan).additive, lo, hi, sums{of, 1}) }
}

// addTerms adds sum_ab weight_ab |x_ak - z_bk| to sum_k.
func (m *manhattan) addTerms(sum []float64, z *additive, weight *mat.Dense) {
	pieces := (m.n + chunk - 1) / chunk
	part := make([]float64, pieces*m.d)
	parallel.Pieces(m.n, chunk, func(lo, hi int) {
		to := part[lo/chunk*m.d:][:m.d]
		if m.csr != nil {
			m.sparseTerms(to, z, weight, lo, hi)
			return
		}
		m.denseTerms(to, z, weight, lo, hi)
	})
	for q, v := range part {
		sum[q%m.d] += v
	}
}

// denseTerms is addTerms for rows lo to hi-1.
func (m *manhattan) denseTerms(to []float64, z *additive, weight *mat.Dense, lo, hi int) {
	acc := make([]float64, m.padded*vec.ChiRows)
	var rest [vec.ChiRows]float64
	for k := 0; k < m.padded; k += panelFeatures {
		features, from := min(panelFeatures, m.padded-k), k*vec.ChiRows
		for b := 0; b < z.n; b += vec.ChiRows {
			panel := z.panel(b / vec.ChiRows)[from:]
			for a := lo; a < hi; a++ {
				w := row(weight, a)[b:min(b+vec.ChiRows, z.n)]
				if len(w) < vec.ChiRows {
					clear(rest[copy(rest[:], w):])
					w = rest[:]
				}
				vec.AbsWeighted(acc[from:], m.row(a)[from:], panel, w, features)
			}
		}
	}
	for k := range to {
		for _, v := range acc[k*vec.ChiRows : (k+1)*vec.ChiRows] {
			to[k] += v
		}
	}
}

// sparseTerms is addTerms for rows lo to hi-1: |v - w| = |v| + |w| - 2 common(v, w), in which an entry alone has no common part.
func (m *manhattan) sparseTerms(to []float64, z *additive, weight *mat.Dense, lo, hi int) {
	t := z.transpose()
	columns := make([]float64, z.n)
	for a := lo; a < hi; a++ {
		var all float64
		for b, w := range row(weight, a) {
			all += w
			columns[b] += w
		}
		idx, val := m.csr.Row(a)
		for q, k := range idx {
			s := all * math.Abs(val[q])
			rows, values := t.Row(int(k))
			for p, b := range rows {
				s -= 2 * weight.At(a, int(b)) * m.common(val[q], values[p])
			}
			to[k] += s
		}
	}
	for b, w := range columns {
		idx, val := z.csr.Row(b)
		for q, k := range idx {
			to[k] += w * math.Abs(val[q])
		}
	}
}
