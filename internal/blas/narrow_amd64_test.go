//go:build !noasm

package blas

import "testing"

// The tiles of single precision have the same elements in narrower registers, where there are wide ones.
func TestTilesNarrower(t *testing.T) {
	if !hasWide {
		t.Skip("skipped: this processor has no wide registers")
	}
	hasWide = false
	defer func() { hasWide = true }()
	t.Run("tiles", TestSgemmTiles)
}
