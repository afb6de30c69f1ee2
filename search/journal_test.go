package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/journal"
	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// cut is an objective that cancels its context at the evaluation numbered `at`.
type cut struct {
	param.Objective
	at, calls *int
	cancel    func()
}

func (c cut) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	if *c.calls++; *c.calls == *c.at {
		c.cancel()
		return param.Value{}, ctx.Err()
	}
	return c.Objective.Eval(ctx, theta, want)
}

var header = journal.Header{Data: "sha256:1", Recipe: json.RawMessage(`{"method":"rls"}`)}

func openJournal(t *testing.T, path string) *search.Journal {
	t.Helper()
	j, err := search.OpenJournal(path, header.Data, header.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A search interrupted anywhere, any number of times, and resumed ends as one that
// was not, and computes nothing twice.
func TestJournalResumes(t *testing.T) {
	space := param.Space{
		{Name: "s", Kind: param.Log, Lo: 0x1p-6, Hi: 0x1p6, Default: 1},
		{Name: "k", Kind: param.Integer, Lo: 1, Hi: 4, Default: 2},
		{Name: "x", Kind: param.Real, Lo: -2, Hi: 3, Default: 0},
	}
	bowl := searchtest.Bowl{Dims: space, Edge: 5}
	for name, s := range map[string]search.Search{
		"gradient":    search.Enumerate{Inner: search.Gradient{}},
		"grid":        search.Grid{},
		"random":      search.Random{Seed: 3},
		"nelder-mead": search.NelderMead{},
	} {
		t.Run(name, func(t *testing.T) {
			driver := search.Driver{Budget: 40}
			want := mustRun(t, driver, bowl, s)
			computed := want.Evaluations - want.Replayed
			for at := 1; at <= computed; at += 3 {
				path := filepath.Join(t.TempDir(), "trace")
				total := 0
				var got search.Result
				for attempt := 0; ; attempt++ {
					ctx, cancel := context.WithCancel(t.Context())
					calls, stop := 0, at
					j := openJournal(t, path)
					if known := total - attempt; j.Known() != known { // each cut evaluation is lost
						t.Fatalf("cut at %d: the file has %d evaluations, want %d", at, j.Known(), known)
					}
					var err error
					got, err = driver.Run(search.WithJournal(ctx, j), cut{bowl, &stop, &calls, cancel}, s)
					cancel()
					total += calls
					if e := j.Close(); e != nil {
						t.Fatal(e)
					}
					if err == nil && got.Status != search.Interrupted {
						total -= attempt
						break
					}
					if attempt > computed {
						t.Fatal("no progress")
					}
					if at == 1 { // nothing would ever be computed
						at = 2
					}
				}
				if !reflect.DeepEqual(got.Theta, want.Theta) || got.F != want.F || got.Status != want.Status ||
					got.Evaluations != want.Evaluations ||
					total != computed {
					t.Errorf("cut at %d: %v %v %v, %d evaluations, %d computed; without %v %v %v, %d, %d", at,
						got.Theta, got.F, got.Status, got.Evaluations, total, want.Theta, want.F, want.Status, want.Evaluations, computed)
				}
			}
		})
	}
}

// What a killed program leaves of its last line is cut off; what is not ours stays.
func TestJournalFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace")
	driver, s := search.Driver{Budget: 6}, search.Random{Seed: 1}
	run := func() search.Result {
		j := openJournal(t, path)
		res, err := driver.Run(search.WithJournal(t.Context(), j), square(), s)
		if err != nil || j.Close() != nil {
			t.Fatal(err)
		}
		return res
	}
	want := run()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{0, 5, bytes.IndexByte(whole, '\n'), bytes.IndexByte(whole, '\n') + 1, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:keep], 0o600); err != nil {
			t.Fatal(err)
		}
		got := run()
		text, err := os.ReadFile(path)
		if err != nil || !reflect.DeepEqual(got.Theta, want.Theta) || bytes.Count(text, []byte{'\n'}) != 7 {
			t.Errorf("cut at byte %d: best %v, want %v; file %q, %v", keep, got.Theta, want.Theta, text, err)
		}
	}
	for _, c := range []struct{ text, what string }{
		{"a,b,label\n1,2,x\n", "is not a trace"},
		{"no line", "is not a trace"},
		{`{"theta":[1],"f":2}` + "\n", "is not a trace"},
		{strings.Replace(string(whole), "sha256:1", "sha256:2", 1), "line 1: is of other data"},
		{strings.Replace(string(whole), "rls", "svm", 1), `line 1: is of another recipe, {"method":"svm"}; here {"method":"rls"}`},
		{strings.Replace(string(whole), `trace":2`, `trace":9`, 1), "line 1: has version 9"},
		{strings.Replace(string(whole), `"theta":[`, `"theta":[x`, 1), "line 2: "},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var fault *journal.Error
		if _, err := search.OpenJournal(path, header.Data, header.Recipe); !errors.As(err, &fault) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%q: %v, want %s", c.text, err, c.what)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != c.text {
			t.Errorf("%q became %q", c.text, after)
		}
	}
	if _, err := search.OpenJournal(dir, header.Data, header.Recipe); err == nil {
		t.Error("a folder is a journal")
	}
}

// An evaluation that cannot be kept ends the run; a journal keeps the first run, and a
// second goes on without it.
func TestJournalFaults(t *testing.T) {
	dir := t.TempDir()
	j := openJournal(t, filepath.Join(dir, "gone", "trace"))
	o := square()
	_, err := search.Driver{}.Run(search.WithJournal(t.Context(), j), o, search.Random{N: 100})
	if !errors.Is(err, os.ErrNotExist) || !errors.Is(j.Err(), os.ErrNotExist) || o.calls.Load() > 64 {
		t.Errorf("%v, %v after %d evaluations", err, j.Err(), o.calls.Load())
	}
	j = openJournal(t, filepath.Join(dir, "trace"))
	for run := range 2 {
		o := square()
		if _, err := (search.Driver{}).Run(search.WithJournal(t.Context(), j), o, search.Random{N: 1}); err != nil || o.calls.Load() != 1 {
			t.Errorf("run %d with one journal: %d evaluations, %v", run+1, o.calls.Load(), err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "trace"))
	if err != nil || bytes.Count(text, []byte("\n")) != 2 { // the header and one record
		t.Errorf("%s, %v", text, err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// Whatever a file holds, it is read or refused, and not changed by that.
func FuzzJournal(f *testing.F) {
	f.Add(
		[]byte(
			`{"mercer_trace":1,"data":"sha256:1","recipe":{"method":"rls"}}` + "\n" + `{"n":1,"theta":[0.5],"f":1.25,"seconds":0}` + "\n",
		),
	)
	f.Add([]byte(`{"mercer_trace":1,"data":"sha256:1","recipe":null}` + "\n\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "trace")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := search.OpenJournal(path, header.Data, header.Recipe)
		if (j == nil) == (err == nil) {
			t.Errorf("journal %v, error %v", j, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, text) {
			t.Errorf("%q became %q", text, after)
		}
	})
}
