package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// The program's exit codes after an interrupt, and where a time limit ended a fit that had no machine yet.
const (
	exitInterrupted = 130
	exitData        = 1
)

// ending is how a fit is ended early: by the signal of Ctrl-C after a while, or else by a time limit.
type ending struct{ after, limit time.Duration }

func (e ending) by() string {
	if e.after > 0 {
		return "signal"
	}
	return "limit"
}

// interrupts are how fits ended that were ended early.
type interrupts struct {
	seconds            []float64 // from the signal to the end
	saved, before, bad int       // with a model, without one because there was none yet, and otherwise
	done               int       // before the signal
}

// ended fits the table at a path without its ending, ends the fit early, and prints how long that took.
func (all *interrupts) ended(ctx context.Context, w io.Writer, program, name, at string, end ending) error {
	model := at + ".mercer"
	_ = os.Remove(model) // of a run before
	args, after := []string{"fit", at + ".csv", "-o", model, "--quiet"}, end.after
	if end.limit > 0 {
		args, after = append(args, "--time-limit", end.limit.String()), end.limit
	}
	c := exec.CommandContext(ctx, program, args...)
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		all.done++
		fmt.Fprintf(w, "| %s | ended before | - |\n", name)
		return err
	case <-time.After(after):
	}
	if end.after > 0 {
		if err := c.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	start := time.Now()
	if err := <-ended; err != nil && c.ProcessState == nil { // its code says how it ended
		return err
	}
	took := time.Since(start).Seconds()
	_, err := os.Stat(model)
	said := "saved the best so far"
	switch code := c.ProcessState.ExitCode(); {
	case (code == exitInterrupted || code == 0) && err == nil:
		all.saved++
	case code == exitInterrupted, code == exitData && end.limit > 0:
		all.before++
		said = "had none yet"
	default:
		all.bad++
		said = fmt.Sprintf("exit code %d", code)
	}
	all.seconds = append(all.seconds, took)
	fmt.Fprintf(w, "| %s | %s | %.2f |\n", name, said, took)
	return ctx.Err()
}

// say sums up.
func (all *interrupts) say(w io.Writer, end ending) {
	slices.Sort(all.seconds)
	var median, longest float64
	if n := len(all.seconds); n > 0 {
		median, longest = all.seconds[n/2], all.seconds[n-1]
	}
	how := "Interrupted after"
	if end.limit > 0 {
		how = "With a time limit of"
	}
	fmt.Fprintf(w, "\n%s %v: from the %s to the end %.2f s in the median, %.2f s at most; %d saved a model, "+
		"%d had none yet, %d ended otherwise, %d had ended before.\n", how, max(end.after, end.limit), end.by(), median, longest,
		all.saved, all.before, all.bad, all.done)
}
