package method

import (
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
)

// What fits cannot do without, by the counts that their forecasts are made of. docs/results/limit.md has its time beside that which
// fits take.

// GraphFloor is the least work of the machines with a graph in the automatic choice: a table of distances for the neighbours and one for
// each kernel, half of them each, and for every graph with every ratio a Cholesky factor and the columns of the labelled rows.
func GraphFloor(s task.Size, r task.Request) (w Work, machines int, err error) {
	base, err := r.ParseKernel(r.Spec(s.Sparse), s.Names)
	if err != nil {
		return w, 0, err
	}
	type table struct {
		linear bool
		width  float64
	}
	z, tables := sizeOf(s), map[table]bool{}
	half := cost.Gram(z.n, z.n/2, z.d)
	w.Products = half.Products
	for _, one := range designOf(r, s, base).Graphs(Auto) {
		if of := (table{one.Linear, one.Width}); !tables[of] {
			tables[of], w = true, w.Plus(half)
		}
		machines++
		w = w.Plus(cost.Cholesky(z.n), Work{Products: 2 * z.n * z.n * z.l})
	}
	return w, machines, nil
}

// StackFloor is the least work of a stack of at most 3000 rows: in every step of its searches for widths a factor, the inverse and the
// cotangent, and the table of absolute differences twice, for the value and for the derivatives; then a table, a factor and the inverse
// of all rows for each kernel that was found.
func StackFloor(s task.Size, r task.Request) Work {
	z, n := sizeOf(s), teachers(s, r)
	step := z.widthSystems(n).Plus(cost.Absolute(n, n/2, z.d).Times(2))
	whole := cost.Absolute(z.l, z.l/2, z.d).Plus(cost.Cholesky(z.l).Times(3))
	return step.Times(widthSteps).Plus(whole).Times(pairs(r))
}
