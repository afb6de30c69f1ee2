package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// told is what a verb prints as JSON.
func told(t *testing.T, args ...string) map[string]any {
	t.Helper()
	r := done(t, append(args, "--json", "--quiet")...)
	var all map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		t.Fatalf("mercer %v: %v\n%s", args, err, r.stdout)
	}
	return all
}

// TestModelIsTheMachine: what a fit says of the rows that it learned from is what its model has on them: of views that rows lack, and of
// columns so far from zero that sums lose their digits, of which it warns.
func TestModelIsTheMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	var views, far strings.Builder
	views.WriteString("a,b,y\n")
	far.WriteString("t,z,label\n")
	for i := range 90 {
		z := rng.NormFloat64()
		a, b := fmt.Sprint(z+0.1*rng.NormFloat64()), fmt.Sprint(2*z+0.1*rng.NormFloat64())
		switch i % 3 {
		case 1:
			a = ""
		case 2:
			b = ""
		}
		fmt.Fprintf(&views, "%s,%s,%g\n", a, b, 5+3*z)
		fmt.Fprintf(&far, "%d,%g,%c\n", 1_700_000_000+i, z+float64(i%2), 'p'+i%2)
	}
	folderWith(t, map[string]string{"views.csv": views.String(), "far.csv": far.String()})
	number := func(from any, path ...string) float64 {
		for _, name := range path {
			from = from.(map[string]any)[name]
		}
		return from.(float64)
	}
	for name, c := range map[string]struct {
		args, measure string
		lost          bool // of digits
	}{
		"sum":       {"views.csv --method co-rls --view A=a..a --view B=b..b --set loss_on=sum", "rmse", false},
		"views":     {"views.csv --method co-rls --view A=a..a --view B=b..b --set loss_on=views", "rmse", false},
		"seconds":   {"far.csv --method linear-logistic --scale none --tune none", "error", true},
		"scaled":    {"far.csv --method linear-logistic --tune none", "error", false},
		"not far":   {"far.csv --method linear-svm --features z --scale none --tune none", "error", false},
		"no kernel": {"far.csv --method rls --scale none --tune none", "error", false},
	} {
		fields := append(strings.Fields("fit "+c.args), "-o", "m.mercer")
		fit := told(t, fields...)
		measured := told(t, "evaluate", "m.mercer", fields[1])
		a, b := number(fit, "metrics", "labelled", c.measure), number(measured, "metrics", c.measure)
		if math.Abs(a-b) > 1e-3*math.Abs(b) {
			t.Errorf("%s: the fit says %g, its model has %g", name, a, b)
		}
		if lost := strings.Contains(fmt.Sprint(fit["warnings"]), "the model gives other outputs than its training had"); lost != c.lost {
			t.Errorf("%s: warnings %v", name, fit["warnings"])
		}
	}
	// Columns that all are far from zero are standardised, so that machines without a kernel see their differences.
	if scaled := told(t, "fit", "far.csv", "--method", "linear-svm", "--features", "t,z"); number(scaled, "estimate", "error") > 0.45 {
		t.Errorf("of seconds the expected error is %v", scaled["estimate"])
	}
}

// TestViewsOfFewRows: a method with a joint graph is fitted where few rows have a view, or none has both; a model of several parts is
// shrunk to as many centres as are asked for.
func TestViewsOfFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	var few, apart, three strings.Builder
	few.WriteString("a,b,label\n")
	apart.WriteString("a,b,label\n")
	three.WriteString("a,b,c,y\n")
	for i := range 120 {
		s := float64(i%2) + 0.4*rng.NormFloat64()
		a, b, c := fmt.Sprint(s), fmt.Sprint(1-s), fmt.Sprint(2*s)
		label := ""
		if i < 30 {
			label = string(rune('p' + i%2))
		}
		some := b
		if i%4 > 0 {
			some = ""
		}
		fmt.Fprintf(&few, "%s,%s,%s\n", a, some, label)
		if i%2 == (i/2)%2 {
			fmt.Fprintf(&apart, "%s,,%s\n", a, label)
		} else {
			fmt.Fprintf(&apart, ",%s,%s\n", b, label)
		}
		if i%12 > 0 {
			b, c = "", ""
		}
		fmt.Fprintf(&three, "%s,%s,%s,%g\n", a, b, c, s)
	}
	folderWith(t, map[string]string{"few.csv": few.String(), "apart.csv": apart.String(), "three.csv": three.String()})
	for _, file := range []string{"few.csv", "apart.csv"} {
		for _, method := range []string{"co-lap-rls", "co-lap-svm"} {
			ok(t, "fit", file, "--method", method, "--view", "A=a..a", "--view", "B=b..b", "--quiet", "--budget", "4")
		}
	}
	ok(t, "fit", "three.csv", "--method", "co-rls", "--view", "A=a..a", "--view", "B=b..b", "--view", "C=c..c", "--tune", "none", "--quiet",
		"-o", "three.mercer")
	for _, n := range []int{3, 4, 6, 20} {
		r := told(t, "shrink", "three.mercer", "--data", "three.csv", "--basis", fmt.Sprint(n), "-o", "small.mercer")
		if got, _ := r["centres_after"].(float64); got > float64(n) || got < float64(n-2) {
			t.Errorf("asked for %d centres: %v", n, r)
		}
	}
}

// TestExportsSayWhatTheyLose: a model that decides by its probabilities has no form in the formats of outputs, and what a format has no
// place for is told.
func TestExportsSayWhatTheyLose(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var b strings.Builder
	b.WriteString("nr,a,b,label\n")
	for i := range 80 {
		fmt.Fprintf(&b, "%d,%.4f,%.4f,%c\n", i+1, rng.NormFloat64()+float64(i%2), rng.NormFloat64(), 'u'+i%2)
	}
	folderWith(t, map[string]string{"rows.csv": b.String()})
	ok(t, "fit", "rows.csv", "--method", "svm", "--kernel", "linear", "--quiet", "-o", "svm.mercer")
	r := done(t, "export", "svm.mercer", "--format", "libsvm", "-o", "m")
	if !strings.Contains(r.stderr, "mercer convert --features a,b on data") {
		t.Errorf("of a column that was left out is said: %s", r.stderr)
	}
	ok(t, "fit", "rows.csv", "--method", "linear-logistic", "--features", "a,b", "--quiet", "-o", "logistic.mercer")
	r = done(t, "export", "logistic.mercer", "--format", "liblinear", "-o", "m")
	if !strings.Contains(r.stderr, "no place for the calibration") {
		t.Errorf("of a calibrated machine is said: %s", r.stderr)
	}
}
