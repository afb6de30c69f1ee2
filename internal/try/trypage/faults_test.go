package trypage_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// presser waits until the page has failed to learn its example, presses Learn and Cancel, if need be once Learn can be pressed, and tells
// what the page says after each.
const presser = `<!DOCTYPE html><html><body><iframe src="/"></iframe><script>
const frame = document.querySelector("iframe");
const until = async test => { for (let i = 0; i < 1000 && !test(); i++) await new Promise(r => setTimeout(r, 10)); };
frame.addEventListener("load", async () => {
  const page = frame.contentDocument, at = id => page.getElementById(id), failed = () => page.body.dataset.state === "failed";
  const said = [], tell = () => said.push(at("status").textContent + " " + at("fault").textContent);
  await until(failed);
  tell();
  if (again) await until(() => !at("learn").disabled);
  at("learn").click();
  await until(failed);
  tell();
  if (again) await until(() => !at("learn").disabled);
  at("cancel").click();
  tell();
  said.push(at("learn").disabled ? "no" : "yes");
  await fetch("/said", { method: "POST", body: JSON.stringify(said) });
});
</script></body></html>`

// page is the folder of the page.
const page = "../../../docs/try"

// program stands for what Go compiles, whose function mercerLearn is the text.
const program = `self.Go = class {
  importObject = {};
  run() {
    self.mercerLearn = () => { %s };
    postMessage('{"kind":"ready"}');
    return new Promise(end => { this.end = end; });
  }
};`

// TestFaults: where the program is not there, or the browser cannot unpack it, the page says so and Learn cannot be pressed. Where it ends
// while it learns, as by a panic, the page says so and takes another worker.
func TestFaults(t *testing.T) {
	slowtest.Only(t, "skipped: it starts a browser")
	path := chromium.Path(t)
	script, err := os.ReadFile(filepath.Join(page, "try.js"))
	if err != nil {
		t.Fatal(err)
	}
	const module = "\x00asm\x01\x00\x00\x00" // with nothing in it
	for _, c := range []struct {
		name, module, learn, before string
		again                       bool
		want                        string
	}{
		{name: "no program", want: `Nothing was learned. mercer.wasm.gz: 404; run "make try"`},
		{name: "an old browser", module: module, before: "delete window.DecompressionStream;\n",
			want: "Nothing was learned. This browser cannot run"},
		{name: "a panic", module: module, learn: "this.end()", again: true, want: "Nothing was learned. Mercer broke off. "},
		{name: "a panic before", module: module, learn: `throw new Error("it has exited")`, again: true,
			want: "Nothing was learned. it has exited"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := pressed(t, path, map[string]string{
				"try.js":         c.before + string(script),
				"wasm_exec.js":   fmt.Sprintf(program, c.learn),
				"mercer.wasm.gz": c.module,
				"press.html":     strings.Replace(presser, "<script>", fmt.Sprintf("<script>const again = %v;", c.again), 1),
			})
			for _, got := range said[:3] {
				if !strings.HasPrefix(got, c.want) {
					t.Errorf("the page says %q, want %q", got, c.want)
				}
			}
			if can := said[3] == "yes"; can != c.again {
				t.Errorf("Learn can be pressed: %v, want %v", can, c.again)
			}
		})
	}
}

// pressed is what presser tells of the page with these files in it, in place of its own; an empty one is not there.
func pressed(t *testing.T, path string, files map[string]string) []string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(page)))
	for name, text := range files {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			if text == "" {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, name, time.Time{}, strings.NewReader(text))
		})
	}
	heard := make(chan []string, 1)
	mux.HandleFunc("POST /said", func(_ http.ResponseWriter, r *http.Request) {
		var said []string
		if err := json.NewDecoder(r.Body).Decode(&said); err != nil {
			t.Error(err)
		}
		heard <- said
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	profile, err := os.MkdirTemp("", "mercer-try-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(profile) }() // what a browser still writes may stay
	window := chromium.Page{Window: chromium.Windows()[0], Profile: profile, Address: server.URL + "/press.html"}
	cmd := chromium.Command(t.Context(), path, window, "--remote-debugging-port=0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	select {
	case said := <-heard:
		return said
	case <-time.After(2 * time.Minute):
		t.Fatal("the browser did not come to an end")
		return nil
	}
}
