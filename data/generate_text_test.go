package data

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// Documents depend on the seed and their number alone: neither on the processors nor on how many there are.
func TestTextIsRepeated(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	drawn := func(spec string) *Set {
		t.Helper()
		s, err := Builtin(spec)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	runtime.GOMAXPROCS(1)
	alone := drawn("zipf:n=2100,words=3000,length=20,seed=4")
	runtime.GOMAXPROCS(3)
	shared := drawn("zipf:n=2100,words=3000,length=20,seed=4")
	a, b := alone.Rows.Sparse, shared.Rows.Sparse
	if !slices.Equal(a.Index, b.Index) || !slices.Equal(a.Value, b.Value) || !slices.Equal(alone.Answers, shared.Answers) {
		t.Error("rows depend on the number of processors")
	}
	few := drawn("zipf:n=30,words=3000,length=20,seed=4").Rows.Sparse
	other := drawn("zipf:n=30,words=3000,length=20,seed=5").Rows.Sparse
	for i := range 30 {
		w, _ := few.Row(i)
		if v, _ := a.Row(i); !slices.Equal(v, w) {
			t.Errorf("row %d depends on the number of rows", i)
		}
		if v, _ := other.Row(i); slices.Equal(v, w) {
			t.Errorf("row %d does not depend on the seed", i)
		}
	}
}

// Rows have length 1 and as many words as asked, the most frequent words are the first, and classes differ by
// the spread alone.
func TestTextIsText(t *testing.T) {
	s, err := Builtin("zipf:n=4000,words=5000,length=40")
	if err != nil {
		t.Fatal(err)
	}
	x := s.Rows.Sparse
	if mean := float64(x.NNZ()) / 4000; math.Abs(mean-40) > 0.5 {
		t.Errorf("%g words a row, about 40 asked for", mean)
	}
	for i, v := range x.norms2() {
		if math.Abs(v-1) > 1e-14 {
			t.Errorf("row %d has squared length %g", i, v)
		}
		if want := [2]string{"1", "-1"}[i%2]; s.Answers[i] != want {
			t.Errorf("row %d is of class %s", i, s.Answers[i])
		}
	}
	df := s.Rows.ColumnStats().NonZero
	if df[0] < 2000 || df[0] < 2*df[9] || df[9] < 2*df[99] || df[99] < 2*df[999] {
		t.Errorf("words 1, 10, 100, 1000 are in %d, %d, %d, %d documents", df[0], df[9], df[99], df[999])
	}
	if d := apart(t, "two-topics:n=2000,spread=0"); d > 0.1 {
		t.Errorf("topics without spread are %g apart", d)
	}
	if d := apart(t, "two-topics:n=2000"); d < 0.25 {
		t.Errorf("topics are %g apart", d)
	}
	few, err := Builtin("zipf:n=10,words=3,length=76")
	if err != nil || few.Rows.Sparse.NNZ() != 30 {
		t.Errorf("three words: %v, %v", few.Rows.Sparse, err)
	}
}

// apart is the distance between the mean rows of the classes.
func apart(t *testing.T, spec string) float64 {
	s, err := Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	between := make([]float64, s.Rows.Dim())
	for i := range s.Rows.Len() {
		index, value := s.Rows.Sparse.Row(i)
		for p, j := range index {
			between[j] += float64(1-2*(i%2)) * value[p] / float64(s.Rows.Len()/2)
		}
	}
	return length(between)
}

// Text is given up soon after the context has ended.
func TestTextIsStopped(t *testing.T) {
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := BuiltinWithin(ctx, "two-topics:n=3")
		return err
	})
}

// The table of a Poisson distribution has its mean and variance.
func TestPoisson(t *testing.T) {
	for _, mean := range []float64{0, 0.5, 60, 1e4} {
		below, last, first, second := poisson(mean), 0.0, 0.0, 0.0
		for k, p := range below {
			first += float64(k) * (p - last)
			second += (float64(k) - mean) * (float64(k) - mean) * (p - last)
			last = p
		}
		if math.Abs(last-1) > 1e-9 || math.Abs(first-mean) > 1e-8*(1+mean) || math.Abs(second-mean) > 1e-6*(1+mean) {
			t.Errorf("mean %g: sum %g, mean %g, variance %g", mean, last, first, second)
		}
	}
}

// TestTextIsWholeOrStopped: at whichever look the context has ended, text is drawn whole or the error is that of the context; rows that
// are long enough but empty are never taken for text.
func TestTextIsWholeOrStopped(t *testing.T) {
	const spec = "two-topics:n=4,seed=2"
	want, err := Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	for looks := 0; ; looks++ {
		ctx := stoptest.After(t.Context(), looks)
		got, err := BuiltinWithin(ctx, spec)
		if ctx.Ended() != errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if err == nil && (!slices.Equal(got.Rows.Sparse.Index, want.Rows.Sparse.Index) ||
			!slices.Equal(got.Rows.Sparse.Value, want.Rows.Sparse.Value)) {
			t.Errorf("after %d looks the rows are others", looks)
		}
		if !ctx.Ended() {
			break
		}
	}
}
