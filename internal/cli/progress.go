package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/mercer-ml/mercer"
)

// How often progress is shown: a line that is rewritten on a terminal, a line of
// its own elsewhere, where it ends up in a log.
const (
	redraw   = 100 * time.Millisecond
	logEvery = 10 * time.Second
)

// progress shows how far a fit is. What is written through it goes above the
// line that is rewritten.
type progress struct {
	out      io.Writer
	terminal bool
	start    time.Time
	last     time.Time
	shown    int // width of the line on the terminal, 0 = none
}

func newProgress(out io.Writer) *progress {
	now := time.Now()
	p := &progress{out: out, start: now, last: now}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// step is the listener of the fit.
func (p *progress) step(s mercer.Progress) {
	now := time.Now()
	wait := logEvery
	if p.terminal {
		wait = redraw
	}
	if now.Sub(p.last) < wait {
		return
	}
	p.last = now
	text := p.line(s, now)
	if !p.terminal {
		_, _ = fmt.Fprintf(p.out, "mercer: %s\n", text) // progress nobody can see is not worth stopping for
		return
	}
	pad := strings.Repeat(" ", max(0, p.shown-len(text)))
	p.shown = len(text)
	_, _ = fmt.Fprintf(p.out, "\r%s%s", text, pad) // as above
}

func (p *progress) line(s mercer.Progress, now time.Time) string {
	var b strings.Builder
	b.WriteString(s.Stage)
	if s.Total > 0 {
		const width = 24
		done := min(max(s.Done, 0), s.Total)
		if p.terminal {
			full := done * width / s.Total
			fmt.Fprintf(&b, " [%s%s]", strings.Repeat("=", full), strings.Repeat(" ", width-full))
		}
		fmt.Fprintf(&b, " %d/%d", s.Done, s.Total)
	} else if s.Done > 0 {
		fmt.Fprintf(&b, " %d", s.Done)
	}
	if s.Done > 0 && !math.IsInf(s.Best, 0) && !math.IsNaN(s.Best) {
		fmt.Fprintf(&b, ", best score %s", short(s.Best))
	}
	fmt.Fprintf(&b, ", %.1f s", now.Sub(p.start).Seconds())
	return b.String()
}

// end removes the line from the terminal.
func (p *progress) end() {
	if p.shown > 0 {
		_, _ = fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.shown)) // as above
		p.shown = 0
	}
}

// Write passes messages on, above the line.
func (p *progress) Write(b []byte) (int, error) {
	p.end()
	return p.out.Write(b)
}
