package model

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Function is an Expansion, Linear or a Mean: there is no other.
type Function interface {
	// add adds the values at the rows x, which have the part's columns and are scaled, to out.
	add(ctx context.Context, out *mat.Dense, x data.Rows) error
}

// Expansion is sum_j k(., centre_j) Coef[j,:]. The centres are the listed rows of Centres, which
// several functions may share; nil: all of them.
type Expansion struct {
	Kernel  kernel.Kernel
	Centres data.Rows
	Rows    []int
	Coef    *mat.Dense

	bound *bound // by Model.Bind; nil: each prediction joins kernel and centres anew
}

// Linear is x'Weights, d x c.
type Linear struct{ Weights *mat.Dense }

// Mean is sum_j k(., centre_j) Coef[j,:] / sum_j k(., centre_j), with a Gaussian kernel
// (Nadaraya and Watson). Far from all centres it is the coefficient of the nearest.
type Mean struct {
	Expansion
	// Known says that a row equal to a centre has the coefficient of that centre, or the mean of those
	// of all equal ones: what a transductive machine has given to the rows of its fit.
	Known bool
}

// Plain is the expansion over the centres that it has, with none listed.
func (e Expansion) Plain() kernel.Expansion {
	centres := e.Centres
	if e.Rows != nil {
		centres = centres.Select(e.Rows)
	}
	return kernel.Expansion{Kernel: e.Kernel, Centres: centres, Coef: e.Coef}
}

// Kernel values are computed and used by panels of panelRows rows, doubled up to mostRows while that makes fewer than fewValues kernel
// values, so that processors seldom wait for each other, and halved down to leastRows while it makes more than
// panelValues kernel values or panelWork operations; where that is not enough, a panel has not all centres. Powers of
// two keep the panels of many rows where those of pieces of them are.
const (
	panelRows   = 512
	mostRows    = 1 << 12
	fewValues   = 1 << 20 // 8 MB
	panelValues = 1 << 22 // 32 MB
	panelWork   = 1 << 31 // about 0.1 s on two cores, between two looks at the context
	leastRows   = 16
	valueWork   = 64 // operations of a kernel value beside those of its features and outputs
)

// panel is the size of the panels for centres of so many stored features, n in all, and c outputs.
func panel(n, features, c int) (rows, centres int) {
	value := valueWork + 2*features + 2*c
	rows = panelRows
	for rows < mostRows && n <= fewValues/(2*rows) && n <= panelWork/(2*rows)/value {
		rows *= 2
	}
	for rows > leastRows && (n > panelValues/rows || n > panelWork/rows/value) {
		rows /= 2
	}
	return rows, min(n, max(1, panelWork/leastRows/value))
}

func (e Expansion) add(ctx context.Context, out *mat.Dense, x data.Rows) error {
	b, x, err := e.bindFor(ctx, x)
	if err != nil {
		return err
	}
	p, g := b.plain, b.gram
	n, c := out.Dims()
	m := p.Centres.Len()
	height, width := panel(m, stored(p.Centres, nil)/m, c)
	held := b.panel(min(n, height) * width)
	defer b.panels.Put(held)
	k := mat.NewDense(min(n, height), width, *held)
	for lo := 0; lo < n; lo += height {
		hi := min(lo+height, n)
		rows := piece(x, lo, hi)
		for from := 0; from < m; from += width {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(from+width, m)
			block := k.Slice(0, hi-lo, 0, to-from).(*mat.Dense)
			if err := g.Cross(block, rows, some(from, to, m)); err != nil {
				return err
			}
			b.addProduct(out.Slice(lo, hi, 0, c).(*mat.Dense), block, from, to)
		}
	}
	return nil
}

// some are the numbers from lo to hi-1 of n; nil: all.
func some(lo, hi, n int) []int {
	if lo == 0 && hi == n {
		return nil
	}
	idx := make([]int, hi-lo)
	for i := range idx {
		idx[i] = lo + i
	}
	return idx
}

func (w Linear) add(ctx context.Context, out *mat.Dense, x data.Rows) error {
	if x.Dense != nil {
		b := blas.Within(ctx)
		b.Gemm(1, blas.N(x.Dense), blas.N(w.Weights), 1, out)
		return b.Stopped()
	}
	for i := range x.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		at, value := x.Sparse.Row(i)
		row := out.RawRowView(i)
		for q, j := range at {
			for k, v := range w.Weights.RawRowView(int(j)) {
				row[k] += value[q] * v
			}
		}
	}
	return nil
}

func (m Mean) add(ctx context.Context, out *mat.Dense, x data.Rows) error {
	g, ok := m.Kernel.(kernel.Gaussian)
	if !ok {
		return errors.New("model: only a Gaussian kernel makes a weighted mean")
	}
	p := m.Plain()
	p.Centres, x = narrow(p.Kernel, p.Centres, x)
	f, err := rbf.NadarayaWatson{Sigma: g.Sigma, Known: m.Known}.Predict(ctx, p.Centres, p.Coef, x)
	if err == nil {
		out.Add(out, f)
	}
	return err
}

// denseShare is the share of stored entries from which a product of dense rows is the faster one, by far: it takes 2 d
// operations a pair at some 30 a nanosecond, one of sparse rows a nanosecond for each entry in common (letter, of 16
// columns, with 6038 centres: 0.03 and 0.7 s for 5000 rows).
const denseShare = 0.25

// filled are rows in dense form if so many of their entries are stored; new rows take the form of the centres.
func filled(rows data.Rows) data.Rows {
	if !rows.IsSparse() || float64(rows.Sparse.NNZ()) < denseShare*float64(rows.Len())*float64(rows.Dim()) {
		return rows
	}
	return data.Rows{Dense: rows.Sparse.ToDense(), ID: rows.ID}
}

// narrow numbers the columns of sparse rows anew, in their order, where there are more columns
// than entries: kernels keep tables of a number a column, and a file of a few entries may
// announce two thousand million columns.
func narrow(k kernel.Kernel, a, b data.Rows) (data.Rows, data.Rows) {
	if !a.IsSparse() || !b.IsSparse() || a.Dim() != b.Dim() || a.Dim() <= a.Sparse.NNZ()+b.Sparse.NNZ() || kernel.Numbered(k) {
		return a, b
	}
	a.Sparse, b.Sparse = data.NarrowCSR(a.Sparse, b.Sparse)
	return a, b
}
