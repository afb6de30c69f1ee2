package complexity

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestByHand: every measure of two rows by arithmetic on paper.
func TestByHand(t *testing.T) {
	g := mat.NewDense(2, 2, []float64{4, 1, 1, 1}) // inverse [1 -1; -1 4]/3
	alpha := []float64{1, -2}
	near(t, "squared norm", RKHS(g, alpha), 4, 1e-14)            // 4 - 2 - 2 + 4
	near(t, "in unit features", Normalised(g, alpha), 12, 1e-14) // roots 2 and 1: v = (2, -2), 16 - 4 - 4 + 4
	margin, err := Margin(g, nil, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "responses", margin, 5, 1e-14) // G alpha = (2, -1)
	stable, err := Stability(g, alpha)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "stability", stable, 1/(1./3)+4/(4./3), 1e-13)
	for _, floor := range []float64{0, 1e-9, 1e-3} { // by the inverse, and by the eigenvalues
		r := reference(t, g, nil, floor)
		near(t, "reference", r.Of(alpha), 1/(2./9)+4/(17./9), 1e-12)
		if r.Rank != 2 {
			t.Errorf("rank %d", r.Rank)
		}
	}
	ref := mat.NewDense(2, 2, []float64{2, 0, 0, 1})
	near(t, "other reference", reference(t, g, ref, 0).Of(alpha), 1/(3./9)+4/(18./9), 1e-12) // diag of G^-1 G_ref G^-1: (2+1)/9, (2+16)/9
	one := mat.NewDense(2, 2, []float64{1, 1, 1, 1})                                         // rank 1, eigenvalues 0 and 2
	for _, floor := range []float64{0.25, 1e-3} {
		r := reference(t, one, nil, floor)
		near(t, "deficient", r.Weight[0], 4/(0.5+0.5/(floor*floor)), 1e-9*r.Weight[0])
		if r.Rank != 1 {
			t.Errorf("rank %d", r.Rank)
		}
	}
}

// TestRefused: matrices that a measure has no meaning for are refused with a reason.
func TestRefused(t *testing.T) {
	one := mat.NewDense(2, 2, []float64{1, 1, 1, 1})
	eye := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	if _, err := NewReference(mat.NewDense(2, 2, nil), nil, 0.5); err == nil ||
		err.Error() != "complexity: the Gram matrix has no positive eigenvalue" {
		t.Error(err)
	}
	if _, err := NewReference(mat.DenseCopyOf(eye), mat.NewDense(2, 2, []float64{1, 0, 0, -1}), 0); err == nil ||
		err.Error() != "complexity: the reference kernel is not positive definite on row 2" {
		t.Error(err)
	}
	if _, err := NewReference(mat.DenseCopyOf(eye), mat.NewDense(2, 2, []float64{1, 0, 0, 0}), 0); err == nil {
		t.Error("a reference that is zero on a row is accepted")
	}
	if _, err := Margin(eye, one, []float64{1, 2}); err == nil {
		t.Error("a singular reference is accepted")
	}
	if _, err := Stability(one, []float64{1, 2}); err == nil {
		t.Error("dependent features are accepted")
	}
	if _, _, err := AuxiliaryGaussian(1, 0.5, 1, 1, 2); err == nil ||
		err.Error() != "complexity: no auxiliary kernel for width 0.5 and reference 1; the width must exceed 0.707107" &&
			err.Error() != "complexity: no auxiliary kernel for width 0.5 and reference 1; the width must exceed 0.7071067811865475" {
		t.Error(err)
	}
}

// TestAuxiliaryByHand: coefficients and widths by arithmetic on paper.
func TestAuxiliaryByHand(t *testing.T) {
	if got, want := AuxiliaryPolynomial(3, 2, 0.5), []float64{0.015625, 2.25, 36 * 1, 64}; len(got) != 4 || got[0] != want[0] ||
		got[1] != 9*4*0.0625 ||
		got[2] != 9*16*0.25 ||
		got[3] != want[3] {
		t.Errorf("%v", got)
	}
	beta, width := AuxiliaryDirac(2, 2)
	near(t, "integral", beta, 4*math.Pi, 1e-12)
	near(t, "width", width, 2*math.Sqrt2, 1e-12)
	beta, width, err := AuxiliaryGaussian(3, 1, 2, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "factor", beta, 4.5, 1e-12)
	near(t, "the same width", width, 1, 1e-12)
}
