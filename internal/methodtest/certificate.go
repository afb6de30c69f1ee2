package methodtest

// Problem   is the model the minimum that it is said to be? With f = K alpha + b on the rows,
//
//	          P(alpha, b) = sum_i V(y_i, f_i) + ridge (alpha'K alpha + ratio (K alpha)'R K alpha)
//
//	          ridge and ratio from the printed parameters, K and R from the rows.
// Method    u = -2 ridge (alpha + ratio R K alpha) is what the regulariser says the derivative of
//           the loss is. At the minimum u is zero on rows without a label, sums to zero where b is
//           free, and u_i is a derivative of V at f_i, for which the Fenchel gap
//
//	          sum_i V(y_i, f_i) + V*(y_i, u_i) - u_i f_i  >=  P - min P
//
//           is zero; of a smooth loss it is the derivative. They are compared with the gap and the
//           residual that are printed, and P, in the formula's units, with the objective.
// Cost      n^2 kernel values by their formula.
// Source    the formulas that mercer methods prints.

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
)

// certificates is the check that what is said of a machine is true, for every loss of the method.
func certificates(t *testing.T, m method.Method) {
	if c := m.Certificate; (c.Objective == "" || c.Residual == "") && !m.Supports(nil).Front && m.ID != "nadaraya-watson" {
		t.Errorf("%s does not say what its certificate is", m.ID)
	}
	switch {
	case m.Supports(nil).Front:
		fronts(t, m)
		return
	case m.ID == "nadaraya-watson":
		weightedMean(t, m)
		return
	case m.ID == "one-class":
		oneClass(t, m)
		return
	case m.Has("share_of") && !m.Has("clip"), m.Has("softness"):
		descents(t, m)
		return
	case m.Has("repair"):
		fewCentres(t, m)
		return
	case m.Kernel != "":
		linearMachine(t, m)
		return
	case m.Has("positive"):
		transductive(t, m)
		return
	case spreads(m):
		spreadLabels(t, m)
		return
	}
	for _, r := range solved(m) {
		in := sample(t, binary(m))
		f := one(t, in, r)
		if len(f.result.Members) > 0 {
			continue // a mean of machines minimises nothing
		}
		w := newWitness
		if m.Supports(nil).Views {
			w = newViewsWitness
		}
		for _, fault := range w(t, in, f).faults() {
			t.Errorf("%+v: %s", r, fault)
		}
	}
}

// binary is a set of one output.
func binary(m method.Method) string {
	if m.For == data.Regression {
		return widths
	}
	return moons
}

// solved are recipes of the machine at the literature's parameters and at what a search finds, with
// each of its losses.
func solved(m method.Method) []mercer.Recipe {
	list := recipes(m)
	for _, s := range m.All() {
		if s.Name != "loss" || s.Flag {
			continue
		}
		for _, word := range s.Words {
			list = append(list, with(plainRecipe(m), given{"--tune": "none", "loss": word}))
		}
	}
	for i, r := range list {
		switch m.ID {
		case "c-lap-rls":
			list[i] = with(r, given{"neighbours": "3,8"})
		case method.Auto:
			list[i] = with(r, given{"sigma": "0.5"}) // no linear kernel
		}
	}
	return list
}

// witness is a machine in the terms of its printed parameters.
type witness struct {
	t            *testing.T
	fitted       fitted
	params       map[string]any
	k, r         *mat.Dense // of all rows; r nil without a graph
	alpha, f     []float64  // of all rows; f without the offset
	y            []float64  // of the labelled
	labelled     []int
	offset       float64
	free         bool // the offset is
	ridge, ratio float64
	loss         learn.Loss
	views        [][2]int // columns of each, of a machine of several views
	// scale is the printed objective, the value of the method's formula, over P.
	scale float64
}

// newWitness reads a fit.
func newWitness(t *testing.T, in mercer.Input, f fitted) *witness {
	t.Helper()
	w := &witness{t: t, fitted: f, params: f.result.Params}
	x := f.model.Scaling.Apply(in.Set.Rows)
	w.k = gaussian(x, w.number("sigma"))
	w.y, w.labelled = targets(f, in.Set.Answers)
	w.alpha = coefficients(t, f.model.Parts[0], x)
	w.f = times(w.k, w.alpha)
	if b := f.model.Parts[0].Offset; b != nil {
		w.offset, w.free = b[0], true
	}
	w.terms(x)
	return w
}

// ownLoss are the losses of methods that have no other, or this one unless told otherwise; the square where there is none.
var ownLoss = map[string]string{
	"svm":             "hinge",
	"lap-svm":         "hinge",
	"l2-svm":          "squared-hinge",
	"linear-svm":      "squared-hinge",
	"linear-tsvm":     "squared-hinge",
	"linear-da":       "squared-hinge",
	"logistic":        "logistic",
	"linear-logistic": "logistic",
	"lap-logistic":    "logistic",
	"co-svm":          "hinge",
	"co-lap-svm":      "hinge",
	"co-logistic":     "logistic",
	"co-train":        "square",
	"linear-rls":      "square",
	"linear-lap-rls":  "square",
	"linear-lap-svm":  "squared-hinge",
	"svr":             "epsilon",
	"lap-svr":         "epsilon",
}

// terms are the loss and the weights of its regulariser.
func (w *witness) terms(x data.Rows) {
	l, n := float64(len(w.labelled)), float64(x.Len())
	word, _ := w.params["loss"].(string)
	w.scale = 1
	if word == "" {
		word = ownLoss[w.fitted.result.Method]
	}
	switch word {
	case "":
		w.loss = learn.Square()
	case "epsilon":
		w.loss = learn.Epsilon(w.number("epsilon"))
	case "squared-epsilon":
		w.loss = learn.SquaredEpsilon(w.number("epsilon"))
	default:
		var err error
		if w.loss, err = learn.ParseLoss(word); err != nil {
			w.t.Fatal(err)
		}
	}
	switch method := w.fitted.result.Method; {
	case method == "erm":
	case method == "rn":
		w.ridge = w.number("lambda")
	case w.params["gamma_a"] != nil:
		w.ridge, w.scale = l*w.number("gamma_a"), 1/l
		w.ratio = w.number("gamma_i") / (n * n * w.number("gamma_a"))
		if w.views == nil {
			w.r = laplacians(w.t, w.params, x)
		}
	case w.params["C"] != nil:
		w.ridge, w.scale = 1/(2*w.number("C")), w.number("C") // 1/2 ||f||^2 + C sum V
	default:
		w.ridge, w.scale = l*w.number("lambda"), 1/l
	}
}

// rounding is the relative error that solving the system with I + ratio R K leaves.
func (w *witness) rounding() float64 {
	if w.r == nil {
		return 0
	}
	return 1e-15 * w.ratio * mat.Norm(w.r, 1) * mat.Norm(w.k, 1)
}

// number is a printed parameter.
func (w *witness) number(name string) float64 {
	v, ok := w.params[name].(float64)
	if !ok {
		w.t.Fatalf("%v has no %s", w.params, name)
	}
	return v
}

// faults lists where what is printed is not so.
func (w *witness) faults() (list []string) {
	complain := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	g := w.pull()
	norm, most := 0.0, 0.0
	for i, v := range g {
		norm += w.f[i] * v / 2 // ridge (alpha'K alpha + ratio f'Rf)
		most = max(most, math.Abs(v))
	}
	risk, gap, sum, slope := 0.0, 0.0, 0.0, 0.0
	zero := 0.0 // the risk of no function at all
	for q, i := range w.labelled {
		out := w.f[i] + w.offset
		u := w.inside(w.y[q], -g[i])
		v := w.loss.Value(w.y[q], out)
		risk += v
		gap += v + w.loss.Conjugate(w.y[q], u) - u*out
		sum += u
		zero += w.loss.Value(w.y[q], 0)
		if d, _ := w.loss.Derivatives(w.y[q], out); learn.Smooth(w.loss) {
			slope = max(slope, math.Abs(u-d))
		}
		g[i] = 0
	}
	c, p, exact := w.fitted.result.Certificate, risk+norm, 1e-7+w.rounding()
	said := c.Gap*p + exact*zero // some solvers print no gap
	if gap > 1.01*said || gap < -1e-9*zero {
		complain("the gap is %g of %g, printed as %g", gap, p, c.Gap)
	}
	if slope > (1.01*c.Residual+10*exact)*most+exact*zero {
		complain("the slope of the objective is %g of %g, printed as %g", slope, most, c.Residual)
	}
	for i, v := range g {
		if math.Abs(v) > 10*exact*most {
			complain("row %d, without a label, pulls by %g, the others by at most %g", i, v, most)
		}
	}
	if w.free && math.Abs(sum) > 10*exact*most*float64(len(w.labelled)) {
		complain("the offset is free, and the pulls of the labels sum to %g", sum)
	}
	got := c.Objective
	if m, _ := method.Find(w.fitted.result.Method); m.Certificate.Dual && !learn.Smooth(w.loss) {
		got = -got // LIBSVM's dual, which is by the gap above minus P
	}
	if math.Abs(got-w.scale*p) > w.scale*(1.01*said+10*exact*p) {
		complain("the objective is %g, printed as %g", w.scale*p, c.Objective)
	}
	return list
}

// pull is the derivative of the regulariser by the outputs, in the coordinates of alpha.
func (w *witness) pull() []float64 {
	g := make([]float64, len(w.alpha))
	var rf []float64
	if w.r != nil {
		rf = times(w.r, w.f)
	}
	for i, a := range w.alpha {
		g[i] = 2 * w.ridge * a
		if rf != nil {
			g[i] += 2 * w.ridge * w.ratio * rf[i]
		}
	}
	return g
}

// inside moves a derivative that rounding has taken out of the domain of the conjugate back into
// it, by a millionth at most.
func (w *witness) inside(y, u float64) float64 {
	for step := 0.0; step <= 1e-6; step = max(2*step, 1e-15) {
		if v := u * (1 - step); !math.IsInf(w.loss.Conjugate(y, v), 0) {
			return v
		}
	}
	if w.loss.Classes() && math.Abs(u) < 1e-6 {
		return 0
	}
	return u
}

// gaussian is the kernel matrix by its formula.
func gaussian(x data.Rows, sigma float64) *mat.Dense {
	n, d := x.Dense.Dims()
	k := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			var s float64
			for q := range d {
				r := x.Dense.At(i, q) - x.Dense.At(j, q)
				s += r * r
			}
			k.Set(i, j, math.Exp(-s/(2*sigma*sigma)))
		}
	}
	return k
}

// targets are those of the labelled rows: -1 and +1, or numbers.
func targets(f fitted, answers data.Answers) (y []float64, labelled []int) {
	for i, a := range answers {
		if data.IsUnlabelled(a) {
			continue
		}
		labelled = append(labelled, i)
		v := -1.0
		if f.model.Classes == nil {
			if _, err := fmt.Sscan(a, &v); err != nil {
				panic(err) // of our own set
			}
		} else if a == f.model.Classes[1] {
			v = 1
		}
		y = append(y, v)
	}
	return y, labelled
}

// coefficients are those of a part of a model by row: its centres are rows.
func coefficients(t *testing.T, p model.Part, x data.Rows) []float64 {
	t.Helper()
	alpha := make([]float64, x.Len())
	for _, part := range p.Functions {
		e, ok := part.(model.Expansion)
		if !ok {
			t.Fatalf("a %T where an expansion was expected", part)
		}
		plain := e.Plain()
		for c := range plain.Centres.Len() {
			row := -1
			for i := range x.Len() {
				if mat.Equal(plain.Centres.Dense.RowView(c), x.Dense.RowView(i)) {
					row = i
				}
			}
			if row < 0 {
				t.Fatalf("centre %d of the model is no row", c)
			}
			alpha[row] += plain.Coef.At(c, 0)
		}
	}
	return alpha
}

// laplacians is the matrix R of the printed graph, or of the printed graphs by their weights.
func laplacians(t *testing.T, params map[string]any, x data.Rows) *mat.Dense {
	t.Helper()
	names, several := params["laplacians"].([]string)
	if !several {
		words := map[string]string{}
		for k, v := range params {
			words[k] = fmt.Sprint(v)
		}
		return laplacian(t, words, x)
	}
	n := x.Len()
	sum := mat.NewDense(n, n, nil)
	for j, mu := range params["mu"].([]float64) {
		words := map[string]string{}
		for part := range strings.FieldsSeq(names[j]) {
			k, v, _ := strings.Cut(part, "=")
			words[k] = v
		}
		r := laplacian(t, words, x)
		r.Scale(mu*float64(n)/mat.Trace(r), r)
		sum.Add(sum, r)
	}
	return sum
}

// laplacian is the power of a graph's Laplacian as a matrix.
func laplacian(t *testing.T, words map[string]string, x data.Rows) *mat.Dense {
	t.Helper()
	return operator(t, manifold.Graph{Recipe: graphOf(t, words)}, x)
}

// graphOf is the recipe of the printed words.
func graphOf(t *testing.T, words map[string]string) graph.Recipe {
	t.Helper()
	var g graph.Recipe
	for name, into := range map[string]any{"neighbours": &g.Neighbours, "degree": &g.Degree, "width": &g.Width} {
		if text := words[name]; text != "" {
			if _, err := fmt.Sscan(text, into); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := g.Weights.UnmarshalText([]byte(words["weights"])); err != nil {
		t.Fatal(err)
	}
	if text := words["symmetry"]; text != "" {
		if err := g.Symmetry.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// operator is an intrinsic norm as a matrix.
func operator(t *testing.T, norm manifold.Norm, x data.Rows) *mat.Dense {
	t.Helper()
	built, err := norm.Bind(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Len()
	identity, r := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	built.MulTo(r, identity)
	return r
}

// times is a x.
func times(a *mat.Dense, x []float64) []float64 {
	out := make([]float64, len(x))
	mat.NewVecDense(len(x), out).MulVec(a, mat.NewVecDense(len(x), x))
	return out
}
