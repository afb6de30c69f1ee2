// Suite measures what README's second command costs: go test ./..., on the machine as it is and beside other work.
//
//	go run ./tools/suite
//	go run ./tools/suite -busy 8 -markdown docs/results/suite-busy.md
//
// Every run is of all tests (-count=1) and builds what is not in the cache of the go command; -cold gives it an empty one, as a new
// clone has it.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/internal/results"
)

// options are the flags.
type options struct {
	busy     int
	cold     bool
	slowest  int
	markdown string
}

func main() {
	var o options
	flag.IntVar(&o.busy, "busy", 0, "`number` of processes that compute all the time beside the tests")
	flag.BoolVar(&o.cold, "cold", false, "nothing is built when the run begins")
	flag.IntVar(&o.slowest, "slowest", 10, "`number` of packages that are listed")
	flag.StringVar(&o.markdown, "markdown", "", "write the tables to this `file` too, with the command, the date and the machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := results.Program(
		o.markdown,
		"What go test ./... takes",
		"tools/suite",
		os.Args[1:],
		func(w io.Writer) error { return run(ctx, w, o) },
	)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tested is a package and what its tests took.
type tested struct {
	name    string
	seconds float64
}

// run runs the tests and prints what they took.
func run(ctx context.Context, w io.Writer, o options) error {
	env := os.Environ()
	if o.cold {
		cache, err := os.MkdirTemp("", "cache")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache) //nolint:errcheck // a folder left in the system's own is no fault of the run
		env = append(env, "GOCACHE="+cache)
	}
	end := beside(ctx, o.busy)
	defer end()
	c := exec.CommandContext(ctx, "go", "test", "-count=1", "-json", "./...")
	c.Env, c.Stderr = env, os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	list, said, err := read(out)
	failed := c.Wait()
	wall := time.Since(began)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return err
	}
	state := c.ProcessState
	user, system := state.UserTime().Seconds(), state.SystemTime().Seconds()
	verdict := "All tests pass."
	if failed != nil {
		verdict = "Some tests fail."
	}
	slices.SortFunc(list, func(a, b tested) int { return cmp.Compare(b.seconds, a.seconds) })
	_, err = fmt.Fprintf(w, `%s

| what | |
|---|---|
| time from beginning to end | %.0f s |
| processor time, with the build | %.0f s (%.0f of it of the system) |
| packages with tests | %d |
| other processes that compute all the time | %d |
| the cache of the go command | %s |

The slowest packages, which run side by side with others:

| package | seconds |
|---|---|
`, verdict, wall.Seconds(), user+system, system, len(list), o.busy, map[bool]string{true: "empty", false: "as it was"}[o.cold])
	for _, p := range list[:min(o.slowest, len(list))] {
		if err == nil {
			_, err = fmt.Fprintf(w, "| %s | %.1f |\n", p.name, p.seconds)
		}
	}
	if failed != nil {
		return errors.Join(fmt.Errorf("go test: %w\n%s", failed, said), err)
	}
	return err
}

// read takes the packages from the lines that go test prints, and what the tests of those that failed said.
func read(r io.Reader) (list []tested, failures string, err error) {
	said := map[string]*bytes.Buffer{}
	var failed bytes.Buffer
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e struct {
			Action, Package, Test, Output string
			Elapsed                       float64
		}
		if json.Unmarshal(in.Bytes(), &e) != nil || e.Package == "" {
			continue // of the build
		}
		if said[e.Package] == nil {
			said[e.Package] = new(bytes.Buffer)
		}
		_, name, _ := strings.Cut(e.Package, "mercer/")
		one := tested{cmp.Or(name, "."), e.Elapsed}
		switch {
		case e.Action == "output":
			said[e.Package].WriteString(e.Output)
		case e.Test == "" && e.Action == "fail":
			list = append(list, one)
			failed.Write(said[e.Package].Bytes())
		case e.Test == "" && e.Action == "pass":
			list = append(list, one)
		}
	}
	return list, failed.String(), in.Err()
}

// beside begins processes that compute until the function that it returns is called.
func beside(ctx context.Context, n int) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_ = exec.CommandContext(ctx, "sh", "-c", "while :; do :; done").Run() // it ends by being killed
		})
	}
	return func() { cancel(); all.Wait() }
}
