// Package hostile runs the program on inputs that mean it ill, each in a process of its own with 2 GB of address space. Every run must
// end within its time, with one line that begins with "mercer: ", and without a stack dump.
package hostile

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/cli"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// asProgram is the variable of the environment that makes a process of this program the program mercer.
const asProgram = "MERCER_HOSTILE_CHILD"

// Child makes this process the program mercer if the environment asks for it, and returns otherwise.
func Child() {
	if os.Getenv(asProgram) != "" {
		cli.Program{}.Run()
	}
}

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	mutants := f.Int("mutants", 1122, "changed models; 187 are each kind of model under each verb")
	seed := f.Uint64("seed", 1, "of the changes")
	only := f.String("inputs", "", "only inputs whose name has this")
	folder := f.String("folder", "", "make the inputs in this new folder and leave them there")
	return func() measure.Page {
		return measure.Page{Title: "Hostile inputs", Write: func(_ context.Context, w io.Writer) error {
			return table(w, kinds{only: *only, folder: *folder}, *mutants, *seed)
		}}
	}
}

const head = "| input | runs | ended as they must | longest, s | an answer |\n|---|---|---|---|---|\n"

const notes = `
Each run is a process under ` + "`ulimit -v 2097152`" + `. It ends as it must if it refuses its input with exit code 1 and one line
"mercer: ...", within 60 s and without a stack dump; after an interrupt with exit code 130. Models that were changed and given a right check
sum may be read as other models: they may answer, with exit code 0. The answer shown is the last one given.

Models are given to every verb that takes one: predict, evaluate, explain, export in its five formats, shrink, convert, fit --from (with
--report, too) and serve, which is asked for descriptions, predictions and nearest rows, must answer all of it (an error that it calls
its own, status 500, is a fault), and must end with exit code 0 when it is interrupted. Changes are made to eleven models in turn:
machines one against one and one against the rest, linear ones, words, categories with dates and missing cells, a regression with
intervals, a weighted mean, a front, views, sparse rows and an average.
`

// kinds says which inputs are wanted.
type kinds struct {
	only   string // in the name of the input
	models bool   // models alone
	folder string // that is made for the inputs and stays; "": a temporary one
}

// table runs everything that is wanted and prints a line for each kind of input.
func table(w io.Writer, wanted kinds, mutants int, seed uint64) error {
	dir, err := wanted.folder, error(nil)
	if dir != "" {
		err = os.Mkdir(dir, 0o700)
	} else if dir, err = os.MkdirTemp("", "hostile"); err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	}
	if err != nil {
		return err
	}
	if err := begin(dir); err != nil {
		return err
	}
	cases, err := models(dir)
	if err != nil {
		return err
	}
	if !wanted.models {
		more, err := sets(dir)
		if err != nil {
			return err
		}
		cases = append(cases, more...)
	}
	changed, err := mutations(dir, mutants, seed)
	if err != nil {
		return err
	}
	fmt.Fprint(w, head)
	cases = append(cases, changed...)
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.kind) && strings.Contains(c.kind, wanted.only) {
			names = append(names, c.kind)
		}
	}
	var faults []string
	for _, name := range names {
		var longest time.Duration
		runs, good, said := 0, 0, ""
		for _, c := range cases {
			if c.kind != name {
				continue
			}
			end := run(dir, c)
			runs++
			longest, said = max(longest, end.took), end.line
			if wrong := end.wrong(c); wrong != "" {
				faults = append(faults, fmt.Sprintf("%s: mercer %s: %s\n%.400s", c.kind, strings.Join(c.args, " "), wrong, end.stderr))
			} else {
				good++
			}
		}
		fmt.Fprintf(w, "| %s | %d | %d | %.1f | %s |\n", name, runs, good, longest.Seconds(), cell(said))
	}
	if fmt.Fprint(w, notes); len(faults) > 0 {
		return fmt.Errorf("%d runs did not end as they must:\n%s", len(faults), strings.Join(faults, "\n"))
	}
	return nil
}

// cell is a message as a cell of a table.
func cell(line string) string {
	if len(line) > 40 {
		line = line[:40] + "..."
	}
	return "`" + strings.NewReplacer("|", " ", "`", "'").Replace(line) + "`"
}
