package graph

// Distances of each row to all others, the engine of k-nearest-neighbour and
// range search.
//
//	estimate  e_ij = |x_i|^2 + |x_j|^2 - 2 x_i'x_j     (x centred; one gemm a panel)
//	bound     |e_ij - d_ij| <= slack (|x_i|^2 + |x_j|^2),  slack = 4 (d + 8) u
//	exact     d_ij = sum_c (x_ic - x_jc)^2
//
// Estimates and their bound only exclude pairs; whatever is kept is decided by
// the exact distances, which are symmetric, 0 between duplicates, and the same
// whatever the panels, the BLAS and the number of threads. The bound is the
// usual one of an inner product of length d in any order (Higham, Accuracy and
// Stability, 3.5), d u |x|'|z|, with the rounding of the norms, of the
// subtraction and of the exact sum; u = 2^-53.
//
// Sparse rows: x_i'x_j by the transpose, sum over the columns of x_i.
// Time n^2 d flops (sparse: sum over columns of count^2); memory a copy of the
// rows and a panel of estimates, at most 2^20 of them or 16 rows.

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// searcher holds the rows as the search needs them. For Cosine the rows are
// scaled to length one, for which |x - z|^2 = 2 (1 - cos).
type searcher struct {
	n, d    int
	workers int
	metric  Metric
	slack   float64
	norm    []float64 // squared norms of the rows that the estimates use
	empty   []bool    // zero rows, whose cosine distance is 1; nil for Euclidean

	centred *mat.Dense // estimates of dense rows
	rows    *mat.Dense // exact distances of dense rows

	csr    *data.CSR
	column *data.CSR // transpose of csr
}

func newSearcher(rows data.Rows, metric Metric) (*searcher, error) {
	n, d := rows.Len(), rows.Dim()
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("graph: %d rows; at most %d", n, math.MaxInt32)
	}
	s := &searcher{n: n, d: d, workers: runtime.GOMAXPROCS(0), metric: metric, norm: make([]float64, n)}
	s.slack = 4 * float64(d+8) * 0x1p-53
	if metric == Cosine {
		s.empty = make([]bool, n)
	}
	var err error
	if rows.Dense != nil {
		err = s.setDense(rows.Dense)
	} else {
		err = s.setSparse(rows.Sparse)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *searcher) setDense(x *mat.Dense) error {
	if s.n == 0 {
		return nil
	}
	for i := range s.n {
		if err := s.measure(i, x.RawRowView(i)); err != nil {
			return err
		}
	}
	c := mat.NewDense(s.n, s.d, nil)
	if s.metric == Cosine {
		for i := range s.n {
			s.unit(c.RawRowView(i), x.RawRowView(i), i)
		}
		s.centred, s.rows = c, c
		return nil
	}
	mean := make([]float64, s.d)
	for i := range s.n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v / float64(s.n)
		}
	}
	for i := range s.n {
		out := c.RawRowView(i)
		sum := 0.0
		for j, v := range x.RawRowView(i) {
			out[j] = v - mean[j]
			sum += out[j] * out[j]
		}
		s.norm[i] = sum
	}
	s.centred, s.rows = c, x
	return nil
}

func (s *searcher) setSparse(x *data.CSR) error {
	for i := range s.n {
		_, val := x.Row(i)
		if err := s.measure(i, val); err != nil {
			return err
		}
	}
	s.csr = x
	if s.metric == Cosine {
		s.csr = &data.CSR{R: x.R, C: x.C, Start: x.Start, Index: x.Index, Value: make([]float64, len(x.Value))}
		for i := range s.n {
			_, val := x.Row(i)
			_, out := s.csr.Row(i)
			s.unit(out, val, i)
		}
	}
	s.column = s.csr.T()
	return nil
}

// measure stores the squared norm of row i.
func (s *searcher) measure(i int, val []float64) error {
	sum := 0.0
	for _, v := range val {
		sum += v * v
	}
	if !(sum < 1e300) {
		return fmt.Errorf("graph: row %d holds a value that is not finite or beyond 1e150; remove the row or scale the features", i)
	}
	s.norm[i] = sum
	return nil
}

// unit stores x_i/|x_i| in dst and 1 as its squared norm.
func (s *searcher) unit(dst, x []float64, i int) {
	if s.norm[i] == 0 {
		s.empty[i] = true
		return
	}
	scale := 1 / math.Sqrt(s.norm[i])
	for j, v := range x {
		dst[j] = v * scale
	}
	s.norm[i] = 1
}

// exact is |x_i - x_j|^2 (Cosine: twice the cosine distance).
func (s *searcher) exact(i, j int) float64 {
	if s.empty != nil && (s.empty[i] || s.empty[j]) {
		return 2
	}
	if s.rows != nil {
		return vec.SquaredDistance(s.rows.RawRowView(i), s.rows.RawRowView(j))
	}
	ai, av := s.csr.Row(i)
	bi, bv := s.csr.Row(j)
	return sparseDist2(ai, av, bi, bv)
}

func sparseDist2(ai []int32, av []float64, bi []int32, bv []float64) float64 {
	sum := 0.0
	p, q := 0, 0
	for p < len(ai) || q < len(bi) {
		var d float64
		switch {
		case q == len(bi) || p < len(ai) && ai[p] < bi[q]:
			d = av[p]
			p++
		case p == len(ai) || bi[q] < ai[p]:
			d = bv[q]
			q++
		default:
			d = av[p] - bv[q]
			p, q = p+1, q+1
		}
		sum += d * d
	}
	return sum
}

// scan calls visit once for every row i with the inner products of x_i and all
// rows, from several goroutines; worker numbers the goroutine. visit may
// overwrite the products.
func (s *searcher) scan(ctx context.Context, visit func(worker, i int, dot []float64)) error {
	if s.csr != nil {
		return s.scanSparse(ctx, nil, visit)
	}
	if s.n == 0 {
		return nil
	}
	panel := min(s.n, max(16, (1<<20)/s.n))
	out := mat.NewDense(panel, s.n, nil)
	for lo := 0; lo < s.n; lo += panel {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(s.n, lo+panel)
		block := out.Slice(0, hi-lo, 0, s.n).(*mat.Dense)
		blas.Gemm(1, blas.N(s.centred.Slice(lo, hi, 0, s.d).(*mat.Dense)), blas.T(s.centred), 0, block)
		parallel.Workers(s.workers, hi-lo, 8, func(worker, from, to int) {
			for i := from; i < to; i++ {
				visit(worker, lo+i, block.RawRowView(i))
			}
		})
	}
	return nil
}

// scanSparse visits the given rows, all if rows is nil, with their places.
func (s *searcher) scanSparse(ctx context.Context, rows []int, visit func(worker, at int, dot []float64)) error {
	acc := make([][]float64, s.workers)
	n := s.n
	if rows != nil {
		n = len(rows)
	}
	for lo := 0; lo < n; lo += 256 {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(n, lo+256)
		parallel.Workers(s.workers, hi-lo, 8, func(worker, from, to int) {
			if acc[worker] == nil {
				acc[worker] = make([]float64, s.n)
			}
			dot := acc[worker]
			for at := lo + from; at < lo+to; at++ {
				clear(dot)
				i := at
				if rows != nil {
					i = rows[at]
				}
				idx, val := s.csr.Row(i)
				for p, c := range idx {
					v := val[p]
					rows, w := s.column.Row(int(c))
					for q, j := range rows {
						dot[j] += v * w[q]
					}
				}
				visit(worker, at, dot)
			}
		})
	}
	return nil
}

// upper replaces the inner products of row i by upper bounds of the exact
// squared distances, +Inf for the row itself, and returns them.
func (s *searcher) upper(i int, dot []float64) []float64 {
	ni, up := s.norm[i], 1+s.slack
	for j, nj := range s.norm[:len(dot)] {
		dot[j] = up*(ni+nj) - 2*dot[j]
	}
	if s.empty != nil {
		for j, e := range s.empty {
			if e || s.empty[i] {
				dot[j] = 2
			}
		}
	}
	dot[i] = math.Inf(1)
	return dot
}

// gap is the width of the interval that ends at the upper bound of (i, j).
func (s *searcher) gap(i, j int) float64 { return 2 * s.slack * (s.norm[i] + s.norm[j]) }
