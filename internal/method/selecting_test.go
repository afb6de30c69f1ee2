package method

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
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

// TestSelectingTooMuch: where a feature was dropped that counts, the score is worse, and that is said; where what is dropped is noise, or
// nothing is dropped, nothing is said.
func TestSelectingTooMuch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	x, noise := mat.NewDense(40, 3, nil), mat.NewDense(40, 3, nil)
	sum, first := make(data.Answers, 40), make(data.Answers, 40)
	for i := range 40 {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
			noise.Set(i, j, x.At(i, j)*math.Pow(0.1, float64(j))) // small, and it does not count
		}
		sum[i] = fmt.Sprint(x.At(i, 0) + 0.8*x.At(i, 1) + 0.6*x.At(i, 2))
		first[i] = fmt.Sprint(x.At(i, 0) + 0.05*rng.NormFloat64())
	}
	for _, c := range []struct {
		share   string
		rows    *mat.Dense
		answers data.Answers
		dropped bool
		warned  bool
	}{
		{"0.99", x, sum, true, true}, {"1e-12", x, sum, false, false}, {"0.2", noise, first, true, false},
	} {
		in := result.Input{Set: &data.Set{Source: "set", Name: "set", LabelName: "label", Features: []string{"a", "b", "c"},
			Rows: data.Rows{Dense: c.rows}, Answers: c.answers}}
		p, candidates := producedFrom(t, in, "rls select="+c.share+" --kernel ard-gaussian --search gradient --budget 60")
		warned := strings.Contains(strings.Join(p.Warnings, "\n"), "features were dropped that count; give --set select= a smaller share")
		if candidates.Kept.Dropped != c.dropped || warned != c.warned {
			t.Errorf("a share of %s: kept %v, warnings %q", c.share, candidates.Kept.Names, p.Warnings)
		}
	}
}
