package kernel_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

// histograms are the absolute values of a cloud: a third of the features is zero, the
// last row a copy of the first; the second row is empty.
func histograms(n, d int, seed uint64) data.Rows {
	rows := cloud(n, d, seed)
	rows.Dense.Apply(func(i, _ int, v float64) float64 {
		if i == 1 {
			return 0
		}
		return math.Abs(v)
	}, rows.Dense)
	return rows
}

// chiSums are the chi-square distance and product of two rows by their definition.
func chiSums(x, z []float64) (distance, product float64) {
	for k, v := range x {
		if w := z[k]; v+w > 0 {
			distance += (v - w) * (v - w) / (v + w)
			product += 2 * v * w / (v + w)
		}
	}
	return distance, product
}

func histogramKernels() []kernel.Kernel {
	exp := kernel.ExpChi2{Sigma: 1.3}
	return []kernel.Kernel{
		exp,
		kernel.AddChi2{},
		kernel.Scaled{Weight: 0.4, Base: kernel.AddChi2{}},
		kernel.Sum{
			Terms: []kernel.Kernel{kernel.Columns{Base: exp, Columns: []int{0, 2}}, kernel.Scaled{Weight: 2, Base: kernel.AddChi2{}}},
		},
		kernel.Product{Terms: []kernel.Kernel{exp, kernel.AddChi2{}}},
		kernel.Normalised{Base: kernel.AddChi2{}},
	}
}

func TestChi2Conformance(t *testing.T) {
	maps := []kernel.Kernel{
		kernel.Chi2Map{}, kernel.Chi2Map{Harmonics: 3}, kernel.Chi2Map{Harmonics: 2, Step: 0.6},
		kernel.Scaled{Weight: 2, Base: kernel.Chi2Map{}},
	}
	for _, k := range append(maps, histogramKernels()...) {
		t.Run(kernel.Format(k, nil), func(t *testing.T) {
			kerneltest.Run(t, k, histograms(40, 5, 1))
			kerneltest.Run(t, k, data.Rows{Sparse: data.CSRFromDense(histograms(23, 5, 2).Dense)})
		})
	}
}

// Also beyond one block of features (256), with and without a Work.
func TestChi2Definitions(t *testing.T) {
	for _, d := range []int{3, 5, 300, 515} {
		rows := histograms(45, d, 3)
		for _, k := range histogramKernels() {
			want := mat.NewDense(45, 45, nil)
			want.Apply(func(a, b int, _ float64) float64 {
				return naive(k, rows.Dense.RawRowView(a), rows.Dense.RawRowView(b), a, b)
			}, want)
			for _, w := range []*kernel.Work{nil, new(kernel.Work)} {
				if e := distance(t, full(bind(t, k, rows, w)), want); e > 2e-12*mat.Max(want) {
					t.Errorf("%s, %d columns: off by %g", kernel.Format(k, nil), d, e)
				}
			}
		}
	}
}

// exp-chi2 by a dozen features of known sums: gamma = 1/(2 sigma^2).
func TestChi2ByHand(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(3, 2, []float64{1, 0, 3, 0, 0, 2})}
	m := full(bind(t, kernel.AddChi2{}, rows, nil))
	if want := mat.NewDense(3, 3, []float64{1, 1.5, 0, 1.5, 3, 0, 0, 0, 2}); distance(t, m, want) > 1e-15 {
		t.Errorf("products %v", m)
	}
	m = full(bind(t, kernel.ExpChi2{Sigma: 0.5}, rows, nil)) // gamma = 2; distances 1, 3, 5
	if want := mat.NewDense(3, 3, []float64{1, math.Exp(-2), math.Exp(-6), math.Exp(-2), 1, math.Exp(-10), math.Exp(-6), math.Exp(-10),
		1}); distance(
		t,
		m,
		want,
	) > 1e-15 {
		t.Errorf("exponentials %v", m)
	}
}

// The kernels are homogeneous: features in other units are the same kernel with another
// width or weight, from the smallest numbers to the largest.
func TestChi2Units(t *testing.T) {
	rows := histograms(20, 6, 4)
	for _, form := range []func(*mat.Dense) data.Rows{
		func(x *mat.Dense) data.Rows { return data.Rows{Dense: x} },
		func(x *mat.Dense) data.Rows { return data.Rows{Sparse: data.CSRFromDense(x)} },
	} {
		want := full(bind(t, kernel.AddChi2{}, form(rows.Dense), nil))
		near := full(bind(t, kernel.ExpChi2{Sigma: 1.5}, form(rows.Dense), nil))
		for _, e := range []int{-1000, -300, -1, 200, 980} {
			u := math.Ldexp(1, e)
			var x, back mat.Dense
			x.Scale(u, rows.Dense)
			back.Scale(1/u, full(bind(t, kernel.AddChi2{}, form(&x), nil)))
			if d := distance(t, &back, want); d > 1e-13 {
				t.Errorf("units of 2^%d: products differ by %g", e, d)
			}
			if d := distance(t, full(bind(t, kernel.ExpChi2{Sigma: 1.5 * math.Sqrt(u)}, form(&x), nil)), near); d > 1e-13 {
				t.Errorf("units of 2^%d: exponentials differ by %g", e, d)
			}
		}
	}
}

// New rows far larger than all training rows.
func TestChi2LargeNewRows(t *testing.T) {
	train := histograms(10, 3, 5)
	g := bind(t, kernel.AddChi2{}, train, nil)
	x := mat.NewDense(2, 3, []float64{1e200, 1e199, 3e199, 0, 2, 1})
	dst := mat.NewDense(2, 10, nil)
	if err := g.Cross(dst, data.Rows{Dense: x}, nil); err != nil {
		t.Fatal(err)
	}
	for b := range 10 { // beside 1e200 everything is nothing, even 2z = 2 x z/(x + z)
		if v := dst.At(0, b); !(math.Abs(v) <= 1e200*1e-28) {
			t.Errorf("row %d: %g", b, v)
		}
	}
	x.SetRow(0, []float64{1e20, 0, 3})
	if err := g.Cross(dst, data.Rows{Dense: x}, nil); err != nil {
		t.Fatal(err)
	}
	for b := range 10 {
		for a := range 2 {
			_, want := chiSums(x.RawRowView(a), train.Dense.RawRowView(b))
			if got := dst.At(a, b); !(math.Abs(got-want) <= 1e-9*(1+want)) {
				t.Errorf("new row %d, row %d: %g, expected %g", a, b, got, want)
			}
		}
	}
}

// Nearly equal sparse rows keep their distance, although |x|_1 + |z|_1 - 2 k cancels.
func TestChi2ClosePairs(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1000, 500, 0, 1000 + 1e-4, 500, 0})
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		const sigma = 1e-6
		m := full(bind(t, kernel.ExpChi2{Sigma: sigma}, rows, nil))
		want := 1e-8 / (2000 + 1e-4)
		if got := -2 * sigma * sigma * math.Log(m.At(0, 1)); math.Abs(got/want-1) > 1e-8 {
			t.Errorf("distance %g, expected %g", got, want)
		}
	}
}

func TestChi2Faults(t *testing.T) {
	good := histograms(6, 3, 6)
	bad := mat.DenseCopyOf(good.Dense)
	bad.Set(4, 2, -0.25)
	nan := mat.DenseCopyOf(good.Dense)
	nan.Set(3, 1, math.NaN())
	huge := mat.DenseCopyOf(good.Dense)
	huge.Set(2, 0, math.MaxFloat64)
	for _, k := range []kernel.Kernel{kernel.ExpChi2{Sigma: 1}, kernel.AddChi2{}, kernel.Chi2Map{}} {
		for want, x := range map[string]*mat.Dense{"row 4, column 2 is -0.25": bad, "row 3, column 1 is NaN": nan, "row 2 sums to": huge} {
			for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
				if _, err := k.Bind(context.Background(), rows, nil); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%T: error %v, expected ... %s", k, err, want)
				}
				err := bind(t, k, good, nil).Cross(mat.NewDense(6, 6, nil), rows, nil)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%T: Cross: error %v, expected ... %s", k, err, want)
				}
			}
		}
		if err := bind(t, k, good, nil).Cross(mat.NewDense(2, 6, nil), histograms(2, 4, 7), nil); err == nil ||
			!strings.Contains(err.Error(), "4 columns, the training rows 3") {
			t.Errorf("%T: rows of another width: error %v", k, err)
		}
	}
	// Adapt lets Bind complain.
	if _, err := (kernel.ExpChi2{}).Adapt(data.Rows{Dense: bad}).Bind(context.Background(), data.Rows{Dense: bad}, nil); err == nil ||
		!strings.Contains(err.Error(), "row 4") {
		t.Errorf("error %v", err)
	}
}

func TestChi2Adapt(t *testing.T) {
	// One feature 0, 1, 4: distances 1, 4 and 9/5, whose median is 9/5.
	rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 1, 4})}
	for _, rows := range []data.Rows{rows, {Sparse: data.CSRFromDense(rows.Dense)}} {
		k := kernel.ExpChi2{}.Adapt(rows).(kernel.ExpChi2)
		if math.Abs(k.Sigma-math.Sqrt(1.8)) > 1e-15 {
			t.Errorf("sigma %g, expected sqrt(9/5)", k.Sigma)
		}
	}
	if k := (kernel.ExpChi2{}).Adapt(data.Rows{Dense: mat.NewDense(1, 1, nil)}).(kernel.ExpChi2); k.Sigma != 1 {
		t.Errorf("sigma of one row %g", k.Sigma)
	}
}

// grid are places in (0, 1], denser towards 0.
func grid() []float64 {
	var x []float64
	for e := -30.0; e < 0; e += 0.05 {
		x = append(x, math.Exp(e))
	}
	for i := range 200 {
		x = append(x, float64(i+1)/200)
	}
	return x
}

// mapped is phi of one feature, by the formula.
func mapped(k kernel.Chi2Map, x float64) []float64 {
	step := k.Step
	phi := []float64{math.Sqrt(x * step)}
	for j := 1; j <= k.Harmonics; j++ {
		f := float64(j) * step
		a := math.Sqrt(2 * x * step / math.Cosh(math.Pi*f))
		phi = append(phi, a*math.Cos(f*math.Log(x)), a*math.Sin(f*math.Log(x)))
	}
	return phi
}

// The largest errors that the sources' steps leave on (0, 1]^2.
func TestChi2MapErrors(t *testing.T) {
	x := grid()
	rows := data.Rows{Dense: mat.NewDense(len(x), 1, x)}
	exact := full(bind(t, kernel.AddChi2{}, rows, nil))
	for n, c := range map[int]struct{ step, worst float64 }{
		1: {0.8, 0.057}, 2: {0.5, 0.015}, 3: {0.4, 0.013}, 4: {0.4, 0.0029}, 5: {0.4, 0.0017}, 6: {0.35, 0.0008},
	} {
		k := kernel.Chi2Map{Harmonics: n, Step: c.step}
		e := distance(t, full(bind(t, k, rows, nil)), exact)
		if math.Abs(e-c.worst) > 0.02*c.worst+0.0005 {
			t.Errorf("%d harmonics: largest error %.5f, expected %g", n, e, c.worst)
		}
		if d := distance(t, full(bind(t, kernel.Chi2Map{Harmonics: n}, rows, nil)), full(bind(t, k, rows, nil))); d != 0 {
			t.Errorf("%d harmonics: the default step is another", n)
		}
		if k.Features() != 2*n+1 {
			t.Errorf("%d features", k.Features())
		}
	}
	// With a short step and many harmonics the kernel itself.
	if e := distance(t, full(bind(t, kernel.Chi2Map{Harmonics: 64, Step: 0.15}, data.Rows{Dense: mat.NewDense(200, 1, x[len(x)-200:])}, nil)),
		full(bind(t, kernel.AddChi2{}, data.Rows{Dense: mat.NewDense(200, 1, x[len(x)-200:])}, nil))); e > 1e-6 {
		t.Errorf("64 harmonics: %g", e)
	}
}

// Map is the formula; dense and sparse rows become the same, rows keep their identity,
// and the linear kernel on them is the kernel.
func TestChi2Map(t *testing.T) {
	rows := histograms(12, 4, 8).Select([]int{3, 1, 7, 9})
	for _, k := range []kernel.Chi2Map{{Harmonics: 1, Step: 0.8}, {Harmonics: 5, Step: 0.2}} {
		got, err := k.Map(rows)
		if err != nil {
			t.Fatal(err)
		}
		w := k.Features()
		for i := range rows.Len() {
			for c := range rows.Dim() {
				for q, want := range mapped(k, rows.Dense.At(i, c)) {
					if rows.Dense.At(i, c) == 0 {
						want = 0
					}
					if v := got.Dense.At(i, c*w+q); math.Abs(v-want) > 1e-15*float64(w) {
						t.Errorf("row %d, column %d, feature %d: %.17g, expected %.17g", i, c, q, v, want)
					}
				}
			}
		}
		sp, err := k.Map(data.Rows{Sparse: data.CSRFromDense(rows.Dense), ID: rows.ID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := data.NewCSR(sp.Sparse.R, sp.Sparse.C, sp.Sparse.Start, sp.Sparse.Index, sp.Sparse.Value); err != nil {
			t.Error(err)
		}
		if !mat.Equal(sp.Sparse.ToDense(), got.Dense) {
			t.Error("sparse rows become others")
		}
		if got.RowID(0) != 3 || sp.RowID(3) != 9 {
			t.Errorf("identities %v and %v", got.ID, sp.ID)
		}
		if e := distance(t, full(bind(t, kernel.Linear{}, got, nil)), full(bind(t, k, rows, nil))); e > 1e-15 {
			t.Errorf("linear on the mapped rows differs by %g", e)
		}
	}
	if _, err := (kernel.Chi2Map{Harmonics: -1}).Map(rows); err == nil {
		t.Error("-1 harmonics")
	}
}

// Rows in another order, and twice, are the same kernel.
func TestChi2RowOrder(t *testing.T) {
	rows := histograms(50, 7, 9)
	idx := rand.New(rand.NewPCG(1, 1)).Perm(50)
	idx = append(idx, idx[:13]...)
	for _, k := range []kernel.Kernel{kernel.ExpChi2{Sigma: 1}, kernel.AddChi2{}} {
		a, b := full(bind(t, k, rows, nil)), full(bind(t, k, rows.Select(idx), nil))
		for p, i := range idx {
			for q, j := range idx {
				if a.At(i, j) != b.At(p, q) {
					t.Fatalf("%T: entry (%d, %d) depends on the order of the rows", k, i, j)
				}
			}
		}
	}
}
