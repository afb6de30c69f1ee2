package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
)

// Linear is k(x, z) = <x, z>, positive semi-definite of rank d at most. It has no
// parameters; Scaled gives it a weight.
type Linear struct{}

var linearKind = kindOf[Linear](param.Words{
	ID: "linear", Title: "linear",
	Formula: "<x, z>",
	About:   "tried by auto beside the default; the default of the other methods for sparse rows",
	Source:  cite.Becker + ", 1.2.2; " + cite.Rosasco + ", 3.1",
	LIBSVM:  "-t 0", SciKit: "linear",
	Example: "mercer fit text.svm.gz --kernel linear",
}, nil)

// Space is empty.
func (k Linear) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k Linear) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt returns the kernel itself.
func (k Linear) Adapt(data.Rows) Kernel { return k }

// Bind prepares the rows: O(nd).
func (k Linear) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindShape(ctx, k, train, w)
}

func (k Linear) compares() comparison    { return innerProduct }
func (k Linear) value([]float64)         {}
func (k Linear) slope(_, _, _ []float64) {}

func (k Linear) penalties(int) ([]float64, bool) { return nil, true }

func (k Linear) tangent(grad, _, c []float64, a float64) error { return along(grad, c, a) }

func (k Linear) single(s *rowsSingle, _ int) bool {
	s.most = floatSquare
	s.form = func(dst, s []float32, _ float32, _ []float32) { copy(dst, s) }
	return true
}
