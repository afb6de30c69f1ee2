package reproduce

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// written is a file of results: what its table says of every case and metric.
type written struct {
	id      string
	printed map[string]string
	ours    map[string]string
	order   []string
}

// results reads the files of results.
func results(t *testing.T) []written {
	t.Helper()
	files, err := filepath.Glob("../../docs/results/reproduce-*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var list []written
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w := written{
			id:      strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "reproduce-"), ".md"),
			printed: map[string]string{},
			ours:    map[string]string{},
		}
		_, table, _ := strings.Cut(string(text), "|---|---|---|---|---|\n")
		for line := range strings.Lines(table) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			if len(cells) != 5 {
				break
			}
			for i, c := range cells {
				cells[i] = strings.TrimSpace(c)
			}
			w.printed[cells[0]], w.ours[cells[0]] = cells[1], cells[2]
			w.order = append(w.order, cells[0])
		}
		list = append(list, w)
	}
	return list
}

// remade are the experiments that are run again here: with all their splits, whose numbers must be those
// of the files, or with one, whose cases and printed numbers must be. The others take too long,
// and with one split an experiment is rehearsed.
var remade = map[string]int{
	"becker-f3.1": 0, "becker-f3.2": 0, "becker-f4.1": 1, "becker-f4.2": 1, "becker-f4.4": 1,
	"klatzer-f5.2": 0, "klatzer-f5.8": 1, "klatzer-f5.9": 1, "klatzer-f5.10": 1, "klatzer-f5.11": 1, "klatzer-f5.12": 1,
	"klatzer-f6.1": 1, "klatzer-f6.3": 1, "klatzer-t5.1": 1, "klatzer-t5.2": 0, "klatzer-t5.4": 0, "klatzer-t5.6-fit": 1,
	"kokshenev-t5.5": 0, "kokshenev-t5.6": 0, "lecture-fit": 0,
	"sindhwani-f2.3": 0, "sindhwani-f2.4": 0, "sindhwani-f2.5": 0, "sindhwani-f2.10": 0, "sindhwani-t2.4": 0,
	"sindhwani-f3.1": 0, "sindhwani-f3.4": 0, "sindhwani-f3.5": 0, "sindhwani-f3.6": 1,
}

// TestResultsAgree: the files of results are what the experiments give.
func TestResultsAgree(t *testing.T) {
	dir := os.Getenv("MERCER_DATA")
	if dir == "" || testing.Short() {
		t.Skip("some fifteen seconds, with the data files that MERCER_DATA names")
	}
	for _, w := range results(t) {
		runs, ok := remade[w.id]
		if !ok {
			continue
		}
		t.Run(w.id, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if runs == 1 {
				ctx, _ = rehearse(ctx)
			}
			table, err := Run(ctx, w.id, dir, Options{Seed: 1, Runs: runs})
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, r := range table.Rows {
				name := r.Case + ", " + r.Metric
				order = append(order, name)
				printed, theirs := math.NaN(), math.NaN()
				if r.Printed != nil {
					printed = *r.Printed
				}
				if text := w.printed[name]; text != "" {
					if theirs, err = strconv.ParseFloat(text, 64); err != nil {
						t.Fatal(err)
					}
				}
				if !(math.Abs(printed-theirs) <= 0.006*math.Abs(theirs)) && !(printed != printed && theirs != theirs) { // three digits
					t.Errorf("%s: printed %g, the file has %g", name, printed, theirs)
				}
				// Other sums move the last digits, and with them here and there a row.
				if v, err := strconv.ParseFloat(w.ours[name], 64); runs == 0 && (err != nil || math.Abs(v-r.Ours) > 0.05*math.Abs(v)+1e-9) {
					t.Errorf("%s: %.3g, the file has %s", name, r.Ours, w.ours[name])
				}
			}
			if !slices.Equal(order, w.order) {
				t.Errorf("the cases are %q,\nthe file has %q", order, w.order)
			}
		})
	}
}

// asking is a context that is cancelled when it has been asked a number of times.
type asking struct {
	context.Context
	left atomic.Int64
	done chan struct{}
	once sync.Once
}

func (c *asking) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.Canceled
}

func (c *asking) Done() <-chan struct{} { return c.done }

// TestExperimentsEnd: wherever an experiment is cancelled it ends with an error, and no table.
func TestExperimentsEnd(t *testing.T) {
	dir := os.Getenv("MERCER_DATA")
	if dir == "" || testing.Short() {
		t.Skip("some seconds, with the data files that MERCER_DATA names")
	}
	for _, e := range List() {
		for _, n := range []int64{0, 7} {
			rehearsal, _ := rehearse(t.Context())
			ctx := &asking{Context: rehearsal, done: make(chan struct{})}
			ctx.left.Store(n)
			_, err := Run(ctx, e.ID, dir, Options{Seed: 1, Runs: 1})
			if err == nil && ctx.left.Load() < 0 {
				t.Errorf("%s, cancelled after %d: no error", e.ID, n)
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				break // its data are not here
			}
		}
	}
}
