package method

import (
	"context"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// columnTolerance is the default tolerance of supervised machines in columns: the gradient over its larger part. Of four
// sets of tools/lab/linear the objective is then within 1e-6 of the least; each further digit costs some passes.
const columnTolerance = 3e-4

// inColumns is a supervised linear machine for sparse rows, in passes over their entries.
func inColumns(id, loss string, m Method) Method {
	k := machine{id: id, family: Linear, losses: []string{loss}}
	m.Cost = "the rows, and some thirty vectors a machine; some ten systems of some twelve passes over the entries; of at most 512 " +
		"columns, or 4096 of dense rows, d^2 numbers and d^3/3 operations instead; of at most 4096 labelled rows with more columns, " +
		"the same in rows"
	m.Source = cite.Sindhwani + ", 6.2; Keerthi and DeCoste 2005; Lin, Weng and Keerthi 2008"
	m.Settings = k.settings(task.C, solverOf([]string{"gradient", "fista", "fista-restart"}))
	return k.method(m)
}

// hasColumns refuses a kernel without features where the machine works in them.
func (k machine) hasColumns(ctx context.Context, t *task.Task) error {
	if !k.family.Linear() {
		return nil
	}
	g, err := t.Base.Bind(ctx, t.Problem.Rows.Select([]int{0}), nil)
	if err != nil {
		return err
	}
	if _, ok := kernel.Features(g); !ok {
		return task.Usage(
			"--kernel %s: it has no features, in which --method %s works; choose linear, ard-linear, chi2-map, clusters or components",
			t.KernelSpec(),
			k.id,
		)
	}
	return nil
}
