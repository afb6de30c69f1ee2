package answer

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
)

// TestMembersInWords: the machine with the least score gives the kernel that is named, and of a stack the first; every machine of several
// is listed with its weight, of a stack with the error of its own left-out outputs too; features that were kept are named.
func TestMembersInWords(t *testing.T) {
	machine := func(name string, k kernel.Kernel, score float64, left ...float64) *choose.Candidate {
		return &choose.Candidate{Name: name, Method: "rls", Machine: &choose.Machine{Kernel: k, Score: score, LeftOut: mat.NewDense(4, 1, left)}}
	}
	list := []choose.Weighted{
		{Candidate: machine("worse", kernel.Gaussian{Sigma: 1}, 0.5, 1, -2, 3, 5), Weight: 0.75},
		{Candidate: machine("better", kernel.Linear{}, 0.25, 1, -4, 3, 4), Weight: 0.25},
	}
	for _, c := range []struct {
		rule   choose.Rule
		count  int
		kernel string
		errors []float64
	}{
		{nil, 2, "linear", nil}, {choose.Stack{}, 2, "gaussian", []float64{0.5, 1}}, {choose.Stack{}, 1, "gaussian", nil},
		{nil, 1, "gaussian", nil},
	} {
		a := sixRows(nil, nil, 1, -1, 1, 0)
		a.Task.Recipe.Kernel = "gaussian"
		a.Choice.Members, a.Candidates.Rule = list[:c.count], c.rule
		a.Candidates.Kept = &choose.Kept{Names: []string{"p", "q"}}
		var res result.Result
		if err := a.describeMembers(&res, a.Model(false)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(res.Selected, []string{"p", "q"}) || res.Kernel != c.kernel {
			t.Errorf("%+v: selected %q, kernel %q", c, res.Selected, res.Kernel)
		}
		if c.count == 1 {
			if res.Members != nil {
				t.Errorf("the only machine is one of %+v", res.Members)
			}
			continue
		}
		if len(res.Members) != 2 || !slices.Equal(res.Candidates, []string{"worse", "better"}) {
			t.Fatalf("%+v of %q", res.Members, res.Candidates)
		}
		for k, m := range res.Members {
			if m.Method != "rls" || m.Weight != list[k].Weight || m.Score != list[k].Score || m.Class != "" ||
				(m.Error != nil) != (c.errors != nil) {
				t.Errorf("%+v", m)
			}
			if m.Error != nil && math.Abs(*m.Error-c.errors[k]) > 1e-12 { // the root of the mean of the squares
				t.Errorf("the error of machine %d is %g, want %g", k, *m.Error, c.errors[k])
			}
		}
	}
}
