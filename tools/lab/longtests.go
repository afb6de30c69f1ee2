package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// randomTrials runs the test of relations between fits for as long as is asked, instead of its few trials of every day.
func randomTrials(f *measure.Flags) func() measure.Page {
	length := f.Duration("for", time.Hour, "how long trials are drawn")
	seed := f.Uint64("seed", 1, "of recipes and sets")
	return func() measure.Page {
		return measure.Page{Title: "Relations that hold for random recipes", Write: func(ctx context.Context, w io.Writer) error {
			text, failed := tested(ctx, "-C", "tools/lab", "test", "-v", "-timeout", "0", "./metamorphic", "-args",
				"-for", length.String(), "-seed", fmt.Sprint(*seed))
			return describeTrials(w, text, failed)
		}}
	}
}

// tested is what go test prints, and its fault.
func tested(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	return string(out), errors.Join(err, ctx.Err())
}

var (
	trialsLine   = regexp.MustCompile(`(\d+ trials, .*)`)
	relationLine = regexp.MustCompile(`: ([a-z ]+): compared (\d+) times`)
	findingLine  = regexp.MustCompile(`: (seed \d+, trial \d+: .*)\n\s*(.*)`)
)

// describeTrials writes what the test says of its trials.
func describeTrials(w io.Writer, text string, failed error) error {
	trials, findings := trialsLine.FindString(text), findingLine.FindAllStringSubmatch(text, -1)
	if trials == "" || failed != nil && len(findings) == 0 {
		return fmt.Errorf("the test said\n%s\n%w", text, failed)
	}
	fmt.Fprintf(w, "%s. Findings: %d.\n\n| relation | compared |\n|---|---|\n", trials, len(findings))
	for _, found := range relationLine.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(w, "| %s | %s |\n", found[1], found[2])
	}
	for i, found := range findings {
		if i == 0 {
			fmt.Fprint(w, "\n## Findings\n\n")
		}
		fmt.Fprintf(w, "* %s; %s\n", found[1], strings.TrimSpace(found[2]))
	}
	fmt.Fprint(w, "\nA trial fits a random method with random valid settings to 20 to 150 random rows, changes rows or recipe in a way whose "+
		"effect is known, and compares. The tests in tools/lab/metamorphic say for which recipes each relation must hold, how nearly, and why.\n")
	return nil
}

// fuzzTargets runs every fuzz target of the modules for some time, some at once, each by one process.
func fuzzTargets(f *measure.Flags) func() measure.Page {
	length := f.Duration("for", 10*time.Minute, "how long each target runs")
	atOnce := f.Int("at-once", 2, "how many targets run at a time")
	return func() measure.Page {
		return measure.Page{Title: "Fuzz targets", Write: func(ctx context.Context, w io.Writer) error {
			targets, err := allTargets(ctx)
			if err != nil {
				return err
			}
			rows := make([]string, len(targets))
			if err := parallel.Each(*atOnce, len(targets), func(i int) error {
				t := targets[i]
				// Else go test spends up to a minute on making each new input of some kilobytes smaller, and tries no other meanwhile.
				text, failed := tested(ctx, "-C", t.module, "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", length.String(),
					"-fuzzminimizetime", "20x", "-parallel", "1", t.path)
				rows[i] = fmt.Sprintf("| %s | %s | %s |\n", strings.TrimPrefix(t.path, "github.com/mercer-ml/mercer/"), t.name,
					describeFuzz(text, failed))
				return ctx.Err()
			}); err != nil {
				return err
			}
			fmt.Fprintf(w, "Each target ran for %v, %d at a time, each by one process.\n\n", *length, *atOnce)
			fmt.Fprint(w, "| package | target | inputs tried | of new coverage | fault |\n|---|---|---|---|---|\n")
			fmt.Fprint(w, strings.Join(rows, ""))
			return nil
		}}
	}
}

// target is a fuzz target, by the module and the path of its package.
type target struct{ module, path, name string }

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// allTargets are those in the tests of the modules that read what others wrote.
func allTargets(ctx context.Context) ([]target, error) {
	const format = "{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}\n{{end}}" +
		"{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}\n{{end}}"
	var targets []target
	for _, module := range []string{".", "arrow", "beam"} {
		files, err := tested(ctx, "-C", module, "list", "-f", format, "./...")
		if err != nil {
			return nil, fmt.Errorf("%s%w", files, err)
		}
		for line := range strings.Lines(files) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
			if file == "" {
				continue
			}
			code, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, found := range fuzzFunction.FindAllSubmatch(code, -1) {
				targets = append(targets, target{module, path, string(found[1])})
			}
		}
	}
	return targets, nil
}

var (
	progressLine = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)
	// endedByRace is how go test says that it found its own -fuzztime over before it told its workers so: no input is at fault.
	endedByRace = regexp.MustCompile(`(?m)^--- FAIL: Fuzz\w+ \(\S+\)\n\s+context deadline exceeded\nFAIL\n`)
	faultLine   = regexp.MustCompile(`(?m)^\s+\S+_test\.go:\d+: (.*)$|^(panic: .*)$`)
)

// describeFuzz are the cells of a target: inputs, those that reached new code, and its fault.
func describeFuzz(text string, failed error) string {
	tried, fault := []string{"", "-", "-"}, "none"
	if all := progressLine.FindAllStringSubmatch(text, -1); len(all) > 0 {
		tried = all[len(all)-1]
	}
	if tried[1] == "-" || tried[1] == "0" {
		fault = "no input was tried: the time was spent on those that are kept"
	}
	if failed != nil && !endedByRace.MatchString(text) {
		fault = failed.Error()
		if said := faultLine.FindString(text); said != "" {
			fault = strings.TrimSpace(said)
		}
	}
	return tried[1] + " | " + tried[2] + " | " + fault
}
