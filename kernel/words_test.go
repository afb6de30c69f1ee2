package kernel_test

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

// wholes are ANOVA kernels of five columns with groups that are compared whole, alone and beside groups of ranks.
func wholes() []kernel.ANOVA {
	words := [][]float64{{0}, {-0.1, 0.2}, {-0.1, 0.2}, {-0.1, 0.2}, {-0.1, 0.2}}
	return []kernel.ANOVA{
		{Weight: []float64{0.5, 1, 2, 0.7, 0.1}, Sigma: 0.2, Knots: knots(2)},
		{Weight: []float64{0.5, 1, 3}, Sigma: 0.4, Knots: knots(2), Group: []int{0, 1, 2, 1, 2}},
		{Weight: []float64{2, 0.3}, Sigma: 0.4, Knots: words, Group: []int{0, 1, 1, 0, 1}},
	}
}

// Groups that are compared whole have values and derivatives as all kernels have, of any rows, and slopes by the columns of ranks alone.
func TestWholeGroups(t *testing.T) {
	rows, centres := cloud(40, 5, 1), cloud(12, 5, 21)
	x := []float64{0.31, -0.42, 0.53, 0.74, -1.15}
	a := []float64{1, -2, 0.3, 3, 0.5, 1, 1, -1, 2, 0, 1, 4}
	for _, k := range wholes() {
		kerneltest.Run(t, k, rows)
		g, some := bind(t, k, rows, nil), []int{30, 2, 17}
		part := mat.NewDense(3, 40, nil)
		g.Block(part, some, nil)
		for p, i := range some {
			for j := range 40 {
				want := naiveANOVA(k, rows.Dense.RawRowView(i), rows.Dense.RawRowView(j))
				if got := part.At(p, j); math.Abs(got-want) > 1e-14 {
					t.Fatalf("%+v: rows %d and %d: %g, expected %g", k, i, j, got, want)
				}
			}
		}
		grad := make([]float64, 5)
		if err := kernel.Slope(t.Context(), grad, k, data.Rows{Dense: mat.NewDense(1, 5, x)}, centres, a); err != nil {
			t.Fatal(err)
		}
		f := func(c int, by float64) (s float64) {
			moved := slices.Clone(x)
			moved[c] += by
			for j, v := range a {
				s += v * naiveANOVA(k, moved, centres.Dense.RawRowView(j))
			}
			return s
		}
		const h = 1e-6
		for c, got := range grad {
			if want := (f(c, h) - f(c, -h)) / (2 * h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%+v: the slope by column %d is %g, by differences %g", k, c+1, got, want)
			}
		}
	}
}

// A column of one value tells no rows apart, so that its weight has no share.
func TestConstantColumnHasNoShare(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(2, 2, []float64{0, 7, 2, 7})}
	list, err := kernel.Relevances(t.Context(), kernel.ANOVA{Weight: []float64{1, 3}, Sigma: 1}, rows, nil)
	if err != nil || len(list) != 2 || list[0].Name != "1" || list[0].Share != 1 || list[1].Share != 0 {
		t.Errorf("shares %v, %v", list, err)
	}
}

// Sparse rows have the knots of dense ones. Those of many rows are values of 20000 of them.
func TestKnotsOfSparseAndManyRows(t *testing.T) {
	dense := cloud(90, 3, 5)
	a := kernel.ANOVA{}.Adapt(dense).(kernel.ANOVA)
	b := kernel.ANOVA{}.Adapt(data.Rows{Sparse: data.CSRFromDense(dense.Dense)}).(kernel.ANOVA)
	for c := range a.Knots {
		if !slices.Equal(a.Knots[c], b.Knots[c]) {
			t.Errorf("column %d: knots %v, of sparse rows %v", c, a.Knots[c], b.Knots[c])
		}
	}
	x := mat.NewDense(40000, 1, nil)
	for i := range 40000 {
		x.Set(i, 0, float64(i))
	}
	own := kernel.ANOVA{}.Adapt(data.Rows{Dense: x}).(kernel.ANOVA).Knots[0]
	if len(own) != 64 || own[0] != 0 || own[63] != 39998 || own[1] != 2*math.Floor(19999.0/63) {
		t.Errorf("%d knots %v", len(own), own)
	}
}
