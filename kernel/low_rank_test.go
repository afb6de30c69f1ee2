package kernel_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

func TestLowRankConforms(t *testing.T) {
	rows := cloud(40, 3, 3)
	for _, base := range []kernel.Kernel{
		kernel.Gaussian{Sigma: 1.5}, kernel.ARDGaussian{Sigma: []float64{1, 2, 3}},
		kernel.Sum{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Linear{}}},
	} {
		kerneltest.Run(t, kernel.LowRank{Base: base, Centres: cloud(7, 3, 4)}, rows)
	}
}

// With all rows as centres it is the base kernel, on new rows too; with few it is no larger on the diagonal.
func TestLowRankOfAllRows(t *testing.T) {
	rows, fresh := cloud(30, 3, 5), cloud(9, 3, 6)
	base := kernel.Gaussian{Sigma: 1}
	values := func(k kernel.Kernel) (*mat.Dense, *mat.Dense) {
		g, err := k.Bind(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		cross := mat.NewDense(9, 30, nil)
		if err := g.Cross(cross, fresh, nil); err != nil {
			t.Fatal(err)
		}
		return full(g), cross
	}
	want, wantCross := values(base)
	got, gotCross := values(kernel.LowRank{Base: base, Centres: rows})
	if !mat.EqualApprox(got, want, 1e-8) || !mat.EqualApprox(gotCross, wantCross, 1e-8) {
		t.Error("all rows as centres do not give the base kernel")
	}
	few, _ := values(kernel.LowRank{Base: base, Centres: rows.Select([]int{1, 4, 9})})
	for i := range 30 {
		if few.At(i, i) > 1+1e-12 {
			t.Errorf("row %d: %g on the diagonal, of the base kernel 1", i, few.At(i, i))
		}
	}
	if math.Abs(few.At(4, 9)-want.At(4, 9)) > 1e-9 {
		t.Errorf("between two centres: %g, want %g", few.At(4, 9), want.At(4, 9))
	}
}

func TestLowRankWithoutCentres(t *testing.T) {
	for _, z := range []data.Rows{{}, cloud(3, 2, 1)} {
		if _, err := (kernel.LowRank{Base: kernel.Gaussian{Sigma: 1}, Centres: z}).Bind(t.Context(), cloud(5, 3, 1), nil); err == nil {
			t.Errorf("%d centres of %d columns were bound", z.Len(), z.Dim())
		}
	}
}
