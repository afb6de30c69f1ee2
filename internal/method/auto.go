package method

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// Auto is the id of the default method, which chooses among the others.
const Auto = "auto"

// auto compares the designs of all methods.
func auto() Method {
	k := machine{id: Auto, family: Automatic, baseline: "rls"}
	m := k.declare(Method{
		Title: "the method nobody has to choose",
		About: "chooses by what the rows are. With unlabelled rows: supervised models and models with a graph of all rows, which are " +
			"compared by leave-one-out and averaged with weights that follow the score, or the best supervised one alone where that is " +
			"better than the average by more than a standard error. " +
			"All rows labelled, from 100 on: a stack, that is, least squares whose kernels learn a width for each column, and a linear " +
			"model, joined by their left-out outputs; of classes up to 2000 rows. " +
			"More than 2000 labelled rows of classes: svm, l2-svm and rls race on growing shares of these, up to 40 000 rows beside a " +
			"stack, and the better one is the answer; so do numbers where no stack suits. " +
			"--effort low or high tries less or more of this",
		Cost: "with unlabelled rows some 34 models, beyond 8000 rows of a sample of 4000; a stack solves some 50 systems of at most 750 " +
			"rows and seven of all, beyond 3000 rows of 2000 landmarks; a race ends with three trainings on three quarters of the " +
			"labelled rows",
		Source:  "compares rls with lap-rls; what was tried, with numbers, is in docs/automatic-choice.md",
		Example: "mercer fit digits --labels-per-class 2",
		Settings: slices.Concat(
			[]setting.Setting{task.Lambda, task.GammaA, task.GammaI, task.Scaled, balanced, task.Weight, exact, task.Views, task.Outer,
				task.Offset, task.Kernel, task.Groups, task.Tune, task.Search, task.Budget, task.Effort, task.Tol},
			task.Whole(task.NeighbourSettings()), basisSettings()),
		Rules: append([]rule{searchedByName, chosenByEffort, k.oneGraph, widths, views, k.outerJudged, k.fixedWeights, k.wholeBasis},
			basisRules()...),
		Params: k.params,
	})
	m.Rule = func(t *task.Task) choose.Rule {
		if t.Scoring.None || t.Scoring.Closed() {
			return choose.Least{}
		}
		return choose.Average{}
	}
	m.Certificate = Certificate{
		Objective: "that of the method of the machine with the largest weight",
		Residual:  "the largest of the machines' own",
	}
	m.Forms = []Form{
		graphBasisForm(union),
		stackForm(),
		raceForm(),
		sampleForm(tables, unionWork),
		landmarkForm(union),
		{Name: "tables", Bytes: unionBytes, Work: unionWork, Produce: tables},
	}
	return m
}

// unionBytes are those of all candidates: without an unlabelled row none has a graph.
func unionBytes(s task.Size, r task.Request) float64 {
	if s.Labelled == s.Rows {
		return squareBytes(s, r)
	}
	return tableBytes(s, r)
}

// unionWork is that of all candidates.
func unionWork(s task.Size, r task.Request) Work {
	k := machine{id: Auto}
	if s.Labelled < s.Rows {
		k.family = Automatic
	}
	return k.designWork(s, r).Plus(wordWork(s, r), lookWork(s, r))
}

// lookWork is that of the evidence of clusters: an exponential of every posterior, and its part in thin products and sums. Without it
// 4000 rows took four times what was announced.
func lookWork(s task.Size, r task.Request) Work {
	base, err := r.ParseKernel(r.Spec(s.Sparse), s.Names)
	if err != nil || s.Labelled == s.Rows || s.Sparse || s.Task != data.Classification || !designOf(r, s, base).Linear {
		return Work{}
	}
	values := mixture.Values(s.Rows)
	return Work{Values: values, Passes: 250 * values}
}

func tables(ctx context.Context, t *task.Task) (*choose.Candidates, error) { return union(ctx, t, nil) }

// union trains the designs of all methods, in the order of All. Supervised methods come first
// there, because they are the baseline.
func union(ctx context.Context, t *task.Task, landmarks *kernel.Landmarks) (*choose.Candidates, error) {
	k := machine{id: Auto}
	graphs := t.Problem.Rows.Len() > t.Labelled() && !k.strengths(t).noGraph // else nothing is unlabelled
	if graphs {
		k.family = Automatic // else weights are called lambda
	}
	d, b := k.bench(t, landmarks)
	if graphs {
		if err := look(ctx, t, &d); err != nil {
			return nil, err
		}
	}
	var plan []*choose.Candidate
	for _, m := range All() {
		if m.Design == nil || m.Supports(nil).Graph && !graphs || m.For != 0 && m.For != t.Labels.Task {
			continue
		}
		plan = append(plan, m.Design(t, d)...)
	}
	plan = append(plan, wordCandidates(t)...) // last: a budget that is short has the others
	for _, c := range plan {
		if c.HasGraph() {
			c.Prior -= graphOfWords * task.WordShare(t.Input.Set.Table)
		}
	}
	if t.Centres() > 0 { // kernels and learners of their own have centres of their own
		plan = slices.DeleteFunc(plan, func(c *choose.Candidate) bool { return c.Own != nil || c.Trial != nil })
	}
	s, err := trainPlan(ctx, t, b, plan)
	if err != nil {
		return nil, err
	}
	if t.Request.Values.Is(task.Effort, "high") && !t.Sampled() {
		s.Warnings = append(s.Warnings, "--effort high: for so many rows and labels --effort normal tries all machines already")
	}
	s.Safe, s.Evidence = true, d.Evidence
	return s, nil
}

// look takes the evidence of all rows where there are classes to tell apart and nothing set that asks for a kernel.
func look(ctx context.Context, t *task.Task, d *design.Design) (err error) {
	rows := t.Problem.Rows
	if d.Linear && rows.Dense != nil && t.Labels.Task == data.Classification {
		d.Evidence, err = share.One(ctx, t.Options.Share, "clusters", func(ctx context.Context) (*mixture.Evidence, error) {
			return mixture.Look(ctx, rows.Dense)
		})
	}
	return err
}

// searchedByName refuses a search by name, because a search moves the parameters of one method.
func searchedByName(r task.Request) string {
	return when(r.Search() != "auto", "--search %s needs a method; add --method lap-rls or --method rls", r.Search())
}

// chosenByEffort refuses an effort where nothing is tried.
func chosenByEffort(r task.Request) string {
	return when(r.Scoring.None && effortOf(r).name != task.Effort.Default,
		"--effort %s with --tune none: nothing is chosen; leave one of them out", effortOf(r).name)
}
