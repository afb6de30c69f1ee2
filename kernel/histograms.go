package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// Chi-square sums of rows whose features are not negative, by blocks, 0/0 = 0:
//
//	distance   s_ab = sum_k (x_ak - z_bk)^2 / (x_ak + z_bk)
//	product    s_ab = sum_k 2 x_ak z_bk / (x_ak + z_bk)
//
// Dense rows: four fractions a division (vec.ChiDistance), about 0.4 cycles a feature of a pair. Sparse rows: one division for each pair
// of entries in a common column.
//
// Both sums are homogeneous: dense rows are divided by a power of two that brings their
// largest feature below one. Features below 2^-100 (8e-31) of that count as zero.
type histograms struct {
	*additive
	power int // panels are the rows over 2^power
}

// chiTerms are the terms of the chi-square sums.
func chiTerms() terms {
	return terms{
		distance: vec.ChiDistance, product: vec.ChiProduct,
		common: func(v, w float64) float64 {
			if v+w > 0 { // stored zeros
				return v * (2 * w / (v + w))
			}
			return 0
		},
		apart: func(v, w float64) float64 {
			if both := v + w; both > 0 {
				d := v - w
				return d * (d / both)
			}
			return 0
		},
	}
}

// newHistograms prepares the rows for a kernel of the given name, or reports the first
// that is no histogram.
func newHistograms(name string, rows data.Rows) (*histograms, error) {
	largest, err := checkHistograms(name, rows)
	if err != nil {
		return nil, err
	}
	h := &histograms{}
	if rows.Sparse == nil {
		h.power = powerOf(largest)
	}
	h.additive = newAdditive(chiTerms(), rows, func(int) float64 { return math.Ldexp(1, -h.power) })
	return h, nil
}

// checkHistograms returns the largest feature.
func checkHistograms(name string, rows data.Rows) (largest float64, err error) {
	for i := range rows.Len() {
		var idx []int32
		var val []float64
		if rows.Sparse != nil {
			idx, val = rows.Sparse.Row(i)
		} else {
			val = row(rows.Dense, i)
		}
		var sum float64
		for q, v := range val {
			if !(v >= 0) {
				if idx != nil {
					q = int(idx[q])
				}
				return 0, fmt.Errorf(
					"kernel: %s: row %d, column %d is %g; features must not be negative: leave counts and frequencies unscaled, scale "+
						"other columns to "+
						"[0, 1]",
					name,
					i,
					q,
					v,
				)
			}
			sum += v
			largest = max(largest, v)
		}
		if sum > math.MaxFloat64/4 {
			return 0, fmt.Errorf("kernel: %s: row %d sums to %g; measure the features in larger units", name, i, sum)
		}
	}
	return largest, nil
}

// powerOf is the power of two just above v, within the range where 2^power and
// 2^-power are normal numbers.
func powerOf(v float64) int {
	_, e := math.Frexp(v)
	return min(max(e, -1000), 1000)
}

// like prepares new rows in the form of h, and h in their scale if that is larger.
func (h *histograms) like(name string, x data.Rows) (px, own *histograms, err error) {
	if err := h.columns(x); err != nil {
		return nil, nil, err
	}
	largest, err := checkHistograms(name, x)
	if err != nil {
		return nil, nil, err
	}
	own = h
	if p := powerOf(largest); h.csr == nil && p > h.power {
		own = &histograms{h.times(math.Ldexp(1, h.power-p)), p}
	}
	factor := math.Ldexp(1, -own.power)
	return &histograms{h.additive.like(x, func(int) float64 { return factor }), own.power}, own, nil
}

// take returns the rows of the given numbers; nil means all.
func (h *histograms) take(idx []int) *histograms {
	if idx == nil {
		return h
	}
	return &histograms{h.additive.take(idx), h.power}
}

// pairs is additive.pairs in the scale of the rows.
func (h *histograms) pairs(dst *mat.Dense, z *histograms, lo, hi int, of comparison) {
	factor := 1.0
	if h.csr == nil {
		if factor = math.Ldexp(1, h.power); of == innerProduct {
			factor *= 2
		}
	}
	h.additive.pairs(dst, z.additive, lo, hi, sums{of, factor})
}
