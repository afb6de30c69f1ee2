package kernel_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

func TestClustersConform(t *testing.T) {
	rows := cloud(60, 4, 3)
	for i := range 60 {
		rows.Dense.Set(i, 0, rows.Dense.At(i, 0)+6*float64(i%2))
	}
	for _, k := range []kernel.Kernel{kernel.Clusters{}, kernel.Components{}} {
		if _, err := k.Bind(t.Context(), rows, nil); err == nil || !strings.Contains(err.Error(), "not fitted") {
			t.Errorf("%T before Adapt: %v", k, err)
		}
		mapped := k.(interface {
			Map(rows data.Rows) (data.Rows, error)
		})
		if _, err := mapped.Map(rows); err == nil || !strings.Contains(err.Error(), "not fitted") {
			t.Errorf("the map of %T before Adapt: %v", k, err)
		}
		fitted := k.Adapt(rows)
		kerneltest.Run(t, fitted, rows)
		kerneltest.Run(t, kernel.Sum{Terms: []kernel.Kernel{fitted, kernel.Linear{}}}, rows)
		huge := data.Rows{Sparse: &data.CSR{R: 2, C: 1 << 30, Start: []int{0, 0, 0}}}
		if _, err := k.Adapt(huge).Bind(t.Context(), huge, nil); err == nil || !strings.Contains(err.Error(), "sparse") {
			t.Errorf("%T on rows that do not fit: %v", k, err)
		}
	}
	// Rows of one cluster are alike, those of different ones are not.
	g, err := kernel.Clusters{}.Adapt(rows).Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := full(g)
	for i := range 60 {
		for j := range 60 {
			if want := float64((i + j + 1) % 2); math.Abs(k.At(i, j)-want) > 0.3 {
				t.Fatalf("rows %d and %d: %g", i, j, k.At(i, j))
			}
		}
	}
}

// One row, by which a fit asks a kernel for its features before it reads the others, cannot be fitted to: Bind says so.
func TestClustersOfOneRow(t *testing.T) {
	one := data.Rows{Dense: mat.NewDense(1, 4, []float64{1, 2, 3, 4})}
	for _, k := range []kernel.Kernel{kernel.Clusters{}, kernel.Components{}} {
		if _, err := k.Adapt(one).Bind(t.Context(), one, nil); err == nil {
			t.Errorf("%T is bound to one row", k)
		}
	}
}
