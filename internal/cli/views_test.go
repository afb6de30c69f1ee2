package cli

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A view in a file of its own is the same as its columns in the data, in fitting and predicting.
func TestViewFiles(t *testing.T) {
	var joined, own, other strings.Builder
	joined.WriteString("a,b,v.c,v.d,label\n")
	own.WriteString("a,b,label\n")
	other.WriteString("c,d\n")
	for i := range 40 {
		s := float64(1 - 2*(i%2))
		x := [4]float64{2*s + math.Sin(float64(i)), math.Cos(2 * float64(i)), 2*s + math.Cos(float64(i)), math.Sin(3 * float64(i))}
		label := ""
		if i < 6 {
			label = fmt.Sprint(s)
		}
		fmt.Fprintf(&joined, "%g,%g,%g,%g,%s\n", x[0], x[1], x[2], x[3], label)
		fmt.Fprintf(&own, "%g,%g,%s\n", x[0], x[1], label)
		fmt.Fprintf(&other, "%g,%g\n", x[2], x[3])
	}
	folderWith(
		t,
		map[string]string{"joined.csv": joined.String(), "own.csv": own.String(), "other.csv": other.String(), "short.csv": "c,d\n1,2\n"},
	)
	for _, args := range [][]string{
		{"fit", "joined.csv", "--method", "lap-rls", "--view", "data=a..b", "--view", "v=v.c..v.d", "-v", "-o", "a.mercer"},
		{"fit", "own.csv", "--method", "lap-rls", "--view", "v=other.csv", "-v", "-o", "b.mercer"},
	} {
		if r := run(t, "", args...); r.code != exitDone || !strings.Contains(r.stdout, "views [data v]") {
			t.Fatalf("%v: %+v", args, r)
		}
	}
	a := run(t, "", "predict", "a.mercer", "joined.csv")
	for _, args := range [][]string{
		{"predict", "b.mercer", "own.csv", "--view", "v=other.csv"},
		{"predict", "b.mercer", "joined.csv"},
	} {
		if b := run(t, "", args...); b.code != exitDone || a.stdout != b.stdout {
			t.Errorf("%v: %d %s\n%s\n%s", args, b.code, b.stderr, a.stdout, b.stdout)
		}
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitData, []string{"fit", "own.csv", "--view", "v=short.csv"}},
		{exitData, []string{"fit", "own.csv", "--view", "v=a..z"}},
		{exitData, []string{"fit", "own.csv", "--view", "v=other.csv", "--view", "w=3..4"}}, // columns are those of the data
		{exitUsage, []string{"fit", "own.csv", "--view", "v"}},
		{exitUsage, []string{"fit", "own.csv", "--view", "v=b..a"}},
		{exitUsage, []string{"fit", "own.csv", "--view", "v=other.csv", "--test", "own.csv"}},
		{exitUsage, []string{"predict", "b.mercer", "own.csv", "--view", "w=other.csv"}},
	} {
		if r := run(t, "", c.args...); r.code != c.code || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", c.args, r)
		}
	}
}

// Models of several view files take them in any order, but all of them.
func TestViewOrder(t *testing.T) {
	files := twoViews()
	files["third.csv"] = strings.Replace(files["other.csv"], "c,d", "e,f", 1)
	folderWith(t, files)
	ok(
		t,
		"fit",
		"own.csv",
		"--labels-per-class",
		"4",
		"--method",
		"lap-rls",
		"--tune",
		"none",
		"--view",
		"v=other.csv",
		"--view",
		"w=third.csv",
		"-o",
		"m.mercer",
	)
	a := done(t, "predict", "m.mercer", "own.csv", "--view", "v=other.csv", "--view", "w=third.csv")
	b := done(t, "predict", "m.mercer", "own.csv", "--view", "w=third.csv", "--view", "v=other.csv")
	if a.stdout != b.stdout || strings.Count(a.stdout, "\n") != 81 {
		t.Errorf("%s\n%s", a.stdout, b.stdout)
	}
	for view, want := range map[string]string{"w=third.csv": `own.csv:1: no column "v.c"`, "v=other.csv": "the model was trained on 6"} {
		if r := run(t, "", "predict", "m.mercer", "own.csv", "--view", view); r.code != exitData || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", view, r)
		}
	}
}

// A sparse view whose last columns are absent from the new rows has zeros there.
func TestSparseViewWithAbsentColumns(t *testing.T) {
	var own, other, zeros, short strings.Builder
	for i := range 30 {
		label, x := 1-2*(i%2), math.Sin(float64(i))
		fmt.Fprintf(&own, "%+d 1:%g 2:%g\n", label, float64(label)+x, math.Cos(3*float64(i)))
		fmt.Fprintf(&other, "0 1:%g 2:%g 3:%g\n", x*x, float64(label)-x, 1+x)
		fmt.Fprintf(&zeros, "0 1:%g 2:%g 3:0\n", x*x, float64(label)-x)
		fmt.Fprintf(&short, "0 1:%g 2:%g\n", x*x, float64(label)-x)
	}
	folderWith(t, map[string]string{
		"own.svm": own.String(), "other.svm": other.String(), "zeros.svm": zeros.String(), "short.svm": short.String(),
	})
	r := run(t, "", "fit", "own.svm", "--method", "lap-rls", "--tune", "none", "--view", "v=other.svm", "-o", "m.mercer")
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	want := run(t, "", "predict", "m.mercer", "own.svm", "--view", "v=zeros.svm")
	if got := run(t, "", "predict", "m.mercer", "own.svm", "--view", "v=short.svm"); got.code != exitDone || got.stdout != want.stdout {
		t.Errorf("%d %s\n%s\nwant %s", got.code, got.stderr, got.stdout, want.stdout)
	}
}
