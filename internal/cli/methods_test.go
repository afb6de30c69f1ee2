package cli

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
)

// TestSchemas: a method's schema says for which labels it is, and beside which method it is printed.
func TestSchemas(t *testing.T) {
	list := map[string]methodSchema{}
	for _, s := range schemas() {
		list[s.ID] = s
	}
	for _, m := range method.All() {
		want := map[data.Task]string{data.TaskAuto: "any", data.Classification: "classification", data.Regression: "regression"}[m.For]
		if s := list[m.ID]; s.Task != want || s.Baseline != m.Baseline || len(s.Settings.Properties) != len(m.All()) {
			t.Errorf("%s is for %s, schema %+v", m.ID, want, s)
		}
	}
}
