package methodtest

// Problem   are machines by gradients, and those on path lengths, the minima that they are said to be? With the outputs
//           f of all rows, the offset b, K by its printed parameters and alpha = K^+ (f - b),
//
//           J = 1/2 alpha'K alpha + C sum_L max(0, 1 - y f)^2 + C l/u sum_U exp(-3 f^2),   mean_U f = 2 r - 1,
//           P = 1/2 alpha'K alpha + C sum_L V(y, f)   of the machine that learns from labels alone.
// Method    J is stationary under its constraint where g = K^1/2 (alpha + s - nu e_U) = 0, s the derivatives of the
//           losses by f, e_U one on the unlabelled rows, nu = sum s/u where b is free and otherwise
//           what makes g least. |g| over |K^1/2 alpha| is the residual that is printed.
// Source    the formulas that mercer methods prints.

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// descents checks the certificates of machines by gradients and on path lengths.
func descents(t *testing.T, m method.Method) {
	for _, r := range solved(m) {
		in := sample(t, moons)
		w := newOutcome(t, in, one(t, in, r))
		if m.Has("share_of") {
			w.stationary(fmt.Sprintf("%+v", r))
		} else {
			w.minimal(fmt.Sprintf("%+v", r), r.Set["loss"])
		}
	}
}

// outcome is a machine by its outputs.
type outcome struct {
	*witness
	root *mat.Dense // Z with K = Z Z'
	z    []float64  // the weights of the function on the columns of Z
	free bool
	all  []float64 // outputs
}

func newOutcome(t *testing.T, in mercer.Input, f fitted) *outcome {
	t.Helper()
	w := &outcome{witness: &witness{t: t, fitted: f, params: f.result.Params}}
	x := f.model.Scaling.Apply(in.Set.Rows)
	w.y, w.labelled = targets(f, in.Set.Answers)
	out, err := f.model.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	w.all = mat.Col(nil, 0, out)
	if b := f.model.Parts[0].Offset; b != nil {
		w.offset, w.free = b[0], true
	}
	if w.params["softness"] == nil {
		w.k = gaussian(x, w.number("sigma"))
	} else {
		w.k = pathKernel(t, w, x)
	}
	w.decompose()
	return w
}

// pathKernel is the kernel of the printed paths.
func pathKernel(t *testing.T, w *outcome, x data.Rows) *mat.Dense {
	t.Helper()
	s, err := manifold.NewSurvey(t.Context(), x, graph.Recipe{Neighbours: w.params["neighbours"].(int)}, w.number("softness"))
	if err != nil {
		t.Fatal(err)
	}
	k := manifold.Paths{Survey: s, Sigma: math.Inf(1), Scaled: w.params["coordinates"] != nil}
	if w.params["sigma"] != nil {
		k.Sigma = w.number("sigma")
	}
	g, err := k.Bind(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := x.Len()
	out := mat.NewDense(n, n, nil)
	g.Block(out, nil, nil)
	return out
}

// decompose makes Z of the eigenvectors of K, and the weights of f - b on it.
func (w *outcome) decompose() {
	n, _ := w.k.Dims()
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, w.k.At(i, j))
		}
	}
	var e mat.EigenSym
	var u mat.Dense
	e.Factorize(sym, true)
	e.VectorsTo(&u)
	values := e.Values(nil)
	w.root = mat.NewDense(n, n, nil)
	w.z = make([]float64, n)
	for j, v := range values {
		if v < 1e-10*values[n-1] {
			continue
		}
		for i := range n {
			w.root.Set(i, j, u.At(i, j)*math.Sqrt(v))
			w.z[j] += u.At(i, j) * (w.all[i] - w.offset) / math.Sqrt(v)
		}
	}
}

// stationary wants J to be so.
func (w *outcome) stationary(name string) {
	n, l := len(w.all), float64(len(w.labelled))
	u := float64(n) - l
	label := make([]float64, n)
	plus := 0.0
	for q, i := range w.labelled {
		label[i] = w.y[q]
		plus += (1 + w.y[q]) / 2 / l
	}
	value, mean, sum := norm(w.z)*norm(w.z)/2, 0.0, 0.0
	slope, rest := make([]float64, n), make([]float64, n)
	for i, f := range w.all {
		if y := label[i]; y != 0 {
			m := max(0, 1-y*f)
			value += w.number("C") * m * m
			slope[i] = -2 * w.number("C") * y * m
		} else {
			bell := w.number("C") * l / u * math.Exp(-3*f*f)
			value += bell
			slope[i] = -6 * f * bell
			mean += f / u
			rest[i] = 1
		}
		sum += slope[i]
	}
	if math.Abs(mean-(2*plus-1)) > 1e-8 {
		w.t.Errorf("%s: the mean output is %g, the labels ask for %g", name, mean, 2*plus-1)
	}
	g, along := timesTransposed(w.root, slope), timesTransposed(w.root, rest)
	nu := sum / u
	if !w.free {
		nu = 0
		for j, v := range along {
			nu += v * (w.z[j] + g[j]) / (norm(along) * norm(along))
		}
	}
	for j := range g {
		g[j] += w.z[j] - nu*along[j]
	}
	c := w.fitted.result.Certificate
	if got := norm(g) / norm(w.z); got > 1.01*c.Residual+1e-6 {
		w.t.Errorf("%s: the gradient is %g, printed as %g", name, got, c.Residual)
	}
	if math.Abs(c.Objective-value) > 1e-7*value {
		w.t.Errorf("%s: the objective is %g, printed as %g", name, value, c.Objective)
	}
}

// minimal wants P to be what is printed.
func (w *outcome) minimal(name, word string) {
	if word == "" {
		word = "hinge"
	}
	v, err := learn.ParseLoss(word)
	if err != nil {
		w.t.Fatal(err)
	}
	value := norm(w.z) * norm(w.z) / 2
	for q, i := range w.labelled {
		value += w.number("C") * v.Value(w.y[q], w.all[i])
	}
	if c := w.fitted.result.Certificate; math.Abs(c.Objective-value) > (c.Gap+1e-5)*value {
		w.t.Errorf("%s: the objective is %g, printed as %g", name, value, c.Objective)
	}
}

// timesTransposed is a'x.
func timesTransposed(a *mat.Dense, x []float64) []float64 {
	_, c := a.Dims()
	out := make([]float64, c)
	mat.NewVecDense(c, out).MulVec(a.T(), mat.NewVecDense(len(x), x))
	return out
}

func norm(x []float64) float64 { return mat.Norm(mat.NewVecDense(len(x), x), 2) }
