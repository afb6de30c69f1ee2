package method

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// exactRows is the number of rows up to which machines with a graph have n x n tables: at 8000
// rows they take 1 GB, and a machine of the design half a minute of processor.
const exactRows = 8000

// sampledRows is the number of rows that machines with a graph learn from where there are more: the whole
// design takes a minute or two on two cores. A function of few landmarks cannot follow a fine
// structure that a sample still shows: on ten manifolds in 50 dimensions, 20 000 rows, 10 labels
// each, docs/automatic-choice.md compares them.
const sampledRows = 4000

// forms are the ways to compute the machine.
func (k machine) forms() []Form {
	switch k.family {
	case Joint:
		return []Form{k.stackedForm()}
	case CoTrained:
		return []Form{k.coTrainedForm()}
	case Coupled:
		return []Form{k.viewColumnsForm(), k.stackedForm()}
	case Plain, Linear, OneClass:
		return k.supervisedForms()
	}
	forms := []Form{k.matrixFreeForm(), sampleForm(k.tables, k.designWork), landmarkForm(k.produce), k.tablesForm()}
	if k.onBasis() {
		forms = append([]Form{graphBasisForm(k.produce)}, forms...)
	}
	return forms
}

// tables trains the machine with n x n tables, whatever memory they need.
func (k machine) tables(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	return k.produce(ctx, t, nil)
}

// large says whether a machine with a graph has more rows than tables are made for.
func large(s task.Size, r task.Request) bool {
	return s.Rows > exactRows && s.Labelled < s.Rows && !r.Values.Is(exact, "true")
}

// sampleForm learns from the labelled rows and a sample of the others, where labels are few.
func sampleForm(produce func(context.Context, *task.Task) (*choose.Candidates, error), work func(task.Size, task.Request) Work) Form {
	return Form{
		Name:   "sample",
		Sample: sampled,
		Suits:  func(s task.Size, r task.Request) bool { return large(s, r) && 2*s.Labelled <= sampled(r) },
		Bytes: func(s task.Size, r task.Request) float64 {
			part := s
			part.Rows = sampled(r)
			part.Stored *= float64(part.Rows) / float64(s.Rows)
			return 8*(s.Stored-part.Stored) + tableBytes(part, r)
		},
		Work: func(s task.Size, r task.Request) Work {
			part := s
			part.Rows = sampled(r)
			rest := float64(s.Rows - part.Rows)
			return work(part, r).Plus(cost.Gram(rest, float64(part.Rows), float64(s.Features)))
		},
		Says: func(s task.Size, r task.Request) string {
			return fmt.Sprintf(
				"%d rows: machines with a graph learn from the labelled ones and a sample, %d in all, and decide the others as new "+
					"rows; --set "+
					"exact=true takes all, with tables of %s",
				s.Rows,
				sampled(r),
				brief.Bytes(16*int64(s.Rows)*int64(s.Rows)),
			)
		},
		Produce: produce,
	}
}

// landmarkCount keeps the score of a search within a minute of 100 000 rows.
func landmarkCount(rows int) int { return min(max(rows/5, 500), 1000) }

// reducedTo is the number of centres that --basis asks for, else that of the landmarks of so many rows.
func reducedTo(rows int, r task.Request) float64 {
	if m := r.Centres(); m > 0 {
		return float64(min(m, rows))
	}
	return float64(landmarkCount(rows))
}

// landmarkForm reduces machines with a graph to landmarks, where the labelled rows alone are too
// many for a sample.
func landmarkForm(produce func(context.Context, *task.Task, *kernel.Landmarks) (*choose.Candidates, error)) Form {
	return Form{
		Name:  "landmarks",
		Suits: large,
		Bytes: func(s task.Size, r task.Request) float64 {
			// Features, and what products with them need.
			n, l, m := float64(s.Rows), float64(s.Labelled), reducedTo(s.Rows, r)
			return 8 * (5*n*m + 3*l*l + common(s, r, designMachines))
		},
		Work: landmarkWork,
		Says: func(s task.Size, _ task.Request) string {
			return fmt.Sprintf(
				"%d rows: machines with a graph are reduced to %d landmarks; --set exact=true has the exact ones, with tables of %s",
				s.Rows,
				landmarkCount(s.Rows),
				brief.Bytes(16*int64(s.Rows)*int64(s.Rows)),
			)
		},
		Produce: func(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
			if t.Scoring.Penalty != "" {
				return nil, fmt.Errorf(
					"%s: --tune %s: not for machines reduced to landmarks; choose loo:press, or --set exact=true",
					t.Input.Set.Source,
					t.Scoring.Name,
				)
			}
			return produce(ctx, t, &kernel.Landmarks{Count: landmarkCount(t.Problem.Rows.Len()), Seed: t.Recipe.Drawn()})
		},
	}
}

// landmarkWork is what machines reduced to m landmarks do: features of all rows, and for every graph the
// norm of their columns.
func landmarkWork(s task.Size, r task.Request) Work {
	z, m := sizeOf(s), reducedTo(s.Rows, r)
	machines := float64(designMachines)
	switch {
	case r.Scoring.None:
		machines = 2
	case r.Recipe.Budget > 0 || searchedFor(r):
		machines = evaluations(r)
	}
	each := cost.Product(z.n, m, m).Plus(cost.Eigen(m), cost.Product(z.l, m, m), z.pathWork(r), Work{Passes: 8 * 20 * z.n * m})
	return z.rowWork().Plus(z.graphWork(), cost.Gram(z.n, m, z.d).Times(3), each.Times(machines))
}

// matrixFreeWork is a few hundred products with a triangle of kernel values, kept in single precision or
// made anew.
func matrixFreeWork(s task.Size, _ task.Request) Work {
	z := sizeOf(s)
	const products = 140
	each := Work{Passes: 2 * z.n * z.n}
	if 2*z.n*z.n > gramBytes {
		each = cost.Gram(z.n, z.n/2, z.d)
	}
	return z.rowWork().Plus(z.graphWork(), each.Times(products), cost.Gram(z.n, z.n/2, z.d))
}

// tablesForm has n x n tables.
func (k machine) tablesForm() Form {
	return Form{Name: "tables", Bytes: tableBytes, Work: k.designWork, Produce: k.tables}
}

// matrixFreeForm trains one machine, at given parameters, without any n x n table.
func (k machine) matrixFreeForm() Form {
	return Form{
		Name:  "matrix-free",
		Suits: func(_ task.Size, r task.Request) bool { return r.Values.Is(solverOf(nil), conjugate) },
		Bytes: func(s task.Size, r task.Request) float64 {
			// A triangle of kernel values in floats, up to gramBytes, or panels of 32 MB;
			// landmarks (0.75 n^0.7 columns, three of them at a time), a dozen n x c vectors.
			n := float64(s.Rows)
			return 8 * (min(n*n/4, gramBytes/8) + 3*0.75*math.Pow(n, 1.7) + common(s, r, 6))
		},
		Work:    matrixFreeWork,
		Produce: k.matrixFree,
	}
}

// Machines that keep their coefficients and outputs until the choice: those of a design, or,
// beside a search, those of the supervised baseline.
const (
	designMachines   = 34
	searchedMachines = 7
)

// searchedFor says whether a search moves the parameters. Otherwise a design of fixed candidates is
// tried.
func searchedFor(r task.Request) bool { return r.Search() != "auto" && !r.Scoring.None }

// tableBytes are those of machines with n x n tables, as tools/lab/forecast measures them. Labelled rows
// add their columns of the warped kernel and their block. A search keeps the distances too.
func tableBytes(s task.Size, r task.Request) float64 {
	n, l := float64(s.Rows), float64(s.Labelled)
	t, machines := graphTables(r)*n*n, float64(designMachines)
	if searchedFor(r) {
		t += n * n
		machines = searchedMachines
	}
	return 8 * (t + 3.5*l*n + 1.5*l*l + common(s, r, machines))
}

// graphTables is how many n x n tables are in use at once. An even power of the Laplacian is factored
// by Cholesky in place, beside the Gram matrix; an odd one by LU, with a copy and its workspace; a
// real one, and the heat semigroup, have the eigenvectors of the Laplacian; combined Laplacians keep
// products for the derivatives by their weights.
func graphTables(r task.Request) float64 {
	degrees := r.Values.Numbers(task.Degree)
	even := r.Scoring.None && degrees == nil // that of literature
	if len(degrees) == 1 {
		even = math.Mod(degrees[0], 2) == 0
	}
	switch {
	case realPower(r.Values):
		return 5
	case r.Recipe.Method == combinedID || r.Values.Is(combine, "yes"):
		if r.Scoring.None {
			return 3.5
		}
		return 6
	case even:
		return 2
	}
	return 4
}

// designWork is what the machines of the method do: those of a design, or of a search.
func (k machine) designWork(s task.Size, r task.Request) Work {
	base, err := r.ParseKernel(r.Spec(s.Sparse), s.Names)
	if err != nil {
		return Work{} // the fit is refused
	}
	d := designOf(r, s, base)
	if r.Scoring.None {
		d.Graph = publishedGraph(d.Graph, s.Rows)
	}
	if r.Scoring.None || r.Values.Given(task.GammaI) && r.Values.Given(task.GammaA) {
		d.Ratio = 1 // any but 0: one
	}
	several := k.several(r.Values)
	switch {
	case searchedFor(r) || several:
		return k.searchWork(s, r)
	case k.own != nil: // an eigendecomposition for every fold
		z, widths := sizeOf(s), float64(len(d.Supervised(k.id)))
		whole, folds := cost.Gram(z.l, z.l, z.d).Plus(cost.Eigen(z.l)), float64(r.Scoring.Folds)
		part := 1 - 1/max(folds, 1)
		return z.rowWork().Plus(whole.Times(widths*(1+folds*part*part*part)+1), cost.Gram(z.n-z.l, z.l, z.d))
	case k.family == Automatic:
		return planWork(s, r, append(d.Supervised(k.id), d.Graphs(k.id)...)) // the baseline first
	case !k.family.warped() || r.Values.Given(task.GammaI) && r.Values.Number(task.GammaI) == 0:
		return planWork(s, r, d.Supervised(k.id))
	}
	return planWork(s, r, append(d.Graphs(k.id), d.Supervised(k.id)...))
}

// searchWork is a search of the parameters of machines with a graph.
func (k machine) searchWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	degree := 2.0
	if v := r.Values.Numbers(task.Degree); len(v) == 1 {
		degree = v[0]
	}
	if k.combining(r.Values) {
		degree = 1 // no root of the norm
	}
	each := cost.Gram(z.n, z.n, z.d).Plus(z.warpWork(10, degree), Work{Products: z.l * z.l * z.l, Passes: 16 * z.l * z.l})
	if realPower(r.Values) || byLength(r.Values) {
		each = each.Plus(cost.Eigen(z.n)) // of the Laplacian
	}
	if task.Differentiates(r.Search()) {
		each = each.Plus(cost.Gram(z.n, z.n, z.d), cost.Product(z.n, z.n, z.l).Times(2))
	}
	again := 1.0 // the machine of the best point
	if f := float64(r.Scoring.Folds); r.Scoring.Inductive {
		each, again = each.Times(f), 2
	}
	return z.rowWork().Plus(z.graphWork(), each.Times(evaluations(r)+again))
}

// rowNumbers is how many 8-byte numbers a fit with a graph needs for each row besides: lists of
// 50 neighbours (75), a graph of about as many edges and its Laplacian (150 each at most, one at a
// time beside the other), four panels of 48 columns for the product with it, and panels of 512
// kernel values, of the Gram matrix and of predictions.
const rowNumbers = 1750

// common are the numbers of the rows and columns themselves and of the machines kept.
func common(s task.Size, r task.Request, machines float64) float64 {
	return 2*s.Stored + machines*2*float64(s.Rows)*float64(s.Outputs) + rowNumbers*float64(s.Rows) + columnNumbers(s, r)*float64(s.Features)
}

// columnNumbers is how many 8-byte numbers a fit keeps for each column, as
// measured at 2e7 columns: a transpose of sparse rows has two (where its rows
// start), and three are alive at most (two kernels and a graph); scaling has
// moments and factors; an ARD kernel has for every parameter a name, a range and
// its values during the search.
func columnNumbers(s task.Size, r task.Request) float64 {
	v := 0.0
	if s.Sparse {
		v += 6
	}
	switch r.Recipe.Scale {
	case "standard", "minmax":
		v += 7
	case "tfidf":
		v += 2
	}
	if widthEach(r) {
		v += 58
	}
	return v
}

// widthEach says whether the kernel has, or begins with one that has, a parameter for each column.
func widthEach(r task.Request) bool {
	return slices.ContainsFunc(kernel.ByColumn(), func(id string) bool { return strings.HasPrefix(r.Recipe.Kernel, id) })
}

// ColumnBytes are those that the columns alone take, however few rows there are.
func ColumnBytes(s task.Size, r task.Request) float64 {
	return 8 * columnNumbers(s, r) * float64(s.Features)
}
