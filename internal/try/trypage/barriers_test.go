package trypage_test

import (
	"net/http"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/axetest"
)

// TestBarriers: the page, before its program is there, has none that axe-core knows.
func TestBarriers(t *testing.T) {
	axetest.Check(t, http.FileServer(http.Dir("../../../docs/try")), "/")
}
