// Package axetest checks pages for barriers: it opens them in Chromium at the widths of a telephone and of a desk, light and dark, and
// has axe-core look at them (Deque; MPL 2.0, run by tests and no part of the program).
package axetest

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// Variable names the file axe.min.js of axe-core, as npm install axe-core makes it.
const Variable = "MERCER_AXE"

// driver opens a page in a frame, waits until it stands still, and writes down what axe finds.
const driver = `<!DOCTYPE html><html style="color-scheme: light dark"><body style="margin:0">
<iframe src="%s" style="border:0;display:block;width:%dpx;height:%dpx"></iframe><script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", async () => {
  let seen;
  try {
    const page = frame.contentDocument;
    await new Promise(r => setTimeout(r, 1000));
    await new Promise((done, fail) => {
      const script = page.createElement("script");
      script.src = "/axe.min.js";
      script.onload = done;
      script.onerror = fail;
      page.head.appendChild(script);
    });
    const found = await frame.contentWindow.axe.run(page, { resultTypes: ["violations"] });
    seen = { Found: found.violations.map(v => ({ Rule: v.id, Impact: v.impact, Help: v.help,
      At: v.nodes.slice(0, 5).map(n => n.target.join(" ") + ": " + n.html.slice(0, 120)) })) };
  } catch (e) { seen = { Failed: String(e) }; }
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.appendChild(out);
});
</script></body></html>`

// seen is what the driver writes.
type seen struct {
	Failed string
	Found  []struct {
		Rule, Impact, Help string
		At                 []string
	}
}

// Check opens the paths of a site, and fails the test for every barrier that is found. It is skipped without Chromium or axe-core.
func Check(t *testing.T, site http.Handler, pages ...string) {
	t.Helper()
	slowtest.Only(t, "skipped: it starts a browser four times a page")
	script := os.Getenv(Variable)
	if script == "" {
		t.Skipf("no axe-core here; npm install axe-core, and let %s be its axe.min.js", Variable)
	}
	path, at := chromium.Path(t), served(t, site, script)
	for _, page := range pages {
		for _, w := range chromium.Windows() {
			got, err := open(t.Context(), path, t.TempDir(), at, page, w)
			if err != nil {
				t.Errorf("%s, %v: %v", page, w, err)
				continue
			}
			for _, v := range got.Found {
				t.Errorf("%s, %v: %s (%s): %s: %q", page, w, v.Rule, v.Impact, v.Help, v.At)
			}
		}
	}
}

// served is the address of the site, with axe-core and the driver beside it. The site's rule that no other script may run is left out.
func served(t *testing.T, site http.Handler, script string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { site.ServeHTTP(unguarded{w}, r) })
	mux.HandleFunc("/axe.min.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, script) })
	mux.HandleFunc("/axe-driver", func(w http.ResponseWriter, r *http.Request) {
		var width, height int
		if _, err := fmt.Sscan(r.FormValue("width")+" "+r.FormValue("height"), &width, &height); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, driver, html.EscapeString(r.FormValue("path")), width, height)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }() // ends with the test
	t.Cleanup(func() { _ = web.Close() })
	return l.Addr().String()
}

// unguarded is a writer whose answers allow any script.
type unguarded struct{ http.ResponseWriter }

func (w unguarded) WriteHeader(code int) {
	w.Header().Del("Content-Security-Policy")
	w.ResponseWriter.WriteHeader(code)
}

func (w unguarded) Write(b []byte) (int, error) {
	w.Header().Del("Content-Security-Policy")
	return w.ResponseWriter.Write(b)
}

// open is what the driver sees of a page of the site at an address.
func open(ctx context.Context, path, profile, at, page string, w chromium.Window) (got seen, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	address := fmt.Sprintf("http://%s/axe-driver?path=%s&width=%d&height=%d", at, page, w.Width, w.Height)
	opened := chromium.Page{Window: w, Profile: profile, Address: address}
	err = chromium.Dump(ctx, path, opened, &got, "--virtual-time-budget=60000")
	if err == nil && got.Failed != "" {
		err = errors.New(got.Failed)
	}
	return got, err
}
