package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/report"
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/search/param"
)

// reporting is the flag of verbs that write a page about what they did.
type reporting struct {
	Report string `help:"Write a page about the run, index.html and its figures, into the folder DIR." placeholder:"DIR"`
}

// check says before the work starts whether the page can be written.
func (r reporting) check() error {
	switch {
	case r.Report == "":
		return nil
	case r.Report[0] == '-':
		return usage("--report %s: looks like a flag; name a folder, as in --report ./%s", r.Report, r.Report)
	}
	return named(report.Check(r.Report), r.Report, nil)
}

// listening is a fit whose page is to be written.
type listening struct {
	run     report.Run
	dir     string
	in      *mercer.Input
	left    *mat.Dense // outputs of labelled rows left out
	leftOf  []int
	labels  int
	visited [][]float64 // points of the last stage
	stage   int
}

// listen makes the options tell what the page needs; nil without --report.
func (c *fitCmd) listen(in *mercer.Input, recipe mercer.Recipe, o *mercer.Options) *listening {
	if c.Report == "" {
		return nil
	}
	l := &listening{
		dir: c.Report,
		in:  in,
		run: report.Run{
			Recipe:   recipe,
			Data:     shown(in.Set.Source),
			Command:  command("fit", c),
			Version:  results.Version(),
			Set:      in.Set,
			Checksum: checksum(in.Set),
			Time:     time.Now().Format(time.DateOnly),
		},
	}
	if c.Splits != "" {
		return l // one page, many searches
	}
	for _, a := range in.Set.Answers {
		if !data.IsUnlabelled(a) {
			l.labels++
		}
	}
	o.Listen = mercer.Listener{
		Evaluation: l.evaluation,
		Surface:    l.surface,
		LeftOut:    func(rows []int, out *mat.Dense) { l.leftOf, l.left = rows, out },
	}
	return l
}

func (l *listening) evaluation(e mercer.Evaluation) {
	if e.Stage != l.stage {
		l.visited, l.stage = nil, e.Stage
	}
	l.visited = append(l.visited, e.Theta)
	l.run.Evaluations = append(l.run.Evaluations, e)
}

// surfaceWork is how many floating-point operations the contours of a score may take: some
// seconds.
const surfaceWork = 3e10

// surface scores a grid around the search where that is cheap. One evaluation takes some
// n^3 operations with a graph; without, l^3 for some dozens of factors in folds.
func (l *listening) surface(ctx context.Context, space param.Space, score func(context.Context, []float64) (float64, error)) error {
	work := 50 * math.Pow(float64(l.labels), 3)
	if space.Index("gamma_i") >= 0 {
		work = math.Pow(float64(l.in.Set.Rows.Len()), 3)
	}
	points := 25
	if work*float64(points*points) > surfaceWork {
		points = 15
	}
	if work*float64(points*points) > surfaceWork {
		return nil
	}
	var err error
	l.run.Surface, err = report.NewSurface(ctx, space, l.visited, points, score)
	if ctx.Err() != nil { // the page does without
		return nil
	}
	return err
}

// write writes the page; m is nil with splits. The rows that judge the model are those for
// test, else the hidden ones, else labelled ones left out.
func (l *listening) write(ctx context.Context, m *model.Model, res *mercer.Result) error {
	if l == nil {
		return nil
	}
	l.run.Result, l.run.Model = res, m
	var err error
	switch {
	case m == nil || res.Method == "one-class":
	case len(res.Metrics["test"]) > 0:
		l.run.Judged, err = report.Judge(ctx, "test", m, l.in.Test.Rows, l.in.Test.Answers)
	case len(res.Metrics["hidden"]) > 0:
		l.run.Judged, err = report.Judge(ctx, "hidden", m, l.in.Set.Rows, l.in.Hidden)
	case l.left != nil:
		l.run.Judged, err = report.JudgeOutputs("left out", m, l.left, l.leftOf, l.in.Set.Answers)
	}
	if err != nil && ctx.Err() == nil { // interrupted, the page does without
		return err
	}
	page, err := l.run.Page(context.WithoutCancel(ctx)) // which takes a second at most
	if err != nil {
		return err
	}
	if f := basisFront(res.Basis); f != nil {
		page.Sections = append(page.Sections, f.Sections()...)
	}
	return named(page.Write(l.dir), l.dir, nil)
}

// curveParts are the shares of the labels that a learning curve has besides all, curveLabels the labels from which it has one, and
// curveSeconds the time of a fit up to which the fits of the parts are made unasked: they take less than it did, since its cost grows
// faster than the labels.
const (
	curveLabels  = 40
	curveSeconds = 60
)

func curveParts() []float64 { return []float64{0.25, 0.5} }

// curve fits parts of the labels, and says so before. What fails or is interrupted leaves its point out: the page does without.
func (l *listening) curve(ctx context.Context, say func(string, ...any), res *mercer.Result, o mercer.Options) {
	if l == nil || res.Estimate == nil || l.labels < curveLabels || res.Seconds.Total > curveSeconds || o.TimeLimit > 0 ||
		l.run.Recipe.CV > 0 {
		return // the errors of outer folds cost as many fits, and are not those of the fits of parts
	}
	r := l.run.Recipe
	o.Listen, o.Progress, o.Share, o.Folds = mercer.Listener{}, nil, nil, nil
	labels, err := fit.Interpret(l.in.Set, r)
	if err != nil {
		return
	}
	say("for the learning curve of the page the fit is made again with a quarter and with half of the labels")
	for _, part := range curveParts() {
		rows, err := data.DrawTotal(labels, int(part*float64(l.labels)), r.Drawn())
		if err != nil {
			continue
		}
		in := mercer.Input{Set: l.in.Set.Select(rows)}
		if l.labels < l.in.Set.Rows.Len() { // rows whose labels are left out stay, as the others without labels do
			some := *l.in.Set
			some.Answers, _ = data.Hide(l.in.Set.Answers, rows)
			in = mercer.Input{Set: &some}
		}
		_, less, err := fit.Fit(ctx, in, r, o)
		if err == nil && less.Estimate != nil {
			e := less.Estimate
			l.run.Curve = append(l.run.Curve, report.Share{Labels: len(rows), Error: e.Error, Low: e.Low, High: e.High})
		}
	}
}

// shown is a file without its folder, which differs from machine to machine.
func shown(source string) string {
	if data.IsBuiltin(source) || source == "" {
		return source
	}
	return filepath.Base(source)
}

// unshown are the flags that change nothing of what is learned.
var unshown = map[string]bool{
	"output":  true,
	"report":  true,
	"json":    true,
	"quiet":   true,
	"threads": true,
	"memory":  true,
	"trace":   true,
	"cache":   true,
}

// command is the command line that repeats a run, by the flags of the verb v points to; files
// are without their folders.
func command(verb string, v any) string {
	words := []string{"mercer", verb}
	var flags []string
	k, err := kong.New(v, kong.Name("mercer"), arguments.Words(vocabulary()))
	if err != nil {
		panic(err) // the program's own grammar, parsed before
	}
	for _, p := range k.Model.Positional {
		for _, value := range flagValues(p.Target) {
			words = append(words, quoted(shown(value)))
		}
	}
	for _, f := range k.Model.Flags {
		if unshown[f.Name] || f.Name == "help" || f.Target.IsZero() {
			continue
		}
		if f.IsBool() {
			flags = append(flags, "--"+f.Name)
			continue
		}
		for _, value := range flagValues(f.Target) {
			if strings.Contains(f.PlaceHolder, "FILE") || f.Name == "from" {
				value = shown(value)
			}
			if f.Name == "view" {
				name, file, _ := strings.Cut(value, "=")
				value = name + "=" + filepath.Base(file)
			}
			flags = append(flags, "--"+f.Name+" "+quoted(value))
		}
	}
	return strings.Join(append(words, flags...), " ")
}

// flagValues are the values of a flag, one each time that it is given.
func flagValues(v reflect.Value) []string {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		var list []string
		for i := range v.Len() {
			list = append(list, fmt.Sprint(v.Index(i).Interface()))
		}
		return list
	}
	if t, ok := v.Interface().(limit); ok {
		return []string{time.Duration(t).String()}
	}
	return []string{fmt.Sprint(v.Interface())}
}

// quoted is a word as a shell wants it.
func quoted(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
