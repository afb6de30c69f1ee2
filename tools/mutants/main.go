// Mutants measures what the tests would notice. It draws small faults from a seed, puts each
// into the program alone and runs the tests of the package it is in, then the short tests of those
// that import it, and at last the tests of the packages that show it to users, until one fails; a
// fault that no test finds is listed with its place.
//
//	go run ./tools/mutants -n 100 -seed 1
//	go run ./tools/mutants -n 200 -seed 7 -packages internal/method,internal/cli -parallel 2
//	go run ./tools/mutants -n 200 -seed 7 -markdown docs/results/mutants.md
//
// The faulty file is an overlay of the build, so the tree itself is never touched.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/results"
)

// options are the flags.
type options struct {
	n        int
	seed     uint64
	packages []string
	parallel int
	timeout  time.Duration
	markdown string
	list     bool
	own      bool
	long     bool
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100, "`number` of faults, as many of every kind as there are")
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of the draw")
	const of = "only faults of these packages, as go list names them, by `commas`; may be given several times"
	flag.Func("packages", of, func(s string) error {
		o.packages = append(o.packages, strings.Split(s, ",")...)
		return nil
	})
	flag.IntVar(&o.parallel, "parallel", min(2, runtime.NumCPU()), "`faults` that are tried at once")
	flag.DurationVar(
		&o.timeout,
		"timeout",
		10*time.Minute,
		"most `time` for the tests of one package, which have six times what they take without a fault; a fault that needs more is found",
	)
	flag.StringVar(&o.markdown, "markdown", "", "write the tables to this `file` too, with the command, the date and the machine")
	flag.BoolVar(&o.list, "list", false, "draw and print, without running tests")
	flag.BoolVar(&o.own, "own", false, "only the tests of the package itself, and those beside it in folders named as it is with test behind")
	flag.BoolVar(&o.long, "long", false, "try what is missed again with tests in their whole length (MERCER_TESTS=all)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := results.Program(o.markdown, "Faults put in on purpose, and whether the tests find them", "tools/mutants", os.Args[1:],
		func(w io.Writer) error { return run(ctx, w, o) })
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run draws, tries and prints.
func run(ctx context.Context, w io.Writer, o options) error {
	if o.packages == nil {
		o.packages = []string{"./..."}
	}
	tree, err := load(ctx, o.packages)
	if err != nil {
		return err
	}
	l := &lab{tree: tree, timeout: o.timeout, own: o.own}
	if l.dir, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(l.dir) //nolint:errcheck // a folder left in the system's own is no fault of the run
	drawn, err := l.draw(ctx, o.n, o.seed)
	if err != nil {
		return err
	}
	if o.list {
		for _, f := range drawn {
			fmt.Fprintf(w, "%s: %s: %s\n", f.place(), f.kind, f.what)
		}
		return nil
	}
	err = l.judge(ctx, drawn, o.parallel)
	if o.long && err == nil {
		l.long = true
		err = l.judge(ctx, slices.DeleteFunc(slices.Clone(drawn), func(f *fault) bool { return f.by != "" }), o.parallel)
	}
	if errors.Is(err, context.Canceled) {
		drawn = slices.DeleteFunc(drawn, func(f *fault) bool { return !f.tried })
		fmt.Fprintf(w, "The run was ended after %d faults of the draw, in its order.\n\n", len(drawn))
	} else if err != nil {
		return err
	}
	report(w, drawn)
	return nil
}
