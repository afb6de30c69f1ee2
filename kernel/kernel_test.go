package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

// cloud returns n rows of d standard normal features, a third of them zero, the
// last row a copy of the first.
func cloud(n, d int, seed uint64) data.Rows {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n - 1 {
		for k := range d {
			if r.IntN(3) > 0 {
				x.Set(i, k, r.NormFloat64())
			}
		}
	}
	x.SetRow(n-1, x.RawRowView(0))
	return data.Rows{Dense: x}
}

func bind(t testing.TB, k kernel.Kernel, rows data.Rows, w *kernel.Work) kernel.Gram {
	t.Helper()
	g, err := k.Bind(context.Background(), rows, w)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func full(g kernel.Gram) *mat.Dense {
	k := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(k, nil, nil)
	return k
}

func distance(t *testing.T, a, b mat.Matrix) float64 {
	t.Helper()
	var d mat.Dense
	d.Sub(a, b)
	var worst float64
	r, c := d.Dims()
	for i := range r {
		for j := range c {
			if v := math.Abs(d.At(i, j)); v > worst || math.IsNaN(v) {
				worst = v
			}
		}
	}
	return worst
}

func given(n int) *mat.Dense {
	x := cloud(n, 4, 9).Dense
	k := mat.NewDense(n, n, nil)
	k.Mul(x, x.T())
	for i := range n {
		for j := range i {
			k.Set(j, i, k.At(i, j))
		}
	}
	return k
}

// knots are those of five columns, of which the first ones have several and the others two.
func knots(several int) [][]float64 {
	list := [][]float64{{-1, -0.5, 0, 0, 0, 0.3, 1}, {-2, 0, 1}, {-1, 1, 2, 2}, {-0.3, -0.1, 0.4}, {-1, 0, 0.5}}
	for c := several; c < len(list); c++ {
		list[c] = []float64{-0.1, 0.2}
	}
	return list
}

// metric is one of five columns and of rank three.
func metric() *mat.Dense {
	m := mat.NewDense(5, 5, nil)
	for q := range 3 {
		for i := range 5 {
			for j := range 5 {
				m.Set(i, j, m.At(i, j)+math.Sin(float64(q+2*min(i, j)))*math.Sin(float64(q+2*max(i, j))))
			}
		}
	}
	return m
}

// kernels are one of each, and composites of them, for rows of 5 columns.
func kernels() []kernel.Kernel {
	gaussian := kernel.Gaussian{Sigma: 1.5}
	poly := kernel.Polynomial{Degree: 3, Scale: 0.3, Offset: 0.7}
	ard := kernel.ARDGaussian{Sigma: []float64{0.7, 1, 2, 3, 1.5}}
	return []kernel.Kernel{
		kernel.Linear{},
		gaussian,
		ard,
		kernel.Laplacian{Sigma: 2},
		kernel.L1Laplacian{Sigma: 3},
		kernel.ARDL1Laplacian{Sigma: []float64{0.7, 1, 2, 3, 1.5}},
		kernel.ARDL1Laplacian{Sigma: []float64{1, 4}, Group: []int{0, 1, 1, 0, 1}},
		kernel.ARDRational{Sigma: []float64{0.7, 1, 2, 3, 1.5}, Alpha: 0.8, Power: 1},
		kernel.ARDRational{Sigma: []float64{1, 4}, Alpha: 3, Power: 2, Group: []int{0, 1, 1, 0, 1}},
		kernel.ANOVA{Weight: []float64{0.5, 1, 2, 0.7, 0.1}, Sigma: 0.2, Knots: knots(5)},
		kernel.ANOVA{Weight: []float64{0.5, 1}, Sigma: 0.4, Knots: knots(3), Group: []int{0, 1, 1, 0, 1}},
		kernel.MetricLaplacian{Sigma: 2, Metric: metric()},
		kernel.MetricLaplacian{Sigma: 1.5, Diagonal: []float64{1, 0.5, 2, 0, 0.1}},
		kernel.ARDLinear{C: []float64{0.5, 1, 3, 0.2, 7}},
		poly,
		kernel.Polynomial{Degree: 1, Scale: 2, Offset: 1},
		kernel.Sigmoid{Scale: 0.2, Offset: -0.3},
		kernel.Precomputed{K: given(40)},
		kernel.Scaled{Weight: 2.5, Base: gaussian},
		kernel.Scaled{Weight: 2.5, Base: kernel.Scaled{Weight: 0.5, Base: kernel.Linear{}}},
		kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}, ard}},
		kernel.Sum{Terms: []kernel.Kernel{kernel.Scaled{Weight: 0.5, Base: gaussian}, kernel.Gaussian{Sigma: 4}}},
		kernel.Product{Terms: []kernel.Kernel{gaussian, poly, kernel.Linear{}}},
		kernel.Columns{Base: gaussian, Columns: []int{3, 0}},
		kernel.Sum{Terms: []kernel.Kernel{
			kernel.Columns{Base: gaussian, Columns: []int{0, 1, 2}, Names: []string{"a", "b", "c"}},
			kernel.Columns{Base: kernel.Gaussian{Sigma: 0.8}, Columns: []int{3, 4}},
		}},
		kernel.Normalised{Base: kernel.Linear{}},
		kernel.Normalised{Base: poly},
		kernel.Normalised{Base: kernel.Sum{Terms: []kernel.Kernel{kernel.Scaled{Weight: 2, Base: gaussian}, poly}}},
	}
}

func TestConformance(t *testing.T) {
	rows := cloud(40, 5, 1)
	csr := data.Rows{Sparse: data.CSRFromDense(cloud(23, 5, 2).Dense)}
	for _, k := range kernels() {
		t.Run(kernel.Format(k, nil), func(t *testing.T) {
			kerneltest.Run(t, k, rows)
			kerneltest.Run(t, k, csr)
		})
	}
}

// naive is k(x, z) by its definition; a and b are the numbers of the rows.
func naive(k kernel.Kernel, x, z []float64, a, b int) float64 {
	var inner, d2 float64
	for c := range x {
		inner += x[c] * z[c]
		d2 += (x[c] - z[c]) * (x[c] - z[c])
	}
	switch k := k.(type) {
	case kernel.Linear:
		return inner
	case kernel.Gaussian:
		return math.Exp(-d2 / (2 * k.Sigma * k.Sigma))
	case kernel.ARDGaussian:
		var s float64
		for c := range x {
			s += math.Pow((x[c]-z[c])/k.Sigma[c], 2)
		}
		return math.Exp(-s / 2)
	case kernel.Laplacian:
		return math.Exp(-math.Sqrt(d2) / k.Sigma)
	case kernel.L1Laplacian:
		var s float64
		for c := range x {
			s += math.Abs(x[c] - z[c])
		}
		return math.Exp(-s / k.Sigma)
	case kernel.ARDL1Laplacian:
		var s float64
		for c := range x {
			g := c
			if k.Group != nil {
				g = k.Group[c]
			}
			s += math.Abs(x[c]-z[c]) / k.Sigma[g]
		}
		return math.Exp(-s)
	case kernel.ARDRational:
		var s float64
		for c := range x {
			g := c
			if k.Group != nil {
				g = k.Group[c]
			}
			s += math.Pow(math.Abs(x[c]-z[c])/k.Sigma[g], float64(k.Power))
		}
		return math.Pow(1+s/k.Alpha, -k.Alpha)
	case kernel.ANOVA:
		return naiveANOVA(k, x, z)
	case kernel.MetricLaplacian:
		var s float64
		for i := range x {
			for j := range x {
				m := 0.0
				if k.Metric != nil {
					m = k.Metric.At(i, j)
				} else if i == j {
					m = k.Diagonal[i]
				}
				s += (x[i] - z[i]) * m * (x[j] - z[j])
			}
		}
		return math.Exp(-math.Sqrt(max(s, 0)) / k.Sigma)
	case kernel.ARDLinear:
		var s float64
		for c := range x {
			s += x[c] * z[c] / k.C[c]
		}
		return s
	case kernel.ExpChi2:
		chi, _ := chiSums(x, z)
		return math.Exp(-chi / (2 * k.Sigma * k.Sigma))
	case kernel.AddChi2:
		_, product := chiSums(x, z)
		return product
	case kernel.Polynomial:
		return math.Pow(k.Scale*inner+k.Offset, float64(k.Degree))
	case kernel.Sigmoid:
		return math.Tanh(k.Scale*inner + k.Offset)
	case kernel.Precomputed:
		return k.K.At(a, b)
	case kernel.Scaled:
		return k.Weight * naive(k.Base, x, z, a, b)
	case kernel.Normalised:
		if l := naive(k.Base, x, x, a, a) * naive(k.Base, z, z, b, b); l > 0 {
			return naive(k.Base, x, z, a, b) / math.Sqrt(l)
		}
		return 0
	case kernel.Columns:
		var xs, zs []float64
		for _, c := range k.Columns {
			xs, zs = append(xs, x[c]), append(zs, z[c])
		}
		return naive(k.Base, xs, zs, a, b)
	case kernel.Sum:
		var s float64
		for _, t := range k.Terms {
			s += naive(t, x, z, a, b)
		}
		return s
	case kernel.Product:
		s := 1.0
		for _, t := range k.Terms {
			s *= naive(t, x, z, a, b)
		}
		return s
	}
	panic(fmt.Sprintf("no slow twin of %T", k))
}

func TestDefinitions(t *testing.T) {
	rows := cloud(40, 5, 3)
	for _, k := range kernels() {
		want := mat.NewDense(40, 40, nil)
		for a := range 40 {
			for b := range 40 {
				want.Set(a, b, naive(k, rows.Dense.RawRowView(a), rows.Dense.RawRowView(b), a, b))
			}
		}
		if e := distance(t, full(bind(t, k, rows, nil)), want); e > 1e-12*mat.Max(want) {
			t.Errorf("%s: off by %g", kernel.Format(k, nil), e)
		}
	}
}

// More rows than a panel holds: sums of panels, columns and mirror images.
func TestManyPanels(t *testing.T) {
	rows := cloud(1300, 3, 4)
	g := kernel.Gaussian{Sigma: 1}
	for _, k := range []kernel.Kernel{g, kernel.Sum{Terms: []kernel.Kernel{g, kernel.Linear{}}}} {
		gram := bind(t, k, rows, nil)
		m := full(gram)
		if !mat.Equal(m, m.T()) {
			t.Fatalf("%T is not symmetric", k)
		}
		for a := 0; a < 1300; a += 97 {
			for b := range 1300 {
				if want := naive(k, rows.Dense.RawRowView(a), rows.Dense.RawRowView(b), a, b); math.Abs(m.At(a, b)-want) > 1e-12 {
					t.Fatalf("%T: entry (%d, %d) is %g, expected %g", k, a, b, m.At(a, b), want)
				}
			}
		}
		cross := mat.NewDense(1300, 1300, nil)
		if err := gram.Cross(cross, rows, nil); err != nil {
			t.Fatal(err)
		}
		if e := distance(t, cross, m); e > 1e-12 {
			t.Errorf("%T: Cross differs from Block by %g", k, e)
		}
		u := mat.NewDense(1300, 1, nil)
		for a := range 1300 {
			u.Set(a, 0, math.Sin(float64(a)))
		}
		var quadratic, ku mat.Dense
		ku.Mul(m, u)
		quadratic.Mul(u.T(), &ku)
		if got, want := kernel.Inner(gram, kernel.Cotangent{U: u, V: u}), quadratic.At(0, 0); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%T: Inner is %g, u'Ku is %g", k, got, want)
		}
	}
}

// Rows a million from the origin have the Gram matrix of the same rows at the
// origin, but for the rounding of means and distances.
func TestFarFromOrigin(t *testing.T) {
	near := cloud(60, 5, 1)
	far := mat.NewDense(60, 5, nil)
	for i := range 60 {
		for k := range 5 {
			far.Set(i, k, near.Dense.At(i, k)+1e6)
			near.Dense.Set(i, k, far.At(i, k)-1e6)
		}
	}
	for _, k := range []kernel.Kernel{
		kernel.Gaussian{Sigma: 1.5}, kernel.Laplacian{Sigma: 1.5}, kernel.ARDGaussian{Sigma: []float64{1, 1, 2, 2, 1}},
		kernel.L1Laplacian{Sigma: 1.5}, kernel.ARDL1Laplacian{Sigma: []float64{1, 1, 2, 2, 1}},
		kernel.ARDRational{Sigma: []float64{1, 1, 2, 2, 1}, Alpha: 2, Power: 1},
		kernel.ARDRational{Sigma: []float64{1, 1, 2, 2, 1}, Alpha: 2, Power: 2},
	} {
		a, b := bind(t, k, near, nil), bind(t, k, data.Rows{Dense: far}, nil)
		if e := distance(t, full(a), full(b)); e > 1e-12 {
			t.Errorf("%T: moving the rows changes the matrix by %g", k, e)
		}
		ones := mat.NewDense(60, 1, nil)
		ones.Apply(func(i, _ int, _ float64) float64 { return math.Cos(float64(i)) }, ones)
		bar := kernel.Cotangent{U: ones, V: ones}
		ga, gb := make([]float64, len(k.Space())), make([]float64, len(k.Space()))
		if a.Pull(ga, bar) != nil || b.Pull(gb, bar) != nil {
			t.Fatal("Pull failed")
		}
		for q := range ga {
			if math.Abs(ga[q]-gb[q]) > 1e-10*(1+math.Abs(ga[q])) {
				t.Errorf("%T: moving the rows changes derivative %d from %.15g to %.15g", k, q, ga[q], gb[q])
			}
		}
	}
}

// One column far from its origin beside one of large values: the width derivatives
// of the first do not drown in the rounding of the second.
func TestARDMixedUnits(t *testing.T) {
	near := cloud(50, 2, 11).Dense
	far := mat.DenseCopyOf(near)
	for i := range 50 {
		far.Set(i, 0, near.At(i, 0)+1e6)
		near.Set(i, 0, far.At(i, 0)-1e6)
		far.Set(i, 1, near.At(i, 1)*1e8)
	}
	a := bind(t, kernel.ARDGaussian{Sigma: []float64{1, 1}}, data.Rows{Dense: near}, nil)
	b := bind(t, kernel.ARDGaussian{Sigma: []float64{1, 1e8}}, data.Rows{Dense: far}, nil)
	if e := distance(t, full(a), full(b)); e > 1e-12 {
		t.Errorf("the matrices differ by %g", e)
	}
	ga, gb := make([]float64, 2), make([]float64, 2)
	bar := kernel.Cotangent{D: full(a)}
	if a.Pull(ga, bar) != nil || b.Pull(gb, bar) != nil {
		t.Fatal("Pull failed")
	}
	if math.Abs(ga[0]-gb[0]) > 1e-10*ga[0] || math.Abs(ga[1]-1e8*gb[1]) > 1e-10*ga[1] {
		t.Errorf("derivatives %v and %v", ga, gb)
	}
}

// Golden values: eight points, the first three labelled, regularised least
// squares with sigma = 1 and lambda = 0.1 (K + lambda I) alpha = y.
func TestGoldenGaussian(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(8, 2, []float64{
		0, 0, 3, 0.53, 0.47, 2.05, 1.02, -0.11, 2.07, 0.04, 2.44, 1.56, 1.55, 2.46, 0.23, 1.09})}
	alpha := []float64{0.833900801084, -0.926173156114, 0.836875016631}
	y := []float64{1, -1, 1}
	k := mat.NewDense(3, 3, nil)
	i := []int{0, 1, 2}
	bind(t, kernel.Gaussian{Sigma: 1}, rows, nil).Block(k, i, i)
	for a := range 3 {
		f := 0.1 * alpha[a]
		for b := range 3 {
			f += k.At(a, b) * alpha[b]
		}
		if math.Abs(f-y[a]) > 1e-11 {
			t.Errorf("row %d: %g, expected %g", a, f, y[a])
		}
	}
}

// Nearly equal rows far from the others keep their distance to full accuracy.
func TestClosePairs(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1000, 1000, 1000 + 1e-5, 1000, -1000, -1000, -1000, -1000 + 3e-5})
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		m := full(bind(t, kernel.Laplacian{Sigma: 1e-5}, rows, nil))
		if got := -math.Log(m.At(0, 1)); math.Abs(got-1) > 1e-6 {
			t.Errorf("distance %g widths, expected 1", got)
		}
		if got := -math.Log(m.At(2, 3)); math.Abs(got-3) > 1e-6 {
			t.Errorf("distance %g widths, expected 3", got)
		}
	}
}

// An ARD Gaussian of equal widths is the Gaussian, and its derivatives sum to it.
func TestARDOfEqualWidths(t *testing.T) {
	rows := cloud(30, 3, 5)
	g, a := bind(t, kernel.Gaussian{Sigma: 1.2}, rows, nil), bind(t, kernel.ARDGaussian{Sigma: []float64{1.2, 1.2, 1.2}}, rows, nil)
	if e := distance(t, full(g), full(a)); e > 1e-13 {
		t.Errorf("matrices differ by %g", e)
	}
	bar := kernel.Cotangent{U: rows.Dense, V: rows.Dense}
	one, three := make([]float64, 1), make([]float64, 3)
	if g.Pull(one, bar) != nil || a.Pull(three, bar) != nil {
		t.Fatal("Pull failed")
	}
	if s := three[0] + three[1] + three[2]; math.Abs(s-one[0]) > 1e-10*math.Abs(s) {
		t.Errorf("derivatives sum to %g, the Gaussian's is %g", s, one[0])
	}
}

func TestAdapt(t *testing.T) {
	line := data.Rows{Dense: mat.NewDense(4, 1, []float64{0, 1, 3, 7})} // distances 1 2 3 4 6 7
	same := data.Rows{Dense: mat.NewDense(3, 1, []float64{5, 5, 5})}
	most := data.Rows{Dense: mat.NewDense(4, 1, []float64{0, 0, 0, 2})} // three pairs of six are 0
	all := data.Rows{Dense: mat.NewDense(5, 1, []float64{0, 0, 0, 0, 2})}
	for _, c := range []struct {
		k    kernel.Kernel
		rows data.Rows
		want string
	}{
		{kernel.Gaussian{}, line, "gaussian(sigma=3.5)"},
		{kernel.Gaussian{Sigma: 9}, line, "gaussian(sigma=9)"},
		{kernel.Gaussian{}, same, "gaussian(sigma=1)"},
		{kernel.Gaussian{}, most, "gaussian(sigma=1)"},
		{kernel.Gaussian{}, all, "gaussian(sigma=2)"},
		{kernel.Laplacian{}, line, "laplacian(sigma=3.5)"},
		{kernel.Laplacian{}, data.Rows{Sparse: data.CSRFromDense(line.Dense)}, "laplacian(sigma=3.5)"},
		{kernel.ARDGaussian{}, line, "ard-gaussian(sigma=3.5)"},
		{kernel.L1Laplacian{}, line, "l1-laplacian(sigma=3.5)"},
		{kernel.L1Laplacian{}, data.Rows{Sparse: data.CSRFromDense(line.Dense)}, "l1-laplacian(sigma=3.5)"},
		{kernel.ARDL1Laplacian{}, line, "ard-l1-laplacian(sigma=3.5)"},
		{kernel.ARDRational{}, line, "ard-rational(sigma=3.5,alpha=1,power=1)"},
		{kernel.ARDRational{Power: 2}, line, "ard-rational(sigma=3.5,alpha=1,power=2)"},
		{kernel.ARDGaussian{Sigma: []float64{0}}, line, "ard-gaussian(sigma=3.5)"},
		{kernel.ARDL1Laplacian{Sigma: []float64{2}}, line, "ard-l1-laplacian(sigma=2)"},
		{kernel.ARDRational{Alpha: 4, Power: 2, Sigma: []float64{2}}, line, "ard-rational(sigma=2,alpha=4,power=2)"},
		{kernel.ANOVA{}, line, "anova(weight=1,sigma=0.3)"},
		{kernel.ANOVA{Weight: []float64{3}, Sigma: 0.2}, line, "anova(weight=3,sigma=0.2)"},
		{kernel.ANOVA{Group: slices.Repeat([]int{0, 1}, 10)}, data.Rows{Dense: mat.NewDense(3, 20, nil)}, "anova(weight=1:1,sigma=0.3)"},
		{kernel.ANOVA{}, data.Rows{Dense: mat.NewDense(3, 20, nil)}, "anova(weight=" + strings.Repeat("0.5:", 19) + "0.5,sigma=0.3)"},
		{kernel.MetricLaplacian{}, line, "metric-laplacian(sigma=3.5)"},
		{kernel.MetricLaplacian{Sigma: 9}, line, "metric-laplacian(sigma=9)"},
		{kernel.MetricLaplacian{Diagonal: []float64{4}}, line, "metric-laplacian(sigma=7,diagonal=4)"},
		{kernel.Polynomial{}, most, "polynomial(degree=3,scale=1,offset=0)"},
		{kernel.Sigmoid{}, all, "sigmoid(scale=1.25)"},
		{kernel.Scaled{Base: kernel.Gaussian{}}, line, "1*gaussian(sigma=3.5)"},
		{kernel.Product{Terms: []kernel.Kernel{kernel.Gaussian{}, kernel.Linear{}}}, line, "gaussian(sigma=3.5)*linear"},
		{kernel.Normalised{Base: kernel.Gaussian{}}, line, "normalised(gaussian(sigma=3.5))"},
		{kernel.Columns{Base: kernel.Gaussian{}, Columns: []int{0}}, line, "gaussian(sigma=3.5)[1]"},
	} {
		if got := kernel.Format(c.k.Adapt(c.rows), nil); got != c.want {
			t.Errorf("%s became %s, expected %s", kernel.Format(c.k, nil), got, c.want)
		}
	}
	// Of many rows an even thousand is enough: 0, 2, 4 ... 1998 have the median
	// distance 1000 (1 - sqrt 1/2) 2 = 586 within a step.
	x := mat.NewDense(2000, 1, nil)
	for i := range 2000 {
		x.Set(i, 0, float64(i))
	}
	g := kernel.Gaussian{}.Adapt(data.Rows{Dense: x}).(kernel.Gaussian)
	if math.Abs(g.Sigma-586) > 2 {
		t.Errorf("median distance %g, expected about 586", g.Sigma)
	}
}

// Groups of a file that nobody has checked are an error or harmless, never a panic.
func TestGroupsOfStrangers(t *testing.T) {
	rows := cloud(6, 2, 1)
	for _, text := range []string{
		`{"type":"ard-l1-laplacian","sigma":[1,2],"group":[]}`,
		`{"type":"ard-l1-laplacian","sigma":[1,2],"group":[0]}`,
		`{"type":"ard-l1-laplacian","sigma":[1,2],"group":[0,2]}`,
		`{"type":"ard-l1-laplacian","sigma":[1,2],"group":[0,-1]}`,
		`{"type":"ard-l1-laplacian","sigma":[1,2],"names":["a"]}`,
		`{"type":"ard-l1-laplacian","group":[0,1],"names":["a"]}`,
	} {
		k, err := kernel.Unmarshal([]byte(text))
		if err != nil {
			continue
		}
		k = k.Adapt(rows)
		k.Space()
		if _, err := k.Bind(context.Background(), rows, nil); err == nil {
			t.Errorf("%s is bound", text)
		}
	}
}

// The derivatives of a long row are the sums of those of its parts, whatever the lanes that they are made by.
func TestLongRows(t *testing.T) {
	const n = 1100
	rows := cloud(n, 5, 12)
	all, weight := indices.To(n), cloud(1, n, 13).Dense
	weight.Apply(func(_, j int, _ float64) float64 { return 1 + math.Sin(float64(j)) }, weight)
	for _, k := range kernels() {
		if _, ok := k.(kernel.Precomputed); ok {
			continue
		}
		g := bind(t, k, rows, nil)
		pull := func(size int) []float64 {
			grad := make([]float64, len(k.Space()))
			for lo := 0; lo < n; lo += size {
				hi := min(lo+size, n)
				bar := kernel.Cotangent{I: []int{2}, J: all[lo:hi], D: mat.DenseCopyOf(weight.Slice(0, 1, lo, hi))}
				if err := g.Pull(grad, bar); err != nil {
					t.Fatal(err)
				}
			}
			return grad
		}
		whole, parts := pull(n), pull(100)
		for q, v := range whole {
			if math.Abs(v-parts[q]) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("%s: derivative %d is %g, by parts %g", kernel.Format(k, nil), q, v, parts[q])
			}
		}
	}
}
