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

// TestCopiesByCounts: copies are heeded where half of the rows have one and rows are alike by four at most.
func TestCopiesByCounts(t *testing.T) {
	for _, c := range []struct {
		sizes  []int // of rows that are alike
		heeded bool
		copies int
	}{
		{[]int{2, 3, 1, 1, 1, 1, 1}, true, 3}, {[]int{2, 3, 1, 1, 1, 1, 1, 1}, false, 3}, {[]int{4, 4}, true, 6}, {[]int{4, 5}, false, 7},
		{[]int{1, 1}, false, 0},
	} {
		s := &Set{}
		var x []float64
		for k, n := range c.sizes {
			for range n {
				x = append(x, float64(k+1))
				s.Answers = append(s.Answers, "a")
			}
		}
		s.Rows.Sparse = CSRFromDense(mat.NewDense(len(x), 1, x)) // of which nothing is expected by chance
		if group, copies := s.Copies(); copies != c.copies || (group != nil) != c.heeded {
			t.Errorf("%v: %d copies, groups %q", c.sizes, copies, group)
		}
	}
}

// TestPairsByChance: n^2/2 times the sum of the squared shares, over the columns.
func TestPairsByChance(t *testing.T) {
	s := &Set{Rows: Rows{Dense: mat.NewDense(5, 2, []float64{1, 1, 1, 1, 2, 1, 2, 2, 9, 9})}}
	if got := s.chance([]int{0, 1, 2, 3}); got != 16.0/2*0.5*(0.75*0.75+0.25*0.25) {
		t.Errorf("%g pairs are expected", got)
	}
}

// TestSharesOfSomeRows: of 4000 rows each second one says what is expected by chance, of fewer all.
func TestSharesOfSomeRows(t *testing.T) {
	for n, heeded := range map[int]bool{4000: true, 3998: false} {
		s := &Set{Rows: Rows{Dense: mat.NewDense(n, 1, nil)}, Answers: make(Answers, n)}
		for i := range n {
			s.Answers[i] = "a"
			if i%2 == 0 {
				s.Rows.Dense.Set(i, 0, float64(i+1)) // like no other, while the odd ones are all alike
			}
		}
		if group, copies := s.Copies(); (group != nil) != heeded || copies != n/2-1 {
			t.Errorf("%d rows: %d copies are heeded %v", n, copies, group != nil)
		}
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
