package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// values is a function at the rows x by its definition, term by term.
func values(t *testing.T, f model.Function, x *mat.Dense) *mat.Dense {
	t.Helper()
	if w, ok := f.(model.Linear); ok {
		var out mat.Dense
		out.Mul(x, w.Weights)
		return &out
	}
	m, mean := f.(model.Mean)
	if e, ok := f.(model.Expansion); ok {
		m.Expansion = e
	}
	p := m.Plain()
	g, err := p.Kernel.Bind(t.Context(), p.Centres, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := x.Dims()
	k := mat.NewDense(n, p.Centres.Len(), nil)
	if err := g.Cross(k, data.Rows{Dense: x}, nil); err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(k, p.Coef)
	if mean {
		for i := range n {
			sum := mat.Sum(k.RowView(i))
			for c := range out.RawRowView(i) {
				out.Set(i, c, out.At(i, c)/sum)
			}
		}
	}
	return &out
}

// Predict must be the mean of the sums it says.
func TestPredictByDefinition(t *testing.T) {
	for name, m := range samples() {
		if m.Sparse {
			continue
		}
		m.Scaling = data.Scaling{Kind: data.ScaleStandard, Shift: []float64{1, 0, -1}, Scale: []float64{2, 1, 3}}
		x := normal(4, 3, 5)
		z := m.Scaling.Apply(data.Rows{Dense: x})
		want := mat.NewDense(4, 3, nil)
		for _, p := range m.Parts {
			part := z
			if p.Columns != nil {
				part = z.SelectColumns(p.Columns)
			}
			for _, f := range p.Functions {
				want.Add(want, values(t, f, part.Dense))
			}
			for i := range 4 {
				for c, v := range p.Offset {
					want.Set(i, c, want.At(i, c)+v)
				}
			}
		}
		want.Scale(1/float64(len(m.Parts)), want)
		if got := predict(t, m, data.Rows{Dense: x}); !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", name, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// Sparse rows give what dense ones do.
func TestSparseAgreesWithDense(t *testing.T) {
	x := normal(20, 3, 5)
	for name, m := range samples() {
		if !m.Sparse || m.Text != nil || m.Scaling.Kind == data.ScaleTFIDF { // words have no dense twin
			continue
		}
		dense := samples()[strings.Replace(strings.Replace(name, "sparse ", "", 1), "sparse", "dense", 1)]
		if !mat.EqualApprox(predict(t, m, form(x, true)), predict(t, dense, form(x, false)), 1e-12) {
			t.Errorf("%s: other predictions than of dense rows", name)
		}
	}
}

// The smallest form is the same function: rows without a coefficient go, and a linear kernel leaves
// weights unless its sparse centres are fewer numbers.
func TestSmallest(t *testing.T) {
	x, coef, fresh := normal(30, 4, 1), normal(30, 3, 2), normal(7, 4, 3)
	for i := range 10 {
		coef.SetRow(3*i, make([]float64, 3))
	}
	penalties := kernel.ARDLinear{C: []float64{3, 1, 0.5, 2}}
	few := mat.NewDense(30, 4, nil) // one entry a row, of two rows that have coefficients
	two := mat.NewDense(30, 3, nil)
	for _, i := range []int{4, 7} {
		few.Set(i, i%4, x.At(i, 0))
		two.Set(i, 0, 1)
	}
	for name, c := range map[string]struct {
		k       kernel.Kernel
		x, coef *mat.Dense
		csr     bool
		centres int // 0: weights
	}{
		"linear":            {kernel.Linear{}, x, coef, false, 0},
		"linear sparse":     {kernel.Linear{}, x, coef, true, 0},
		"penalties":         {penalties, x, coef, false, 0},
		"penalties sparse":  {penalties, x, coef, true, 0},
		"gaussian":          {kernel.Gaussian{Sigma: 1}, x, coef, false, 20},
		"few sparse":        {kernel.Linear{}, few, two, true, 2},
		"few sparse, dense": {kernel.Linear{}, few, two, false, 0},
	} {
		e := kernel.Expansion{Kernel: c.k, Centres: form(c.x, c.csr), Coef: c.coef}
		f := model.Single([]kernel.Expansion{e}, nil)[0].Functions[0]
		if w, ok := f.(model.Linear); ok {
			if d, _ := w.Weights.Dims(); c.centres != 0 || d != 4 {
				t.Errorf("%s: weights of %d columns", name, d)
			}
		} else if n := f.(model.Expansion).Centres.Len(); n != c.centres {
			t.Errorf("%s: %d centres, want %d", name, n, c.centres)
		}
		m := plain(c.csr, model.Single([]kernel.Expansion{e}, nil))
		m.Columns, m.Features = 4, nil
		want := values(t, model.Expansion{Kernel: e.Kernel, Centres: e.Centres, Coef: e.Coef}, fresh)
		for _, csr := range []bool{false, true} {
			var d mat.Dense
			d.Sub(predict(t, m, form(fresh, csr)), want)
			if gap := mat.Norm(&d, math.Inf(1)); gap > 1e-13 {
				t.Errorf("%s, new rows sparse %v: outputs differ by %g", name, csr, gap)
			}
		}
	}
}

func TestWeightedMeanIsGaussian(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a mean weighted by inner products")
		}
	}()
	model.WeightedMean(kernel.Expansion{Kernel: kernel.Linear{}, Centres: form(normal(3, 2, 1), false), Coef: normal(3, 1, 2)}, false, nil)
}
