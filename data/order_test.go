package data

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestHoldOutLooksForward: of rows in order those that are held out are later than all others, as many as asked but for rows of one place.
func TestHoldOutLooksForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		l := Labels{Task: Regression, Value: make([]float64, n), Order: make([]float64, n)}
		places := rapid.IntRange(1, 80).Draw(t, "places")
		for i := range n {
			if l.Value[i] = float64(i); rapid.IntRange(0, 3).Draw(t, "labelled") == 0 {
				l.Value[i] = math.NaN()
			}
			l.Order[i] = float64(rapid.IntRange(1, places).Draw(t, "place"))
		}
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		p, err := HoldOut(l, share, 1)
		distinct, most := map[float64]int{}, 0
		for _, i := range l.Labelled() {
			distinct[l.Order[i]]++
			most = max(most, distinct[l.Order[i]])
		}
		if err != nil {
			if len(distinct) > 1 {
				t.Fatal(err)
			}
			return
		}
		last, first, held, all := math.Inf(-1), math.Inf(1), 0, len(l.Labelled())
		for _, i := range l.Labelled() {
			if p.Fold[i] == 0 {
				held++
				first = min(first, l.Order[i])
			} else {
				last = max(last, l.Order[i])
			}
		}
		if held == 0 || held == all || last >= first || math.Abs(float64(held)-share*float64(all)) > float64(most)+1 {
			t.Fatalf("%d of %d, the last that learns at %g, the first that is judged at %g", held, all, last, first)
		}
	})
}

// TestHeldOutRows: of ten rows in order one at least is held out and one at most is left, else the nearest number.
func TestHeldOutRows(t *testing.T) {
	l := Labels{Task: Regression, Value: make([]float64, 10), Order: []float64{5, 0, 1, 9, 2, 8, 3, 7, 4, 6}}
	for share, want := range map[float64]int{0.001: 1, 0.14: 1, 0.16: 2, 0.5: 5, 0.84: 8, 0.999: 9} {
		p, err := HoldOut(l, share, 1)
		if err != nil || p.K != 1 {
			t.Fatal(p.K, err)
		}
		for i, fold := range p.Fold {
			if held := l.Order[i] >= float64(10-want); held && fold != 0 || !held && fold != -1 {
				t.Errorf("share %g: row %d, at place %g, is in fold %d; %d rows are due", share, i, l.Order[i], fold, want)
			}
		}
	}
}

// TestFoldsOfOrder: folds that are dealt out are refused.
func TestFoldsOfOrder(t *testing.T) {
	if _, err := Folds(Labels{Task: Regression, Value: make([]float64, 9), Order: make([]float64, 9)}, 3, 1); err == nil {
		t.Error("folds of rows in order")
	}
}
