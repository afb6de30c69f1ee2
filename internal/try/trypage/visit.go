package trypage

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/try/drawn"
)

// visitor is the script that uses the page.
//
//go:embed visitor.js
var visitor string

// Learned is what the page showed after it was asked to learn.
type Learned struct {
	Request drawn.Request
	Answer  drawn.Answer
	Seconds float64 // from the press to the drawing
	Status  string
	Colours int // different ones in the drawing
}

// Seen is what the visitor saw.
type Seen struct {
	Failed        string // what went wrong, "": nothing
	Width, Scroll float64
	Paper         string
	Outside       []string  // texts beyond the edge of the page
	Small         []string  // buttons too low for a finger
	Unnamed       []string  // inputs without a label
	Hosts         []string  // that were asked for files; "own" is the page's
	Example       Learned   // what the page begins with, before anything is pressed
	Above         bool      // the picture stands above its tools
	Moons         []Learned // two moons, learned several times; each time others are drawn
	ByKeys        Learned   // a few points by the keyboard and the pointer
	Fault         string    // of a drawing without one of the colours
	Cancelled     string    // what was said after Cancel
	Again         Learned   // two moons after that
	Longest       float64   // seconds between two frames of the page while it learned, at most
}

// Visit lets Debian's Chromium use the page in dir at a size, so many moons long. ErrNoBrowser: there is none here.
func Visit(ctx context.Context, dir string, width, height, moons int, dark bool) (*Seen, error) {
	chromium, err := browser()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "mercer-try-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(profile) }() // what a browser still writes may stay
	saw := make(chan *Seen, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("GET /visit", func(w http.ResponseWriter, _ *http.Request) { // Chromium's own windows are 500 wide at least
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!DOCTYPE html><html style="color-scheme: light dark"><body style="margin:0">`+
			`<iframe src="/" style="border:0;display:block;width:%dpx;height:%dpx"></iframe><script>const moons = %d;%s</script></body></html>`,
			width, height, moons, visitor) // a browser that has gone shows nothing
	})
	mux.HandleFunc("POST /seen", func(_ http.ResponseWriter, r *http.Request) {
		s := new(Seen)
		if err := json.NewDecoder(r.Body).Decode(s); err != nil {
			s.Failed = err.Error()
		}
		saw <- s
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	scheme := 1
	if dark {
		scheme = 0
	}
	cmd := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run",
		"--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir="+profile,
		fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme), fmt.Sprintf("--window-size=%d,%d", max(width, 500), height),
		"--remote-debugging-port=0", server.URL+"/visit")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	select {
	case s := <-saw:
		host := strings.TrimPrefix(server.URL, "http://")
		for i, h := range s.Hosts {
			if h == host {
				s.Hosts[i] = "own"
			}
		}
		return s, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%d wide: the visit did not come to an end; the browser says %s", width, said.String())
	}
}

// ErrNoBrowser is the error where there is no Chromium.
var ErrNoBrowser = errors.New("no chromium here; on Debian: apt-get install chromium")

func browser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}
