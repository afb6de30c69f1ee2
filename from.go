package mercer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mercer-ml/mercer/model"
)

// From is the recipe that goes on from a model, for more rows or more labels than it was learned from: the recipe of its fit,
// with its choices made. Of an average of a design it names the machines that the average has (Recipe.Candidates); their
// strengths and weights are found anew by the labels that are there, which costs as much as they do. Of a searched machine the
// hyper-parameters are those that were found, so that one machine is trained and scored; classes with hyper-parameters of their own
// are searched anew. A model that no fit has made, as one of
// LIBSVM's, is an error.
func From(m *model.Model) (Recipe, error) {
	var r Recipe
	if len(m.Recipe) == 0 || json.Unmarshal(m.Recipe, &r) != nil {
		return r, errors.New("the model does not say how it was fitted, as one that was converted from another program; fit anew")
	}
	var found struct {
		Candidates []string       `json:"candidates"`
		Params     map[string]any `json:"params"`
		Members    []struct {
			Class string `json:"class"`
		} `json:"members"`
	}
	if len(m.Result) > 0 {
		if err := json.Unmarshal(m.Result, &found); err != nil {
			return r, fmt.Errorf("the model's description of its fit is damaged: %w; fit anew", err)
		}
	}
	if r.Candidates = found.Candidates; r.Candidates != nil || r.Tune == "none" {
		return r, nil
	}
	for _, m := range found.Members {
		if m.Class != "" { // each class has parameters of its own, and they are searched anew
			return r, nil
		}
	}
	set := maps.Clone(r.Set)
	if set == nil {
		set = map[string]string{}
	}
	for name, value := range found.Params {
		if _, given := set[name]; given {
			continue
		}
		one := r
		one.Set = maps.Clone(set)
		one.Set[name] = written(value)
		if Check(one) == nil { // else it is told, but cannot be set
			set = one.Set
		}
	}
	if len(set) > 0 {
		r.Set = set
	}
	return r, nil
}

// written is a value of a result as a setting has it: lists are parted by commas.
func written(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ",")
}
