package reproduce

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDescriptions: every experiment that is described has a protocol, and every protocol a description.
func TestDescriptions(t *testing.T) {
	run := protocols()
	for _, e := range experiments() {
		if e.run == nil {
			t.Errorf("%s is described and has no protocol", e.ID)
		}
		delete(run, e.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(run)) {
		t.Errorf("%s has a protocol and is not described", id)
	}
}

// TestParse: what a file says is read in full, and what is unknown, missing or said twice is an error.
func TestParse(t *testing.T) {
	const good = "text a: one\n  two\n\n== x\ntitle: T: t\nsource: S\ndata: D\ntime: 1 s\nruns: 20\nsets: u, v\n" +
		"table: a\n- r | 3\nprinted: m; n\n- c | 1 2.5\n* {a}, {runs} {1, 2}\n* {found}\n* last\n" +
		"\n== shown\ntable 1 | what | `x`\nfigure 2 | else | a drawing\n"
	d, err := parse(good)
	if err != nil || len(d.experiments) != 1 || len(d.shown) != 2 || d.shown[1] != (shown{"figure 2", "else", "a drawing"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	e := d.experiments[0]
	if (e.Experiment != Experiment{"x", "T: t", "S", "D", "1 s"}) || e.runs != 20 || !slices.Equal(e.sets, []string{"u", "v"}) {
		t.Errorf("%+v", e)
	}
	if rows := e.tables[0].rows(); len(e.tables) != 1 || len(rows) != 1 || rows["r"][0] != 3 {
		t.Errorf("tables %v", rows)
	}
	l := newLab(t, "", 1)
	l.add("c", "n", 1)
	l.beside(e.printed)
	if c := l.cells[0]; len(l.cells) != 1 || c.Printed == nil || *c.Printed != 2.5 {
		t.Errorf("printed beside: %+v", c.Row)
	}
	if got, want := e.complete([]string{"made"}, 7), []string{"one two, 7 {1, 2}", "made", "last"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	e.notes = []string{"last"}
	if got := e.complete([]string{"made"}, 7); !slices.Equal(got, []string{"made", "last"}) {
		t.Errorf("notes %q without a place for those of the run", got)
	}
	for _, change := range [][2]string{
		{"source: S\n", ""}, {"runs: 20", "runs: many"}, {"sets:", "set:"}, {"data: D", "title: D"}, {"{a}", "{b}"}, {"{a}", ""},
		{"table 1 | what | ", ""}, {"a drawing", "a | b"}, {"text a", "word a"}, {"one\n", "one\ntext a: two\n"}, {"* last", "last"},
		{"1 2.5", "1"}, {"1 2.5", "1 x"}, {"printed: m; n\n", ""}, {"table: a\n", ""},
	} {
		if _, err := parse(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%q in the place of %q is no error", change[1], change[0])
		}
	}
}

// TestPrintedNumbers: the numbers that are printed stand on the pages of results, which an earlier form of these tables wrote.
func TestPrintedNumbers(t *testing.T) {
	pages := map[string]written{}
	for _, w := range results(t) {
		pages[w.id] = w
	}
	for _, e := range experiments() {
		for _, p := range e.printed {
			for k, name := range p.cases {
				for m, metric := range p.metrics {
					text, v := pages[e.ID].printed[strings.ReplaceAll(name+", "+metric, "|", `\|`)], p.values[k][m]
					if theirs, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(theirs-v) > 0.006*math.Abs(v) {
						t.Errorf("%s, %s, %s: %g, the page has %q", e.ID, name, metric, v, text)
					}
				}
			}
		}
	}
}

// TestNumbersOfNotes: the numbers of a protocol that its notes say in words are those that the code has.
func TestNumbersOfNotes(t *testing.T) {
	notes := map[string]string{}
	for _, e := range experiments() {
		notes[e.ID] = strings.Join(e.notes, "\n")
	}
	for id, said := range map[string][]string{
		"becker-f4.1":    {fmt.Sprintf("grid of %d x %d points", mapPoints, mapPoints)},
		"klatzer-f6.1":   {fmt.Sprintf("%d folds with equal parts of all classes", klatzerFolds)},
		"kokshenev-t4.1": {fmt.Sprintf("standard deviation %g on both inputs", spiralNoise)},
		"kokshenev-f4.4": {fmt.Sprintf("in %d shuffled folds", spiralFolds)},
		"kokshenev-t4.3": {fmt.Sprintf("folds: %d, shuffled", cancerFolds)},
		"kokshenev-t5.3": {fmt.Sprintf("%d test parts, each with %d folds of the rest", outerFolds, innerFolds),
			fmt.Sprintf("trainings end after %d steps", kokshenevMachine().Options.MaxIterations)},
		"sindhwani-t2.3": {fmt.Sprintf("the first %d rows to train and the next %d to test, %d labels of each of %d letters",
			isoletTrain, isoletTest, isoletEach, isoletLetters), fmt.Sprintf("nearest neighbours, %d of these", isoletNeighbours)},
		"sindhwani-t2.4": {fmt.Sprintf("draws of %d courses and %d others; %d pages", webkbCourses, webkbLabels-webkbCourses, webkbRows)},
		"sindhwani-t2.6": {fmt.Sprintf("by %d-fold cross-validation as in the source", collectionFolds)},
		"sindhwani-f2.6": {fmt.Sprintf("sigma %d, l gamma = %g, l gamma_A = l gamma_I/(u+l)^2 = %g as in the source, whose graph is not "+
			"stated: %d neighbours", spokenSigma, isoletRidge, isoletWarped, isoletNeighbours)},
		"sindhwani-t2.7": {fmt.Sprintf("rows with nn %d, p %d: the source's graph", sourceTextNeighbours, sourceTextDegree)},
		"sindhwani-f2.8": {fmt.Sprintf("a split in %d test and %d training rows", curveTest, curveTrain)},
		"sindhwani-t3.2": {fmt.Sprintf("at gamma %g, gamma' %d, of the labels", carsGamma, sumsWeight),
			fmt.Sprintf("sigma %d of values 0 to %d is %.4g of ours", carsWidth, carsGrey, carsWidth/float64(carsGrey)),
			fmt.Sprintf("of at most %d nodes each", minimaNodes)},
		"sindhwani-t4.1": {fmt.Sprintf("co-training: %d rounds, in which each view labels one course and three other pages of %d drawn",
			rounds41, pool41)},
		"sindhwani-f4.2": {fmt.Sprintf("sigma %g, gamma_1 = gamma_2 = %g, gamma_C 10", sigma42, norm42)},
		"sindhwani-f4.3": {fmt.Sprintf("sigma %g of the moons", sigma43)},
		"sindhwani-t6.2": {fmt.Sprintf("%d rows of %d columns", fullRows, fullWords), fmt.Sprintf("lambda %g; the offset", textLambda)},
	} {
		for _, text := range said {
			if !strings.Contains(notes[id], text) {
				t.Errorf("the notes of %s are without %q", id, text)
			}
		}
	}
	page, err := os.ReadFile("../../docs/results/reproduce-sindhwani-t5.5.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	if text := fmt.Sprintf("nothing tuned, %d draws: ", fixedDraws); !strings.Contains(words, text) {
		t.Errorf("the page of sindhwani-t5.5 is without %q", text)
	}
}
