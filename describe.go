package mercer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
)

// result describes the model and measures it.
func (l *learned) result(m *model.Model) (*Result, error) {
	t, p := l.task, l.task.Problem
	res := &Result{
		Method: m.Method, Kernel: t.KernelSpec(), Task: p.Task.String(), Classes: p.Classes, Rows: l.counts(),
		Scaling: t.Scaled, Memory: l.forecast.Memory, Metrics: map[string]Metric{},
	}
	tuning := l.slate.Tuning
	res.Tuning = &tuning
	if l.slate.Front != nil {
		l.describePoint(res)
	} else if err := l.describeMembers(res, m); err != nil {
		return nil, err
	}
	res.Warnings = append(slices.Concat(t.Warnings, l.slate.Warnings), res.Warnings...)
	if err := l.measure(res, m); err != nil {
		return nil, err
	}
	res.Seconds = l.seconds()
	return res, nil
}

// counts are the rows by their part.
func (l *learned) counts() RowCounts {
	t := l.task
	c := RowCounts{Labelled: t.Labelled(), Unlabelled: t.Whole.Set.Rows.Len() - t.Labelled(), Features: t.Problem.Rows.Dim()}
	if t.Input.Test != nil {
		c.Test = t.Input.Test.Rows.Len()
	}
	return c
}

// describeMembers names the machines chosen: the one of the best score, and each of several.
func (l *learned) describeMembers(res *Result, m *model.Model) error {
	t, c := l.task, l.choice
	lead := c.Members[0]
	for _, member := range c.Members {
		if member.Score < lead.Score {
			lead = member
		}
	}
	if l.slate.Tuning.Value == 0 || len(c.Members) > 1 && !c.Classes {
		res.Tuning.Value = c.Score
	}
	named, _ := method.Find(m.Method) // for auto the family chosen
	res.Kernel, res.Params = l.kernelOf(lead.Candidate), named.Params(t, lead.Candidate)
	if len(c.Members) == 1 && t.Coding.Classes || lead.Mean {
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
		res.Members = append(res.Members, Member{
			Class: class, Weight: member.Weight, Score: member.Score, Kernel: l.kernelOf(member.Candidate), Params: named.Params(t, member.Candidate),
		})
	}
	if lead.Mean {
		return nil // nothing is solved, and every row has its label for a coefficient
	}
	l.certify(res, lead)
	if err := l.describeGraph(res); err != nil {
		return err
	}
	if err := l.describeRelevance(res, lead.Kernel); err != nil {
		return err
	}
	l.describeBalance(res, m)
	return nil
}

// certify says how exactly the machines solve their problems.
func (l *learned) certify(res *Result, lead choose.Weighted) {
	cert := Certificate{Objective: lead.Objective, Steps: lead.Steps}
	for _, member := range l.choice.Members {
		cert.Residual = max(cert.Residual, member.Residual)
		cert.Gap = max(cert.Gap, member.Gap)
		if member.Limited != "" {
			res.Warnings = append(res.Warnings, member.Limited)
		}
	}
	res.Certificate = &cert
}

// describeRelevance says what each feature has of the kernel's variation, where parameters were
// chosen: what nobody chose is not relevant.
func (l *learned) describeRelevance(res *Result, k kernel.Kernel) error {
	if l.slate.Kept != nil {
		res.Selected = l.slate.Kept.Names
	}
	if l.slate.Tuning.Score == "none" {
		return nil
	}
	if w, ok := manifold.Warped(k); ok {
		k = w.Base
	}
	var err error
	res.Relevance, err = method.Relevances(l.task, k, l.slate.Kept)
	return err
}

// kernelOf is the specification of a machine's base kernel: the one asked for, or
// the linear one that auto tries beside the default.
func (l *learned) kernelOf(c *choose.Candidate) string {
	base := c.Kernel
	if w, ok := manifold.Warped(base); ok {
		base = w.Base
	}
	if _, ok := base.(kernel.Linear); ok {
		return "linear"
	}
	return l.task.KernelSpec()
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
func (l *learned) describeGraph(res *Result) error {
	best, widest, ok := graphsOf(l.choice)
	if !ok {
		return nil
	}
	d, err := l.diagnose(best)
	if err != nil {
		return err
	}
	res.Graph = &GraphState{
		Components: d.Components, WithoutLabel: d.ComponentsWithoutLabels, RowsWithoutLabel: d.RowsWithoutLabel,
		Isolated: d.Isolated, Edges: d.Edges, MeanDegree: d.MeanDegree, MeanEdge: d.MeanEdge,
	}
	if d.RowsWithoutLabel > 0 && widest != best {
		if d, err = l.diagnose(widest); err != nil {
			return err
		}
	}
	if d.RowsWithoutLabel > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf(
			"the graph falls into %d pieces, %d of them (%d rows) without a label: there only the base kernel decides; label a row in them or ask for more neighbours",
			d.Components, d.ComponentsWithoutLabels, d.RowsWithoutLabel))
	}
	return nil
}

// diagnose builds a graph again and looks at its pieces.
func (l *learned) diagnose(g manifold.Graph) (graph.Diagnostics, error) {
	build := g.Build
	if method.Within(l.task) {
		build = manifold.Within{Graph: g, Class: method.Classes(l.task)}.Build
	}
	built, err := build(context.Background(), l.task.Problem.Rows, nil)
	if err != nil {
		return graph.Diagnostics{}, err
	}
	return graph.Diagnose(built, l.task.Problem.Labelled), nil
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

// describeBalance counts the classes among labels and predictions.
func (l *learned) describeBalance(res *Result, m *model.Model) {
	p := l.task.Problem
	if p.Task != data.Classification {
		return
	}
	b := &Balance{Labelled: make([]float64, len(p.Classes))}
	for _, k := range p.Class {
		b.Labelled[k] += 1 / float64(len(p.Labelled))
	}
	if u := p.Rows.Len() - len(p.Labelled); u > 0 {
		b.Unlabelled = make([]float64, len(p.Classes))
		known := make([]bool, p.Rows.Len())
		for _, i := range p.Labelled {
			known[i] = true
		}
		for i, k := range m.Decide(l.outputs(l.choice)) {
			if !known[i] {
				b.Unlabelled[k] += 1 / float64(u)
			}
		}
	}
	res.Balance = b
}

// outputs are a choice's outputs on all rows, from what the machines gave them.
func (l *learned) outputs(c *choose.Choice) *mat.Dense {
	sum := choose.Outputs(l.task.Problem, c.Members)
	for i := range l.task.Problem.Rows.Len() {
		addScaled(sum.RawRowView(i), 1, c.Offset)
	}
	return sum
}
