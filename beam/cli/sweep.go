package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/internal/replace"
)

// sweepCmd is mercer-beam sweep.
type sweepCmd struct {
	Data       []string `arg:"" help:"Patterns of files, whose rows together must fit in the memory of a worker."`
	Candidates string   `required:"" help:"JSON file with a list of recipes, or one recipe whose set has lists of values." placeholder:"FILE"`
	Output     string   `short:"o" help:"Write the best model here." placeholder:"MODEL"`

	source  `group:"Data:"`
	columns `group:"Data:"`
	running `group:"Running:"`
}

// Help shows examples.
func (sweepCmd) Help() string {
	return `A candidate is a recipe, as mercer fit --recipe takes it. One recipe whose set has lists stands for all combinations of
their values: {"method":"svm","tune":"kfold:5","set":{"C":["1","10"],"sigma":["0.5","1","2"]}} is six
candidates. Each is one fit of mercer on all rows. Candidates are compared by the score of their fits, so all must
name the same --tune; the least score is taken, and of equal ones the first.

Examples:

    mercer-beam sweep 'shards/*.csv' --candidates recipes.json -o best.mercer
    mercer-beam sweep rows.csv --candidates grid.json --json`
}

// Run fits all candidates.
func (c *sweepCmd) Run(e *env) error {
	if c.SkipBad > 0 {
		return usage("--skip-bad %d: sweep leaves no line out; correct the lines that cannot be read", c.SkipBad)
	}
	list, err := candidates(c.Candidates)
	if err != nil {
		return err
	}
	at, err := c.start(e, c.Output, c.Data, c.options(c.columns))
	if err != nil {
		return err
	}
	defer at.end()
	at.spec.Kind, at.spec.Candidates = work.Train, list
	var done []work.Done
	if err := run(e, at.spec, at.to, &done); err != nil {
		return err
	}
	best := -1
	for i, d := range done {
		if d.Failed == "" && (best < 0 || d.Score < done[best].Score) {
			best = i
		}
	}
	if best < 0 {
		return fmt.Errorf("%s: none of %d candidates could be trained; the first: %s", c.Candidates, len(done), done[0].Failed)
	}
	if c.Output != "" {
		text, err := os.ReadFile(done[best].Path)
		if err != nil {
			return err
		}
		if err := replace.File(c.Output, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	return c.print(e, list, done, best)
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
			if d.Failed == "" {
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
		mark, score := "  ", fmt.Sprintf("%.6g", d.Score)
		if i == best {
			mark = "->"
		}
		if d.Failed != "" {
			score = d.Failed
		}
		fmt.Fprintf(&b, "%s %-14s %s\n", mark, score, list[d.Element])
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// grid is a recipe whose set may have lists.
type grid struct {
	mercer.Recipe
	Set map[string]any `json:"set,omitempty"`
}

// mostCandidates is how many recipes a file may stand for.
const mostCandidates = 100000

// candidates reads the recipes of a file as JSON, checked, and of one score.
func candidates(path string) ([]string, error) {
	text, err := os.ReadFile(path)
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
	var list []string
	tune := ""
	for i, g := range grids {
		recipes, err := g.expand()
		if err != nil {
			return nil, fmt.Errorf("%s: recipe %d: %w", path, i+1, err)
		}
		for _, r := range recipes {
			if err := mercer.Check(r); err != nil {
				return nil, fmt.Errorf("%s: recipe %d: %w", path, i+1, err)
			}
			if len(list) > 0 && r.Tune != tune {
				return nil, usage("%s: recipe %d has --tune %q and the first %q; scores of different kinds are not compared, name one",
					path, i+1, r.Tune, tune)
			}
			tune = r.Tune
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			list = append(list, string(text))
		}
	}
	if len(list) == 0 || len(list) > mostCandidates {
		return nil, fmt.Errorf("%s: %d candidates; give 1 to %d", path, len(list), mostCandidates)
	}
	if tune == "none" {
		return nil, usage(`%s: with "tune":"none" nothing is compared; name a score, as kfold:5`, path)
	}
	return list, nil
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
