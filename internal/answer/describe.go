package answer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// Result describes the model and measures it.
func (a *Answer) Result(ctx context.Context, m *model.Model) (*result.Result, error) {
	t, p := a.Task, a.Task.Problem
	res := &result.Result{
		Method: m.Method, Kernel: t.KernelSpec(), Task: p.Task.String(), Classes: p.Classes, Rows: a.counts(),
		Scaling: t.Scaled, Forecast: &a.Forecast, Memory: a.Forecast.Bytes, Metrics: map[string]result.Metric{},
	}
	tuning := a.Candidates.Tuning
	res.Tuning, res.Race = &tuning, a.Candidates.Raced
	if a.Candidates.Front != nil {
		a.describePoint(res)
	} else if err := a.describeMembers(res, m); err != nil {
		return nil, err
	}
	res.Decision = m.Decision
	a.describeBasis(res, m)
	a.describeInterval(res, m)
	if err := a.describeEstimate(ctx, res, m); err != nil {
		return nil, err
	}
	res.Warnings = append(slices.Concat(t.Warnings, a.Candidates.Warnings), res.Warnings...)
	if err := a.measure(ctx, res, m); err != nil {
		return nil, err
	}
	res.Guesses = guesses(t, res.Guesses...)
	a.describeRelevance(ctx, res, m)
	res.Seconds = a.seconds()
	return res, nil
}

// counts are the rows by their part.
func (a *Answer) counts() result.RowCounts {
	t := a.Task
	c := result.RowCounts{Labelled: t.Labelled(), Unlabelled: t.Whole.Set.Rows.Len() - t.Labelled(), Features: t.Problem.Rows.Dim()}
	if t.Input.Test != nil {
		c.Test = t.Input.Test.Rows.Len()
	}
	return c
}

// describeMembers names the parameters of the machine with the best score and, if several were
// chosen, those of each.
func (a *Answer) describeMembers(res *result.Result, m *model.Model) error {
	t, c := a.Task, a.Choice
	lead := c.Members[0]
	for _, member := range c.Members {
		if member.Score < lead.Score && a.Candidates.Rule == nil { // members of a stack come by their weights
			lead = member
		}
	}
	if a.Candidates.Tuning.Search == "auto" { // the value of a design is that of what was chosen from it
		res.Tuning.Value = c.Score
	}
	res.Candidates = names(c)
	named, _ := method.Find(m.Method) // of auto the method that was chosen
	res.Kernel, res.Params = a.kernelOf(lead.Candidate), named.Params(t, lead.Candidate)
	weighted := lead.Mean && lead.Spread == nil
	if len(c.Members) == 1 && t.Coding.Classes && !lead.Mean || weighted {
		for _, e := range lead.Expansions {
			res.Support += support(e.Coef)
		}
	}
	for k, member := range c.Members {
		if len(c.Members) == 1 {
			break
		}
		class := ""
		if c.Classes {
			class = t.Problem.Classes[k]
		}
		one := result.Member{
			Class: class, Method: member.Method, Weight: member.Weight, Score: member.Score, Kernel: a.kernelOf(member.Candidate),
			Params: named.Params(t, member.Candidate),
		}
		if a.Candidates.Rule == (choose.Stack{}) {
			one.Error = a.leftOutError(member)
		}
		res.Members = append(res.Members, one)
	}
	if weighted {
		return nil // nothing is solved, and every row has its label for a coefficient
	}
	a.certify(res, lead)
	if err := a.describeGraph(res); err != nil {
		return err
	}
	a.describeClusters(res)
	if a.Candidates.Kept != nil {
		res.Selected = a.Candidates.Kept.Names
	}
	a.describeBalance(res)
	return nil
}

// leftOutError is the share of wrong classes, or the root mean square, of a member's left-out outputs.
func (a *Answer) leftOutError(m choose.Weighted) *float64 {
	p := a.Task.Problem
	var v float64
	if p.Task == data.Classification {
		v = score.Error{}.Eval(p, a.Candidates.Judged, m.LeftOut, nil)
	} else {
		v = math.Sqrt(2 * score.Press{}.Eval(p, a.Candidates.Judged, m.LeftOut, nil) / float64(len(a.Task.Judged())))
	}
	return &v
}

// leastWeight is the share of the greatest weight below which a machine of an average is not worth training again.
const leastWeight = 0.01

// names are those of the machines of the design that a choice is made of, and of its baseline.
func names(c *choose.Choice) (list []string) {
	var most float64
	for _, m := range c.Members {
		most = max(most, math.Abs(m.Weight))
	}
	for _, m := range c.Members {
		if m.Name != "" && math.Abs(m.Weight) >= leastWeight*most && !slices.Contains(list, m.Name) {
			list = append(list, m.Name)
		}
	}
	if b := c.Baseline; list != nil && b != nil && b.Name != "" && !slices.Contains(list, b.Name) {
		list = append(list, b.Name)
	}
	return list
}

// certify says how exactly the machines solve their problems.
func (a *Answer) certify(res *result.Result, lead choose.Weighted) {
	cert := result.Certificate{Objective: a.Method.Objective(a.Task, lead.Candidate), Steps: lead.Steps}
	for _, member := range a.Choice.Members {
		cert.Residual = max(cert.Residual, member.Residual)
		cert.Gap = max(cert.Gap, member.Gap)
		cert.Least = min(cert.Least, member.Least)
		if member.Limited != "" {
			res.Warnings = append(res.Warnings, member.Limited)
		}
	}
	res.Certificate = &cert
	if text := lead.Certificate.Indefinite(); text != "" {
		res.Warnings = append(res.Warnings, text)
	}
}

// kernelOf is the specification of a machine's base kernel: the one asked for, the linear one that auto tries
// beside the default, or paths for one of path lengths.
func (a *Answer) kernelOf(c *choose.Candidate) string {
	base := c.Kernel
	if w, ok := manifold.Warped(base); ok {
		base = w.Base
	}
	if c.Mean {
		return "gaussian"
	}
	switch k := base.(type) {
	case kernel.Linear, kernel.Clusters, kernel.Components, kernel.ARDRational, kernel.ANOVA, kernel.MetricLaplacian:
		return method.KernelName(base)
	case manifold.Paths:
		return "paths"
	case kernel.Columns:
		for v, list := range a.Task.ViewLists() {
			if slices.Equal(list, k.Columns) {
				return a.kernelOfView(v) + " of " + a.Task.Recipe.Views[v].Name
			}
		}
	case multiview.Coupled, multiview.Sum:
		var list []string
		for v, one := range a.Task.Recipe.Views {
			list = append(list, one.Name+": "+a.kernelOfView(v))
		}
		if slices.ContainsFunc(a.Task.Recipe.Views, func(v result.View) bool { return v.Kernel != "" }) {
			return strings.Join(list, ", ")
		}
	}
	return a.Task.KernelSpec()
}

// kernelOfView is the specification of the kernel of a view.
func (a *Answer) kernelOfView(v int) string {
	return cmp.Or(a.Task.Recipe.Views[v].Kernel, a.Task.KernelSpec())
}

// support counts the rows that are not all zero.
func support(coef *mat.Dense) int {
	n, _ := coef.Dims()
	count := 0
	for i := range n {
		if slices.ContainsFunc(coef.RawRowView(i), func(v float64) bool { return v != 0 }) {
			count++
		}
	}
	return count
}

// describeGraph describes the best machine's graph, and warns if even the graph
// with the most neighbours leaves rows that no label reaches.
func (a *Answer) describeGraph(res *result.Result) error {
	if d := a.Choice.Members[0].Spread; d != nil { // the method has warned itself
		res.Graph = stateOf(*d)
		return nil
	}
	best, widest, ok := graphsOf(a.Choice)
	if !ok {
		return nil
	}
	d, err := a.diagnose(best)
	if err != nil {
		return err
	}
	res.Graph = stateOf(d)
	if d.RowsWithoutLabel > 0 && widest != best {
		if d, err = a.diagnose(widest); err != nil {
			return err
		}
	}
	if d.RowsWithoutLabel > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf(
			"the graph falls into %d pieces, %d of them (%d rows) without a label: there only the base kernel decides; label a row "+
				"in them or "+
				"ask for more neighbours",
			d.Components,
			d.ComponentsWithoutLabels,
			d.RowsWithoutLabel,
		))
	}
	return nil
}

// stateOf is what is printed of a graph.
func stateOf(d diagnose.Graph) *result.GraphState {
	return &result.GraphState{
		Components: d.Components, WithoutLabel: d.ComponentsWithoutLabels, RowsWithoutLabel: d.RowsWithoutLabel,
		Isolated: d.Isolated, Edges: d.Edges, MeanDegree: d.MeanDegree, MeanEdge: d.MeanEdge,
	}
}

// diagnose builds a graph again and looks at its pieces.
func (a *Answer) diagnose(g manifold.Graph) (diagnose.Graph, error) {
	build := g.Build
	if method.Within(a.Task) {
		build = manifold.Within{Graph: g, Class: method.Classes(a.Task)}.Build
	}
	built, err := build(context.Background(), a.Task.Problem.Rows, nil)
	if err != nil {
		return diagnose.Graph{}, err
	}
	return diagnose.Of(built, a.Task.Problem.Labelled), nil
}

// graphsOf returns the graph of the best machine that has one, and that with the
// most neighbours, the one most likely to reach every row.
func graphsOf(c *choose.Choice) (best, widest manifold.Graph, ok bool) {
	least := math.Inf(1)
	for _, m := range c.Members {
		w, semi := manifold.Warped(m.Kernel)
		if !semi {
			continue
		}
		for i, g := range manifold.Graphs(w.Norm) {
			if i == 0 && (!ok || m.Score < least) {
				best, least = g, m.Score
			}
			if !ok || g.Recipe.Neighbours > widest.Recipe.Neighbours {
				widest = g
			}
			ok = true
		}
	}
	return best, widest, ok
}

// describeBalance counts the classes among labels; measureBalance counts them among predictions.
func (a *Answer) describeBalance(res *result.Result) {
	p := a.Task.Problem
	if p.Task != data.Classification {
		return
	}
	b := &result.Balance{Labelled: make([]float64, len(p.Classes))}
	for _, k := range p.Class {
		b.Labelled[k] += 1 / float64(len(p.Labelled))
	}
	b.Asked, b.AskedError = method.Asked(a.Task, a.Method)
	res.Balance = b
}

// outputs are a choice's outputs on all rows, from what the machines gave them.
func (a *Answer) outputs(c *choose.Choice) *mat.Dense {
	sum := choose.Outputs(a.Task.Problem, c.Members)
	for i := range a.Task.Problem.Rows.Len() {
		addScaled(sum.RawRowView(i), 1, c.Offset)
	}
	return sum
}
