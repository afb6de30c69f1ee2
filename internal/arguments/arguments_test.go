package arguments

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// grammar is that of a program of two verbs.
type grammar struct {
	Fit struct {
		Data  string `arg:"" help:"Rows, ${rows}."`
		Mark  string `help:"The ${mark}." default:"${usual}" placeholder:"${place}"`
		Kind  string `help:"One of them." enum:"${kinds}" default:"b"`
		Other int    `help:"Of few." default:"3"`
	} `cmd:"" help:"Fits ${rows}."`
	Show struct {
		Dialect
		Seed  uint64
		Noise float64
	} `cmd:"" help:"Shows."`
	Fail failing `cmd:"" help:"Fails."`
}

// failing is a verb whose arguments cannot be taken.
type failing struct{}

var errBroken = errors.New("broken")

func (failing) AfterApply() error { panic(errBroken) }

// TestParse: a verb with its arguments, of which one may begin with a hyphen; help is written and no verb; faults are errors.
func TestParse(t *testing.T) {
	words := Words(map[string]string{"rows": "a file of rows", "mark": "sign", "usual": "none", "place": "SIGN", "kinds": "a,b"})
	parse := func(args ...string) (g grammar, verb *kong.Context, err error, out, said string) { //nolint:staticcheck // told apart
		var stdout, stderr strings.Builder
		verb, err = Parse(&g, args, &stdout, &stderr, kong.Name("program"), words)
		return g, verb, err, stdout.String(), stderr.String()
	}
	g, verb, err, out, said := parse("fit", "rows.csv", "--mark", "-1")
	if err != nil || verb.Command() != "fit <data>" || g.Fit.Data != "rows.csv" || g.Fit.Mark != "-1" || g.Fit.Kind != "b" ||
		g.Fit.Other != 3 || out+said != "" {
		t.Errorf("%+v, %v, %q", g, err, out+said)
	}
	if g, _, err, _, _ = parse("fit", "rows.csv", "--kind", "a"); err != nil || g.Fit.Mark != "none" || g.Fit.Kind != "a" {
		t.Errorf("%+v, %v", g, err)
	}
	for want, args := range map[string][]string{
		"--kind must be one of \"a\",\"b\" but got \"c\"": {"fit", "x", "--kind", "c"}, "expected \"<data>\"": {"fit"},
		"unknown flag --none": {"show", "--none"}, "unexpected argument other": {"other"}, "expected one of": {},
		"--decimal must be one of \"\",\"comma\",\"point\" but got \"x\"": {"show", "--decimal", "x"},
		"--mark is given twice; keep one":                                 {"fit", "x", "--mark", "a", "--mark=a"},
		"--other: must be a whole number, not \"60s\"":                    {"fit", "x", "--other", "60s"},
		"--seed: must be a whole number from 0, not \"-1\"":               {"show", "--seed", "-1"},
		"--noise: must be a number, not \"x\"":                            {"show", "--noise", "x"},
	} {
		_, verb, err, out, said := parse(args...)
		if err == nil || !strings.Contains(err.Error(), want) || out+said != "" {
			t.Errorf("%v: %v, %v, %q", args, verb, err, out+said)
		}
	}
	for _, args := range [][]string{{"fit", "-h"}, {"fit", "rows.csv", "--help"}} {
		_, verb, err, out, said := parse(args...)
		if verb != nil || err != nil || said != "" {
			t.Errorf("%v: %v, %v, %q", args, verb, err, said)
		}
		for _, want := range []string{"Fits a file of rows.", "Rows, a file of rows.", "--mark=SIGN", "The sign.", "Of few."} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", args, want, out)
			}
		}
	}
	_, _, _, out, _ = parse("-h")
	for line := range strings.Lines(out) {
		if len(line) > 101 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	if !strings.Contains(out, "fit     Fits a file of rows.") || !strings.Contains(out, "Shows.") {
		t.Errorf("of all verbs is said\n%s", out)
	}
	if _, err := Parse(grammar{}, nil, nil, nil); err == nil {
		t.Error("what is no pointer is a grammar")
	}
	defer func() {
		if got := recover(); got != errBroken { //nolint:errorlint // it is handed on as it is
			t.Errorf("it panics with %v", got)
		}
	}()
	_, _ = Parse(&g, []string{"fail"}, nil, nil, words)
}

// TestGiven: each of the flags of a dialect says that one was given.
func TestGiven(t *testing.T) {
	if (Dialect{}).Given() {
		t.Error("no flag is one")
	}
	for i := range reflect.TypeFor[Dialect]().NumField() {
		var d Dialect
		switch f := reflect.ValueOf(&d).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.Set(reflect.ValueOf([]string{"x"}))
		}
		if !d.Given() {
			t.Errorf("%+v is not given", d)
		}
	}
}
