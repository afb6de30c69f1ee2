package kernel_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Shares do not depend on the units of the features, sum to one, and name what a width,
// a penalty or a weight has spared.
func TestRelevances(t *testing.T) {
	rows := cloud(200, 3, 1)
	scaled := data.Rows{Dense: mat.DenseCopyOf(rows.Dense)}
	for i := range 200 {
		scaled.Dense.Set(i, 1, 1000*scaled.Dense.At(i, 1))
	}
	names := []string{"a", "b", "c"}
	get := func(k kernel.Kernel, r data.Rows) []kernel.Relevance {
		t.Helper()
		list, err := kernel.Relevances(context.Background(), k, r, names)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for q, v := range list {
			sum += v.Share
			if q > 0 && v.Share > list[q-1].Share {
				t.Errorf("%v is not sorted", list)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("shares sum to %g", sum)
		}
		return list
	}
	same := func(a, b []kernel.Relevance) {
		t.Helper()
		for q := range a {
			if a[q].Name != b[q].Name || math.Abs(a[q].Share-b[q].Share) > 1e-9 {
				t.Errorf("%v, %v", a[q], b[q])
			}
		}
	}
	list := get(kernel.ARDGaussian{Sigma: []float64{1, 0.3, 50}}, rows)
	if list[0].Name != "b" || list[2].Name != "c" || list[2].Share > 1e-3 {
		t.Errorf("%v", list)
	}
	same(list, get(kernel.ARDGaussian{Sigma: []float64{1, 300, 50}}, scaled))
	list = get(kernel.ARDLinear{C: []float64{100, 1, 10}}, rows)
	if list[0].Name != "b" || list[2].Name != "a" {
		t.Errorf("%v", list)
	}
	same(list, get(kernel.ARDLinear{C: []float64{100, 1e6, 10}}, scaled))
	group := func(w, sigma float64, c ...int) kernel.Kernel {
		return kernel.Scaled{Weight: w, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: sigma}, Columns: c}}
	}
	list = get(kernel.Sum{Terms: []kernel.Kernel{group(0.1, 1, 0), group(3, 1, 1, 2)}}, rows)
	if list[0].Name != "b,c" || list[0].Share < 0.9 {
		t.Errorf("%v", list)
	}
	if list, err := kernel.Relevances(context.Background(), kernel.Gaussian{Sigma: 1}, rows, names); list != nil || err != nil {
		t.Errorf("one width for all: %v, %v", list, err)
	}
}
