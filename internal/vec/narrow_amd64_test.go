//go:build !noasm

package vec

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

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

// The tests once more without vector instructions, as on processors that have none.
func TestPlain(t *testing.T) {
	defer func(narrow, wide bool) { AVX2, AVX512 = narrow, wide }(AVX2, AVX512)
	AVX2, AVX512 = false, false
	for name, test := range map[string]func(*testing.T){
		"absolute": TestAbsolute, "chi-square": TestChiSquare, "extremes": TestChiSquareExtremes, "distances": TestSquaredDistances,
		"exp": TestExpNearMath, "special": TestExpSpecial, "log1p": TestLog1p, "square roots": TestSqrt, "mixed": TestDotMixed,
		"rows": TestAddRowsMixed, "panels": TestMulPanel32, "gather": TestGatherRowsAgreesWithDefinition, "ranks": TestRanks,
		"gaussian": TestGaussian32Exact, "rational": TestRational,
	} {
		t.Run(name, test)
	}
}

// Sums by vectors are the plain ones to the last bit.
func TestPlainSumsAreEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const features = 12
	x, z, weight := histograms(r, features), histograms(r, features), signed(r, 1)
	sums := func() (out [3][]float64) {
		distance, product, absolute := make([]float64, ChiRows), make([]float64, ChiRows), make([]float64, ChiRows)
		terms := make([]float64, features*ChiRows)
		ChiDistance(distance, x[3:], z, features)
		ChiProduct(product, x[3:], z, features)
		AbsDistance(absolute, x[3:], z, features)
		AbsWeighted(terms, x[3:], z, weight, features)
		return [3][]float64{append(distance, product...), absolute, terms}
	}
	vectors := sums()
	defer func(narrow bool) { AVX2 = narrow }(AVX2)
	AVX2 = false
	for i, plain := range sums() {
		if !slices.Equal(plain, vectors[i]) {
			t.Errorf("%d: %v, by vectors %v", i, plain, vectors[i])
		}
	}
}

// Vector instructions that the system lists are found, for nothing else would use them.
func TestListedInstructionsAreFound(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("skipped: this system lists no instructions")
	}
	_, flags, _ := strings.Cut(string(text), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	lists := func(names ...string) bool {
		for _, name := range names {
			if !slices.Contains(strings.Fields(flags), name) {
				return false
			}
		}
		return true
	}
	if lists("avx", "avx2", "fma") && !detectAVX2() {
		t.Error("AVX2 and FMA are listed, but not found")
	}
	if lists("avx512f") && !detectAVX512() {
		t.Error("AVX-512 is listed, but not found")
	}
}
