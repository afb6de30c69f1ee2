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

// TestFoldsOfOrder: folds that are dealt out are refused.
func TestFoldsOfOrder(t *testing.T) {
	if _, err := Folds(Labels{Task: Regression, Value: make([]float64, 9), Order: make([]float64, 9)}, 3, 1); err == nil {
		t.Error("folds of rows in order")
	}
}
