package main

import (
	"math"
	"strings"
	"testing"
)

// TestCoreOf: the newest kernels that the processor can run, unless others are asked for.
func TestCoreOf(t *testing.T) {
	const wide = "avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl"
	for flags, want := range map[string]string{
		"sse2": "", "avx2": "", "avx2 fma": "HASWELL", "avx2 fma avx512f": "HASWELL", wide: "SKYLAKEX", wide + " avx512_bf16": "COOPERLAKE",
	} {
		if got := coreOf("", strings.Fields(flags)); got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
	if got := coreOf("ZEN", strings.Fields(wide)); got != "ZEN" {
		t.Errorf("%q was taken", got)
	}
}

// TestDenseOperations: every operation runs and takes time.
func TestDenseOperations(t *testing.T) {
	for _, o := range denseOperations() {
		if s, err := o.problem(60)(3); err != nil || !(s > 0) || math.IsInf(s, 0) || o.flops <= 0 {
			t.Errorf("%s: %g s, %v", o.name, s, err)
		}
	}
}
