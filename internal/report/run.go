package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/search"
)

// Run is a fit to be reported.
type Run struct {
	Result  *mercer.Result
	Recipe  mercer.Recipe
	Command string // that repeats the run; "" for none
	Data    string // what the rows are called: a name, not a path
	Version string // of the program; "" for none
	Time    string // when it ran; "" for none, which keeps pages of equal runs equal
	// Checksum is that of the rows, names and labels that were learned from, as in the trace of a
	// search.
	Checksum string

	Model *model.Model // for the map; nil with splits
	Set   *data.Set    // as the fit saw it: hidden answers are blank

	Judged      *Judged // rows whose answers the model was not told
	Evaluations []mercer.Evaluation
	Surface     *Surface
	Curve       []Share // fits of parts of the labels, ascending
}

// Page makes the report.
func (r *Run) Page(ctx context.Context) (*Page, error) {
	res := r.Result
	p := &Page{
		Title:    r.title(),
		Lead:     r.lead(),
		Answer:   r.answer(),
		Numbers:  r.numbers(),
		Warnings: res.Warnings,
	}
	quality, err := r.quality(ctx)
	if err != nil {
		return nil, err
	}
	views, err := r.views(ctx)
	if err != nil {
		return nil, err
	}
	relevance := r.relevance()
	effects, err := r.partial(ctx)
	if err != nil {
		return nil, err
	}
	if len(effects) > 0 {
		relevance.add(Block{Figures: effects})
	}
	for _, s := range []Section{
		r.splits(), quality, relevance, views, r.rows(), r.graph(), r.clusters(),
		r.request(), r.parameters(), r.search(), r.certificate(), r.limits(),
	} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	p.Foot = "Mercer"
	if r.Version != "" {
		p.Foot += " " + r.Version
	}
	if r.Time != "" {
		p.Foot += ", " + r.Time
	}
	return p, nil
}

// methodName says what a method is to those who do not know it.
func methodName(method string) string {
	if usesGraph(method) {
		return "a model that learns from labelled and unlabelled rows"
	}
	return "a model that learns from labelled rows"
}

func (r *Run) title() string {
	what := "Classification"
	if r.Result.Task == "regression" {
		what = "Regression"
	}
	return what + " of " + r.Data
}

func (r *Run) lead() string {
	res := r.Result
	text := fmt.Sprintf(
		"%s labelled and %d unlabelled rows of %s; %s, %s",
		number(float64(res.Rows.Labelled)),
		res.Rows.Unlabelled,
		brief.Count(res.Rows.Features, "feature"),
		res.Method,
		methodName(res.Method),
	)
	if len(res.Members) > 1 {
		text += fmt.Sprintf(", mean of %d", len(res.Members))
	}
	return text + "."
}

// numbers are the few large ones.
func (r *Run) numbers() []Number {
	res := r.Result
	var out []Number
	show := func(v float64) string {
		if r.mainMeasure() == "error" {
			return percent(v)
		}
		return number(v)
	}
	name := map[string]string{"error": "error", "rmse": "root mean square error"}[r.mainMeasure()]
	switch {
	case res.Splits != nil:
		out = append(out, Number{show(res.Splits.Hidden[r.mainMeasure()+"_mean"]), "mean " + name + ", hidden rows"})
		if b := res.Splits.Baseline; b != nil {
			out = append(out, Number{show(b.Hidden[r.mainMeasure()+"_mean"]), "supervised baseline"})
		}
	case r.Judged != nil && r.Judged.Class != nil:
		out = append(out, Number{percent(r.expected().Error), name + ", " + r.Judged.rows()})
	case r.Judged != nil && r.Judged.Len() > 0:
		v := rootMeanSquare(r.Judged)
		if e := r.expected(); e != nil { // as the sentence above has it
			v = e.Error
		}
		out = append(out, Number{number(v), name + ", " + r.Judged.rows()})
	}
	if base, ok := r.baseline(); ok && res.Splits == nil {
		out = append(out, Number{show(base[r.mainMeasure()]), res.Baseline.Method + ", supervised"})
	}
	return append(out,
		Number{strconv.Itoa(res.Rows.Labelled), "labelled rows"},
		Number{strconv.Itoa(res.Rows.Unlabelled), "unlabelled rows"})
}

// request is the section that says what was asked for.
func (r *Run) request() Section {
	s := Section{ID: "asked", Title: "What was asked"}
	if r.Command != "" {
		s.add(Block{Code: r.Command})
	}
	seed := max(r.Recipe.Seed, 1)
	t := &Table{Text: []bool{true, true}, Rows: [][]string{{"data", r.Data}, {"seed", strconv.FormatUint(seed, 10)}}}
	if r.Checksum != "" {
		t.Rows = append(t.Rows, []string{"checksum of the data", r.Checksum})
	}
	if r.Version != "" {
		t.Rows = append(t.Rows, []string{"version", r.Version})
	}
	if r.Time != "" {
		t.Rows = append(t.Rows, []string{"date", r.Time})
	}
	if s := r.Result.Seconds.Total; s > 0 {
		t.Rows = append(t.Rows, []string{"duration", fmt.Sprintf("%.3g s", s)})
	}
	if r.Result.Scaling != "" {
		t.Rows = append(t.Rows, []string{"scaling", r.Result.Scaling})
	}
	if text, err := json.Marshal(r.Recipe); err == nil && string(text) != "{}" {
		t.Rows = append(t.Rows, []string{"recipe", string(text)})
	} else {
		t.Rows = append(t.Rows, []string{"recipe", "nothing was fixed: every choice was the program's"})
	}
	s.add(Block{Tables: []*Table{t}})
	return s
}

// measureNames are the metrics in the order of the table, and what they are.
var measureNames = [...][2]string{
	{"error", "error"}, {"balanced_accuracy", "mean recall of the classes"}, {"prbep", "precision = recall"},
	{"auc", "area under the ROC curve"}, {"log_loss", "log loss"}, {"calibration_error", "calibration error"},
	{"rmse", "root mean square error"}, {"mae", "mean absolute error"}, {"r2", "R²"},
	{"coverage_90", "share within intervals of 90 %"},
}

func measured(name string, v float64) string {
	switch name {
	case "error", "balanced_accuracy", "coverage_90":
		return strconv.FormatFloat(100*v, 'f', 2, 64) + " %"
	case "rmse", "mae":
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// quality is the section that says how good the model is, with the baseline beside it.
func (r *Run) quality(ctx context.Context) (Section, error) {
	s := Section{ID: "quality", Title: "How good it is"}
	res := r.Result
	t := &Table{Head: []string{"measure"}}
	var columns []mercer.Metric
	for _, set := range []string{"labelled", "hidden", "test"} {
		if m := res.Metrics[set]; len(m) > 0 {
			name := set
			if set == "labelled" {
				name = "labelled, trained on"
			}
			t.Head, columns = append(t.Head, name), append(columns, m)
		}
		if res.Baseline != nil && len(res.Baseline.Metrics[set]) > 0 {
			t.Head, columns = append(t.Head, "the same by "+res.Baseline.Method), append(columns, res.Baseline.Metrics[set])
		}
	}
	for _, name := range measureNames {
		row, some := []string{name[1]}, false
		for _, m := range columns {
			cell := "-"
			if v, ok := m[name[0]]; ok && finite(v) {
				cell, some = measured(name[0], v), true
			}
			row = append(row, cell)
		}
		if some {
			t.Rows = append(t.Rows, row)
		}
	}
	var b Block
	if len(t.Rows) > 0 && res.Splits == nil {
		b.Tables = []*Table{t}
	}
	if base := res.Baseline; base != nil {
		b.Text = fmt.Sprintf(
			"The baseline is %s with the %s kernel, tuned by the same score on the labelled rows alone",
			base.Method,
			plainKernel(base.Kernel),
		)
		if base.Score != nil && res.Tuning != nil && finite(*base.Score) && finite(res.Tuning.Value) {
			b.Text += fmt.Sprintf(": score %s, the model's %s (less is better)", number(*base.Score), number(res.Tuning.Value))
		}
		b.Text += "."
	}
	if e := res.Estimate; e != nil {
		b.Text = strings.TrimSpace(estimateSentence(e) + leftOutSentence(e) + " " + b.Text)
	}
	if j := r.Judged; j != nil && j.Len() > 0 {
		b.Figures = j.figures(res.Classes)
	}
	view, err := predictions(ctx, r.Model, r.Set)
	if err != nil {
		return s, err
	}
	if view != nil {
		b.Figures = append(b.Figures, view)
	}
	if curve := r.learningCurve(); curve != nil {
		b.Figures = append(b.Figures, curve)
	}
	b.Beside = len(b.Figures) == 1 && (b.Text != "" || len(b.Tables) > 0)
	if b.Text != "" || len(b.Tables)+len(b.Figures) > 0 {
		s.add(b)
	}
	return s, nil
}

// rows is the section about the data.
func (r *Run) rows() Section {
	s := Section{ID: "data", Title: "The data"}
	res := r.Result
	t := &Table{Rows: [][]string{
		{"labelled rows", strconv.Itoa(res.Rows.Labelled)}, {"unlabelled rows", strconv.Itoa(res.Rows.Unlabelled)},
	}}
	if res.Rows.Test > 0 {
		t.Rows = append(t.Rows, []string{"test rows", strconv.Itoa(res.Rows.Test)})
	}
	t.Rows = append(t.Rows, []string{"features", strconv.Itoa(res.Rows.Features)})
	if len(res.Classes) > 0 {
		t.Rows = append(t.Rows, []string{"classes", strconv.Itoa(len(res.Classes))})
	}
	b := res.Balance
	if b == nil || len(b.Labelled) != len(res.Classes) || len(res.Classes) == 0 {
		s.add(Block{Tables: []*Table{t}})
		return s
	}
	classes := &Table{Caption: "Balance of the classes", Head: []string{"class", "labelled rows", "share of labels"}}
	predicted := len(b.Unlabelled) == len(res.Classes)
	if predicted {
		classes.Head = append(classes.Head, "predicted share of unlabelled rows")
	}
	apart := 0.0
	for k, name := range res.Classes {
		row := []string{name, strconv.Itoa(int(math.Round(b.Labelled[k] * float64(res.Rows.Labelled)))), percent(b.Labelled[k])}
		if predicted {
			row = append(row, percent(b.Unlabelled[k]))
			apart += math.Abs(b.Unlabelled[k]-b.Labelled[k]) / 2
		}
		classes.Rows = append(classes.Rows, row)
	}
	s.add(Block{Tables: []*Table{t, classes}})
	if predicted {
		text := fmt.Sprintf("Predicted classes of the unlabelled rows differ from the labels' balance by %s of the rows.", percent(apart))
		if apart > 0.15 {
			text += " If labels were given to rows at random, that is more than is easily explained: look at the classes that grew."
		}
		s.add(Block{Text: text})
	}
	return s
}

// graph is the section about the graph of the rows.
func (r *Run) graph() Section {
	s := Section{ID: "graph", Title: "The graph of the rows"}
	g := r.Result.Graph
	if g == nil {
		return s
	}
	s.add(Block{Text: "The graph joins rows that lie near each other; through its edges labels speak to rows that have none."})
	s.add(Block{Tables: []*Table{{Rows: [][]string{
		{
			"edges",
			strconv.Itoa(g.Edges),
		}, {"mean number of neighbours", number(g.MeanDegree)}, {"mean length of an edge", number(g.MeanEdge)},
		{"pieces (connected components)", strconv.Itoa(g.Components)}, {"of them without a label", strconv.Itoa(g.WithoutLabel)},
		{"rows in pieces without a label", strconv.Itoa(g.RowsWithoutLabel)}, {"rows without any neighbour", strconv.Itoa(g.Isolated)},
	}}}})
	if g.WithoutLabel > 0 {
		s.add(Block{Text: fmt.Sprintf("%s in %s are reached by no label: there the graph cannot help. A label in each of them would.",
			sentence(brief.Count(g.RowsWithoutLabel, "row")), brief.Count(g.WithoutLabel, "piece"))})
	} else {
		s.add(Block{Text: "Every piece has a label."})
	}
	return s
}

// clusters is the section about what the rows show without their labels.
func (r *Run) clusters() Section {
	s := Section{ID: "clusters", Title: "Clusters of the rows"}
	c := r.Result.Clusters
	if c == nil {
		return s
	}
	s.add(Block{Text: "Without their labels, " + c.Text + "."})
	switch {
	case c.Clusters > 0 && c.Used:
		s.add(Block{Text: "Machines that decide by clusters are part of the answer, because their leave-one-out score says " +
			"that the classes follow them."})
	case c.Used:
		s.add(Block{Text: "Machines on these directions alone are part of the answer: the others are noise that they need not " +
			"learn to ignore."})
	}
	return s
}

// scoreName is what the axes of scores are called.
func (r *Run) scoreName() string {
	if t := r.Result.Tuning; t != nil && t.Score != "" {
		return t.Score
	}
	return "score"
}

// scoreMeaning explains a score by its parts.
func scoreMeaning(id string) string {
	what := ""
	switch {
	case strings.HasPrefix(id, "loo:logloss"):
		what = "the log loss of labelled rows, each predicted by a model trained without its label"
	case strings.HasPrefix(id, "loo:press"):
		what = "PRESS: half the sum of the squared errors of labelled rows, each predicted by a model trained without its label"
	case strings.HasPrefix(id, "loo:error"):
		what = "the share of labelled rows that a model trained without their label gets wrong"
	case strings.HasPrefix(id, "kfold:"):
		what = "the loss of labelled rows, predicted by models trained without the labels of their fold"
	case strings.HasPrefix(id, "holdout:"):
		what = "the loss of labelled rows set aside"
	case strings.HasPrefix(id, "gcv"):
		what = "generalised cross-validation, the residual on the labels corrected for what the model can bend"
	case strings.HasPrefix(id, "bound:"):
		what = "a bound of the leave-one-out error"
	}
	return what
}

// search is the section that says how the parameters were found.
func (r *Run) search() Section {
	s := Section{ID: "search", Title: "How it was found"}
	t := r.Result.Tuning
	if t == nil || t.Score == "none" {
		s.add(Block{Text: "Nothing was tuned: the parameters are those that were set, or published values."})
		return s
	}
	text := fmt.Sprintf("%s of the score %s", sentence(brief.Count(t.Evaluations, "evaluation")), t.Score)
	if what := scoreMeaning(t.Score); what != "" {
		text += " (" + what + ")"
	}
	text += fmt.Sprintf(
		" by the %s search, which ended: %s. The score of what was chosen is %s.",
		t.Search,
		cmp.Or(t.Status, "done"),
		number(t.Value),
	)
	if len(r.Result.Members) > 1 && len(r.Evaluations) > 0 {
		text += " That is the mean model's; the figures show each by itself."
	}
	s.add(Block{Text: text})
	if f := t.Fresh; f != nil {
		s.add(
			Block{
				Text: fmt.Sprintf(
					"On %d other draws of %d folds, which the search did not see, it scores %s with a standard deviation of %s.",
					f.Draws,
					f.Folds,
					number(f.Mean),
					number(f.Std),
				),
			},
		)
	}
	if figures := r.searching(); len(figures) > 0 {
		s.add(Block{Figures: figures})
	}
	return s
}

// certificate is the section that says how exactly the machine solves its problem.
func (r *Run) certificate() Section {
	s := Section{ID: "certificate", Title: "Certificate"}
	c := r.Result.Certificate
	if c == nil || r.Result.Splits != nil {
		return s
	}
	t := &Table{Text: []bool{true, false, true}, Rows: [][]string{
		{"objective", number(c.Objective), "what training made as small as it could"},
		{
			"residual",
			number(c.Residual),
			"how far the equations of the solution are from holding, relative; rounding alone leaves about 1e-15 times their condition",
		},
	}}
	if c.Gap != 0 {
		t.Rows = append(t.Rows, []string{"gap", number(c.Gap), "by how much the objective can be improved at most"})
	}
	if c.Steps > 0 {
		t.Rows = append(t.Rows, []string{"steps", strconv.Itoa(c.Steps), "of the solver"})
	}
	s.add(Block{Tables: []*Table{t}})
	return s
}

// endedBy words an end that a search did not choose itself; "" for others.
func endedBy(status string) string {
	switch {
	case status == string(search.Budget), status == "budget": // the latter of the automatic choice
		return "its budget"
	case status == string(search.TimeLimit):
		return "its time limit"
	case status == string(search.Interrupted):
		return "an interrupt"
	}
	return ""
}

// limits is the section that says what the run does not know.
func (r *Run) limits() Section {
	s := Section{ID: "limits", Title: "What this run does not know"}
	res := r.Result
	list := []string{
		"Every estimate takes the rows for independent draws of what is to come. Rows of one person, place or hour that stand on both " +
			"sides of a split make it too good.",
	}
	if res.Graph != nil && res.Rows.Unlabelled > 0 && res.Estimate != nil {
		list = append(list, "Rows that are left out stay in the graph, as those without a label do. A row that the file does not have is in "+
			"no graph, and may be answered worse.")
	}
	if j := r.Judged; j != nil && j.Kind == "left out" {
		flattered := "It is a little too good; rows given by --test would say more."
		if e := res.Estimate; e != nil && e.Corrected {
			flattered = "By itself that is a little too good, for which the error to expect on other rows is corrected; rows " +
				"given by --test " +
				"would say more."
		}
		list = append(list, "No row was kept from the whole procedure: the error is that of labelled rows left out one by one "+
			"or by folds, "+
			"and the same score chose the parameters. "+flattered)
	}
	if j := r.Judged; j != nil && j.Class != nil && j.Len() < 100 {
		list = append(
			list,
			fmt.Sprintf(
				"The error rests on %s; a single one more or less moves it by %s.",
				brief.Count(j.Len(), "row"),
				percent(1/float64(j.Len())),
			),
		)
	}
	if usesGraph(res.Method) && r.Judged != nil && r.Judged.Kind == "hidden" {
		list = append(
			list,
			"The hidden rows were in the graph, without their labels. Rows that come later are not, and may be predicted less well.",
		)
	}
	if j := r.Judged; j != nil && slices.ContainsFunc(j.Class, func(k int) bool { return k < 0 }) {
		list = append(list, "Some rows judged are of a class that no labelled row has; the model cannot name it.")
	}
	if g := res.Graph; g != nil && g.WithoutLabel > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%s lie where the graph has no label; what is said of them rests on the kernel alone.",
				sentence(brief.Count(g.RowsWithoutLabel, "row")),
			),
		)
	}
	if t := res.Tuning; t != nil {
		if by := endedBy(t.Status); by != "" {
			list = append(list, fmt.Sprintf("The search ended by %s, not by itself: better parameters may be near.", by))
		}
	}
	if res.Rows.Labelled < 50 {
		list = append(
			list,
			fmt.Sprintf(
				"With %d labels, another draw of them can give a visibly different model; a run over several splits shows how much.",
				res.Rows.Labelled,
			),
		)
	}
	if res.Splits != nil && res.Splits.Count > 1 {
		list = append(
			list,
			"Splits of one file share most of their rows, so their standard deviation tells the spread over draws of labels, not "+
				"over samples.",
		)
	}
	s.add(Block{List: list})
	return s
}
