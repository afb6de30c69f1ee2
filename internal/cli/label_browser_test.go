package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// person is a script that does with the page what a person does with a keyboard: it answers by keys what is true of
// the row that is asked about, skips one and takes one answer back on the way, and tells the test what it has seen.
const person = `(async () => {
  const box = e => e.getBoundingClientRect(), body = document.body;
  const task = await (await fetch("task.json")).json();
  const press = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const until = async f => { while (!f()) await new Promise(r => setTimeout(r, 5)); };
  const act = async key => { const was = body.dataset.question; press(key); await until(() => body.dataset.question !== was); };
  await until(() => body.dataset.question);
  let noting = "";
  for (let n = 0; n < task.answers; n++) {
    if (n === 2) {
      press("/");
      noting = document.activeElement.id;
      document.activeElement.value = "a <b>blot</b>";
      press("Enter");
      await act("s");
    }
    if (n === 7) { await act(task.truth[body.dataset.row]); await act("u"); }
    await act(task.truth[body.dataset.row]);
  }
  await until(() => document.querySelectorAll("#doubted button").length);
  await until(() => document.querySelectorAll("#passed button").length);
  const skipped = [...document.querySelectorAll("#passed li")].map(e => e.textContent), kept = document.getElementById("note").value;
  const svg = document.querySelector("#curve svg");
  press("e");
  const asked = document.activeElement.id;
  press("Escape");
  await until(() => [...document.images].every(i => i.complete));
  const texts = [...document.querySelectorAll("h1, h2, p, button, td, th, dd, label, li, input, svg, figcaption")]
    .filter(e => box(e).height > 0);
  const map = document.getElementById("map"), pixels = map.getContext("2d").getImageData(0, 0, map.width, map.height).data;
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3]) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  await fetch("seen", { method: "POST", body: JSON.stringify({
    width: innerWidth, scroll: document.documentElement.scrollWidth, asked,
    outside: texts.filter(e => box(e).right > innerWidth + 1 || box(e).left < -1).map(e => e.textContent.slice(0, 60)),
    small: [...document.querySelectorAll("button")].filter(e => box(e).height > 0 && box(e).height < 40).map(e => e.textContent),
    broken: [...document.images].filter(i => !i.naturalWidth).length, images: document.images.length,
    hosts: [...new Set(performance.getEntriesByType("resource").map(e => new URL(e.name).host))],
    skipped, noting: noting + kept, curve: svg.getAttribute("role") + ": " + document.getElementById("course").textContent,
    points: svg.querySelector("polyline").getAttribute("points").split(" ").length,
    colours: colours.size, paper: getComputedStyle(body).backgroundColor, wrong: document.getElementById("wrong").textContent,
    progress: document.getElementById("progress").textContent,
    marks: new Set([...document.querySelectorAll("#classes .mark")].map(e => e.textContent + getComputedStyle(e).color)).size,
  }) });
})();`

// watched is what the script tells.
type watched struct {
	Width, Scroll                  float64
	Outside, Small, Hosts, Skipped []string
	Broken, Images, Colours, Marks int
	Points                         int
	Paper, Wrong, Progress, Asked  string
	Noting, Curve                  string
}

// watch lets the person work on the page at a width, in Debian's Chromium, through a proxy that adds the script.
func watch(t *testing.T, r *running, task any, width, height int, dark bool) (watched, string) {
	t.Helper()
	path := chromium.Path(t)
	target, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(a *http.Response) error {
		if a.Request.URL.Path != "/" {
			return nil
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(a.Body); err != nil {
			return err
		}
		text := strings.Replace(b.String(), "</body>", `<script src="person.js"></script></body>`, 1)
		a.Body, a.ContentLength = readCloser{strings.NewReader(text)}, int64(len(text))
		a.Header.Set("Content-Length", fmt.Sprint(len(text)))
		return nil
	}
	saw := make(chan watched, 1)
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.HandleFunc("GET /person.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, person)
	})
	mux.HandleFunc("GET /task.json", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(task) })
	mux.HandleFunc("GET /frame", func(w http.ResponseWriter, _ *http.Request) { // Chromium's own windows are 500 wide at least
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><html style="color-scheme: light dark"><body style="margin:0">`+
			`<iframe src="/" style="border:0;display:block;width:%dpx;height:%dpx"></iframe></body></html>`, width, height)
	})
	mux.HandleFunc("POST /seen", func(_ http.ResponseWriter, r *http.Request) {
		var s watched
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			t.Error(err)
		}
		saw <- s
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	window := chromium.Window{Width: width, Height: height, Dark: dark}
	page := chromium.Page{Window: window, Profile: t.TempDir(), Address: server.URL + "/frame"}
	cmd := chromium.Command(ctx, path, page, "--remote-debugging-port=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	select {
	case s := <-saw:
		return s, strings.TrimPrefix(server.URL, "http://")
	case <-ctx.Done():
		t.Fatalf("%d wide: the person did not come to an end; the browser says %s", width, said.String())
		return watched{}, ""
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// TestBrowserLabels: a person with a keyboard labels digits until fewer than 5 % of the others are mistaken, at the width
// of a telephone and then, in a dark room, of a desk. Nothing is cut off, and no other host is asked for anything.
func TestBrowserLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	set, err := data.Builtin("digits")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	hidden := *set
	hidden.Answers = make(data.Answers, len(set.Answers))
	var b strings.Builder
	if err := read.WriteCSV(&b, &hidden); err != nil {
		t.Fatal(err)
	}
	folderWith(t, map[string]string{"digits.csv": b.String()})
	lines, back := 1, 0 // of the log, and answers taken back
	args := []string{"digits.csv", "--image", "8x8", "--classes", strings.Join(labels.Classes, ",")}
	for _, c := range []struct {
		width, height, answers int
		dark                   bool
		paper                  string
	}{{360, 800, 4, false, "rgb(255, 255, 254)"}, {1280, 1000, 26, true, "rgb(20, 24, 29)"}} {
		if c.dark && !slowtest.Asked() {
			continue // the same on a wider page, with answers for as long as it takes to learn
		}
		lines += c.answers + 1 // one row is skipped
		if c.dark {            // one answer is taken back and given again
			lines, back = lines+2, 1
		}
		r := startLabel(t, args...)
		task := map[string]any{"truth": set.Answers, "answers": c.answers}
		s, host := watch(t, r, task, c.width, c.height, c.dark)
		if s.Width != float64(c.width) || s.Scroll > s.Width || len(s.Outside) > 0 {
			t.Errorf("%d wide: contents of %g; beyond the edge %q", c.width, s.Scroll, s.Outside)
		}
		if len(s.Small) > 0 || s.Broken > 0 || s.Images < 5 || s.Colours < 5 || s.Marks != 10 {
			t.Errorf("%d wide: buttons too low for a finger %q; %d of %d pictures broken; a map of %d colours, %d marks of classes",
				c.width,
				s.Small, s.Broken, s.Images, s.Colours, s.Marks)
		}
		if !slices.Equal(s.Hosts, []string{host}) {
			t.Errorf("%d wide: requests to %q", c.width, s.Hosts)
		}
		if s.Paper != c.paper || s.Wrong != "" || s.Asked != "yes" {
			t.Errorf("%d wide: paper %s, complaint %q, focus at the end on %q", c.width, s.Paper, s.Wrong, s.Asked)
		}
		if skipped := strings.Join(s.Skipped, "; "); !strings.Contains(skipped, "a <b>blot</b>") || s.Noting != "note" {
			t.Errorf("%d wide: skipped %q; the key of a note and what the next question has: %q", c.width, skipped, s.Noting)
		}
		if s.Points < c.answers || !strings.HasPrefix(s.Curve, "img: Expected error after each answer: ") {
			t.Errorf("%d wide: a curve of %d points: %q", c.width, s.Points, s.Curve)
		}
		if state := r.state(); !strings.Contains(s.Progress, fmt.Sprintf("%d of 1797 rows", state.Answered)) {
			t.Errorf("%d wide: %q, %d answers", c.width, s.Progress, state.Answered)
		} else if c.dark {
			checkHidden(t, state, labels.Class)
		}
		if code := r.end(true); code != exitDone {
			t.Fatalf("exit %d: %s", code, r.stderr)
		}
	}
	log, err := os.ReadFile("digits.csv.labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	undone := len(regexp.MustCompile(`"undo":true`).FindAll(log, -1))
	if n := bytes.Count(log, []byte("\n")); n != lines || undone != back {
		t.Errorf("%d lines in %s, %d taken back", n, filepath.Base("digits.csv.labels.jsonl"), undone)
	}
}

// checkHidden: fewer than 5 % of the rows without a label are mistaken.
func checkHidden(t *testing.T, s label.State, class []int) {
	t.Helper()
	wrong, hidden := 0, 0
	for i, k := range class {
		if s.Labelled[i] == 0 {
			hidden++
			if int(s.Decided[i]) != k {
				wrong++
			}
		}
	}
	t.Logf("%d answers, %.1f %% of the others mistaken", s.Answered, 100*float64(wrong)/float64(hidden))
	if share := float64(wrong) / float64(hidden); share >= 0.05 || s.Answered != 30 {
		t.Errorf("%d answers, %.1f %% of the others mistaken", s.Answered, 100*share)
	}
}
