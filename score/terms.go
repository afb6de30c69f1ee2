package score

// Averaged are the terms of the objective
//
//	1/l sum_i loss + lambda ||f||^2            or            1/l sum_i loss + gamma_A ||f||^2 + gamma_I s f'Rf
//
// in which people speak of machines, with l labelled rows and s = 1/n^2 or 1. The machine's own
// are the ridge l lambda = l gamma_A in the matrix, and the ratio gamma_I s / gamma_A of the
// warped kernel (Becker 2013, section 4.1; Sindhwani 2007, section 2.3 with s = 1/n^2, section
// 2.9 and table 2.6 with s = 1). This is the only place where one becomes the other.
type Averaged struct {
	Labelled float64 // l
	Scale    float64 // s
}

// Ridge is the machine's for a weight of ||f||^2.
func (a Averaged) Ridge(weight float64) float64 { return a.Labelled * weight }

// Weight is the inverse of Ridge.
func (a Averaged) Weight(ridge float64) float64 { return ridge / a.Labelled }

// Ratio is the warp's for the two weights.
func (a Averaged) Ratio(gammaI, gammaA float64) float64 { return gammaI * a.Scale / gammaA }

// Intrinsic is the gamma_I of a ratio and gamma_A.
func (a Averaged) Intrinsic(ratio, gammaA float64) float64 { return ratio * gammaA / a.Scale }

// Pull turns the derivatives by ratio and ridge at (gammaI, gammaA) into those by gammaI and gammaA.
func (a Averaged) Pull(gammaI, gammaA, dRatio, dRidge float64) (dI, dA float64) {
	return dRatio * a.Scale / gammaA, a.Labelled*dRidge - dRatio*a.Ratio(gammaI, gammaA)/gammaA
}

// Strength is C = 1/(2 ridge) of a learner's objective 1/2 ||f||^2 + C sum loss.
func Strength(ridge float64) float64 { return 1 / (2 * ridge) }
