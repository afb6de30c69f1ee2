package report

import (
	"net/http"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/test/axetest"
)

// TestBarriers: the page of a fit and of a front has none that axe-core knows.
func TestBarriers(t *testing.T) {
	run := fitted(t, "two-moons:n=120", 10, mercer.Recipe{})
	run.Result.Warnings = []string{"a warning"}
	run.Curve = []Share{{3, 0.3, 0.1, 0.5}, {5, 0.2, 0.1, 0.4}}
	p := page(t, run)
	p.Sections = append(p.Sections, frontOf(30).Sections()...)
	dir := t.TempDir()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	axetest.Check(t, http.FileServer(http.Dir(dir)), "/")
}
