package methodtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
)

// strengthsSet are values of the weights of norms and losses, each with what it needs beside it. Zero is none of that norm.
var strengthsSet = []given{
	{"lambda": "0.07"}, {"C": "0.3"}, {"gamma_a": "0.05"}, {"gamma_a": "0.05", "gamma_i": "2"}, {"gamma_a": "0.05", "gamma_i": "0"},
	{"coupling": "3"}, {"unlabelled_weight": "0.4"}, {"penalty": "0.3"}, {"alpha": "0.7"},
}

// heeded is the check that a weight that is set is the one that is printed, with nothing tuned and whatever looks for the other parameters.
func heeded(t *testing.T, m method.Method) {
	if m.Supports(nil).Front {
		return // every member has a weight of its own
	}
	if m.ID == method.Auto {
		return // its answer may be another method, which has no such weight
	}
	for _, company := range []given{alone, {}, and(drawn, given{"--budget": "2"}), {"--search": "gradient", "--budget": "2"},
		{"--tune": "none", "solver": "cg"}} {
		for _, set := range strengthsSet {
			r := with(with(plainRecipe(m), company), set)
			f, err := fit(t.Context(), sample(t, binary(m)), r, mercer.Options{})
			var usage *mercer.UsageError
			if errors.As(err, &usage) {
				continue // the method has none, or not in this company
			}
			if err != nil {
				t.Errorf("%+v: %v", r, err)
				continue
			}
			for _, fault := range otherThanSet(f.result, set) {
				t.Errorf("%+v: %s", r, fault)
			}
		}
	}
}

// otherThanSet lists the weights that a result prints otherwise than they were set.
func otherThanSet(res *mercer.Result, set given) (list []string) {
	params := []map[string]any{res.Params}
	for _, one := range res.Members {
		params = append(params, one.Params)
	}
	for _, p := range params {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if p == nil || p[name] == nil && len(res.Members) > 0 {
				continue // members without a graph have no weight of it
			}
			var want float64
			_, _ = fmt.Sscan(set[name], &want) // of our own table
			if got, ok := p[name].(float64); !ok || !near(got, want, 1e-9) {
				list = append(list, fmt.Sprintf("%s is printed as %v", name, p[name]))
			}
		}
	}
	return list
}
