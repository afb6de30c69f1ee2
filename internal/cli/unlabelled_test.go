package cli

import (
	"strings"
	"testing"
)

// Further rows in a file of their own are the same as rows without labels in the data, and
// they count; their labels do not.
func TestUnlabelledFile(t *testing.T) {
	moons := strings.Split(strings.TrimSpace(done(t, "data", "two-moons:n=200,labelled=4").stdout), "\n")
	blank := func(rows []string) string {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(r[:strings.LastIndexByte(r, ',')+1] + "\n")
		}
		return b.String()
	}
	var labelled, others []string
	for _, r := range moons[1:] {
		if strings.HasSuffix(r, ",") {
			others = append(others, r)
		} else {
			labelled = append(labelled, r)
		}
	}
	head, first, rest := moons[0]+"\n", strings.Join(labelled, "\n")+"\n", blank(others)
	folderWith(t, map[string]string{
		"all.csv":    head + first + rest,
		"first.csv":  head + first,
		"rest.csv":   head + rest,
		"marked.csv": head + strings.ReplaceAll(rest, ",\n", ",9\n"),
		"bare.csv":   strings.ReplaceAll(strings.Replace(head, ",label\n", "\n", 1)+rest, ",\n", "\n"),
		"other.csv":  "p,q\n1,2\n",
	})
	fit := func(args ...string) string {
		t.Helper()
		ok(t, append([]string{"fit", "--method", "lap-rls", "--tune", "none", "--scale", "standard", "-o", "m.mercer"}, args...)...)
		return done(t, "predict", "m.mercer", "all.csv").stdout
	}
	want, few := fit("all.csv"), fit("first.csv", "--set", "neighbours=3")
	for _, more := range []string{"rest.csv", "marked.csv", "bare.csv"} {
		if got := fit("first.csv", "--unlabelled", more); got != want {
			t.Errorf("--unlabelled %s is not the set with these rows", more)
		}
	}
	if few == want {
		t.Error("unlabelled rows do not count")
	}
	if r := run(t, "", "fit", "first.csv", "--unlabelled", "other.csv"); r.code != exitData ||
		!strings.HasPrefix(r.stderr, "mercer: other.csv:1: no column") {
		t.Errorf("%+v", r)
	}
}
