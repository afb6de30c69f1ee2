//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/sparse"
)

// asked is the variable of the environment that makes a process a child: the trial that it runs.
const asked = "MERCER_FORECAST_TRIAL"

// trial is one fit to be forecast and measured.
type trial struct {
	Recipe   mercer.Recipe `json:"recipe"`
	Rows     int           `json:"rows"`
	Labelled int           `json:"labelled"`
	Columns  int           `json:"columns"`
	Classes  int           `json:"classes"` // 0: a regression
	Sparse   bool          `json:"sparse"`  // one value in ten is not zero
	// Live collects garbage at once, so that little but what is in use is measured: to set the
	// formulas by.
	Live bool `json:"live"`
}

// cost is what a fit took, and what it was forecast to take.
type cost struct {
	Form    string  `json:"form"`
	Said    int64   `json:"said"`    // bytes
	Bytes   int64   `json:"bytes"`   // by which the resident set of the process grew at most
	Seconds float64 `json:"seconds"` // on the clock
	CPU     float64 `json:"cpu"`     // of all processors
	Error   string  `json:"error,omitempty"`
}

// child runs the trial that the environment asks for, prints its cost and ends the process. It
// returns if nothing is asked.
func child() {
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
	in := t.input()
	f := mercer.ForecastFit(in, t.Recipe, mercer.Options{})
	if debug.SetMemoryLimit(f.Limit()); t.Live {
		debug.SetGCPercent(10)
	}
	before, processor := usage()
	start := time.Now()
	var err error
	if m, _ := method.Find(t.Recipe.Method); m.Offers(nil).Front {
		_, _, err = mercer.Pareto(context.Background(), in, t.Recipe, mercer.Options{}, 0)
	} else {
		_, _, err = mercer.Fit(context.Background(), in, t.Recipe, mercer.Options{})
	}
	c := cost{Form: f.Form, Said: f.Memory, Seconds: time.Since(start).Seconds()}
	after, end := usage()
	c.Bytes, c.CPU = after-before, end-processor
	return c, err
}

// usage is the peak of the process's resident set so far, and its processor seconds.
func usage() (peak int64, seconds float64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	at := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return 1024 * r.Maxrss, at(r.Utime) + at(r.Stime)
}

// input draws the rows: a cloud for each class, which overlap, or a smooth function of the first
// columns, and noise.
func (t trial) input() mercer.Input {
	rng := rand.New(rand.NewPCG(1, uint64(t.Rows))) //nolint:gosec // rows to be measured on, no secret
	x := mat.NewDense(t.Rows, t.Columns, nil)
	set := &data.Set{Source: "drawn", LabelName: "y", Answers: make(data.Answers, t.Rows)}
	for i := range t.Rows {
		row := x.RawRowView(i)
		for j := range row {
			if v := rng.NormFloat64(); !t.Sparse || rng.IntN(10) == 0 {
				row[j] = v
			}
		}
		class := i % max(t.Classes, 1)
		if t.Classes > 0 {
			row[class%t.Columns]++
		}
		if i >= t.Labelled {
			continue
		}
		if set.Answers[i] = fmt.Sprint(class); t.Classes == 0 {
			set.Answers[i] = fmt.Sprintf("%.4g", math.Sin(row[0])+row[1%t.Columns]+rng.NormFloat64()/2)
		}
	}
	set.Rows = data.Rows{Dense: x}
	if t.Sparse {
		set.Rows = data.Rows{Sparse: sparse.FromDense(x)}
	}
	return mercer.Input{Set: set}
}

// measure runs a trial in a process of its own.
func (t trial) measure(ctx context.Context) (cost, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return cost{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.CommandContext(ctx, self) //nolint:gosec // the program itself
	cmd.Env = append(os.Environ(), asked+"="+string(text), "GOMEMLIMIT=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("%v: %w", t, err)
	}
	var c cost
	if err := json.Unmarshal(out, &c); err != nil {
		return c, err
	}
	if c.Error != "" {
		return c, errors.New(c.Error)
	}
	return c, nil
}
