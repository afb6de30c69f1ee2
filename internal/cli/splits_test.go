package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestDrawnSplits: every split is what fit draws for its seed, of a built-in set and of a file.
func TestDrawnSplits(t *testing.T) {
	folderWith(t, nil)
	ok(t, "data", "wine", "-o", "w.csv")
	for _, name := range []string{"wine", "w.csv"} {
		for _, flags := range [][]string{{"--labels", "20"}, {"--labels-per-class", "4"}} {
			ok(t, append([]string{"data", name, "--splits", "3", "--seed", "5", "-o", "s.csv"}, flags...)...)
			each := func(arguments ...string) string {
				var r struct {
					Metrics map[string]map[string]float64 `json:"metrics"`
					Splits  *struct {
						Each []float64 `json:"each"`
					} `json:"splits"`
				}
				out := done(t, append([]string{"fit", name, "--method", "rls", "--json", "--quiet"}, arguments...)...).stdout
				if err := json.Unmarshal([]byte(out), &r); err != nil {
					t.Fatal(err)
				}
				if r.Splits != nil {
					return fmt.Sprint(r.Splits.Each)
				}
				return fmt.Sprint(r.Metrics["hidden"]["error"])
			}
			var alone []string
			for _, seed := range []string{"5", "6", "7"} {
				alone = append(alone, each(append([]string{"--seed", seed}, flags...)...))
			}
			if got, want := each("--splits", "s.csv"), "["+strings.Join(alone, " ")+"]"; got != want {
				t.Errorf("%s %v: errors %s, want %s", name, flags, got, want)
			}
		}
	}
	for _, c := range []struct{ line, says string }{
		{"data iris --labels 3", "go with --splits"},
		{"data iris --label x", "go with --splits"},
		{"data iris --splits 0 --labels 3", "at least 1"},
		{"data iris --splits 2", "give --labels N"},
		{"data iris --splits 2 --labels 3 --labels-per-class 1", "give --labels N"},
		{"data iris --splits 2 --labels 3 --label class", "a built-in set has its labels"},
		{"data --splits 2", "name a set"},
		{"data iris --splits 2 --labels 1000", "1000 labels asked for"},
	} {
		r := run(t, "", strings.Fields(c.line)...)
		if r.code == 0 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: exit %d, %q", c.line, r.code, r.stderr)
		}
	}
}
