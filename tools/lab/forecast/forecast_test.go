package forecast

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// all are the trials on rows that are drawn.
func all(t *testing.T) []trial {
	t.Helper()
	list, err := trials("")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTrials: every method is measured, in every form that it has.
func TestTrials(t *testing.T) {
	formed := map[string][]string{}
	inputs := map[string]mercer.Input{} // the same rows serve several trials
	for _, one := range all(t) {
		m, r, err := method.Read(one.Recipe)
		if err != nil {
			t.Errorf("%v: %v", one, err)
			continue
		}
		like := fmt.Sprint(one.Rows, one.Labelled, one.Columns, one.Classes)
		in, drawn := inputs[like]
		if !drawn {
			if in, err = one.input(); err != nil {
				t.Fatal(err)
			}
			inputs[like] = in
		}
		formed[m.ID] = append(formed[m.ID], m.Form(task.SizeOf(in, one.Recipe, mercer.Options{}, m.ID == "one-class"), r).Name)
	}
	for _, m := range method.All() {
		for _, f := range m.Forms {
			// One value serves all machines with a graph, another all of least squares.
			shared := map[string]string{"sample": "lap-rls", "landmarks": "lap-rls", "matrix-free": "lap-rls", "columns": "rls"}[f.Name]
			if !slices.Contains(formed[m.ID], f.Name) && !slices.Contains(formed[shared], f.Name) {
				t.Errorf("no trial of %s by %s", m.ID, f.Name)
			}
		}
	}
}

// TestMemory: the forecast of every quick trial is at least what its process takes, garbage aside, and at most twice
// that.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds of fits")
	}
	for _, one := range all(t) {
		if !one.Quick || one.Rows > 1500 && !slowtest.Asked() {
			continue
		}
		c, err := one.measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// Garbage is collected when it reaches the forecast (child.go), later where the collector waits for a processor: 1 % beyond
		// beside eight processes that compute all the time.
		late := c
		late.Bytes -= c.Bytes / 11
		if !c.bytesGood() && !late.bytesGood() {
			t.Errorf("%v, %d rows, by %s: %d bytes were forecast, %d measured", one, one.Rows, c.Form, c.Said, c.Bytes)
		}
		if c.Foreseen <= 0 {
			t.Errorf("%v: %g s were forecast", one, c.Foreseen)
		}
	}
}
