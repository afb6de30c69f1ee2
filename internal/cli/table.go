package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/result"
)

// outerFolds is the flag of mercer fit that judges a fit by repeating it.
const outerFolds = "--cv 5"

// printing is how a result is printed for people.
type printing struct {
	repeat string // the flag that repeats a fit for an estimate, "" of a program that has none
	detail bool   // with parameters, search, graph and certificate
	kept   string // what the file of the model holds
	method string // that was asked for
}

// table prints what a fit of mercer found for people.
func table(r *mercer.Result) string { return printing{repeat: outerFolds}.table(r) }

// Table shows a result as mercer fit does, for programs beside it, which have no flag that repeats a fit and no automatic choice: the
// method is the one that was asked for.
func Table(res *mercer.Result) string { return printing{method: res.Method}.table(res) }

// table says first what to expect of new rows, then what was learned, and last how well the model repeats the labels that it has seen.
func (p printing) table(r *mercer.Result) string {
	var s sheet
	if r.Splits != nil {
		s.splits(r.Splits, r.Baseline)
		s.text("  the first of them:")
	}
	s.expected(r, p.repeat)
	s.unlabelled(r, p.method)
	s.leftOut(r.Estimate)
	s.relevance(r)
	s.guesses(r)
	s.learned(r)
	s.members(r)
	s.selected(r)
	s.decision(r)
	s.interval(r)
	s.basis(r.Basis)
	s.metrics(r)
	s.views(r.Views)
	s.training(r)
	if p.detail {
		s.parameters(r)
		s.tuning(r)
		s.balance(r)
		s.state(r)
	}
	s.line("cost", cost(r.Seconds, "tuning", "fit", r.Forecast))
	s.model(r, p.kept)
	return s.String()
}

// tuning prints the score that decided.
func (s *sheet) tuning(r *mercer.Result) {
	t := r.Tuning
	if t == nil || t.Score == "none" {
		return
	}
	text := fmt.Sprintf("%s %s, %s, search %s", t.Score, short(t.Value), brief.Count(t.Evaluations, "evaluation"), t.Search)
	if t.Status != "" {
		text += ", " + t.Status
	}
	if b := r.Baseline; b != nil && b.Score != nil {
		text += fmt.Sprintf(" (%s: %s)", b.Method, short(*b.Score))
	}
	s.line("tuned by", text)
	var more []string
	if f := t.Fresh; f != nil {
		more = append(more, fmt.Sprintf("%s +- %s over %d draws of %d folds", short(f.Mean), short(f.Std), f.Draws, f.Folds))
	}
	if t.Tied {
		more = append(more, "one width for all columns kept: one each does not improve cross-validation by 1 nat for each added parameter")
	}
	if len(more) > 0 {
		s.line("", strings.Join(more, "; "))
	}
}

// values are what a kernel's specification says of its parameters, which the
// table has in a line of their own.
var values = regexp.MustCompile(`\([a-z_]+=[^()]*\)`)

// Widths of the names in front of every line, and of a line of parameters.
const (
	margin    = 18
	lineWidth = 100
)

// sheet collects the lines of a table.
type sheet struct{ strings.Builder }

func (s *sheet) text(t string) { s.WriteString(t + "\n") }

func (s *sheet) line(name, text string) {
	s.text(strings.TrimRight(fmt.Sprintf("  %-*s%s", margin-2, name, oneLine(text)), " "))
}

// grid writes rows of cells, right-aligned in columns; the first cell of a row
// is its name.
func (s *sheet) grid(rows [][]string) {
	var width []int
	for _, row := range rows {
		for j, cell := range row {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		cells := make([]string, len(row)-1)
		for j, cell := range row[1:] {
			cells[j] = strings.Repeat(" ", width[j+1]-len([]rune(cell))) + cell
		}
		s.line(row[0], strings.Join(cells, "   "))
	}
}

// parameterOrder puts widths first, then weights, then the graph; the rest
// follows by name.
var parameterOrder = [...]string{"sigma", "lambda", "gamma_a", "gamma_i", "neighbours", "degree"}

// parameters prints the hyper-parameters, LIBSVM's gamma beside a Gaussian width.
func (s *sheet) parameters(r *mercer.Result) {
	place := func(name string) int {
		name, _, _ = strings.Cut(name, "[")           // of a column or a group: sigma[a..c]
		if _, own, ok := strings.Cut(name, "."); ok { // a term of a sum: 1.sigma
			name = own
		}
		if i := slices.Index(parameterOrder[:], name); i >= 0 {
			return i
		}
		return len(parameterOrder)
	}
	names := slices.SortedFunc(maps.Keys(r.Params), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	gaussian := strings.Contains(r.Kernel, "gaussian") && !strings.Contains(r.Kernel, "laplacian")
	var cells, widths []string
	lo, hi := 0.0, 0.0
	for _, name := range names {
		v, isNumber := r.Params[name].(float64)
		if isNumber && strings.Contains(name, "sigma[") {
			if len(widths) == 0 {
				lo, hi = v, v
			}
			lo, hi = min(lo, v), max(hi, v)
			widths = append(widths, name)
			continue
		}
		if name == "mu" || name == "laplacians" {
			continue // in lines of their own
		}
		text := fmt.Sprint(r.Params[name])
		if isNumber {
			text = short(v)
		}
		text = name + " " + text
		if isNumber && gaussian && strings.HasSuffix(name, "sigma") {
			text += " (gamma " + short(1/(2*v*v)) + ")"
		}
		cells = append(cells, text)
	}
	if len(widths) > 0 {
		text := brief.Count(len(widths), "width")
		least, most := 1/(2*hi*hi), 1/(2*lo*lo)
		if lo == hi {
			text += " of " + short(lo)
		} else {
			text += " from " + short(lo) + " to " + short(hi)
		}
		switch {
		case !gaussian:
		case lo == hi:
			text += " (gamma " + short(most) + ")"
		default:
			text += " (gamma " + short(least) + " to " + short(most) + ")"
		}
		cells = append([]string{text}, cells...)
	}
	name := "parameters"
	if len(r.Members) > 1 {
		name = "best model"
	}
	s.wrapped(name, cells)
	s.laplacians(r)
}

// laplacians prints the graphs of a combination that have a weight of a hundredth or more.
func (s *sheet) laplacians(r *mercer.Result) {
	mu, _ := r.Params["mu"].([]float64)
	names, _ := r.Params["laplacians"].([]string)
	if len(mu) == 0 || len(mu) != len(names) {
		return
	}
	order := indices.To(len(mu))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mu[b], mu[a]) })
	title, small := "laplacians", 0
	for _, j := range order {
		if mu[j] < 0.01 {
			small++
			continue
		}
		s.line(title, fmt.Sprintf("%.3f  %s", mu[j], names[j]))
		title = ""
	}
	if small > 0 {
		s.line("", fmt.Sprintf("and %d with less than 0.01 each", small))
	}
}

// wrapped prints cells with commas, as many to a line as fit.
func (s *sheet) wrapped(name string, cells []string) {
	for len(cells) > 0 {
		text := cells[0]
		for cells = cells[1:]; len(cells) > 0 && len(text)+len(cells[0]) < lineWidth-margin; cells = cells[1:] {
			text += ", " + cells[0]
		}
		if len(cells) > 0 {
			text += ","
		}
		s.line(name, text)
		name = ""
	}
}

// selected lists the features that were kept.
func (s *sheet) selected(r *mercer.Result) {
	if r.Selected == nil {
		return
	}
	kept := slices.Clone(r.Selected)
	kept[0] = fmt.Sprintf("%d of %s: %s", len(kept), brief.Count(r.Rows.Features, "feature"), kept[0])
	s.wrapped("selected", kept)
}

// measures in the order of the tables; evaluate prints all of them, a fit its table without the last ones of classes.
var (
	measures    = [...]string{"error", "prbep", "auc", "log_loss", "rmse", "mae", "r2", "coverage_90"}
	allMeasures = [...]string{
		"error", "balanced_accuracy", "prbep", "auc", "log_loss", "calibration_error", "rmse", "mae", "r2", "coverage_90",
	}
)

// shownAs is the name of a measure in tables.
func shownAs(name string) string {
	switch name {
	case "balanced_accuracy":
		return "mean recall"
	case "calibration_error":
		return "calibration"
	}
	return strings.ReplaceAll(name, "_", " ")
}

func measure(name string, v float64) string {
	switch name {
	case "error", "balanced_accuracy", "coverage_90":
		return strconv.FormatFloat(100*v, 'f', 2, 64) + " %"
	case "rmse", "mae": // in the units of the answers
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// decision prints how classes are decided by probabilities.
func (s *sheet) decision(r *mercer.Result) {
	d := r.Decision
	switch {
	case d == nil:
	case len(d.Weight) == 2:
		s.line("decided", fmt.Sprintf("by %s%s: for %s where its probability is above %s", d.Rule, costs(r), clip(r.Classes[1]),
			short(d.Weight[0]/(d.Weight[0]+d.Weight[1]))))
	default:
		s.line("decided", fmt.Sprintf("by %s%s: for the class of the largest probability times its weight", d.Rule, costs(r)))
	}
}

// costs says by name what each class costs where the rule has them in the order of the classes.
func costs(r *mercer.Result) string {
	if !strings.HasPrefix(r.Decision.Rule, "cost=") || strings.Contains(strings.TrimPrefix(r.Decision.Rule, "cost="), "=") {
		return ""
	}
	var list []string
	for k, w := range r.Decision.Weight {
		list = append(list, short(w)+" of "+clip(r.Classes[k]))
	}
	return ", a cost of " + strings.Join(list, ", ")
}

// interval prints what new answers of a regression lie in.
func (s *sheet) interval(r *mercer.Result) {
	if i := r.Interval; i != nil {
		s.line("interval", fmt.Sprintf("%g %%: prediction %+.4g to %+.4g, from the errors of %s left out by %s",
			100*i.Level, i.Lower, i.Upper, brief.Count(i.Rows, "row"), i.From))
	}
}

// splits prints means and standard deviations of the hidden rows over splits.
func (s *sheet) splits(p *result.Splits, base *result.Baseline) {
	head := []string{brief.Count(p.Count, "split"), "hidden"}
	if p.Baseline != nil {
		name := "baseline"
		if base != nil {
			name = base.Method
		}
		head = append(head, "("+name+")")
	}
	rows := [][]string{head}
	cell := func(of map[string]float64, name string) string {
		mean, ok := of[name+"_mean"]
		if !ok {
			return "-"
		}
		text := measure(name, mean)
		if std, ok := of[name+"_std"]; ok {
			text = strings.TrimSuffix(text, " %") + " ± " + measure(name, std)
		}
		return text
	}
	for _, name := range measures {
		if _, ok := p.Hidden[name+"_mean"]; !ok {
			continue
		}
		row := []string{"  " + strings.ReplaceAll(name, "_", " "), cell(p.Hidden, name)}
		if p.Baseline != nil {
			row = append(row, cell(p.Baseline.Hidden, name))
		}
		rows = append(rows, row)
	}
	s.grid(rows)
}

// balance prints the share of each class among labels and predictions; of many
// classes, where predictions differ most.
func (s *sheet) balance(r *mercer.Result) {
	b := r.Balance
	if b == nil || len(b.Labelled) != len(r.Classes) || len(b.Labelled) == 0 {
		return
	}
	share := func(v []float64, k int) string { return strconv.FormatFloat(100*v[k], 'f', 1, 64) }
	const most = 10
	if len(r.Classes) <= most {
		head, labels, predicted := []string{"class %"}, []string{"  labels"}, []string{"  predicted"}
		for k, c := range r.Classes {
			head, labels = append(head, clip(c)), append(labels, share(b.Labelled, k))
			if len(b.Unlabelled) == len(r.Classes) {
				predicted = append(predicted, share(b.Unlabelled, k))
			}
		}
		rows := [][]string{head, labels}
		if len(b.Asked) == len(r.Classes) {
			asked := []string{"  asked"}
			for k := range r.Classes {
				text := share(b.Asked, k)
				if b.AskedError != nil {
					text += " ± " + share(b.AskedError, k)
				}
				asked = append(asked, text)
			}
			rows = append(rows, asked)
		}
		if len(predicted) > 1 {
			rows = append(rows, predicted)
		}
		s.grid(rows)
		return
	}
	if len(b.Unlabelled) != len(r.Classes) {
		return
	}
	order := indices.To(len(r.Classes))
	gap := func(k int) float64 { return b.Unlabelled[k] - b.Labelled[k] }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gap(j), gap(i)) })
	up, down := order[0], order[len(order)-1]
	s.line("class %", fmt.Sprintf("predicted most above the labels: %s (%s, labels %s); most below: %s (%s, labels %s)",
		clip(r.Classes[up]), share(b.Unlabelled, up), share(b.Labelled, up),
		clip(r.Classes[down]), share(b.Unlabelled, down), share(b.Labelled, down)))
}

// clip shortens a class name for the head of a column.
func clip(name string) string {
	const most = 12
	name = oneLine(name)
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// state prints graph, certificate and scaling.
func (s *sheet) state(r *mercer.Result) {
	if g := r.Graph; g != nil {
		text := fmt.Sprintf("%s, mean degree %s, %s", brief.Count(g.Edges, "edge"), short(g.MeanDegree), brief.Count(g.Components, "component"))
		if g.WithoutLabel > 0 {
			text += fmt.Sprintf(", %d without a label (%s)", g.WithoutLabel, brief.Count(g.RowsWithoutLabel, "row"))
		} else {
			text += ", labels in each"
		}
		if g.Isolated > 0 {
			text += ", " + brief.Count(g.Isolated, "isolated row")
		}
		s.line("graph", text)
	}
	if c := r.Clusters; c != nil {
		s.line("clusters", c.Text)
	}
	if c := r.Certificate; c != nil {
		s.line("certificate", fmt.Sprintf("objective %s, residual %s", short(c.Objective), short(c.Residual)))
	}
	if r.Scaling != "" {
		s.line("scaling", r.Scaling)
	}
}

// cost compares the time of two stages with the forecast, and repeats that of memory.
func cost(took result.Seconds, first, second string, f *result.Foreseen) string {
	text := seconds(took.Total) + " s"
	if took.Tune > 0 || took.Fit > 0 {
		text += fmt.Sprintf(" (%s %s, %s %s)", first, seconds(took.Tune), second, seconds(took.Fit))
	}
	if f != nil {
		text += fmt.Sprintf("; forecast %s, %s", brief.Duration(f.Seconds), brief.Bytes(f.Bytes))
	}
	return text
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
