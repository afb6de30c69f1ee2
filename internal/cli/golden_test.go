package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

// golden are commands whose JSON is kept in testdata/golden: every method by every way to
// choose its parameters, on small built-in data. What they print changes only where a fault
// is mended, and the changelog says so.
var golden = map[string]string{
	"auto-two-classes":   "fit two-moons --labels-per-class 3",
	"auto-three-classes": "fit iris --labels-per-class 3",
	"auto-regression":    "fit sinc --labels 25",
	"auto-supervised":    "fit wine",
	"auto-untuned":       "fit iris --labels-per-class 3 --tune none",
	"auto-budget":        "fit iris --labels-per-class 3 --budget 9",
	"auto-press":         "fit iris --labels-per-class 3 --tune loo:press",
	"auto-balance":       "fit two-moons --labels-per-class 3 --set balance=0.4",
	"auto-splits":        "fit iris --splits SPLITS",
	"rls":                "fit wine --method rls",
	"rls-untuned":        "fit iris --method rls --tune none --set gamma=0.5 --set lambda=0.001",
	"rls-gradient":       "fit iris --labels 40 --method rls --search gradient",
	"rls-ard":            "fit iris --labels 60 --method rls --kernel ard-gaussian --search gradient --budget 40",
	"rls-select":         "fit iris --labels 60 --method rls --kernel ard-gaussian --search gradient --budget 40 --set select=0.1",
	"rls-grid":           "fit iris --labels 40 --method rls --search grid --budget 9",
	"rls-random":         "fit iris --labels 40 --method rls --search random --budget 9",
	"rls-nelder-mead":    "fit iris --labels 40 --method rls --search nelder-mead --budget 30 --tune kfold:5",
	"rls-rprop":          "fit sinc --labels 30 --method rls --search rprop --budget 30",
	"rls-gcv":            "fit sinc --labels 30 --method rls --tune gcv",
	"rls-cp":             "fit sinc --labels 30 --method rls --tune cp --set sigma=0.3",
	"rls-holdout":        "fit wine --method rls --tune holdout:0.25",
	"rls-smooth-f":       "fit breast-cancer --labels 60 --method rls --tune loo:smooth-f --search gradient --budget 20",
	"rls-offset":         "fit wine --labels 40 --method rls --offset yes",
	"rls-linear":         "fit wine --labels 40 --method rls --kernel linear --scale standard",
	"rls-sum":            "fit iris --labels 60 --method rls --kernel gaussian+linear --search gradient --budget 30",
	"rls-groups":         "fit wine --labels 60 --method rls --groups auto --search gradient --budget 30",
	"ls-svm":             "fit breast-cancer --labels 40 --method ls-svm",
	"rn":                 "fit sinc --labels 30 --method rn --set lambda=0.1",
	"svm":                "fit iris --labels 30 --method svm",
	"svm-untuned":        "fit iris --method svm --set C=1 --set gamma=0.25 --tune none",
	"svm-nu":             "fit iris --labels 60 --method svm --set nu=0.2 --tune none",
	"svm-random":         "fit iris --labels 60 --method svm --search random --budget 8 --tune kfold:3",
	"svm-span":           "fit breast-cancer --labels 60 --method svm --tune bound:span",
	"svm-radius":         "fit breast-cancer --labels 60 --method svm --tune bound:radius-margin --search gradient --budget 20",
	"svm-quartic":        "fit iris --labels 60 --method svm --set loss=quartic --tune kfold:5 --search gradient --budget 40",
	"svm-weights":        "fit iris --labels 60 --method svm --class-weight 0=2 --multiclass one-vs-rest --tune none",
	"l2-svm":             "fit iris --labels 60 --method l2-svm --tune none",
	"l2-svm-per-class":   "fit iris --labels 60 --method l2-svm --tune kfold:5 --search gradient --set per_class=yes --budget 20",
	"l2-svm-outer":       "fit iris --labels 60 --method l2-svm --tune kfold:5 --search gradient --set outer=mse --budget 20",
	"logistic":           "fit wine --labels 60 --method logistic --tune none",
	"logistic-linear":    "fit wine --method logistic --kernel linear --scale standard",
	"svr":                "fit sinc --labels 40 --method svr --tune none",
	"svr-nu":             "fit sinc --labels 40 --method svr --set nu=0.3 --tune none",
	"one-class":          "fit wine --method one-class --set nu=0.05",
	"lap-rls":            "fit two-moons --labels-per-class 4 --method lap-rls",
	"lap-rls-untuned":    "fit two-moons --labels-per-class 3 --method lap-rls --tune none --set neighbours=6",
	"lap-rls-gamma-i": "fit two-moons --labels-per-class 3 --method lap-rls --kernel gaussian --set gamma_i=0.5 --set neighbours=6 " +
		"--set degree=1",
	"lap-rls-gradient":  "fit iris --labels-per-class 5 --method lap-rls --search gradient --budget 60",
	"lap-rls-random":    "fit iris --labels-per-class 5 --method lap-rls --search random --budget 10",
	"lap-rls-real":      "fit iris --labels-per-class 5 --method lap-rls --set degree=real --budget 20",
	"lap-rls-heat":      "fit iris --labels-per-class 5 --method lap-rls --set semigroup=real --budget 20",
	"lap-rls-inductive": "fit iris --labels-per-class 5 --method lap-rls --tune kfold:3:inductive --search random --budget 6",
	"lap-rls-within":    "fit iris --method lap-rls --set within=yes --tune kfold:3:inductive --search random --budget 6",
	"lap-rls-views":     "fit iris --labels-per-class 5 --method lap-rls --view sepal=1..2 --view petal=3..4",
	"lap-rls-cg":        "fit two-moons --labels-per-class 3 --method lap-rls --set solver=cg --tune none",
	"lap-rls-knn-heat": "fit iris --labels-per-class 5 --method lap-rls --set weights=heat --set width=0.5 --set neighbours=6 --set " +
		"laplacian=combinatorial",
	"c-lap-rls":         "fit iris --labels-per-class 8 --method c-lap-rls --set neighbours=3,8 --budget 20",
	"c-lap-rls-untuned": "fit iris --labels-per-class 8 --method c-lap-rls --set neighbours=3,8 --tune none",
	"c-lap-rls-sqp":     "fit iris --labels-per-class 8 --method c-lap-rls --set neighbours=3,8 --search sqp --budget 20",
	"lap-svm":           "fit two-moons --labels-per-class 3 --method lap-svm --tol 1e-6 --set neighbours=6",
	"lap-svm-combine":   "fit two-moons --labels-per-class 3 --method lap-svm --set combine=yes --set neighbours=3,6 --budget 20",
	"lap-svm-random":    "fit two-moons --labels-per-class 3 --method lap-svm --search random --budget 8",
	"lap-svm-cg":        "fit two-moons --labels-per-class 3 --method lap-svm --set solver=cg --tune none --set neighbours=6",
	"da-s3vm":           "fit two-moons:n=80 --labels-per-class 3 --method da-s3vm --kernel gaussian --budget 2",
	"da-s3vm-hinge": "fit moons-det:n=60 --labels-per-class 1 --method da-s3vm --set loss=hinge --set sigma=0.15 --set C=50 " +
		"--offset yes --tune none",
	"grad-tsvm":       "fit two-moons --labels-per-class 3 --method grad-tsvm --kernel gaussian --tune none",
	"grad-tsvm-share": "fit iris --labels-per-class 5 --method grad-tsvm --set share_of=decisions --set positive=0.3,0.3,0.4 --tune none",
	"cs3vm":           "fit moons-det:n=60 --labels-per-class 1 --method cs3vm --set sigma=0.15 --set C=25 --offset yes --tune none",
	"lds":             "fit two-moons --labels-per-class 3 --method lds --set neighbours=6 --set softness=8 --tune none",
	"graph-density":   "fit two-moons --labels-per-class 3 --method graph-density --tune none",
	"co-rls":          "fit iris --labels-per-class 3 --method co-rls --view sepal=1..2 --view petal=3..4",
	"co-rls-sum":      "fit moons-lines --labels-per-class 2 --method co-rls --view moons=moon* --view lines=line* --set loss_on=sum",
	"co-svm": "fit moons-lines --labels-per-class 2 --method co-svm --view moons=moon* --view lines=line* --kernel lines=linear " +
		"--set coupling=1000 --set C=10 --tune none",
	"co-logistic":     "fit moons-lines --labels-per-class 2 --method co-logistic --view moons=moon* --view lines=line* --tune none",
	"co-lap-rls":      "fit iris --labels-per-class 3 --method co-lap-rls --view sepal=1..2 --view petal=3..4 --search random --budget 4",
	"co-lap-svm":      "fit iris --labels-per-class 3 --method co-lap-svm --view sepal=1..2 --view petal=3..4 --tune none",
	"auto-views":      "fit moons-lines --labels-per-class 1 --view moons=moon* --view lines=line*",
	"linear-svm":      "fit breast-cancer --method linear-svm",
	"linear-logistic": "fit wine --method linear-logistic",
	"linear-rls":      "fit wine --method linear-rls",
	"sparse-lap-rls":  "fit iris --labels-per-class 5 --method sparse-lap-rls --basis 20 --tune none",
	"linear-lap-rls":  "fit iris --labels-per-class 5 --method linear-lap-rls --tune none",
	"linear-lap-svm":  "fit iris --labels-per-class 5 --method linear-lap-svm --budget 2",
	"linear-tsvm":     "fit iris --labels-per-class 5 --method linear-tsvm --budget 2",
	"linear-da":       "fit iris --labels-per-class 5 --method linear-da --set C=1 --tune none",
	"da-s3vm-square": "fit iris --labels-per-class 5 --method da-s3vm --set loss=square --set positive=0.3,0.3,0.4 " +
		"--search random --budget 4",
	"lap-logistic": "fit iris --labels-per-class 5 --method lap-logistic --set neighbours=6 --set degree=2",
	"lap-logistic-gradient": "fit two-moons --labels-per-class 5 --method lap-logistic --search gradient --set neighbours=6 " +
		"--set degree=1 " +
		"--budget 30",
	"lap-svr":               "fit sinc --labels 20 --method lap-svr --set neighbours=6 --tol 1e-6 --tune none",
	"harmonic":              "fit two-moons --labels-per-class 3 --method label-propagation",
	"harmonic-numbers":      "fit sinc --labels 40 --method harmonic",
	"lgc":                   "fit two-moons --labels-per-class 3 --method label-spreading",
	"lgc-untuned":           "fit iris --labels-per-class 5 --method lgc --tune none",
	"graph-reg":             "fit two-moons --labels-per-class 3 --method graph-reg",
	"graph-reg-met":         "fit sinc --labels 40 --method graph-reg --set penalty=0 --set degree=1",
	"sgt":                   "fit iris --labels-per-class 5 --method sgt",
	"nadaraya-watson":       "fit sinc --labels 40 --method nadaraya-watson",
	"nadaraya-watson-iris":  "fit iris --labels 40 --method nadaraya-watson",
	"fit-mobj-rbf":          "fit sinc --labels 30 --method mobj-rbf",
	"fit-grn":               "fit sinc --labels 30 --method grn",
	"fit-mobj-svm":          "fit breast-cancer --labels 40 --method mobj-svm",
	"pareto-mobj-rbf":       "pareto sinc --labels 30 --set joint=no",
	"pareto-mobj-rbf-class": "pareto iris --labels 15 --method mobj-rbf --decision bic",
	"pareto-mobj-grn":       "pareto sinc --labels 30 --method mobj-grn",
	"pareto-grn":            "pareto sinc --labels 30 --method grn --decision aic",
	"pareto-rofs":           "pareto sinc --labels 30 --method rofs",
	"pareto-mobj-svm":       "pareto breast-cancer --labels 40 --method mobj-svm --set C=0.5,2,8 --set sigma=2,4",
	"pareto-mobj-svm-pick":  "pareto iris --labels 40 --method mobj-svm --set C=0.5,2,8 --kernel polynomial --pick 2",
	"trace-lap-rls":         "fit iris --labels-per-class 5 --method lap-rls --search random --budget 4 --trace TRACE",
	"trace-svm":             "fit iris --labels 60 --method l2-svm --search gradient --budget 4 --trace TRACE",
	"trace-c-lap-rls": "fit iris --labels-per-class 8 --method c-lap-rls --set neighbours=3,8 --search gradient --budget 4 --trace " +
		"TRACE",
	"trace-rls-ard": "fit iris --labels 60 --method rls --kernel ard-gaussian --search gradient --budget 4 --trace TRACE",
}

// The relative differences of numbers that are let pass: of what wrote the files, on other processors of its kind, and of other
// arithmetic, by which kernels and graphs differ too and what is nearly flat moves.
const (
	sameSums  = 1e-6
	otherSums = 3e-2
)

func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds of fits")
	}
	tolerance := sameSums
	if !kept.Rounds() {
		tolerance = otherSums
	}
	if kept.Updating() && tolerance != sameSums {
		t.Fatal("the files are written by the arithmetic of amd64")
	}
	folder, err := filepath.Abs(filepath.Join("testdata", "golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(golden)) {
		t.Run(name, func(t *testing.T) {
			folderWith(t, map[string]string{"splits.csv": "split,labelled_rows\n0,0 1 50 51 100 101\n1,20 21 70 71 120 121\n"})
			line := strings.NewReplacer("SPLITS", "splits.csv", "TRACE", "run.trace").Replace(golden[name])
			r := run(t, "", append(strings.Fields(line), "--json", "--quiet")...)
			if r.code != exitDone {
				t.Fatalf("mercer %s: exit %d: %s", line, r.code, r.stderr)
			}
			got := map[string]any{"command": "mercer " + golden[name], "result": steady(t, r.stdout)}
			if strings.Contains(line, "--trace") {
				got["trace"] = steadyTrace(t, "run.trace")
			}
			path := filepath.Join(folder, name+".json")
			if kept.Updating() {
				text, err := json.Marshal(got)
				if err == nil {
					err = os.WriteFile(path, append(text, '\n'), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			for _, d := range differences("", want, got, tolerance) {
				t.Error(d)
			}
		})
	}
}

// steady is a result without what differs from run to run.
func steady(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"seconds", "memory_bytes", "certificate", "forecast"} {
		delete(v, name)
	}
	return v
}

// steadyTrace are the points of a trace and their scores.
func steadyTrace(t *testing.T, path string) []any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []any
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			continue // check sums
		}
		delete(v, "seconds")
		delete(v, "noise") // what is left of a residual, which has few digits
		list = append(list, v)
	}
	return list
}

// differences lists where two JSON values differ by more than the tolerance. Scores of members
// of a front, which may be ill determined at its over-fitted end, are compared by the same sums only.
func differences(at string, want, got any, tolerance float64) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var list []string
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if strings.HasPrefix(at, ".result.front[") && k == "score" && tolerance > sameSums {
				continue
			}
			if _, ok := g[k]; !ok {
				list = append(list, fmt.Sprintf("%s.%s: missing, was %v", at, k, w[k]))
				continue
			}
			list = append(list, differences(at+"."+k, w[k], g[k], tolerance)...)
		}
		for _, k := range slices.Sorted(maps.Keys(g)) {
			if _, ok := w[k]; !ok {
				list = append(list, fmt.Sprintf("%s.%s: new, %v", at, k, g[k]))
			}
		}
		return list
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		var list []string
		for i := range w {
			list = append(list, differences(fmt.Sprintf("%s[%d]", at, i), w[i], g[i], tolerance)...)
		}
		return list
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= tolerance*max(math.Abs(w), 1e-9) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %v, was %v", at, got, want)}
}
