package landmark_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// waves returns n rows of d normal features and c noisy smooth targets of a level of their own.
func waves(n, d, c int, seed uint64) (data.Rows, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 11))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, c, nil)
	for i := range n {
		for k := range d {
			x.Set(i, k, rng.NormFloat64())
		}
		for j := range c {
			y.Set(i, j, float64(3*j+1)+math.Sin(2*x.At(i, 0)+float64(j))+0.5*x.At(i, 1)*x.At(i, j%d)+0.1*rng.NormFloat64())
		}
	}
	return data.Rows{Dense: x}, y
}

// ran is the list lo to hi-1.
func ran(lo, hi int) []int {
	idx := make([]int, hi-lo)
	for i := range idx {
		idx[i] = lo + i
	}
	return idx
}

// alone are folds of one row each.
func alone(n int) [][]int {
	folds := make([][]int, n)
	for i := range folds {
		folds[i] = []int{i}
	}
	return folds
}

func products(t testing.TB, k kernel.Kernel, rows data.Rows, z []int) *kernel.Products {
	t.Helper()
	g, err := k.Bind(context.Background(), rows.Select(z), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernel.NewProducts(g, rows)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onLandmarks is the machine of all rows.
func onLandmarks(t testing.TB, p *kernel.Products, y *mat.Dense, o landmark.Options, lambda float64) *landmark.Fit {
	t.Helper()
	f, err := landmark.NewFolds(t.Context(), p, y, nil, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := f.At(t.Context(), lambda)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// outputs of a fit on the rows of p.
func outputs(t testing.TB, f *landmark.Fit, p *kernel.Products) *mat.Dense {
	t.Helper()
	n, _ := p.Dims()
	_, c := f.Alpha.Dims()
	out := mat.NewDense(n, c, nil)
	if err := p.Mul(t.Context(), out, f.Alpha); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j, b := range f.B {
			out.Set(i, j, out.At(i, j)+b)
		}
	}
	return out
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

// All rows as centres: the machine on K itself.
func TestLandmarksOfAllRows(t *testing.T) {
	rows, y := waves(90, 3, 2, 2)
	k := kernel.Gaussian{Sigma: 1}
	g, err := k.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(90, 90, nil)
	g.Block(gram, nil, nil)
	for _, offset := range []bool{false, true} {
		want, err := rls.Solve(t.Context(), gram, y, nil, offset, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		fitted := mat.NewDense(90, 2, nil)
		want.Fitted(fitted)
		p := products(t, k, rows, ran(0, 90))
		f := onLandmarks(t, p, y, landmark.Options{Offset: offset}, 0.05)
		if off := apart(outputs(t, f, p), fitted); !(off <= 1e-8) || floats.Max(f.Residual) > 1e-12 {
			t.Errorf("offset %v: the outputs are off by %g, residual %g", offset, off, f.Residual)
		}
	}
}

// Left-out outputs are those of n machines trained anew.
func TestLandmarkLeaveOutByRefits(t *testing.T) {
	ctx := context.Background()
	const n = 40
	rows, y := waves(n, 3, 2, 4)
	k, z, lambda := kernel.Gaussian{Sigma: 1.5}, ran(5, 17), 0.03
	for _, offset := range []bool{false, true} {
		o := landmark.Options{Offset: offset}
		o.Ridge = 1e-12
		folds, err := landmark.NewFolds(ctx, products(t, k, rows, z), y, nil, alone(n), o)
		if err != nil {
			t.Fatal(err)
		}
		left, err := folds.LeaveOut(ctx, []float64{7, lambda})
		if err != nil {
			t.Fatal(err)
		}
		g, err := k.Bind(ctx, rows.Select(z), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			others := append(ran(0, i), ran(i+1, n)...)
			rest := mat.NewDense(n-1, 2, nil)
			for a, b := range others {
				rest.SetRow(a, y.RawRowView(b))
			}
			p, err := kernel.NewProducts(g, rows.Select(others))
			if err != nil {
				t.Fatal(err)
			}
			f := onLandmarks(t, p, rest, o, lambda)
			one, err := kernel.NewProducts(g, rows.Select([]int{i}))
			if err != nil {
				t.Fatal(err)
			}
			if off := apart(outputs(t, f, one), left[1].Slice(i, i+1, 0, 2).(*mat.Dense)); !(off <= 1e-8) {
				t.Errorf("offset %v: row %d is off by %g", offset, i, off)
			}
		}
	}
}

// Left-out folds are those of rls on the Nystrom kernel; rows in no fold have none. The machine of all rows is that of rls.
func TestLandmarkFolds(t *testing.T) {
	ctx := context.Background()
	rows, y := waves(80, 3, 2, 6)
	k, z, lambdas := kernel.Gaussian{Sigma: 1.5}, ran(5, 25), []float64{0.05, 3}
	g, err := manifold.Reduced{Base: k, Rows: z}.Bind(ctx, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(80, 80, nil)
	g.Block(gram, nil, nil)
	p := products(t, k, rows, z)
	for _, offset := range []bool{false, true} {
		o := landmark.Options{Offset: offset}
		path, err := rls.NewPath(t.Context(), gram, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		for _, folds := range [][][]int{{ran(0, 30), ran(50, 80), {31, 44}}, {ran(0, 20), ran(20, 80)}, alone(80)} {
			f, err := landmark.NewFolds(ctx, p, y, nil, folds, o)
			if err != nil {
				t.Fatal(err)
			}
			left, err := f.LeaveOut(ctx, lambdas)
			if err != nil {
				t.Fatal(err)
			}
			for q, lambda := range lambdas {
				exact, err := path.At(lambda)
				if err != nil {
					t.Fatal(err)
				}
				want, err := exact.LeaveOut(t.Context(), folds)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 80 {
					if !slices.ContainsFunc(folds, func(b []int) bool { return slices.Contains(b, i) }) {
						want.SetRow(i, make([]float64, 2))
					}
				}
				if off := apart(left[q], want); !(off <= 1e-8) {
					t.Errorf("offset %v, %d folds, lambda %g: off by %g", offset, len(folds), lambda, off)
				}
				whole, err := f.At(ctx, lambda)
				if err != nil {
					t.Fatal(err)
				}
				fitted := mat.NewDense(80, 2, nil)
				exact.Fitted(fitted)
				if off := apart(outputs(t, whole, p), fitted); !(off <= 1e-8) || !(whole.Residual[1] < 1e-9) {
					t.Errorf("offset %v, lambda %g: off by %g, residual %v", offset, lambda, off, whole.Residual)
				}
			}
		}
	}
	if f, err := landmark.NewFolds(ctx, p, y, nil, [][]int{ran(0, 80)}, landmark.Options{}); err != nil {
		t.Error(err)
	} else if _, err := f.LeaveOut(ctx, lambdas); err == nil {
		t.Error("a machine is trained on no row")
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		f, err := landmark.NewFolds(ctx, p, y, nil, [][]int{ran(0, 30), ran(40, 80)}, landmark.Options{Offset: true})
		if err != nil {
			return err
		}
		_, err = f.LeaveOut(ctx, lambdas)
		return err
	})
}

func TestLandmarkFaults(t *testing.T) {
	rows, y := waves(60, 3, 1, 5)
	p := products(t, kernel.Gaussian{Sigma: 1}, rows, ran(0, 20))
	f, err := landmark.NewFolds(t.Context(), p, y, nil, alone(60), landmark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := f.At(t.Context(), lambda); err == nil {
			t.Errorf("a machine is trained at lambda %g", lambda)
		}
		if _, err := f.LeaveOut(t.Context(), []float64{1, lambda}); err == nil {
			t.Errorf("rows are left out at lambda %g", lambda)
		}
	}
	y.Set(3, 0, math.NaN())
	if _, err := landmark.NewFolds(t.Context(), p, y, nil, nil, landmark.Options{}); err == nil {
		t.Error("NaN is taken")
	}
}

// Machines on landmarks with weights: all rows as centres are the machine on K itself.
func TestWeightedLandmarkFolds(t *testing.T) {
	rows, y := waves(40, 3, 2, 4)
	w := make([]float64, 40)
	for i := range w {
		w[i] = []float64{0.2, 3, 1, 1, 0.7, 5, 2, 0.01, 1, 4, 1, 0.5}[i%12]
	}
	base := kernel.Gaussian{Sigma: 0.8}
	g, err := base.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := mat.NewDense(40, 40, nil)
	g.Block(gram, nil, nil)
	folds := [][]int{ran(0, 7), ran(7, 30), ran(30, 40)}
	for _, offset := range []bool{false, true} {
		f, err := landmark.NewFolds(t.Context(), products(t, base, rows, ran(0, 40)), y, w, folds,
			landmark.Options{Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.LeaveOut(t.Context(), []float64{0.2})
		if err != nil {
			t.Fatal(err)
		}
		want, err := rls.Solve(t.Context(), gram, y, w, offset, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		left, err := want.LeaveOut(t.Context(), folds)
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(out[0], left); d > 1e-6 {
			t.Errorf("offset %v: left-out outputs differ by %g", offset, d)
		}
		one, err := f.At(t.Context(), 0.2)
		if err != nil {
			t.Fatal(err)
		}
		if o := want.Objective(); !(math.Abs(one.Objective-o) <= 1e-6*(1+math.Abs(o))) {
			t.Errorf("offset %v: the objective is %.15g, expected %.15g", offset, one.Objective, o)
		}
	}
}

// Folds whose sums are known end with the error of their context wherever leaving out and training are stopped, and the sums of every
// part, whichever look it is that is told to stop. A fold with a target that is no number is refused, and so are landmarks of a kernel
// that is not positive.
func TestLandmarksStopped(t *testing.T) {
	rows, y := waves(60, 3, 1, 5)
	p := products(t, kernel.Gaussian{Sigma: 1}, rows, ran(0, 20))
	folds := [][]int{ran(0, 25), {}, ran(35, 60)}
	f, err := landmark.NewFolds(t.Context(), p, y, nil, folds, landmark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := f.LeaveOut(ctx, []float64{0.1, 2}); return err })
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := f.At(ctx, 0.1); return err })
	for looks := range 1000 {
		c := stoptest.After(t.Context(), looks)
		if _, err := landmark.NewFolds(c, p, y, nil, folds, landmark.Options{}); (err != nil) != c.Ended() {
			t.Errorf("told to stop after %d looks: %v", looks, err)
		}
		if !c.Ended() {
			break
		}
	}
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 0, math.NaN())
	if _, err := landmark.NewFolds(t.Context(), p, bad, nil, alone(60), landmark.Options{}); err == nil {
		t.Error("NaN is taken in a fold")
	}
	small := mat.DenseCopyOf(rows.Dense)
	small.Scale(0.1, small) // the diagonal is about -0.7
	p = products(t, kernel.Sigmoid{Scale: 1, Offset: -1}, data.Rows{Dense: small}, ran(0, 20))
	if _, err := landmark.NewFolds(t.Context(), p, y, nil, nil, landmark.Options{}); err == nil {
		t.Error("landmarks of a negative diagonal are taken")
	}
}
