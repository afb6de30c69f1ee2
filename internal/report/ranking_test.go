package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/metric"
)

// TestRankCountsByThresholds: each step has the counts of a pass over all rows, the area below
// the curve is metric.AUC, and without ties the precision at n+ rows is the break-even point.
func TestRankCountsByThresholds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		values := rapid.IntRange(1, 30).Draw(t, "values")
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i] = float64(rapid.IntRange(0, values).Draw(t, "score"))
			positive[i] = rapid.Bool().Draw(t, "positive")
		}
		r, ok := rank(1, score, positive)
		last := len(r.tp) - 1
		if ok != (r.tp[last] > 0 && r.fp[last] > 0) || r.tp[last]+r.fp[last] != n {
			t.Fatalf("%d positive and %d other rows of %d", r.tp[last], r.fp[last], n)
		}
		at := map[[2]int]bool{{0, 0}: true}
		for _, s := range score {
			var tp, fp int
			for i := range score {
				if score[i] >= s && positive[i] {
					tp++
				} else if score[i] >= s {
					fp++
				}
			}
			at[[2]int{tp, fp}] = true
		}
		if len(at) != len(r.tp) {
			t.Fatalf("%d steps, want %d", len(r.tp), len(at))
		}
		area := 0.0
		for k := range r.tp {
			if !at[[2]int{r.tp[k], r.fp[k]}] {
				t.Fatalf("step %d has %d, %d", k, r.tp[k], r.fp[k])
			}
			if k > 0 {
				area += float64(r.fp[k]-r.fp[k-1]) * float64(r.tp[k]+r.tp[k-1]) / 2
			}
		}
		if ok && math.Abs(area/float64(r.tp[last]*r.fp[last])-metric.AUC(score, positive)) > 1e-12 {
			t.Fatalf("area %g, AUC %g", area, metric.AUC(score, positive))
		}
	})
}

// TestFiguresOfJudgedAgreeWithMetrics: the area in the figure is the result's, and left-out
// rows have the figures too.
func TestFiguresOfJudgedAgreeWithMetrics(t *testing.T) {
	run := fitted(t, "two-moons:n=120,noise=0.3", 30, mercer.Recipe{Method: "rls"})
	list := run.Judged.rankings(2)
	if len(list) != 1 || list[0].class != 1 || math.Abs(list[0].auc-run.Result.Metrics["hidden"]["auc"]) > 1e-12 {
		t.Errorf("rankings %+v, the result has %g", list, run.Result.Metrics["hidden"]["auc"])
	}
	var leftOut *Judged
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	var left *mat.Dense
	m, _, err := mercer.Fit(t.Context(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls", Set: map[string]string{"sigma": "1"}},
		mercer.Options{Listen: mercer.Listener{LeftOut: func(r []int, out *mat.Dense) { rows, left = r, out }}})
	if err == nil {
		leftOut, err = JudgeOutputs("left out", m, left, rows, set.Answers)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range leftOut.figures(m.Classes) {
		got = append(got, f.Name)
	}
	if len(got) != 4 || len(leftOut.rankings(3)) != 3 {
		t.Errorf("figures %v of left-out rows", got)
	}
}

// TestReliabilityCountsEveryRow: bins agree with sums over the rows that lie in them.
func TestReliabilityCountsEveryRow(t *testing.T) {
	p := mat.NewDense(5, 2, []float64{1, 0, 0.75, 0.25, 0.5, 0.5, 0.74, 0.26, 0, 1})
	j := &Judged{Class: []int{0, 1, 1, 0, 1}, Given: []int{0, 0, 1, 0, 1}, Probability: p}
	got := j.reliability(2)
	want := map[int]bin{0: {1, 0, 0}, 2: {2, 1, 0.51}, 5: {1, 1, 0.5}, 9: {1, 1, 1}}
	for k, b := range got {
		w := want[k]
		if b.rows != w.rows || b.hits != w.hits || math.Abs(b.sum-w.sum) > 1e-12 {
			t.Errorf("bin %d: %+v, want %+v", k, b, w)
		}
	}
	// Of several classes a row counts with the class it was given, also where its own was never seen.
	j = &Judged{Class: []int{2, data.Unseen}, Given: []int{2, 1}, Probability: mat.NewDense(2, 3, []float64{0.1, 0.2, 0.7, 0.3, 0.6, 0.1})}
	got = j.reliability(3)
	if got[7] != (bin{1, 1, 0.7}) && got[6] != (bin{1, 1, 0.7}) || got[6].rows+got[7].rows+got[5].rows != 2 {
		t.Errorf("%+v", got)
	}
}

// Up to eight classes have a curve each, more have none.
func TestMostRanked(t *testing.T) {
	for classes, want := range map[int]int{3: 3, 8: 8, 9: 0} {
		n := 2 * classes
		j := &Judged{Class: make([]int, n), Score: mat.NewDense(n, classes, nil)}
		for i := range n {
			j.Class[i] = i % classes
			j.Score.Set(i, i%classes, 1)
		}
		if got := j.rankings(classes); len(got) != want {
			t.Errorf("%d classes have %d curves, want %d", classes, len(got), want)
		}
	}
}

// Outputs that are no numbers have no probabilities, and the figures say so.
func TestJudgedOutputsAreNumbers(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := mercer.Fit(t.Context(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls"}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(2, 3, []float64{1, -1, -1, math.NaN(), 1, -1})
	if j, err := JudgeOutputs("test", m, out, []int{0, 60}, set.Answers); err == nil {
		t.Errorf("judged as %+v", j)
	}
}
