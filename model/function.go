package model

import (
	"context"
	"errors"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rbf"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

// Function is an Expansion, Linear or a Mean: there is no other.
type Function interface {
	// add adds the values at the rows x, which have the part's columns and are scaled, to out.
	add(out *mat.Dense, x data.Rows) error
}

// Expansion is sum_j k(., centre_j) Coef[j,:]. The centres are the listed rows of Centres, which
// several functions may share; nil: all of them.
type Expansion struct {
	Kernel  kernel.Kernel
	Centres data.Rows
	Rows    []int
	Coef    *mat.Dense
}

// Linear is x'Weights, d x c.
type Linear struct{ Weights *mat.Dense }

// Mean is sum_j k(., centre_j) Coef[j,:] / sum_j k(., centre_j), with a Gaussian kernel
// (Nadaraya and Watson). Far from all centres it is the coefficient of the nearest.
type Mean struct{ Expansion }

// Plain is the expansion over the centres that it has, with none listed.
func (e Expansion) Plain() kernel.Expansion {
	centres := e.Centres
	if e.Rows != nil {
		centres = centres.Select(e.Rows)
	}
	return kernel.Expansion{Kernel: e.Kernel, Centres: centres, Coef: e.Coef}
}

// panelRows is how many rows are predicted at once: their kernel values with 10 000 centres
// take 40 MB.
const panelRows = 512

func (e Expansion) add(out *mat.Dense, x data.Rows) error {
	p := e.Plain()
	p.Centres, x = narrow(p.Kernel, p.Centres, x)
	g, err := p.Kernel.Bind(context.Background(), p.Centres, nil)
	if err != nil {
		return err
	}
	n, c := out.Dims()
	k := mat.NewDense(min(n, panelRows), p.Centres.Len(), nil)
	idx := make([]int, min(n, panelRows))
	for lo := 0; lo < n; lo += panelRows {
		hi := min(lo+panelRows, n)
		for i := range hi - lo {
			idx[i] = lo + i
		}
		block := k.Slice(0, hi-lo, 0, p.Centres.Len()).(*mat.Dense)
		if err := g.Cross(block, x.Select(idx[:hi-lo]), nil); err != nil {
			return err
		}
		blas.Gemm(false, false, 1, block, p.Coef, 1, out.Slice(lo, hi, 0, c).(*mat.Dense))
	}
	return nil
}

func (w Linear) add(out *mat.Dense, x data.Rows) error {
	if x.Dense != nil {
		blas.Gemm(false, false, 1, x.Dense, w.Weights, 1, out)
		return nil
	}
	for i := range x.Len() {
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

func (m Mean) add(out *mat.Dense, x data.Rows) error {
	g, ok := m.Kernel.(kernel.Gaussian)
	if !ok {
		return errors.New("model: only a Gaussian kernel makes a weighted mean")
	}
	p := m.Plain()
	p.Centres, x = narrow(p.Kernel, p.Centres, x)
	f, err := rbf.NadarayaWatson{Sigma: g.Sigma}.Predict(context.Background(), p.Centres, p.Coef, x)
	if err == nil {
		out.Add(out, f)
	}
	return err
}

// narrow numbers the columns of sparse rows anew, in their order, where there are more columns
// than entries: kernels keep tables of a number a column, and a file of a few entries may
// announce two thousand million columns.
func narrow(k kernel.Kernel, a, b data.Rows) (data.Rows, data.Rows) {
	if !a.IsSparse() || !b.IsSparse() || a.Dim() != b.Dim() || a.Dim() <= a.Sparse.NNZ()+b.Sparse.NNZ() || numbers(k) {
		return a, b
	}
	a.Sparse, b.Sparse = sparse.Narrow(a.Sparse, b.Sparse)
	return a, b
}

// numbers says whether a kernel knows columns or rows by their numbers.
func numbers(k kernel.Kernel) bool {
	switch k := k.(type) {
	case kernel.Gaussian, kernel.Linear, kernel.Polynomial, kernel.Laplacian, kernel.Sigmoid, kernel.ExpChi2, kernel.AddChi2,
		kernel.Chi2Map, kernel.Constant:
		return false
	case kernel.Scaled:
		return numbers(k.Base)
	case kernel.Normalised:
		return numbers(k.Base)
	case kernel.Sum:
		return slices.ContainsFunc(k.Terms, numbers)
	case kernel.Product:
		return slices.ContainsFunc(k.Terms, numbers)
	}
	return true
}
