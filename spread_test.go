package mercer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// spreading are the methods that spread labels over a graph.
var spreading = []string{"harmonic", "lgc", "graph-reg", "sgt"}

// halfMoons are the two moons of the source's experiments without random numbers, of m rows each, with one
// label for each.
func halfMoons(m, plus, minus int) (in mercer.Input, truth []int) {
	const golden = 0.6180339887498949
	frac := func(v float64) float64 { return v - math.Floor(v) }
	x := mat.NewDense(2*m, 2, nil)
	set := &data.Set{Source: "moons", LabelName: "y", Features: []string{"a", "b"}, Answers: make(data.Answers, 2*m)}
	for i := range m {
		t := math.Pi * (float64(i) + 0.5) / float64(m)
		a := 1 + 0.3*(frac(float64(i+1)*golden)-0.5)
		b := 1 + 0.3*(frac(float64(i+1)*golden+0.5)-0.5)
		x.SetRow(i, []float64{a * math.Cos(t), a * math.Sin(t)})
		x.SetRow(m+i, []float64{1 - b*math.Cos(t), 0.5 - b*math.Sin(t)})
	}
	truth = make([]int, 2*m)
	for i := range m {
		truth[i] = 1
	}
	set.Answers[plus], set.Answers[minus] = "1", "0"
	set.Rows = data.Rows{Dense: x}
	return mercer.Input{Set: set}, truth
}

// One label a moon is enough: the union graph of six neighbours falls into the two moons.
func TestSpreadOverMoons(t *testing.T) {
	for _, pair := range [][2]int{{10, 110}, {50, 150}, {5, 190}, {25, 125}, {90, 105}} {
		in, truth := halfMoons(100, pair[0], pair[1])
		for _, id := range spreading {
			m, res := fitted(t, in, mercer.Recipe{Method: id, Tune: "none", Scale: "none",
				Set: map[string]string{"neighbours": "6", "weights": "binary"}})
			if got := m.Decide(predictions(t, m, in.Set.Rows)); !slices.Equal(got, truth) {
				t.Errorf("%s, labels %v: a row is decided wrongly", id, pair)
			}
			if res.Graph == nil || res.Graph.Components != 2 || res.Certificate.Residual > 1e-6 || res.Support != 0 {
				t.Errorf("%s: graph %+v, certificate %+v, support %d", id, res.Graph, res.Certificate, res.Support)
			}
		}
	}
}

// Rows of the fit keep their outputs; new rows have the mean of them, with Gaussian weights of the printed
// width. Both survive the file.
func TestSpreadToNewRows(t *testing.T) {
	in := few(t, "iris", 3)
	x := in.Set.Rows.Dense
	for _, id := range spreading {
		m, res := fitted(t, in, mercer.Recipe{Method: id, Scale: "none"})
		known := predictions(t, m, in.Set.Rows)
		sigma := res.Params["sigma"].(float64)
		fresh := mat.NewDense(4, 4, []float64{5, 3, 2, 0.5, 6, 3, 4.5, 1.5, 7, 3.1, 6, 2, 0, 0, 0, 0})
		got := predictions(t, m, data.Rows{Dense: fresh})
		for i := range 4 {
			want, total := make([]float64, 3), 0.0
			near := math.Inf(1)
			dist := make([]float64, x.RawMatrix().Rows)
			for q := range dist {
				for j, v := range x.RawRowView(q) {
					dist[q] += (v - fresh.At(i, j)) * (v - fresh.At(i, j))
				}
				near = min(near, dist[q])
			}
			for q, d := range dist {
				w := math.Exp((near - d) / (2 * sigma * sigma))
				total += w
				for j := range want {
					want[j] += w * known.At(q, j)
				}
			}
			for j := range want {
				if d := math.Abs(want[j]/total - got.At(i, j)); d > 1e-9 {
					t.Errorf("%s: new row %d, output %d differs by %g", id, i, j, d)
				}
			}
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		hidden := res.Metrics["hidden"]["error"]
		again, _, err := mercer.Evaluate(t.Context(), m, in.Set.Rows, in.Hidden)
		if err != nil || again["error"] != hidden {
			t.Errorf("%s: evaluated again the error is %v, was %g (%v)", id, again, hidden, err)
		}
	}
}

// The names of other programs find the methods, and the model says the method's own.
func TestOtherNames(t *testing.T) {
	in := few(t, "iris", 3)
	for name, id := range map[string]string{"label-spreading": "lgc", "label-propagation": "harmonic"} {
		m, res := fitted(t, in, mercer.Recipe{Method: name})
		own, _ := fitted(t, in, mercer.Recipe{Method: id})
		var a, b bytes.Buffer
		if m.Write(&a) != nil || own.Write(&b) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) || res.Method != id {
			t.Errorf("%s: method %s, or another model than %s", name, res.Method, id)
		}
		var r mercer.Recipe
		if err := json.Unmarshal(m.Recipe, &r); err != nil || r.Method != id {
			t.Errorf("%s: the recipe says %s (%v)", name, r.Method, err)
		}
	}
}

// Unlabelled rows are decided in the shares that are asked for, by the fit and by the model.
func TestSpreadInShares(t *testing.T) {
	in := few(t, "two-moons:n=120,noise=0.3,seed=3", 5)
	for _, id := range spreading {
		m, res := fitted(t, in, mercer.Recipe{Method: id, Set: map[string]string{"balance": "0.3"}})
		second, unlabelled := 0.0, 0.0
		for i, k := range m.Decide(predictions(t, m, in.Set.Rows)) {
			if data.IsUnlabelled(in.Set.Answers[i]) {
				second += float64(k)
				unlabelled++
			}
		}
		if second != math.Round(0.3*unlabelled) || math.Abs(second/unlabelled-res.Balance.Unlabelled[1]) > 1e-12 {
			t.Errorf("%s: %g of %g rows are of the second class, printed as %g", id, second, unlabelled, res.Balance.Unlabelled[1])
		}
	}
}

// Sparse rows have the same graph by a metric, and the same outputs.
func TestSpreadOverSparseRows(t *testing.T) {
	in := few(t, "two-moons:n=120,noise=0.3,seed=3", 5) // no two distances are equal
	thin := in
	set := *in.Set
	set.Rows = data.Rows{Sparse: data.CSRFromDense(in.Set.Rows.Dense)}
	thin.Set = &set
	for _, id := range spreading {
		r := mercer.Recipe{Method: id, Tune: "none", Scale: "none", Set: map[string]string{"metric": "euclidean"}}
		a, res := fitted(t, in, r)
		b, other := fitted(t, thin, r)
		if d := apart(predictions(t, a, in.Set.Rows), predictions(t, b, thin.Set.Rows)); d > 1e-6 {
			t.Errorf("%s: the outputs differ by %g", id, d)
		}
		if res.Kernel != "gaussian" || other.Kernel != "gaussian" {
			t.Errorf("%s: kernels %s and %s", id, res.Kernel, other.Kernel)
		}
	}
}

// Numbers: targets stay, and a score by leave-one-out gives intervals.
func TestSpreadNumbers(t *testing.T) {
	set, err := data.Builtin("sinc:n=200,noise=0.05,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	in := mercer.Input{Set: set}
	var keep []int
	for i := 0; i < 200; i += 4 {
		keep = append(keep, i)
	}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	for _, id := range []string{"harmonic", "graph-reg"} {
		_, res := fitted(t, in, mercer.Recipe{Method: id})
		if v := res.Metrics["hidden"]["rmse"]; v > 0.12 || res.Interval == nil || res.Balance != nil {
			t.Errorf("%s: rmse %g, interval %v", id, v, res.Interval)
		}
	}
}

// What makes no sense is refused in a line, and what makes little is said.
func TestSpreadHardInput(t *testing.T) {
	set := func(answers ...string) mercer.Input {
		n := len(answers)
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return mercer.Input{Set: &data.Set{Source: "rows", LabelName: "y", Features: []string{"a"}, Rows: data.Rows{Dense: x},
			Answers: answers}}
	}
	apartFrom := set("0", "1", "0", "1", "", "", "", "", "", "")
	for i := 4; i < 10; i++ {
		apartFrom.Set.Rows.Dense.Set(i, 0, 1000+float64(i))
	}
	twice := set("0", "1", "", "", "0", "1", "", "", "")
	twice.Set.Rows.Dense.Set(1, 0, 0)
	numbers := set("0.5", "1.5", "", "2.25", "3.75", "", "", "1.125")
	for _, c := range []struct {
		in     mercer.Input
		method string
		set    map[string]string
		says   string // an error, or a warning
	}{
		{set("1", "1", "", ""), "harmonic", nil, "class"},
		{set("0", "1", "0", "1"), "lgc", nil, "every row has a label"},
		{apartFrom, "harmonic", map[string]string{"neighbours": "3"}, "no label reaches 6 of the rows"},
		{apartFrom, "sgt", map[string]string{"neighbours": "3"}, "the shares of the classes among the labels"},
		{set("0", "1", "", ""), "sgt", map[string]string{"eigenvectors": "4"}, "ask for at most 3"},
		{numbers, "harmonic", map[string]string{"masses": "yes"}, "it is for classes"},
		{numbers, "lgc", nil, "choose Recipe.Method"},
		{twice, "harmonic", nil, ""},
	} {
		m, res, err := mercer.Fit(t.Context(), c.in, mercer.Recipe{Method: c.method, Set: c.set}, mercer.Options{})
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.Join(res.Warnings, "\n")
			for i, v := range predictions(t, m, c.in.Set.Rows).RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s %v: output %d is %g", c.method, c.set, i, v)
				}
			}
		}
		if !strings.Contains(said, c.says) || strings.Count(said, "\n") > 3 {
			t.Errorf("%s %v says %q, want %q", c.method, c.set, said, c.says)
		}
	}
}
