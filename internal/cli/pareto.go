package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/fit"
)

// paretoCmd is mercer pareto.
type paretoCmd struct {
	teaching

	Method      string   `help:"${fronts}; default mobj-rbf." group:"Choosing:" placeholder:"ID"`
	Kernel      string   `help:"${pareto_kernel}" group:"Choosing:" placeholder:"SPEC"`
	Set         []string `help:"${pareto_set}" group:"Choosing:" placeholder:"NAME=VALUE" sep:"none"`
	Decision    string   `help:"How one member is chosen: ${decisions}; default cv (of rofs gcv, or bic)." group:"Choosing:" placeholder:"ID"`
	Pick        *int     `help:"Choose member K of the table." group:"Choosing:" placeholder:"K"`
	Offset      string   `help:"A constant that is not penalised: auto, yes or no." group:"Choosing:" placeholder:"WHEN"`
	Multiclass  string   `help:"one-vs-one (default of mobj-svm) or one-vs-rest." group:"Choosing:" placeholder:"SCHEME"`
	ClassWeight string   `help:"Factors of the loss of mobj-svm: balanced, or LABEL=WEIGHT,..." group:"Choosing:" placeholder:"WEIGHTS"`
	Tol         *float64 `help:"${fit_tol}" group:"Choosing:" placeholder:"TOL"`
	Recipe      string   `help:"Read all of these choices from a JSON file; flags go before it." group:"Choosing:" placeholder:"FILE"`
}

// Help shows examples.
func (paretoCmd) Help() string {
	return `Learning has two objectives, risk and complexity. This prints every function that is not worse than another
in both, and the one a decision chooses.

Examples:

    mercer pareto breast-cancer --labels 100                     RBF networks, one member chosen by cross-validation
    mercer pareto iris --method mobj-svm -o iris.front           support vector machines over C and the width
    mercer pareto prices.csv --label price --decision bic
    mercer pareto iris --method mobj-svm --pick 3 -o third.front
    mercer predict iris.front new.csv --member 5                 any member of the front`
}

// Run makes the front.
func (c *paretoCmd) Run(e *env) error {
	recipe, err := c.recipe(e.ctx)
	if err != nil {
		return err
	}
	if err := c.check(recipe); err != nil {
		return err
	}
	var options mercer.Options
	in, _, end, err := c.begin(e, &recipe, "", &options)
	if err != nil {
		return err
	}
	defer end()
	pick := 0
	if c.Pick != nil {
		if pick = *c.Pick; pick < 1 {
			return usage("--pick %d: members are numbered from 1", pick)
		}
		if recipe.Decision != "" {
			return usage("--pick %d with --decision %s: each chooses a member; give one of them", pick, recipe.Decision)
		}
	}
	m, res, err := fit.Pareto(e.ctx, *in, recipe, options, pick)
	if err != nil {
		return named(c.late(err, in, recipe), c.Data, in.Set)
	}
	var unsaved error
	if c.Output != "" {
		if unsaved = e.save(m, c.Output); unsaved == nil {
			res.Model = c.Output
		}
	}
	if c.Report != "" {
		unsaved = errors.Join(unsaved, writeFront(c.Report, command("pareto", c), shown(in.Set.Source), checksum(in.Set), res))
	}
	e.warn(c.talk, res.Warnings...)
	if c.JSON {
		err = e.printJSON(res)
	} else {
		err = e.show(frontTable(res))
	}
	if unsaved != nil {
		return unsaved // after what was found has been shown
	}
	if err == nil && e.stopped() {
		return &interrupted{saved: cmp.Or(res.Model, c.Report)}
	}
	return err
}

// recipe joins the recipe file and the flags.
func (c *paretoCmd) recipe(ctx context.Context) (mercer.Recipe, error) {
	one := fitCmd{
		teaching:    c.teaching,
		Method:      c.Method,
		Set:         c.Set,
		Offset:      c.Offset,
		Multiclass:  c.Multiclass,
		ClassWeight: c.ClassWeight,
		Tol:         c.Tol,
		Recipe:      c.Recipe,
	}
	if c.Kernel != "" {
		one.Kernel = []string{c.Kernel}
	}
	if one.Method == "" && one.Recipe == "" {
		one.Method = "mobj-rbf"
	}
	r, err := one.recipe(ctx)
	if err == nil && c.Decision != "" {
		r.Decision = c.Decision
		err = fit.Check(r)
	}
	return r, err
}

// Sizes of the terminal sketch, and the members of a long front that the table shows.
const (
	sketchWidth, sketchHeight = 64, 16
	shownMembers              = 20
)

// frontTable prints the members, a sketch of the front, and what was chosen.
func frontTable(r *mercer.FrontResult) string {
	var s sheet
	title := fmt.Sprintf("%s: %s", r.Method, r.Task)
	if n := len(r.Classes); n > 0 {
		title += fmt.Sprintf(", %d classes", n)
	}
	s.text(fmt.Sprintf("%s, %s on the front", title, brief.Count(len(r.Front), "member")))
	s.line("rows", fmt.Sprintf("%d labelled, %d unlabelled, %s", r.Rows.Labelled, r.Rows.Unlabelled, brief.Count(r.Rows.Features, "feature")))
	chosen := r.Chosen()
	s.text("")
	s.text(fmt.Sprintf("    %6s  %10s  %10s  %6s  %10s   %s", "member", "risk", "complexity", "units", "score", "parameters"))
	for _, k := range membersShown(len(r.Front), chosen) {
		m := r.Front[k]
		mark, score := "", ""
		if m.Chosen {
			mark = "*"
		}
		if m.Score != nil {
			score = short(*m.Score)
		}
		s.text(
			fmt.Sprintf(
				"  %1s %6d  %10s  %10s  %6d  %10s   %s",
				mark,
				k+1,
				short(m.Risk),
				short(m.Complexity),
				m.Support,
				score,
				parametersOf(m.Params),
			),
		)
	}
	s.text("")
	s.text(sketch(r))
	s.line("chosen", fmt.Sprintf("member %d of %d by %s: %s", chosen+1, len(r.Front), r.Decision, r.Assumed))
	names := slices.DeleteFunc([]string{"labelled", "hidden", "test"}, func(n string) bool { return r.Metrics[n] == nil })
	table := [][]string{append([]string{"metrics"}, names...)}
	for _, name := range measures {
		row, any := []string{"  " + strings.ReplaceAll(name, "_", " ")}, false
		for _, part := range names {
			v, ok := r.Metrics[part][name]
			any = any || ok
			if ok {
				row = append(row, measure(name, v))
			} else {
				row = append(row, "")
			}
		}
		if any {
			table = append(table, row)
		}
	}
	s.grid(table)
	if r.Violation > 0 {
		s.line("certificate", "within "+short(r.Violation)+" of the least squared error, as a share of the network without units")
	}
	if r.Trained > 0 {
		s.line("trained", brief.Count(r.Trained, "model"))
	}
	s.line("scaling", r.Scaling)
	s.line("cost", cost(r.Seconds, "front", "decision", r.Forecast))
	if r.Model != "" {
		s.line("model", r.Model+", with all members")
	}
	return s.String()
}

// membersShown are the numbers of the members in the table: all of a short front, else
// evenly spaced ones and those about the chosen.
func membersShown(n, chosen int) []int {
	var list []int
	if n <= shownMembers {
		for k := range n {
			list = append(list, k)
		}
		return list
	}
	for q := range shownMembers - 4 {
		list = append(list, q*(n-1)/(shownMembers-5))
	}
	for k := max(chosen-2, 0); k <= min(chosen+2, n-1); k++ {
		list = append(list, k)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// parametersOf prints a member's parameters in one line.
func parametersOf(p map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		v := fmt.Sprint(p[name])
		if f, ok := p[name].(float64); ok {
			v = short(f)
		}
		parts = append(parts, name+"="+v)
	}
	return strings.Join(parts, " ")
}

// sketch draws risk against complexity, on a logarithmic axis where that spans more than
// two decades; the chosen member is a star.
func sketch(r *mercer.FrontResult) string {
	n := len(r.Front)
	x, y := make([]float64, n), make([]float64, n)
	least := math.Inf(1)
	for k, m := range r.Front {
		x[k], y[k] = m.Complexity, m.Risk
		if m.Complexity > 0 {
			least = min(least, m.Complexity)
		}
	}
	log := x[n-1] > 100*least
	if log {
		for k := range x {
			x[k] = math.Log10(max(x[k], least/2))
		}
	}
	lo, hi := slices.Min(x), slices.Max(x)
	bottom, top := slices.Min(y), slices.Max(y)
	cells := make([][]byte, sketchHeight)
	for i := range cells {
		cells[i] = []byte(strings.Repeat(" ", sketchWidth))
	}
	scale := func(v, lo, hi float64, size int) int {
		if hi == lo {
			return 0
		}
		return int(math.Round((v - lo) / (hi - lo) * float64(size-1)))
	}
	for pass := range 2 {
		for k, m := range r.Front {
			if mark := "o*"[pass]; m.Chosen == (pass == 1) {
				cells[sketchHeight-1-scale(y[k], bottom, top, sketchHeight)][scale(x[k], lo, hi, sketchWidth)] = mark
			}
		}
	}
	var b strings.Builder
	for i, row := range cells {
		label := ""
		switch i {
		case 0:
			label = short(top)
		case sketchHeight - 1:
			label = short(bottom)
		case sketchHeight / 2:
			label = "risk"
		}
		fmt.Fprintf(&b, "  %10s |%s\n", label, strings.TrimRight(string(row), " "))
	}
	axis := "complexity"
	if log {
		axis += " (log)"
	}
	fmt.Fprintf(&b, "  %10s +%s\n", "", strings.Repeat("-", sketchWidth))
	left, right := short(r.Front[0].Complexity), short(r.Front[n-1].Complexity)
	fmt.Fprintf(
		&b,
		"  %10s  %-*s%s%*s\n",
		"",
		(sketchWidth-len(axis))/2,
		left,
		axis,
		sketchWidth-len(axis)-(sketchWidth-len(axis))/2,
		right,
	)
	return b.String()
}
