package axetest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// A page with a picture that says nothing and a grey text on grey has both barriers.
func TestFound(t *testing.T) {
	script := os.Getenv(Variable)
	if script == "" || testing.Short() {
		t.Skipf("needs %s", Variable)
	}
	path := chromium.Path(t)
	bad := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><head><title>t</title></head><body><main><h1>t</h1><img src="data:,">`+
			`<p style="color:#999;background:#888">grey</p></main></body></html>`)
	})
	at := served(t, bad, script)
	got, err := open(t.Context(), path, t.TempDir(), at, "/", chromium.Windows()[0])
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, v := range got.Found {
		rules = append(rules, v.Rule)
	}
	slices.Sort(rules)
	if !slices.Equal(rules, []string{"color-contrast", "image-alt"}) {
		t.Errorf("axe finds %v", rules)
	}
}

// The site of the documents has none: its first page, long texts, wide tables and references.
func TestDocuments(t *testing.T) {
	slowtest.Only(t, "skipped: it builds the site of the documents")
	if os.Getenv(Variable) == "" {
		t.Skipf("needs %s", Variable)
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", "-o", dir)
	cmd.Dir = "../../../tools/site"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	Check(t, http.FileServer(http.Dir(dir)), "/dev/", "/dev/docs/tutorial.html", "/dev/docs/methods.html", "/dev/docs/results/errors.html")
}
