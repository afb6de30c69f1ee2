package method

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
)

// basisSettings are those of every machine that --basis gives few centres.
func basisSettings() []setting.Setting {
	return []setting.Setting{task.Basis, task.Choose, task.Candidates}
}

// basisRules refuse how centres are chosen where none are.
func basisRules() []rule {
	return []rule{func(r task.Request) string {
		for _, s := range []setting.Setting{task.Choose, task.Candidates} {
			if r.Values.Given(s) && r.Recipe.Basis == "" {
				return fmt.Sprintf("--set %s: it says how the centres of --basis are chosen; add --basis 100, say", s.Name)
			}
		}
		word := r.Values.Word(task.Choose)
		return when(r.Values.Given(task.Candidates) && word != "" && word != "greedy" && word != "greedy-ridge",
			"--set candidates with choose=%s: candidates are of a greedy choice; leave it out", word)
	}}
}

// wholeBasis refuses, beside --basis, what trains a machine with a graph in a way that keeps all rows as centres.
func (k machine) wholeBasis(r task.Request) string {
	if r.Recipe.Basis == "" {
		return ""
	}
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{r.Values.Is(perClass, "yes"), "--set per_class=yes"},
		{r.Values.Is(within, "yes"), "--set within=yes"},
		{r.Values.Is(solverOf(nil), conjugate), "--set solver=cg"},
		{r.Values.Is(exact, "true"), "--set exact=true"},
		{r.Scoring.Inductive, "--tune " + r.Scoring.Name},
		{r.Scoring.Penalty != "", "--tune " + r.Scoring.Name},
		{k.combining(r.Values) || realPower(r.Values) || byLength(r.Values), "combined Laplacians, real powers or graphs by length"},
	} {
		if c.bad {
			return fmt.Sprintf("--basis %s with %s: that model keeps all rows as its centres; leave one of them out", r.Recipe.Basis,
				c.what)
		}
	}
	return ""
}

// onBasis says whether few centres are asked for.
func onBasis(_ task.Size, r task.Request) bool { return r.Centres() > 0 }

// basisForm trains machines without a graph in the features that the centres chosen give the kernel (kernel.LowRank), as
// lowRankForm does with landmarks.
func (k machine) basisForm() Form {
	return Form{
		Name:  "basis",
		Suits: onBasis,
		Bytes: func(s task.Size, r task.Request) float64 {
			return k.lowRankBytes(s, r) + choosingBytes(r, float64(s.Labelled))
		},
		Work: func(s task.Size, r task.Request) Work {
			return k.lowRankWork(s, r).Plus(choosingWork(r, sizeOf(s), float64(s.Labelled), false))
		},
		Sample: func(task.Request) int { return 1 }, // the labelled rows alone
		Produce: func(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
			if _, err := reduce(ctx, t, machine{family: Plain, total: k.total}); err != nil {
				return nil, err
			}
			return k.produce(ctx, t, nil)
		},
	}
}

// graphBasisForm trains machines with a graph on the centres chosen as landmarks.
func graphBasisForm(produce func(context.Context, *task.Task, *kernel.Landmarks) (*choose.Candidates, error)) Form {
	f := landmarkForm(produce)
	f.Name, f.Suits, f.Says = "basis", onBasis, nil
	work, bytes := f.Work, f.Bytes
	f.Work = func(s task.Size, r task.Request) Work {
		return work(s, r).Plus(choosingWork(r, sizeOf(s), float64(s.Rows), true))
	}
	f.Bytes = func(s task.Size, r task.Request) float64 { return max(bytes(s, r), choosingBytes(r, float64(s.Rows))) }
	f.Produce = func(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
		base := t.Base
		z, err := reduce(ctx, t, machine{family: Warped})
		if err != nil {
			return nil, err
		}
		if t.Coding.Method != Auto { // whose machines without a graph have these centres too
			t.Base = base
		}
		return produce(ctx, t, &kernel.Landmarks{Rows: z})
	}
	return f
}

// reduce chooses the centres of --basis for machines as k, which are labelled rows where none but these train, and replaces
// the kernel of the task by what they give of it. It is not called for fewer rows than centres.
func reduce(ctx context.Context, t *task.Task, k machine) ([]int, error) {
	n, most := t.Centres(), t.Problem.Rows.Len()
	if whole := t.Whole.Set.Rows.Len(); n > whole {
		return nil, fmt.Errorf("%s: --basis %d of %d rows; ask for at most %d centres", t.Input.Set.Source, n, whole, whole)
	}
	g, err := t.Base.Bind(ctx, t.Problem.Rows, nil)
	if err != nil {
		return nil, err
	}
	if _, ok := kernel.Features(g); ok {
		return nil, task.Usage("--basis %d: a function of kernel %s is a sum over its features and has no centres; leave it out, "+
			"or choose --kernel gaussian", n, t.KernelSpec())
	}
	rows := slices.Clone(t.Problem.Labelled)
	if k.family.warped() {
		rows = rows[:0]
		for i := range most {
			rows = append(rows, i)
		}
	}
	if n < len(rows) {
		rows, err = share.One(ctx, t.Options.Share, "centres", func(ctx context.Context) ([]int, error) {
			p, err := risk(ctx, t, g, k)
			if err != nil {
				return nil, err
			}
			path, err := chooser(t.Request).Choose(ctx, p, n)
			if err != nil {
				return nil, fmt.Errorf("%s: --basis %d: %w", t.Input.Set.Source, n, err)
			}
			return path.Centres, nil
		})
		if err != nil {
			return nil, err
		}
		if len(rows) < n && !t.Trial {
			t.Warn("--basis %d: %d centres are all that differ, or help", n, len(rows))
		}
	}
	slices.Sort(rows)
	t.Base = kernel.LowRank{Base: t.Base, Centres: t.Problem.Rows.Select(rows)}
	return rows, nil
}

// pathRows is the least number of rows among which a LASSO or LARS path looks, drawn where there are more: a function that enters
// costs as many kernel values for each of the n rows.
const pathRows = 2000

// chooser is that of the request.
func chooser(r task.Request) basis.Chooser {
	seed := r.Recipe.Drawn()
	g := basis.Greedy{Candidates: 50, Seed: seed}
	if r.Values.Given(task.Candidates) {
		g.Candidates = int(r.Values.Number(task.Candidates))
	}
	switch r.Values.Word(task.Choose) {
	case "greedy-ridge":
		return basis.GreedyRidge{Greedy: g}
	case "random":
		return basis.Random{Seed: seed}
	case "uniform":
		return basis.Uniform{}
	case "lasso":
		return basis.L1{Seed: seed, Candidates: max(pathRows, 4*r.Centres())}
	case "lars":
		return basis.L1{Seed: seed, Candidates: max(pathRows, 4*r.Centres()), LARS: true}
	case "leverage":
		return basis.Leverage{Seed: seed}
	}
	return g
}

// plainRidge is the ridge, relative to a kernel whose mean diagonal is one, of the risk by which centres are chosen for a
// machine without a graph: the middle of the decades that are tried for it afterwards.
const plainRidge = 0.1

// risk is that by which centres are chosen. Centres that followed the parameters would make scores jump, so they are chosen once, for
// the parameters that are set, or else, of the kernel, its defaults, and of the norms plainRidge or, with a graph, published values
// (literature).
func risk(ctx context.Context, t *task.Task, g kernel.Gram, k machine) (basis.Problem, error) {
	p := t.Problem
	y := targets(p)
	s := k.strengths(t)
	if !k.family.warped() || s.noGraph {
		if s.lambda == 0 {
			s.lambda = plainRidge * stat.Mean(kernel.Diagonal(g, nil), nil)
		}
		return basis.Laplacian(g, p.Labelled, y, p.Weight, nil, s.lambda, 0), nil
	}
	s, recipe := k.literature(t, s, t.Graph())
	if s.lambdaOf != nil {
		s.lambda = s.lambdaOf(s.ratio)
	}
	norm, err := manifold.Graph{Recipe: recipe}.Bind(ctx, p.Rows, nil)
	if err != nil {
		return basis.Problem{}, err
	}
	return basis.Laplacian(g, p.Labelled, y, p.Weight, norm, s.lambda, s.lambda*s.ratio), nil
}

// targets are those that centres are chosen for: one output a class, or the value less its mean, by the weights of the rows.
func targets(p *learn.Problem) *mat.Dense {
	if p.Task != data.Regression {
		return learn.Coding{Classes: p.Coding.Classes}.Code(p.Class)
	}
	y := mat.DenseCopyOf(p.Y)
	l, c := y.Dims()
	for q := range c {
		m := stat.Mean(mat.Col(nil, q, y), p.Weight)
		for i := range l {
			y.Set(i, q, y.At(i, q)-m)
		}
	}
	return y
}
