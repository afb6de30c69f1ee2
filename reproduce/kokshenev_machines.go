package reproduce

// Grids of kernels and strengths. The usual search (Kokshenev 2010, eq. 5.37) judges every
// machine in T folds, the least error wins; the fronts of section 5.5.1 train every
// machine once on all rows and judge those nondominated in (mean hinge loss, Q) alone.
// Along a column of growing C each training begins at the machine before. A column ends
// where no coefficient is at its bound C: larger C are the same machines.
//
// Fronts are filtered on log Q, one training for both measures: Q_ref of kernels of
// deficient rank is tens of decades below that of others, and a tolerance that is a share
// of the range of Q itself takes all of them for equal.

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mercer-ml/mercer/complexity"
	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/loss"
	"github.com/mercer-ml/mercer/pareto"
	"github.com/mercer-ml/mercer/svm"
	"gonum.org/v1/gonum/mat"
)

// machineSteps limits the steps of one training, which for C up to 2^25 may take millions;
// the source does not say how it went about that. Tables count what the limit ended.
const machineSteps = 20_000

var kokshenevMachine = svm.Classifier{Options: svm.Options{MaxIterations: machineSteps}}

// machineGrid is the grid of a search.
type machineGrid struct {
	kernels   []kernel.Kernel
	strengths []float64 // increasing
	factors   []float64 // of the strengths, by kernel; nil: 1
}

func (g *machineGrid) strength(k, c int) float64 {
	if g.factors == nil {
		return g.strengths[c]
	}
	return g.strengths[c] * g.factors[k]
}

// errorTable is the share of rows wrong in the folds by kernel and strength, +Inf where a
// training was ended by its limit.
type errorTable struct {
	share     [][]float64
	trainings int
}

// at is the share for any strength.
func (t *errorTable) at(k, c int) float64 { return t.share[k][min(c, len(t.share[k])-1)] }

// least is the cell of least error: ties to the least strength of the grid, then to the
// first kernel. A table without a number is an error.
func (t *errorTable) least() (k, c int, err error) {
	best := math.Inf(1)
	for i := range t.share {
		for j, v := range t.share[i] {
			if v < best || v == best && j < c {
				best, k, c = v, i, j
			}
		}
	}
	if math.IsInf(best, 1) {
		err = fmt.Errorf("every machine of the grid was ended by its limit of %d steps; scale the features", machineSteps)
	}
	return k, c, err
}

// validate fills the table, kernels side by side.
func (g *machineGrid) validate(ctx context.Context, p *learn.Problem, folds [][]int) (*errorTable, error) {
	t := &errorTable{share: make([][]float64, len(g.kernels))}
	var trainings atomic.Int64
	err := sideBySide(len(g.kernels), func(k int) error {
		n, err := g.column(ctx, p, folds, k, t)
		trainings.Add(int64(n))
		return err
	})
	t.trainings = int(trainings.Load())
	return t, err
}

func (g *machineGrid) column(ctx context.Context, p *learn.Problem, folds [][]int, k int, t *errorTable) (trainings int, err error) {
	gram, trainer, err := g.bind(ctx, p, k)
	if err != nil {
		return 0, err
	}
	var warm []*learn.Machine
	for c := range g.strengths {
		if err := ctx.Err(); err != nil {
			return trainings, err
		}
		out, machines, err := hyper.LeftOut(ctx, gram, trainer, p, folds, []float64{g.strength(k, c)}, warm)
		if err != nil {
			return trainings, err
		}
		trainings += len(folds)
		warm = machines
		free, limited := true, false
		for _, m := range machines {
			free = free && below(m, g.strength(k, c))
			limited = limited || m.Certificate.Limited != ""
		}
		if limited { // stronger data need more steps still
			t.share[k] = append(t.share[k], math.Inf(1))
			return trainings, nil
		}
		t.share[k] = append(t.share[k], hyper.Error{}.Eval(p, hyper.Judged(folds), out, nil))
		if free {
			return trainings, nil
		}
	}
	return trainings, nil
}

// below says whether all coefficients are below the bound C and some are not zero.
func below(m *learn.Machine, bound float64) bool {
	return m.Coef != nil && mat.Norm(m.Coef, math.Inf(1)) > 0 && mat.Max(m.Coef) < bound*(1-1e-9) && mat.Min(m.Coef) > -bound*(1-1e-9)
}

func (g *machineGrid) bind(ctx context.Context, p *learn.Problem, k int) (kernel.Gram, learn.Trainer, error) {
	gram, err := g.kernels[k].Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	trainer, err := kokshenevMachine.Bind(ctx, gram, p)
	return gram, trainer, err
}

// train trains one machine on all rows.
func (g *machineGrid) train(ctx context.Context, p *learn.Problem, k, c int) (kernel.Gram, *learn.Machine, error) {
	gram, trainer, err := g.bind(ctx, p, k)
	if err != nil {
		return nil, nil, err
	}
	m, err := trainer.Train(ctx, nil, []float64{g.strength(k, c)}, nil)
	if err != nil {
		return nil, nil, err
	}
	return gram, m.Sparse(), nil
}

// trained is a machine on all rows; q are Q_norm and Q_ref.
type trained struct {
	k, c    int
	risk    float64
	q       [2]float64
	machine *learn.Machine
}

// trainAll trains the grid, kernels side by side, and counts the trainings that were
// ended by their limit; those are left out.
func (g *machineGrid) trainAll(ctx context.Context, p *learn.Problem) (all []trained, trainings, limited int, err error) {
	columns := make([][]trained, len(g.kernels))
	stopped := make([]bool, len(g.kernels))
	number, first := complexity.Distinct(p.Rows.Dense)
	err = sideBySide(len(g.kernels), func(k int) (err error) {
		columns[k], stopped[k], err = g.trainColumn(ctx, p, k, number, first)
		return err
	})
	for k, c := range columns {
		all = append(all, c...)
		if stopped[k] {
			limited++
		}
	}
	return all, len(all) + limited, limited, err
}

func (g *machineGrid) trainColumn(ctx context.Context, p *learn.Problem, k int, number, first []int) (column []trained, stopped bool, err error) {
	gram, trainer, err := g.bind(ctx, p, k)
	if err != nil {
		return nil, false, err
	}
	// Equal rows would make the matrix singular: their coefficients are summed.
	block := mat.NewDense(len(first), len(first), nil)
	gram.Block(block, first, first)
	reference, err := complexity.NewReference(mat.DenseCopyOf(block), nil, 0)
	if err != nil {
		return nil, false, err
	}
	n := len(p.Labelled)
	out, alpha := mat.NewDense(n, 1, nil), make([]float64, len(first))
	var warm *learn.Machine
	for c := range g.strengths {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		m, err := trainer.Train(ctx, nil, []float64{g.strength(k, c)}, warm)
		if err != nil {
			return nil, false, err
		}
		if m.Certificate.Limited != "" { // stronger data need more steps still
			return column, true, nil
		}
		warm = m
		t := trained{k: k, c: c, machine: m.Sparse()}
		t.machine.Evaluate(out, gram, p.Labelled)
		for i := range n {
			t.risk += loss.Hinge{}.Value(p.Y.At(i, 0), out.At(i, 0)) / float64(n)
		}
		clear(alpha)
		for i, row := range t.machine.Rows {
			alpha[number[row]] += t.machine.Coef.At(i, 0)
		}
		t.q = [2]float64{complexity.Normalised(block, alpha), reference.Of(alpha)}
		column = append(column, t)
		if below(m, g.strength(k, c)) {
			return column, false, nil
		}
	}
	return column, false, nil
}

// front is the nondominated of all by measure 0, Q_norm, or 1, Q_ref.
func front(all []trained, measure int) []trained {
	var risk, logQ []float64
	for _, t := range all {
		risk, logQ = append(risk, t.risk), append(logQ, math.Log(t.q[measure]))
	}
	return pickOf(all, pareto.Front(risk, logQ, pareto.Options{}))
}
