package method

import (
	"testing"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
)

// TestNamesOfCandidates: candidates are called what recipes that were stored before call them, whatever types are called.
func TestNamesOfCandidates(t *testing.T) {
	for word, k := range map[string]kernel.Kernel{
		"gaussian": kernel.Gaussian{}, "ardgaussian": kernel.ARDGaussian{}, "linear": kernel.Linear{}, "polynomial": kernel.Polynomial{},
		"laplacian": kernel.Laplacian{}, "sigmoid": kernel.Sigmoid{}, "expchi2": kernel.ExpChi2{}, "addchi2": kernel.AddChi2{},
		"constant": kernel.Constant{}, "chi2map": kernel.Chi2Map{}, "ardlinear": kernel.ARDLinear{}, "clusters": kernel.Clusters{},
		"components": kernel.Components{}, "product": kernel.Product{}, "columns": kernel.Columns{}, "normalised": kernel.Normalised{},
		"scaled": kernel.Scaled{}, "precomputed": kernel.Precomputed{}, "coupled": multiview.Coupled{}, "sum": multiview.Sum{},
	} {
		if got := nameOf(&choose.Candidate{Method: "rls", Own: k}); got != "rls, "+word {
			t.Errorf("%T is called %q, not %q", k, got, word)
		}
	}
	if got := kernelWord(kernel.Sum{}); got != coupledSumWord {
		t.Errorf("a sum is called %q", got)
	}
	for name, c := range map[string]*choose.Candidate{
		"rls, linear":    {Method: "rls", Linear: true},
		"rls, width 0.5": {Method: "rls", Width: 0.5},
		`lap-rls, width 1, ratio 100, {"kind":"knn","neighbours":6,"metric":"euclidean","symmetry":"union","weights":"binary",` +
			`"laplacian":"normalised","degree":2}, of all views`: {
			Method: "lap-rls", Width: 1, Ratio: 100, Joint: true, Graph: graph.Recipe{Neighbours: 6, Degree: 2},
		},
	} {
		if nameOf(c) != name {
			t.Errorf("a candidate is called %q, not %q", nameOf(c), name)
		}
	}
}
