package mercer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/result"
)

// wave is a regression of 30 rows.
func wave(t *testing.T) *data.Set {
	t.Helper()
	var text strings.Builder
	text.WriteString("x,y\n")
	for i := range 30 {
		v := float64(i) / 5
		fmt.Fprintf(&text, "%g,%g\n", v, math.Sin(2*v)+0.1*math.Cos(37*v))
	}
	set, _, err := read.CSV(t.Context(), strings.NewReader(text.String()), "wave", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// An interrupt keeps what is nondominated so far, says so, and gives a model with it.
func TestInterruptedParetoKeepsTheFront(t *testing.T) {
	set := wave(t)
	for _, r := range []Recipe{
		{Method: "mobj-rbf", Set: map[string]string{"joint": "no"}},
		{Method: "mobj-rbf", Set: map[string]string{"joint": "yes", "max_q": "40"}},
		{Method: "grn"},
		{Method: "mobj-grn", Set: map[string]string{"complexity": "q-norm"}},
	} {
		partial := 0
		for asked := 2; partial == 0 && asked < 1<<14; asked *= 2 {
			ctx := stoptest.After(t.Context(), asked)
			m, res, err := Pareto(ctx, Input{Set: set}, r, Options{}, 0)
			if errors.Is(err, context.Canceled) {
				continue
			}
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			if !res.Partial {
				break
			}
			partial++
			if !strings.Contains(strings.Join(res.Warnings, "\n"), "partial") || len(m.Front.Members) != len(res.Front) ||
				res.Chosen() < 0 {
				t.Errorf("%v: %d members, %d in the model, warnings %q", r, len(res.Front), len(m.Front.Members), res.Warnings)
			}
			met, n, err := Evaluate(t.Context(), m, set.Rows, set.Answers)
			if err != nil || n != set.Rows.Len() || !(met["rmse"] < 2) {
				t.Errorf("%v: %d rows, %v, %v", r, n, met, err)
			}
			for i := 1; i < len(res.Front); i++ {
				if a, b := res.Front[i-1], res.Front[i]; a.Complexity > b.Complexity || a.Risk < b.Risk {
					t.Errorf("%v: member %d (%g, %g) after (%g, %g)", r, i+1, b.Risk, b.Complexity, a.Risk, a.Complexity)
				}
			}
		}
		if partial == 0 {
			t.Errorf("%v: never partial", r)
		}
	}
}

// Fronts of one output say what they were merged from.
func TestFrontParts(t *testing.T) {
	in := Input{Set: wave(t)}
	for _, r := range []Recipe{{Method: "mobj-rbf", Set: map[string]string{"joint": "no", "sigma": "0.3,3"}},
		{Method: "grn", Set: map[string]string{"sigma": "0.3,3", "lambda": "0.01,1"}}} {
		r.Decision = "bic"
		_, res, err := Pareto(context.Background(), in, r, Options{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Parts) < 2 || !strings.HasPrefix(res.Parts[0].Name, "sigma ") {
			t.Fatalf("%v: %d parts", r, len(res.Parts))
		}
		for _, m := range res.Front { // no part is below the front
			for _, p := range res.Parts {
				for i := range p.Risk {
					if p.Complexity[i] < m.Complexity*(1-1e-9) && p.Risk[i] < m.Risk*(1-1e-9) && r.Method == "grn" {
						t.Errorf("%v: %s (%g, %g) dominates (%g, %g)", r, p.Name, p.Risk[i], p.Complexity[i], m.Risk, m.Complexity)
					}
				}
			}
		}
	}
}

// validation:K judges by one part in K, which cv:K does in turn.
func TestValidationDecision(t *testing.T) {
	in := Input{Set: wave(t)}
	for _, method := range []string{"mobj-rbf", "grn"} {
		scores := func(decision string) []result.FrontMember {
			r := Recipe{Method: method, Decision: decision}
			if method == "mobj-rbf" {
				r.Set = map[string]string{"max_q": "10"} // else ranges follow the member chosen
			}
			_, res, err := Pareto(context.Background(), in, r, Options{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if res.Decision != decision || res.Chosen() < 0 {
				t.Errorf("%s: %s chose member %d", decision, res.Decision, res.Chosen())
			}
			return res.Front
		}
		one, all := scores("validation:4"), scores("cv:4")
		differ := false
		for k := range one {
			if one[k].Risk != all[k].Risk || one[k].Score == nil {
				t.Fatalf("%s: member %d is %+v by one part, %+v by all", method, k+1, one[k], all[k])
			}
			differ = differ || *one[k].Score != *all[k].Score
		}
		if !differ {
			t.Errorf("%s: one part in four has the scores of all", method)
		}
	}
	if _, _, err := Pareto(context.Background(), in, Recipe{Method: "grn", Decision: "validation:1"}, Options{}, 0); err == nil {
		t.Error("validation:1 accepted")
	}
}
