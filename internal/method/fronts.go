package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// frontMethod fills in what methods that choose from a front have in common.
func frontMethod(f Family, m Method) Method {
	m = machine{id: m.ID, family: f}.declare(m)
	if !m.Has(task.Decide.Key()) {
		m.Settings = append(m.Settings, task.Decide)
	}
	m.Settings = append(m.Settings, task.Kernel)
	m.Rules = append(m.Rules, decisionKnown)
	m.Rule = func(t *task.Task) choose.Rule { return decision{t} }
	return m
}

// Decisions are the words of --decision; cv:K has K folds, of which validation:K judges by one.
func Decisions() []string {
	return []string{
		"cv",
		"cv:K",
		"validation",
		"validation:K",
		"aic",
		"bic",
		"gcv",
		"aic-log",
		"bic-log",
		"aic-cls",
		"bic-cls",
		"cls-4.34",
		"vc-bound",
		"knee",
		"knee-log",
		"lcurve",
	}
}

func decisionKnown(r task.Request) string {
	if r.Recipe.Decision == "" {
		return ""
	}
	if _, _, err := parseDecision(r.Recipe.Decision); err != nil {
		return err.Error()
	}
	return ""
}

// parseDecision reads a decision; folds is 0 for those that need none.
func parseDecision(text string) (d choose.Decisor, folds int, err error) {
	switch head, arg, several := strings.Cut(text, ":"); {
	case head == "cv" || head == "validation":
		if folds = 5; head == "validation" {
			folds = 3
		}
		if several {
			if folds, err = strconv.Atoi(arg); err != nil || folds < 2 {
				return nil, 0, fmt.Errorf("--decision %s: give a number of folds from 2, as in %s:5", text, head)
			}
		}
		return nil, folds, nil
	case !several:
		list := []choose.Decisor{choose.AIC{}, choose.BIC{}, choose.GCV{}, choose.AIC{Form: choose.Logs}, choose.BIC{Form: choose.Logs},
			choose.AIC{
				Form: choose.Classes,
			}, choose.BIC{Form: choose.Classes}, choose.AIC{Form: choose.Printed}, choose.VCBound{}, choose.Knee{}, choose.Knee{Log: true},
			choose.LCurve{}}
		for _, d := range list {
			if d.Name() == text || text == "cls-4.34" && d == (choose.AIC{Form: choose.Printed}) {
				return d, 0, nil
			}
		}
	}
	return nil, 0, fmt.Errorf("--decision %s: not known%s; choose %s", text, brief.Suggest(text, Decisions()), strings.Join(Decisions(), ", "))
}

// decision is the rule that chooses a member of a front as the recipe says.
type decision struct{ t *task.Task }

// word is the decision asked for, or the front's own.
func (d decision) word(s *choose.Candidates) string {
	word, f := d.t.Recipe.Decision, s.Front
	switch {
	case word != "":
	case f.LeftOut == nil:
		return "gcv"
	case f.Partial && f.Quick && (d.t.Labels.Order != nil || d.t.Labels.Group != nil):
		s.Warnings = append(s.Warnings,
			"the member of the partial front was chosen by rows held out once, not by folds; ask for them with --decision cv")
		return "validation" // bic is of rows that were learned from, which these are not to be judged by
	case f.Partial && f.Quick:
		// A user who interrupts does not want to wait for folds that take as long as the front did.
		s.Warnings = append(s.Warnings, "the member of the partial front was chosen by bic, not by folds; ask for them with --decision cv")
		return "bic"
	default:
		return "cv"
	}
	return word
}

// foldable is a decision that was not asked for, with as many of its folds as the labels allow.
func (d decision) foldable(word string) (string, error) {
	_, folds, err := parseDecision(word)
	switch n := foldable(d.t.Labels); {
	case err != nil || d.t.Recipe.Decision != "" || n >= folds:
		return word, err
	case n < 2:
		return word, fmt.Errorf("%d labelled row is not enough for folds, by which a member of the front is chosen; label more rows", n)
	default:
		return fmt.Sprintf("%s:%d", word, n), nil
	}
}

// Choose implements choose.Rule. It takes little time beside the front, so it chooses from a partial
// front too. Errors of a request name no file, others do.
func (d decision) Choose(ctx context.Context, s *choose.Candidates) (*choose.Choice, error) {
	if s.Front.Decided != nil {
		return s.Front.Decided, nil
	}
	c, err := d.choose(ctx, s)
	if usage := (*result.UsageError)(nil); err != nil && !errors.As(err, &usage) {
		err = fmt.Errorf("%s: %w", d.t.Input.Set.Source, err)
	}
	return c, err
}

// choose chooses a member of a front. Its errors name no file.
func (d decision) choose(ctx context.Context, s *choose.Candidates) (*choose.Choice, error) {
	t, f := d.t, s.Front
	word, err := d.foldable(d.word(s))
	if err != nil {
		return nil, err
	}
	if t.Labels.Task == data.Regression && (strings.HasSuffix(word, "-cls") || word == "cls-4.34" || word == "vc-bound") {
		return nil, task.Usage("--decision %s: it is for classes; choose cv, aic, bic or gcv", word)
	}
	by, err := d.decisor(context.WithoutCancel(ctx), word, f)
	if err != nil {
		return nil, err
	}
	// A sum of squares over several outputs has that many times as many residuals.
	table := choose.Front{N: f.Rows * f.Outputs}
	for _, p := range f.Points {
		table.Members = append(table.Members, choose.Member{SSE: p.SSE, Complexity: p.Complexity, DF: p.DF, Errors: p.Errors})
	}
	out, err := by.Decide(table)
	if err != nil {
		return nil, fmt.Errorf("--decision %s: %w", word, err)
	}
	if out.Chosen < 0 {
		remedy := "choose --decision cv, or label more rows"
		if _, held := by.(choose.Held); held {
			remedy = "scale the labels and the features, or label more rows"
		}
		return nil, fmt.Errorf("--decision %s: no member has a finite score; %s", word, remedy)
	}
	if f.Border != nil {
		if at := f.Border(out.Chosen); at != "" {
			s.Warnings = append(s.Warnings, "the member chosen lies at the border of what was looked at: "+at)
		}
	}
	c := &choose.Choice{Point: out.Chosen, Rule: word, Assumed: out.Assumed, Scores: slices.Clone(out.Score)}
	for k, v := range c.Scores {
		if math.IsInf(v, 0) || shapeOnly(by) {
			c.Scores[k] = math.NaN()
		}
	}
	return c, nil
}

// decisor returns the decisor that a word names. Decisors by folds get the losses of the members.
func (d decision) decisor(ctx context.Context, word string, f *choose.Tradeoff) (choose.Decisor, error) {
	t := d.t
	by, folds, err := parseDecision(word)
	if err != nil {
		return nil, task.Usage("%v", err)
	}
	if folds == 0 {
		if by == (choose.GCV{}) {
			by = choose.GCV{CountBias: f.Bias}
		}
		if !f.Gaussian && !shapeOnly(by) {
			return nil, task.Usage("--decision %s: machines with the hinge have no degrees of freedom; choose cv, knee or lcurve", word)
		}
		return by, nil
	}
	if f.LeftOut == nil {
		return nil, task.Usage(
			"--decision %s: method %s is judged by its degrees of freedom; choose gcv, aic or bic",
			word,
			t.Coding.Method,
		)
	}
	if l := t.Labelled(); folds > l {
		return nil, fmt.Errorf("--decision %s asks %d folds of %d labelled rows; ask for fewer", word, folds, l)
	}
	groups, of, err := judging(t, word, folds)
	if err != nil {
		return nil, err
	}
	loss, says, err := f.LeftOut(ctx, groups)
	if err != nil {
		return nil, err
	}
	return choose.Held{Word: word, Loss: loss, Says: says + " " + of}, nil
}

// judging are the folds by which a rule judges the members of a front, and what it says of them. Of rows in order it is the last part.
func judging(t *task.Task, word string, folds int) (groups [][]int, of string, err error) {
	once := fmt.Sprintf("of one part in %d, held out once; the front is of all rows", folds)
	if t.Labels.Order != nil {
		part, err := data.HoldOut(t.Labels, 1/float64(folds), 0)
		return t.Places(part), once, err
	}
	part, err := data.Folds(t.Labels, folds, t.Recipe.Drawn())
	if err != nil {
		return nil, "", err
	}
	if groups = t.Places(part); strings.HasPrefix(word, "validation") {
		return groups[:1], once, nil
	}
	return groups, fmt.Sprintf("of %d folds", folds), nil
}

// shapeOnly says whether a decision looks at the front's shape alone.
func shapeOnly(d choose.Decisor) bool {
	switch d.(type) {
	case choose.Knee, choose.LCurve:
		return true
	}
	return false
}
