package report

import (
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/test/chromium"
)

// probe is a script for a copy of the page that writes down what a reader sees.
const probe = `<script>
addEventListener("load", () => {
  const box = e => e.getBoundingClientRect();
  const texts = [...document.querySelectorAll("h1, h2, figcaption, .answer p, .warnings li")];
  const cut = [...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth + 1);
  parent.postMessage(JSON.stringify({
    Width: innerWidth, Scroll: document.documentElement.scrollWidth,
    Headings: [...document.querySelectorAll("h1, h2")].filter(e => box(e).height > 5).map(e => e.textContent),
    Outside: texts.filter(e => box(e).right > innerWidth + 1 || box(e).left < 0).map(e => e.textContent),
    Figures: [...document.querySelectorAll("figure svg")].map(e => [box(e).width, box(e).height]),
    Columns: new Set([...document.querySelectorAll("figure svg")].map(e => Math.round(box(e).left))).size,
    Letters: Math.min(...[...document.querySelectorAll("figure svg text")].map(e => box(e).height)),
    Cut: cut.length, Cued: cut.filter(e => getComputedStyle(e).backgroundImage.includes("gradient")).length,
    Loaded: performance.getEntriesByType("resource").length,
    Ink: getComputedStyle(document.body).color, Paper: getComputedStyle(document.body).backgroundColor,
  }), "*");
});
</script>`

// outerFrame shows the copy at a width: Chromium's own windows are 500 wide at least.
const outerFrame = `<!DOCTYPE html><html style="color-scheme: light dark"><body style="margin:0"><script>
addEventListener("message", e => {
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = e.data;
  document.body.appendChild(out);
});
</script><iframe src="probe.html" style="border:0;display:block;width:%dpx;height:%dpx"></iframe></body></html>`

// seen is what the probe writes.
type seen struct {
	Width, Scroll     float64
	Headings, Outside []string
	Figures           [][2]float64
	Columns           int
	Letters           float64
	Cut, Cued         int // tables wider than their place, and those of them that say so
	Loaded            int
	Ink, Paper        string
}

// TestBrowser renders the page at the widths of a telephone and of a desk, light and dark:
// nothing is cut off or overlaps the edge, headings and figures are seen, texts in figures
// are large enough to read.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path := chromium.Path(t)
	run := fitted(t, "two-moons:n=120", 10, mercer.Recipe{})
	run.Result.Warnings = []string{"a_warning_with_a_long_word_" + strings.Repeat("x", 80)}
	run.Command += " --kernel " + strings.Repeat("gaussian+", 20) + "linear"
	p := page(t, run)
	p.Sections = append(p.Sections, frontOf(30).Sections()...)
	p.Sections = append(p.Sections, Section{ID: "drawing", Title: "A drawing", Blocks: []Block{{Figures: []*Figure{(&Drawing{
		Name: "drawing", Title: "Curves of a published figure", Caption: "c", XName: strings.Repeat("a long name ", 8),
		YName:  strings.Repeat("a long name ", 8),
		Curves: []Curve{{Name: "one", X: []float64{1, 2}, Y: []float64{1, 2}}},
	}).Figure()}}}})
	dir := t.TempDir()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, Index))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "probe.html") // the page itself has no script
	if err := os.WriteFile(copied, []byte(strings.Replace(string(text), "</body>", probe+"</body>", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range p.Sections {
		want = append(want, s.Title)
	}
	var all sync.WaitGroup
	for _, c := range []struct {
		width, height, columns int
		dark                   bool
	}{{320, 700, 1, false}, {360, 800, 1, false}, {1280, 900, 2, true}} {
		all.Go(func() {
			name := fmt.Sprintf("%d wide", c.width)
			view := filepath.Join(dir, fmt.Sprintf("frame-%d.html", c.width))
			if err := os.WriteFile(view, fmt.Appendf(nil, outerFrame, c.width, c.height), 0o600); err != nil {
				t.Error(err)
				return
			}
			shot := filepath.Join(dir, fmt.Sprintf("shot-%d.png", c.width))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var s seen
			page := chromium.Page{Window: chromium.Window{Width: c.width, Height: c.height, Dark: c.dark},
				Profile: filepath.Join(dir, fmt.Sprint("profile", c.width)), Address: "file://" + view}
			err := chromium.Dump(ctx, path, page, &s, "--screenshot="+shot)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if s.Width != float64(c.width) || s.Scroll > s.Width {
				t.Errorf("%s: a window of %g, contents of %g", name, s.Width, s.Scroll)
			}
			for _, h := range append([]string{p.Title, "Warnings"}, want...) {
				if !slices.Contains(s.Headings, h) {
					t.Errorf("%s: heading %q is not seen", name, h)
				}
			}
			if len(s.Outside) > 0 {
				t.Errorf("%s: beyond the edge: %q", name, s.Outside)
			}
			if len(s.Figures) != len(p.figures()) {
				t.Errorf("%s: %d figures are seen", name, len(s.Figures))
			}
			for _, f := range s.Figures {
				if f[0] < 270 || f[0] > s.Width-20 || f[1] < 150 {
					t.Errorf("%s: a figure of %g by %g", name, f[0], f[1])
				}
			}
			if s.Columns != c.columns {
				t.Errorf("%s: figures in %d columns", name, s.Columns)
			}
			if s.Cued != s.Cut || c.width == 320 && s.Cut == 0 {
				t.Errorf("%s: %d tables are cut, %d of them with a cue", name, s.Cut, s.Cued)
			}
			if s.Letters < 7 {
				t.Errorf("%s: letters %g high in a figure", name, s.Letters)
			}
			if s.Loaded > 0 {
				t.Errorf("%s: %d outer files were loaded", name, s.Loaded)
			}
			if paper := map[bool]string{false: "rgb(255, 255, 254)", true: "rgb(20, 24, 29)"}[c.dark]; s.Paper != paper {
				t.Errorf("%s: paper %s, want %s", name, s.Paper, paper)
			}
			checkShot(t, shot, c.width)
		})
	}
	all.Wait()
}

// checkShot looks whether a screenshot has the width and shows something.
func checkShot(t *testing.T, path string, width int) {
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Error(err)
		return
	}
	if b := img.Bounds(); b.Dx() < width {
		t.Errorf("a screenshot of %d, want %d", b.Dx(), width)
	}
	if n := colours(img); n < 20 {
		t.Errorf("a screenshot of %d colours: it is blank", n)
	}
}
