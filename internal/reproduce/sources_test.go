package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

// Every table and figure of the sources is run by an experiment or says where it is instead, and every
// experiment names tables and figures that are there.
func TestSourcesAreComplete(t *testing.T) {
	for _, s := range sources() {
		for _, x := range s.shown {
			ids := s.experiments(x.what)
			if (x.reason == "") == (len(ids) == 0) {
				t.Errorf("%s, %s: experiments %v, reason %q: exactly one of them must be there", s.name, x.what, ids, x.reason)
			}
		}
		for _, x := range List() {
			if !strings.HasPrefix(x.Source, s.name) {
				continue
			}
			for _, what := range x.shows() {
				if !slices.ContainsFunc(s.shown, func(o shown) bool { return o.what == what }) {
					t.Errorf("%s: %s is not in %s", x.ID, what, s.name)
				}
			}
		}
	}
}

// docs/sources.md is what the declarations say; go test ./reproduce -args -update writes it.
func TestSourcesPage(t *testing.T) {
	var b strings.Builder
	if err := Sources(&b); err != nil {
		t.Fatal(err)
	}
	kept.Text(t, "../../docs/sources.md", b.String())
}
