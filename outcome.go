package mercer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/model"
)

// result describes the model and measures it.
func (j *job) result(m *model.Model, c *auto.Choice, tuning *Tuning) (*Result, error) {
	p := j.problem
	res := &Result{
		Method: m.Method, Task: p.Task.String(), Classes: p.Classes,
		Rows: RowCounts{
			Labelled: len(p.Labelled), Unlabelled: p.Rows.Len() - len(p.Labelled), Features: p.Rows.Dim(),
		},
		Tuning: tuning, Scaling: j.scaled, Warnings: j.warnings, Metrics: map[string]Metric{},
		Memory: ForecastFit(j.asked(), j.recipe, j.options).Memory,
	}
	lead := c.Members[0]
	for _, member := range c.Members {
		if member.Score < lead.Score {
			lead = member
		}
	}
	if len(c.Members) == 1 && j.learner() != nil {
		for _, e := range c.Members[0].Expansions {
			res.Support += support(e.Coef)
		}
	}
	res.Kernel, res.Params = j.kernelOf(lead.Candidate), j.names(lead.Candidate, m.Method)
	if len(c.Members) > 1 {
		for k, member := range c.Members {
			class := ""
			if j.recipe.Set["per_class"] == "yes" {
				class = p.Classes[k]
			}
			res.Members = append(res.Members, Member{
				Class: class, Weight: member.Weight, Score: member.Score, Kernel: j.kernelOf(member.Candidate), Params: j.names(member.Candidate, m.Method),
			})
		}
	}
	cert := Certificate{Objective: lead.Objective, Steps: lead.Steps}
	for _, member := range c.Members {
		cert.Residual = max(cert.Residual, member.Residual)
		cert.Gap = max(cert.Gap, member.Gap)
		if member.Limited != "" {
			res.Warnings = append(res.Warnings, member.Limited)
		}
	}
	res.Certificate = &cert
	if err := j.describeGraph(res, c); err != nil {
		return nil, err
	}
	if tuning != nil && tuning.Score != "none" { // what nobody chose is not relevant
		k := lead.Kernel
		if w, ok := manifold.Warped(k); ok {
			k = w.Base
		}
		var err error
		if res.Relevance, err = j.relevances(k); err != nil {
			return nil, err
		}
	}
	if j.kept != nil {
		res.Selected = j.kept.names
	}
	out := j.outputs(c)
	j.describeBalance(res, m, out)
	return res, j.metrics(res, m, out, c)
}

// asked is the input that was given.
func (j *job) asked() Input {
	if j.in.whole != nil {
		return *j.in.whole
	}
	return j.in
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

// outputs are the model's outputs on all rows, from what the machines gave them.
func (j *job) outputs(c *auto.Choice) *mat.Dense {
	sum := auto.Outputs(j.problem, c.Members)
	for i := range j.problem.Rows.Len() {
		addScaled(sum.RawRowView(i), 1, c.Offset)
	}
	return sum
}

// metrics measures the model on labelled, hidden and test rows, and the baseline
// on hidden and test rows. Nothing before this point has seen hidden answers.
func (j *job) metrics(res *Result, m *model.Model, out *mat.Dense, c *auto.Choice) error {
	idx := j.problem.Labelled
	met, err := measure(m, pick(out, idx), j.labels, idx)
	if err != nil {
		return err
	}
	res.Metrics["labelled"] = met
	var base *model.Model
	var baseOut *mat.Dense
	if c.Baseline != nil && (len(c.Members) > 1 || c.Members[0].Candidate != c.Baseline) {
		alone := &auto.Choice{Members: []auto.Member{{Candidate: c.Baseline, Weight: 1}}}
		if base, err = j.model(alone); err != nil {
			return err
		}
		baseOut = j.outputs(alone)
		scored := c.Baseline.Score
		name := j.method.baseline
		if name == "" {
			name = "rls"
		}
		res.Baseline = &Baseline{Method: name, Kernel: j.kernelOf(c.Baseline), Params: j.names(c.Baseline, name), Metrics: map[string]Metric{}}
		if !math.IsInf(scored, 0) {
			res.Baseline.Score = &scored
		}
	}
	if j.in.whole != nil {
		res.Rows.Unlabelled = j.in.whole.Set.Rows.Len() - len(j.problem.Labelled)
		if err := j.hiddenOfAll(res, m, base); err != nil {
			return err
		}
	} else if j.in.Hidden != nil {
		hidden, unseen, err := j.labels.Of(j.in.Hidden)
		if err != nil {
			return err
		}
		j.unseen(res, "hidden", unseen)
		if idx := answered(hidden); len(idx) > 0 {
			if res.Metrics["hidden"], err = measure(m, pick(out, idx), hidden, idx); err != nil {
				return err
			}
			if base != nil {
				if res.Baseline.Metrics["hidden"], err = measure(base, pick(baseOut, idx), hidden, idx); err != nil {
					return err
				}
			}
		}
	}
	if j.in.Test == nil {
		return nil
	}
	test, unseen, err := j.labels.Of(j.in.Test.Answers)
	if err != nil {
		return &SetError{j.in.Test, err}
	}
	j.unseen(res, "test", unseen)
	met, n, err := Evaluate(m, j.in.Test.Rows, j.in.Test.Answers)
	if err != nil {
		return &SetError{j.in.Test, err}
	}
	res.Rows.Test = test.Len()
	if n == 0 {
		return nil
	}
	res.Metrics["test"] = met
	if base != nil {
		if res.Baseline.Metrics["test"], _, err = Evaluate(base, j.in.Test.Rows, j.in.Test.Answers); err != nil {
			return &SetError{j.in.Test, err}
		}
	}
	return nil
}

// hiddenOfAll measures model and baseline on the hidden rows of what the fit's rows are a sample of.
func (j *job) hiddenOfAll(res *Result, m, base *model.Model) error {
	all := j.in.whole
	_, unseen, err := j.labels.Of(all.Hidden)
	if err != nil {
		return err
	}
	j.unseen(res, "hidden", unseen)
	met, n, err := Evaluate(m, all.Set.Rows, all.Hidden)
	if err != nil || n == 0 {
		return err
	}
	res.Metrics["hidden"] = met
	if base != nil {
		res.Baseline.Metrics["hidden"], _, err = Evaluate(base, all.Set.Rows, all.Hidden)
	}
	return err
}

func (j *job) unseen(res *Result, rows string, unseen map[string]int) {
	total := 0
	for _, n := range unseen {
		total += n
	}
	if total > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d %s rows have a class that no labelled row has; they count as errors", total, rows))
	}
}

// pick copies the rows idx.
func pick(a *mat.Dense, idx []int) *mat.Dense {
	_, c := a.Dims()
	out := mat.NewDense(len(idx), c, nil)
	for q, i := range idx {
		out.SetRow(q, a.RawRowView(i))
	}
	return out
}

// describeGraph describes the best machine's graph, and warns if even the graph
// with the most neighbours leaves rows that no label reaches.
func (j *job) describeGraph(res *Result, c *auto.Choice) error {
	best, widest, ok := graphsOf(c)
	if !ok {
		return nil
	}
	diagnose := func(g manifold.Graph) (graph.Diagnostics, error) {
		build := g.Build
		if j.recipe.within() {
			build = manifold.Within{Graph: g, Class: j.classes()}.Build
		}
		built, err := build(context.Background(), j.problem.Rows, nil)
		if err != nil {
			return graph.Diagnostics{}, err
		}
		return graph.Diagnose(built, j.problem.Labelled), nil
	}
	d, err := diagnose(best)
	if err != nil {
		return err
	}
	res.Graph = &GraphState{
		Components: d.Components, WithoutLabel: d.ComponentsWithoutLabels, RowsWithoutLabel: d.RowsWithoutLabel,
		Isolated: d.Isolated, Edges: d.Edges, MeanDegree: d.MeanDegree, MeanEdge: d.MeanEdge,
	}
	if d.RowsWithoutLabel > 0 && widest != best {
		if d, err = diagnose(widest); err != nil {
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

// describeBalance counts the classes among labels and predictions.
func (j *job) describeBalance(res *Result, m *model.Model, out *mat.Dense) {
	p := j.problem
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
		for i, k := range m.Decide(out) {
			if !known[i] {
				b.Unlabelled[k] += 1 / float64(u)
			}
		}
	}
	res.Balance = b
}
