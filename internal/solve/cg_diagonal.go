package solve

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// DiagonalCG is CG for one right-hand side and a diagonal preconditioner, for systems that are solved many times: it keeps
// its four vectors, and trusts the residual of its recursion, so that no product is spent on a certificate. The zero value
// is ready.
type DiagonalCG struct{ x, z, p, ap []float64 }

// Solve returns x with |r - A x| <= tolerance |r| for a symmetric positive definite A, whose product apply stores in dst,
// and diag near its diagonal, positive. r is lost; x is valid until the next call. It ends early, with the best x, where
// rounding leaves no direction of descent, and after max(100, 10 n) steps. The error is that of the context.
func (s *DiagonalCG) Solve(
	ctx context.Context, r, diag []float64, tolerance float64, apply func(dst, p []float64),
) (x []float64, err error) {
	n := len(r)
	if len(s.x) != n {
		s.x, s.z, s.p, s.ap = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
	clear(s.x)
	enough := tolerance * floats.Norm(r, 2)
	floats.DivTo(s.z, r, diag)
	copy(s.p, s.z)
	rz := floats.Dot(r, s.z)
	for range max(100, 10*n) {
		if floats.Norm(r, 2) <= enough {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		apply(s.ap, s.p)
		step := rz / floats.Dot(s.p, s.ap)
		if !(step > 0) || math.IsInf(step, 1) {
			break
		}
		floats.AddScaled(s.x, step, s.p)
		floats.AddScaled(r, -step, s.ap)
		floats.DivTo(s.z, r, diag)
		before := rz
		rz = floats.Dot(r, s.z)
		floats.AddScaledTo(s.p, s.z, rz/before, s.p)
	}
	return s.x, nil
}
