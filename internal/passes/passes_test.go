package passes

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// drawn are dense rows of which one entry in ten is not zero.
func drawn(n, d int) *mat.Dense {
	random := rand.New(rand.NewPCG(1, uint64(n*d)))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if random.IntN(10) == 0 {
				x.Set(i, j, random.NormFloat64())
			}
		}
	}
	return x
}

// every lists every third row.
func every(n int) (list []int) {
	for i := 0; i < n; i += 3 {
		list = append(list, i)
	}
	return list
}

// values are n numbers, some of them 0 and some 1.
func values(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		if v[i] = math.Sin(float64(i*i)) * float64(i%4); i%5 == 3 {
			v[i] = 1
		}
	}
	return v
}

// The products are those of the matrix that has the rows and the constant, dense and sparse, of all rows and of some.
func TestProducts(t *testing.T) {
	for _, size := range [][2]int{{7, 3}, {4000, 90}} {
		x := drawn(size[0], size[1])
		for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
			for _, constant := range []bool{false, true} {
				for _, among := range [][]int{nil, every(size[0])} {
					agree(t, rowsOf(rows, among, constant), nil)
					agree(t, rowsOf(rows, among, constant), every(min(size[0], 2)))
				}
			}
		}
	}
}

// agree compares the products with those of the matrix, of the rows on.
func agree(t *testing.T, r *Rows, on []int) {
	t.Helper()
	n, d := r.Dims()
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			e := make([]float64, d)
			e[j] = 1
			m.Set(i, j, r.dot(r.number(nil, i), e))
		}
	}
	if on != nil {
		part := mat.NewDense(len(on), d, nil)
		for k, i := range on {
			part.SetRow(k, m.RawRowView(i))
		}
		m, n = part, len(on)
	}
	w, z := values(d), values(n)
	o, back, both, squares := make([]float64, n), make([]float64, d), make([]float64, d), make([]float64, d)
	r.Mul(o, w, on)
	r.MulT(back, z, on)
	r.MulHessian(both, w, z, on)
	r.Diagonal(squares, z, on)
	var wantO, wantBack, wantBoth, h mat.Dense
	wantO.Mul(m, mat.NewDense(d, 1, w))
	wantBack.Mul(m.T(), mat.NewDense(n, 1, z))
	h.Mul(m.T(), scaledRows(m, z))
	wantBoth.Mul(&h, mat.NewDense(d, 1, w))
	same(t, "Mul", o, mat.Col(nil, 0, &wantO))
	same(t, "MulT", back, mat.Col(nil, 0, &wantBack))
	same(t, "MulHessian", both, mat.Col(nil, 0, &wantBoth))
	diagonal := make([]float64, d)
	for j := range d {
		diagonal[j] = h.At(j, j)
	}
	same(t, "Diagonal", squares, diagonal)
}

func scaledRows(m *mat.Dense, c []float64) *mat.Dense {
	s := mat.DenseCopyOf(m)
	for i, v := range c {
		row := s.RawRowView(i)
		for j := range row {
			row[j] *= v
		}
	}
	return s
}

func same(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-9*(1+math.Abs(v))) {
			t.Fatalf("%s: %g at %d, %g wanted", name, got[i], i, v)
		}
	}
}

// Every bit is the same for one and for three processors.
func TestProcessors(t *testing.T) {
	x := data.Rows{Sparse: data.CSRFromDense(drawn(30_000, 60))}
	w, z := values(60), values(30_000)
	products := func(processors int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		r := New(x, nil)
		out, back, both := make([]float64, 30_000), make([]float64, 60), make([]float64, 60)
		r.Mul(out, w, nil)
		r.MulT(back, z, nil)
		r.MulHessian(both, w, z, nil)
		return slices.Concat(out, back, both)
	}
	if !slices.Equal(products(1), products(3)) {
		t.Error("the products depend on the number of processors")
	}
}

// rowsOf is the listed rows, with a constant feature or without.
func rowsOf(x data.Rows, among []int, constant bool) *Rows {
	if constant {
		return New(x, among).WithConstant()
	}
	return New(x, among)
}
