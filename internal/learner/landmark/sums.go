package landmark

// Sums over rows of features and targets, of which machines on landmarks are made: in one pass by
// panels in double precision, n m^2 flops for the features, or part of that (parts.go), and as many for their products.

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// landmarkSums are those of rows with weights w, W = diag(w).
type landmarkSums struct {
	rows int
	n    float64    // the sum of w, which is the number of rows without weights
	s    *mat.Dense // Phi'W Phi, in the lower triangle
	b    *mat.Dense // Phi'W Y
	phi  []float64  // Phi'w
	y    []float64  // Y'w
}

// noSums are those of no row.
func (l *landmarks) noSums() *landmarkSums {
	return &landmarkSums{s: mat.NewDense(l.m, l.m, nil), b: mat.NewDense(l.m, l.c, nil), phi: make([]float64, l.m), y: make([]float64, l.c)}
}

// sums goes over the rows of p, of targets y and weights w, nil for 1 each.
func (l *landmarks) sums(ctx context.Context, p *kernel.Products, y *mat.Dense, w []float64) (*landmarkSums, error) {
	t := l.noSums()
	t.rows, _ = p.Dims()
	weigh := moments.NewWeights(w, t.rows)
	t.n = weigh.Total
	if w != nil {
		y = mat.DenseCopyOf(y)
		weigh.Scale(y)
	}
	err := p.Panels(ctx, func(lo int, k *mat.Dense) error {
		r, _ := k.Dims()
		l.project(k)
		if w != nil {
			for a := range r {
				floats.Scale(weigh.Root[lo+a], k.RawRowView(a))
			}
		}
		blas.SyrkLower(1, blas.T(k), 1, t.s)
		blas.Gemm(1, blas.T(k), blas.N(y.Slice(lo, lo+r, 0, l.c).(*mat.Dense)), 1, t.b)
		for a := range r {
			root := 1.0
			if w != nil {
				root = weigh.Root[lo+a]
			}
			floats.AddScaled(t.phi, root, k.RawRowView(a))
			floats.AddScaled(t.y, root, y.RawRowView(lo+a))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, x := range [][]float64{t.phi, t.y} {
		for _, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, moments.ErrNotFinite
			}
		}
	}
	l.complete(t)
	return t, nil
}

// add adds sign times o.
func (t *landmarkSums) add(sign float64, o *landmarkSums) {
	t.rows += int(sign) * o.rows
	t.n += sign * o.n
	for i := range t.phi {
		floats.AddScaled(t.s.RawRowView(i)[:i+1], sign, o.s.RawRowView(i)[:i+1])
		floats.AddScaled(t.b.RawRowView(i), sign, o.b.RawRowView(i))
	}
	floats.AddScaled(t.phi, sign, o.phi)
	floats.AddScaled(t.y, sign, o.y)
}

// centre returns S, in both triangles, and P in the place of the sums, of features and targets less their
// means with the offset, and the features' means.
func (t *landmarkSums) centre(offset bool) (s, b *mat.Dense, mean []float64) {
	mean = make([]float64, len(t.phi))
	if offset {
		floats.AddScaled(mean, 1/t.n, t.phi)
	}
	for i, m := range mean {
		row := t.s.RawRowView(i)
		floats.AddScaled(row[:i+1], -m*t.n, mean[:i+1])
		for j, v := range row[:i] {
			t.s.Set(j, i, v)
		}
		floats.AddScaled(t.b.RawRowView(i), -m, t.y)
	}
	return t.s, t.b, mean
}
