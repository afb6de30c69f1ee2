package methodtest

import (
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/method"
)

func TestMethods(t *testing.T) {
	for _, id := range method.IDs(nil) {
		t.Run(id, func(t *testing.T) { Run(t, id) })
	}
}

// Every setting that a method declares is tried.
func TestEverySettingIsProbed(t *testing.T) {
	all := probes()
	for _, m := range method.All() {
		for _, s := range m.All() {
			if all[s.Key()] == nil {
				t.Errorf("%s: no value to try of %s", m.ID, s.Key())
			}
		}
	}
}

// A setting without effect is found: a seed where nothing is drawn is one, were it not excused.
func TestSilenceIsHeard(t *testing.T) {
	m, _ := method.Find("rls")
	a := answers{t: t, method: m, kept: map[string]string{}}
	if !a.silent([]probe{{value: "7", on: flowers}}, "--seed", mercer.Recipe{Method: "rls"}) {
		t.Error("a seed where nothing is drawn was not found to be without effect")
	}
	if a.silent([]probe{{value: "none", on: flowers}}, "--tune", mercer.Recipe{Method: "rls"}) {
		t.Error("no tuning was found to be without effect")
	}
}
