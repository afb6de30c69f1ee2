package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/axetest"
	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/model"
)

// driver is a person: it waits for the page in the frame, fills in the example, asks by the keyboard, and writes down what is seen.
const driver = `<!DOCTYPE html><html style="color-scheme: light dark"><body style="margin:0">
<iframe src="/" style="border:0;display:block;width:%dpx;height:%dpx"></iframe><script>
const frame = document.querySelector("iframe");
const until = async (what, test) => {
  for (let i = 0; i < 400; i++) { if (test()) return; await new Promise(r => setTimeout(r, 25)); }
  throw new Error("waited in vain for " + what);
};
const write = seen => {
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.appendChild(out);
};
frame.addEventListener("load", async () => {
  const seen = {};
  try {
    const page = frame.contentDocument, view = frame.contentWindow;
    const at = id => page.getElementById(id);
    await until("the columns", () => at("rows").value.startsWith("u,v,w"));
    await until("a field for each column", () => page.querySelectorAll("#fields input").length === 3);
    seen.About = at("about").textContent;
    await until("the card", () => !at("card").hidden);
    seen.Card = at("card").textContent;
    at("example").click();
    await until("an example", () => at("rows").value.split("\n").length > 2);
    const field = at("field1");
    field.value = "2.5";
    field.dispatchEvent(new view.Event("input", { bubbles: true }));
    seen.Row = at("rows").value;
    at("table").open = true;
    at("rows").dispatchEvent(new view.KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
    await until("an answer", () => page.querySelector("article table"));
    const box = e => e.getBoundingClientRect();
    const kinds = "h1, h2, h3, p, dt, dd, label, textarea, button, select, summary, .scroll, .shares";
    const shown = [...page.querySelectorAll(kinds)].filter(e => box(e).width > 0 && !e.closest(".answer h2"));
    seen.Answer = page.querySelector("article h3").textContent;
    seen.Shares = page.querySelectorAll(".shares i").length;
    const bodies = page.querySelectorAll("article tbody");
    seen.Neighbours = bodies[bodies.length - 1].rows.length;
    seen.Why = bodies.length > 1 ? bodies[0].rows.length : 0;
    seen.Message = at("message").textContent;
    seen.Width = view.innerWidth;
    seen.Scroll = page.documentElement.scrollWidth;
    const outside = shown.filter(e => box(e).right > view.innerWidth + 1 || box(e).left < 0);
    seen.Outside = outside.map(e => e.tagName + " " + e.textContent.slice(0, 40));
    seen.Paper = view.getComputedStyle(page.body).backgroundColor;
    seen.Hosts = [...new Set(view.performance.getEntriesByType("resource").map(e => new URL(e.name).host))];
    const focusable = [...page.querySelectorAll("button, input, select, textarea, summary, [tabindex]")].filter(e => box(e).width > 0);
    seen.Unreachable = focusable.filter(e => e.tabIndex < 0).map(e => e.id || e.tagName);
    seen.Unnamed = [...page.querySelectorAll("input, select, textarea")].filter(e => e.labels.length === 0).map(e => e.id);
    at("rows").value = "u,v,w\n1,2,x\n";
    at("form").requestSubmit();
    await until("a fault", () => at("message").classList.contains("fault"));
    seen.Fault = at("message").textContent;
    seen.Left = page.querySelectorAll("article").length;
  } catch (e) { seen.Failed = String(e); }
  write(seen);
});
</script></body></html>`

// seen is what the driver writes.
type seen struct {
	About, Card, Row, Answer, Message, Fault, Paper, Failed string
	Shares, Neighbours, Why, Left                           int
	Width, Scroll                                           float64
	Outside, Hosts, Unreachable, Unnamed                    []string
}

// TestBrowser: a person asks by the page at the widths of a telephone and of a desk, light and dark, with the keyboard; nothing
// is beyond the edge, and no other host is asked.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path := chromium.Path(t)
	s := started(t, map[string]*model.Model{"m": recorded(t, three(1)), "n": number()}, Options{})
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("/driver/{width}/{height}", func(w http.ResponseWriter, r *http.Request) {
		var width, height int
		_, err := fmt.Sscan(r.PathValue("width")+" "+r.PathValue("height"), &width, &height)
		if err == nil {
			_, err = fmt.Fprintf(w, driver, width, height)
		}
		if err != nil {
			t.Error(err)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }() // ends with the test
	defer web.Close()
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, c := range []struct {
		chromium.Window
		paper string
	}{
		{chromium.Window{Width: 360, Height: 800}, "rgb(255, 255, 254)"},
		{chromium.Window{Width: 1280, Height: 900, Dark: true}, "rgb(20, 24, 29)"},
	} {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var got seen
			page := chromium.Page{Window: c.Window, Profile: filepath.Join(dir, fmt.Sprint("profile", c.Width)),
				Address: fmt.Sprintf("http://%s/driver/%d/%d", l.Addr(), c.Width, c.Height)}
			err := chromium.Dump(ctx, path, page, &got, "--virtual-time-budget=20000")
			if err != nil {
				t.Errorf("%d wide: the page's driver did not end: %v", c.Width, err)
				return
			}
			switch {
			case got.Failed != "":
				t.Errorf("%d wide: %s; %+v", c.Width, got.Failed, got)
			case !strings.Contains(got.About, "Model m (rls, version ") || !strings.Contains(got.About, "one of 3 classes"):
				t.Errorf("%d wide: it says %q", c.Width, got.About)
			case !strings.Contains(got.Card, "12.0 % of new rows get a wrong class; 90 % interval: 5.0 % to 21.0 %. Always a: 60.0 %.") ||
				!strings.Contains(got.Card, "the file holds 20 of them"):
				t.Errorf("%d wide: the card says %q", c.Width, got.Card)
			case !strings.HasPrefix(got.Row, "u,v,w\n") || strings.Count(got.Row, ",") != 4 || !strings.Contains(got.Row, ",2.5,"):
				t.Errorf("%d wide: the fields make the row %q", c.Width, got.Row)
			case !strings.HasPrefix(got.Answer, "Row 1: ") || got.Shares != 3 || got.Neighbours != nearRows || got.Why < 1 ||
				got.Message != "1 row.":
				t.Errorf("%d wide: the answer is %+v", c.Width, got)
			case got.Width != float64(c.Width) || got.Scroll > got.Width || len(got.Outside) > 0:
				t.Errorf("%d wide: beyond the edge: %+v", c.Width, got)
			case got.Paper != c.paper:
				t.Errorf("%d wide: paper %s, want %s", c.Width, got.Paper, c.paper)
			case len(got.Hosts) != 1 || got.Hosts[0] != l.Addr().String():
				t.Errorf("%d wide: asked hosts %q", c.Width, got.Hosts)
			case len(got.Unreachable)+len(got.Unnamed) > 0:
				t.Errorf("%d wide: without the keyboard or a name: %+v", c.Width, got)
			case !strings.Contains(got.Fault, "Line 2, column 3: ") || got.Left > 0:
				t.Errorf("%d wide: a fault is shown as %+v", c.Width, got)
			}
		})
	}
	all.Wait()
}

// TestBarriers: the page has none that axe-core knows.
func TestBarriers(t *testing.T) {
	axetest.Check(t, started(t, map[string]*model.Model{"m": recorded(t, three(1)), "n": number()}, Options{}), "/")
}
