package blas

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// What the package does without a context is what its Backend does, and shapes that do not fit are the caller's mistake.
func TestWithoutContext(t *testing.T) {
	a, b := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(3, 2, []float64{1, 0, -1, 2, 0.5, 1})
	c := mat.NewDense(2, 2, []float64{10, 20, 30, 40})
	Gemm(2, N(a), N(b), 0.5, c)
	if want := []float64{6, 24, 19, 52}; !mat.Equal(c, mat.NewDense(2, 2, want)) {
		t.Errorf("%v, want %v", c.RawMatrix().Data, want)
	}
	if got := Product(T(a), T(b)); got.At(2, 1) != -3+6*2 {
		t.Errorf("%v", got.RawMatrix().Data)
	}
	s := mat.NewDense(2, 2, []float64{2, -7, 4, 6})
	Syrk(3, N(a), 0.5, s)
	if want := []float64{43, 98, 98, 234}; !mat.Equal(s, mat.NewDense(2, 2, want)) {
		t.Errorf("%v, want %v", s.RawMatrix().Data, want)
	}
	SyrkLower(1, T(b), 0, s)
	if s.At(0, 0) != 2.25 || s.At(1, 0) != -1.5 || s.At(1, 1) != 5 {
		t.Errorf("%v", s.RawMatrix().Data)
	}
	values, vectors := make([]float64, 2), mat.NewDense(2, 2, nil)
	if err := SymEigen(mat.NewDense(2, 2, []float64{2, 1, 1, 2}), values, vectors); err != nil ||
		math.Abs(values[0]-1) > 1e-15 || math.Abs(values[1]-3) > 1e-15 {
		t.Errorf("eigenvalues %v, %v", values, err)
	}
	for words, f := range map[string]func(){
		"Gemm of 2x3 and 2x3 into 2x2":         func() { Gemm(1, N(a), N(a), 0, c) },
		"Gemm of 2x3 and 3x2 into 3x2":         func() { Gemm(1, N(a), N(b), 0, b) },
		"Gemm of 2x3 and 3x2 into 2x3":         func() { Gemm(1, N(a), N(b), 0, mat.NewDense(2, 3, nil)) },
		"Syrk of 2x3 into 3x2":                 func() { Syrk(1, N(a), 0, b) },
		"Syrk of 2x3 into 2x3":                 func() { Syrk(1, N(a), 0, mat.NewDense(2, 3, nil)) },
		"of a 2x3 matrix, which is not square": func() { _ = (&Cholesky{}).Factor(mat.DenseCopyOf(a)) },
	} {
		failtest.Names(t, words, f)
	}
}

// The number of threads is told, is one at least, and one that works alone has one.
func TestThreadsAreTold(t *testing.T) {
	was := pureGo.workers()
	defer SetThreads(was)
	for given, want := range map[int]int{2: min(2, runtime.GOMAXPROCS(0)), 1: 1, 0: 1, -2: 1} {
		SetThreads(given)
		if got := Name(); got != fmt.Sprintf("pure Go, %d threads", want) {
			t.Errorf("%d threads: %s", given, got)
		}
	}
	SetThreads(2)
	if got := Alone().engine().workers(); got != 1 {
		t.Errorf("one alone has %d threads", got)
	}
}

// The models of the secular equation are solved in the interval that is asked for.
func TestRootsOfTwoPoles(t *testing.T) {
	for _, p := range []float64{-3, -1, -0.25, 0} {
		for _, q := range []float64{0.125, 1, 5} {
			for _, c := range []float64{-2, -0.5, 0.75, 3} {
				const a, b = 0.3, 1.7 // weights that are unequal
				miss := func(x float64) float64 { return c + a/(p-x) + b/(q-x) }
				if x := between(p, q, a, b, c); !(x > p && x < q) || math.Abs(miss(x)) > 1e-12*(math.Abs(c)+a/(x-p)+b/(q-x)) {
					t.Errorf("poles %g and %g, constant %g: %g between them misses by %g", p, q, c, x, miss(x))
				}
				if c < 0 {
					continue
				}
				if x := above(p, q, a, b, c); !(x > q) || math.Abs(miss(x)) > 1e-12*(c+a/(x-p)+b/(x-q)) {
					t.Errorf("poles %g and %g, constant %g: %g above them misses by %g", p, q, c, x, miss(x))
				}
			}
		}
	}
}

// Rows that are listed are those of the matrix, whether they follow each other or have to be gathered.
func TestListedRows(t *testing.T) {
	x := blas32.General{Rows: 5, Cols: 2, Stride: 3, Data: make([]float32, 14)}
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	for _, idx := range [][]int{nil, {1, 2, 3}, {4, 1, 2}, {2}, {0, 1, 3}, {3, 2}} {
		l, want := rowsOf(x, idx), idx
		if idx == nil {
			want = []int{0, 1, 2, 3, 4}
		}
		if l.n != len(want) {
			t.Errorf("%v: %d rows", idx, l.n)
		}
		var work []float32
		for lo := range want {
			for h := 1; lo+h <= len(want); h++ {
				part := l.slice(&work, lo, h)
				for r := range h {
					for c := range 2 {
						if got := part.Data[r*part.Stride+c]; part.Rows != h || got != float32(3*want[lo+r]+c) {
							t.Errorf("%v from %d: row %d, column %d is %g", idx, lo, r, c, got)
						}
					}
				}
			}
		}
	}
	for _, bad := range []int{-1, 5} {
		failtest.Names(t, "a row that the matrix does not have", func() { rowsOf(x, []int{0, bad}) })
	}
}

// What cannot be factored or decomposed is told by its place, and shapes that do not fit are the caller's mistake.
func TestFaultsAreTold(t *testing.T) {
	var lu LU
	a := mat.NewDense(3, 3, []float64{0, 1, 0, 4, 2, 0, 1, 0, 3})
	if err := lu.Factor(mat.DenseCopyOf(a)); err != nil {
		t.Errorf("an exchange of columns: %v", err)
	}
	a.SetRow(1, []float64{0, 2, 0})
	var singular *Singular
	if err := lu.Factor(mat.DenseCopyOf(a)); !errors.As(err, &singular) || singular.Pivot != 1 ||
		err.Error() != "matrix is singular: no pivot at row 1" {
		t.Errorf("dependent rows: %v", err)
	}
	for at, bad := range map[[2]int]float64{{0, 0}: math.NaN(), {2, 1}: math.Inf(1), {2, 2}: math.Inf(-1)} {
		s := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
		s.Set(at[0], at[1], bad)
		want := fmt.Sprintf("symmetric eigenproblem: entry (%d, %d) is %v", at[0], at[1], bad)
		if err := SymEigen(s, make([]float64, 3), mat.NewDense(3, 3, nil)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	wide, three := mat.NewDense(2, 3, nil), mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	if err := lu.Factor(mat.DenseCopyOf(three)); err != nil {
		t.Fatal(err)
	}
	for words, f := range map[string]func(){
		"LU of order 3 solves for 2 rows":    func() { lu.Solve(wide) },
		"blas: LU of a 2x3 matrix":           func() { _ = lu.Factor(wide) },
		"blas: SymEigen of a 2x3 matrix":     func() { _ = SymEigen(wide, make([]float64, 2), three) },
		"blas: eigenvectors of a 2x3 matrix": func() { _ = SymEigen(three, make([]float64, 3), wide) },
		"SymEigen of order 3 into 2 vectors": func() { _ = SymEigen(three, make([]float64, 3), mat.NewDense(2, 2, nil)) },
		"SymEigen of order 3 into 2 values":  func() { _ = SymEigen(three, make([]float64, 2), mat.NewDense(3, 3, nil)) },
		"blas: Transpose of a 2x3 matrix":    func() { Transpose(wide) },
	} {
		failtest.Names(t, words, f)
	}
}

// The sign of an eigenvector makes the first of its largest entries positive, those counted that rounding may have made smaller.
func TestSignOfAVector(t *testing.T) {
	for _, c := range [][2][]float64{
		{{1, -2, 0}, {-1, 2, 0}}, {{-3, 3}, {3, -3}}, {{3, -3}, {3, -3}}, {{-3 * (1 - 0x1p-40), 3}, {3 * (1 - 0x1p-40), -3}},
		{{-3 * (1 - 1e-7), 3}, {-3 * (1 - 1e-7), 3}}, {{0, 0}, {0, 0}},
	} {
		got := slices.Clone(c[0])
		if positive(got); !slices.Equal(got, c[1]) {
			t.Errorf("%v turned into %v, want %v", c[0], got, c[1])
		}
	}
}

// A factor that grows makes room by doubling from 32 on, and keeps its rows; a product by slabs has an even number of them.
func TestRoom(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 32}, {0, 32, 32}, {0, 33, 64}, {64, 65, 128}, {64, 10, 64}} {
		if got := orderFor(c[0], c[1]); got != c[2] {
			t.Errorf("room for %d from %d is %d, want %d", c[1], c[0], got, c[2])
		}
	}
	l := mat.NewDense(40, 40, nil)
	l.Apply(func(i, j int, _ float64) float64 {
		if j > i {
			return math.NaN()
		}
		return float64(100*i + j)
	}, l)
	var f Growing
	f.Take(l)
	if f.Len() != 40 || len(f.Row(39)) != 40 || f.Row(39)[0] != 3900 || f.Row(39)[39] != 3939 || f.Row(0)[0] != 0 {
		t.Errorf("%d rows, the last is %v", f.Len(), f.Row(39))
	}
}

// A symmetric product has an even number of slabs of a quarter of a megabyte or more, at most sixteen; small ones have one.
func TestSlabs(t *testing.T) {
	for n, want := range map[int]int{1: 1, 100: 1, 361: 1, 363: 2, 600: 4, 1023: 14, 1024: 16, 1100: 16, 5000: 16} {
		if got := slabsOf(n); got != want {
			t.Errorf("order %d: %d slabs, want %d", n, got, want)
		}
	}
}
