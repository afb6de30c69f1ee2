package reproduce

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range List() {
		if seen[e.ID] {
			t.Errorf("%s is listed twice", e.ID)
		}
		seen[e.ID] = true
		if e.ID == "" || e.Title == "" || e.Source == "" || e.Data == "" || e.Expected == "" {
			t.Errorf("%+v says too little of itself", e)
		}
	}
}

// values runs an experiment without data files and returns its numbers by case
// and metric.
func values(t *testing.T, id string) map[string]float64 {
	t.Helper()
	table, err := Run(context.Background(), id, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := map[string]float64{}
	for _, r := range table.Rows {
		v[r.Case+": "+r.Metric] = r.Ours
	}
	return v
}

func agrees(t *testing.T, got, want map[string]float64, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d numbers, want %d", len(got), len(want))
	}
	for k, w := range want {
		g, ok := got[k]
		if !ok || math.Abs(g-w) > relative*math.Abs(w)+1e-12 {
			t.Errorf("%s = %v, want %v", k, g, w)
		}
	}
}

// The golden values of the two-moons and two-circles sets, to the digits they
// are known to.
func TestGoldenMoons(t *testing.T) {
	agrees(t, values(t, "becker-f3.1"), map[string]float64{
		"two moons g=0: " + unlabelledError:                      100 * 34. / 198,
		"two moons g=0.1: " + unlabelledError:                    100 * 8. / 198,
		"two moons g=1: " + unlabelledError:                      0,
		"two moons g=10: " + unlabelledError:                     0,
		"two moons g=1 normalised Laplacian: " + unlabelledError: 0,
	}, 1e-12)
}

func TestGoldenCircles(t *testing.T) {
	agrees(t, values(t, "becker-f3.2"), map[string]float64{
		"two circles M=0 L: largest similarity of an inner point":   0.3604,
		"two circles M=0 L: smallest similarity of an outer point":  8.1e-8,
		"two circles M=10 L: largest similarity of an inner point":  0.0757,
		"two circles M=10 L: smallest similarity of an outer point": 0.1167,
		"two circles Laplacian RLS g=0: " + unlabelledError:         38.9,
		"two circles Laplacian RLS g=0.5: " + unlabelledError:       0,
	}, 3e-3)
}

func TestFaults(t *testing.T) {
	ctx := context.Background()
	_, err := Run(ctx, "becker-f9.9", "", Options{})
	if err == nil || !strings.Contains(err.Error(), "becker-t4.2") {
		t.Errorf("unknown id: %v does not list the known ones", err)
	}
	for _, dir := range []string{"", t.TempDir()} {
		_, err = Run(ctx, "becker-f4.1", dir, Options{})
		if err == nil || !strings.Contains(err.Error(), "coil20.csv.gz") || !strings.Contains(err.Error(), "--data") {
			t.Errorf("data in %q: %v names neither file nor remedy", dir, err)
		}
	}
	if _, err = Run(ctx, "becker-f3.1", "", Options{Runs: -1}); err == nil {
		t.Error("negative runs are accepted")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = Run(done, "becker-press", "", Options{}); err == nil {
		t.Error("a cancelled run gives a table")
	}
}

func TestJSON(t *testing.T) {
	printed := 7.0
	b, err := json.Marshal(Table{ID: "becker-t4.2", Seconds: 41.2, Rows: []Row{
		{Case: "a", Metric: "test error %", Printed: &printed, Ours: 6.4, OursStd: 0.9, Runs: 10},
		{Case: "b", Metric: "PRESS", Ours: 5, Runs: 1},
	}, Notes: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"becker-t4.2","rows":[{"case":"a","metric":"test error %","printed":7,"ours":6.4,"ours_std":0.9,"runs":10},` +
		`{"case":"b","metric":"PRESS","ours":5,"ours_std":0,"runs":1}],"seconds":41.2,"notes":["n"]}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// few is the built-in stand-in with a literature theta and few test rows.
func few() grouped {
	d := digits
	d.test, d.sigma, d.neighbours, d.degree = 200, 1, 10, 2
	return d
}

func run(t *testing.T, p protocol, seed uint64) map[string]float64 {
	t.Helper()
	l := &lab{runs: 1, seed: seed, at: map[[2]string]*cell{}}
	p(context.Background(), l)
	v := map[string]float64{}
	for _, r := range l.table(0).Rows {
		v[r.Metric] = r.Ours
	}
	return v
}

func TestGradientSearchOfPress(t *testing.T) {
	e := beckerF41(few())
	v := run(t, e, 0)
	if n := v["evaluations of the gradient search"]; n < 2 || n >= 40 {
		t.Errorf("%g evaluations, want fewer than 40", n)
	}
	if got, grid := v["PRESS found by gradient"], v["PRESS, best of the grid"]; !(got <= 1.05*grid) {
		t.Errorf("PRESS %g by gradient, %g on the grid", got, grid)
	}
	if low, best := v["test error % at the grid's PRESS minimum"], v["test error %, best of the grid in hindsight"]; best > low ||
		low > best+5 {
		t.Errorf("test error %g at the smallest PRESS, %g in hindsight", low, best)
	}
	again, other := run(t, e, 0), run(t, e, 1)
	same := true
	for k, x := range v {
		if math.Abs(again[k]-x) > 1e-9*math.Abs(x) {
			t.Errorf("%s = %g, then %g with the same seed", k, x, again[k])
		}
		same = same && other[k] == x
	}
	if same {
		t.Error("another seed makes the same splits")
	}
}

// Every search gives its row within the budget. With two hyper-parameters none
// but the coarse grid and the fixed values ends far above the others.
func TestSearchesCompared(t *testing.T) {
	for u, methods := range map[int][]string{0: (row42{}).methods(), 30: {"gradient", algorithm1, combined42, "literature"}} {
		l := &lab{runs: 1, at: map[[2]string]*cell{}}
		g := l.load(t.Context(), few())
		r := row42{data: few(), unlabelled: u}
		split := g.split(0, 0, 60, u, 200)
		value := func(method, metric string) float64 { return l.cell(r.name()+" "+method, metric).values[0] }
		for _, method := range methods {
			r.try(context.Background(), l, split, method)
			if n := value(method, "evaluations"); n > search.DefaultBudget || method == "literature" && n != 1 {
				t.Errorf("u=%d %s: %g evaluations", u, method, n)
			}
			switch press := value(method, "PRESS"); {
			case press < 0.99*value("gradient", "PRESS") && u == 0:
				t.Errorf("u=%d %s: PRESS %g, gradient search found %g", u, method, press, value("gradient", "PRESS"))
			case (method == "random" || method == "nelder-mead") && press > 1.05*value("gradient", "PRESS"):
				t.Errorf("u=%d %s: PRESS %g, gradient search found %g", u, method, press, value("gradient", "PRESS"))
			}
		}
	}
}

// Eq. 4.1 as printed vanishes where the machine interpolates; the exact score
// does not. Where the graph hardly counts the system's residual is exact.
func TestScoresOfPress(t *testing.T) {
	ctx := context.Background()
	l := &lab{at: map[[2]string]*cell{}}
	g := l.load(t.Context(), few())
	s := g.split(0, 0, 60, 60, 200)
	m := s.machine()
	at := func(o param.Objective, theta ...float64) float64 {
		v, err := o.Eval(ctx, theta, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		return v.F
	}
	space := m.Space()
	gi, ga := space[3], space[4]
	loose := []float64{1, 10, 2, gi.Lo, ga.Lo}
	if v := at(system{m, s, literal}, loose...); v > 1e-3 {
		t.Errorf("eq. 4.1 at a = 2^-20 is %g, want near 0", v)
	}
	if v := at(m, loose...); v < 1 {
		t.Errorf("press-label at a = 2^-20 is %g: no leave-one-out error of 60 labels", v)
	}
	bare := []float64{1, 10, 2, gi.Lo, ga.Hi} // g/a = 2^-20
	exact, sys := at(m, bare...), at(system{m, s, systemPress}, bare...)
	if math.Abs(exact-sys) > 1e-3*exact {
		t.Errorf("without a graph press-system = %g, press-label = %g", sys, exact)
	}
}

func TestFormsAgree(t *testing.T) {
	l := &lab{at: map[[2]string]*cell{}}
	g := l.load(t.Context(), few())
	compareForms(context.Background(), l, "x", g.split(0, 0, 40, 80, 200), few())
	if d := l.cell("x", formDifference).values[0]; !(d < agree) {
		t.Errorf("outputs differ by %g", d)
	}
}

// Training rows, labels and test rows of a split do not overlap, and the test
// rows do not depend on l and u.
func TestSplit(t *testing.T) {
	l := &lab{at: map[[2]string]*cell{}}
	g := l.load(t.Context(), digits)
	a, b := g.split(3, 1, 50, 100, 300), g.split(3, 1, 80, 0, 300)
	if a.problem.Rows.Len() != 150 || len(a.problem.Labelled) != 50 || a.test.Len() != 300 || b.problem.Rows.Len() != 80 {
		t.Fatal("wrong sizes")
	}
	for i := range 300 {
		if a.test.RowID(i) != b.test.RowID(i) {
			t.Fatal("test rows depend on l and u")
		}
	}
	for q, c := range a.problem.Class {
		if b.problem.Class[q] != c {
			t.Fatal("labelled rows are not nested")
		}
	}
}

// A file of the right name that holds something else is refused, not misread.
func TestWrongFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "coil20.csv.gz"), []byte("x0,x1,label\n1,2,1\n3,4,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), "becker-f4.1", dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "1440") {
		t.Errorf("two rows for COIL20: %v", err)
	}
}

// TestCombinedLaplacians: the graphs of table 4.1 have 2, 10 and 50 neighbours and the powers 1, 2 and 5 of their Laplacians. The graph
// that is asked for stands first, and is not there twice.
func TestCombinedLaplacians(t *testing.T) {
	l := newLab(t, "", 1)
	one := l.load(t.Context(), digits).split(1, 0, 20, 60, 200).machine().(lapRLS)
	want := [][2]int{{2, 1}, {2, 2}, {2, 5}, {10, 1}, {10, 2}, {10, 5}, {50, 1}, {50, 2}, {50, 5}}
	for _, first := range [][2]int{{2, 1}, {10, 2}, {3, 4}} {
		var got [][2]int
		for _, g := range one.combined(first[0], first[1]).Norm.(manifold.Combined).Terms {
			got = append(got, [2]int{g.Recipe.Neighbours, g.Recipe.Degree})
		}
		rest := slices.DeleteFunc(slices.Clone(want), func(g [2]int) bool { return g == first })
		if whole := append([][2]int{first}, rest...); !slices.Equal(got, whole) {
			t.Errorf("graph %v: %v, want %v", first, got, whole)
		}
	}
}

// Algorithm 1 begins at equal weights of nine Laplacians in the middle of the box, keeps their sum at every
// point, and ends below its start.
func TestAlgorithm1(t *testing.T) {
	l := newLab(t, "", 1)
	g := l.load(t.Context(), digits)
	m, res := equalWeights(context.Background(), g.split(1, 0, 20, 60, 200).machine().(lapRLS))
	var weights []int
	for i, d := range m.Space() {
		if d.Kind == param.Simplex {
			weights = append(weights, i)
		}
	}
	if len(weights) != 9 {
		t.Fatalf("%d Laplacians", len(weights))
	}
	for n, r := range res.Trace {
		sum := 0.0
		for _, i := range weights {
			sum += r.Theta[i]
			if n == 0 && math.Abs(r.Theta[i]-1./9) > 1e-12 {
				t.Errorf("weight %d begins at %g", i, r.Theta[i])
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("weights of evaluation %d sum to %g", n+1, sum)
		}
	}
	if first := res.Trace[0]; !(res.F < first.F) || first.Theta[0] != math.Exp2(1.5) || res.Evaluations > search.DefaultBudget {
		t.Errorf("from %g at sigma %g to %g in %d evaluations", first.F, first.Theta[0], res.F, res.Evaluations)
	}
}

// The searches by gradients of table 4.2 stay within the budget, and the combined one is never
// worse than the graph that it began from.
func TestSearchesOfTable42(t *testing.T) {
	ctx := context.Background()
	l := newLab(t, "", 1)
	g := l.load(t.Context(), digits)
	trial := g.split(1, 0, 20, 60, 200)
	one := trial.machine().(lapRLS)
	graphs := overGraphs(one)
	first := searchWithin(ctx, search.DefaultBudget*3/4, one, graphs)
	m, res := combine(ctx, one)
	if res.F > first.F || res.Evaluations > search.DefaultBudget || len(res.Trace) != res.Evaluations {
		t.Errorf("combined %g, %d evaluations, %d in the trace; of one graph %g", res.F, res.Evaluations, len(res.Trace), first.F)
	}
	if v, err := m.Eval(ctx, res.Theta, param.ValueOnly); err != nil || v.F != res.F {
		t.Errorf("the machine scores %g (%v), the search %g", v.F, err, res.F)
	}
	seen := map[float64]bool{}
	for _, r := range first.Trace {
		seen[r.Theta[1]] = true
	}
	if len(seen) < 4 {
		t.Errorf("only the neighbours %v were tried", seen)
	}
}

// Means and deviations by hand; of values whose sum is rounding alone they are 0.
func TestMeanStd(t *testing.T) {
	for _, c := range []struct {
		v         []float64
		mean, std float64
	}{
		{nil, 0, 0}, {[]float64{7}, 7, 0}, {[]float64{1, 3}, 2, math.Sqrt2}, {[]float64{1e-9, 3e-9}, 2e-9, math.Sqrt2 * 1e-9},
		{[]float64{0.1, 0.2, -0.3}, 0, math.Sqrt(0.07)}, {[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1, 0},
	} {
		mean, std := meanStd(c.v)
		if !near(mean, c.mean, 1e-12) || !near(std, c.std, 1e-12) {
			t.Errorf("%v: %g ± %g, want %g ± %g", c.v, mean, std, c.mean, c.std)
		}
	}
}

// TestOptionsOfRuns: what a run is asked for is checked, kept, and noted where it is not what was published.
func TestOptionsOfRuns(t *testing.T) {
	for _, c := range []struct {
		id   string
		o    Options
		want string
	}{
		{"becker-t4.2", Options{Runs: -1}, "becker-t4.2: -1 runs; give a positive number, or 0 for the published 10"},
		{"becker-t4.2", Options{Only: []string{"USPST", "iris"}}, `becker-t4.2: no set "iris" to choose; it has COIL20, USPST`},
		{"becker-f3.1", Options{Only: []string{"COIL20"}}, `becker-f3.1: no set "COIL20" to choose; it has none`},
	} {
		if _, err := Run(t.Context(), c.id, "", c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	table, err := Run(t.Context(), "becker-f3.1", "", Options{Runs: 7})
	if err != nil || table.ID != "becker-f3.1" || table.Rows[0].Runs != 1 ||
		strings.Contains(strings.Join(table.Notes, ""), "splits instead") {
		t.Errorf("an experiment without chance runs once: %+v, %v", table, err)
	}
}

// TestRowsOfTheTable: a row is the mean of its splits or the largest of them, in the order in which rows are first named; numbers
// aside are not in the table.
func TestRowsOfTheTable(t *testing.T) {
	l := &lab{id: "x", dataDir: "d", seed: 5, runs: 2, only: []string{"b"}, at: map[[2]string]*cell{}}
	for _, v := range []float64{1, 4, 2} {
		l.most("a", "worst", v)
		l.add("a", "mean", v)
	}
	l.add("b", "mean", 7)
	l.printedOf("b", []string{"mean", "new"}, []float64{6, 9})
	aside := l.aside()
	aside.add("a", "mean", 100)
	if aside.id != "x" || aside.dataDir != "d" || aside.seed != 5 || aside.runs != 2 {
		t.Errorf("aside: %+v", aside)
	}
	if !l.wants("b") || l.wants("a") || !aside.wants("a") {
		t.Error("wants other sets than asked for")
	}
	table := l.table(3)
	want := []Row{
		{"a", "worst", nil, 4, 0, 3}, {"a", "mean", nil, 7. / 3, math.Sqrt(7. / 3), 3}, {"b", "mean", nil, 7, 0, 1}, {"b", "new", nil, 0, 0, 0},
	}
	for k, row := range table.Rows {
		w := want[k]
		if row.Case != w.Case || row.Metric != w.Metric || !near(row.Ours, w.Ours, 1e-12) || !near(row.OursStd, w.OursStd, 1e-12) ||
			row.Runs != w.Runs {
			t.Errorf("%+v, want %+v", row, w)
		}
	}
	if p, q := table.Rows[2].Printed, table.Rows[3].Printed; len(table.Rows) != 4 || *p != 6 || *q != 9 || table.Seconds != 3 {
		t.Errorf("%+v", table)
	}
}

// Means and deviations that are small beside their values are kept, unless they are no more than what sums are rounded by.
func TestRoundingOfMeans(t *testing.T) {
	for _, c := range []struct {
		v         []float64
		mean, std float64
	}{
		{[]float64{1, 1 + 1e-11}, 1, 1e-11 / math.Sqrt2}, {[]float64{1, 1 + 4e-14}, 1, 0},
		{[]float64{-1, 1 + 1e-11}, 5e-12, math.Sqrt2}, {[]float64{-1, 1 + 4e-14}, 0, math.Sqrt2},
	} {
		if mean, std := meanStd(c.v); !near(mean, c.mean, 1e-4) || !near(std, c.std, 1e-4) {
			t.Errorf("%v: %g ± %g, want %g ± %g", c.v, mean, std, c.mean, c.std)
		}
	}
}
