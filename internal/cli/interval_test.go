package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
)

// fitted fits a regression with a test file and returns its result.
func fitted(t *testing.T, args ...string) *mercer.Result {
	t.Helper()
	r := run(t, "", append([]string{"fit"}, args...)...)
	var res mercer.Result
	if err := json.Unmarshal([]byte(r.stdout), &res); err != nil || r.code != exitDone {
		t.Fatalf("%v: %+v", err, r)
	}
	return &res
}

// fit prints the interval of level 0.9 that predict adds to the predictions, and the share of test rows in
// it is what one counts in the file of predictions; evaluate counts the same.
func TestIntervals(t *testing.T) {
	folderWith(t, nil)
	for _, args := range [][]string{{"data", "sinc:n=120", "-o", "train.csv"}, {"data", "sinc:n=80,seed=2", "-o", "test.csv"}} {
		if r := run(t, "", args...); r.code != exitDone {
			t.Fatalf("%+v", r)
		}
	}
	res := fitted(t, "train.csv", "--test", "test.csv", "-o", "sinc.mercer", "--json")
	i := res.Interval
	if i == nil || i.Level != 0.9 || i.Rows != 120 || i.From != "leave-one-out" || !(i.Lower < 0 && 0 < i.Upper) {
		t.Fatalf("interval %+v", i)
	}
	if _, ok := res.Metrics["labelled"]["coverage_90"]; ok {
		t.Error("rows that were learned from have a coverage")
	}
	if r := run(t, "", "predict", "sinc.mercer", "test.csv", "--interval", "0.9", "-o", "out.csv"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	predictions, answers := records(t, "out.csv"), records(t, "test.csv")
	if head := strings.Join(predictions[0], ","); head != "prediction,score,lower,upper" {
		t.Fatalf("columns %s", head)
	}
	within := 0.0
	for q, p := range predictions[1:] {
		number := func(text string) float64 {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		lower, upper, y := number(p[2]), number(p[3]), number(answers[q+1][len(answers[q+1])-1])
		if f := number(p[0]); math.Abs(lower-f-i.Lower) > 1e-12 || math.Abs(upper-f-i.Upper) > 1e-12 {
			t.Fatalf("row %d: %v, the interval is %+v", q, p, i)
		}
		if lower <= y && y <= upper {
			within++
		}
	}
	if got := res.Metrics["test"]["coverage_90"]; math.Abs(got-within/80) > 1e-12 {
		t.Errorf("coverage %g, counted %g", got, within/80)
	}
	r := run(t, "", "evaluate", "sinc.mercer", "test.csv", "--json")
	var measured struct{ Metrics mercer.Metric }
	if err := json.Unmarshal([]byte(r.stdout), &measured); err != nil || math.Abs(measured.Metrics["coverage_90"]-within/80) > 1e-12 {
		t.Errorf("evaluate: %+v, %v", r, err)
	}
	if said := table(res); !strings.Contains(said, "interval        90 %: prediction -") {
		t.Errorf("the table has no interval:\n%s", said)
	}
}

// records reads a CSV file.
func records(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// How rows were left out is said; where the errors are too few for level 0.9, or there are none, there is no interval.
func TestWhereIntervalsComeFrom(t *testing.T) {
	folderWith(t, nil)
	for want, args := range map[string]string{
		"leave-one-out 60": "--method rls", "leave-one-out 40": "--method svr --labels 40", "leave-one-out 30": "--labels 30",
		"5 folds 60": "--method svr --tune kfold:5", "3 folds 60": "--method rls --tune kfold:3",
		"hold-out 20": "--method rls --tune holdout:0.33",
	} {
		res := fitted(t, append(strings.Fields("sinc:n=60 --json "), strings.Fields(args)...)...)
		if i := res.Interval; i == nil || i.From+" "+strconv.Itoa(i.Rows) != want {
			t.Errorf("%s: %+v, want %s", args, i, want)
		}
	}
	few := run(t, "", "fit", "sinc:n=60", "--method", "rls", "--labels", "12", "-o", "few.mercer", "--json")
	if few.code != exitDone || strings.Contains(few.stdout, "interval\":{") || !strings.Contains(few.stderr, "no intervals of level 0.9") {
		t.Errorf("12 rows: %+v", few)
	}
	if r := run(t, "", "predict", "few.mercer", "sinc", "--interval", "0.8461"); r.code != exitDone {
		t.Errorf("12 rows at the level that was named: %+v", r)
	}
}

// What has no interval is refused in one line that says what to do.
func TestRefusedInterval(t *testing.T) {
	folderWithModel(t, nil)
	for _, args := range []string{
		"sinc:n=12 --method rls -o few.mercer", "sinc:n=60 --method svr --tune none -o none.mercer",
		"sinc:n=40 --method rofs -o front.mercer",
		"iris --method rls -o iris.mercer",
	} {
		if r := run(t, "", append([]string{"fit"}, strings.Fields(args)...)...); r.code != exitDone {
			t.Fatalf("%s: %+v", args, r)
		}
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"iris.mercer iris --interval 0.9", exitData, "mercer: iris.mercer: this model predicts classes, which have no intervals; "},
		{"none.mercer sinc --interval 0.9", exitData, "mercer: none.mercer: this model has no intervals, "},
		{"front.mercer sinc --interval 0.9", exitData, "mercer: front.mercer: this model has no intervals, "},
		{"few.mercer sinc --interval 0.9", exitData,
			"mercer: few.mercer: intervals of level 0.9 need 19 rows left out, and there were 12; "},
		{"few.mercer sinc --interval 90", exitUsage, "mercer: --interval 90: give a share between 0 and 1, as 0.9"},
		{"few.mercer sinc --interval 1", exitUsage, "mercer: --interval 1: "},
		{"few.mercer sinc --interval 0", exitUsage, "mercer: --interval 0: "},
	} {
		r := run(t, "", append([]string{"predict"}, strings.Fields(c.args)...)...)
		if r.code != c.code || r.stdout != "" || !strings.HasPrefix(r.stderr, c.says) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}
