// Package metamorphic fits random recipes to random small sets, changes recipe or set in ways whose effect is known, and compares. The
// relations stand in relations.go and invariances.go, with the reason why each must hold. A finding is printed with the command that
// repeats its trial.
package metamorphic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// Declare is the measurement.
func Declare(f *measure.Flags) func() measure.Page {
	length := f.Duration("for", time.Minute, "how long trials are drawn")
	seed := f.Uint64("seed", 1, "of recipes and sets")
	only := f.Int64("trial", -1, "the number of a single trial to repeat")
	return func() measure.Page {
		return measure.Page{Title: "Relations that hold for random recipes", Write: func(ctx context.Context, w io.Writer) error {
			if os.Getenv(asWorker) != "" {
				return work(ctx, *seed, os.Stdin, os.Stdout)
			}
			return newTally(*seed).run(w, *length, *only)
		}}
	}
}

// tally counts trials.
type tally struct {
	seed                  uint64
	workers               map[string]*worker
	trials, refused, late int
	methods               map[string]bool
	held, broken          map[string]int
	findings              []string
}

func newTally(seed uint64) *tally {
	return &tally{seed: seed, workers: map[string]*worker{}, methods: map[string]bool{}, held: map[string]int{}, broken: map[string]int{}}
}

// run runs trials for a time, or a single one, and prints what was counted; the error lists the findings.
func (t *tally) run(w io.Writer, length time.Duration, only int64) error {
	defer func() {
		for _, k := range t.workers {
			k.stop()
		}
	}()
	begun := time.Now()
	for number := uint64(0); ; number++ {
		if only >= 0 {
			number = uint64(only)
			one := drawTrial(t.seed, number)
			recipe, _ := json.Marshal(one.recipe) // a recipe is plain
			fmt.Fprintf(w, "%d rows, %d columns, sparse %v, pinned %v: %s\n", one.input.Set.Rows.Len(), one.input.Set.Rows.Dim(),
				one.input.Set.Rows.IsSparse(), one.pinned, recipe)
		}
		if err := t.trial(number); err != nil {
			return err
		}
		if only >= 0 || time.Since(begun) >= length {
			break
		}
	}
	t.table(w, time.Since(begun))
	if len(t.findings) > 0 {
		return fmt.Errorf("%d findings", len(t.findings))
	}
	return nil
}

// trial runs one trial in pure Go, and if its recipe is pinned, in OpenBLAS.
func (t *tally) trial(number uint64) error {
	o, err := t.ask("go", number)
	if err != nil {
		return err
	}
	t.trials++
	t.methods[drawTrial(t.seed, number).method.ID] = true
	if o.Refused != "" {
		t.refused++
	}
	if o.Late {
		t.late++
	}
	if o.Outputs != nil && len(o.Findings) == 0 {
		other, err := t.ask("openblas", number)
		if err != nil {
			return err
		}
		o.Findings = other.Findings
		if len(other.Findings) == 0 && !other.Late {
			o.engines(other)
		}
	}
	for _, relation := range o.Held {
		t.held[relation]++
	}
	for _, f := range o.Findings {
		relation, _, _ := strings.Cut(f, ":")
		t.broken[relation]++
		t.findings = append(t.findings, f)
		id := drawTrial(t.seed, number).method.ID
		fmt.Fprintf(os.Stderr, "%s\n    %s: go -C tools/lab run . metamorphic -seed %d -trial %d\n", f, id, t.seed, number)
	}
	return nil
}

// ask runs a trial by an engine, whose worker is started where there is none.
func (t *tally) ask(engine string, number uint64) (outcome, error) {
	if t.workers[engine] == nil {
		w, err := start(engine, t.seed)
		if err != nil {
			return outcome{}, err
		}
		t.workers[engine] = w
	}
	o, gone := t.workers[engine].ask(number)
	if gone {
		delete(t.workers, engine)
	}
	return o, nil
}

// engines compares a pinned recipe by two engines of linear algebra.
func (o *outcome) engines(other outcome) {
	o.Held = append(o.Held, "engines")
	if o.Refused != other.Refused {
		o.find("engines", "one is refused otherwise than the other: %s; %s", o.Refused, other.Refused)
		return
	}
	if o.Flat {
		if !(math.Abs(o.Value-other.Value) <= nearObjective*(math.Abs(o.Value)+1e-9)) {
			o.find("engines", "the objective is %g, and %g", o.Value, other.Value)
		}
		return
	}
	top, far := 0.0, 0.0
	for i, row := range o.Outputs {
		for j, v := range row {
			top = max(top, math.Abs(v))
			far = max(far, math.Abs(v-other.Outputs[i][j]))
		}
	}
	if !(far <= near*(1+top)) {
		o.find("engines", "the outputs differ by %g, the largest is %g", far, top)
	}
}

// table prints how often each relation was compared.
func (t *tally) table(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "%d trials of %d methods in %v. %d recipes were refused, on both sides alike; %d trials ended by their time, %v a fit, "+
		"and were not compared. Findings: %d.\n\n", t.trials, len(t.methods), took.Round(time.Second), t.refused, t.late, most, len(t.findings))
	fmt.Fprint(w, "| relation | must hold | compared | did not hold |\n|---|---|---|---|\n")
	names := slices.Sorted(maps.Keys(meanings))
	for _, name := range names {
		fmt.Fprintf(w, "| %s | %s | %d | %d |\n", name, meanings[name], t.held[name], t.broken[name])
	}
	for _, name := range slices.Sorted(maps.Keys(t.broken)) {
		if meanings[name] == "" {
			fmt.Fprintf(w, "| %s | never a finding | %d | %d |\n", name, t.trials, t.broken[name])
		}
	}
	fmt.Fprintln(w, notes)
}

// meanings say for which recipes a relation must hold, and how exactly.
var meanings = map[string]string{
	"trained twice":            "every recipe, to the bit",
	"threads":                  "every recipe, to the bit, in pure Go",
	"scaled columns":           "standardised or from 0 to 1, to the bit",
	"save and load":            "every recipe, to the bit",
	"single rows":              "every recipe, to 1e-7",
	"rows permuted":            "pinned, to 2e-5",
	"columns permuted":         "pinned, to 2e-5",
	"rows twice":               "pinned, without a graph or scaling, to 2e-5",
	"columns and width scaled": "pinned with a kernel, without scaling, to the bit",
	"engines":                  "pinned, to 2e-5",
}

const notes = `
A trial is a random method with random valid settings on 20 to 150 random rows: two classes, more, or numbers; some labelled; with
a constant column, rows that are there twice, or sparse rows in some of them. Pinned are recipes of methods whose objective is convex with
one minimum, with nothing tuned; of hinges and tubes, whose offset may lie in an interval, objectives are compared, to 1e-3. Every
error must have one line and be the same on both sides.`
