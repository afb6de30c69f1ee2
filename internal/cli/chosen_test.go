package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestColumnsLeftOut: wherever rows are read, a file whose columns are left out by --drop, or not among --features, or that names its rows
// by --id, gives what the file without these columns gives.
func TestColumnsLeftOut(t *testing.T) {
	whole, part := "key,u,junk,v,kind\n", "u,v,kind\n"
	for i := range 45 {
		u, v, kind := float64(i%5)+3*float64(i%3), float64(i%7)-2*float64(i%3), []string{"a", "b", "c"}[i%3]
		whole += fmt.Sprintf("row %d,%g,w%d,%g,%s\n", i, u, i%4, v, kind)
		part += fmt.Sprintf("%g,%g,%s\n", u, v, kind)
	}
	folderWith(t, map[string]string{"whole.csv": whole, "part.csv": part})
	for verb, out := range map[string]string{
		"cluster FILE --clusters 3": "out.csv", "embed FILE --dim 2": "out.csv", "convert FILE": "out.svm",
		"fit FILE --method rls --tune none": "out.mercer",
	} {
		read := func(file, more string) string {
			t.Helper()
			ok(t, strings.Fields(strings.Replace(verb, "FILE", file, 1)+" "+more+" --quiet -o "+out)...)
			if strings.HasSuffix(out, ".mercer") {
				return done(t, "predict", out, file).stdout
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		want := read("part.csv", "")
		for _, more := range []string{"--drop key,junk", "--features u,v"} {
			if got := read("whole.csv", more); got != want {
				t.Errorf("%s %s:\n%.300s\nwant\n%.300s", verb, more, got, want)
			}
		}
		named := read("whole.csv", "--id key --drop junk")
		if verb != "convert FILE" {
			if !strings.HasPrefix(named, "key,") || !strings.Contains(named, "\nrow 7,") {
				t.Errorf("%s --id key: the names of the rows are lost:\n%.200s", verb, named)
			}
			named = withoutFirst(named)
		}
		if named != want {
			t.Errorf("%s --id key --drop junk:\n%.300s\nwant\n%.300s", verb, named, want)
		}
	}
}

// withoutFirst is CSV without its first column.
func withoutFirst(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, ",")
		b.WriteString(rest)
	}
	return b.String()
}
