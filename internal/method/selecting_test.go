package method

import (
	"slices"
	"testing"
)

// TestSelecting: a search that drops features keeps those of the asked share of the largest relevance, in order and by their names, within
// the budget; of a share of nearly nothing it keeps all.
func TestSelecting(t *testing.T) {
	for text, all := range map[string]bool{
		"rls select=1e-12 --kernel ard-gaussian --search gradient --budget 12":  true,
		"rls select=1e-12 --kernel ard-gaussian --search gradient --budget 300": true,
		"rls select=0.9 --kernel ard-gaussian --search gradient --budget 300":   false,
	} {
		p, c := produced(t, text)
		kept := c.Kept
		if kept == nil || !p.Selected || kept.Dropped == all || (len(kept.Columns) == 3) != all || !slices.IsSorted(kept.Columns) {
			t.Fatalf("%s: %+v", text, kept)
		}
		for q, name := range kept.Names {
			if name != p.Input.Set.Features[kept.Columns[q]] {
				t.Errorf("%s: column %d is %s", text, kept.Columns[q], name)
			}
		}
		if n := c.Tuning.Evaluations; n < 2 || n > p.Recipe.Budget {
			t.Errorf("%s: %d evaluations", text, n)
		}
	}
}
