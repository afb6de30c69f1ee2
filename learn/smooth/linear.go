package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linearProblem is the linear form for n rows of d features, f(x) = w'x + b. The other
// fields are those of problem.
type linearProblem struct {
	X      data.Rows
	Among  []int // the rows of X that take part, in the order of Y; nil: all
	Y      []float64
	C      float64
	Weight []float64
	Loss   learn.Loss
	Offset Offset
}

// algebra is the linear algebra of a Newton step of the linear form.
type algebra int

const (
	// auto takes byGram where there are fewer rows than features and at most 4096 rows,
	// byCholesky where there are at most 4096 features (512 of sparse rows), byCG else.
	auto algebra = iota
	// byCholesky forms the d x d Hessian: n d^2 + d^3/3 flops a step, d^2 numbers.
	byCholesky
	// byCG solves by conjugate gradients: two products with X an iteration, no matrix.
	byCG
	// byGram passes to the kernel form with K = X X': n^2 d flops once, 2 n^2 numbers.
	byGram
)

func (m algebra) String() string {
	names := [...]string{"auto", "cholesky", "cg", "gram"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

const (
	// A Hessian of denseLimit features takes 128 MB and, with as many rows, as long to
	// form as to factor; sparse rows are scattered for it, which pays for few columns only.
	denseLimit  = 4096
	sparseLimit = 512
)

func (m algebra) choose(n, d int, sparse bool) algebra {
	switch {
	case m != auto:
		return m
	case n < d && n <= denseLimit:
		return byGram
	case Factored(d, sparse):
		return byCholesky
	}
	return byCG
}

// Factored says whether a step of Newton's method on rows of d features factors the d x d Hessian.
func Factored(d int, sparse bool) bool { return d <= sparseLimit || d <= denseLimit && !sparse }

// linearSolution is a minimiser of the linear form with its certificate,
// f(x) = W'x + B.
type linearSolution struct {
	W []float64
	B float64
	F []float64 // outputs of the n rows
	// Beta holds the dual coefficients -c V': W = X'Beta to the tolerance.
	Beta []float64

	Objective float64
	// Gradient is the larger of |w + X'cV'|_2 relative to the larger of its two terms,
	// and, where there is an offset, |db| relative to sum |c V'|.
	Gradient float64
	// Gap bounds Objective minus the minimum, by a feasible point of the dual.
	Gap float64
	// Steps counts Newton (or descent) steps, Products those with X or X'.
	Steps, Products int
	Status          status
	Method          algebra // that was used
}

// features is X with its products. Dense features can be centred: a copy less the column means, so that a free offset
// leaves no large common part to cancel (n d numbers).
type features struct {
	*passes.Rows
	n, d  int
	dense *mat.Dense
	rows  *data.CSR
	among []int        // rows of dense or rows; nil: all
	ones  *passes.Rows // the same with a constant feature; nil: not yet needed
	mean  []float64    // subtracted; nil for none
}

func newFeatures(x data.Rows, among []int, centre bool) *features {
	if centre = centre && !x.IsSparse(); centre && among != nil {
		x, among = x.Select(among), nil
	}
	f := &features{dense: x.Dense, rows: x.Sparse, among: among}
	if centre {
		f.mean = x.ColumnStats().Mean
		f.dense = mat.NewDense(x.Len(), x.Dim(), nil)
		for i := range x.Len() {
			floats.SubTo(f.dense.RawRowView(i), x.Dense.RawRowView(i), f.mean)
		}
		x = data.Rows{Dense: f.dense}
	}
	f.Rows = passes.New(x, among)
	f.n, f.d = f.Dims()
	return f
}

// withOnes is the rows with a constant feature behind the others.
func (f *features) withOnes() *passes.Rows {
	if f.ones == nil {
		f.ones = f.WithConstant()
	}
	return f.ones
}

// at is the number in X of row i.
func (f *features) at(i int) int {
	if f.among == nil {
		return i
	}
	return f.among[i]
}

// row writes scale (x_i - centre) to dst; centre may be nil.
func (f *features) row(dst []float64, i int, scale float64, centre []float64) {
	if centre == nil {
		clear(dst)
	} else {
		floats.ScaleTo(dst, -scale, centre)
	}
	if f.rows == nil {
		floats.AddScaled(dst, scale, f.dense.RawRowView(f.at(i)))
		return
	}
	idx, val := f.rows.Row(f.at(i))
	for p, j := range idx {
		dst[j] += scale * val[p]
	}
}

// scatter adds sum_i d_i (x_i - centre)(x_i - centre)' to the lower triangle of h: panels
// of scaled rows, one symmetric product each, or entry by entry where rows are sparse. The error is that
// of the context.
func (f *features) scatter(ctx context.Context, h *mat.Dense, d, centre []float64) error {
	if f.rows != nil && float64(len(f.rows.Value)) < sparseShare*float64(f.rows.R)*float64(f.d) {
		return f.scatterEntries(ctx, h, d, centre)
	}
	const panel = 512
	on := blas.Within(ctx)
	rows := make([]int, 0, panel)
	buf := mat.NewDense(panel, f.d, nil)
	flush := func() {
		if len(rows) == 0 {
			return
		}
		part := buf.Slice(0, len(rows), 0, f.d).(*mat.Dense)
		pieces(len(rows), rowChunk, len(rows)*f.d, func(lo, hi int) {
			for q := lo; q < hi; q++ {
				f.row(part.RawRowView(q), rows[q], math.Sqrt(d[rows[q]]), centre)
			}
		})
		on.SyrkLower(1, blas.T(part), 1, h)
		rows = rows[:0]
	}
	for i, v := range d {
		if v > 0 {
			if rows = append(rows, i); len(rows) == panel {
				if flush(); on.Stopped() != nil {
					return on.Stopped()
				}
			}
		}
	}
	flush()
	return on.Stopped()
}

// sparseShare is the share of stored entries below which products of pairs of entries
// take less time than the product of dense panels, some 30 times as fast a flop.
const sparseShare = 0.15 // no result depends on it

// scatterEntries adds d_i x_i x_i' entry by entry, and the rest, of rank two, from X'd:
//
//	sum_i d_i (x_i - m)(x_i - m)' = X'DX - (X'd) m' - m (X'd)' + sum d m m'
//
// What cancels is of the order of the columns' means squared, which are small where
// columns are sparse. Cost: half the sum of squares of the rows' lengths.
func (f *features) scatterEntries(ctx context.Context, h *mat.Dense, d, centre []float64) error {
	first, total := make([]float64, f.d), 0.0
	for i, v := range d {
		if v == 0 {
			continue
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		total += v
		columns, values := f.rows.Row(f.at(i))
		for p, j := range columns {
			x := v * values[p]
			first[j] += x
			row := h.RawRowView(int(j))
			for q, k := range columns[:p+1] {
				row[k] += x * values[q]
			}
		}
	}
	if centre == nil {
		return ctx.Err()
	}
	for j, m := range centre {
		row := h.RawRowView(j)[:j+1]
		floats.AddScaled(row, -first[j]+total*m, centre[:j+1])
		floats.AddScaled(row, -m, first[:j+1])
	}
	return ctx.Err()
}
