package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// traced runs a fit with --trace in the folder and returns its result without times,
// and the model.
func traced(t *testing.T, search string) (result string, model []byte) {
	t.Helper()
	return fittedTo(t, tracedArgs(search))
}

// fittedTo runs a fit that writes the model m, and returns its result without times, and the model.
func fittedTo(t *testing.T, args []string) (result string, model []byte) {
	t.Helper()
	r := run(t, "", args...)
	if r.code != exitDone {
		t.Fatalf("%q: %+v", args, r)
	}
	o := object(t, r.stdout)
	delete(o, "seconds")
	text, errT := json.Marshal(o)
	model, errM := os.ReadFile("m")
	if err := errors.Join(errT, errM); err != nil {
		t.Fatal(err)
	}
	return string(text), model
}

func tracedArgs(search string) []string {
	return strings.Fields(
		"fit two-moons:n=30,noise=0.2 --labels-per-class 4 --method lap-rls --budget 40 --json --quiet --trace t -o m --search " + search,
	)
}

// A fit that was killed after any evaluation, or within a line, and is called again
// prints the same result and writes the same model, bit for bit.
func TestTraceResumes(t *testing.T) {
	searches := []string{"gradient", "nelder-mead", "grid", "random"}
	if testing.Short() {
		searches = searches[:1]
	}
	for _, search := range searches {
		folderWith(t, nil)
		want, model := traced(t, search)
		whole, err := os.ReadFile("t")
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(whole, []byte{'\n'})
		for _, keep := range []int{0, bytes.IndexByte(whole, '\n') + 1, len(whole) / 3, len(whole) - 1, len(whole)} {
			if err := os.WriteFile("t", whole[:keep], 0o600); err != nil {
				t.Fatal(err)
			}
			got, again := traced(t, search)
			if got != want || !bytes.Equal(again, model) {
				t.Errorf("%s, resumed at byte %d of %d:\n%s\nwant\n%s", search, keep, len(whole), got, want)
			}
			if text, err := os.ReadFile("t"); err != nil || bytes.Count(text, []byte{'\n'}) != lines ||
				!bytes.HasPrefix(text, whole[:bytes.LastIndexByte(whole[:keep], '\n')+1]) {
				t.Errorf("%s, resumed at byte %d: the trace is not what it was and more (%v)", search, keep, err)
			}
		}
	}
}

// The same with an interrupt: the first run saves its best, the second ends as one
// that was not interrupted.
func TestTraceAfterInterrupt(t *testing.T) {
	folderWith(t, nil)
	want, model := traced(t, "random")
	if err := errors.Join(os.Remove("t"), os.Remove("m")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // an interrupt as soon as five evaluations are kept
		for ctx.Err() == nil {
			if text, _ := os.ReadFile("t"); bytes.Count(text, []byte{'\n'}) > 5 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, errs bytes.Buffer
	code := Main(ctx, tracedArgs("random"), strings.NewReader(""), &out, &errs)
	text, err := os.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	if cut := bytes.Count(text, []byte{'\n'}) < 41; cut != (code == exitInterrupted) && cut {
		t.Errorf("exit %d with the trace %q", code, text)
	}
	if _, err := os.Stat("m"); err != nil || !strings.Contains(errs.String(), "the best so far is in m") && code != exitDone {
		t.Errorf("%v, %q", err, errs.String())
	}
	if got, again := traced(t, "random"); got != want || !bytes.Equal(again, model) {
		t.Errorf("resumed:\n%s\nwant\n%s", got, want)
	}
}

// The same without a search by name: a fit that was killed after any step, or within a line, ends as one that was not. The steps of outer
// folds are kept too.
func TestTraceOfStepsResumes(t *testing.T) {
	for name, args := range map[string]string{
		"default":  "fit two-moons:n=60,noise=0.2 --labels-per-class 6",
		"folds":    "fit iris --labels-per-class 12 --method rls --cv 3",
		"scaling":  "fit sinc:n=120 --method rls",
		"relevant": "fit two-moons:n=60,noise=0.2 --labels-per-class 6 --method lap-svm --budget 7 --basis 20",
		"numbers":  "fit sinc:n=40",
	} {
		t.Run(name, func(t *testing.T) {
			folderWith(t, nil)
			words := append(strings.Fields(args), strings.Fields("--json --quiet --trace t -o m")...)
			fit := func() (string, []byte) { return fittedTo(t, words) }
			want, model := fit()
			whole, err := os.ReadFile("t")
			if err != nil {
				t.Fatal(err)
			}
			if name == "scaling" && !bytes.Contains(whole, []byte(`"stage":"scaling"`)) {
				t.Error("the scaling was no step")
			}
			if plain := run(t, "", slices.DeleteFunc(slices.Clone(words),
				func(w string) bool { return w == "--trace" || w == "t" })...); plain.code != 0 {
				t.Fatalf("%+v", plain)
			} else if same, err := os.ReadFile("m"); err != nil || !bytes.Equal(same, model) {
				t.Errorf("with --trace the model is another one (%v)", err)
			}
			if _, again := fit(); !bytes.Equal(again, model) {
				t.Error("a second run on the whole trace gives another model")
			}
			for _, keep := range []int{0, bytes.IndexByte(whole, '\n') + 1, len(whole) / 3, len(whole) - 1} {
				if err := os.WriteFile("t", whole[:keep], 0o600); err != nil {
					t.Fatal(err)
				}
				got, again := fit()
				if got != want || !bytes.Equal(again, model) {
					t.Errorf("resumed at byte %d of %d:\n%s\nwant\n%s", keep, len(whole), got, want)
				}
				if text, err := os.ReadFile("t"); err != nil || !bytes.Equal(text, whole) {
					t.Errorf("resumed at byte %d: the trace is another one (%v)", keep, err)
				}
			}
			for old, what := range map[string]string{
				`"result":"`: "line 2 is cut", `"crc32":"`: "check sum", `"program":"`: "version",
			} {
				broken := bytes.Replace(whole, []byte(old), []byte(old+"0000"), 1)
				if err := os.WriteFile("t", broken, 0o600); err != nil {
					t.Fatal(err)
				}
				if r := run(t, "", words...); r.code != exitData || !strings.HasPrefix(r.stderr, "mercer: t:") {
					t.Errorf("%s: %+v", what, r)
				}
				if text, err := os.ReadFile("t"); err != nil || !bytes.Equal(text, broken) {
					t.Errorf("%s: a trace that was refused was changed (%v)", what, err)
				}
			}
		})
	}
}

// An interrupt of the default method keeps the best machine so far, and the next run ends as if there had been none.
func TestTraceOfStepsAfterInterrupt(t *testing.T) {
	slowtest.Only(t, "fits that are stopped at many moments and go on")
	folderWith(t, nil)
	words := strings.Fields("fit g50c --labels-per-class 25 --json --quiet --trace t -o m")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // an interrupt as soon as three steps are kept
		for ctx.Err() == nil {
			if text, _ := os.ReadFile("t"); bytes.Count(text, []byte{'\n'}) > 3 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, errs bytes.Buffer
	code := Main(ctx, words, strings.NewReader(""), &out, &errs)
	if code != exitInterrupted || !strings.Contains(errs.String(), "the best so far is in m") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	known, err := os.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	models := [2][]byte{}
	for q := range models {
		if r := run(t, "", words...); r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		if models[q], err = os.ReadFile("m"); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile("t"); err != nil || q == 0 && !bytes.HasPrefix(text, known) {
			t.Errorf("the trace is not what it was and more (%v)", err)
		}
		if err := os.Remove("t"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the fit that went on gives another model than one that was not interrupted")
	}
}

// A trace of other data or of another recipe is refused; a larger budget goes on.
func TestTraceOfOthers(t *testing.T) {
	folderWith(t, nil)
	traced(t, "random")
	before, err := os.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Join(tracedArgs("random"), " ")
	for _, c := range [][3]string{
		{"noise=0.2", "noise=0.3", "is of other data"},
		{"--labels-per-class 4", "--labels-per-class 5", "is of other data"},
		{"--method lap-rls", "--method rls", "is of another recipe"},
		{"--search random", "--search grid", "is of another recipe"},
		{"--quiet", "--quiet --set degree=2", "is of another recipe"},
	} {
		r := run(t, "", strings.Fields(strings.Replace(args, c[0], c[1], 1))...)
		if r.code != exitData || r.stdout != "" || !strings.HasPrefix(r.stderr, "mercer: t:1: "+c[2]) ||
			strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c[1], r)
		}
	}
	if after, err := os.ReadFile("t"); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the trace was changed (%v)", err)
	}
	r := run(t, "", strings.Fields(strings.NewReplacer("--budget 40", "--budget 45", "--quiet ", "").Replace(args))...)
	if r.code != exitDone || !strings.Contains(r.stderr, "t: going on after 40 evaluations") {
		t.Errorf("%+v", r)
	}
}

// A trace of rows with other weights, or of other groups, is of other data.
func TestTraceOfOtherWeights(t *testing.T) {
	text := "a,b,w,g,label\n"
	for i := range 24 {
		text += fmt.Sprintf("%d,%d,%d,%d,%d\n", i%7, i*i%11, 1+i%3, i%5, i%2)
	}
	folderWith(t, map[string]string{"rows.csv": text})
	with := "fit rows.csv --method rls --weight w --group g --quiet --trace t -o m"
	done(t, strings.Fields(with)...)
	for _, other := range []string{
		strings.Replace(with, "--weight w", "--drop w", 1), strings.Replace(with, "--group g", "--drop g", 1),
		strings.Replace(with, "--weight w --group g", "--weight g --group w", 1),
	} {
		if r := run(t, "", strings.Fields(other)...); r.code != exitData || !strings.HasPrefix(r.stderr, "mercer: t:1: is of other data") {
			t.Errorf("%s: %+v", other, r)
		}
	}
	done(t, strings.Fields(with)...)
}

// full is a standard output without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}
}

// Every verb says in one line that its result could not be printed, and exits with 1.
func TestFullDisk(t *testing.T) {
	folderWithModel(t, nil)
	if r := run(t, "", "fit", "good.csv", "--method", "svm", "--kernel", "linear", "--set", "C=1", "--tune", "none", "-o",
		"svm.mercer"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	for _, args := range []string{
		"fit good.csv --method rls --quiet", "fit good.csv --method rls --quiet --json", "predict good.mercer good.csv",
		"predict good.mercer good.csv --json",
		"evaluate good.mercer good.csv", "evaluate good.mercer good.csv --json", "export svm.mercer --format libsvm -o x --json --quiet",
		"convert good.csv -o x.svm --unlabelled-mark 0 --json --quiet", "methods", "methods --json", "data", "data iris", "data --json",
		"reproduce", "reproduce --json", "reproduce becker-f3.2 --quiet", "version", "version --json", "-h", "fit -h",
	} {
		var errs bytes.Buffer
		code := Main(t.Context(), strings.Fields(args), strings.NewReader(""), full{}, &errs)
		if code != exitData || errs.String() != "mercer: standard output: no space left on device; free some space\n" {
			t.Errorf("%s: exit %d, %q", args, code, errs.String())
		}
	}
}

// --json prints one object whatever the verb.
func TestEveryVerbPrintsJSON(t *testing.T) {
	folderWithModel(t, nil)
	if r := run(t, "", "fit", "good.csv", "--method", "svm", "--kernel", "linear", "--set", "C=1", "--tune", "none", "-o",
		"svm.mercer"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	for _, args := range []string{
		"predict good.mercer good.csv", "predict good.mercer good.csv -o p.csv", "evaluate good.mercer good.csv",
		"export svm.mercer --format libsvm -o x",
		"convert good.csv -o x.svm --unlabelled-mark 0", "convert x -o y.mercer", "methods", "methods rls", "data", "reproduce",
		"reproduce becker-f3.2", "version",
	} {
		if r := run(t, "", append(strings.Fields(args), "--json")...); r.code != exitDone || len(object(t, r.stdout)) == 0 ||
			!json.Valid([]byte(r.stdout)) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}
