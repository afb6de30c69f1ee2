package design

// Problem  a machine of least squares whose widths of columns come from few labels (relevance.Screen), with honest left-out outputs.
// Method   the rows of a fold are left out of a machine whose widths the rows of the other folds suggest; within it of a system of all
//          others in closed form. The ridge is that of the best score. The machine has the widths that all rows suggest.
// Cost     a path of ridges a fold and one more: 9 l^3 flops each.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
)

// ScreenedRows is the number of labelled rows up to which such machines are tried: six of them cost some 2 s at 400.
const ScreenedRows = 400

// ScreenedFolds is how many folds there are where the score has none: fewer of more labels, since each costs a path.
func ScreenedFolds(labelled int) int {
	if labelled > 100 {
		return 5
	}
	return min(10, labelled)
}

// Screened makes such a machine, of widths multiplied by a factor.
type Screened struct {
	Start  kernel.ARDRational
	Factor float64
	Seed   uint64
}

var _ choose.Maker = Screened{}

// Make implements choose.Maker.
func (c Screened) Make(ctx context.Context, s *score.LeaveOut) (*choose.Machine, error) {
	p := s.Problem
	folds := s.Folds
	if folds == nil {
		folds = DealFolds(p, c.Seed, ScreenedFolds(len(p.Labelled)))
	}
	list := ridges(p.Task, false).from(1)
	leftOut := make([]*mat.Dense, len(list)) // of each ridge
	for q := range leftOut {
		leftOut[q] = mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	}
	usable := len(list)
	for _, fold := range folds {
		path, _, _, err := c.path(ctx, s, learn.Others(len(p.Labelled), fold))
		if err != nil {
			return nil, err
		}
		n, err := leaveOut(ctx, path, s.Folds, list[:usable], fold, leftOut)
		if err != nil {
			return nil, err
		}
		usable = n // smaller ridges are no better
	}
	best, least := -1, math.Inf(1)
	for q := range usable {
		if v := s.Criterion.Eval(p, s.Judged(), leftOut[q], nil); rounding.Below(v, least) {
			best, least = q, v
		}
	}
	if best < 0 {
		return nil, errNoLambda
	}
	path, k, g, err := c.path(ctx, s, indices.To(len(p.Labelled)))
	if err != nil {
		return nil, err
	}
	f, err := path.At(list[best])
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: k, Score: least, LeftOut: leftOut[best]}
	return m, fitted(ctx, m, p, g, f)
}

// path is that of the kernel whose widths some of the labelled rows suggest.
func (c Screened) path(ctx context.Context, s *score.LeaveOut, rows []int) (*rls.Path, kernel.Kernel, kernel.Gram, error) {
	k, err := relevance.Screen(ctx, c.Start, s.Problem.Only(rows))
	if err != nil {
		return nil, nil, nil, err
	}
	wide, err := Widened(k, c.Factor)
	if err != nil {
		return nil, nil, nil, err
	}
	g, err := wide.Bind(ctx, s.Problem.Rows, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	path, err := s.Path(ctx, g)
	return path, wide, g, err
}

// leaveOut stores the left-out outputs of the rows of a fold at each ridge, and returns how many ridges have them.
func leaveOut(ctx context.Context, path *rls.Path, folds [][]int, list []float64, rows []int, to []*mat.Dense) (int, error) {
	for q, lambda := range list {
		f, err := path.At(lambda)
		if err != nil {
			return q, err
		}
		out, err := f.LeaveOut(ctx, folds)
		if Numerical(err) {
			return q, nil
		}
		if err != nil {
			return q, err
		}
		for _, i := range rows {
			copy(to[q].RawRowView(i), out.RawRowView(i))
		}
	}
	return len(list), nil
}
