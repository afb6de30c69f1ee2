package complexity

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestByHand: every measure of two rows by arithmetic on paper.
func TestByHand(t *testing.T) {
	g := mat.NewDense(2, 2, []float64{4, 1, 1, 1}) // inverse [1 -1; -1 4]/3
	alpha := []float64{1, -2}
	near(t, "squared norm", RKHS(g, alpha), 4, 1e-14)            // 4 - 2 - 2 + 4
	near(t, "in unit features", Normalised(g, alpha), 12, 1e-14) // roots 2 and 1: v = (2, -2), 16 - 4 - 4 + 4
	stable, err := stability(g, alpha)
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
	if _, err := stability(one, []float64{1, 2}); err == nil {
		t.Error("dependent features are accepted")
	}
}

// TestDefaultFloor: without a floor eigenvalues are raised to 1e-12 of the largest, which a matrix by its diagonal shows.
func TestDefaultFloor(t *testing.T) {
	r := reference(t, mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1e-10, 0, 0, 0, 1e-13}), nil, 0)
	for i, want := range []float64{1, 1e-20, 1e-24} { // the squares of what stands there, or of the floor
		near(t, "weight", r.Weight[i], want, 1e-4)
	}
	if r.Rank != 2 {
		t.Errorf("rank %d", r.Rank)
	}
}
