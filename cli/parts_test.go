package cli

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
)

func TestByteCount(t *testing.T) {
	for text, want := range map[string]byteCount{"1000": 1000, "2K": 2000, "1.5Ki": 1536, "3M": 3e6, "4Gi": 4 << 30, "4GiB": 4 << 30, "1T": 1e12} {
		var b byteCount
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want {
			t.Errorf("%s: %d, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "5i", "-1", "0", "K", "NaN", "1e30", "5x"} {
		var b byteCount
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, b)
		}
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "5": 5 * time.Second, "0.5": 500 * time.Millisecond} {
		var l limit
		if err := l.UnmarshalText([]byte(text)); err != nil || time.Duration(l) != want {
			t.Errorf("%s: %v, %v", text, time.Duration(l), err)
		}
	}
	for _, text := range []string{"", "0", "-3s", "soon"} {
		var l limit
		if err := l.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, time.Duration(l))
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 5: "5", 1.23456: "1.23", 12345.6: "12346", 1e-6: "1e-06", 1e8: "1e+08", 0.00012345: "0.000123", -2.5: "-2.5"} {
		if got := short(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

// Many widths and classes do not make the table long.
func TestTableStaysShort(t *testing.T) {
	r := &mercer.Result{
		Method: "rls", Kernel: "ard-gaussian(sigma=1:2)", Task: "classification", Params: map[string]any{"lambda": 0.1},
		Balance: &mercer.Balance{}, Metrics: map[string]mercer.Metric{"labelled": {"error": 0.25}},
	}
	for k := range 100 {
		r.Params["sigma["+short(float64(k+1))+"]"] = float64(k + 1)
		r.Classes = append(r.Classes, "c"+short(float64(k)))
		r.Balance.Labelled = append(r.Balance.Labelled, 0.01)
		r.Balance.Unlabelled = append(r.Balance.Unlabelled, 0.01)
	}
	r.Balance.Unlabelled[7], r.Balance.Unlabelled[8] = 0.02, 0
	text := table(r)
	if strings.Count(text, "\n") > 25 {
		t.Errorf("long:\n%s", text)
	}
	for _, part := range []string{"100 widths from 1 to 100", "c7 (2.0", "c8 (0.0", "25.00 %", "rls, ard-gaussian kernel"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing from\n%s", part, text)
		}
	}
}

func TestFiniteDropsWhatJSONHasNot(t *testing.T) {
	r := finite(&mercer.Result{
		Metrics:  map[string]mercer.Metric{"labelled": {"error": 0, "auc": math.NaN(), "log_loss": math.Inf(1)}},
		Baseline: &mercer.Baseline{},
	})
	if len(r.Metrics["labelled"]) != 1 || r.Baseline.Metrics == nil {
		t.Errorf("%v, %v", r.Metrics, r.Baseline.Metrics)
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.step(mercer.Progress{Stage: "choosing", Done: 1, Total: 4, Best: 0.5})
	if out.Len() != 0 {
		t.Errorf("a log gets %q at once", out.String())
	}
	p.last = p.last.Add(-logEvery)
	p.step(mercer.Progress{Stage: "choosing", Done: 2, Total: 4, Best: 0.5})
	if got := out.String(); !strings.HasPrefix(got, "mercer: choosing 2/4, best score 0.5, ") || strings.Contains(got, "\r") {
		t.Errorf("a log gets %q", got)
	}
	out.Reset()
	p.terminal, p.last = true, p.last.Add(-logEvery)
	p.step(mercer.Progress{Stage: "choosing", Done: 2, Total: 4, Best: math.Inf(1)})
	if got := out.String(); !strings.HasPrefix(got, "\rchoosing [============            ] 2/4, ") {
		t.Errorf("a terminal gets %q", got)
	}
	out.Reset()
	if _, err := p.Write([]byte("x\n")); err != nil || !strings.HasSuffix(out.String(), " \rx\n") {
		t.Errorf("a message becomes %q, %v", out.String(), err)
	}
}

// bench is a laboratory with one experiment.
type bench struct{ err error }

func (bench) List() []experiment {
	return []experiment{{"becker-f4.5", "Becker 2013, figure 4.5", "built in", "1 s"}}
}

func (b bench) Run(_ context.Context, id, dir string, progress func(string)) (*replica, error) {
	progress("running in " + dir)
	seven := 7.0
	return &replica{
		ID: id, Seconds: 2, Notes: []string{"other splits"},
		Rows: []replicaRow{{"a", "error %", &seven, 6.5, 0.5, 10}, {"b", "error %", nil, 3, 0, 1}},
	}, b.err
}

func TestReproduce(t *testing.T) {
	ask := func(c reproduceCmd, lab laboratory) (string, string, error) {
		var out, errs bytes.Buffer
		err := c.in(&env{t.Context(), nil, &out, &errs}, lab)
		return out.String(), errs.String(), err
	}
	out, _, err := ask(reproduceCmd{}, bench{})
	if err != nil || !strings.Contains(out, "becker-f4.5  Becker 2013, figure 4.5  built in") {
		t.Errorf("list %q, %v", out, err)
	}
	c := reproduceCmd{IDs: []string{"becker-f4.5"}, DataDir: "there"}
	out, errs, err := ask(c, bench{})
	if err != nil || !strings.Contains(errs, "running in there") || !strings.Contains(out, "note: other splits") || !strings.Contains(out, "6.5") {
		t.Errorf("table %q, %q, %v", out, errs, err)
	}
	c.JSON = true
	out, _, err = ask(c, bench{})
	o := object(t, out)
	rows := o["rows"].([]any)
	if err != nil || rows[0].(map[string]any)["printed"] != 7.0 || rows[1].(map[string]any)["printed"] != nil {
		t.Errorf("object %v, %v", o, err)
	}
	var wrong *usageError
	if _, _, err := ask(reproduceCmd{IDs: []string{"none"}}, bench{}); !errors.As(err, &wrong) {
		t.Errorf("unknown id: %v", err)
	}
	failed := errors.New("data: no such file")
	if _, _, err := ask(c, bench{failed}); err == nil {
		t.Error("no error")
	}
}

func TestPanicIsOneLine(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main(t.Context(), []string{"data"}, nil, panics{}, &errs); code != exitData {
		t.Errorf("exit %d", code)
	}
	if got := errs.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "mercer: internal error: ") || out.Len() > 0 {
		t.Errorf("standard error %q", got)
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("broken") }
