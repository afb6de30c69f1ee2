package data

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCopies: rows that stand twice are in one group, whether dense or sparse, unless their answers differ or they have none; rows that
// are equal by chance, and few copies, are in none.
func TestCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 60
	x := mat.NewDense(2*n, 3, nil)
	answers := make(Answers, 2*n)
	for i := range n {
		for j := range 3 {
			v := rng.NormFloat64()
			x.Set(i, j, v)
			x.Set(n+i, j, v)
		}
		answers[i] = strconv.Itoa(i % 2)
		answers[n+i] = answers[i]
	}
	answers[n], answers[1], answers[n+1] = "", "0", "1" // without an answer, and with another one
	dense := &Set{Rows: Rows{Dense: x}, Answers: answers}
	sparse := &Set{Rows: Rows{Sparse: CSRFromDense(x)}, Answers: answers}
	for name, s := range map[string]*Set{"dense": dense, "sparse": sparse} {
		group, copies := s.Copies()
		if copies != n-2 || group == nil {
			t.Fatalf("%s: %d copies, %v", name, copies, group)
		}
		for i := range n {
			if alone := i < 2; (group[i] == "") != alone || group[i] != group[n+i] {
				t.Errorf("%s, row %d: %q and %q", name, i, group[i], group[n+i])
			}
		}
	}
	few := dense.Select(append(numbersTo(n), n+5))
	if group, copies := few.Copies(); group != nil || copies != 1 {
		t.Errorf("one copy: %d, %v", copies, group)
	}
	for i := range 2 * n { // of four different rows
		x.SetRow(i, []float64{float64(rng.IntN(2)), float64(rng.IntN(2)), 0})
	}
	if group, _ := dense.Copies(); group != nil {
		t.Error("rows of two words each are copies")
	}
	for i := range 2 * n { // of 343, by chance
		x.SetRow(i, []float64{float64(rng.IntN(5)), float64(rng.IntN(5)), float64(rng.IntN(7))})
	}
	if group, copies := dense.Copies(); group != nil {
		t.Errorf("%d rows that are equal by chance are copies", copies)
	}
}

// numbersTo are 0 to n-1.
func numbersTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
