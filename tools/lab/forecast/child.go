package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// asked is the variable of the environment that makes a process a child: the trial that it runs.
const asked = "MERCER_FORECAST_TRIAL"

// cost is what a fit took, and what it was forecast to take.
type cost struct {
	Rows     int     `json:"rows"`
	Labelled int     `json:"labelled"`
	Columns  int     `json:"columns"`
	Form     string  `json:"form"`
	Said     int64   `json:"said"`     // bytes
	Bytes    int64   `json:"bytes"`    // by which the resident set of the process grew at most
	Foreseen float64 `json:"foreseen"` // seconds
	Seconds  float64 `json:"seconds"`  // on the clock
	Points   int     `json:"points"`   // that were tried
	Error    string  `json:"error,omitempty"`
}

// Child runs the trial that the environment asks for, prints its cost and ends the process. It
// returns if nothing is asked.
func Child() {
	text := os.Getenv(asked)
	if text == "" {
		return
	}
	var t trial
	var c cost
	err := json.Unmarshal([]byte(text), &t)
	if err == nil {
		c, err = t.run()
	}
	if err != nil {
		c.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run fits, and lets garbage lie as long as the program does.
func (t trial) run() (cost, error) {
	in, err := t.input()
	if err != nil {
		return cost{}, err
	}
	f := mercer.ForecastFit(in, t.Recipe, mercer.Options{})
	if debug.SetMemoryLimit(f.Limit()); t.Live {
		debug.SetGCPercent(10)
	}
	c := cost{Rows: f.Rows, Labelled: f.Labelled, Columns: f.Features, Form: f.Form, Said: f.Memory, Foreseen: f.Seconds}
	before, err := settled()
	if err != nil {
		return c, err
	}
	if front(t.Recipe.Method) {
		_, r, err := mercer.Pareto(context.Background(), in, t.Recipe, mercer.Options{}, 0)
		if err != nil {
			return c, err
		}
		c.Seconds = r.Seconds.Total
	} else {
		_, r, err := mercer.Fit(context.Background(), in, t.Recipe, mercer.Options{})
		if err != nil {
			return c, err
		}
		c.Seconds = r.Seconds.Total
		if r.Tuning != nil {
			c.Points = r.Tuning.Evaluations
		}
	}
	after, err := process.Peak("self")
	c.Bytes = after - before
	return c, err
}

// settled is the resident set of the process when what drawing the rows has left is given back. Where the system
// can forget the peak so far, that of the fit is known even if it is below the one of drawing.
func settled() (int64, error) {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // Linux alone has it
	return process.Peak("self")
}

// measure runs a trial in a process of its own.
func (t trial) measure(ctx context.Context) (cost, error) {
	var c cost
	text, err := json.Marshal(t)
	if err != nil {
		return c, err
	}
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	cmd := exec.CommandContext(ctx, self) //nolint:gosec // the program itself
	cmd.Env = append(os.Environ(), asked+"="+string(text), "GOMEMLIMIT=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("%v: %w", t, err)
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return c, err
	}
	if c.Error != "" {
		return c, errors.New(c.Error)
	}
	return c, nil
}
