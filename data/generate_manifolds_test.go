package data

import (
	"math"
	"testing"
)

// First rows are the same for every n, as the surfaces are; classes are alike; the mean
// squared norm is 1 plus that of the noise.
func TestManifolds(t *testing.T) {
	few, err := Builtin("manifolds:n=1000,noise=0.1,seed=5")
	if err != nil {
		t.Fatal(err)
	}
	many, err := Builtin("manifolds:n=20000,noise=0.1,seed=5")
	if err != nil {
		t.Fatal(err)
	}
	other, err := Builtin("manifolds:n=1000,noise=0.1,seed=6")
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range 1000 {
		for j, v := range few.Rows.Dense.RawRowView(i) {
			if v != many.Rows.Dense.At(i, j) {
				t.Fatalf("row %d differs with the number of rows", i)
			}
			if v == other.Rows.Dense.At(i, j) {
				same++
			}
		}
	}
	if same > 0 {
		t.Errorf("%d numbers do not depend on the seed", same)
	}
	var norm float64
	for i, a := range many.Answers {
		if a != many.Answers[i%10] {
			t.Fatalf("row %d is of class %s", i, a)
		}
		for _, v := range many.Rows.Dense.RawRowView(i) {
			norm += v * v / 20000
		}
	}
	// Ten surfaces of four waves: their own amplitudes and phases vary by a tenth or two.
	if want := 1 + 50*0.01; math.Abs(norm-want) > 0.3 {
		t.Errorf("mean squared norm %g, about %g expected", norm, want)
	}
	// Without noise each class lies in a space of four dimensions, one for each wave.
	exact, err := Builtin("manifolds:n=300,noise=0,labelled=3")
	if err != nil {
		t.Fatal(err)
	}
	if d := spanned(exact, 7); d != 4 {
		t.Errorf("class 7 spans %d dimensions", d)
	}
	labelled := 0
	for _, a := range exact.Answers {
		if !IsUnlabelled(a) {
			labelled++
		}
	}
	if labelled != 30 {
		t.Errorf("%d labels", labelled)
	}
}

// spanned is the rank of the rows of a class, by Gram-Schmidt.
func spanned(s *Set, class int) int {
	var basis [][]float64
	for i := class; i < s.Rows.Len(); i += 10 {
		x := append([]float64(nil), s.Rows.Dense.RawRowView(i)...)
		for range 2 {
			for _, b := range basis {
				dot := 0.0
				for j, v := range b {
					dot += v * x[j]
				}
				for j, v := range b {
					x[j] -= dot * v
				}
			}
		}
		norm := 0.0
		for _, v := range x {
			norm += v * v
		}
		if norm = math.Sqrt(norm); norm > 1e-8 {
			for j := range x {
				x[j] /= norm
			}
			basis = append(basis, x)
		}
	}
	return len(basis)
}

// Rows are drawn by the seed too, not only the surfaces, beside whose size 1 this noise is all.
func TestManifoldsSeed(t *testing.T) {
	loud := func(seed string) []float64 {
		s, err := Builtin("manifolds:n=10,noise=1000,seed=" + seed)
		if err != nil {
			t.Fatal(err)
		}
		return s.Rows.Dense.RawRowView(3)
	}
	largest := 0.0
	for j, v := range loud("6") {
		largest = max(largest, math.Abs(v-loud("5")[j]))
		if v != loud("6")[j] {
			t.Fatal("a seed does not repeat")
		}
	}
	if largest < 100 {
		t.Errorf("noise of 1000 differs by %g with the seed", largest)
	}
}
