package smooth

// How far derivatives through an inexact machine are from the exact ones. Of one output,
// without offset or with an augmented one (K standing for K + 11'), P is strongly convex of
// modulus 1 in w, and H >= I, so that with the duality gap of the machine
//
//	||w - w*|| <= eps = sqrt(2 gap)                      (gap <= 1/2 r'K r, r = beta + cV')
//
// J has the derivatives bar by its outputs on rows q, of Lipschitz constant slope. With k and k_q
// bounds of the largest eigenvalues of K on the rows t trained on and on q (row sums),
// R^2 = max K_ii, c = max c_i, V2 and V3 the Lipschitz constants of V' and V'', and rho = rhoBar:
//
//	|o - o*|     <= sqrt(k_q) eps
//	|cV' - *|    <= c V2 sqrt(k) eps =: e_g,    |beta - *| <= |r| + e_g =: e_v
//	|D rho - D* rho| <= c V3 R eps |rho| =: e_d
//	|rho - rho*| <= sqrt(k) (slope k_q eps + sqrt(k) e_d) =: e_rho
//	|u - u*|^2   <= (slope sqrt(k_q) eps)^2 + (e_d + c V2 e_rho)^2 =: e_u^2
//	|u beta' - *|_F     <= e_u |beta| + (|u| + e_u) e_v
//	|dJ/dC - *|         <= (e_rho |cV'| + (|rho| + e_rho) e_g)/C
//
// all linear in eps to first order, as in theorem 1 of Pedregosa, "Hyperparameter optimization
// with approximate gradient", ICML 2016, with the adjoint system solved exactly: its matrix
// costs a factorisation whatever its right side. A free offset has no strong convexity.
// The bound is worst case over all rows and no estimate: it is large where c V'' K is.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var (
	_ learn.Inexact      = Learner{}
	_ learn.ErrorBounded = (*trainer)(nil)
)

// Loose implements learn.Inexact.
func (s Learner) Loose(tol float64) learn.Learner {
	s.Tolerance = max(s.tolerance(), tol)
	return s
}

// thirdDerivative is the Lipschitz constant of V”: of the logistic losses mu^2/(6 sqrt 3)
// with V” <= mu/4, of the quartic 3/(2 eps^2) with V” <= 3/(4 eps).
func thirdDerivative(v learn.Loss) float64 {
	peak := v.Curvature()
	switch v.(type) {
	case learn.Square:
		return 0
	case learn.Logistic, learn.ModLogistic:
		return 16 * peak * peak / (6 * math.Sqrt(3))
	case learn.Quartic:
		return 8 * peak * peak / 3
	}
	return math.Inf(1)
}

// PullError implements learn.ErrorBounded. It is an error with a free offset.
func (t *trainer) PullError(
	ctx context.Context,
	m *learn.Machine,
	rows []int,
	theta []float64,
	judged []int,
	bar *mat.Dense,
	slope float64,
) (learn.PullError, error) {
	if t.learner.Offset == Free {
		return learn.PullError{}, errors.New("smooth: errors are not bounded with a free offset; fit without one or with an augmented one")
	}
	parts := make([]learn.PullError, t.problem.Outputs())
	k := t.among(rows)
	_, err := learn.Reduce(ctx, t.problem, rows, t.learner.Offset != None, len(t.problem.Labelled) <= soloRows, m,
		func(ctx context.Context, part learn.Part) (piece learn.Piece, err error) {
			parts[part.Output], err = t.pullError(ctx, part, theta, k, judged, mat.Col(nil, part.Output, bar), slope)
			return learn.Piece{Coef: part.Start}, err
		})
	total := learn.PullError{Theta: make([]float64, len(theta))}
	for _, e := range parts {
		total.Join(e)
	}
	return total, err
}

func (t *trainer) pullError(
	ctx context.Context,
	part learn.Part,
	theta []float64,
	k *mat.Dense,
	judged []int,
	bar []float64,
	slope float64,
) (learn.PullError, error) {
	if len(theta) > 1 {
		return learn.PullError{}, fmt.Errorf(
			"smooth: errors are not bounded for the %s loss: its second derivative jumps",
			t.learner.Loss.Name(),
		)
	}
	s, err := t.solve(ctx, part, theta, k)
	if err != nil {
		return learn.PullError{}, err
	}
	betaBar, bBar := t.pullOutputs(part, judged, bar)
	rho, err := s.Pull(ctx, betaBar, bBar)
	if err != nil {
		return learn.PullError{}, err
	}
	var extra float64
	if t.learner.Offset == Augmented {
		extra = 1
	}
	norm, widest := rowSums(t.block, part.Rows, extra)
	normQ, _ := rowSums(t.block, judged, extra)
	var c, residual, uu float64
	for i, w := range s.terms.c {
		c = max(c, w)
		residual = math.Hypot(residual, s.Beta[i]+s.terms.g[i])
		uu += s.terms.d[i] * rho[i] * s.terms.d[i] * rho[i]
	}
	u := math.Sqrt(uu + floats.Dot(bar, bar))
	v := s.problem.Loss
	eps, long := math.Sqrt(2*s.Gap), floats.Norm(rho, 2)
	eg := c * v.Curvature() * math.Sqrt(norm) * eps
	ev := residual + eg
	var ed float64
	if eps > 0 {
		ed = c * thirdDerivative(v) * math.Sqrt(widest) * eps * long
	}
	eRho := math.Sqrt(norm) * (slope*normQ*eps + math.Sqrt(norm)*ed)
	eu := math.Hypot(slope*math.Sqrt(normQ)*eps, ed+c*v.Curvature()*eRho)
	return learn.PullError{
		Outputs:   math.Sqrt(normQ) * eps,
		Theta:     []float64{(eRho*floats.Norm(s.terms.g, 2) + (long+eRho)*eg) / theta[0]},
		Cotangent: eu*floats.Norm(s.Beta, 2) + (u+eu)*ev,
	}, nil
}

// rowSums bounds the largest eigenvalue of K + extra 11' on the rows by its row sums, and
// returns its largest diagonal value.
func rowSums(k *mat.Dense, rows []int, extra float64) (norm, diagonal float64) {
	for _, i := range rows {
		from, s := k.RawRowView(i), 0.0
		for _, j := range rows {
			s += math.Abs(from[j] + extra)
		}
		norm, diagonal = max(norm, s), max(diagonal, from[i]+extra)
	}
	return norm, diagonal
}
