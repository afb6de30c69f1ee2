package shrink

// Problem   a classifier of few centres that decides as a model of many does where rows are. Decisions alone matter, so that the
//           outputs of a narrow kernel under a strong graph, which few centres cannot follow, may be replaced by smoother ones.
// Method    targets y_iq = 1 for the class q that the model decides, -1 for the others. Centres are chosen by greedy matching pursuit
//           of least squares on them (basis.Greedy), then the squared hinge takes the place of the square:
//             min over beta of sum_iq max(0, 1 - y_iq o_iq)^2 + gamma beta'K_JJ beta,   o = b + K_NJ beta
//           b are the means of the targets. It is minimised by majorisation: least squares on the targets y max(1, y o), again and
//           again, with one factorisation of K_JN K_NJ + gamma K_JJ.
// Kernel    of those given the one in which the first functions come nearest to the targets; no label is needed.
// Probabilities  one slope, that comes nearest to those of the model on the rows (calibrate.FitMatching).
// Cost      greedy as in shrink.go; n N^2 flops and 2 n N c a step for N centres and c outputs; memory n N numbers.
// Source    ours; labels of a large machine for a small one: Bucila, Caruana, Niculescu-Mizil, KDD 2006. Majorisation of the squared
//           hinge: Groenen, Nalbantov, Bioch, Support vector machines: a majorisation approach, 2008.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

const (
	// distilGamma times the number of rows and the mean of k(x, x) is the ridge.
	distilGamma = 1e-6
	// firstFunctions are those by which kernels are compared.
	firstFunctions = 40
	// Majorisation ends after so many steps, or when one lowers the objective by less than a thousandth of it.
	distilSteps = 100
	distilGain  = 1e-3
	// sharedRows at most have a table of distances that all kernels share.
	sharedRows = 4000
)

// Distillation makes classifiers of few centres that decide as a model does.
type Distillation struct {
	model         *model.Model
	kernel        kernel.Kernel
	gram          kernel.Gram // on x
	x             data.Rows   // scaled
	y             *mat.Dense  // targets
	offset        []float64   // their means
	gamma         float64
	probabilities *mat.Dense // of the model; nil: it has none
	options       Options
}

// NewDistillation prepares classifiers in one of the kernels for the rows, which are as read, unscaled. A regression, a model of
// several views and no kernel are errors.
func NewDistillation(ctx context.Context, m *model.Model, rows data.Rows, kernels []kernel.Kernel, o Options) (*Distillation, error) {
	switch {
	case m.Task != data.Classification:
		return nil, errors.New("a regression has no decisions to be distilled; approximate its outputs (shrink.Model)")
	case len(m.Parts) != 1 || m.Parts[0].Columns != nil:
		return nil, errors.New("a model of several views is not distilled; approximate its outputs (shrink.Model)")
	case len(kernels) == 0:
		return nil, errors.New("distillation needs a kernel")
	}
	o = o.completed()
	at := o.drawn(rows.Len())
	if len(at) < rows.Len() {
		rows = rows.Select(at)
	}
	out, err := m.Predict(ctx, rows)
	if err != nil {
		return nil, err
	}
	decided := m.Decide(out)
	d := &Distillation{model: m, x: m.Scaling.Apply(rows), options: o}
	if m.HasProbabilities() {
		if d.probabilities, err = m.Probabilities(out); err != nil {
			return nil, err
		}
	}
	d.code(decided, len(m.Classes))
	return d, d.choose(ctx, kernels)
}

// code makes targets of decisions.
func (d *Distillation) code(decided []int, classes int) {
	d.y = learn.Coding{Classes: classes}.Code(decided)
	n, c := d.y.Dims()
	d.offset = make([]float64, c)
	for i := range n {
		floats.Add(d.offset, d.y.RawRowView(i))
	}
	for q := range d.offset { // not by 1/n: targets that are all alike leave exactly nothing
		d.offset[q] /= float64(n)
	}
}

// choose takes the kernel in which the first functions come nearest to the targets.
func (d *Distillation) choose(ctx context.Context, kernels []kernel.Kernel) error {
	var work *kernel.Work
	if d.x.Len() <= sharedRows {
		work = new(kernel.Work)
	}
	least := math.Inf(1)
	for _, k := range kernels {
		g, err := k.Bind(ctx, d.x, work)
		if err != nil {
			return err
		}
		one := *d
		one.kernel, one.gram = k, g
		one.gamma = distilGamma * float64(g.Len()) * diagonal(g)
		if len(kernels) == 1 {
			*d = one
			return nil
		}
		path, err := one.greedy(ctx, min(firstFunctions, g.Len()))
		if err != nil {
			return err
		}
		if len(path.Objective) == 0 {
			continue
		}
		if r := path.Objective[len(path.Objective)-1]; r < least || d.kernel == nil {
			least = r
			*d = one
		}
	}
	if d.kernel == nil {
		return errors.New("in no kernel does a function come nearer to the decisions than a constant")
	}
	return nil
}

// diagonal is the mean of k(x, x).
func diagonal(g kernel.Gram) float64 {
	sum, one := 0.0, mat.NewDense(1, 1, nil)
	for i := range g.Len() {
		g.Block(one, []int{i}, []int{i})
		sum += one.At(0, 0)
	}
	return sum / float64(g.Len())
}

// greedy chooses centres for the targets less their means.
func (d *Distillation) greedy(ctx context.Context, size int) (basis.Path, error) {
	rest := mat.DenseCopyOf(d.y)
	n, _ := rest.Dims()
	for i := range n {
		floats.Sub(rest.RawRowView(i), d.offset)
	}
	if mat.Norm(rest, 1) == 0 { // one class everywhere
		return basis.Path{}, nil
	}
	return basis.Greedy{Candidates: d.options.Candidates, Seed: d.options.Seed}.Choose(ctx, basis.Targets(d.gram, rest, nil, d.gamma), size)
}

// Model returns the classifier of at most size centres. It has as many outputs as there are classes, one for two, whatever the
// model has.
func (d *Distillation) Model(ctx context.Context, size int) (*model.Model, error) {
	if err := Possible(d.model, size); err != nil {
		return nil, err
	}
	path, err := d.greedy(ctx, size)
	if err != nil {
		return nil, err
	}
	small := *d.model
	small.Front, small.Pairs, small.Decision, small.Calibration = nil, false, nil, nil
	small.Forget()
	small.Parts = []model.Part{{Offset: slices.Clone(d.offset)}}
	if len(path.Centres) == 0 {
		return &small, nil
	}
	beta, out, err := d.hinge(ctx, path.Centres)
	if err != nil {
		return nil, err
	}
	small.Parts[0].Functions = []model.Function{model.Expansion{Kernel: d.kernel, Centres: d.x.Select(path.Centres), Coef: beta}}
	if d.probabilities != nil {
		small.Calibration = calibrate.FitMatching(out, d.probabilities)
	}
	return &small, nil
}

// hinge minimises the squared hinge on the centres and returns the outputs on the rows too.
func (d *Distillation) hinge(ctx context.Context, centres []int) (beta, out *mat.Dense, err error) {
	n, c := d.y.Dims()
	size := len(centres)
	k, h := mat.NewDense(n, size, nil), mat.NewDense(size, size, nil)
	if err := kernel.Fill(ctx, k, d.gram, nil, centres); err != nil {
		return nil, nil, err
	}
	d.gram.Block(h, centres, centres)
	blas.SyrkLower(1, blas.T(k), d.gamma, h)
	var factor blas.Cholesky
	if err := factor.Factor(h); err != nil {
		return nil, nil, fmt.Errorf("distillation on %d centres: %w", size, err)
	}
	target, out := mat.NewDense(n, c, nil), mat.NewDense(n, c, nil)
	beta = mat.NewDense(size, c, nil)
	before := math.Inf(1)
	for range distilSteps {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		d.retarget(target, out)
		blas.Gemm(1, blas.T(k), blas.N(target), 0, beta)
		factor.SolveTo(beta)
		blas.Gemm(1, blas.N(k), blas.N(beta), 0, out)
		risk := d.finish(out)
		if before-risk < distilGain*risk {
			break
		}
		before = risk
	}
	return beta, out, nil
}

// retarget stores the targets y max(1, y o), less the offset.
func (d *Distillation) retarget(target, out *mat.Dense) {
	n, _ := out.Dims()
	for i := range n {
		to, o := target.RawRowView(i), out.RawRowView(i)
		for q, y := range d.y.RawRowView(i) {
			to[q] = y*max(1, y*o[q]) - d.offset[q]
		}
	}
}

// finish adds the offset to outputs and returns their squared hinge.
func (d *Distillation) finish(out *mat.Dense) (risk float64) {
	n, _ := out.Dims()
	for i := range n {
		o := out.RawRowView(i)
		for q, y := range d.y.RawRowView(i) {
			o[q] += d.offset[q]
			loss := max(0, 1-y*o[q])
			risk += loss * loss
		}
	}
	return risk
}
