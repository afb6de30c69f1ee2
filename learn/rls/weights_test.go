package rls_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// unequal are the weights of 12 rows.
func unequal() []float64 { return []float64{0.2, 3, 1, 1, 0.7, 5, 2, 0.01, 1, 4, 1, 0.5} }

// weighted solves the bordered system with weights by dense LU: the slow twin. Rows without a part are
// left out.
func weighted(k, y *mat.Dense, w []float64, out []int, lambda float64, offset bool) (alpha *mat.Dense, b []float64) {
	var kept []int
	for i := range w {
		if !slices.Contains(out, i) {
			kept = append(kept, i)
		}
	}
	l, n := len(kept), len(kept)
	_, c := y.Dims()
	if offset {
		n++
	}
	a, rhs := mat.NewDense(n, n, nil), mat.NewDense(n, c, nil)
	for p, i := range kept {
		for q, j := range kept {
			a.Set(p, q, k.At(i, j))
		}
		a.Set(p, p, k.At(i, i)+lambda/w[i])
		rhs.SetRow(p, y.RawRowView(i))
		if offset {
			a.Set(p, l, 1)
			a.Set(l, p, 1)
		}
	}
	var x mat.Dense
	if err := x.Solve(a, rhs); err != nil {
		panic(err)
	}
	all, _ := y.Dims()
	alpha, b = mat.NewDense(all, c, nil), make([]float64, c)
	for p, i := range kept {
		alpha.SetRow(i, x.RawRowView(p))
	}
	if offset {
		copy(b, x.RawRowView(l))
	}
	return alpha, b
}

// predicted is K alpha + b.
func predicted(k, alpha *mat.Dense, b []float64) *mat.Dense {
	var f mat.Dense
	f.Mul(k, alpha)
	f.Apply(func(_, j int, v float64) float64 { return v + b[j] }, &f)
	return &f
}

// waysOf are the three ways to one fit with weights: the path, one lambda alone, and columns.
func waysOf(t *testing.T, x, k, y *mat.Dense, w []float64, offset bool, lambda float64) map[string]*rls.Fit {
	t.Helper()
	path, err := rls.NewPath(context.Background(), k, y, w, offset)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := rls.NewColumns(context.Background(), x, y, w, offset)
	if err != nil {
		t.Fatal(err)
	}
	one, err := rls.Solve(context.Background(), k, y, w, offset, lambda)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*rls.Fit{"path": at(t, path, lambda), "columns": at(t, columns, lambda), "one lambda": one}
}

func TestWeightedFitsAndLeaveOut(t *testing.T) {
	x, k := features(12, 5, 0, 0, 3)
	_, y := instance(12, 2, 9)
	w := unequal()
	for _, offset := range []bool{false, true} {
		for name, f := range waysOf(t, x, k, y, w, offset, 0.3) {
			alpha, b := weighted(k, y, w, nil, 0.3, offset)
			same := func(what string, got, want *mat.Dense) {
				t.Helper()
				if d := apart(got, want); d > 1e-9 {
					t.Errorf("%s, offset %v: %s differ by %g", name, offset, what, d)
				}
			}
			same("coefficients", f.Alpha, alpha)
			want := predicted(k, alpha, b)
			fitted := mat.DenseCopyOf(y)
			f.Fitted(fitted)
			same("fitted values", fitted, want)
			if r := f.Residual(); r > 1e-10 {
				t.Errorf("%s, offset %v: residual %g", name, offset, r)
			}
			var objective float64
			for i := range w {
				for j := range 2 {
					objective += w[i]*math.Pow(y.At(i, j)-want.At(i, j), 2) + 0.3*alpha.At(i, j)*(want.At(i, j)-b[j])
				}
			}
			near(t, name+": objective", f.Objective(), objective, 1e-9)
			for _, folds := range [][][]int{nil, {{0, 3, 4}, {7}, {1, 2}}} {
				out := predicted(k, alpha, b)
				for _, fold := range singles(12, folds) {
					a, b := weighted(k, y, w, fold, 0.3, offset)
					for _, i := range fold {
						out.SetRow(i, predicted(k, a, b).RawRowView(i))
					}
				}
				if folds == nil {
					same("left-out outputs", leftOut(t, f, nil), out)
				} else {
					same("outputs of folds", leftOut(t, f, folds), out)
				}
			}
		}
	}
}

// Equal weights are another lambda, and doubled weights are doubled rows.
func TestWeightsThatAreKnown(t *testing.T) {
	k, y := instance(12, 2, 9)
	same := make([]float64, 12)
	for i := range same {
		same[i] = 4
	}
	for _, offset := range []bool{false, true} {
		got, err := rls.Solve(context.Background(), k, y, same, offset, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(got.Alpha, fit(t, k, y, 0.1, offset).Alpha); d > 1e-10 {
			t.Errorf("offset %v: weights of 4 and lambda 0.4 are not lambda 0.1: %g", offset, d)
		}
		twice := mat.NewDense(13, 13, nil)
		again := mat.NewDense(13, 2, nil)
		from := func(i int) int { return min(i, 11) }
		for i := range 13 {
			again.SetRow(i, y.RawRowView(from(i)))
			for j := range 13 {
				twice.Set(i, j, k.At(from(i), from(j)))
			}
		}
		for i := range same {
			same[i] = 1
		}
		same[11] = 2
		one, err := rls.Solve(context.Background(), k, y, same, offset, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		want := fit(t, twice, again, 0.4, offset).Alpha
		near(t, "a row twice", one.Alpha.At(11, 0), want.At(11, 0)+want.At(12, 0), 1e-9)
		near(t, "the others", one.Alpha.At(3, 1), want.At(3, 1), 1e-9)
		for i := range same {
			same[i] = 4
		}
	}
}

func TestWeightedDerivatives(t *testing.T) {
	k, y := instance(12, 2, 5)
	_, bar := instance(12, 2, 6)
	w := unequal()
	folds := [][]int{{0, 1, 2}, {3, 4, 5, 6}, {7, 8, 9, 10, 11}}
	values := map[string]func(f *rls.Fit, want param.Want) (float64, *mat.Dense, float64, error){
		"leave-one-out": func(f *rls.Fit, want param.Want) (float64, *mat.Dense, float64, error) {
			return pulled(f, nil, bar, want)
		},
		"folds": func(f *rls.Fit, want param.Want) (float64, *mat.Dense, float64, error) {
			return pulled(f, folds, bar, want)
		},
		"gcv": func(f *rls.Fit, want param.Want) (float64, *mat.Dense, float64, error) {
			return f.GCV(context.Background(), want)
		},
		"in sample": func(f *rls.Fit, want param.Want) (float64, *mat.Dense, float64, error) {
			return f.InSample(context.Background(), 0.3, want)
		},
	}
	for _, offset := range []bool{false, true} {
		for name, value := range values {
			at := func(k *mat.Dense, lambda float64, want param.Want) (float64, *mat.Dense, float64) {
				f, err := rls.Solve(context.Background(), k, y, w, offset, lambda)
				if err != nil {
					t.Fatal(err)
				}
				v, g, d, err := value(f, want)
				if err != nil {
					t.Fatal(err)
				}
				return v, g, d
			}
			_, g, d := at(k, 0.3, param.WithGradient)
			const h = 1e-5
			up, _, _ := at(k, 0.3+h, param.ValueOnly)
			down, _, _ := at(k, 0.3-h, param.ValueOnly)
			near(t, name+": by lambda", d, (up-down)/(2*h), 1e-6)
			for _, ij := range [][2]int{{0, 0}, {5, 7}, {2, 11}} {
				up, _, _ := at(nudged(k, ij[0], ij[1], h), 0.3, param.ValueOnly)
				down, _, _ := at(nudged(k, ij[0], ij[1], -h), 0.3, param.ValueOnly)
				want := g.At(ij[0], ij[1])
				if ij[0] != ij[1] {
					want *= 2
				}
				near(t, name+": by an entry of K", want, (up-down)/(2*h), 1e-5)
			}
		}
	}
}

// pulled is <bar, left-out outputs>, whose derivative PullLeaveOut returns.
func pulled(f *rls.Fit, folds [][]int, bar *mat.Dense, want param.Want) (float64, *mat.Dense, float64, error) {
	o, err := f.LeaveOut(context.Background(), folds)
	if err != nil || want == param.ValueOnly {
		var p mat.Dense
		if err == nil {
			p.MulElem(bar, o)
		}
		return mat.Sum(&p), nil, 0, err
	}
	g, d, err := f.PullLeaveOut(context.Background(), folds, bar)
	return 0, g, d, err
}

// apart is the largest difference.
func apart(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	var most float64
	for _, v := range d.RawMatrix().Data {
		if !(math.Abs(v) <= most) {
			most = math.Abs(v)
		}
	}
	return most
}

// TestNothingLeftOfK: where centring leaves hardly more than rounding of a Gram matrix, as of a very wide kernel or of equal rows, a path
// has the answers of one lambda alone.
func TestNothingLeftOfK(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 20
	x, y, w := mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		y.Set(i, 0, rng.NormFloat64())
		w[i] = 0.1 + rng.ExpFloat64()
	}
	for _, sigma := range []float64{1, 1e4, 1e7, 1e8, 1e9} {
		k := mat.NewDense(n, n, nil)
		k.Apply(func(i, j int, _ float64) float64 {
			return math.Exp(-math.Pow(floats.Distance(x.RawRowView(i), x.RawRowView(j), 2)/sigma, 2) / 2)
		}, k)
		for name, weight := range map[string][]float64{"none": nil, "some": w} {
			path, err := rls.NewPath(t.Context(), k, y, weight, true)
			if err != nil {
				t.Fatal(err)
			}
			one, err := rls.Solve(t.Context(), k, y, weight, true, 0.02)
			if err != nil {
				t.Fatal(err)
			}
			got := at(t, path, 0.02)
			if r := got.Residual(); r > 1e-8 || math.Abs(got.Objective()-one.Objective()) > 1e-8*one.Objective() {
				t.Errorf("sigma %g, weights %s: residual %g, objective %g, of one lambda alone %g", sigma, name, r, got.Objective(), one.Objective())
			}
		}
	}
}
