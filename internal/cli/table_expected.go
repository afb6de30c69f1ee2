package cli

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// expected prints the error to expect on new rows beside that of the trivial answer, or which flag would tell it.
func (s *sheet) expected(r *mercer.Result, repeat string) {
	e := r.Estimate
	if e == nil {
		name := "expected error"
		if r.Task == "regression" {
			name = "expected rmse"
		}
		if r.Metrics["hidden"] == nil && r.Metrics["test"] == nil && r.Splits == nil {
			text := "unknown, for no row was left out"
			if repeat != "" {
				text += "; " + repeat + " repeats the fit five times for one"
			}
			s.line(name, text)
			return
		}
		if r.Splits == nil {
			s.line(name, "that of the rows below, which the fit has not seen")
		}
		return
	}
	rows := "new rows"
	if r.Graph != nil && r.Rows.Unlabelled > 0 { // the rows left out stay in the graph, as those without a label do
		rows = "unlabelled rows"
	}
	text := fmt.Sprintf("%s on %s (%g %%: %s to %s)", measure(e.Measure, e.Error), rows, 100*e.Level,
		strings.TrimSuffix(measure(e.Measure, e.Low), " %"), measure(e.Measure, e.High))
	if e.Trivial != nil {
		text += fmt.Sprintf("; %s: %s", trivialAnswer(r), measure(e.Measure, *e.Trivial))
	}
	s.line("expected "+e.Measure, fmt.Sprintf("%s; by %s of %s", text, e.From, brief.Count(e.Rows, "row")))
	if e.Corrected {
		return
	}
	text = "too low by what the tuning gained, which saw these rows"
	if repeat != "" {
		text += "; " + repeat + " tells an error that it did not see"
	}
	s.line("", text)
}

// trivialAnswer names the answer that needs no model.
func trivialAnswer(r *mercer.Result) string {
	others := brief.Others(r.Estimate.From)
	switch {
	case r.Task == "regression":
		return "always the mean" + others
	case others != "":
		return "always the commonest class" + others
	case r.Balance != nil && len(r.Balance.Labelled) == len(r.Classes) && len(r.Classes) > 0:
		most := slices.Max(r.Balance.Labelled)
		return "always " + clip(r.Classes[slices.Index(r.Balance.Labelled, most)])
	}
	return "always the commonest class"
}

// unlabelled says whether the rows without a label helped, by the rows that were hidden or else by the score of the fit. The automatic
// choice alone tries what they help.
func (s *sheet) unlabelled(r *mercer.Result, asked string) {
	if r.Rows.Unlabelled == 0 {
		return
	}
	const name = "unlabelled rows" // the line reads on: helped, did not help
	b := r.Baseline
	if b == nil {
		text := "did not help: " + r.Method + ", which learns from labelled rows alone, was chosen"
		if cmp.Or(asked, "auto") != "auto" || len(r.Race) > 0 { // whose machines all learn from labelled rows alone
			text = "were not used: " + r.Method + " learns from labelled rows alone"
		}
		if m, ok := method.Find(r.Method); ok && m.LearnsFromUnlabelled() {
			text = "were used; no model without them was compared"
		}
		s.line(name, text)
		return
	}
	what, own, other := "", 0.0, 0.0
	for _, m := range []string{"error", "rmse"} {
		mine, ok := r.Metrics["hidden"][m]
		theirs, both := b.Metrics["hidden"][m]
		if ok && both {
			what, own, other = m, mine, theirs
		}
	}
	text := fmt.Sprintf("%s of the hidden rows %s, %s without them (%s)", what, measure(what, own), measure(what, other), b.Method)
	if what == "" {
		if b.Score == nil || r.Tuning == nil {
			s.line(name, "were used; nothing says what they were worth")
			return
		}
		own, other = r.Tuning.Value, *b.Score
		text = fmt.Sprintf("%s %s, %s without them (%s)", r.Tuning.Score, short(own), short(other), b.Method)
	}
	verdict := "helped: "
	if own >= other {
		verdict = "did not help: "
	}
	s.line(name, verdict+text)
}

// mostLeftOut is the number of classes up to which all are printed; of more those of the least recall.
const mostLeftOut = 4

// leftOut prints recall and precision of unequal classes, the rarest first.
func (s *sheet) leftOut(e *result.Estimate) {
	if e == nil {
		return
	}
	share := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return measure("error", *v)
	}
	classes := slices.Clone(e.Classes)
	slices.SortStableFunc(classes, func(a, b result.ClassEstimate) int { return cmp.Compare(a.Rows, b.Rows) })
	if len(classes) > mostLeftOut {
		slices.SortStableFunc(classes, func(a, b result.ClassEstimate) int { return cmp.Compare(found(a), found(b)) })
		classes = classes[:mostLeftOut]
	}
	var cells []string
	for _, c := range classes {
		cells = append(cells, fmt.Sprintf("%s: recall %s, precision %s (%s)", clip(c.Class), share(c.Recall), share(c.Precision),
			brief.Count(c.Rows, "row")))
	}
	s.wrapped("each class", cells)
}

// found is the recall, of a class without rows 1.
func found(c result.ClassEstimate) float64 {
	if c.Recall == nil {
		return 1
	}
	return *c.Recall
}

// relevant is how many columns the table lists.
const relevant = 4

// relevance lists the columns that count most, as many as a line has room for.
func (s *sheet) relevance(r *mercer.Result) {
	if len(r.Relevance) < 2 {
		return
	}
	for most := min(relevant, len(r.Relevance)); most > 0; most-- {
		var cells []string
		for _, f := range r.Relevance[:most] {
			cells = append(cells, fmt.Sprintf("%s %.0f %%", clip(f.Name), 100*f.Share))
		}
		if rest := len(r.Relevance) - most; rest > 0 {
			cells = append(cells, fmt.Sprintf("%d more", rest))
		}
		if text := strings.Join(cells, ", "); len([]rune(text)) <= lineWidth-margin || most == 1 {
			s.line("columns", text)
			return
		}
	}
}

// guesses prints what was decided of the file.
func (s *sheet) guesses(r *mercer.Result) {
	s.wrapped("guessed", r.Guesses)
}

// learned prints what the model is and what it learned from.
func (s *sheet) learned(r *mercer.Result) {
	text := r.Method + ", " + values.ReplaceAllString(r.Kernel, "") + " kernel"
	switch {
	case len(r.Members) > 1 && r.Members[0].Class != "":
		text += ", one model a class"
	case len(r.Members) > 1:
		text += ", average of " + brief.Count(len(r.Members), "model")
	}
	text += ": " + r.Task
	if len(r.Classes) > 0 {
		text += ", " + strconv.Itoa(len(r.Classes)) + " classes"
	}
	s.line("learned", text)
	rows := fmt.Sprintf("from %d labelled, %d unlabelled rows", r.Rows.Labelled, r.Rows.Unlabelled)
	if r.Rows.Unlabelled == 0 {
		rows = fmt.Sprintf("from %s", brief.Count(r.Rows.Labelled, "labelled row"))
	}
	rows += " of " + brief.Count(r.Rows.Features, "feature")
	if r.Rows.Test > 0 {
		rows += fmt.Sprintf("; %s for test", brief.Count(r.Rows.Test, "row"))
	}
	s.line("", rows)
}

// members lists the members of a stack, whose weights say what each contributes.
func (s *sheet) members(r *mercer.Result) {
	var cells []string
	for _, m := range r.Members {
		if m.Error == nil {
			return // of another kind of mean, whose weights are no shares
		}
		text := "rmse " + short(*m.Error)
		if len(r.Classes) > 0 {
			text = fmt.Sprintf("error %.2f %%", 100**m.Error)
		}
		cells = append(cells, fmt.Sprintf("%.2f %s (left out: %s)", m.Weight, m.Kernel, text))
	}
	s.wrapped("members", cells)
}

// metrics prints the metrics of the hidden and the test rows, those of the supervised baseline beside them.
func (s *sheet) metrics(r *mercer.Result) {
	head := []string{"metrics"}
	var columns []mercer.Metric
	for _, set := range []string{"hidden", "test"} {
		if m := r.Metrics[set]; len(m) > 0 {
			head, columns = append(head, set), append(columns, m)
		}
		if r.Baseline == nil {
			continue
		}
		if m := r.Baseline.Metrics[set]; len(m) > 0 {
			head, columns = append(head, "("+r.Baseline.Method+")"), append(columns, m)
		}
	}
	if len(columns) == 0 {
		return
	}
	rows := [][]string{head}
	for _, name := range measures {
		row, some := []string{"  " + strings.ReplaceAll(name, "_", " ")}, false
		for _, m := range columns {
			v, ok := m[name]
			cell := "-"
			if ok {
				cell, some = measure(name, v), true
			}
			row = append(row, cell)
		}
		if some {
			rows = append(rows, row)
		}
	}
	s.grid(rows)
}

// training prints the metrics of the rows that the model has learned from, which say nothing of new rows.
func (s *sheet) training(r *mercer.Result) {
	m := r.Metrics["labelled"]
	var first string
	var cells []string
	for _, name := range measures {
		v, ok := m[name]
		switch {
		case !ok:
		case first == "":
			first, cells = name, append(cells, measure(name, v))
		default:
			cells = append(cells, shownAs(name)+" "+measure(name, v))
		}
	}
	s.wrapped("training "+shownAs(first), cells)
}

// model prints where the model is, what its file holds, and what its use costs.
func (s *sheet) model(r *mercer.Result, kept string) {
	var cells []string
	for _, text := range []string{r.Model, kept} {
		if text != "" {
			cells = append(cells, text)
		}
	}
	s.wrapped("model", cells)
	if v := r.Seconds.RowsPerSecond; v > 0 && r.Model != "" {
		digits := math.Pow(10, math.Floor(math.Log10(v))-1)
		s.line("", fmt.Sprintf("predicts about %.0f rows a second", digits*math.Round(v/digits)))
	}
}

// keptOf says how large the file of a model is, and whose rows it holds: who has the file can read them.
func keptOf(m *model.Model, path string) string {
	if path == "" || m == nil {
		return ""
	}
	var cells []string
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		cells = append(cells, brief.Bytes(info.Size()))
	}
	if rows, _, err := m.Centres(); err == nil {
		cells = append(cells, "holds "+brief.Count(rows.Len(), "row")+" of the data (linear models hold none)")
	}
	return strings.Join(cells, ", ")
}
