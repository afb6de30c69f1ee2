package task

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// TestKindsInWords: every search that may be asked for is described once, and every score by a name that is read again, but for the one
// of reproductions; searches that follow derivatives are those that say so.
func TestKindsInWords(t *testing.T) {
	var ids []string
	for _, k := range SearchKinds() {
		ids = append(ids, k.ID)
		if k.Title == "" || k.About == "" || k.Source == "" {
			t.Errorf("%s is not described: %+v", k.ID, k)
		}
	}
	want := slices.Clone(Searches)
	slices.Sort(want)
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		t.Errorf("the searches %v are described, of %v", ids, want)
	}
	for search, follows := range map[string]bool{
		"gradient": true, "rprop": true, "sqp": true, "grid": false, "random": false, "nelder-mead": false, "auto": false, "": false,
	} {
		if Differentiates(search) != follows {
			t.Errorf("%q follows derivatives: %v", search, !follows)
		}
	}
	words := strings.NewReplacer("K", "5", "SHARE", "0.25", "NAME", "span")
	var seen []string
	for _, s := range Scores() {
		if slices.Contains(seen, s.ID) {
			t.Errorf("%s is described twice", s.ID)
		}
		seen = append(seen, s.ID)
		if _, err := ParseScoring(words.Replace(s.ID)); (err != nil) != (s.ID == "press-system") {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
	for _, one := range []string{"none", "gcv", "loo:press", "kfold:K", "bound:NAME"} {
		if !slices.Contains(seen, one) {
			t.Errorf("of %s nothing is said in %v", one, seen)
		}
	}
}

// TestGammaOfSums: gamma of the Gaussian's square is none of kernels of absolute differences, which say what to give in its place; of
// others it is the width or the scale.
func TestGammaOfSums(t *testing.T) {
	ask := func(spec string) (*Task, error) {
		r := Request{Recipe: result.Recipe{Kernel: spec, Scale: "none"}, Values: setting.Values{}}
		if err := r.ReadKernel("gamma", "0.125"); err != nil {
			t.Fatal(err)
		}
		return Prepare(t.Context(), some(turns(12, "x", "y")...), r, result.Options{}, Coding{Method: "rls"}, 0)
	}
	for _, spec := range []string{"l1-laplacian", "ard-l1-laplacian"} {
		_, err := ask(spec)
		failtest.Refused(t, err, "--set gamma: it is of the Gaussian's square; of kernel "+spec+" give --set sigma=VALUE, 1/gamma of "+
			"scikit-learn's laplacian_kernel")
	}
	if p, err := ask("polynomial"); err != nil || p.Base.(kernel.Polynomial).Scale != 0.125 {
		t.Errorf("the scale of a polynomial: %v", err)
	}
	if p, err := ask("ard-gaussian"); err != nil || math.Abs(p.Base.(kernel.ARDGaussian).Sigma[1]-2) > 1e-15 {
		t.Errorf("the widths of columns: %v", err)
	}
	if _, err := ask("linear"); err == nil || !strings.Contains(err.Error(), "gamma") {
		t.Errorf("a kernel without either: %v", err)
	}
}

// TestClassTotalsOfWeights: classes weigh alike by the weights of their rows: a row of weight 3 counts as three, one without a label
// as none.
func TestClassTotalsOfWeights(t *testing.T) {
	in := weighted(some("x", "y", "", "x"), 1, 1, 9, 2)
	p := must(t, in, result.Recipe{ClassWeight: "balanced"}, Coding{})
	// x has a total of 3 and y of 1; row 3, of x, has 1.5 times the mean weight, the others of x and y 0.75 times.
	for q, want := range []float64{0.75 * 2 / 3, 0.75 * 2, 1.5 * 2 / 3} {
		if got := p.Problem.Weight[q]; math.Abs(got-want) > 1e-15 {
			t.Errorf("labelled row %d weighs %g, expected %g", q, got, want)
		}
	}
	smooth := must(t, in, result.Recipe{Tune: "loo:smooth-wer"}, Coding{})
	if c := smooth.Scoring.Criterion.(score.SmoothWeighted); c.Eta != 1./3 {
		t.Errorf("eta is %g, expected 1/3", c.Eta)
	}
}
