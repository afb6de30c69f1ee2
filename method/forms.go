package method

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/setting"
	"github.com/mercer-ml/mercer/task"
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
	if !k.graph {
		return []Form{k.supervisedForm()}
	}
	return []Form{k.matrixFreeForm(), sampleForm(k.tables), landmarkForm(k.produce), k.tablesForm()}
}

// tables trains the machine with n x n tables, whatever memory they need.
func (k machine) tables(ctx context.Context, t *task.Task) (*choose.Slate, error) {
	return k.produce(ctx, t, nil)
}

// large says whether a machine with a graph has more rows than tables are made for.
func large(s task.Size, v setting.Values) bool {
	return s.Rows > exactRows && s.Labelled < s.Rows && !v.Is(exact, "true")
}

// sampleForm learns from the labelled rows and a sample of the others, where labels are few.
func sampleForm(produce func(context.Context, *task.Task) (*choose.Slate, error)) Form {
	return Form{
		Name:   "sample",
		Sample: sampledRows,
		Suits:  func(s task.Size, v setting.Values) bool { return large(s, v) && 2*s.Labelled <= sampledRows },
		Bytes: func(s task.Size, r task.Request) float64 {
			part := s
			part.Stored *= sampledRows / float64(s.Rows)
			part.Rows = sampledRows
			return 8*(s.Stored-part.Stored) + tableBytes(part, r)
		},
		Flops: func(s task.Size, r task.Request) float64 {
			s.Rows = sampledRows
			return tableFlops(s, r)
		},
		Says: func(s task.Size) string {
			return fmt.Sprintf("%d rows: machines with a graph learn from the labelled ones and a sample, %d in all, and decide the others as new rows; --set exact=true takes all, with tables of %s",
				s.Rows, sampledRows, Bytes(16*int64(s.Rows)*int64(s.Rows)))
		},
		Produce: produce,
	}
}

// landmarkCount keeps the score of a search within a minute of 100 000 rows.
func landmarkCount(rows int) int { return min(max(rows/5, 500), 1000) }

// landmarkForm reduces machines with a graph to landmarks, where the labelled rows alone are too
// many for a sample.
func landmarkForm(produce func(context.Context, *task.Task, *kernel.Landmarks) (*choose.Slate, error)) Form {
	return Form{
		Name:  "landmarks",
		Suits: large,
		Bytes: func(s task.Size, r task.Request) float64 {
			// Features, and what products with them need.
			n, l, m := float64(s.Rows), float64(s.Labelled), float64(landmarkCount(s.Rows))
			return 8 * (5*n*m + 3*l*l + common(s, r, designMachines))
		},
		Flops: func(s task.Size, r task.Request) float64 {
			n, l, m := float64(s.Rows), float64(s.Labelled), float64(landmarkCount(s.Rows))
			return machinesOf(r) * (2*n*m*m + l*m*m)
		},
		Says: func(s task.Size) string {
			return fmt.Sprintf("%d rows: machines with a graph are reduced to %d landmarks; --set exact=true has the exact ones, with tables of %s",
				s.Rows, landmarkCount(s.Rows), Bytes(16*int64(s.Rows)*int64(s.Rows)))
		},
		Produce: func(ctx context.Context, t *task.Task) (*choose.Slate, error) {
			if t.Scoring.Penalty != "" {
				return nil, fmt.Errorf("%s: --tune %s: not for machines reduced to landmarks; choose loo:press, or --set exact=true", t.Input.Set.Source, t.Scoring.Name)
			}
			return produce(ctx, t, &kernel.Landmarks{Count: landmarkCount(t.Problem.Rows.Len()), Seed: t.Recipe.Drawn()})
		},
	}
}

// tablesForm has n x n tables.
func (k machine) tablesForm() Form {
	return Form{Name: "tables", Bytes: tableBytes, Flops: tableFlops, Produce: k.tables}
}

// matrixFreeForm trains one machine, at given parameters, without any n x n table.
func (k machine) matrixFreeForm() Form {
	return Form{
		Name:  "matrix-free",
		Suits: func(_ task.Size, v setting.Values) bool { return v.Is(solverOf(nil), conjugate) },
		Bytes: func(s task.Size, r task.Request) float64 {
			// A triangle of kernel values in floats, up to gramBytes, or panels of 32 MB;
			// landmarks (0.75 n^0.7 columns, three of them at a time), a dozen n x c vectors.
			n := float64(s.Rows)
			return 8 * (min(n*n/4, gramBytes/8) + 3*0.75*math.Pow(n, 1.7) + common(s, r, 6))
		},
		Flops: func(s task.Size, _ task.Request) float64 {
			n := float64(s.Rows)
			return n * n * float64(s.Features+200) // a few hundred steps of kernel products, kept or made anew
		},
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

// machinesOf is the number of machines trained at most.
func machinesOf(r task.Request) float64 {
	switch {
	case r.Scoring.None:
		return 2
	case r.Recipe.Budget > 0:
		return float64(r.Recipe.Budget)
	case searchedFor(r):
		return 243
	}
	return designMachines
}

// tableBytes are those of machines with n x n tables, as bench/forecast measures them. Labelled rows
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

// tableFlops are those of a Gram matrix and a factorisation a machine.
func tableFlops(s task.Size, r task.Request) float64 {
	n, l := float64(s.Rows), float64(s.Labelled)
	return machinesOf(r)*(2./3*n*n*n+n*n*l+9*l*l*l) + n*n*float64(s.Features)
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
	if r.Recipe.Scale == "standard" || r.Recipe.Scale == "minmax" {
		v += 7
	}
	if k := r.Recipe.Kernel; len(k) >= 4 && k[:4] == "ard-" {
		v += 58
	}
	return v
}

// ColumnBytes are those that the columns alone take, however few rows there are.
func ColumnBytes(s task.Size, r task.Request) float64 {
	return 8 * columnNumbers(s, r) * float64(s.Features)
}

// EngineBytes are those that a process takes for any fit, beside the rows and the fit's own tables:
// the code that it runs, buffers of the engine of linear algebra, panels.
const EngineBytes = 16 << 20

// Bytes prints a number of bytes in the unit that suits it.
func Bytes(b int64) string {
	const unit = 1024
	v, i := float64(b), 0
	for v >= unit && i < 4 {
		v /= unit
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", b)
	}
	return fmt.Sprintf("%.3g %ciB", v, "KMGT"[i-1])
}
