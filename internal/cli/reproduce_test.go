package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMarkdownRepeats: the command that stands in a file of results writes the same numbers again, and the
// heading says when and on what machine.
func TestMarkdownRepeats(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(args ...string) string {
		r := run(t, "", append([]string{"reproduce", "--quiet"}, args...)...)
		if r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		text, err := os.ReadFile("a.md")
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`Took [^ ]* s|\s+load\s+before\s+the\s+run\s+\S*\.`).ReplaceAllString(string(text), "")
	}
	first := write("becker-f3.1", "lecture-fit", "--data", t.TempDir(), "--markdown", "a.md")
	m := regexp.MustCompile(`(?m)^    mercer reproduce (.*)$`).FindStringSubmatch(first)
	if m == nil || !strings.Contains(m[1], "becker-f3.1 lecture-fit") || !strings.Contains(m[1], "--data DIR") {
		t.Fatalf("command %q in\n%s", m, first)
	}
	if again := write(strings.Fields(m[1])...); again != first {
		t.Errorf("the command gives another file:\n%s\n%s", first, again)
	}
	for _, want := range []string{time.Now().Format("2006-01-"), " cores", "BLAS: ", "\n| two moons g=0.1, error % of unlabelled | ",
		"\n* noiseless moons"} {
		if !strings.Contains(first, want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	if r := run(t, "", "reproduce", "becker-f3.1", "--markdown", "no/folder/a.md"); r.code != exitData || r.stdout != "" {
		t.Errorf("a folder that is not there: %+v", r)
	}
}
