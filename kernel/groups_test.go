package kernel_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"gonum.org/v1/gonum/mat"
)

// names are those of the kernel's parameters.
func names(k kernel.Kernel) string {
	return strings.Join(k.Space().Names(), " ")
}

func TestNamesOfGroups(t *testing.T) {
	features := []string{"a", "b", "c", "d", "e", "a name of more than forty characters: too long"}
	rows := cloud(20, 6, 1)
	for spec, want := range map[string]string{
		"gaussian[a..c]+gaussian[d..e]":               "sigma[a..c] sigma[d,e]",
		"gaussian[1..3]+laplacian[4,5]":               "sigma[a..c] sigma[d,e]",
		"0.5*gaussian[a..d]+2*gaussian[e]":            "weight[a..d] sigma[a..d] weight[e] sigma[e]",
		"gaussian[a,c]+gaussian":                      "sigma[a,c] 2.sigma",
		"gaussian[a]+gaussian[a]":                     "1.sigma 2.sigma",
		"gaussian[a]+polynomial[a]":                   "sigma[a] scale[a] offset[a]",
		"ard-gaussian[b..d]+ard-linear[a,e]":          "sigma[b] sigma[c] sigma[d] c[a] c[e]",
		"gaussian[a..b]*gaussian[c..d]":               "sigma[a,b] sigma[c,d]",
		"gaussian[6]+gaussian[a]":                     "sigma[6] sigma[a]",
		"(gaussian+linear)[a,b]+gaussian[c]":          "1.sigma[a,b] sigma[c]",
		"normalised(polynomial[a,b])+2*gaussian[c]":   "scale[a,b] offset[a,b] weight[c] sigma[c]",
		"gaussian[a..c]":                              "sigma",
		"gaussian+2*linear":                           "1.sigma 2.weight",
		"(gaussian[a]+gaussian[b])*(linear+2*linear)": "1.sigma[a] 1.sigma[b] 2.2.weight",
	} {
		k, err := kernel.Parse(spec, features)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := names(k.Adapt(rows)); got != want {
			t.Errorf("%s has the parameters %s, expected %s", spec, got, want)
		}
	}
	// Columns without names go by their numbers.
	k, err := kernel.Parse("gaussian[1..3]+2*gaussian[4,6]", nil)
	if got, want := names(k), "sigma[1..3] weight[4,6] sigma[4,6]"; err != nil || got != want {
		t.Errorf("parameters %s, expected %s", got, want)
	}
}

// mkl is a sum of Gaussians on groups of columns with weights to be learned.
func mkl(t *testing.T) kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse("0.6*gaussian(sigma=0.5)[a..c]+0.4*gaussian(sigma=0.8)[d,e]", []string{"a", "b", "c", "d", "e"})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestGroupsConformance(t *testing.T) {
	kerneltest.Run(t, mkl(t), cloud(30, 5, 2))
	kerneltest.Run(t, kernel.Grouped(kernel.ExpChi2{Sigma: 1}, [][]int{{0, 3}, {1, 2}}, 5, nil), histograms(30, 5, 3))
}

// Euler's identity: K is linear in the weights, so sum_p beta_p <bar, dK/dbeta_p> = <bar, K>.
func TestWeightsAreHomogeneous(t *testing.T) {
	rows := cloud(30, 5, 4)
	k := mkl(t)
	bar := kernel.Cotangent{U: cloud(30, 2, 5).Dense, V: cloud(30, 2, 6).Dense, D: cloud(30, 30, 7).Dense}
	grad := pull(t, k, rows, bar)
	var euler float64
	for q, d := range k.Space() {
		if strings.HasPrefix(d.Name, "weight") {
			euler += d.Default * grad[q]
		}
	}
	if want := kernel.Inner(bind(t, k, rows, nil), bar); math.Abs(euler-want) > 1e-13*math.Abs(want) {
		t.Errorf("sum of weights times derivatives %.15g, <bar, K> %.15g", euler, want)
	}
}

// The redundancy of multiple kernel learning: (c, beta) and (s c, s beta) are one
// machine, so c dH/dc + sum_p beta_p dH/dbeta_p = 0. Here the machine is
// (K + c I) alpha = y and H = |V alpha - z|^2/2 on held-out rows, whose derivative needs
// the Pull of K and of V.
func TestRedundancyOfWeights(t *testing.T) {
	const l, n, c = 20, 32, 0.3
	rows := cloud(n, 5, 8)
	k := mkl(t)
	g := bind(t, k, rows, nil)
	train, held := indices.To(n)[:l], indices.To(n)[l:]
	kk, vv := mat.NewDense(l, l, nil), mat.NewDense(n-l, l, nil)
	g.Block(kk, train, train)
	g.Block(vv, held, train)
	y, z := mat.NewDense(l, 1, nil), mat.NewDense(n-l, 1, nil)
	for i := range n {
		v := math.Copysign(1, rows.Dense.At(i, 0)+rows.Dense.At(i, 4))
		if i < l {
			y.Set(i, 0, v)
		} else {
			z.Set(i-l, 0, v)
		}
	}
	for i := range l {
		kk.Set(i, i, kk.At(i, i)+c)
	}
	var alpha, r, vr, nu mat.Dense
	if err := alpha.Solve(kk, y); err != nil {
		t.Fatal(err)
	}
	r.Mul(vv, &alpha)
	r.Sub(&r, z)
	vr.Mul(vv.T(), &r)
	if err := nu.Solve(kk, &vr); err != nil { // dH = r'dV alpha - nu'(dK + dc I) alpha
		t.Fatal(err)
	}
	grad := make([]float64, len(k.Space()))
	nu.Scale(-1, &nu)
	if g.Pull(grad, kernel.Cotangent{I: held, J: train, U: &r, V: &alpha}) != nil ||
		g.Pull(grad, kernel.Cotangent{I: train, J: train, U: &nu, V: &alpha}) != nil {
		t.Fatal("Pull failed")
	}
	var euler, size float64
	for i := range l {
		euler += c * nu.At(i, 0) * alpha.At(i, 0)
	}
	size = math.Abs(euler)
	for q, d := range k.Space() {
		if strings.HasPrefix(d.Name, "weight") {
			euler += d.Default * grad[q]
			size = max(size, math.Abs(d.Default*grad[q]))
		}
	}
	if !(math.Abs(euler) <= 1e-12*size) || size == 0 {
		t.Errorf("c dH/dc + sum beta dH/dbeta = %g, terms up to %g", euler, size)
	}
}

// A stored model of groups: text, JSON and expansion keep columns, widths and weights.
func TestGroupsAreStored(t *testing.T) {
	features := []string{"a", "b", "c", "d", "e"}
	rows, x := cloud(25, 5, 9), cloud(7, 5, 10)
	k := mkl(t)
	if got, want := kernel.Format(k, features), "0.6*gaussian(sigma=0.5)[a..c]+0.4*gaussian(sigma=0.8)[d,e]"; got != want {
		t.Errorf("formatted as %s, expected %s", got, want)
	}
	b, err := kernel.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	back, err := kernel.Unmarshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if names(back) != names(k) {
		t.Errorf("parameters %s became %s", names(k), names(back))
	}
	g := bind(t, k, rows, nil)
	alpha := cloud(25, 2, 11).Dense
	parts, err := g.Expand(alpha, nil)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%d expansions, %v", len(parts), err)
	}
	cross := mat.NewDense(7, 25, nil)
	if err := g.Cross(cross, x, nil); err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(cross, alpha)
	parts[0].Kernel = back
	if e := distance(t, outputs(t, parts[0], x), &want); e > 1e-13 {
		t.Errorf("the stored machine differs by %g", e)
	}
}

func TestDecadeGroups(t *testing.T) {
	// Two rows one apart have the standard deviation 1/2 of their distance.
	rows := data.Rows{Dense: mat.NewDense(2, 7, []float64{
		0, 0, 5, 0, 0, 1000, 0,
		2, 0.02, 5, 19.9, 20, 3000, 2 * (1 - 1e-15)})}
	want := [][]int{{1}, {0, 3, 6}, {4}, {5}}
	if got := kernel.DecadeGroups(rows); !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, expected %v", got, want)
	}
	if got := kernel.DecadeGroups(data.Rows{Dense: mat.NewDense(3, 2, nil)}); !reflect.DeepEqual(got, [][]int{{0, 1}}) {
		t.Errorf("groups of constant columns %v", got)
	}
	base := kernel.Gaussian{}
	if got := kernel.Grouped(base, [][]int{{0, 1}}, 2, nil); !reflect.DeepEqual(got, kernel.Kernel(base)) {
		t.Errorf("one group of all columns is %+v", got)
	}
	k := kernel.Grouped(base, want, 7, []string{"a", "b", "c", "d", "e", "f", "g"})
	if got, want := kernel.Format(k, nil), "0.25*gaussian[b]+0.25*gaussian[a,d,g]+0.25*gaussian[e]+0.25*gaussian[f]"; got != want {
		t.Errorf("grouped as %s, expected %s", got, want)
	}
}

// The voice data have features of six decades.
func TestDecadeGroupsOfVoices(t *testing.T) {
	set, _, err := read.Open(t.Context(), testdata.Open(t, "parkinsons.csv"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	groups := kernel.DecadeGroups(set.Rows)
	if len(groups) != 6 {
		t.Errorf("%d groups: %v", len(groups), groups)
	}
	k := kernel.Grouped(kernel.Gaussian{}, groups, set.Rows.Dim(), set.Features).Adapt(set.Rows)
	if got := len(k.Space()); got != 12 {
		t.Errorf("%d parameters: %s", got, names(k))
	}
	t.Log(names(k))
}

// outputs are the values of an expansion at the rows x.
func outputs(t *testing.T, e kernel.Expansion, x data.Rows) *mat.Dense {
	t.Helper()
	g, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(x.Len(), e.Centres.Len(), nil)
	if err := g.Cross(k, x, nil); err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(k, e.Coef)
	return &out
}
