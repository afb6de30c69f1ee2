package score

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// Reduced is the score Laplacian on kernels of low rank (manifold.Reduced), for rows of which
// n x n tables do not fit: the same parameters in the same order, of which `neighbours` and
// `degree` are fixed.
//
// The landmarks are chosen once, for the base kernel as it is, labelled rows first where
// they are at most half of them: without a graph the machine is then the exact one but for
// rounding. All rows as landmarks give Laplacian.
//
// With more labelled rows than landmarks least squares are solved on the features
// (reduced_features.go), else, and for other learners, on the block of the labelled rows.
//
// Cost of an evaluation: that of manifold.Reduced, and l^2 m + l^3 or 3 l m^2 flops. The
// features stay for the next one, which with the same parameters of base kernel, graph and
// width costs m^3/3 + l m^2 in the place of the former. They are one n x m table, so evaluations
// wait for each other.
type Reduced struct {
	Laplacian
	Landmarks kernel.Landmarks
	// Longest is the largest number of neighbours that theta will ask of the Graph, so that lists
	// are made once; 0: the graph's own.
	Longest int

	mu    sync.Mutex
	fixed *manifold.Reduced // with its landmarks
	parts *manifold.ReducedParts
	key   []float64 // parameters that parts were made for
	own   kernel.Work
}

var _ param.Objective = (*Reduced)(nil)

// Space lists the parameters, see Laplacian.
func (o *Reduced) Space() param.Space {
	s := o.Laplacian.Space()
	for i := range o.whole() {
		s[len(o.Base.Space())+i].Fixed = true
	}
	return s
}

func (o *Reduced) chosen(ctx context.Context) (manifold.Reduced, error) {
	if o.fixed != nil {
		return *o.fixed, nil
	}
	var always []int
	if l := len(o.Problem.Labelled); 2*l <= o.Landmarks.Of(o.Problem.Rows.Len()) {
		always = o.Problem.Labelled
	}
	k, err := manifold.Reduced{Base: o.Base, Landmarks: o.Landmarks}.Choose(ctx, o.Problem.Rows, always)
	if err != nil {
		return k, err
	}
	o.fixed = &k
	return k, nil
}

// Machine returns the score in the machine's own parameters and their values at theta, as
// Laplacian.Machine does: a fit binds and solves it in the same way.
func (o *Reduced) Machine(ctx context.Context, theta []float64) (*LeaveOut, []float64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.machine(ctx, theta)
}

func (o *Reduced) machine(ctx context.Context, theta []float64) (*LeaveOut, []float64, error) {
	k, err := o.chosen(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, inner, err := o.Laplacian.Machine(theta)
	if err != nil {
		return nil, nil, err
	}
	w := m.Kernel.(manifold.Warp)
	if g, ok := w.Norm.(manifold.Graph); ok {
		g.Longest = max(o.Longest, g.Recipe.Neighbours)
		w.Norm = g
	}
	k.Base, k.Norm, k.Ratio = w.Base, w.Norm, w.Ratio
	m.Kernel = k
	m.Work = o.work()
	return m, inner, nil
}

func (o *Reduced) work() *kernel.Work {
	if o.Work != nil {
		return o.Work
	}
	return &o.own
}

// bound is a kernel that is bound already.
type bound struct {
	manifold.Reduced
	gram kernel.Gram
}

func (b bound) With([]float64) (kernel.Kernel, error) { return b, nil }

func (b bound) Bind(ctx context.Context, _ data.Rows, _ *kernel.Work) (kernel.Gram, error) {
	return b.gram, ctx.Err()
}

// bind replaces the kernel of m by one bound at the parameters inner, from the parts of
// the last evaluation where they fit.
func (o *Reduced) bind(ctx context.Context, m *LeaveOut, inner, theta []float64) error {
	k, err := m.Kernel.With(inner[:len(inner)-1])
	if err != nil {
		return err
	}
	w := k.(manifold.Reduced)
	if err := o.keep(ctx, w, theta[:len(theta)-2]); err != nil {
		return err
	}
	g, err := o.parts.Warp(ctx, w)
	m.Kernel = bound{w, g}
	return err
}

// keep makes the parts those of the key, all parameters but ratio and lambda: as they are,
// with other weights of their graphs, or anew.
func (o *Reduced) keep(ctx context.Context, w manifold.Reduced, key []float64) (err error) {
	if o.parts != nil && slices.Equal(o.key, key) {
		return nil
	}
	if nb := len(o.Base.Space()); o.parts != nil && slices.Equal(o.key[:nb], key[:nb]) {
		norm, err := w.Norm.Bind(ctx, o.Problem.Rows, o.work())
		if err != nil {
			return err
		}
		if c, ok := norm.(*graph.Combination); ok {
			if err := o.parts.Reweigh(ctx, c); err != nil {
				return err
			}
			o.key = slices.Clone(key)
			return nil
		}
	}
	o.Release()
	if o.parts, err = w.Parts(ctx, o.Problem.Rows, o.work()); err == nil {
		o.key = slices.Clone(key)
	}
	return err
}

// Release gives the memory of the last evaluation back.
func (o *Reduced) Release() {
	if o.parts != nil {
		o.parts.Release()
		o.parts, o.key = nil, nil
	}
}

// Eval implements Objective. The derivatives by neighbours and degree are NaN.
func (o *Reduced) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m, inner, err := o.machine(ctx, theta)
	if err != nil {
		return param.Value{}, err
	}
	if err := o.bind(ctx, m, inner, theta); err != nil {
		return infeasible(ctx, err)
	}
	var v param.Value
	switch {
	case o.Learner != nil:
		r := Refit{Kernel: m.Kernel, Learner: o.Learner, Problem: o.Problem, Work: o.work(), Criterion: o.Criterion, Folds: o.Folds}
		learned := o.Learned(inner)
		v, err = r.Eval(ctx, learned, want)
		if k := len(inner) - 1; v.Grad != nil { // C = 1/(2 lambda)
			v.Grad = append(v.Grad[:k:k], -v.Grad[k]*learned[k]/inner[k])
		}
	case o.onFeatures() && o.Penalty <= 0:
		v, err = evalFeatures(ctx, m, inner, want)
	default:
		v, err = m.Eval(ctx, inner, want)
	}
	if err != nil || v.Grad == nil {
		return v, err
	}
	v.Grad = o.outer(theta, inner, v.Grad)
	return v, nil
}

// onFeatures tells whether there are more labelled rows than landmarks.
func (o *Reduced) onFeatures() bool { return len(o.Problem.Labelled) > o.fixed.Count() }

// outer turns derivatives by the machine's parameters into those by theta.
func (o *Reduced) outer(theta, inner, d []float64) []float64 {
	nb, n, k := len(o.Base.Space()), len(theta), len(inner)
	ga, dRatio, dLambda := theta[n-1], d[k-2], d[k-1]
	g := append(make([]float64, 0, n), d[:nb]...)
	for range o.whole() {
		g = append(g, math.NaN())
	}
	g = append(g, d[nb:k-2]...)
	dI, dA := o.terms().Pull(theta[len(theta)-2], ga, dRatio, dLambda)
	return append(g, dI, dA)
}

// evalFeatures is LeaveOut.Eval on the features of a bound kernel.
func evalFeatures(ctx context.Context, m *LeaveOut, inner []float64, want param.Want) (param.Value, error) {
	g, err := m.gram(ctx, nil)
	if err != nil {
		return param.Value{}, err
	}
	n, lab := len(inner)-1, m.Problem.Labelled
	features := g.(manifold.Featured)
	f, err := solveFeatures(features.Features(lab), m.Problem, m.Offset, inner[n])
	if err != nil {
		return infeasible(ctx, err)
	}
	var gpsi *mat.Dense
	v, dLambda := param.Value{}, 0.0
	if m.GCV {
		v.F, gpsi, dLambda = f.gcv(want)
	} else {
		folds, err := f.folds(m.Folds)
		if err != nil {
			return infeasible(ctx, err)
		}
		o := f.leaveOut(folds)
		var bar *mat.Dense
		if want == param.WithGradient && Smooth(m.Criterion) {
			l, c := o.Dims()
			bar = mat.NewDense(l, c, nil)
		}
		v.F = m.Criterion.Eval(m.Problem, m.Judged(), o, bar)
		if bar != nil {
			gpsi, dLambda = f.pull(folds, bar)
		}
	}
	if math.IsNaN(v.F) {
		v.F = math.Inf(1)
	}
	if gpsi != nil {
		v.Grad = make([]float64, n+1)
		v.Grad[n] = dLambda
		if err := features.PullFeatures(v.Grad[:n], lab, gpsi); err != nil {
			return param.Value{}, err
		}
	}
	return v, nil
}
