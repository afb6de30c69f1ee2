package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"

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

// fuzzTargets runs every fuzz target of the root module for some time.
func fuzzTargets(f *measure.Flags) func() measure.Page {
	length := f.Duration("for", 10*time.Minute, "how long each target runs")
	return func() measure.Page {
		return measure.Page{Title: "Fuzz targets", Write: func(ctx context.Context, w io.Writer) error {
			packages, err := tested(ctx, "list", "./...")
			if err != nil {
				return fmt.Errorf("%s%w", packages, err)
			}
			fmt.Fprintf(w, "Each target ran for %v.\n\n", *length)
			fmt.Fprint(w, "| package | target | inputs tried | of new coverage | fault |\n|---|---|---|---|---|\n")
			for _, p := range strings.Fields(packages) {
				listed, err := tested(ctx, "test", "-list", "^Fuzz", p)
				if err != nil {
					return fmt.Errorf("%s%w", listed, err)
				}
				for name := range strings.Lines(listed) {
					if name = strings.TrimSpace(name); !strings.HasPrefix(name, "Fuzz") {
						continue
					}
					text, failed := tested(ctx, "test", "-run", "^$", "-fuzz", "^"+name+"$", "-fuzztime", length.String(), p)
					if err := ctx.Err(); err != nil {
						return err
					}
					fmt.Fprintf(w, "| %s | %s | %s |\n", p[strings.Index(p, "/mercer")+1:], name, describeFuzz(text, failed))
				}
			}
			return nil
		}}
	}
}

var (
	progressLine = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)
	faultLine    = regexp.MustCompile(`(?m)^\s+\S+_test\.go:\d+: (.*)$|^(panic: .*)$`)
)

// describeFuzz are the cells of a target: inputs, those that reached new code, and its fault.
func describeFuzz(text string, failed error) string {
	tried, fault := []string{"", "-", "-"}, "none"
	if all := progressLine.FindAllStringSubmatch(text, -1); len(all) > 0 {
		tried = all[len(all)-1]
	}
	if failed != nil {
		fault = failed.Error()
		if said := faultLine.FindString(text); said != "" {
			fault = strings.TrimSpace(said)
		}
	}
	return tried[1] + " | " + tried[2] + " | " + fault
}
