package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
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
