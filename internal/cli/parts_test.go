package cli

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/result"
)

func TestByteCount(t *testing.T) {
	for text, want := range map[string]byteCount{"1000": 1000, "2K": 2000, "1.5Ki": 1536, "3M": 3e6, "4Gi": 4 << 30, "4GiB": 4 << 30,
		"1T": 1e12} {
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
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "5": 5 * time.Second,
		"0.5": 500 * time.Millisecond} {
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
	for v, want := range map[float64]string{0: "0", 5: "5", 1.23456: "1.23", 12345.6: "12346", 1e-6: "1e-06", 1e8: "1e+08",
		0.00012345: "0.000123", -2.5: "-2.5"} {
		if got := short(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

// Many widths and classes do not make the table long.
func TestTableStaysShort(t *testing.T) {
	r := &mercer.Result{
		Method: "rls", Kernel: "ard-gaussian(sigma=1:2)", Task: "classification", Params: map[string]any{"lambda": 0.1},
		Balance: &result.Balance{}, Metrics: map[string]mercer.Metric{"labelled": {"error": 0.25}},
	}
	for k := range 100 {
		r.Params["sigma["+short(float64(k+1))+"]"] = float64(k + 1)
		r.Classes = append(r.Classes, "c"+short(float64(k)))
		r.Balance.Labelled = append(r.Balance.Labelled, 0.01)
		r.Balance.Unlabelled = append(r.Balance.Unlabelled, 0.01)
	}
	r.Balance.Unlabelled[7], r.Balance.Unlabelled[8] = 0.02, 0
	text := printing{detail: true}.table(r)
	if strings.Count(text, "\n") > 25 {
		t.Errorf("long:\n%s", text)
	}
	for _, part := range []string{"100 widths from 1 to 100", "c7 (2.0", "c8 (0.0", "25.00 %", "rls, ard-gaussian kernel"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing from\n%s", part, text)
		}
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 60)
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
	for done, least := range map[int]float64{0: 49, 1: 40, 4: 0} { // of 60 s foreseen 10 are over; the more steps the more they count
		if left := p.left(mercer.Progress{Done: done, Total: 4}, 10); left < least || left > 50 {
			t.Errorf("after %d of 4 steps and 10 s %g s are left", done, left)
		}
	}
	out.Reset()
	if _, err := p.Write([]byte("x\n")); err != nil || !strings.HasSuffix(out.String(), " \rx\n") {
		t.Errorf("a message becomes %q, %v", out.String(), err)
	}
}

func TestReproduce(t *testing.T) {
	ask := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := Main(t.Context(), append([]string{"reproduce"}, args...), nil, &out, &errs)
		return code, out.String(), errs.String()
	}
	if code, out, _ := ask(); code != 0 || !strings.Contains(out, "becker-f3.1") || !strings.Contains(out, "becker-t4.2") {
		t.Errorf("list: exit %d, %q", code, out)
	}
	if code, out, _ := ask("becker-f3.1", "--quiet"); code != 0 || !strings.Contains(out, "two moons") || !strings.Contains(out, "note: ") {
		t.Errorf("table: exit %d, %q", code, out)
	}
	code, out, _ := ask("--json", "becker-f3.2")
	o := object(t, out)
	if row := o["rows"].([]any)[0].(map[string]any); code != 0 || o["id"] != "becker-f3.2" || row["ours"] == nil || row["printed"] != nil {
		t.Errorf("object: exit %d, %v", code, o)
	}
	if code, out, errs := ask("none"); code != exitUsage || out != "" || !strings.Contains(errs, "none") {
		t.Errorf("unknown id: exit %d, %q", code, errs)
	}
	if code, out, errs := ask("becker-f4.1", "--data", t.TempDir()); code != exitData || out != "" ||
		!strings.Contains(errs, "coil20.csv.gz") {
		t.Errorf("missing file: exit %d, %q", code, errs)
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

// Rows without a label did not help where the automatic choice tried them; a race, or a method that was asked for, has not.
func TestRowsThatWereNotUsed(t *testing.T) {
	plain := mercer.Result{Method: "rls", Rows: result.RowCounts{Labelled: 5, Unlabelled: 3}}
	raced := plain
	raced.Race = []result.Raced{{Method: "rls"}}
	for _, c := range []struct {
		asked string
		r     mercer.Result
		want  string
	}{{"", plain, "did not help"}, {"auto", plain, "did not help"}, {"rls", plain, "were not used"}, {"", raced, "were not used"}} {
		if got := (printing{method: c.asked}).table(&c.r); !strings.Contains(got, "unlabelled rows "+c.want) {
			t.Errorf("method %q, race of %d: %s", c.asked, len(c.r.Race), got)
		}
	}
}

// A program beside mercer has no flag that repeats a fit, and its table names none.
func TestTableOfOthersNamesNoFlag(t *testing.T) {
	for _, r := range []*mercer.Result{{}, {Estimate: &result.Estimate{Measure: "error", From: "leave-one-out"}}} {
		if own, other := table(r), Table(r); !strings.Contains(own, "--cv 5") || strings.Contains(other, "--") {
			t.Errorf("mercer says %q, and a program beside it %q", own, other)
		}
	}
}
