package score

// The gradient of a score of left-out outputs by all parameters of kernel and learner
// (Klatzer 2014, sections 2.1, 2.3 and 3.1, for any kernel, loss and score):
//
//	F = criterion(o),   o = outputs of fold t by the machine of the other labels, t = 1..T
//
// Every fold takes one solution with the Hessian of its training problem, whatever the
// number of parameters, and gives dF/dK as u v', of rank one an output. The factors of all
// folds side by side make one cotangent of the labelled block, which the kernel pulls back
// to its parameters in one pass.
//
// Cost beside the value: a factorisation and four products with the block a fold and
// output, at most; one pull of rank T c.

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// pull returns dF/dtheta, the kernel's parameters first, from bar = dF/do.
func (s *Refit) pull(ctx context.Context, g kernel.Gram, t learn.Sensitive, theta []float64, machines []*learn.Machine, bar *mat.Dense) (
	[]float64, error,
) {
	l, c := bar.Dims()
	kernels := len(s.Kernel.Space())
	folds := s.Folds
	if folds == nil {
		folds = singles(l)
	}
	grad := make([]float64, len(theta))
	own := make([][]float64, len(folds))
	us, vs := make([]*mat.Dense, len(folds)), make([]*mat.Dense, len(folds))
	err := eachFold(len(folds), c == 1, func(q int) error {
		fold := folds[q]
		part := mat.NewDense(len(fold), c, nil)
		for a, i := range fold {
			part.SetRow(a, bar.RawRowView(i))
		}
		var err error
		us[q], vs[q], own[q], err = t.Pull(ctx, machines[q], learn.Others(l, fold), theta[kernels:], fold, part)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range own { // in the order of the folds, whatever the number of threads
		for k, x := range d {
			grad[kernels+k] += x
		}
	}
	if kernels == 0 {
		return grad, nil
	}
	lab := s.Problem.Labelled
	total := kernel.Cotangent{I: lab, J: lab}
	total.U, total.V = mat.NewDense(l, c*len(folds), nil), mat.NewDense(l, c*len(folds), nil)
	for q := range folds {
		total.U.Slice(0, l, q*c, (q+1)*c).(*mat.Dense).Copy(us[q])
		total.V.Slice(0, l, q*c, (q+1)*c).(*mat.Dense).Copy(vs[q])
	}
	return grad, kernel.PullWithin(ctx, g, grad[:kernels], total)
}

// eachFold calls f for every fold, side by side if told so: outputs of one fold are side
// by side already (learn.Reduce).
func eachFold(folds int, side bool, f func(q int) error) error {
	workers := 1
	if side {
		workers = 0 // all
	}
	return parallel.Each(workers, folds, f)
}
