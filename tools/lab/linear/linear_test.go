package linear

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"gonum.org/v1/gonum/mat"
)

// two are two rows, of labels 1 and -1, and their columns.
func two() *problem {
	x := mat.NewDense(2, 2, []float64{1, 0, 0.5, 2})
	return &problem{rows: passes.New(data.Rows{Dense: x}, nil).WithConstant(), y: []float64{1, -1}}
}

// TestObjective: by hand.
func TestObjective(t *testing.T) {
	// Outputs 0.75 and 2.375: losses (1/4)^2 and 3.375^2.
	want := (0.25+0.87890625+0.0625)/2 + 0.0625 + 3.375*3.375
	if f := two().objective([]float64{0.5, 1 - 0.0625, 0.25}); math.Abs(f-want) > 1e-12 {
		t.Errorf("%g, want %g", f, want)
	}
}

// TestWeightsOfLIBLINEAR: the sign is that of the larger label, columns without an entry have none.
func TestWeightsOfLIBLINEAR(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for labels, sign := range map[string]float64{"1 -1": 1, "-1 1": -1} {
		text := "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel " + labels + "\nnr_feature 1\nbias 1\nw\n0.5 \n0.25 \n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := liblinearWeights(path, two())
		if err != nil || fmt.Sprint(w) != fmt.Sprint([]float64{sign * 0.5, 0, sign * 0.25}) {
			t.Errorf("labels %s: %v, %v", labels, w, err)
		}
	}
}

// TestNarrow: the tolerance is the largest whose objective is equal to the least, also where the least is found last.
func TestNarrow(t *testing.T) {
	p := &problem{rows: passes.New(data.Rows{Dense: mat.NewDense(1, 1, []float64{0})}, nil).WithConstant(), y: []float64{1}}
	// Its objective is 1/2 w^2 + the loss of the bias 1, which is none, and so 1/2 (w^2 + 1).
	program := func(above func(tolerance float64) float64) *trained {
		at := 0.0
		return &trained{
			name: "program", tolerance: 1e-2,
			words:   func(tolerance float64) []string { at = tolerance; return []string{"true"} },
			weights: func(context.Context) ([]float64, error) { return []float64{math.Sqrt(above(at)), 1}, nil },
		}
	}
	exact := func(tolerance float64) float64 { return tolerance * tolerance / 10 }
	late := func(tolerance float64) float64 { return 10 * tolerance }
	both := []*trained{program(late), program(exact)}
	least, err := p.settle(t.Context(), both)
	if err != nil || math.Abs(least-0.5) > 1e-6 || both[0].tolerance < 0.9e-7 || both[0].tolerance > 1.1e-7 || both[1].tolerance != 1e-3 {
		t.Errorf("least %g, tolerances %g and %g, %v", least, both[0].tolerance, both[1].tolerance, err)
	}
	own := program(late)
	own.tolerance = 0 // it is left as it is
	if _, err := p.settle(t.Context(), []*trained{program(exact), own}); err != nil || own.tolerance != 0 || own.objective != 0.5 {
		t.Errorf("%+v, %v", own, err)
	}
	never := program(func(float64) float64 { return 1 })
	_, err = p.settle(t.Context(), []*trained{program(exact), never})
	if err == nil || !strings.Contains(err.Error(), "no smaller one is tried") {
		t.Errorf("a program that never comes there: %v", err)
	}
}

// TestDocuments: they are the same every time, as many as asked for, and their words are words.
func TestDocuments(t *testing.T) {
	m := mails{learn: 40, test: 10, classes: 4, words: 5000, length: 30, spread: 0.3, seed: 1}
	dir := t.TempDir()
	var texts []string
	for k := range 2 {
		train, test := filepath.Join(dir, fmt.Sprint("a", k)), filepath.Join(dir, fmt.Sprint("b", k))
		if err := m.write(train, test); err != nil {
			t.Fatal(err)
		}
		for path, n := range map[string]int{train: 40, test: 10} {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(text), "\n"); lines != n+1 {
				t.Errorf("%d lines of %d documents", lines, n)
			}
			if path == train {
				texts = append(texts, string(text))
			}
		}
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "\nclass3,") {
		t.Error("the documents of one seed differ, or a class is not there")
	}
	if words := len(strings.Fields(texts[0])) / 40; words < 25 || words > 35 {
		t.Errorf("%d words in a document of 30", words)
	}
	seen := map[string]int{}
	for rank := range 20_000 {
		w := word(rank)
		if other, ok := seen[w]; ok || len(w) < 2 {
			t.Fatalf("the words of ranks %d and %d are %q", other, rank, w)
		}
		seen[w] = rank
	}
}

// TestChosen: parts, sets and runs that are not there are refused.
func TestChosen(t *testing.T) {
	list, err := chosen(options{measure.Options{Runs: 1}, "text,supervised"})
	if err != nil || len(list) != 2 || list[0].name != "supervised" {
		t.Errorf("%v, %v", list, err)
	}
	for _, o := range []options{{}, {measure.Options{Runs: 1}, "texts"}, {measure.Options{Runs: 1, Sets: "a9a,b"}, ""}} {
		if _, err := chosen(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
