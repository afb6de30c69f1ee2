package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/internal/test/chromium"
	"github.com/mercer-ml/mercer/internal/try/trypage"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// loadedPages opens each page that the program makes in Debian's Chromium, every time with an empty profile, and counts what the browser
// asks for until nothing more comes, and the milliseconds until it first draws a text or a picture.
func loadedPages(f *measure.Flags) func() measure.Page {
	runs, mercer := f.Runs(5), f.Mercer()
	return func() measure.Page {
		return measure.Page{Title: "What pages weigh, and when they are seen", Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *mercer, func(program, folder string) error {
				return weighPages(ctx, w, program, folder, *runs)
			})
		}}
	}
}

// weighed is a page to open, and what serves it.
type weighed struct {
	name   string
	serves http.Handler
}

func weighPages(ctx context.Context, w io.Writer, program, folder string, runs int) error {
	if _, err := exec.LookPath("chromium"); err != nil {
		return trypage.ErrNoBrowser
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	pages, end, err := servedPages(ctx, program, folder)
	defer end()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "The pages of the program, each with all that it loads by itself from this machine, and no other is asked. Asked are "+
		"at most 1 MB and 1 s until the first contents are drawn, and aimed at are 500 kB, of the report and of the page of mercer serve. "+
		"The files are those of docs/tutorial.md, but for the report of digits with 100 labels, a set of ten classes in 64 columns. "+
		"Bytes are those of the answers without their headings. Milliseconds are from the request to Chromium's first contentful paint, "+
		"the least and the median of %d starts of the browser with an empty profile.\n\n"+
		"| page | requests | kB | 360 wide, least | median | 1280 wide, least | median |\n|---|---|---|---|---|---|---|\n", runs)
	for _, p := range pages {
		if err := p.row(ctx, w, folder, runs); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// servedPages makes the pages, and returns what ends the programs that serve them.
func servedPages(ctx context.Context, program, folder string) (pages []weighed, end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range ends {
			f()
		}
	}
	for _, command := range []string{
		prepare, "mercer fit cells.csv -o cells.mercer --report cells", "mercer fit digits --labels 100 --report digits",
	} {
		if _, _, err = typed(ctx, program, folder, command); err != nil {
			return nil, end, err
		}
	}
	for _, name := range []string{"cells", "digits"} {
		pages = append(pages, weighed{"report of " + name, http.FileServer(http.Dir(filepath.Join(folder, name)))})
	}
	for _, args := range [][]string{
		{"serve", "cells.mercer", "--listen", "127.0.0.1:0"}, {"label", "cells.csv", "--port", "0", "-o", "better.mercer"},
	} {
		address, _, stop, err := startServer(ctx, program, folder, args...)
		if err != nil {
			return nil, end, err
		}
		ends = append(ends, stop)
		at, err := url.Parse(address)
		if err != nil {
			return nil, end, err
		}
		pages = append(pages, weighed{"mercer " + args[0], &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at)
			r.Out.Header.Del("Origin") // the page stands at the address of the measurement
		}}})
	}
	try := filepath.Join(folder, "try")
	if err = os.Mkdir(try, 0o750); err != nil {
		return nil, end, err
	}
	if _, err = trypage.Build(ctx, ".", try); err != nil {
		return nil, end, err
	}
	return append(pages, weighed{"docs/try", http.FileServer(http.Dir(try))}), end, nil
}

// row opens the page at two widths and writes the row of the table.
func (p weighed) row(ctx context.Context, w io.Writer, folder string, runs int) error {
	var all []load
	text := ""
	for _, window := range []chromium.Window{{Width: 360, Height: 800}, {Width: 1280, Height: 900}} {
		var paints []float64
		for range runs {
			one, err := p.open(ctx, folder, window)
			if err != nil {
				return fmt.Errorf("%v: %w", window, err)
			}
			all, paints = append(all, one), append(paints, one.Paint)
		}
		text += fmt.Sprintf(" %.0f | %.0f |", slices.Min(paints), measure.Median(paints, func(v float64) float64 { return v }))
	}
	most := slices.MaxFunc(all, func(a, b load) int { return int(a.bytes - b.bytes) })
	_, err := fmt.Fprintf(w, "| %s | %d | %.1f |%s\n", p.name, most.requests, 1e-3*float64(most.bytes), text)
	return err
}

// frame opens the page once the browser has come to rest, and tells when the page had drawn something. Chromium's own windows are 500
// wide at least: a narrower page stands in a frame.
const frame = `<!DOCTYPE html><body style="margin:0"><iframe style="border:0;display:block;width:%dpx;height:%dpx"></iframe><script>
const frame = document.querySelector("iframe"), wait = ms => new Promise(done => setTimeout(done, ms));
const painted = () => frame.contentWindow.performance.getEntriesByName("first-contentful-paint")[0];
(async () => {
  await wait(1000);
  frame.src = "/";
  await new Promise(done => frame.addEventListener("load", e => { if (frame.contentWindow.location.href !== "about:blank") done(); }));
  for (let i = 0; i < 500 && !painted(); i++) await wait(20);
  const asked = frame.contentWindow.performance.getEntriesByType("resource").map(e => new URL(e.name));
  const Elsewhere = asked.filter(u => u.protocol !== "data:" && u.host !== location.host).map(u => u.href);
  await fetch("/measured", { method: "POST", body: JSON.stringify({ Paint: painted()?.startTime ?? 0, Elsewhere }) });
})();
</script></body>`

// load is what one load of a page took.
type load struct {
	Paint           float64  // milliseconds until the first contents were drawn
	Elsewhere       []string // what was asked of other hosts
	requests, bytes int64
}

// open lets a browser open the page once.
func (p weighed) open(ctx context.Context, folder string, window chromium.Window) (one load, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	profile, err := os.MkdirTemp(folder, "profile-")
	if err != nil {
		return one, err
	}
	counted, told := &counter{page: p.serves}, make(chan error, 1)
	mux := http.NewServeMux()
	mux.Handle("/", counted)
	mux.HandleFunc("GET /favicon.ico", http.NotFound) // of the frame, not of the page
	mux.HandleFunc("GET /frame", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, frame, window.Width, window.Height) // a browser that has gone shows nothing
	})
	mux.HandleFunc("POST /measured", func(_ http.ResponseWriter, r *http.Request) { told <- json.NewDecoder(r.Body).Decode(&one) })
	server := httptest.NewServer(mux)
	defer server.Close()
	browser := chromium.Command(ctx, "chromium", chromium.Page{Window: window, Profile: profile, Address: server.URL + "/frame"},
		"--remote-debugging-port=0") // without it Chromium ends at once
	if err := browser.Start(); err != nil {
		return one, err
	}
	defer func() {
		cancel()
		_ = browser.Wait() // it was killed
	}()
	select {
	case err = <-told:
	case <-ctx.Done():
		err = errors.New("the browser did not tell of the page")
	}
	switch {
	case err != nil:
	case one.Paint == 0:
		err = errors.New("nothing was drawn")
	case len(one.Elsewhere) > 0:
		err = fmt.Errorf("other hosts were asked for %q", one.Elsewhere)
	default:
		one.requests, one.bytes, err = counted.rest(ctx)
	}
	return one, err
}

// counter counts the requests to a page and the bytes of the answers.
type counter struct {
	page http.Handler

	sync.Mutex
	requests, bytes int64
	open            int       // requests that are not answered yet
	last            time.Time // when the last one was answered
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Lock()
	c.requests++
	c.open++
	c.Unlock()
	defer func() {
		c.Lock()
		c.open--
		c.last = time.Now()
		c.Unlock()
	}()
	c.page.ServeHTTP(countedWriter{w, c}, r)
}

// rest waits until nothing was asked for a second and returns the sums.
func (c *counter) rest(ctx context.Context) (requests, bytes int64, err error) {
	for {
		c.Lock()
		requests, bytes = c.requests, c.bytes
		quiet := c.open == 0 && time.Since(c.last) > time.Second
		c.Unlock()
		if quiet {
			return requests, bytes, nil
		}
		select {
		case <-ctx.Done():
			return 0, 0, errors.New("the page does not come to rest")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// countedWriter adds what is written to the sum.
type countedWriter struct {
	http.ResponseWriter
	to *counter
}

func (w countedWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.to.Lock()
	w.to.bytes += int64(n)
	w.to.Unlock()
	return n, err
}

// Unwrap is for http.ResponseController.
func (w countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
