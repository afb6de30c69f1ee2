package smooth

// How the solution answers to a change of its problem (implicit function theorem). When
// sum_i rho_i f_i is added to the objective,
//
//	beta' = -T rho - b' v,   b' = -1'T rho / sum v  (free offset, else 0),   f' = K beta' + b'
//
// to first order, with T = (I + D K)^-1 = I - S B^-1 S K and v as in inner.go. The
// pull-back of a function J of (beta, b) to rho is the transpose,
//
//	rhoBar = -T'(betaBar + 1 (bBar - v'betaBar)/sum v),   T' = I - K S B^-1 S.
//
// Any parameter theta acts through rho = d(c V')/dtheta at fixed f, plus D df/dtheta where
// it moves the outputs at fixed coefficients, so that
//
//	dJ/dc_i = rhoBar_i V'_i,   dJ/dK = (D rhoBar) beta' + the explicit part of J
//
// one solution whatever the number of parameters (Klatzer 2014, eqs 2.7 and 3.6 to 3.13,
// in the reduced form that needs no inverse of K). Exact where V'' is continuous at the
// outputs; for piecewise quadratic losses exact unless a row sits on a kink.
//
// Cost: 2 l |A| + 2 |A|^2 flops, and one factorisation of B at the first call unless the
// fit ended with it.

import "context"

// Pull returns rhoBar, the derivative by rho of a function whose derivatives by Beta
// and B are betaBar and bBar: the transpose of that of (beta', b') by rho.
func (s *solution) Pull(ctx context.Context, betaBar []float64, bBar float64) ([]float64, error) {
	n, err := s.hessian(ctx)
	if err != nil {
		return nil, err
	}
	x := append([]float64(nil), betaBar...)
	switch {
	case n.augmented():
		for i := range x { // B = sum of Beta
			x[i] += bBar
		}
	case n.sumV > 0:
		t := bBar
		for q, i := range n.active {
			t -= n.v[q] * betaBar[i]
		}
		for i := range x {
			x[i] += t / n.sumV
		}
	}
	z := make([]float64, len(x))
	for q, i := range n.active {
		n.x[q] = x[i]
	}
	n.apply(n.x)
	for q, i := range n.active {
		z[i] = n.x[q]
	}
	out := make([]float64, len(x))
	mulRows(out, n.k, nil, z, n.augmented())
	for i, v := range x {
		out[i] -= v
	}
	return out, nil
}

// hessian returns the factor of B at the solution, made at the first call.
func (s *solution) hessian(ctx context.Context) (*inner, error) {
	if s.inner == nil {
		n := &inner{k: s.problem.K, offset: s.problem.Offset}
		if err := n.factor(ctx, s.terms.d); err != nil {
			return nil, err
		}
		s.inner = n
	}
	return s.inner, nil
}

// Release drops the factor of the inner Hessian, |A|^2 numbers; it is made again when
// needed.
func (s *solution) Release() { s.inner = nil }
