package libsvm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// predictRows is how many rows are predicted at once: their kernel values with
// 10 000 support vectors take 40 MB.
const predictRows = 512

// Decision returns the decision values of svm-predict, one row a row of rows, one
// column a pair (see Model; a single one for one-class machines and regressions;
// an empty matrix for one class only). As in svm-predict an absent feature is
// zero: sparse rows may be of any width, and dense rows wider than the support
// vectors. With a precomputed kernel, column s-1 of rows holds the kernel values
// with the training row of serial number s.
//
// Cost: one kernel value a row and support vector, and Classes-1 multiplications
// for each. Memory: a panel of 512 rows of kernel values.
func (m *Model) Decision(rows data.Rows) (*mat.Dense, error) {
	n, pairs := rows.Len(), m.Pairs()
	if n == 0 {
		return nil, errors.New("libsvm: no row to predict")
	}
	if err := rows.Check(); err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	if pairs == 0 {
		return new(mat.Dense), nil
	}
	out := mat.NewDense(n, pairs, nil)
	for i := range n {
		for p, v := range m.Rho {
			out.Set(i, p, -v)
		}
	}
	total := m.Len()
	if total == 0 {
		return out, nil
	}
	k, finish := m.plainKernel()
	centres, x, err := m.matched(rows)
	if err != nil {
		return nil, err
	}
	g, err := k.Bind(context.Background(), centres, nil)
	if err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	coef := mat.NewDense(m.Classes-1, total, nil)
	for r, c := range m.Coef {
		coef.SetRow(r, c)
	}
	values := mat.NewDense(min(n, predictRows), total, nil)
	part := mat.NewDense(min(n, predictRows), m.Classes-1, nil)
	for lo := 0; lo < n; lo += predictRows {
		hi := min(lo+predictRows, n)
		idx := make([]int, hi-lo)
		for i := range idx {
			idx[i] = lo + i
		}
		panel := values.Slice(0, hi-lo, 0, total).(*mat.Dense)
		if err := g.Cross(panel, x.Select(idx), nil); err != nil {
			return nil, fmt.Errorf("libsvm: %w", err)
		}
		for i := range idx {
			finish(panel.RawRowView(i))
		}
		m.combine(out.Slice(lo, hi, 0, pairs).(*mat.Dense), panel, coef, part)
	}
	return out, nil
}

// combine adds the products of kernel values and coefficients to the decision
// values. The support vectors of class c, a run, have with their row r the
// coefficients of the pair of c and class r (r < c) or r+1.
func (m *Model) combine(out, values, coef, part *mat.Dense) {
	n, total := values.Dims()
	counts := m.Counts
	if counts == nil {
		counts = []int{total, 0}
	}
	p := part.Slice(0, n, 0, m.Classes-1).(*mat.Dense)
	from := 0
	for c, count := range counts {
		if count == 0 {
			continue
		}
		run := values.Slice(0, n, from, from+count).(*mat.Dense)
		blas.Gemm(1, blas.N(run), blas.T(coef.Slice(0, m.Classes-1, from, from+count).(*mat.Dense)), 0, p)
		for i := range n {
			o := out.RawRowView(i)
			for r, v := range p.RawRowView(i) {
				o[pair(m.Classes, min(c, r), max(c, r+1))] += v
			}
		}
		from += count
	}
}

// pair is the number of the pair of classes i < j of k. With r and r+1 as above,
// min(c, r) and max(c, r+1) are that pair.
func pair(k, i, j int) int { return i*(2*k-i-1)/2 + j - i - 1 }

// plainKernel returns the kernel of package kernel and what is still to be done to
// its values: nothing, or all where that package refuses the parameters (constant
// and indefinite kernels).
func (m *Model) plainKernel() (k kernel.Kernel, finish func([]float64)) {
	none := func([]float64) {}
	switch {
	case m.Kernel == RBF && m.Gamma > 0:
		return kernel.Gaussian{Sigma: 1 / math.Sqrt(2*m.Gamma)}, none
	case m.Kernel == Polynomial && m.Degree > 0 && m.Gamma > 0 && m.Coef0 >= 0:
		return kernel.Polynomial{Degree: m.Degree, Scale: m.Gamma, Offset: m.Coef0}, none
	case m.Kernel == Sigmoid && m.Gamma > 0:
		return kernel.Sigmoid{Scale: m.Gamma, Offset: m.Coef0}, none
	case m.Kernel == RBF: // gamma = 0
		finish = func(v []float64) {
			for i := range v {
				v[i] = 1
			}
		}
	case m.Kernel == Polynomial:
		finish = func(v []float64) {
			for i, s := range v {
				v[i] = math.Pow(m.Gamma*s+m.Coef0, float64(m.Degree))
			}
		}
	case m.Kernel == Sigmoid:
		finish = func(v []float64) {
			for i, s := range v {
				v[i] = math.Tanh(m.Gamma*s + m.Coef0)
			}
		}
	default: // linear, and precomputed over the centres that matched returns
		finish = none
	}
	return kernel.Linear{}, finish
}

// denseShare is the share of stored entries from which support vectors are used
// as a dense matrix, which then holds at most that many times their number.
const denseShare = 4

// matched returns the support vectors and rows in the same width. Those of a
// precomputed kernel are unit vectors, whose inner product with a row of kernel
// values x is x[serial-1].
func (m *Model) matched(rows data.Rows) (centres, x data.Rows, err error) {
	d := rows.Dim()
	if m.Kernel == Precomputed {
		for i, s := range m.Serial {
			if s > d {
				return centres, x, fmt.Errorf(
					"libsvm: the rows have %d kernel values, support vector %d is training row %d; give the kernel values with all "+
						"training rows",
					d,
					i,
					s,
				)
			}
		}
		return data.Rows{Sparse: units(m.Serial, d)}, rows, nil
	}
	sv := *m.SV
	if sv.C > d && rows.Dense != nil {
		return centres, x, fmt.Errorf(
			"libsvm: the rows have %d columns, the support vectors %d; give the features the model was trained on",
			d,
			sv.C,
		)
	}
	x = rows
	if sv.C > d {
		wide := *rows.Sparse
		wide.C = sv.C
		x.Sparse = &wide
	}
	sv.C = max(sv.C, d)
	if sv.C < denseShare*sv.NNZ()/sv.R {
		return data.Rows{Dense: sv.ToDense()}, x, nil
	}
	return data.Rows{Sparse: &sv}, x, nil
}

// units returns the unit vectors of the serial numbers.
func units(serial []int, d int) *data.CSR {
	u := &data.CSR{
		R:     len(serial),
		C:     d,
		Start: make([]int, len(serial)+1),
		Index: make([]int32, len(serial)),
		Value: make([]float64, len(serial)),
	}
	for i, s := range serial {
		u.Start[i+1], u.Index[i], u.Value[i] = i+1, int32(s-1), 1
	}
	return u
}

// Predict returns what svm-predict prints for each row: a label, the value of a
// regression, or +1 (within) and -1 (outside) of a one-class machine.
func (m *Model) Predict(rows data.Rows) ([]float64, error) {
	f, err := m.Decision(rows)
	if err != nil {
		return nil, err
	}
	if m.Classes == 1 {
		out := make([]float64, rows.Len())
		for i := range out {
			out[i] = float64(m.Labels[0])
		}
		return out, nil
	}
	return m.Decide(f), nil
}

// Decide turns decision values into predictions. Each pair (i, j) votes for i where
// its value is positive, else, zero included, for j; the most votes win, ties to
// the class that is first in the file.
func (m *Model) Decide(f *mat.Dense) []float64 {
	n, p := f.Dims()
	if p != m.Pairs() {
		panic(fmt.Sprintf("libsvm: %d decision values for %d pairs", p, m.Pairs()))
	}
	out := make([]float64, n)
	votes := make([]int, m.Classes)
	for r := range out {
		v := f.RawRowView(r)
		switch {
		case m.Type.Classifies():
			out[r] = float64(m.Labels[winner(v, votes)])
		case m.Type == OneClass:
			out[r] = -1
			if v[0] > 0 {
				out[r] = 1
			}
		default:
			out[r] = v[0]
		}
	}
	return out
}

// winner returns the class with the most votes.
func winner(f []float64, votes []int) int {
	clear(votes)
	p := 0
	for i := range votes {
		for j := i + 1; j < len(votes); j++ {
			if f[p] > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
			p++
		}
	}
	best := 0
	for c, v := range votes {
		if v > votes[best] {
			best = c
		}
	}
	return best
}
