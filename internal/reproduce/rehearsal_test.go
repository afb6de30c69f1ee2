package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/internal/test/testdata"
)

// rehearse returns a context in which experiments are rehearsed.
func rehearse(ctx context.Context) (context.Context, *rehearsal) {
	r := new(rehearsal)
	return context.WithValue(ctx, rehearsing{}, r), r
}

// rehearsed is everything that a rehearsal of an experiment shows: what it declares, tells, finds and draws.
func rehearsed(t *testing.T, e experiment, dir string) (string, error) {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("%s | %s | %s | %s | %d runs, sets %q", e.Title, e.Source, e.Data, e.Expected, e.runs, e.sets)
	ctx, r := rehearse(t.Context())
	table, err := Run(ctx, e.ID, dir, Options{Seed: 1, Runs: 1, Progress: func(text string) { say("told: %s", text) }})
	if err != nil {
		return "", err
	}
	checkFigures(t, table)
	for _, line := range r.plan {
		say("%s", line)
	}
	for _, row := range table.Rows {
		printed := "-"
		if row.Printed != nil {
			printed = fmt.Sprintf("%.5g", *row.Printed)
		}
		if strings.Contains(row.Metric, "time") {
			row.Ours = 0
		}
		say("%s | %s | %s | %.4g ± %.4g of %d", row.Case, row.Metric, printed, row.Ours, row.OursStd, row.Runs)
	}
	for _, f := range table.Figures {
		say("figure %s | %s | %+v | %+v", f.Name, f.Title, f.X, f.Y)
		for _, c := range f.Curves {
			if strings.Contains(f.Y.Name, "time") {
				clear(c.Y)
			}
			say("  curve %s, loose %v: %d points, %.4g, %.4g", c.Name, c.Loose, len(c.X), weighed(c.X), weighed(c.Y))
		}
		for _, v := range f.Levels {
			say(
				"  level %s at %v: %d x %d points, %.4g, %.4g, %.4g",
				v.Name,
				v.At,
				len(v.X),
				len(v.Y),
				weighed(v.X),
				weighed(v.Y),
				weighed(slices.Concat(v.Z...)),
			)
		}
	}
	for _, note := range table.Notes {
		say("note: %s", note)
	}
	return b.String(), nil
}

// weighed is a mean of magnitudes in which every place has a weight of its own.
func weighed(v []float64) float64 {
	sum, all := 0.0, 0.0
	for i, x := range v {
		w := 1 + float64(i%7)
		sum, all = sum+w*math.Abs(x), all+w
	}
	return sum / all
}

// long are the experiments whose rehearsals take half a second and more, or do what that of a shorter one does on other data. The others
// run by default.
const long = " becker-f4.1 becker-f4.3 becker-f4.4 becker-t4.2-fit klatzer-f5.12 klatzer-f5.4 klatzer-f6.1 klatzer-f6.2" +
	" klatzer-f6.3 klatzer-f6.4 klatzer-f6.5 klatzer-t5.3 kokshenev-t4.1 kokshenev-t4.1-fit kokshenev-t4.3" +
	" sindhwani-f2.11 sindhwani-f3.6 sindhwani-f6.2 sindhwani-f6.3 sindhwani-f6.4 sindhwani-t2.4-fit sindhwani-t2.8 "

// TestRehearsals: what experiments declare, tell, find and draw when they are rehearsed is what
// testdata keeps. Numbers may differ as much as engines of linear algebra do.
func TestRehearsals(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds")
	}
	dir := filepath.Dir(testdata.Open(t, "iris.csv"))
	for _, e := range experiments() {
		if strings.Contains(long, " "+e.ID+" ") && !slowtest.Asked() {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			text, err := rehearsed(t, e, dir)
			if err != nil {
				text = err.Error() + "\n"
			}
			kept.Text(t, filepath.Join("testdata", e.ID+".txt"), text, alike, tied)
		})
	}
}

// tied says whether two lines are a break-even point on links by other arithmetic than that which wrote
// it: many pages have the same links, and rounding orders their outputs and their neighbours.
func tied(was, now string) bool {
	const row = "PRBEP"
	return strings.Contains(was, row) && strings.Contains(now, row) && !kept.Rounds()
}

// alike says whether two lines differ in nothing but the last digits of numbers.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		v, err := strconv.ParseFloat(strings.Trim(x[i], ",;%"), 64)
		w, wrong := strconv.ParseFloat(strings.Trim(y[i], ",;%"), 64)
		if x[i] != y[i] && (err != nil || wrong != nil || !(math.Abs(v-w) <= 0.01*math.Abs(v)+1e-6)) {
			return false
		}
	}
	return true
}

// TestAlike: numbers may differ in the third digit, words and larger differences may not.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"x 1.000, y", "x 1.005, y", true}, {"x 1", "x 1.02", false}, {"x 1", "y 1", false}, {"x 1", "x 1 2", false},
		{"x 1e-9", "x 2e-9", true}} {
		if alike(c.a, c.b) != c.want {
			t.Errorf("%q and %q", c.a, c.b)
		}
	}
}

// TestRehearsalIsShorter: what is asked for is written down once and in full, and shortened in a rehearsal alone.
func TestRehearsalIsShorter(t *testing.T) {
	ctx, r := rehearse(t.Context())
	for range 2 {
		if v := thin(ctx, "list", 2, []int{7, 8, 9}); !slices.Equal(v, []int{7, 8}) {
			t.Errorf("%v", v)
		}
	}
	if n := atMost(ctx, "number", 5, 9) + atMost(ctx, "number", 5, 3); n != 8 {
		t.Errorf("%d", n)
	}
	if want := []string{"list: [7 8 9]", "number: 9", "number: 3"}; !slices.Equal(r.plan, want) {
		t.Errorf("%q", r.plan)
	}
	if v, n := thin(t.Context(), "", 2, []int{7, 8, 9}), atMost(t.Context(), "", 5, 9); len(v) != 3 || n != 9 {
		t.Errorf("in earnest: %v, %d", v, n)
	}
	if full := brief(t.Context(), sincGrid); full.Steps != sincGrid.Steps || full.MaxQ != sincGrid.MaxQ ||
		full.Widths.Steps != sincGrid.Widths.Steps {
		t.Errorf("in earnest: %+v", full)
	}
}

// TestMissingFiles: without any one of its files an experiment ends with an error that names it.
func TestMissingFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := filepath.Dir(testdata.Open(t, "iris.csv"))
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range experiments() {
		for _, missing := range strings.Split(e.Data, ", ") {
			if !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == missing }) {
				continue // built in, or not at hand at all
			}
			if len(e.sets) > 0 && !strings.HasPrefix(missing, strings.ToLower(e.sets[0])) {
				continue // of a set that is not rehearsed
			}
			if seen[missing] && !slowtest.Asked() {
				continue // one experiment without each file
			}
			seen[missing] = true
			t.Run(e.ID+" without "+missing, func(t *testing.T) {
				t.Parallel()
				part := t.TempDir()
				for _, f := range files {
					if f.Name() != missing {
						if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(part, f.Name())); err != nil {
							t.Fatal(err)
						}
					}
				}
				ctx, _ := rehearse(t.Context())
				_, err := Run(ctx, e.ID, part, Options{Seed: 1, Runs: 1})
				if err == nil || !strings.Contains(err.Error(), missing) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}
