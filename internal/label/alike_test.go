package label

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// TestRowsAllAlike: rows that nothing tells apart have features all the same, which are numbers.
func TestRowsAllAlike(t *testing.T) {
	x := mat.NewDense(12, 2, nil)
	f, err := Recipe{Size: 5}.Fit(t.Context(), data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*mat.Dense{f.Z, f.Place} {
		for _, v := range m.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("a feature of rows that are all alike is %g", v)
			}
		}
	}
}

// TestFaultOfALine: what cannot be replayed is told by its line in the log, of which the first is the subject.
func TestFaultOfALine(t *testing.T) {
	x := mat.NewDense(8, 1, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	f, err := Recipe{Size: 4}.Fit(t.Context(), data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	for want, entries := range map[string][]Entry{
		"line 2: takes back an answer, and there is none":                      {{Row: 1, Undo: true}},
		"line 3: takes back the answer of row 2, and the last one is of row 1": {{Row: 1, Label: "a"}, {Row: 2, Undo: true}},
		"line 4: takes back an answer, and there is none": {
			{Row: 1, Label: "a"}, {Row: 1, Undo: true}, {Row: 1, Undo: true},
		},
		"line 5: takes back the answer of row 3, and the last one is of row 2": {
			{Row: 1, Label: "a"}, {Row: 2, Skip: true}, {Row: 2, Label: "b"}, {Row: 3, Undo: true},
		},
	} {
		_, err := Begin(f, Start{Classes: []string{"a", "b"}, Entries: entries, Clock: time.Now}, Chooser{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
