package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
)

// smallWeb is a set of n pages with few words, whose classes differ in some.
func smallWeb(t *testing.T, n int, seed uint64) *webkb {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &webkb{labels: data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}}}
	for i := range n {
		c := min(1, i%4/3)
		w.labels.Class = append(w.labels.Class, c)
		w.course = append(w.course, c == 1)
	}
	for v, words := range []int{linkView: 12, pageView: 30} {
		x := mat.NewDense(n, words, nil)
		for i := range n {
			for j := range words {
				rate := 0.15
				if j%4 == 3*w.labels.Class[i] {
					rate = 0.6
				}
				if rng.Float64() < rate {
					x.Set(i, j, 0.2+rng.Float64())
				}
			}
			x.Set(i, 0, x.At(i, 0)+0.1) // all pages have a word in common
		}
		w.view[v] = data.Rows{Sparse: data.CSRFromDense(x)}
	}
	w.view[bothViews] = w.view[pageView].Beside(w.view[linkView])
	return w
}

// Three subjects without a word in common, of four pages each: the order of the pages decides which of the others are the farther
// neighbours of a page, and has no part in the Laplacian, which joins no two subjects and has the width of its own edges.
func TestCommonWords(t *testing.T) {
	const n, subjects = 12, 3
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(n, 2*subjects, nil)
	for i := range n {
		for j := range 2 {
			x.Set(i, 2*(i%subjects)+j, 0.2+rng.Float64())
		}
	}
	laplacian := func(order []int) *mat.Dense {
		rows := data.Rows{Sparse: data.CSRFromDense(x)}.Select(order)
		g, err := textGraph(6, graph.Heat).Build(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		gram, err := kernel.Linear{}.Bind(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ofCommonWords(g, tableOf(gram)).Laplacian().ToDense()
	}
	first, order := laplacian(indices.To(n)), rng.Perm(n)
	other := laplacian(order)
	for p, i := range order {
		for q, j := range order {
			if d := other.At(p, q) - first.At(i, j); math.Abs(d) > 1e-12 || (first.At(i, j) != 0) != (i%subjects == j%subjects) {
				t.Errorf("pages %d and %d: %g, in another order %g", i, j, first.At(i, j), other.At(p, q))
			}
		}
	}
}

// Of four words one is on the pages of a class alone, one on nearly the same, and two are on half of either: the first two are kept, with
// rows of length 1, and the words of links stay.
func TestInformed(t *testing.T) {
	w := smallWeb(t, 8, 1)
	x := mat.NewDense(8, 4, nil)
	for i, c := range w.labels.Class {
		x.SetRow(i, []float64{float64(i % 2), float64(c), float64((i + 1) % 2), float64(c)})
	}
	x.Set(0, 3, 2) // a page of the other class
	w.view[pageView] = data.Rows{Sparse: data.CSRFromDense(x)}
	got := w.informed(2)
	pages := got.view[pageView].Sparse.ToDense()
	for i, c := range w.labels.Class {
		want := []float64{0, 0}
		if c == 1 {
			want = []float64{math.Sqrt(0.5), math.Sqrt(0.5)}
		} else if i == 0 {
			want = []float64{0, 1}
		}
		if d := math.Hypot(pages.At(i, 0)-want[0], pages.At(i, 1)-want[1]); d > 1e-12 {
			t.Errorf("page %d has %v, want %v", i, pages.RawRowView(i), want)
		}
	}
	if got.view[bothViews].Dim() != 2+w.view[linkView].Dim() {
		t.Errorf("both views have %d words", got.view[bothViews].Dim())
	}
}

// Outputs read off shared columns are those of machines bound to the warped kernel, on training and on
// unseen rows, with own and joint graphs.
func TestTextEqualsMachines(t *testing.T) {
	ctx := context.Background()
	const n, ratio = 48, 30.
	all := smallWeb(t, 60, 1)
	perm := rand.New(rand.NewPCG(3, 3)).Perm(60)
	w, unseen := all.selected(perm[:n]), all.selected(perm[n:])
	var draws []*textDraw
	for seed := range uint64(2) {
		draws = append(draws, w.newDraw(w.drawCourses(3, 6, rand.New(rand.NewPCG(seed, 0)))))
	}
	ridges := []float64{1e-2, 1}
	var work [webkbViews]kernel.Work
	laplacians := w.laplacians(ctx, textGraph(8, graph.Heat), &work, 10)
	recipe := textGraph(8, graph.Heat)
	recipe.Degree = 3
	for v := range webkbViews {
		for _, joint := range []bool{false, true} {
			name := fmt.Sprintf("%s, joint %v", viewNames[v], joint)
			laplacian := laplacians[v]
			var direct graph.Operator
			var err error
			if joint {
				laplacian = laplacians[webkbViews]
				words := [2]int{30, 42}
				direct, err = manifold.Joint{
					Graph: manifold.Graph{Recipe: recipe},
					Views: [][2]int{{0, 30}, words},
				}.Bind(
					ctx,
					w.view[bothViews],
					nil,
				)
			} else {
				direct, err = manifold.Graph{Recipe: recipe}.Bind(ctx, w.view[v], nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			base, k := w.bound(ctx, v)
			bind := func(norm graph.Operator) kernel.Gram {
				g, err := manifold.Parts{
					Base: base,
					K:    k,
					Norm: norm,
				}.Warp(
					ctx,
					manifold.Warp{Base: kernel.Linear{}, Ratio: ratio},
					mat.NewDense(n, n, nil),
				)
				if err != nil {
					t.Fatal(err)
				}
				return g
			}
			columns := columnsOf(bind(powersOf(laplacian, []int{1, 3})[1].on(k)), draws, unseen.view[v])
			g := bind(direct)
			seen := 0
			columns.evaluate(ctx, draws, ridges, func(machine, ridge, draw int, train, out []float64) {
				seen++
				visible := w.labels
				visible.Class = slices.Repeat([]int{data.Unlabelled}, n)
				for _, i := range draws[draw].labelled {
					visible.Class[i] = w.labels.Class[i]
				}
				p := learn.NewProblem(w.view[v], visible)
				learner := []learn.Learner{rls.Learner{}, rls.Learner{Offset: true}, svm.Classifier{}}[machine]
				own := ridges[ridge]
				if machine == hingeText {
					own = 1 / (2 * own)
				}
				trainer, err := learner.Bind(ctx, g, p)
				if err != nil {
					t.Fatal(err)
				}
				m, err := trainer.Train(ctx, nil, []float64{own}, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, wantOut := mat.NewDense(n, 1, nil), mat.NewDense(60-n, 1, nil)
				if err := m.Evaluate(context.Background(), want, g, nil); err != nil {
					t.Fatal(err)
				}
				if err := m.Predict(context.Background(), wantOut, g, unseen.view[v]); err != nil {
					t.Fatal(err)
				}
				offset := 0.
				if m.Offset != nil {
					offset = m.Offset[0]
				}
				tol := 1e-7
				if machine == hingeText {
					tol = 5e-3 // LIBSVM's tolerance, from other starts
				}
				for i, f := range train {
					if math.Abs(f+offset-want.At(i, 0)) > tol {
						t.Fatalf("%s, machine %d, row %d: %g, by the machine itself %g", name, machine, i, f+offset, want.At(i, 0))
					}
				}
				for i, f := range out {
					if math.Abs(f+offset-wantOut.At(i, 0)) > tol {
						t.Fatalf(
							"%s, machine %d, unseen row %d: %g, by the machine itself %g",
							name,
							machine,
							i,
							f+offset,
							wantOut.At(i, 0),
						)
					}
				}
			})
			if seen != len(draws)*len(ridges)*textMachines {
				t.Fatalf("%d machines", seen)
			}
		}
	}
}

// The grid's oracle takes the least mean of those that pass, the first of equal ones; and 100 - PRBEP counts
// the others among the first n+.
func TestTextScores(t *testing.T) {
	w := &webkb{course: []bool{true, false, true, false, false}}
	if got := w.broken([]float64{3, 2, 1, 0, -1}, []int{0, 1, 2, 3, 4}); got != 50 {
		t.Errorf("100 - PRBEP = %g, want 50", got)
	}
	if got := w.broken([]float64{3, 2, 1, 0, -1}, []int{0, 2, 3}); got != 0 {
		t.Errorf("100 - PRBEP = %g, want 0", got)
	}
	if got := w.share([]int{0, 1, 3}); got != 1./3 {
		t.Errorf("share %g", got)
	}
	d := &textDraw{labelled: []int{0, 2}, hidden: []int{1, 3}}
	if got := silent(mat.NewDense(4, 4, []float64{1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1}),
		d); got != 0.5 { // row 1 shares nothing with 0 and 2
		t.Errorf("share of silent rows %g, want 0.5", got)
	}
	list := []*textTrial{
		{p: 1, hidden: []float64{1, 9}},
		{p: 2, hidden: []float64{4, 2}},
		{p: 2, hidden: []float64{3, 3}},
		{p: 3, hidden: []float64{0, 0}},
	}
	if best := bestText(list, func(t *textTrial) bool { return t.p < 3 }); best != list[1] {
		t.Errorf("the oracle takes %+v", best)
	}
	if best := bestText(list, func(t *textTrial) bool { return t.p > 3 }); best != nil {
		t.Errorf("nothing passes, yet %+v", best)
	}
	for q, want := range []float64{1, 1.75, 2.5, 3.25, 4} {
		if v := quantile([]float64{4, 1, 3, 2}, float64(q)/4); v != want {
			t.Errorf("number %d of five is %g, want %g", q+1, v, want)
		}
		if v := quantile([]float64{2}, float64(q)/4); v != 2 {
			t.Errorf("number %d of one is %g", q+1, v)
		}
	}
}

// The order of the rows does not matter where nothing ties, and neither do labels turned round but for the
// ranking's end.
func TestTextInvariances(t *testing.T) {
	ctx := context.Background()
	w := smallWeb(t, 40, 2)
	labelled := w.drawCourses(3, 5, rand.New(rand.NewPCG(1, 0)))
	perm := rand.New(rand.NewPCG(9, 9)).Perm(40)
	moved := w.selected(perm)
	var there []int
	for _, i := range labelled {
		there = append(there, slices.Index(perm, i))
	}
	slices.Sort(there)
	run := func(w *webkb, labelled []int) (out [webkbViews][]float64) {
		d := w.newDraw(labelled)
		for v := range webkbViews {
			g, _ := w.bound(ctx, v)
			columns := columnsOf(g, []*textDraw{d}, data.Rows{})
			columns.evaluate(ctx, []*textDraw{d}, []float64{0.1}, func(machine, _, _ int, train, _ []float64) {
				if machine == offsetText {
					out[v] = train
				}
			})
		}
		return out
	}
	a, b := run(w, labelled), run(moved, there)
	turned := *w
	turned.labels.Class = slices.Clone(w.labels.Class)
	for i, c := range turned.labels.Class {
		turned.labels.Class[i] = 1 - c
	}
	c := run(&turned, labelled)
	for v := range webkbViews {
		for q, i := range perm {
			if math.Abs(a[v][i]-b[v][q]) > 1e-10 {
				t.Fatalf("%s: row %d gives %g, moved %g", viewNames[v], i, a[v][i], b[v][q])
			}
			if math.Abs(a[v][i]+c[v][i]) > 1e-10 {
				t.Fatalf("%s: row %d gives %g, labels turned %g", viewNames[v], i, a[v][i], c[v][i])
			}
		}
	}
}

// Learning curves: labels are nested, with both classes, and the rest is hidden.
func TestTextNested(t *testing.T) {
	w := smallWeb(t, 50, 3)
	draws := w.nested([]int{2, 5, 20})
	for q, d := range draws {
		courses := 0
		for _, i := range d.labelled {
			if w.course[i] {
				courses++
			}
			if slices.Contains(d.hidden, i) {
				t.Fatalf("row %d is labelled and hidden", i)
			}
			if q > 0 && q+1 < len(draws) && !slices.Contains(draws[q+1].labelled, i) {
				t.Fatalf("row %d leaves", i)
			}
		}
		if courses == 0 || courses == len(d.labelled) || len(d.labelled)+len(d.hidden) != 50 {
			t.Fatalf("%d courses of %d labels, %d hidden", courses, len(d.labelled), len(d.hidden))
		}
	}
}

// The reference errors of the moons and circles by formula, and of their clusters.
func TestGoldenPlane(t *testing.T) {
	got := values(t, "sindhwani-f2.4")
	for name, want := range map[string]float64{
		"LapSVM sigma 0.25, gamma_I/gamma_A 0":     (63.1 + 17.2 + 34.3 + 26.3 + 32.8) / 5,
		"LapRLS sigma 0.25, gamma_I/gamma_A 0":     (63.1 + 17.2 + 34.3 + 26.3 + 32.8) / 5,
		"LapSVM sigma 0.25, gamma_I/gamma_A 100":   0,
		"LapRLS sigma 0.25, gamma_I/gamma_A 10000": 0,
		"LapSVM sigma 0.5, gamma_I/gamma_A 10000":  0,
		"LapRLS sigma 1, gamma_I/gamma_A 10000":    3.0 / 5,
		"LapSVM sigma 1, gamma_I/gamma_A 10000":    (3.5 + 26.3 + 26.3) / 5,
	} {
		if g := got[name+": "+unlabelledError]; math.Abs(g-want) > 0.05 {
			t.Errorf("%s: %g, want %g", name, g, want)
		}
	}
	got = values(t, "sindhwani-f2.3")
	for name, want := range map[string]float64{
		"LapSVM sigma 0.25, gamma_I/gamma_A 0":  (38.6 + 46.0 + 45.6) / 3,
		"LapRLS sigma 1, gamma_I/gamma_A 0":     (38.6 + 46.0 + 45.6) / 3,
		"LapRLS sigma 0.5, gamma_I/gamma_A 100": 0,
		"LapSVM sigma 1, gamma_I/gamma_A 10000": 0,
	} {
		if g := got[name+": "+unlabelledError]; math.Abs(g-want) > 0.05 {
			t.Errorf("%s: %g, want %g", name, g, want)
		}
	}
	if testing.Short() {
		return
	}
	got = values(t, "sindhwani-f2.10")
	for name, want := range map[string]float64{
		"sigma 0.25, gamma 1": 0, "sigma 0.25, gamma 1e-06": 0, "sigma 0.5, gamma 0.0001": 0, "sigma 0.5, gamma 1": 16.5,
	} {
		if g := got[name+": "+matchingError]; math.Abs(g-want) > 1e-9 {
			t.Errorf("clusters, %s: %g, want %g", name, g, want)
		}
	}
}

// What needs files names them; what is not available says so.
func TestWebkbFaults(t *testing.T) {
	for _, id := range []string{"sindhwani-t2.4", "sindhwani-t2.7", "sindhwani-t2.8", "sindhwani-f2.8"} {
		if _, err := Run(context.Background(), id, t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), webkbLink) {
			t.Errorf("%s: %v does not name %s", id, err, webkbLink)
		}
	}
	for _, id := range []string{"sindhwani-f2.6", "sindhwani-f2.7"} {
		if _, err := Run(context.Background(), id, "", Options{}); err == nil || !strings.Contains(err.Error(), isoletSpeakers) {
			t.Errorf("%s: %v", id, err)
		}
		if !slices.ContainsFunc(List(), func(e Experiment) bool { return e.ID == id && strings.Contains(e.Data, "not available") }) {
			t.Errorf("%s is not listed as not available", id)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, webkbLink), []byte("1 1:1\n-1 2:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), "sindhwani-t2.4", dir, Options{}); err == nil || !strings.Contains(err.Error(), "1051") {
		t.Errorf("two rows for WebKB: %v", err)
	}
}

// Given splits name rows as the files do, and need not be there.
func TestGivenDraws(t *testing.T) {
	l := newLab(t, "", 1)
	l.dataDir = t.TempDir()
	w := &webkb{
		labels: data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, webkbRows)},
		course: make([]bool, webkbRows),
	}
	for i := range webkbRows {
		w.at = append(w.at, webkbRows-1-i)
		w.labels.Class[i] = i % 2
	}
	if draws := l.givenDraws(t.Context(), w); draws != nil {
		t.Fatalf("without a file: %d draws", len(draws))
	}
	if err := os.WriteFile(filepath.Join(l.dataDir, webkbSplits), []byte("split,labelled_rows\n0,3 10 1000\n1,0 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	draws := l.givenDraws(t.Context(), w)
	if len(draws) != 2 {
		t.Fatalf("%d draws", len(draws))
	}
	if want := []int{50, 1040, 1047}; !slices.Equal(draws[0].labelled, want) || len(draws[0].hidden) != webkbRows-3 {
		t.Errorf("labelled %v, want %v; %d hidden", draws[0].labelled, want, len(draws[0].hidden))
	}
}

// The plane of the figure has every pair once, those of one ratio together, and pairs on a line
// have one ratio.
func TestPlane29(t *testing.T) {
	plane := plane29()
	seen := map[weights]bool{}
	ratios := map[float64]bool{}
	for i, w := range plane {
		seen[w] = true
		if r := w.ratio(); ratios[r] && plane[i-1].ratio() != r {
			t.Errorf("ratio %g comes back at %+v", r, w)
		}
		ratios[w.ratio()] = true
	}
	if len(plane) != 16 || len(seen) != 16 || len(ratios) != 7 {
		t.Errorf("%d points, %d different, %d ratios", len(plane), len(seen), len(ratios))
	}
	if r := map[float64]bool{}; true {
		for _, w := range weights29() {
			r[w.ratio()] = true
		}
		if len(r) != 2 {
			t.Errorf("%d ratios in the grid of table 2.9", len(r))
		}
	}
}

// Pairs of weights tuned together choose as each by itself.
func TestCloudPairs(t *testing.T) {
	choices := grid{neighbours: []int{5}, degrees: []int{1, 2}, widths: []float64{0.5, 1}}
	pairs := []weights{{1e-6, 1e-2}, {1e-2, 100}, {1e-4, 1e-2}}
	together := smallCloud(t)
	together.tune(context.Background(), choices, pairs)
	for _, pair := range pairs {
		single := smallCloud(t)
		single.tune(context.Background(), choices, []weights{pair})
		for i, d := range single.draws {
			for _, m := range []int{lapRLSMethod, lapSVMMethod} {
				want, got := d.best[key(m, pair.name())], together.draws[i].best[key(m, pair.name())]
				if *got != *want {
					t.Errorf("%s, %s: %+v, by itself %+v", collectionNames[m], pair.name(), got, want)
				}
			}
		}
	}
}

// On the pages themselves unlabelled rows help, and error and PRBEP are two forms of one count.
func TestWebkbPages(t *testing.T) {
	if testing.Short() {
		t.Skip("one warped kernel on 1051 rows")
	}
	dir := filepath.Dir(testdata.Open(t, webkbLink))
	table, err := Run(context.Background(), "sindhwani-t2.4", dir, Options{Seed: 1, Runs: 5})
	if err != nil {
		t.Fatal(err)
	}
	v := map[string]float64{}
	for _, r := range table.Rows {
		v[r.Case+": "+r.Metric] = r.Ours
	}
	for _, pair := range [][2]string{{"LapSVM", "SVM"}, {"LapRLS", "RLS"}} {
		if lap, alone := v[pair[0]+": "+breakEven], v[pair[1]+": "+breakEven]; !(lap > alone+3) {
			t.Errorf("%s has PRBEP %.1f, %s %.1f", pair[0], lap, pair[1], alone)
		}
		const share = 227. / 1039 // courses among the unlabelled
		if e, b := v[pair[0]+": "+breakEvenError], v[pair[0]+": "+breakEven]; math.Abs(e-2*(100-b)*share) > 1e-9 {
			t.Errorf("%s: error %g with PRBEP %g", pair[0], e, b)
		}
	}
}

// TestOracle28: the candidate whose means of both kinds of rows, over chunks and draws, have the least sum gives a value a chunk.
func TestOracle28(t *testing.T) {
	trial := func(ratio float64, unlabelled, test float64) *trial28 {
		v := &trial28{ratio: ratio, ridge: 10 * ratio}
		for c := range chunks {
			v.unlabelled[c] = []float64{unlabelled, unlabelled + float64(2*c)}
			v.test[c] = []float64{test + float64(c)}
		}
		return v
	}
	if m := trial(1, 3, 5).means(); m != 3+1.5+5+1.5 {
		t.Errorf("means %g", m)
	}
	l := newLab(t, "", 1)
	l.report28("x", [2]float64{7, 8}, []*trial28{trial(1, 1, 9), trial(2, 4, 5), trial(3, 8, 1.5)})
	rows := l.table(0).Rows
	for k, metric := range []string{brokenUnlabelled, brokenTest} {
		if r := rows[k]; r.Metric != metric || r.Ours != []float64{5.5, 6.5}[k] || *r.Printed != []float64{7, 8}[k] || r.Runs != chunks {
			t.Errorf("%+v", r)
		}
	}
	if want := "x: gamma_I/gamma_A 2, l gamma_A 20"; len(rows) != 2 || !slices.Equal(l.notes, []string{want}) {
		t.Errorf("%d rows, notes %q", len(rows), l.notes)
	}
}
