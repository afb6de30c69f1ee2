package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/chromium"
)

// TestOpenPage: of a page with a look, and a script that asks for more once it is there, all requests and bytes are counted, and it is
// known when it was seen; a page that asks another host, or shows nothing, is an error.
func TestOpenPage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip(err)
	}
	file := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, ".css"):
				w.Header().Set("Content-Type", "text/css")
			case r.URL.Path == "/":
				w.Header().Set("Content-Type", "text/html")
			}
			_, _ = fmt.Fprint(w, text)
		}
	}
	parts := map[string]string{
		"/":      `<!DOCTYPE html><link rel="stylesheet" href="a.css"><p>seen</p><script src="a.js"></script>`,
		"/a.css": "p { color: red }", "/a.js": `setTimeout(() => fetch("rows"), 300)`, "/rows": strings.Repeat("1,2\n", 1000),
	}
	page, bytes := http.NewServeMux(), 0
	for path, text := range parts {
		page.HandleFunc("GET "+path, file(text))
		bytes += len(text)
	}
	window := chromium.Window{Width: 360, Height: 800}
	open := func(h http.Handler) (load, error) {
		return weighed{"a page", h}.open(context.Background(), t.TempDir(), window)
	}
	one, err := open(page)
	if err != nil || one.requests != int64(len(parts)) || one.bytes != int64(bytes) || one.Paint <= 0 {
		t.Errorf("%+v, %v; want %d requests of %d bytes", one, err, len(parts), bytes)
	}
	for text, want := range map[string]string{
		`<p>seen</p><img src="http://127.0.0.1:1/a.png">`: "other hosts", `<body></body>`: "nothing was drawn",
	} {
		if one, err := open(file("<!DOCTYPE html>" + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, one, err)
		}
	}
}
