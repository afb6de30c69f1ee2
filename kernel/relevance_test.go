package kernel_test

import (
	"context"
	"math"
	"reflect"
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

// Shares by hand: the columns have the standard deviations 1, 2 and 3.
func TestSharesByHand(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(2, 3, []float64{0, 0, 0, 2, 4, 6})}
	widths, group, names := []float64{1, 4, 2}, []int{0, 1, 0}, []string{"g", "h"}
	for _, c := range []struct {
		k    kernel.Kernel
		want []kernel.Relevance
	}{
		{kernel.ARDGaussian{Sigma: widths}, shares("c", 2.25, "a", 1, "b", 0.25)},
		{kernel.ARDRational{Sigma: widths, Power: 2, Alpha: 5}, shares("c", 2.25, "a", 1, "b", 0.25)},
		{kernel.ARDRational{Sigma: widths, Power: 1, Alpha: 5}, shares("c", 1.5, "a", 1, "b", 0.5)},
		{kernel.ARDL1Laplacian{Sigma: widths}, shares("c", 1.5, "a", 1, "b", 0.5)},
		{kernel.ARDL1Laplacian{Sigma: []float64{8, 1}, Group: group, Names: names}, shares("h", 2, "g", 0.5)},
		{kernel.ARDLinear{C: []float64{2, 1, 9}}, shares("b", 4, "c", 1, "a", 0.5)},
		{kernel.ANOVA{Weight: []float64{1, 3}, Sigma: 1, Group: group}, shares("2", 0.75, "1", 0.5)},
		{kernel.Sum{Terms: []kernel.Kernel{
			kernel.Scaled{Weight: 2, Base: kernel.Columns{Base: kernel.Linear{}, Columns: []int{0}}},
			kernel.Columns{Base: kernel.Linear{}, Columns: []int{1, 2}},
		}}, shares("b,c", 13, "a", 2)},
		{kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Columns{Base: kernel.Linear{}, Columns: []int{1}}}}, nil},
		{kernel.ARDGaussian{Sigma: []float64{1, 2}}, nil},
		{kernel.ARDGaussian{}, nil},
	} {
		got, err := kernel.Relevances(t.Context(), c.k, rows, []string{"a", "b", "c"})
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%+v: %v, %v", c.k, got, err)
		}
		for q, want := range c.want {
			if got[q].Name != want.Name || math.Abs(got[q].Share-want.Share) > 1e-14 {
				t.Errorf("%+v: %v in place %d, expected %v", c.k, got[q], q, want)
			}
		}
	}
	bad := kernel.Sum{Terms: []kernel.Kernel{kernel.Columns{Base: kernel.Gaussian{}, Columns: []int{0}}}}
	if _, err := kernel.Relevances(t.Context(), bad, rows, nil); err == nil {
		t.Error("a term without a width has a share")
	}
}

// shares are names and what they have, made to sum to one.
func shares(pairs ...any) (list []kernel.Relevance) {
	var total float64
	for q := 0; q < len(pairs); q += 2 {
		var v float64
		switch n := pairs[q+1].(type) {
		case int:
			v = float64(n)
		case float64:
			v = n
		}
		list, total = append(list, kernel.Relevance{Name: pairs[q].(string), Share: v}), total+v
	}
	for q := range list {
		list[q].Share /= total
	}
	return list
}

// A kernel on some columns keeps their parameters, in the order of the columns, and all others.
func TestOnColumns(t *testing.T) {
	two, group, names := []float64{5, 7}, []int{0, 1, 0}, []string{"g", "h"}
	turned, order, called := []float64{7, 5}, []int{0, 1}, []string{"h", "g"}
	for _, c := range []struct{ k, want kernel.Kernel }{
		{kernel.ARDGaussian{Sigma: []float64{1, 2, 3}}, kernel.ARDGaussian{Sigma: []float64{2, 3}}},
		{kernel.ARDLinear{C: []float64{1, 2, 3}}, kernel.ARDLinear{C: []float64{2, 3}}},
		{kernel.ARDL1Laplacian{Sigma: []float64{1, 2, 3}}, kernel.ARDL1Laplacian{Sigma: []float64{2, 3}}},
		{kernel.ARDL1Laplacian{Sigma: two, Group: group, Names: names}, kernel.ARDL1Laplacian{Sigma: turned, Group: order, Names: called}},
		{kernel.ARDRational{Sigma: two, Alpha: 3, Power: 2, Group: group}, kernel.ARDRational{Sigma: turned, Alpha: 3, Power: 2, Group: order}},
		{kernel.ANOVA{Weight: two, Sigma: 0.3, Knots: [][]float64{{1}, {2, 3}, {4}}, Group: group, Names: names},
			kernel.ANOVA{Weight: turned, Sigma: 0.3, Knots: [][]float64{{2, 3}, {4}}, Group: order, Names: called}},
	} {
		got, ok := kernel.OnColumns(c.k, []int{1, 2}, []string{"a", "b", "c"})
		want := kernel.Columns{Base: c.want, Columns: []int{1, 2}, Names: []string{"b", "c"}}
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v on two columns is %+v, expected %+v", c.k, got, want)
		}
	}
	if k, ok := kernel.OnColumns(kernel.Gaussian{Sigma: 1}, []int{0}, nil); ok {
		t.Errorf("one width for all columns became %+v", k)
	}
}
