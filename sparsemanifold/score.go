package sparsemanifold

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/rls"
	"github.com/mercer-ml/mercer/score"
)

// Score is what the least-squares machine gives labelled rows that are left out, in closed form, as a function of the kernel's
// parameters, `ratio` (gammaI/gammaA), with slack `nu` (nu/gammaA), `lambda` (gammaA), and, if they move, the positions of the
// centres, `z[i,j]` of centre i in column j. All have derivatives (pull.go). Without slack and with centres that stay it is
// score.Reduced with these landmarks, which has the width of the graph's weights besides.
type Score struct {
	Base    kernel.Kernel // with its parameters; kernel.Gaussian where centres move
	Centres data.Rows     // dense where they move
	Move    bool
	Norm    *graph.Power
	Problem *learn.Problem // dense where centres move
	// Ratio, Nu and Lambda are where a search begins; Nu 0: no slack.
	Ratio, Nu, Lambda float64
	Criterion         score.Criterion
	Folds             [][]int // of the labelled rows; nil: one by one
	Offset            bool
}

var _ param.Objective = Score{}

// Space lists the parameters as above. Positions may move by half the range of their column beyond it.
func (s Score) Space() param.Space {
	space := s.Base.Space()
	log := func(name string, v float64) {
		space = append(space, param.Dim{Name: name, Kind: param.Log, Lo: v * 0x1p-20, Hi: v * 0x1p20, Default: v})
	}
	log("ratio", s.Ratio)
	if s.Nu > 0 {
		log("nu", s.Nu)
	}
	log("lambda", s.Lambda)
	if !s.Move {
		return space
	}
	n, q := s.Problem.Rows.Dense.Dims()
	for i := range s.Centres.Len() {
		for j := range q {
			lo, hi := math.Inf(1), math.Inf(-1)
			for a := range n {
				v := s.Problem.Rows.Dense.At(a, j)
				lo, hi = min(lo, v), max(hi, v)
			}
			half := (hi - lo) / 2
			space = append(space, param.Dim{Name: fmt.Sprintf("z[%d,%d]", i, j), Kind: param.Real, Lo: lo - half, Hi: hi + half,
				Default: s.Centres.Dense.At(i, j)})
		}
	}
	return space
}

// At is the score's recipe with the parameters theta: kernel, strengths and centres.
func (s Score) At(theta []float64) (Score, error) {
	if len(theta) != len(s.Space()) {
		panic(fmt.Sprintf("sparsemanifold: %d parameters for a score with %d", len(theta), len(s.Space())))
	}
	k := len(s.Base.Space())
	base, err := s.Base.With(theta[:k])
	if err != nil {
		return s, err
	}
	s.Base, s.Ratio = base, theta[k]
	k++
	if s.Nu > 0 {
		s.Nu = theta[k]
		k++
	}
	s.Lambda = theta[k]
	if s.Move {
		d, q := s.Centres.Dense.Dims()
		s.Centres = data.Rows{Dense: mat.NewDense(d, q, append([]float64(nil), theta[k+1:]...))}
	}
	return s, nil
}

// Eval implements param.Objective. A point whose systems cannot be solved has the value +Inf.
func (s Score) Eval(ctx context.Context, theta []float64, grad bool) (param.Value, error) {
	at, err := s.At(theta)
	if err != nil {
		return param.Value{}, err
	}
	v, err := at.eval(ctx, grad)
	var np *blas.NotPositiveDefinite
	if (errors.Is(err, rls.ErrLeverage) || errors.As(err, &np)) && ctx.Err() == nil {
		return param.Value{F: math.Inf(1)}, nil
	}
	return v, err
}

// bound is what an evaluation is made of.
type bound struct {
	gram  kernel.Gram // of the rows, and after them the centres
	all   []int       // their numbers
	warp  *Warp
	ridge *ridge
	folds [][]int
}

// bind computes features, warped kernel and fit.
func (s Score) bind(ctx context.Context) (b *bound, err error) {
	if s.Problem.Weight != nil || s.Problem.Coding.Pairs {
		return nil, errors.New("sparsemanifold: rows with weights and pairs of classes have no closed leave-out here")
	}
	n := s.Problem.Rows.Len()
	joined, err := s.Problem.Rows.Append(s.Centres)
	if err != nil {
		return nil, err
	}
	b = &bound{all: learn.Others(joined.Len(), nil), folds: s.Folds}
	if b.gram, err = s.Base.Bind(ctx, joined, nil); err != nil {
		return nil, err
	}
	p, err := kernel.NewNystrom(ctx, b.gram, n, b.all[n:], nil)
	if err != nil {
		return nil, err
	}
	nu := math.Inf(1)
	if s.Nu > 0 {
		nu = s.Nu
	}
	if b.warp, err = NewWarp(ctx, p, s.Norm, s.Problem.Labelled, s.Ratio, nu); err != nil {
		return nil, err
	}
	if s.Folds == nil {
		for i := range s.Problem.Labelled {
			b.folds = append(b.folds, []int{i})
		}
	}
	b.ridge, err = newRidge(ctx, b.warp.Kernel, s.Problem.Y, s.Offset, s.Lambda)
	return b, err
}

func (s Score) eval(ctx context.Context, grad bool) (v param.Value, err error) {
	b, err := s.bind(ctx)
	if err != nil {
		return v, err
	}
	w := b.warp
	out, err := b.ridge.leftOut(w.Given, b.folds, s.Lambda)
	if err != nil {
		return v, err
	}
	var bar *mat.Dense
	if grad && s.Criterion.Smooth() {
		bar = mat.NewDense(len(s.Problem.Labelled), s.Problem.Outputs(), nil)
	}
	v.F = s.Criterion.Eval(s.Problem, score.Judged(s.Folds), out, bar)
	if bar == nil {
		return v, ctx.Err()
	}
	dk, dg, dLambda := b.ridge.pull(w.Given, b.folds, bar)
	phi, dRatio, dNu, err := w.pull(ctx, dk, dg)
	if err != nil {
		return v, err
	}
	v.Grad = make([]float64, len(s.Base.Space()), len(s.Space()))
	toRows, toCentres := featureCotangents(w.features, phi)
	if err = s.pullKernel(v.Grad, b.gram, b.all, toRows, toCentres); err != nil {
		return v, err
	}
	v.Grad = append(v.Grad, dRatio)
	if s.Nu > 0 {
		v.Grad = append(v.Grad, dNu)
	}
	v.Grad = append(v.Grad, dLambda)
	if s.Move {
		v.Grad, err = s.pullPositions(v.Grad, b.gram, b.all, toRows, toCentres)
	}
	return v, err
}

// featureCotangents are those of K_NZ and K_ZZ for one of the features.
func featureCotangents(p *kernel.Nystrom, phi *mat.Dense) (rows, centres *mat.Dense) {
	t := mat.DenseCopyOf(phi.T())
	p.Coefficients(t)
	inside := product(true, false, p.Phi, phi) // Phi'X, d x d; then L^-T (Phi'X) L^-1
	p.Coefficients(inside)
	inside = mat.DenseCopyOf(inside.T())
	p.Coefficients(inside)
	inside.Scale(-0.5, inside)
	blas.Symmetrise(inside)
	return mat.DenseCopyOf(t.T()), inside
}

// pullKernel adds the derivatives by the kernel's parameters.
func (s Score) pullKernel(grad []float64, g kernel.Gram, all []int, rows, centres *mat.Dense) error {
	n := s.Problem.Rows.Len()
	if err := g.Pull(grad, kernel.Cotangent{I: all[:n], J: all[n:], D: rows}); err != nil {
		return err
	}
	return g.Pull(grad, kernel.Cotangent{I: all[n:], J: all[n:], D: centres})
}

// pullPositions appends the derivatives by the positions of a Gaussian's centres, dk(x, z)/dz = k(x, z) (x - z)/sigma^2.
func (s Score) pullPositions(grad []float64, g kernel.Gram, all []int, rows, centres *mat.Dense) ([]float64, error) {
	k, ok := s.Base.(kernel.Gaussian)
	if !ok {
		return nil, errors.New("sparsemanifold: centres move with the gaussian kernel alone; choose it, or let them stay")
	}
	n, d := rows.Dims()
	x, z := s.Problem.Rows.Dense, s.Centres.Dense
	_, q := z.Dims()
	values, own := mat.NewDense(n, d, nil), mat.NewDense(d, d, nil)
	g.Block(values, all[:n], all[n:])
	g.Block(own, all[n:], all[n:])
	step := make([]float64, q)
	for j := range d {
		out := make([]float64, q)
		add := func(weight float64, from []float64) {
			floats.SubTo(step, from, z.RawRowView(j))
			floats.AddScaled(out, weight/(k.Sigma*k.Sigma), step)
		}
		for i := range n {
			add(rows.At(i, j)*values.At(i, j), x.RawRowView(i))
		}
		for i := range d {
			add(2*centres.At(i, j)*own.At(i, j), z.RawRowView(i))
		}
		grad = append(grad, out...)
	}
	return grad, nil
}
