package complexity

import (
	"fmt"
	"math"
)

// AuxiliaryGaussian is the kernel k* with k(x, z) = <Phi_ref(x), Phi*(z)> for k = beta
// exp(-r^2/(2 sigma^2)) and a reference kernel of the same kind on n columns:
//
//	sigma*^2 = 2 sigma^2 - sigma_ref^2,   beta* = (beta^2/beta_ref) (sigma^2/(sigma_ref sigma*))^n
//
// It exists for sigma > sigma_ref/sqrt 2 (Kokshenev 2010, appendix A, corrected twice).
func AuxiliaryGaussian(beta, sigma, betaRef, sigmaRef float64, n int) (betaAux, sigmaAux float64, err error) {
	square := 2*sigma*sigma - sigmaRef*sigmaRef
	if !(square > 0) {
		return 0, 0, fmt.Errorf(
			"complexity: no auxiliary kernel for width %g and reference %g; the width must exceed %g",
			sigma,
			sigmaRef,
			sigmaRef/math.Sqrt2,
		)
	}
	sigmaAux = math.Sqrt(square)
	return beta * beta / betaRef * math.Pow(sigma*sigma/(sigmaRef*sigmaAux), float64(n)), sigmaAux, nil
}

// AuxiliaryDirac is the limit of a Dirac reference: (sigma sqrt pi)^n exp(-r^2/(4 sigma^2)), the kernel's
// convolution with itself (eq. A.8); alpha'G* alpha is the integral of f^2 over R^n.
func AuxiliaryDirac(sigma float64, n int) (beta, width float64) {
	return math.Pow(sigma*math.Sqrt(math.Pi), float64(n)), sigma * math.Sqrt2
}

// AuxiliaryPolynomial are the coefficients of <x,z>^j, j = 0..p, of the auxiliary kernel of
// (gamma <x,z> + c)^p and a reference whose eigenvalues are one up to a degree of at least p:
// binom(p,j)^2 gamma^2j c^2(p-j) (eq. A.13).
func AuxiliaryPolynomial(p int, gamma, c float64) []float64 {
	coef := make([]float64, p+1)
	binomial := 1.0
	for j := range coef {
		v := binomial * math.Pow(gamma, float64(j)) * math.Pow(c, float64(p-j))
		coef[j] = v * v
		binomial *= float64(p-j) / float64(j+1)
	}
	return coef
}
