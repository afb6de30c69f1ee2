package data

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// random returns an r x c matrix about a third of whose entries are stored,
// small integers so that sums in any order are exact.
func random(t *rapid.T, r, c int) *CSR {
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, float64(max(0, rapid.IntRange(-12, 5).Draw(t, "v"))))
		}
	}
	return CSRFromDense(m)
}

func valid(t *rapid.T, a *CSR) {
	if _, err := NewCSR(a.R, a.C, a.Start, a.Index, a.Value); err != nil {
		t.Fatal(err)
	}
}

func TestAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := rapid.IntRange(1, 9).Draw(t, "r"), rapid.IntRange(1, 9).Draw(t, "c")
		a, b := random(t, r, c), random(t, rapid.IntRange(1, 5).Draw(t, "rb"), c)
		valid(t, a)
		da, db := a.ToDense(), b.ToDense()

		tr := a.T()
		valid(t, tr)
		if !mat.Equal(tr.ToDense(), da.T()) {
			t.Fatal("T differs")
		}

		k := rapid.IntRange(1, 4).Draw(t, "k")
		x, got := mat.NewDense(c, k, nil), mat.NewDense(r, k, nil)
		for i := range c {
			for j := range k {
				x.Set(i, j, float64(rapid.IntRange(-5, 5).Draw(t, "x")))
			}
		}
		var want mat.Dense
		want.Mul(da, x)
		a.MulTo(got, x)
		if !mat.Equal(got, &want) {
			t.Fatal("MulTo differs")
		}

		var gram mat.Dense
		gram.Mul(da, db.T())
		na, nb := NarrowCSR(a, b)
		valid(t, na)
		valid(t, nb)
		used := map[int32]bool{}
		for _, j := range append(append([]int32(nil), a.Index...), b.Index...) {
			used[j] = true
		}
		if want := max(1, len(used)); na.C != want || nb.C != want {
			t.Fatalf("Narrow leaves %d and %d columns, %d have entries", na.C, nb.C, len(used))
		}
		for i := range r {
			for j := range b.R {
				if na.RowDot(i, nb, j) != gram.At(i, j) {
					t.Fatal("Narrow changes a product")
				}
			}
		}
		norms := a.norms2()
		for i := range r {
			for j := range b.R {
				if a.RowDot(i, b, j) != gram.At(i, j) {
					t.Fatalf("RowDot(%d, %d) = %v, dense %v", i, j, a.RowDot(i, b, j), gram.At(i, j))
				}
			}
			if norms[i] != a.RowDot(i, a, i) {
				t.Fatal("norms2 differs")
			}
		}

		rows := rapid.SliceOfN(rapid.IntRange(0, r-1), 1, 6).Draw(t, "rows")
		s := a.SelectRows(rows)
		valid(t, s)
		cols := rapid.Permutation(seq(c)).Draw(t, "cols")[:rapid.IntRange(1, c).Draw(t, "nc")]
		sc := a.SelectColumns(cols)
		valid(t, sc)
		ds, dc := s.ToDense(), sc.ToDense()
		for i, ri := range rows {
			for j := range c {
				if ds.At(i, j) != da.At(ri, j) {
					t.Fatal("SelectRows differs")
				}
			}
		}
		for i := range r {
			for j, cj := range cols {
				if dc.At(i, j) != da.At(i, cj) {
					t.Fatal("SelectColumns differs")
				}
			}
		}

		both := ConcatCSR(a, b)
		valid(t, both)
		var stacked mat.Dense
		stacked.Stack(da, db)
		if !mat.Equal(both.ToDense(), &stacked) {
			t.Fatal("Concat differs")
		}

		more := []*CSR{a, random(t, r, c), random(t, r, c)}
		mean := MeanCSR(more)
		valid(t, mean)
		var sum mat.Dense
		sum.Add(da, more[1].ToDense())
		sum.Add(&sum, more[2].ToDense())
		sum.Scale(1./3, &sum)
		if !mat.EqualApprox(mean.ToDense(), &sum, 1e-15) {
			t.Fatal("Mean differs")
		}
	})
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// The parallel product must give the bits of the serial one, whatever the number
// of threads, also where a few rows hold most entries.
func TestMulToDoesNotDependOnThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const r, c = 700, 300
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			if i < 5 || rng.IntN(20) == 0 {
				m.Set(i, j, rng.NormFloat64())
			}
		}
	}
	a := CSRFromDense(m)
	for _, k := range []int{1, 30, 200} { // by rows, and in panels
		x := mat.NewDense(c, k, nil)
		for i := range c {
			for j := range k {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		want := mat.NewDense(r, k, nil)
		a.byRows(want, x, 1)
		for _, p := range []int{1, 2, 3, 8} {
			old := runtime.GOMAXPROCS(p)
			got := mat.NewDense(r, k, nil)
			got.Set(0, 0, 7) // stale contents must go
			a.MulTo(got, x)
			runtime.GOMAXPROCS(old)
			if !slices.Equal(got.RawMatrix().Data, want.RawMatrix().Data) {
				t.Fatalf("k %d, %d threads: result differs", k, p)
			}
		}
	}
}

// The power must be the product p times over: a panel, several with a narrow last one,
// and narrow x, into views whose surroundings stay, with empty rows among the full.
func TestPowerToIsRepeatedMulTo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 90
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if i%7 != 0 && rng.IntN(4) == 0 {
				m.Set(i, j, rng.NormFloat64())
			}
		}
	}
	a := CSRFromDense(m)
	for _, k := range []int{1, 3, 47, 48, 49, 97, 200, 259} {
		whole := mat.NewDense(n+1, k+2, nil)
		for i := range n {
			for j := range k {
				whole.Set(i, j, rng.NormFloat64())
			}
		}
		x := whole.Slice(0, n, 0, k).(*mat.Dense)
		want := mat.DenseCopyOf(x)
		for p := 1; p <= 5; p++ {
			next := mat.NewDense(n, k, nil)
			a.byRows(next, want, 1)
			want = next
			for _, threads := range []int{1, 3} {
				old := runtime.GOMAXPROCS(threads)
				frame := mat.NewDense(n+2, k+2, nil)
				for i := range n + 2 {
					for j := range k + 2 {
						frame.Set(i, j, 7)
					}
				}
				a.PowerTo(frame.Slice(1, n+1, 1, k+1).(*mat.Dense), x, p)
				runtime.GOMAXPROCS(old)
				for i := range n + 2 {
					for j := range k + 2 {
						v := 7.0
						if i > 0 && i <= n && j > 0 && j <= k {
							v = want.At(i-1, j-1)
						}
						if frame.At(i, j) != v {
							t.Fatalf("k %d, p %d, %d threads: element %d, %d is %v, expected %v", k, p, threads, i-1, j-1, frame.At(i, j),
								v)
						}
					}
				}
			}
		}
	}
}

// Index arithmetic must respect strides: slices of larger matrices are views.
func TestMulToOfViews(t *testing.T) {
	a := CSRFromDense(mat.NewDense(2, 2, []float64{1, 2, 0, 3}))
	x := mat.NewDense(3, 3, []float64{1, 2, 9, 3, 4, 9, 9, 9, 9}).Slice(0, 2, 0, 2).(*mat.Dense)
	big := mat.NewDense(3, 4, nil)
	a.MulTo(big.Slice(1, 3, 1, 3).(*mat.Dense), x)
	if want := []float64{0, 0, 0, 0, 0, 7, 10, 0, 0, 9, 12, 0}; !slices.Equal(big.RawMatrix().Data, want) {
		t.Fatalf("got %v", big.RawMatrix().Data)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, f := range map[string]func() (*CSR, error){
		"starts missing":    func() (*CSR, error) { return NewCSR(2, 2, []int{0, 1}, []int32{0}, []float64{1}) },
		"lengths":           func() (*CSR, error) { return NewCSR(1, 2, []int{0, 1}, []int32{0}, nil) },
		"start decreases":   func() (*CSR, error) { return NewCSR(2, 2, []int{0, 2, 1}, []int32{0}, []float64{1}) },
		"start past end":    func() (*CSR, error) { return NewCSR(2, 2, []int{0, 5, 1}, []int32{0}, []float64{1}) },
		"end":               func() (*CSR, error) { return NewCSR(1, 2, []int{0, 0}, []int32{0}, []float64{1}) },
		"not increasing":    func() (*CSR, error) { return NewCSR(1, 2, []int{0, 2}, []int32{1, 1}, []float64{1, 1}) },
		"column too large":  func() (*CSR, error) { return NewCSR(1, 2, []int{0, 1}, []int32{2}, []float64{1}) },
		"column negative":   func() (*CSR, error) { return NewCSR(1, 2, []int{0, 1}, []int32{-1}, []float64{1}) },
		"negative size":     func() (*CSR, error) { return NewCSR(-1, 2, nil, nil, nil) },
		"too many columns":  func() (*CSR, error) { return NewCSR(0, 1<<31, []int{0}, nil, nil) },
		"first start not 0": func() (*CSR, error) { return NewCSR(1, 2, []int{1, 1}, []int32{0}, []float64{1}) },
	} {
		if a, err := f(); err == nil {
			t.Errorf("%s: accepted as %+v", name, a)
		}
	}
}

// Matrices beside each other and their mean are those of the dense matrices, for one, two and three of them; rows are
// counted, and stored columns out of order, twice or outside are refused.
func TestBesideAndMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := rapid.IntRange(1, 7).Draw(t, "r"), rapid.IntRange(1, 7).Draw(t, "c")
		a, b := random(t, r, c), random(t, r, rapid.IntRange(1, 5).Draw(t, "cb"))
		beside := BesideCSR(a, b)
		valid(t, beside)
		if len(beside.Start) != r+1 {
			t.Fatalf("%d starts of %d rows", len(beside.Start), r)
		}
		var want mat.Dense
		want.Augment(a.ToDense(), b.ToDense())
		if !mat.Equal(beside.ToDense(), &want) {
			t.Fatal("Beside differs")
		}
		list := []*CSR{a}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			list = append(list, random(t, r, c))
		}
		mean := MeanCSR(list)
		valid(t, mean)
		sum := mat.NewDense(r, c, nil)
		for _, m := range list {
			sum.Add(sum, m.ToDense())
		}
		sum.Scale(1/float64(len(list)), sum)
		if !mat.EqualApprox(mean.ToDense(), sum, 1e-15) {
			t.Fatal("Mean differs")
		}
	})
	for name, index := range map[string][]int32{"twice": {1, 1}, "out of order": {2, 1}, "outside": {1, 3}, "below": {-1, 1}} {
		if _, err := NewCSR(1, 3, []int{0, 2}, index, []float64{1, 1}); err == nil {
			t.Errorf("columns %s are accepted", name)
		}
	}
	for _, start := range [][]int{{0, 2, 1}, {0, 1, 3}} {
		if _, err := NewCSR(2, 3, start, []int32{0, 1}, []float64{1, 1}); err == nil {
			t.Errorf("starts %v of two entries are accepted", start)
		}
	}
}

// With columns in the order of their frequency rows have the same inner products, and the first columns are the most
// frequent.
func TestFrequent(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{0, 0, 1, 0, 2, 3, 4, 0, 5, 0, 6, 7})
	a := CSRFromDense(x)
	b := a.Frequent().ToDense()
	var want, got mat.Dense
	want.Mul(x, x.T())
	got.Mul(b, b.T())
	if !mat.Equal(&want, &got) {
		t.Errorf("inner products %v, want %v", mat.Formatted(&got), mat.Formatted(&want))
	}
	last := 5
	for j := range 3 {
		n := 0
		for i := range 4 {
			if b.At(i, j) != 0 {
				n++
			}
		}
		if n > last {
			t.Errorf("column %d is in %d rows, the one before in %d", j, n, last)
		}
		last = n
	}
}

// TestRowAt: the first row whose entries begin at one or later, empty rows included.
func TestRowAt(t *testing.T) {
	a := &CSR{R: 4, C: 9, Start: []int{0, 2, 2, 5, 6}}
	for p, want := range []int{0, 1, 1, 3, 3, 3, 4, 4} {
		if got := a.rowAt(0, p); got != want {
			t.Errorf("entry %d: row %d, want %d", p, got, want)
		}
	}
	if got := a.rowAt(2, 0); got != 2 {
		t.Errorf("from row 2 on: row %d", got)
	}
}
