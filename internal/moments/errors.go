package moments

import (
	"errors"
	"fmt"
	"math"
)

// ErrNotFinite says that sums, or a Gram matrix, hold NaN or an infinity.
var ErrNotFinite = errors.New("rls: the Gram matrix is not finite; a kernel parameter or a feature is out of range")

// minSlack bounds 1 - H_ii from below, as in package rls.
const minSlack = 1e-12

// CheckLambda refuses what is no strength of a penalty.
func CheckLambda(lambda float64) error {
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return fmt.Errorf("rls: lambda = %g; it must be positive and finite", lambda)
	}
	return nil
}
