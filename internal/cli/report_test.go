package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/data/read"
)

// folder lists what is in a folder.
func folder(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestReport(t *testing.T) {
	folderWith(t, map[string]string{"splits.csv": "split,labelled_rows\n0,0 1 2 50 51 52 100 101 102\n1,3 4 5 53 54 55 103 104 105\n"})
	moons := []string{
		"calibration.png",
		"confusion.png",
		"effect-1.png",
		"effect-2.png",
		"index.html",
		"map.png",
		"precision-recall.png",
		"roc.png",
		"score.png",
		"trajectory.png",
	}
	labelled := append([]string{"learning-curve.png"}, moons...) // enough of them for parts
	slices.Sort(labelled)
	for _, c := range []struct {
		name  string
		args  []string
		files []string
		says  []string
	}{
		{"hidden", []string{"two-moons:n=80", "--labels", "10", "--method", "rls", "--search", "gradient"}, moons,
			[]string{"mercer fit two-moons:n=80 --labels 10 --method rls --search gradient", "70 rows whose labels were hidden",
				"The lines join settings of equal score"}},
		{"left out", []string{"two-moons:n=80,labelled=8", "--method", "rls"}, moons,
			[]string{"16 labelled rows, each left out once", "No row was kept"}},
		{"test", []string{"two-moons:n=80", "--method", "rls", "--test", "two-moons:n=60,seed=2"}, labelled,
			[]string{"60 test rows", "--test two-moons:n=60,seed=2"}},
		{"splits", []string{"iris", "--method", "rls", "--splits", "splits.csv", "--set", "sigma=2"}, []string{"index.html", "splits.png"},
			[]string{"Over 2 splits", "--splits splits.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "splits" {
				t.Skip("figures are slow under the race detector")
			}
			dir := filepath.Join(t.TempDir(), "page")
			r := run(t, "", append([]string{"fit", "--quiet", "--json", "--report", dir}, c.args...)...)
			if r.code != exitDone {
				t.Fatalf("%+v", r)
			}
			if diff := cmp.Diff(c.files, folder(t, dir)); diff != "" {
				t.Error(diff)
			}
			text, err := os.ReadFile(filepath.Join(dir, "index.html"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.says {
				if !strings.Contains(strings.ReplaceAll(string(text), "&#43;", "+"), want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			if strings.Contains(string(text), dir) || strings.Contains(string(text), os.TempDir()+"/") {
				t.Error("the page names a folder of this machine")
			}
			without := run(t, "", append([]string{"fit", "--quiet", "--json"}, c.args...)...)
			seconds := regexp.MustCompile(`"seconds":\{[^}]*\}`)
			if diff := cmp.Diff(seconds.ReplaceAllString(without.stdout, ""), seconds.ReplaceAllString(r.stdout, "")); diff != "" {
				t.Errorf("a page changes the result: %s", diff)
			}
		})
	}
}

// TestReportTellsTheRun: the page has the date, the duration and the checksum of the file.
func TestReportTellsTheRun(t *testing.T) {
	folderWith(t, map[string]string{"rows.csv": good})
	if r := run(t, "", "fit", "rows.csv", "--quiet", "--method", "rls", "--tune", "none", "--set", "sigma=1", "--report",
		"page"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	set, _, err := read.Open(t.Context(), "rows.csv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{checksum(set), ">duration<", ">date<", time.Now().Format("2006-01-")} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestReportRefused: a folder that cannot be is one line before the work starts, and nothing
// is written.
func TestReportRefused(t *testing.T) {
	folderWith(t, map[string]string{"file": "x", "rows.csv": good})
	if err := os.Mkdir("site", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("site/index.html", []byte("<title>my own</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	inFile := "not a directory; check the file and its folder"
	if runtime.GOOS == "windows" { // which says the same of a file in the way as of a folder that is not there
		inFile = "the folder it is to be in does not exist; make it, or name another"
	}
	for _, c := range []struct {
		dir  string
		code int
		what string
	}{
		{"file", exitData, "mercer: file: is a file; name a folder for the report\n"},
		{"file/page", exitData, "mercer: file/page: " + inFile + "\n"},
		{"no/page", exitData, "mercer: no/page: the folder it is to be in does not exist; make it, or name another\n"},
		{"site", exitData, "mercer: site: the index.html there is no report of mercer and would be overwritten; name another " +
			"folder, or move " +
			"it away\n"},
		{"-o", exitUsage, "mercer: --report -o: looks like a flag; name a folder, as in --report ./-o\n"},
	} {
		r := run(t, "", "fit", "rows.csv", "-o", "rows.mercer", "--quiet", "--report", c.dir)
		if r.code != c.code || r.stdout != "" || r.stderr != c.what {
			t.Errorf("%s: %+v", c.dir, r)
		}
	}
	// A fault of the data leaves no folder behind.
	if r := run(t, "", "fit", "rows.csv", "--quiet", "--label", "none", "--report", "page"); r.code != exitData {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]string{"file", "rows.csv", "site"}, folder(t, ".")); diff != "" {
		t.Error(diff)
	}
}

// TestCommandRepeatsTheRun: flags that change the result, files without folders, words as a
// shell wants them.
func TestCommandRepeatsTheRun(t *testing.T) {
	n, seed, tol := 5, uint64(0), 0.01
	c := &fitCmd{Method: "rls", Set: []string{"sigma=2", "x y=it's"}, Trace: "/a/b.trace", Tol: &tol}
	c.Data, c.Output, c.Test, c.Labels, c.Seed = "/some where/rows.csv", "/m", "/x/test.csv", &n, &seed
	c.Report, c.Quiet, c.Cache = "/r", true, 5
	c.View = []string{"text=/v/words.csv", "image=1..5"}
	c.TimeLimit, c.Strict, c.From = limit(90e9), true, "/m/x.mercer"
	want := `mercer fit rows.csv --view text=words.csv --view image=1..5 --strict --test test.csv --labels 5 --seed 0 ` +
		`--time-limit 1m30s --from x.mercer --method rls --set sigma=2 ` +
		`--set 'x y=it'\''s' --tol 0.01`
	if got := command("fit", c); got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
}
