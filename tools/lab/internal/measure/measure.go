// Package measure is what all measurements of the lab share: their flags, and the page that each of them writes.
package measure

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/results"
)

// Measurement is one measurement, by its name on the command line.
type Measurement struct {
	Name, About string
	// Declare declares flags and returns what makes the page once they are read.
	Declare func(f *Flags) func() Page
}

// Page is what a measurement writes, in Markdown, below its title.
type Page struct {
	Title string
	Write func(ctx context.Context, w io.Writer) error
}

// Run measures as the words of the command line after the name say.
func (m Measurement) Run(ctx context.Context, args []string) error {
	p, markdown, err := m.Read(args, os.Stderr)
	if err != nil {
		return err
	}
	command := append([]string{m.Name}, args...)
	return results.Program(markdown, p.Title, "-C tools/lab .", command, func(w io.Writer) error { return p.Write(ctx, w) })
}

// Read reads these words, and returns the page that they ask for and the file that it is written to, "" for none.
func (m Measurement) Read(args []string, help io.Writer) (p Page, markdown string, err error) {
	f := &Flags{flag.NewFlagSet(m.Name, flag.ContinueOnError)}
	page := m.Declare(f)
	f.StringVar(&markdown, "markdown", "", "write the page there too, with the command, the date and the machine")
	f.SetOutput(help)
	f.Usage = func() {
		fmt.Fprintf(help, "%s: %s\n\ngo -C tools/lab run . %[1]s [flags]\n\n", m.Name, m.About)
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return p, "", err
	}
	if f.NArg() > 0 {
		return p, "", fmt.Errorf("%s: %q is no flag", m.Name, f.Arg(0))
	}
	return page(), markdown, nil
}

// Flags are those of a measurement: of the common ones below those that it declares, and its own.
type Flags struct{ *flag.FlagSet }

// Data is the folder of the data files, which docs/datasets.md names.
func (f *Flags) Data() *string { return f.String("data", "", "folder of the data files") }

// Sets are names with commas between; Wanted reads them.
func (f *Flags) Sets() *string {
	return f.String("sets", "", "some of the sets, by name, with commas between; all if empty")
}

// Runs is how often each program runs.
func (f *Flags) Runs(usual int) *int { return f.Int("runs", usual, "runs of each program") }

// Mercer is the program to be measured; process.Within reads it.
func (f *Flags) Mercer() *string {
	return f.String("mercer", "", "a built mercer; default: built from here")
}

// Python is the interpreter of the programs beside which mercer is measured.
func (f *Flags) Python() *string {
	return f.String("python", "/usr/bin/python3", "a Python that has scikit-learn")
}

// Options are all the common flags, for measurements beside other programs.
type Options struct {
	Data, Sets, Program, Python string
	Runs                        int
}

// Options declares all the common flags.
func (f *Flags) Options() func() Options {
	data, sets, runs, program, python := f.Data(), f.Sets(), f.Runs(3), f.Mercer(), f.Python()
	return func() Options { return Options{*data, *sets, *program, *python, *runs} }
}

// Wanted says whether a name is in a list with commas, in which an empty one has all.
func Wanted(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// Median is the element in the middle of a list by a number of each, the upper one of two.
func Median[T any](list []T, by func(T) float64) T {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b T) int { return cmp.Compare(by(a), by(b)) })
	return sorted[len(sorted)/2]
}
