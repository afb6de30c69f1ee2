package method

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"

	"github.com/mercer-ml/mercer/kernel"
)

// TestEntriesAreKept: what is said of kernels, scores, searches and losses stays as it is in testdata; what is
// said of methods is of their declarations.
func TestEntriesAreKept(t *testing.T) {
	var b bytes.Buffer
	for _, e := range Entries() {
		if e.Kind == KindMethod {
			continue
		}
		text, err := json.MarshalIndent(e, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	kept.Text(t, "testdata/entries.json", b.String())
}

// TestMethodsAreTheirDeclarations: an entry of a method and the meaning of its parameters are those of its
// declaration; flags are no parameters of a kernel, and unknown names mean nothing.
func TestMethodsAreTheirDeclarations(t *testing.T) {
	for _, m := range All() {
		list := FindEntries(m.ID)
		if len(list) == 0 || list[0].Kind != KindMethod || list[0].Title != m.Title || len(list[0].Parameters) != len(m.Settings) {
			t.Fatalf("%s: %+v", m.ID, list)
		}
		for i, s := range m.Settings {
			p, name := list[0].Parameters[i], s.Name
			if s.Flag {
				name = "--" + name
			}
			if p.Name != name || p.Default != s.Default || p.About != s.About || p.Range != s.Accepts() {
				t.Errorf("%s: %+v of %+v", m.ID, p, s)
			}
			if got := Meaning(m.ID, s.Name); !s.Flag && got != s.About {
				t.Errorf("%s of %s means %q", s.Name, m.ID, got)
			}
		}
	}
	for _, e := range kernel.Kinds() {
		for _, p := range e.Parameters {
			if name, _, _ := strings.Cut(p.Name, "["); Meaning("nothing", name) == "" {
				t.Errorf("%s of %s means nothing", name, e.ID)
			}
		}
	}
	if Meaning("rls", "nothing") != "" || len(FindEntries("nothing")) != 0 {
		t.Error("an unknown name has a meaning")
	}
}
