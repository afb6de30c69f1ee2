package kernel_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
)

// New rows of more than one panel have the values of double precision, each in its place, whether rows are converted or values rounded, of
// all centres and of some, dense and sparse, with rows far from all others in the last panel too; blocks of many rows have them as well.
func TestSingleOfManyRows(t *testing.T) {
	train, x := cloud(7, 3, 2), cloud(4200, 3, 3)
	x.Dense.SetRow(4150, []float64{1e25, 1e25, 1e25})
	for _, k := range []kernel.Kernel{
		kernel.Gaussian{Sigma: 1}, kernel.Laplacian{Sigma: 2}, kernel.Scaled{Weight: 3, Base: kernel.Laplacian{Sigma: 2}},
	} {
		for _, rows := range []data.Rows{x, {Sparse: data.CSRFromDense(x.Dense)}} {
			g := bind(t, k, train, nil)
			s := kernel.NewSingle(g)
			for _, j := range [][]int{nil, {5, 0}} {
				m := 7
				if j != nil {
					m = len(j)
				}
				want, got := mat.NewDense(4200, m, nil), make([]float32, 4200*m)
				if err := g.Cross(want, rows, j); err != nil {
					t.Fatal(err)
				}
				if err := s.Cross(got, rows, j); err != nil {
					t.Fatal(err)
				}
				for q, v := range got {
					if w := want.RawMatrix().Data[q]; math.Abs(float64(v)-w) > 1e-5 {
						t.Fatalf("%T, sparse %t: row %d, column %d: %g, expected %g", k, rows.IsSparse(), q/m, q%m, v, w)
					}
				}
			}
			if err := s.Cross(nil, rows, []int{}); err != nil {
				t.Error(err)
			}
			if err := s.Cross(nil, rows.Select(nil), nil); err != nil {
				t.Error(err)
			}
			s.Block(nil, []int{}, nil)
			s.Block(nil, nil, []int{})
		}
	}
	many := cloud(700, 3, 5)
	g := bind(t, kernel.Laplacian{Sigma: 2}, many, nil)
	got, want := single32(kernel.NewSingle(g), nil, []int{3, 699}), mat.NewDense(700, 2, nil)
	g.Block(want, nil, []int{3, 699})
	if e := distance(t, got, want); e > 1e-7 {
		t.Errorf("a block of 700 rows is off by %g", e)
	}
}

// Kernels without features have none with a weight or by columns, and a metric says of which rows it is.
func TestNoFeaturesInside(t *testing.T) {
	rows := cloud(9, 3, 1)
	gaussian := kernel.Gaussian{Sigma: 1}
	for _, k := range []kernel.Kernel{
		kernel.Scaled{Weight: 2, Base: gaussian}, kernel.Columns{Base: gaussian, Columns: []int{0}},
		kernel.Sum{Terms: []kernel.Kernel{kernel.Scaled{Weight: 2, Base: gaussian}, kernel.Linear{}}},
	} {
		if _, ok := kernel.Features(bind(t, k, rows, nil)); ok {
			t.Errorf("%T has features", k)
		}
	}
	_, err := kernel.MetricLaplacian{Sigma: 1, Diagonal: []float64{1, 2}}.Map(rows)
	failtest.Refused(t, err, "kernel: metric-laplacian: a metric of 2 columns for rows of 3")
	if k := (kernel.MetricLaplacian{Diagonal: []float64{1, 2}}).Adapt(rows).(kernel.MetricLaplacian); k.Sigma != 1 {
		t.Errorf("a metric of other rows has the width %g", k.Sigma)
	}
}
