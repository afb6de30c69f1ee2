//go:build !noasm

package vec

import "testing"

// The tests of vector forms once more in narrower registers, where there are wider ones.
func TestNarrower(t *testing.T) {
	if !AVX512 {
		t.Skip("skipped: this processor has no wider registers")
	}
	AVX512 = false
	defer func() { AVX512 = true }()
	t.Run("exp", TestExpTwin)
	t.Run("distances", TestSquaredDistances)
	t.Run("ranks", TestRanks)
	t.Run("log1p", TestLog1pForms)
	t.Run("gaussian", TestGaussian32Twin)
}
