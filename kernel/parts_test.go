package kernel_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// A low rank of a base that fails, at binding, at new rows, at derivatives or at its parameters, hands that on.
func TestLowRankOfPartsThatFail(t *testing.T) {
	rows, z := cloud(12, 3, 3), cloud(4, 3, 4)
	for _, early := range []bool{true, false} {
		k := kernel.LowRank{Base: broken{kernel.Gaussian{Sigma: 1}, early}, Centres: z}
		if _, err := k.With([]float64{1}); !errors.Is(err, errBroken) {
			t.Errorf("With says %v", err)
		}
		if _, err := k.Bind(t.Context(), rows, nil); !errors.Is(err, errBroken) {
			t.Errorf("Bind says %v", err)
		}
	}
	k := kernel.LowRank{Base: onlyPull{kernel.Gaussian{Sigma: 1}}, Centres: z}
	g := bind(t, k, rows, nil)
	if err := g.Pull([]float64{0}, kernel.Cotangent{D: mat.NewDense(12, 12, nil)}); !errors.Is(err, errBroken) {
		t.Errorf("Pull says %v", err)
	}
	if err := g.Cross(mat.NewDense(2, 12, nil), cloud(2, 4, 1), nil); err == nil {
		t.Error("rows of another width are accepted")
	}
	plain := bind(t, kernel.LowRank{Base: kernel.Linear{}, Centres: z}, rows, nil)
	if err := plain.Pull(nil, kernel.Cotangent{D: mat.NewDense(12, 12, nil)}); err != nil {
		t.Error("a kernel without parameters has derivatives that fail")
	}
}

// onlyPull fails at derivatives alone.
type onlyPull struct{ kernel.Gaussian }

func (k onlyPull) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return onlyPullGram{g}, err
}

type onlyPullGram struct{ kernel.Gram }

func (onlyPullGram) Pull([]float64, kernel.Cotangent) error { return errBroken }

// A low rank has its features at hand, and weights on them are a sum over the centres with the base kernel.
func TestLowRankFeatures(t *testing.T) {
	rows, base := cloud(15, 3, 3), kernel.Gaussian{Sigma: 1}
	g := bind(t, kernel.LowRank{Base: base, Centres: cloud(4, 3, 4)}, rows, nil)
	x, ok := kernel.Features(g)
	over, is := g.(kernel.OverCentres)
	if !ok || !is {
		t.Fatal("no features or no centres")
	}
	w := mat.NewDense(4, 2, []float64{1, 0, -1, 2, 3, 0.5, 0.1, 1})
	parts, err := over.ExpandWeights(w)
	if err != nil || len(parts) != 1 || parts[0].Kernel != base {
		t.Fatalf("%v, %v", parts, err)
	}
	var want mat.Dense
	want.Mul(x.Dense, w)
	if e := distance(t, outputs(t, parts[0], rows), &want); e > 3e-9 { // two solves with the kernel matrix of the centres
		t.Errorf("the sum over the centres is off by %g", e)
	}
}

// Products of features with lists of rows are those of the whole matrix, dense or sparse.
func TestMulFeaturesOfSome(t *testing.T) {
	dense, alpha := cloud(9, 4, 2), mat.NewDense(3, 2, []float64{1, 2, 0, -1, 3, 0.5})
	i, j := []int{8, 1}, []int{2, 2, 5}
	k := full(bind(t, kernel.Linear{}, dense, nil))
	for _, x := range []data.Rows{dense, {Sparse: data.CSRFromDense(dense.Dense)}} {
		for _, some := range [][]int{i, nil} {
			n, at := 9, func(a int) int { return a }
			if some != nil {
				n, at = len(some), func(a int) int { return some[a] }
			}
			got, want := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
			for a := range n {
				for q, b := range j {
					for c := range 2 {
						want.Set(a, c, want.At(a, c)+k.At(at(a), b)*alpha.At(q, c))
					}
				}
			}
			kernel.MulFeatures(got, x, some, j, alpha)
			if e := distance(t, got, want); e > 1e-14 {
				t.Errorf("sparse %v, rows %v: off by %g", x.IsSparse(), some, e)
			}
		}
	}
}

// Slopes hand on what a part fails at, and a constant has a slope of zero.
func TestSlopeOfPartsThatFail(t *testing.T) {
	x, rows, a := cloud(1, 3, 1), cloud(4, 3, 2), []float64{1, 2, 3, 4}
	for _, early := range []bool{true, false} {
		bad := broken{kernel.Gaussian{Sigma: 1}, early}
		for _, k := range []kernel.Kernel{kernel.Product{Terms: []kernel.Kernel{kernel.Linear{}, bad}}, kernel.Normalised{Base: bad}} {
			if err := kernel.Slope(t.Context(), make([]float64, 3), k, x, rows, a); !errors.Is(err, errBroken) {
				t.Errorf("%T: error %v", k, err)
			}
		}
	}
	grad := []float64{1, 2, 3}
	if err := kernel.Slope(t.Context(), grad, kernel.Constant{}, x, rows, a); err != nil || !slices.Equal(grad, []float64{1, 2, 3}) {
		t.Errorf("a constant has the slope %v, %v", grad, err)
	}
}

// Shares of terms on columns are those of 512 rows, evenly spaced, where there are more.
func TestRelevancesOfManyRows(t *testing.T) {
	rows := cloud(1300, 2, 6)
	k := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: []int{0}}, kernel.Columns{Base: kernel.Linear{}, Columns: []int{1}},
	}}
	some := make([]int, 512)
	for q := range some {
		some[q] = q * 1300 / 512
	}
	got, err := kernel.Relevances(t.Context(), k, rows, nil)
	want, err2 := kernel.Relevances(t.Context(), k, rows.Select(some), nil)
	if errors.Join(err, err2) != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("shares %v, of the 512 rows %v, %v", got, want, errors.Join(err, err2))
	}
	all, err := kernel.Relevances(t.Context(), k, rows.Select(all(512)), nil)
	if err != nil || reflect.DeepEqual(got, all) {
		t.Errorf("the first rows have the same shares, %v", err)
	}
}

// Fitted kernels refuse rows of another width and values that are none, and stay as they are where they are fitted.
func TestFittedFaults(t *testing.T) {
	rows := cloud(60, 4, 3)
	for i := range 60 {
		rows.Dense.Set(i, 0, rows.Dense.At(i, 0)+6*float64(i%2))
	}
	clusters := kernel.Clusters{}.Adapt(rows).(kernel.Clusters)
	components := kernel.Components{}.Adapt(rows).(kernel.Components)
	if again := clusters.Adapt(rows.Select(all(30))).(kernel.Clusters); again.Fit != clusters.Fit {
		t.Error("clusters are fitted a second time")
	}
	if again := components.Adapt(rows.Select(all(30))).(kernel.Components); again.Fit != components.Fit {
		t.Error("components are fitted a second time")
	}
	const width = "the rows have 3 columns, those it was fitted to 4"
	_, err := clusters.Map(cloud(2, 3, 1))
	failtest.Refused(t, err, "kernel: clusters: "+width)
	_, err = components.Bind(t.Context(), cloud(2, 3, 1), nil)
	failtest.Refused(t, err, "kernel: components: "+width)
	bad, none := *clusters.Fit.(*mixture.Clusters), *components.Fit.(*mixture.Components)
	bad.Variance, none.Scale = 0, 0
	for _, k := range []kernel.Kernel{kernel.Clusters{Fit: &bad}, kernel.Components{Fit: &none}} {
		name := kernel.NameOf(k)
		if _, err := k.Bind(t.Context(), rows, nil); err == nil || !strings.HasPrefix(err.Error(), "kernel: "+name+": ") {
			t.Errorf("%s of values that are none: error %v", name, err)
		}
		if _, err := kernel.Marshal(k); err == nil || !strings.HasPrefix(err.Error(), "kernel: "+name+": ") {
			t.Errorf("%s of values that are none is written, %v", name, err)
		}
	}
	for _, text := range []string{`{"type":"clusters","fit":null}`, `{"type":"clusters"}`} {
		if k, err := kernel.Unmarshal([]byte(text)); err != nil || k != (kernel.Clusters{}) {
			t.Errorf("%s is read as %+v, %v", text, k, err)
		}
	}
}

// hidden is a kernel of another package that package json does not give back as it was.
type hidden struct {
	other
	secret int
}

// pointed is one that is given by its address.
type pointed struct{ Wide float64 }

func (p *pointed) own() kernel.Gaussian { return kernel.Gaussian{Sigma: p.Wide} }

func (p *pointed) Space() param.Space                          { return p.own().Space() }
func (p *pointed) With(theta []float64) (kernel.Kernel, error) { return &pointed{theta[0]}, nil }
func (p *pointed) Adapt(data.Rows) kernel.Kernel               { return p }
func (p *pointed) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	return p.own().Bind(ctx, rows, w)
}

// What makes no kernel is not written, nor what cannot be read again, whatever it is inside of.
func TestMarshalFaults(t *testing.T) {
	for _, c := range []struct {
		k    kernel.Kernel
		want string
	}{
		{kernel.Gaussian{Sigma: -1}, "sigma is -1"},
		{kernel.Columns{Base: kernel.Linear{}, Columns: []int{2, -1}}, "columns: column number -1; numbers start at 0"},
		{kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, kernel.Gaussian{Sigma: -2}}}, "term 2: gaussian: sigma is -2"},
	} {
		if _, err := kernel.Marshal(c.k); err == nil || !strings.HasPrefix(err.Error(), "kernel: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, expected %s", c.k, err, c.want)
		}
	}
	secret := hidden{other{kernel.Gaussian{Sigma: 1}}, 3}
	for _, k := range []kernel.Kernel{secret, kernel.Scaled{Weight: 1, Base: secret},
		kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, secret}}} {
		_, err := kernel.Marshal(k)
		if !errors.Is(err, kernel.ErrForeign) || !strings.HasSuffix(err.Error(), "its JSON form gives back another value") {
			t.Errorf("%+v is written, %v", k, err)
		}
	}
	// By its address, and found behind what is no kernel and inside others.
	k := kernel.Kernel(&pointed{2.5})
	b, err := kernel.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	back, err := kernel.Unmarshal(b, nil, kernel.Scaled{Weight: 1, Base: &pointed{}})
	if err != nil || !reflect.DeepEqual(back, k) {
		t.Errorf("%s is read as %v, %v", b, back, err)
	}
}

// What is written on the way to a fault of a specification or of JSON is named.
func TestReadingFaults(t *testing.T) {
	for spec, want := range map[string]string{
		`gaussian["a"b]`: "\",\" is missing before", `gaussian["a\q"]`: "closing quote",
	} {
		if k, err := kernel.Parse(spec, []string{"a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, error %v, expected ...%s...", spec, k, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"type":"precomputed","matrix":[[1,2],[2]]}`:                "row 1 of the matrix has 1 values, expected 2",
		`{"type":"metric-laplacian","metric":["a"]}`:                 "cannot unmarshal",
		`{"type":"columns","columns":[-1],"base":{"type":"linear"}}`: "column number -1; numbers start at 0",
	} {
		if k, err := kernel.Unmarshal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, expected ...%s...", text, k, err, want)
		}
	}
}

// Landmarks are of some rows, of a kernel that can be bound to them, and so are their means and their choice.
func TestTakeFaults(t *testing.T) {
	rows := cloud(6, 2, 1)
	l := kernel.Landmarks{Count: 2, Choice: kernel.PlusPlus}
	_, err := l.Take(t.Context(), kernel.Gaussian{Sigma: 1}, data.Rows{})
	failtest.Refused(t, err, "kernel: 2 landmarks of 0 rows; give at least one of both")
	_, err = l.Take(t.Context(), kernel.Gaussian{}, rows)
	if err == nil || !strings.Contains(err.Error(), "sigma is not set") {
		t.Errorf("a kernel without a width: error %v", err)
	}
	_, err = kernel.Landmarks{Count: 2, Choice: 9}.Take(t.Context(), kernel.Gaussian{Sigma: 1}, rows)
	failtest.Refused(t, err, "kernel: unknown choice of landmarks 9")
	_, err = l.Choose(t.Context(), none{}, nil)
	failtest.Refused(t, err, "kernel: landmarks among no rows")
}

// none is a Gram object of no rows.
type none struct{ kernel.Gram }

func (none) Len() int { return 0 }

// A Gram matrix of numbers that are none is refused, as is a first sample of chi-square features with too many columns.
func TestValuesThatAreNone(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		k := given(6)
		k.Set(2, 2, v)
		if _, err := (kernel.Precomputed{K: k}).Bind(t.Context(), cloud(6, 3, 7), nil); err == nil ||
			!strings.Contains(err.Error(), "entry (2, 2) is ") || !strings.HasSuffix(err.Error(), "a Gram matrix is finite") {
			t.Errorf("an entry of %g: error %v", v, err)
		}
	}
	wide := data.Rows{Sparse: &data.CSR{R: 1, C: math.MaxInt32/3 + 1, Start: []int{0, 0}}}
	if _, err := (kernel.Chi2Map{}).Map(wide); err == nil ||
		!strings.HasSuffix(err.Error(), "columns become 3 times as many, more than 2147483647; choose fewer harmonics") {
		t.Errorf("too many columns: error %v", err)
	}
	wide.Sparse.C--
	if x, err := (kernel.Chi2Map{}).Map(wide); err != nil || x.Dim() != 3*(math.MaxInt32/3) {
		t.Errorf("as many columns as there may be: %v", err)
	}
	if a, b := (kernel.Chi2Map{Harmonics: 2}).Spacing(), (kernel.Chi2Map{Step: 0.7}).Spacing(); a != 0.5 || b != 0.7 {
		t.Errorf("spacings %g and %g", a, b)
	}
}

// Near rows whose small entries stand in different columns keep their distance, as dense ones do.
func TestClosePairsInOtherColumns(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 1e-9, 0, 3e-9, 1, 0, 2e-9, 0})
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		for _, c := range []struct {
			k    kernel.Kernel
			want float64
		}{{kernel.L1Laplacian{Sigma: 1e-8}, 0.6}, {kernel.ExpChi2{Sigma: math.Sqrt(0.5e-8)}, 0.6}} {
			for _, at := range [][2]int{{0, 1}, {1, 0}} {
				got := -math.Log(full(bind(t, c.k, rows, nil)).At(at[0], at[1]))
				if math.Abs(got-c.want) > 1e-8 {
					t.Errorf("%T, sparse %v: the distance is %g, expected %g", c.k, rows.IsSparse(), got, c.want)
				}
			}
		}
	}
}

// Entries of zero that sparse rows store are no features of a histogram.
func TestStoredZeros(t *testing.T) {
	stored := data.Rows{Sparse: &data.CSR{R: 2, C: 2, Start: []int{0, 2, 4}, Index: []int32{0, 1, 0, 1}, Value: []float64{1, 0, 2, 0}}}
	left := data.Rows{Sparse: data.CSRFromDense(stored.Sparse.ToDense())}
	for _, k := range []kernel.Kernel{kernel.AddChi2{}, kernel.ExpChi2{Sigma: 1}} {
		if e := distance(t, full(bind(t, k, stored, nil)), full(bind(t, k, left, nil))); !(e == 0) {
			t.Errorf("%T: stored zeros change values by %g", k, e)
		}
	}
}

// One row, or rows of zeros, have no distance and no square to take a default from: it is 1.
func TestDefaultsOfOneRow(t *testing.T) {
	one, zeros := data.Rows{Dense: mat.NewDense(1, 2, []float64{3, 4})}, data.Rows{Dense: mat.NewDense(3, 2, nil)}
	for _, c := range []struct {
		k    kernel.Kernel
		rows data.Rows
		want string
	}{
		{kernel.Gaussian{}, one, "gaussian(sigma=1)"}, {kernel.L1Laplacian{}, one, "l1-laplacian(sigma=1)"},
		{kernel.Sigmoid{}, zeros, "sigmoid(scale=1)"}, {kernel.Sigmoid{}, one, "sigmoid(scale=0.04)"},
		{kernel.L1Laplacian{}, data.Rows{Dense: mat.NewDense(2, 1, []float64{0, 3})}, "l1-laplacian(sigma=3)"},
		{kernel.Gaussian{}, data.Rows{Dense: mat.NewDense(2, 1, []float64{0, 3})}, "gaussian(sigma=3)"},
	} {
		if got := kernel.Format(c.k.Adapt(c.rows), nil); got != c.want {
			t.Errorf("%T became %s, expected %s", c.k, got, c.want)
		}
	}
}

// Panels hand on what the kernel or their user fails at, and rows keep their identity.
func TestPanelsThatFail(t *testing.T) {
	rows := cloud(8, 4, 2)
	rows.ID = []int{7, 6, 5, 4, 3, 2, 1, 0}
	k := given(8)
	p, err := kernel.NewProducts(bind(t, kernel.Precomputed{K: k}, rows.Select([]int{0, 2}), nil), rows)
	if err != nil {
		t.Fatal(err)
	}
	got := mat.NewDense(8, 1, nil)
	if err := p.Mul(t.Context(), got, mat.NewDense(2, 1, []float64{1, 10})); err != nil {
		t.Fatal(err)
	}
	for i, id := range rows.ID {
		if want := k.At(id, 7) + 10*k.At(id, 5); math.Abs(got.At(i, 0)-want) > 1e-12 {
			t.Errorf("row %d: %g, expected %g", i, got.At(i, 0), want)
		}
	}
	if n, m := p.Dims(); n != 8 || m != 2 || p.Centres().Len() != 2 || !mat.Equal(p.Rows().Dense, rows.Dense) {
		t.Errorf("%d rows and %d centres", n, m)
	}
	if err := p.Panels(t.Context(), func(int, *mat.Dense) error { return errBroken }); !errors.Is(err, errBroken) {
		t.Errorf("what f fails at: %v", err)
	}
	rows.ID = []int{7, 6, 5, 4, 3, 2, 1, 8}
	if p, err = kernel.NewProducts(p.Centres(), rows); err != nil {
		t.Fatal(err)
	}
	if err := p.Mul(t.Context(), got, mat.NewDense(2, 1, nil)); err == nil || !strings.Contains(err.Error(), "new row 7 has number 8") {
		t.Errorf("a row outside the matrix: error %v", err)
	}
}

// Where numbers end: names that make 40 characters stay, 32 kernels stand inside each other, sparse rows of 200 million values are written
// out, and a small part of a metric is one.
func TestEnds(t *testing.T) {
	name := strings.Repeat("x", 20)
	for more, want := range map[string]string{"": "sigma[" + name + "," + name[:19] + "]", "x": "sigma[1,2]"} {
		k := kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: []int{0, 1}, Names: []string{name, name[:19] + more}}
		sum := kernel.Sum{Terms: []kernel.Kernel{k, kernel.Linear{}}}
		if got := sum.Space()[0].Name; got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
	for depth, fine := range map[int]bool{31: true, 32: false} {
		text := strings.Repeat(`{"type":"normalised","base":`, depth) + `{"type":"linear"}` + strings.Repeat("}", depth)
		if _, err := kernel.Unmarshal([]byte(text)); (err == nil) != fine {
			t.Errorf("%d kernels around one: %v", depth, err)
		}
	}
	_, err := kernel.Clusters{}.Bind(t.Context(), cloud(3, 2, 1), nil)
	if err == nil || !strings.Contains(err.Error(), "of more than 2e+08 values with their zeros") {
		t.Errorf("error %v", err)
	}
	huge := data.Rows{Dense: mat.NewDense(3, 2, []float64{1e200, 1, -2e200, 3, 3e200, 2})}
	for _, k := range []interface {
		Adapt(rows data.Rows) kernel.Kernel
	}{kernel.Clusters{}, kernel.Components{}} {
		if _, err := k.Adapt(huge).Bind(t.Context(), huge, nil); err == nil || !strings.Contains(err.Error(), "values whose squares overflow") {
			t.Errorf("%T of huge values: %v", k, err)
		}
	}
	rows := data.Rows{Dense: mat.NewDense(2, 2, []float64{0, 0, 0, 1e5})}
	for _, k := range []kernel.MetricLaplacian{
		{Sigma: 1, Metric: mat.NewDense(2, 2, []float64{1, 0, 0, 1e-10})}, {Sigma: 1, Diagonal: []float64{1, 1e-10}},
	} {
		if got := full(bind(t, k, rows, nil)).At(0, 1); math.Abs(got-math.Exp(-1)) > 1e-12 {
			t.Errorf("%+v: %g, expected 1/e", k, got)
		}
	}
}

// A part whose values make no kernel is refused inside whatever it is, by words, as JSON, and when it is written.
func TestPartsThatAreNone(t *testing.T) {
	const part = `{"type":"gaussian","sigma":-1}`
	bad := kernel.Gaussian{Sigma: -1}
	for _, c := range []struct {
		k          kernel.Kernel
		spec, text string
	}{
		{kernel.Normalised{Base: bad}, "normalised(gaussian(sigma=-1))", `{"type":"normalised","base":` + part + `}`},
		{kernel.Scaled{Weight: 2, Base: bad}, "2*gaussian(sigma=-1)", `{"type":"scaled","weight":2,"base":` + part + `}`},
		{kernel.Product{Terms: []kernel.Kernel{kernel.Linear{}, bad}}, "linear*gaussian(sigma=-1)",
			`{"type":"product","terms":[{"type":"linear"},` + part + `]}`},
		{kernel.Sum{Terms: []kernel.Kernel{kernel.Linear{}, bad}}, "linear+gaussian(sigma=-1)",
			`{"type":"sum","terms":[{"type":"linear"},` + part + `]}`},
		{kernel.Columns{Base: bad, Columns: []int{0}}, "gaussian(sigma=-1)[1]", `{"type":"columns","columns":[0],"base":` + part + `}`},
	} {
		_, byWords := kernel.Parse(c.spec, nil)
		_, read := kernel.Unmarshal([]byte(c.text))
		_, written := kernel.Marshal(c.k)
		for way, err := range map[string]error{"by words": byWords, "as JSON": read, "written": written} {
			if err == nil || !strings.Contains(err.Error(), "gaussian: sigma is -1") {
				t.Errorf("%s, %s: error %v", c.spec, way, err)
			}
		}
	}
}

// A value that is none of its type is no kernel of another package.
func TestForeignValues(t *testing.T) {
	const value = `,"value":{"Wide":2.5}`
	b, err := kernel.Marshal(&pointed{2.5})
	if err != nil || !strings.Contains(string(b), value) {
		t.Fatalf("%s, %v", b, err)
	}
	for _, bad := range []string{`,"value":{"Wide":"x"}`, `,"value":{"Wide":1,"High":2}`, `,"value":{"Tall":1}`, `,"value":[1]`, ""} {
		text := strings.Replace(string(b), value, bad, 1)
		if k, err := kernel.Unmarshal([]byte(text), &pointed{}); err == nil {
			t.Errorf("%s is read as %+v", text, k)
		}
	}
}
