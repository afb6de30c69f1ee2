package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
	"github.com/mercer-ml/mercer/internal/solve"
	"gonum.org/v1/gonum/mat"
)

// done runs a verb that must succeed.
func done(t *testing.T, args ...string) outcome {
	t.Helper()
	r := run(t, "", args...)
	if r.code != exitDone {
		t.Fatalf("mercer %v: %d, %s", args, r.code, r.stderr)
	}
	return r
}

// A seed repeats and another differs: of k-means, and of the search for neighbours.
func TestUnsupervisedSeeds(t *testing.T) {
	edges := func(args ...string) string {
		_, text, _ := strings.Cut(done(t, args...).stdout, `"edges":`)
		text, _, _ = strings.Cut(text, ",")
		return text
	}
	lists := func(args ...string) string { return done(t, args...).stdout }
	for verb, of := range map[string]func(...string) string{
		"cluster g50c --clusters 6 --quiet":                                                 lists,
		"embed manifolds:n=2500,noise=1 --search approximate --neighbours 2 --json --quiet": edges,
	} {
		args := strings.Fields(verb)
		a, b := of(append(args, "--seed", "1")...), of(append(args, "--seed", "2")...)
		if again := of(args...); a != again || a == "" { // 1 is the default
			t.Errorf("%s: a seed does not repeat", verb)
		}
		if a == b {
			t.Errorf("%s: two seeds are one: %s", verb, a)
		}
	}
}

// twoViews are rows whose four clusters are two of the columns a, b by two of c, d.
func twoViews() map[string]string {
	var joined, own, other strings.Builder
	joined.WriteString("a,b,v.c,v.d,label\n")
	own.WriteString("a,b,label\n")
	other.WriteString("c,d\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 80 {
		x := [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		x[0] += 5 * float64(i%2)
		x[2] += 5 * float64(i/2%2)
		fmt.Fprintf(&joined, "%g,%g,%g,%g,%d\n", x[0], x[1], x[2], x[3], i%4)
		fmt.Fprintf(&own, "%g,%g,%d\n", x[0], x[1], i%4)
		fmt.Fprintf(&other, "%g,%g\n", x[2], x[3])
	}
	return map[string]string{"joined.csv": joined.String(), "own.csv": own.String(), "other.csv": other.String()}
}

// Views count in cluster and embed: in files as in columns, and views of all columns are none.
func TestUnsupervisedViews(t *testing.T) {
	folderWith(t, twoViews())
	for _, verb := range []string{"cluster --clusters 4", "embed --dim 3", "embed --dim 3 --kernel gaussian",
		"cluster --clusters 4 --set weights=heat --set laplacian=combinatorial"} {
		args := strings.Fields(verb)
		with := func(more ...string) outcome { return done(t, append(append([]string{}, args...), more...)...) }
		plain := with("joined.csv")
		columns := with("joined.csv", "--view", "data=a..b", "--view", "v=3..4")
		files := with("own.csv", "--view", "v=other.csv")
		all := with("joined.csv", "--view", "all=1..4")
		if columns.stdout != files.stdout || all.stdout != plain.stdout {
			t.Errorf("%s: views in files are others than in columns, or one of all columns is none", verb)
		}
		if args[0] == "embed" && columns.stdout == plain.stdout {
			t.Errorf("%s: views are ignored", verb)
		}
		if !strings.Contains(columns.stderr, "the mean of those by data, v and by all columns") || strings.Contains(plain.stderr, "views") {
			t.Errorf("%s: %s", verb, columns.stderr)
		}
	}
	var j struct{ Views []struct{ Name string } }
	if r := done(t, "embed", "joined.csv", "--view", "v=3..4", "--json"); json.Unmarshal([]byte(r.stdout), &j) != nil ||
		len(j.Views) != 1 ||
		j.Views[0].Name != "v" {
		t.Error(r.stdout)
	}
	done(t, "embed", "joined.csv", "--view", "v=3..4", "--test", "joined.csv")
	for args, code := range map[string]int{
		"embed own.csv --view v=other.csv --test own.csv": exitUsage,
		"cluster own.csv --view v=b..a":                   exitUsage,
		"cluster own.csv --view v=none.csv":               exitData,
	} {
		if r := run(t, "", strings.Fields(args)...); r.code != code || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// The answers of a file are no features, whatever the column is called that help names.
func TestUnsupervisedLabelColumn(t *testing.T) {
	iris := done(t, "data", "iris").stdout
	head, body, _ := strings.Cut(iris, "\n")
	features := head[:strings.LastIndexByte(head, ',')]
	folderWith(t, map[string]string{
		"class.csv": features + ",class\n" + body,
		"kind.csv": features + ",kind\n" + strings.NewReplacer(
			",0\n",
			",setosa\n",
			",1\n",
			",versicolor\n",
			",2\n",
			",virginica\n",
		).Replace(
			body,
		),
		"code.csv": features + ",code\n" + body,
	})
	want := done(t, "cluster", "iris", "--clusters", "3")
	for args, says := range map[string]string{
		"class.csv":             `column "class" holds labels`,
		"kind.csv":              `column "kind" holds labels`,
		"code.csv --label code": `column "code" holds labels`,
	} {
		r := done(t, append([]string{"cluster", "--clusters", "3"}, strings.Fields(args)...)...)
		if r.stdout != want.stdout || !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, "4 features") ||
			!strings.Contains(r.stderr, "adjusted Rand") {
			t.Errorf("%s: %s", args, r.stderr)
		}
	}
	if r := done(t, "cluster", "--clusters", "3", "code.csv"); !strings.Contains(r.stderr, "5 features; no column of labels") ||
		strings.Contains(r.stderr, "adjusted Rand") {
		t.Error(r.stderr)
	}
	if r := run(t, "", "cluster", "code.csv", "--label", "kode"); r.code != exitData ||
		!strings.Contains(r.stderr, `code.csv: no column "kode"`) {
		t.Errorf("%+v", r)
	}
}

// Full and epsilon graphs: a long epsilon is the full graph, a short one falls into pieces.
func TestGraphKinds(t *testing.T) {
	folderWith(t, twoViews())
	edges := func(args ...string) int {
		t.Helper()
		var j struct{ Graph struct{ Edges int } }
		if err := json.Unmarshal([]byte(done(t, append([]string{"embed", "joined.csv", "--json"}, args...)...).stdout), &j); err != nil {
			t.Fatal(err)
		}
		return j.Graph.Edges
	}
	if n := edges("--set", "graph=full", "--set", "weights=heat"); n != 80*79/2 {
		t.Errorf("a full graph of 80 rows has %d edges", n)
	}
	if n := edges("--set", "graph=epsilon", "--set", "epsilon_graph=1000"); n != 80*79/2 {
		t.Errorf("an epsilon graph of all rows has %d edges", n)
	}
	if few, more := edges("--set", "graph=epsilon", "--set", "epsilon_graph=2"),
		edges("--set", "graph=epsilon", "--set", "epsilon_graph=3"); few <= 0 ||
		few >= more {
		t.Errorf("%d edges up to 2, %d up to 3", few, more)
	}
	if edges("--set", "graph=knn") != edges() {
		t.Error("knn is not the default")
	}
	for args, want := range map[string]string{
		"--set graph=epsilon":                                          "needs the length of the longest edge",
		"--set epsilon_graph=2":                                        "of --set graph=epsilon",
		"--set graph=full --neighbours 4":                              "--neighbours: of --set graph=knn",
		"--set graph=full --set symmetry=mutual":                       "--set symmetry: of --set graph=knn",
		"--set graph=ring":                                             "want one of knn, epsilon, full",
		"--set graph=epsilon --set epsilon_graph=0":                    "no positive number",
		"--set graph=epsilon --set epsilon_graph=2 --set neighbours=3": "--neighbours: of --set graph=knn",
	} {
		if r := run(t, "", append([]string{"embed", "joined.csv"}, strings.Fields(args)...)...); r.code != exitUsage ||
			!strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// Every warning of the two verbs, and a case without it.
func TestUnsupervisedWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	const vague = "no clear number of clusters"
	for _, c := range []struct {
		args, want, without string
	}{
		{"cluster iris --search approximate", "", "of the true neighbours were found; --search"},
		{"cluster g50c", vague, ""},
		{"cluster g50c --clusters 2", "", vague},
		{"cluster digits", "", vague},
		{"cluster iris --clusters 2 --split median",
			"clusters of 50 and 100 rows, for rows of equal value stay together; more neighbours " +
				"join the 2 components", ""},
		{"cluster g50c --clusters 2 --split median", "", "the median makes"},
	} {
		r := done(t, strings.Fields(c.args)...)
		if c.want != "" && !strings.Contains(r.stderr, c.want) || c.without != "" && strings.Contains(r.stderr, c.without) {
			t.Errorf("%s: %s", c.args, r.stderr)
		}
	}
}

// The same of what a small set does not bring about.
func TestSolverWarnings(t *testing.T) {
	said := func(f func(u *unlabelledData, e *env)) string {
		var b bytes.Buffer
		f(new(unlabelledData), &env{stderr: &b})
		return b.String()
	}
	for recall, want := range map[float64]string{0.94: "only 94.0 % of the true neighbours were found", 0.95: "", 1: ""} {
		got := said(func(u *unlabelledData, e *env) { u.found(e, recall) })
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("recall %g: %q", recall, got)
		}
	}
	for status, want := range map[solve.Status]string{solve.ResidualSmall: "converged", solve.Unfinished: "time limit"} {
		word := ""
		got := said(func(u *unlabelledData, e *env) { word = u.status(e, status, []float64{1e-9, 0.25, 0.1}) })
		if word != want || (got == "") != status.Converged() ||
			got != "" && !strings.Contains(got, "the eigenvectors are not final (time limit), residual 0.25") {
			t.Errorf("%v: %q, %q", status, word, got)
		}
	}
}

// What standard input holds is seen, as it is of files.
func TestStandardInputFormat(t *testing.T) {
	iris := done(t, "data", "iris").stdout
	folderWith(t, map[string]string{"iris.data": iris})
	ok(t, "convert", "iris.data", "-o", "iris.svm")
	csv := run(t, iris, "embed", "-", "--quiet")
	svm := run(t, strings.Join(lines(t, "iris.svm", 0), "\n"), "embed", "-", "--quiet")
	file := done(t, "embed", "iris.data", "--quiet")
	_, a := parsed(t, csv.stdout)
	_, b := parsed(t, svm.stdout)
	if csv.stdout != file.stdout || len(a) != 150 || len(b) != 150 {
		t.Fatalf("%+v\n%+v", csv, svm)
	}
	for i := range a {
		for j := range a[i] {
			if math.Abs(a[i][j]-b[i][j]) > 1e-6 {
				t.Fatalf("row %d: %v of CSV, %v of LIBSVM text", i, a[i], b[i])
			}
		}
	}
}

// TestPlacesInAFile: where places go to a file, standard output has what was found, and else standard error has it.
func TestPlacesInAFile(t *testing.T) {
	folderWith(t, map[string]string{"good.csv": good})
	apart := done(t, "embed", "good.csv", "-o", "places.csv")
	together := done(t, "embed", "good.csv")
	places, err := os.ReadFile("places.csv")
	if err != nil {
		t.Fatal(err)
	}
	if string(places) != together.stdout || !strings.Contains(together.stderr, "eigenvalues") {
		t.Errorf("in the file %q, without one %+v", places, together)
	}
	if !strings.Contains(apart.stdout, "eigenvalues") || strings.Contains(apart.stderr, "eigenvalues") {
		t.Errorf("beside a file %+v", apart)
	}
	if r := done(t, "embed", "good.csv", "--json"); !strings.Contains(r.stdout, `"coordinates"`) {
		t.Errorf("%+v", r)
	}
	if r := done(t, "embed", "good.csv", "--json", "-o", "places.csv"); strings.Contains(r.stdout, `"coordinates"`) ||
		!strings.Contains(r.stdout, `"output"`) {
		t.Errorf("%+v", r)
	}
}

// TestClearNumbersOfClusters: no number of clusters is clear where no gap reaches 0.1, and of one that was asked for nothing is said.
func TestClearNumbersOfClusters(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(6, 1, []float64{0, 1, 2, 10, 11.5, 13})}
	g, err := graph.Recipe{Neighbours: 2}.Build(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gaps  []float64
		clear bool
	}{{nil, true}, {[]float64{-0.5, 0.0999, 0.05}, false}, {[]float64{0.1}, true}, {[]float64{0.15, -0.1}, true}} {
		var out, errs bytes.Buffer
		cmd := &clusterCmd{}
		cmd.JSON = true
		k := &spectral.Clusters{K: 2, Size: []int{3, 3}, Gaps: c.gaps, Embedding: &spectral.Embedding{Status: solve.ResidualSmall}}
		l := &learned{set: &data.Set{Rows: rows}, rows: rows, graph: g}
		err := cmd.report(&env{ctx: t.Context(), stdout: &out, stderr: &errs}, &plan{}, l, k, []int{0, 0, 0, 1, 1, 1})
		if err != nil || strings.Contains(errs.String(), "no clear number of clusters") == c.clear {
			t.Errorf("gaps %v: %q, %v", c.gaps, errs.String(), err)
		}
	}
}
