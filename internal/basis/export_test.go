package basis

import (
	"context"

	"github.com/mercer-ml/mercer/internal/indices"
)

// FollowL1 follows the path of one output over all rows.
func FollowL1(ctx context.Context, p Problem, output int, o L1Options) (*L1Path, error) {
	if err := p.check(max(o.Size, 1)); err != nil {
		return nil, err
	}
	return newHessian(p, indices.To(p.Gram.Len())).follow(ctx, output, o)
}

// At returns the coefficients of all n rows at gamma; beyond the last knot those of the last.
func (p *L1Path) At(gamma float64, n int) []float64 {
	beta := make([]float64, n)
	add := func(k Knot, share float64) {
		for q, j := range k.Index {
			beta[j] += share * k.Coef[q]
		}
	}
	for i, k := range p.Knots {
		if k.Gamma > gamma {
			continue
		}
		if i == 0 {
			return beta
		}
		last := p.Knots[i-1]
		share := (last.Gamma - gamma) / (last.Gamma - k.Gamma)
		add(last, 1-share)
		add(k, share)
		return beta
	}
	add(p.Knots[len(p.Knots)-1], 1)
	return beta
}
