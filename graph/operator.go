package graph

import (
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Operator is a symmetric positive semi-definite n x n matrix R, the intrinsic
// norm f'Rf, known by its products.
type Operator interface {
	// Len is n.
	Len() int
	// MulTo stores R x in dst (both n x k, not overlapping).
	MulTo(dst, x *mat.Dense)
	// Space lists the operator's continuous parameters (heat width, weights of a
	// combination); it may be empty.
	Space() param.Space
	// Pull adds to grad, for each parameter k, <U V', dR/dtheta_k>, U and V n x r.
	Pull(grad []float64, u, v *mat.Dense)
}
