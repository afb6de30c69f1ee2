package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// front is what the contract says of pareto --json.
type frontJSON struct {
	Front []struct {
		Risk, Complexity float64
		Params           map[string]any
		Support          int
		Score            *float64
		Chosen           bool
	}
	Decision string
	Metrics  map[string]map[string]float64
	Seconds  map[string]float64
}

func TestParetoPrintsTheFront(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"breast-cancer", "--labels", "80", "--scale", "standard"},
		{"wine", "--labels-per-class", "12"},
		{"iris", "--labels", "60", "--method", "mobj-svm", "--set", "C=0.1,1,10,100", "--set", "sigma=0.5,1,2"},
		{"iris", "--labels", "60", "--method", "mobj-svm", "--kernel", "polynomial", "--set", "complexity=q-norm", "--set", "C=1,16",
			"--decision", "knee"},
		{"iris", "--labels", "60", "--method", "mobj-svm", "--kernel", "ard-gaussian", "--set", "C=1,16", "--set", "sigma=0.5,1,2"},
		{"breast-cancer", "--labels", "60", "--method", "mobj-grn", "--decision", "bic"},
		{"iris", "--labels", "50", "--label", "petal_width", "--task", "regression", "--decision", "aic", "--set", "joint=no"},
	} {
		name := strings.Join(args, " ")
		r := run(t, "", append([]string{"pareto", "-o", "f.front", "--json", "--quiet"}, args...)...)
		if r.code != exitDone {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		var f frontJSON
		if err := json.Unmarshal([]byte(r.stdout), &f); err != nil {
			t.Fatal(err)
		}
		chosen := 0
		for i, m := range f.Front {
			if m.Chosen {
				chosen++
			}
			if i > 0 && !(m.Complexity > f.Front[i-1].Complexity && m.Risk < f.Front[i-1].Risk) {
				t.Errorf(
					"%s: member %d (%g, %g) after (%g, %g)",
					name,
					i+1,
					m.Risk,
					m.Complexity,
					f.Front[i-1].Risk,
					f.Front[i-1].Complexity,
				)
				break
			}
		}
		if chosen != 1 || len(f.Front) < 3 || f.Metrics["labelled"] == nil {
			t.Errorf("%s: %d members, %d chosen, metrics %v", name, len(f.Front), chosen, f.Metrics)
		}
	}
}

// The pages of a front and of an experiment are there and name what they show.
func TestFrontPage(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"front": {[]string{"pareto", "iris", "--method", "mobj-svm", "--set", "C=0.1,1,10", "--set", "sigma=0.5,1,2"},
			[]string{"The front of iris", "mercer pareto iris", "<svg", "mean hinge loss", "5 functions, none worse than another",
				"<dt>members</dt><dd>5</dd>", "<dt>chosen</dt><dd>3</dd>", "<dt>units of it</dt><dd>27</dd>"}},
		"experiment": {[]string{"reproduce", "becker-f3.1"}, []string{"becker-f3.1", "Becker 2013"}},
	} {
		if r := run(t, "", append(c.args, "--report", name, "--quiet")...); r.code != exitDone {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		page, err := os.ReadFile(name + "/index.html")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(page), w) {
				t.Errorf("%s: no %q on the page", name, w)
			}
		}
	}
	ok(t, "pareto", "iris", "--labels", "30", "--method", "mobj-svm", "--set", "C=1,4", "--set", "sigma=0.5,1", "-o", "some.mercer")
	if r := run(t, "", "predict", "some.mercer", "iris", "--probability"); r.code != exitData ||
		!strings.Contains(r.stderr, "a front have no probabilities") {
		t.Errorf("%+v", r)
	}
	if r := run(t, "", "pareto", "iris", "--report", "front/index.html", "--quiet"); r.code != exitData ||
		strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("a file for a folder: %+v", r)
	}
}

// A front is one file; each of its members predicts what it predicted when it was made.
func TestMembersOfAFront(t *testing.T) {
	folderWith(t, map[string]string{"good.csv": good})
	t.Chdir(t.TempDir())
	fit := []string{"pareto", "iris", "--labels", "60", "--method", "mobj-svm", "--set", "C=0.1,1,10", "--set", "sigma=0.5,1,2", "--quiet"}
	if r := run(t, "", append(fit, "-o", "all.front")...); r.code != exitDone || !strings.Contains(r.stdout, "complexity") {
		t.Fatalf("%+v", r)
	}
	for _, k := range []string{"1", "2", "3"} {
		if r := run(t, "", append(fit, "--pick", k, "-o", "one.front")...); r.code != exitDone {
			t.Fatalf("--pick %s: %+v", k, r)
		}
		a, b := run(t, "", "predict", "one.front", "iris"), run(t, "", "predict", "all.front", "iris", "--member", k)
		if a.code != exitDone || a.stdout != b.stdout {
			t.Errorf("member %s: %d %s", k, b.code, b.stderr)
		}
	}
	if r := run(t, "", "evaluate", "all.front", "iris", "--json"); r.code != exitDone {
		t.Errorf("evaluate: %+v", r)
	}
	if err := os.WriteFile("sparse.svm", []byte("1 1:1\n-1 2:1\n1 1:2\n-1 2:2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		line string
	}{
		{exitData, "predict all.front iris --member 99"},
		{exitData, "predict all.front iris --member 0"},
		{exitData, "pareto sparse.svm"},
		{exitUsage, "pareto iris --method mobj-svm --pick 99"},
		{exitUsage, "pareto iris --pick 0"},
		{exitUsage, "pareto iris --method rls"},
		{exitUsage, "pareto iris --decision best"},
		{exitUsage, "pareto iris --method mobj-svm --decision aic"},
		{exitUsage, "pareto iris --kernel laplacian"},
		{exitUsage, "fit iris --method rls --set joint=no"},
		{exitData, "pareto iris --method mobj-svm --decision cv:400"},
	} {
		r := run(t, "", strings.Fields(c.line+" --quiet")...)
		if r.code != c.code || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.line, r)
		}
	}
}

// Every method that chooses from a front is a method of fit too.
func TestFitByFront(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, m := range []string{"mobj-rbf", "mobj-grn", "mobj-svm", "grn", "rofs", "rn", "nadaraya-watson"} {
		r := run(t, "", "fit", "wine", "--labels-per-class", "15", "--method", m, "--json", "--quiet", "-o", "m.mercer")
		if r.code != exitDone {
			t.Errorf("%s: %+v", m, r)
			continue
		}
		o := object(t, r.stdout)
		e := o["metrics"].(map[string]any)["hidden"].(map[string]any)["error"].(float64)
		if limit := map[string]float64{"rofs": 0.5}[m]; e > max(limit, 0.2) || o["method"] != m {
			t.Errorf("%s: hidden error %g", m, e)
		}
		if p := run(t, "", "predict", "m.mercer", "wine"); p.code != exitDone || strings.Count(p.stdout, "\n") != 179 {
			t.Errorf("%s: predict %d %s", m, p.code, p.stderr)
		}
	}
}
