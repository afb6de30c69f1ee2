//go:build unix

package process

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/mercer-ml/mercer/internal/results"
)

// Options are the flags of a measurement beside other programs.
type Options struct {
	Data, Sets, Program, Python, Markdown string
	Runs                                  int
}

// Flags declares them; flag.Parse reads them.
func (o *Options) Flags() {
	flag.StringVar(&o.Data, "data", "", "folder of the data files")
	flag.IntVar(&o.Runs, "runs", 3, "runs of each program")
	flag.StringVar(&o.Sets, "sets", "", "some of the sets, by name")
	flag.StringVar(&o.Program, "mercer", "", "a built mercer; default: built from here")
	flag.StringVar(&o.Python, "python", "/usr/bin/python3", "a Python that has scikit-learn")
	flag.StringVar(&o.Markdown, "markdown", "", "write the tables there too, with the command, the date and the machine")
}

// Measure runs a measurement, which an interrupt ends, writes its tables under a title, and ends the program where it
// fails.
func (o *Options) Measure(title, name string, run func(context.Context, io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := results.Program(o.Markdown, title, name, os.Args[1:], func(w io.Writer) error { return run(ctx, w) })
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
