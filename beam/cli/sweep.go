package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/pipeline"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/result"
)

// sweepCmd is mercer-beam sweep.
type sweepCmd struct {
	Data       []string `arg:"" help:"Patterns of files, whose rows together must fit in the memory of a worker."`
	Candidates string   `required:"" help:"JSON file with a list of recipes, or one recipe whose set has lists of values." placeholder:"FILE"`
	Output     string   `short:"o" help:"Write the best model here." placeholder:"MODEL"`
	CV         *int     `name:"cv" help:"Judge every candidate by K outer folds, each fitted by itself." placeholder:"K"`
	Splits     string   `help:"File of experiments as of mercer fit: every candidate on every split, nothing is chosen." placeholder:"FILE"`

	source  `group:"Data:"`
	columns `group:"Data:"`
	running `group:"Running:"`
}

// Help shows examples.
func (sweepCmd) Help() string {
	return `A candidate is a recipe, as mercer fit --recipe takes it. One recipe whose set has lists stands for all combinations of
their values: {"method":"svm","tune":"kfold:5","set":{"C":["1","10"],"sigma":["0.5","1","2"]}} is six
candidates. Each is one fit of mercer on all rows, by one worker. The fit of the default method, auto, which compares many
machines, is shared out: its machines are trained by all workers, those with the same graph by one, and a race
heat by heat; the model is that of mercer fit. Candidates are compared by the score of their fits, so all must
name the same --tune; the least score is taken, and of equal ones the first.

The outer folds of --cv and the splits of --splits are fitted by themselves, on whichever worker is free. Their errors are for you
to read: no candidate is chosen by them.

Examples:

    mercer-beam sweep 'shards/*.csv' --candidates recipes.json -o best.mercer
    mercer-beam sweep rows.csv --candidates grid.json --workers 4 --json
    mercer-beam sweep rows.csv --candidates grid.json --splits rows.splits.csv`
}

// Run fits all candidates.
func (c *sweepCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	recipes, err := c.recipes()
	if err != nil {
		return err
	}
	list := make([]string, len(recipes))
	for i, r := range recipes {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		list[i] = string(text)
	}
	at, err := c.start(e, c.Output, c.Data, c.options(c.columns))
	if err != nil {
		return err
	}
	defer at.end()
	c.warn(e, shard.Say(at.table.Warnings)...)
	at.spec.Candidates = list
	fit := c.fitted
	if c.Splits != "" {
		fit = c.split
	}
	done, err := fit(e, at, recipes)
	if err != nil {
		return err
	}
	var said []read.Warning // all have read the same rows, whose first ones were told of
	for _, d := range done {
		for _, w := range d.Warnings {
			if !slices.Contains(at.table.Warnings, w) && !slices.Contains(said, w) {
				said = append(said, w)
			}
		}
	}
	c.warn(e, shard.Say(said)...)
	best, failed := -1, 0
	for i, d := range done {
		if d.Failed != "" {
			failed++
		} else if c.Splits == "" && (best < 0 || d.Score < done[best].Score) {
			best = i
		}
	}
	if failed == len(done) {
		return fmt.Errorf("%s: none of %d candidates could be trained; the first: %s", c.Candidates, len(done), done[0].Failed)
	}
	if c.Output != "" {
		text, err := os.ReadFile(done[best].Path)
		if err != nil {
			return err
		}
		if err := replace.Bytes(c.Output, text); err != nil {
			return err
		}
	}
	return c.print(e, list, done, best)
}

// check refuses flags that do not go together.
func (c *sweepCmd) check() error {
	switch {
	case c.SkipBad > 0:
		return usage("--skip-bad %d: sweep leaves no line out; correct the lines that cannot be read", c.SkipBad)
	case c.CV != nil && *c.CV < 2:
		return usage("--cv %d: give a number of outer folds from 2, as in --cv 5", *c.CV)
	case c.Splits != "" && c.Output != "":
		return usage("-o: with --splits there is no one model to write; leave it out")
	case c.Splits != "" && c.CV != nil:
		return usage("--cv: with --splits the hidden rows measure every fit; leave one of them out")
	}
	return nil
}

// fitted fits every candidate on all rows, after its outer folds.
func (c *sweepCmd) fitted(e *env, at started, recipes []mercer.Recipe) (done []work.Done, err error) {
	folds := make([]int, len(recipes))
	for i, r := range recipes {
		folds[i] = r.CV
	}
	if at.spec.Pieces = work.Pieces(folds); len(at.spec.Pieces) > 0 {
		at.spec.Kind = work.Fold
		if err := run(e, at.spec, at.to, new([]work.Done)); err != nil { // the losses are in files
			return nil, err
		}
	}
	whole := make([]int, len(recipes))
	for i, r := range recipes {
		if !inPieces(r) {
			whole[i] = 1
		}
	}
	if at.spec.Pieces = work.Pieces(whole); len(at.spec.Pieces) > 0 {
		at.spec.Kind = work.Train
		if err := run(e, at.spec, at.to, &done); err != nil {
			return nil, err
		}
	}
	for i, r := range recipes {
		if !inPieces(r) {
			continue
		}
		one, err := byCrew(e, at, i)
		if err != nil {
			return nil, err
		}
		done = slices.Insert(done, i, one)
	}
	return done, nil
}

// inPieces says whether a candidate is itself a choice among many, whose fit is done in pieces.
func inPieces(r mercer.Recipe) bool { return r.Method == "" || r.Method == method.Auto }

// byCrew fits a candidate here, with the workers for a crew.
func byCrew(e *env, at started, number int) (work.Done, error) {
	crew := &work.Crew{Spec: at.spec, Run: func(_ context.Context, s work.Spec) error {
		return run(e, s, at.to, new([]work.Done)) // what pieces give is in files
	}}
	crew.Candidate, crew.Folder = number, at.to.Folder
	done, err := work.Fit(e.ctx, crew.Spec, number, crew)
	var fault *pipeline.Fault
	if crew.Broken != nil && !errors.As(crew.Broken, &fault) {
		return done, crew.Broken
	}
	return done, err
}

// split fits every candidate on every split and summarises those of each.
func (c *sweepCmd) split(e *env, at started, recipes []mercer.Recipe) ([]work.Done, error) {
	var err error
	if at.spec.Splits, err = filepath.Abs(c.Splits); err != nil {
		return nil, err
	}
	const anyRow = math.MaxInt32 // workers know how many rows there are
	list, err := read.Splits(e.ctx, at.spec.Splits, anyRow)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, usage("%s: there is no split; give one a line", c.Splits)
	}
	counts := make([]int, len(recipes))
	for i := range counts {
		counts[i] = len(list)
	}
	at.spec.Kind, at.spec.Pieces = work.Split, work.Pieces(counts)
	var pieces []work.Done
	if err := run(e, at.spec, at.to, &pieces); err != nil {
		return nil, err
	}
	var done []work.Done
	for k := range recipes {
		one, err := summary(pieces[k*len(list) : (k+1)*len(list)])
		if err != nil {
			return nil, err
		}
		one.Element = k
		done = append(done, one)
	}
	return done, nil
}

// summary is that of the splits of one candidate, the first fault if there is one.
func summary(splits []work.Done) (work.Done, error) {
	all := work.Done{Rows: splits[0].Rows, Warnings: splits[0].Warnings}
	var metrics []fit.SplitMetrics
	for _, d := range splits {
		if d.Failed != "" {
			all.Failed = d.Failed
			return all, nil
		}
		metrics = append(metrics, d.Metrics)
		all.Seconds += d.Seconds
	}
	res := new(mercer.Result)
	if err := json.Unmarshal(splits[0].Result, res); err != nil {
		return all, err
	}
	fit.Summarise(res, metrics)
	res.Seconds = result.Seconds{Total: all.Seconds}
	var err error
	all.Result, err = json.Marshal(res.Finite())
	return all, err
}

// swept is a candidate in the result.
type swept struct {
	Recipe json.RawMessage `json:"recipe"`
	Score  *float64        `json:"score,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Failed string          `json:"failed,omitempty"`
	Chosen bool            `json:"chosen"`
}

// print shows the slate.
func (c *sweepCmd) print(e *env, list []string, done []work.Done, best int) error {
	if c.JSON {
		slate := make([]swept, len(done))
		for i, d := range done {
			slate[i] = swept{Recipe: json.RawMessage(list[d.Element]), Result: d.Result, Failed: d.Failed, Chosen: i == best}
			if d.Failed == "" && c.Splits == "" {
				slate[i].Score = &d.Score
			}
		}
		return e.printJSON(struct {
			Candidates []swept `json:"candidates"`
			Model      string  `json:"model,omitempty"`
		}{slate, c.Output})
	}
	var b strings.Builder
	for i, d := range done {
		mark, shown := "  ", fmt.Sprintf("%-14.6g", d.Score)
		if i == best {
			mark = "->"
		}
		switch {
		case d.Failed != "":
			shown = d.Failed
		case c.Splits != "" || c.CV != nil:
			judged, err := leftOut(d.Result)
			if err != nil {
				return err
			}
			if shown += judged; c.Splits != "" {
				shown = judged
			}
		}
		fmt.Fprintf(&b, "%s %s %s\n", mark, shown, list[d.Element])
	}
	_, err := io.WriteString(e.stdout, brief.Shown(b.String()))
	return err
}

// leftOut tells the errors on rows left out by --cv or --splits.
func leftOut(result []byte) (string, error) {
	var res mercer.Result
	if err := json.Unmarshal(result, &res); err != nil {
		return "", err
	}
	if s := res.Splits; s != nil {
		for _, name := range []string{"error", "rmse"} {
			if mean, ok := s.Hidden[name+"_mean"]; ok {
				return fmt.Sprintf("%s %-10.4g +- %-10.4g", name, mean, s.Hidden[name+"_std"]), nil
			}
		}
	} else if r := res.Estimate; r != nil {
		return fmt.Sprintf(" %s %-10.4g %-25s", r.Measure, r.Error, fmt.Sprintf("(%.4g to %.4g)", r.Low, r.High)), nil
	}
	return "", nil
}

// grid is a recipe whose set may have lists.
type grid struct {
	mercer.Recipe
	Set map[string]any `json:"set,omitempty"`
}

// mostCandidates is how many recipes a file may stand for.
const mostCandidates = 100000

// recipes are those of the file of candidates, checked, and of one score if they are to be compared.
func (c *sweepCmd) recipes() ([]mercer.Recipe, error) {
	path := c.Candidates
	text, err := given("--candidates", path)
	if err != nil {
		return nil, err
	}
	var grids []grid
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] != '[' {
		text = slices.Concat([]byte{'['}, trimmed, []byte{']'})
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&grids); err != nil {
		return nil, fmt.Errorf(`%s: %s; give a list of recipes, as [{"method":"rls","set":{"sigma":"5"}}]`, path,
			strings.TrimPrefix(err.Error(), "json: "))
	}
	var list []mercer.Recipe
	for i, g := range grids {
		if c.CV != nil {
			g.CV = *c.CV
		}
		recipes, err := g.expand()
		if err != nil {
			return nil, fmt.Errorf("%s: recipe %d: %w", path, i+1, err)
		}
		list = append(list, recipes...)
		if len(list) > mostCandidates {
			break
		}
		for _, r := range recipes {
			if err := c.suits(r, list[0]); err != nil {
				return nil, fmt.Errorf("%s: recipe %d: %w", path, i+1, err)
			}
		}
	}
	if len(list) == 0 || len(list) > mostCandidates {
		return nil, fmt.Errorf("%s: %d candidates; give 1 to %d", path, len(list), mostCandidates)
	}
	return list, nil
}

// suits says what is wrong with a recipe by itself, or beside the first.
func (c *sweepCmd) suits(r, first mercer.Recipe) error {
	if err := fit.Check(r); err != nil {
		return err
	}
	switch {
	case c.Splits != "" && r.CV > 0:
		return usage("--cv: with --splits the hidden rows measure every fit; leave one of them out")
	case c.Splits == "" && r.Tune == "none":
		return usage(`with "tune":"none" nothing is compared; name a score, as kfold:5`)
	case c.Splits == "" && r.Tune != first.Tune:
		return usage("it has --tune %q and the first %q; scores of different kinds are not compared, name one", r.Tune, first.Tune)
	}
	return nil
}

// expand lists the recipes of all combinations of values, the last name moving fastest.
func (g grid) expand() ([]mercer.Recipe, error) {
	names := make([]string, 0, len(g.Set))
	values, total := map[string][]string{}, 1.0
	for name, v := range g.Set {
		names = append(names, name)
		switch v := v.(type) {
		case string:
			values[name] = []string{v}
		case []any:
			for _, one := range v {
				text, ok := one.(string)
				if !ok {
					return nil, fmt.Errorf(`set %q: values are text, as ["1","10"]`, name)
				}
				values[name] = append(values[name], text)
			}
		default:
			return nil, fmt.Errorf(`set %q: values are text, as "1" or ["1","10"]`, name)
		}
		total *= float64(len(values[name]))
	}
	if total > mostCandidates || math.IsNaN(total) {
		return nil, fmt.Errorf("%g combinations; give %d at most", total, mostCandidates)
	}
	slices.Sort(names)
	list := []map[string]string{{}}
	for _, name := range names {
		var next []map[string]string
		for _, base := range list {
			for _, v := range values[name] {
				one := map[string]string{name: v}
				for k, w := range base {
					one[k] = w
				}
				next = append(next, one)
			}
		}
		list = next
	}
	recipes := make([]mercer.Recipe, len(list))
	for i, set := range list {
		recipes[i] = g.Recipe
		if len(set) > 0 {
			recipes[i].Set = set
		}
	}
	return recipes, nil
}
