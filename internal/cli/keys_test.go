package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/result"
)

// TestFormatsNameEveryKey: docs/formats.md names every key of the objects that --json prints.
func TestFormatsNameEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var walk func(from string, of reflect.Type)
	walk = func(from string, of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(from, of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		for f := range of.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if key != "" && !strings.Contains(string(text), "`"+key+"`") {
				t.Errorf("docs/formats.md does not name the key %s.%s", from, key)
			}
			walk(from+"."+key, f.Type)
		}
	}
	for from, of := range map[string]any{
		"fit": mercer.Result{}, "pareto": result.FrontResult{}, "evaluate": evaluation{}, "cluster": clusterResult{}, "embed": embedResult{},
		"label": labelResult{}, "explain": explained{}, "shrink": result.Shrunk{},
	} {
		walk(from, reflect.TypeOf(of))
	}
}
