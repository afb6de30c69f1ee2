package reproduce

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeSpoken writes utterances of letters, those of the first half far from those of the second, by the parts that a speaker says.
func writeSpoken(t *testing.T, dir, name string, speakers, utterances int) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	fmt.Fprintln(z, "x,y,label")
	for s := range speakers {
		for u := range utterances {
			letter := u/2 + 1
			side := float64((letter-1)/(isoletLetters/2))*40 - 20
			fmt.Fprintf(z, "%g,%g,%d\n", side+float64(letter%5)/4, float64(s+u%2)/2, letter)
		}
	}
	for _, close := range []func() error{z.Close, f.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
}

// With the labels of any one of three speakers the machines decide the letters of all right, as far as they are apart; of other speakers
// only where there is a file of them, and a second utterance is a row never seen.
func TestSpokenLetters(t *testing.T) {
	dir := t.TempDir()
	writeSpoken(t, dir, isoletSpeakers, 3, isoletUtterances)
	for _, c := range []struct {
		id     string
		others bool
		unseen bool
	}{{"sindhwani-f2.6", false, false}, {"sindhwani-f2.7", false, true}, {"sindhwani-f2.6", true, true}} {
		if c.others {
			writeSpoken(t, dir, isoletOthers, 2, isoletUtterances-1)
		}
		table, err := Run(t.Context(), c.id, dir, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		unseen := false
		for _, r := range table.Rows {
			unseen = unseen || strings.HasSuffix(r.Metric, "never seen")
			if r.Runs != 3 || r.Ours != 0 {
				t.Errorf("%s, %s, %s: %g in %d runs", c.id, r.Case, r.Metric, r.Ours, r.Runs)
			}
		}
		if unseen != c.unseen || len(table.Figures) != map[bool]int{true: 1}[unseen] {
			t.Errorf("%s: rows never seen %v, %d figures", c.id, unseen, len(table.Figures))
		}
	}
	writeSpoken(t, dir, isoletSpeakers, 3, isoletUtterances-2)
	if _, err := Run(t.Context(), "sindhwani-f2.7", dir, Options{}); err == nil || !strings.Contains(err.Error(), "150 rows") {
		t.Errorf("a speaker of 50 rows: %v", err)
	}
	if got := wrongAtBreakEven([]float64{3, 2, 1, 0}, []int{1, 0, 1, 0}); got != 50 {
		t.Errorf("one of two positive rows among the first two: an error of %g %%", got)
	}
}
