package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
)

// How often progress is shown: a line that is rewritten on a terminal, a line of
// its own elsewhere, where it ends up in a log.
const (
	redraw   = 100 * time.Millisecond
	tick     = 500 * time.Millisecond // where no step is taken
	logEvery = 10 * time.Second
)

// progress shows how far a fit is. What is written through it goes above the
// line that is rewritten. Its methods may be called from several goroutines.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	foreseen float64 // seconds that the fit is expected to take; 0: not known
	start    time.Time
	last     time.Time
	now      mercer.Progress // the last step
	shown    int             // width of the line on the terminal, 0 = none
	stop     func()          // ends the clock of a terminal
}

// newProgress shows a fit that is expected to take so many seconds. On a terminal it shows the time from the start on, whether or not the
// fit has taken a step.
func newProgress(out io.Writer, foreseen float64) *progress {
	now := time.Now()
	p := &progress{out: out, foreseen: foreseen, start: now, last: now, now: mercer.Progress{Stage: "preparing"}, stop: func() {}}
	f, ok := out.(*os.File)
	if !ok {
		return p
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return p
	}
	p.terminal = true
	clock, done := time.NewTicker(tick), make(chan struct{})
	p.stop = sync.OnceFunc(func() { clock.Stop(); close(done) })
	go func() {
		for {
			select {
			case <-done:
				return
			case <-clock.C:
				p.mu.Lock()
				p.show(time.Now())
				p.mu.Unlock()
			}
		}
	}()
	return p
}

// step is the listener of the fit.
func (p *progress) step(s mercer.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = s
	p.show(time.Now())
}

// show writes the line, if the one before is old enough.
func (p *progress) show(now time.Time) {
	wait := logEvery
	if p.terminal {
		wait = redraw
	}
	if now.Sub(p.last) < wait {
		return
	}
	p.last = now
	text := p.line(p.now, now)
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
	spent := now.Sub(p.start).Seconds()
	fmt.Fprintf(&b, ", %.1f s", spent)
	if left := p.left(s, spent); left > 0 {
		fmt.Fprintf(&b, ", %s left", brief.Duration(left))
	}
	return b.String()
}

// left is how many seconds remain, 0 where that is not known: by the forecast foreseen - spent, by the share of the steps that are done
// spent (1 - share) / share; of the two the mean with weights 1 - share and share.
func (p *progress) left(s mercer.Progress, spent float64) float64 {
	if s.Total == 0 || s.Done == 0 {
		return max(0, p.foreseen-spent)
	}
	if p.foreseen == 0 {
		return 0
	}
	return (1 - min(1, float64(s.Done)/float64(s.Total))) * max(p.foreseen, spent)
}

// end removes the line from the terminal, and ends its clock.
func (p *progress) end() {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// clear removes the line from the terminal.
func (p *progress) clear() {
	if p.shown > 0 {
		_, _ = fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.shown)) // as above
		p.shown = 0
	}
}

// Write passes messages on, above the line.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.out.Write(b)
}
