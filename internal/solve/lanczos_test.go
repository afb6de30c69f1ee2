package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rings is the Laplacian of cycles of the given lengths, whose eigenvalues are
// 2 - 2 cos(2 pi j/m): every one but the ends twice.
func rings(lengths ...int) (n int, a Apply, values []float64) {
	next, prev := []int{}, []int{}
	for _, m := range lengths {
		for j := range m {
			next = append(next, n+(j+1)%m)
			prev = append(prev, n+(j+m-1)%m)
			values = append(values, 2-2*math.Cos(2*math.Pi*float64(j)/float64(m)))
		}
		n += m
	}
	slices.Sort(values)
	return n, func(dst, x *mat.Dense) {
		for i := range n {
			to, at, l, r := dst.RawRowView(i), x.RawRowView(i), x.RawRowView(prev[i]), x.RawRowView(next[i])
			for j := range to {
				to[j] = 2*at[j] - l[j] - r[j]
			}
		}
	}, values
}

// checkPairs checks values, orthonormality and the certificate of a result.
func checkPairs(t *testing.T, r EigenResult, a Apply, want []float64, tol float64) {
	t.Helper()
	n, k := r.Vectors.Dims()
	for j, v := range r.Values {
		if math.Abs(v-want[j]) > tol {
			t.Errorf("value %d is %.15g, want %.15g", j, v, want[j])
		}
	}
	var g mat.Dense
	g.Mul(r.Vectors.T(), r.Vectors)
	for i := range k {
		g.Set(i, i, g.At(i, i)-1)
	}
	if m := mat.Max(&g); m > 1e-10 || mat.Min(&g) < -1e-10 {
		t.Errorf("vectors are orthonormal to %g", m)
	}
	ax := mat.NewDense(n, k, nil)
	a(ax, r.Vectors)
	for j, c := range residuals(r.Vectors, ax, r.Values) {
		if math.Abs(c-r.Residual[j]) > 1e-12*r.Norm || c > 1e-8*r.Norm {
			t.Errorf("residual %d is %g, the certificate %g", j, c, r.Residual[j])
		}
	}
}

func TestEigenFindsMultipleEigenvalues(t *testing.T) {
	for _, c := range []struct {
		lengths []int
		k       int
	}{
		{[]int{40, 40, 40}, 7},              // dense
		{[]int{1000}, 5},                    // 0 and pairs with gaps of 1e-5
		{[]int{150, 150, 150, 150, 150}, 8}, // five zeros, then ten equal ones, cut
		{[]int{300, 200, 150}, 3},
		{[]int{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}, 2}, // more zeros than vectors carried
	} {
		n, a, values := rings(c.lengths...)
		t.Run(fmt.Sprint(c.lengths, c.k), func(t *testing.T) {
			r, err := Eigen(context.Background(), a, n, c.k, EigenOptions{})
			if err != nil || !r.Status.Converged() {
				t.Fatalf("%v, %v", r.Status, err)
			}
			checkPairs(t, r, a, values, 1e-10)
			t.Logf("%d products", r.Products)
			slices.Reverse(values)
			if r, err = Eigen(context.Background(), a, n, c.k, EigenOptions{Largest: true}); err != nil || !r.Status.Converged() {
				t.Fatalf("largest: %v, %v", r.Status, err)
			}
			checkPairs(t, r, a, values, 1e-10)
		})
	}
}

// A random matrix, against gonum's decomposition; the vectors too.
func TestEigenEqualsDense(t *testing.T) {
	const n = 420
	rng := rand.New(rand.NewPCG(5, 6))
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, rng.NormFloat64())
		}
	}
	var full mat.EigenSym
	if !full.Factorize(s, true) {
		t.Fatal("no decomposition")
	}
	var all mat.Dense
	full.VectorsTo(&all)
	want := full.Values(nil)
	r, err := Eigen(context.Background(), operator(s), n, 6, EigenOptions{})
	if err != nil || r.Status != ResidualSmall {
		t.Fatalf("%v, %v", r.Status, err)
	}
	checkPairs(t, r, operator(s), want, 1e-9)
	for j := range 6 {
		if d := math.Abs(mat.Dot(r.Vectors.ColView(j), all.ColView(j))); math.Abs(d-1) > 1e-9 {
			t.Errorf("vector %d: inner product %.12g", j, d)
		}
	}
}

// Project takes the null space away: the first pair is that of the next
// eigenvalue, with both ways of solving.
func TestEigenOutsideASubspace(t *testing.T) {
	for _, m := range []int{60, 500} {
		n, a, values := rings(m, m)
		means := func(x *mat.Dense) {
			_, c := x.Dims()
			for j := range c {
				for lo := 0; lo < n; lo += m {
					sum := 0.0
					for i := lo; i < lo+m; i++ {
						sum += x.At(i, j)
					}
					for i := lo; i < lo+m; i++ {
						x.Set(i, j, x.At(i, j)-sum/float64(m))
					}
				}
			}
		}
		r, err := Eigen(context.Background(), a, n, 5, EigenOptions{Project: means})
		if err != nil || r.Status != ResidualSmall {
			t.Fatalf("%v, %v", r.Status, err)
		}
		checkPairs(t, r, a, values[2:], 1e-10)
	}
}

func TestEigenDoesNotDependOnThreads(t *testing.T) {
	n, a, _ := rings(3000, 2000)
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	one, _ := Eigen(context.Background(), a, n, 3, EigenOptions{MaxProducts: 2000})
	runtime.GOMAXPROCS(2)
	two, _ := Eigen(context.Background(), a, n, 3, EigenOptions{MaxProducts: 2000})
	if !slices.Equal(one.Values, two.Values) || !mat.Equal(one.Vectors, two.Vectors) {
		t.Error("one thread and two differ")
	}
	if one.Status != BudgetSpent {
		t.Errorf("status %v after %d products", one.Status, one.Products)
	}
}

func TestEigenOfDegenerateOperators(t *testing.T) {
	zero := func(dst, _ *mat.Dense) { dst.Zero() }
	for _, n := range []int{1, 5, 400} {
		r, err := Eigen(context.Background(), zero, n, 1, EigenOptions{})
		if err != nil || !r.Status.Converged() || r.Values[0] != 0 || r.Residual[0] != 0 {
			t.Errorf("zero of order %d: %+v, %v", n, r.Values, err)
		}
	}
	broken := func(dst, x *mat.Dense) { dst.Copy(x); dst.Set(3, 0, math.NaN()) }
	for _, n := range []int{5, 400} {
		if _, err := Eigen(context.Background(), broken, n, 1, EigenOptions{}); err == nil {
			t.Errorf("order %d: a product that is not finite is accepted", n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n, a, _ := rings(700)
	count := 0
	r, err := Eigen(ctx, func(dst, x *mat.Dense) {
		if count++; count == 60 {
			cancel()
		}
		a(dst, x)
	}, n, 2, EigenOptions{})
	if !errors.Is(err, context.Canceled) || r.Vectors == nil || r.Status != Unfinished {
		t.Errorf("cancelled: %v, %v", r.Status, err)
	}
}

func BenchmarkEigen(b *testing.B) {
	n, a, _ := rings(100_000)
	for b.Loop() {
		if _, err := Eigen(context.Background(), a, n, 4, EigenOptions{Tolerance: 1e-6}); err != nil {
			b.Fatal(err)
		}
	}
}
