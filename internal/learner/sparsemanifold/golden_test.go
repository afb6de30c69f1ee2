package sparsemanifold

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/kernel"
)

// twelve is the first view of the golden set of the source's reproduction: x_i = (sin i, cos i/2), i = 1 to 12, a Gaussian kernel
// of width 1, the union of three neighbours with weights of 1, L = D - W; the first four rows have labels.
type twelve struct {
	gram     kernel.Gram
	norm     *graph.Power
	labelled []int
	y        *mat.Dense
	centres  []int // 1, 2, 4, 7, 10 of the set
	phi      *kernel.Nystrom
}

const gammaA, gammaI = 0.1, 0.05

func newTwelve(t *testing.T) *twelve {
	t.Helper()
	x := mat.NewDense(12, 2, nil)
	for i := range 12 {
		x.SetRow(i, []float64{math.Sin(float64(i + 1)), math.Cos(float64(i+1) / 2)})
	}
	rows := data.Rows{Dense: x}
	g, err := graph.Recipe{Neighbours: 3, Weights: graph.Binary, Laplacian: graph.Combinatorial}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &twelve{
		norm: &graph.Power{L: g.Laplacian(), P: 1}, labelled: []int{0, 1, 2, 3}, y: mat.NewDense(4, 1, []float64{1, -1, 1, -1}),
		centres: []int{0, 1, 3, 6, 9},
	}
	if s.gram, err = (kernel.Gaussian{Sigma: 1}).Bind(t.Context(), rows, nil); err != nil {
		t.Fatal(err)
	}
	if s.phi, err = kernel.NewNystrom(t.Context(), s.gram, 12, s.centres, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tol) {
			t.Errorf("%s[%d] = %.10g, want %.10g", what, i, v, want[i])
		}
	}
}

var slackBeta = []float64{1.3408629846, -1.4669566108, -1.4053519166, .6469548825, 1.0782168094}

func TestSlackGolden(t *testing.T) {
	s := newTwelve(t)
	k, err := NewSlack(t.Context(), s.norm, s.labelled, s.y, gammaI, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := basis.Fit(t.Context(), k.Basis(s.gram, gammaA), s.centres)
	if err != nil || k.Err() != nil {
		t.Fatal(err, k.Err())
	}
	near(t, "beta", mat.Col(nil, 0, fit.Beta), slackBeta, 2e-8)
	near(t, "objective", []float64{fit.Objective}, []float64{.8592248287}, 1e-9)
	f, _, err := k.Transductive(t.Context(), fit.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "f", mat.Col(nil, 0, f)[:4], []float64{.6248438807, -.4187756861, .5457525038, -.6921782722}, 1e-9)
}

// The label-free form gives the same machine.
func TestWarpIsTheEliminatedSlack(t *testing.T) {
	s := newTwelve(t)
	w, err := NewWarp(t.Context(), s.phi, s.norm, s.labelled, gammaI/gammaA, 0.8/gammaA)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRidge(t.Context(), w.Kernel, s.y, false, gammaA)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "beta", mat.Col(nil, 0, w.Coefficients(r.alpha, nil)), slackBeta, 2e-8)
}

func TestDecoupledGolden(t *testing.T) {
	s := newTwelve(t)
	f, rows, _, err := Spread(t.Context(), s.norm, s.labelled, s.y, gammaI)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "f", mat.Col(nil, 0, f)[:4], []float64{.8816550095, -.7850116572, .7956463024, -.8922896547}, 1e-8)
	beta, err := Regress(s.phi, rows, f, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "beta", mat.Col(nil, 0, beta), []float64{.4101746706, -.3137146669, -1.0741724029, .4451446425, .5508125353}, 2e-8)
}

// weights are L'beta.
func weights(p *kernel.Nystrom, beta []float64) []float64 {
	l := p.Factor()
	w := mat.NewDense(len(beta), 1, nil)
	w.Mul(l.T(), mat.NewDense(len(beta), 1, beta))
	return w.RawMatrix().Data
}

func newSigmoid(s *twelve, rho float64, logistic bool) *Sigmoid {
	p := &Sigmoid{Phi: s.phi.Phi, Norm: s.norm, Labelled: s.labelled, Y: s.y.RawMatrix().Data, GammaA: gammaA, GammaI: gammaI, Rho: rho,
		Logistic: logistic}
	p.begin(rho)
	return p
}

func TestSigmoidGolden(t *testing.T) {
	s := newTwelve(t)
	p := newSigmoid(s, 3, true)
	w := weights(s.phi, []float64{.3, -.2, .5, .1, -.7})
	p.outputs(p.o, w)
	near(t, "value", []float64{p.value(p.o, mat.Dot(mat.NewVecDense(5, w), mat.NewVecDense(5, w)))}, []float64{2.1788222901}, 1e-9)
	g := make([]float64, 5)
	p.gradient(g, w)
	back := mat.NewDense(5, 1, nil)
	back.Mul(s.phi.Factor(), mat.NewDense(5, 1, g))
	near(t, "gradient", back.RawMatrix().Data, []float64{-.668651318, -.633829307, .3447296933, -.1528321654, -.1773974391}, 1e-9)
}

// segments are chains of m rows, h = 1/(m - 1) apart, with edges of weight 1/h.
func segments(m int, at func(segment int, s float64) (x, y float64)) (*mat.Dense, *graph.Power) {
	x := mat.NewDense(2*m, 2, nil)
	l := mat.NewDense(2*m, 2*m, nil)
	h := 1 / float64(m-1)
	for q := range 2 {
		for i := range m {
			a, b := at(q, float64(i)*h-0.5)
			x.SetRow(q*m+i, []float64{a, b})
			if i > 0 {
				p, r := q*m+i-1, q*m+i
				l.Set(p, p, l.At(p, p)+1/h)
				l.Set(r, r, l.At(r, r)+1/h)
				l.Set(p, r, -1/h)
				l.Set(r, p, -1/h)
			}
		}
	}
	return x, &graph.Power{L: data.CSRFromDense(l), P: 1}
}

// Of the letter T the intrinsic norm of a linear function is its own norm, so rows without a label tell nothing; of two
// horizontal strokes it is twice that of the slope along them, so the separator becomes horizontal (the source writes it once).
func TestTAndEqualSigns(t *testing.T) {
	const m = 21
	machine := func(x *mat.Dense, norm *graph.Power, a, i float64) []float64 {
		g, err := kernel.Linear{}.Bind(t.Context(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		labelled := []int{2, 9, 25, 38}
		y := mat.NewDense(4, 1, []float64{1, -1, 1, 1})
		fit, err := basis.Fit(t.Context(), basis.Laplacian(g, labelled, y, nil, norm, a, i), []int{0, m})
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, 2)
		for q, c := range []int{0, m} {
			addTo(w, fit.Beta.At(q, 0), x.RawRowView(c))
		}
		return w
	}
	x, norm := segments(m, func(q int, s float64) (float64, float64) {
		if q == 0 {
			return s, 0.5
		}
		return 0, s
	})
	near(t, "T", machine(x, norm, 0.2, 0.7), machine(x, norm, 0.9, 0), 1e-9)
	lx, xlx := mat.NewDense(2*m, 2, nil), mat.NewDense(2, 2, nil)
	x, norm = segments(m, func(q int, s float64) (float64, float64) { return s, float64(q) - 0.5 })
	norm.MulTo(lx, x)
	xlx.Mul(x.T(), lx)
	near(t, "X'LX of =", xlx.RawMatrix().Data, []float64{2, 0, 0, 0}, 1e-12)
	if w := machine(x, norm, 0.01, 1e6); math.Abs(w[0]) > 1e-5*math.Abs(w[1]) {
		t.Errorf("the separator of = has the weights %v; a strong graph makes it horizontal", w)
	}
}
