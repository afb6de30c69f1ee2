package passes

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Each pass counts once, and what looks at single rows or at squares does not.
func TestProductsAreCounted(t *testing.T) {
	r := New(data.Rows{Dense: drawn(5, 3)}, nil).WithConstant()
	n, d := r.Dims()
	o, back := make([]float64, n), make([]float64, d)
	for k, f := range []func(){
		func() { r.Mul(o, back, nil) }, func() { r.MulT(back, o, nil) }, func() { r.MulHessian(back, make([]float64, d), o, nil) },
	} {
		if f(); r.Products != k+1 {
			t.Errorf("%d products are counted after %d", r.Products, k+1)
		}
	}
	r.Diagonal(back, o, nil)
	r.AddTo(back, 1, 2)
	if r.Dot(1, back) != r.Dot(1, back) || r.Square(1) < 1 || r.Products != 3 {
		t.Errorf("%d products are counted", r.Products)
	}
}

// Sums of no rows are zero, whatever stood there, and rows with a constant are those without and a 1.
func TestNoRowsAndTheConstant(t *testing.T) {
	x := drawn(6, 4)
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		for _, among := range [][]int{nil, {4, 1, 5}} {
			r := New(rows, among)
			with := r.WithConstant()
			n, d := with.Dims()
			if m, c := r.Dims(); m != n || c != d-1 || c != 4 || among != nil && n != 3 {
				t.Errorf("%d x %d, with the constant %d x %d", m, c, n, d)
			}
			w := []float64{1, -2, 3, 0.5, 7}
			for k := range n {
				if got, want := with.Dot(k, w), r.Dot(k, w[:4])+7; got != want {
					t.Errorf("row %d: %g, expected %g", k, got, want)
				}
			}
			for _, one := range []*Rows{r, with} {
				_, d := one.Dims()
				for what, f := range map[string]func(dst []float64){
					"MulT":       func(dst []float64) { one.MulT(dst, nil, []int{}) },
					"MulHessian": func(dst []float64) { one.MulHessian(dst, w[:d], nil, []int{}) },
					"Diagonal":   func(dst []float64) { one.Diagonal(dst, nil, []int{}) },
				} {
					dst := slices.Repeat([]float64{9}, d)
					if f(dst); !slices.Equal(dst, make([]float64, d)) {
						t.Errorf("%s of no rows is %v", what, dst)
					}
				}
				one.Mul(nil, w[:d], []int{})
			}
		}
	}
}

// Sums of many rows are of up to sixteen parts, which need not be as long as each other.
func TestPartsOfSums(t *testing.T) {
	for _, n := range []int{1, 3277, 6553, 6554, 52_000, 60_001} { // of 10 entries a row
		x := mat.NewDense(n, 10, nil)
		for i := range n {
			for j := range 10 {
				x.Set(i, j, float64((i*7+j)%5-2))
			}
		}
		r := New(data.Rows{Dense: x}, nil).WithConstant()
		z, back, want := make([]float64, n), slices.Repeat([]float64{9}, 11), make([]float64, 11)
		for i := range z {
			z[i] = float64(i % 3)
			for j, v := range x.RawRowView(i) {
				want[j] += z[i] * v
			}
			want[10] += z[i]
		}
		for range 2 { // what a part had before does not count
			if r.MulT(back, z, nil); !slices.Equal(back, want) {
				t.Errorf("%d rows: %v, expected %v", n, back, want)
			}
		}
		if parts := len(r.partial) + 1; parts > 16 || n == 60_001 && parts < 15 || n <= 6553 && parts > 1 {
			t.Errorf("%d rows are added in %d parts", n, parts)
		}
	}
}

// Sums of many numbers have parts only where each has four entries a number.
func TestPartsOfWideSums(t *testing.T) {
	for n, parts := range map[int]int{7999: 1, 8000: 2, 11_999: 2, 12_000: 3} {
		r := &Rows{n: n, d: 10_000, stored: 10}
		dst := make([]float64, r.d)
		r.sum(dst, n, func(to []float64, k int) { to[k%r.d]++ })
		if len(r.partial)+1 != parts || dst[0]+dst[5] != float64((n+9999)/10_000+(n+9994)/10_000) {
			t.Errorf("%d rows are added in %d parts, want %d", n, len(r.partial)+1, parts)
		}
	}
}
