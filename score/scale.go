package score

import (
	"context"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// MeanDiagonal is the mean of |k(x_i, x_i)| over rows of a bound kernel, which an indefinite
// one may have negative, and 1 if that is zero. C times it has no unit: it is what ranges of
// C, and those of a ridge, are in units of.
func MeanDiagonal(g kernel.Gram, rows []int) float64 {
	var sum float64
	diag := kernel.Diagonal(g, rows)
	for _, v := range diag {
		sum += math.Abs(v)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return 1
	}
	return sum / float64(len(diag))
}

// scale is the MeanDiagonal of a kernel as it is on the labelled rows, found once.
type scale struct {
	once     sync.Once
	diagonal float64
}

// of binds the kernel at the first call. A kernel that cannot be bound has scale 1: the first
// evaluation returns the error.
func (s *scale) of(k kernel.Kernel, p *learn.Problem, w *kernel.Work) float64 {
	s.once.Do(func() {
		s.diagonal = 1
		g, err := k.Bind(context.Background(), p.Rows, w)
		if err != nil {
			return
		}
		s.diagonal = MeanDiagonal(g, p.Labelled)
		if r, ok := g.(interface{ Release() }); ok {
			r.Release()
		}
	})
	return s.diagonal
}

// learned lists the parameters of a kernel, then those of a learner for its scale.
func (s *scale) learned(k kernel.Kernel, l learn.Learner, p *learn.Problem, w *kernel.Work, spread float64) param.Space {
	if spread == 0 {
		spread = p.Spread()
	}
	kernels := k.Space()
	return append(kernels[:len(kernels):len(kernels)], l.Space(s.of(k, p, w), spread)...)
}
