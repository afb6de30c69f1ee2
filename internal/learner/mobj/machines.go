// Package mobj makes the front of kernel machines over a grid of kernels and strengths: risk against a
// complexity that compares kernels. Package choose chooses a member of it.
//
// Source: Kokshenev, doctoral thesis, UFMG 2010, chapter 5.
//
// Change here which machines the front is made of; how one is chosen is package choose's.
package mobj

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/pareto"
	"github.com/mercer-ml/mercer/learn"
)

// Measure is a complexity of package complexity.
type Measure string

// The measures. QRefSV is QRef of the support rows alone: only rows with a coefficient are in the
// matrix G, so that it is decomposed anew for every machine (Kokshenev 2010, section 5.4.3, has
// both and prefers that of all rows). QRKHS does not compare functions of different kernels.
const (
	QRef   Measure = "q-ref"
	QRefSV Measure = "q-ref-sv"
	QNorm  Measure = "q-norm"
	QRKHS  Measure = "q-rkhs"
)

// Measures are all of them, the default first.
func Measures() []Measure { return []Measure{QRef, QRefSV, QNorm, QRKHS} }

// Machines is a grid of kernels and strengths of kernel machines, and its front, mobj-svm:
//
//  1. train every kernel at every strength on all labelled rows;
//     risk R = mean loss with the offset, complexity Q without it
//  2. keep what is nondominated in (R, Q)
//  3. leave-out errors of those alone (Validate); the machine chosen is the one of step 1
//
// where the usual search (Kokshenev 2010, eq. 5.37; Train with folds, MachineGrid.Least)
// cross-validates the whole grid: about T times the trainings (section 5.5.1). Per kernel the machines are Pareto optimal for a Gaussian
// kernel with Q_norm; else the front is that of the machines trained (section 5.5.2).
//
// Outputs of several classes add their risks, in the mean, and their complexities.
type Machines struct {
	Problem *learn.Problem
	Learner learn.Learner // its first parameter is the strength C; with an offset it is the source's machine
	Grid
	// Strengths are values of C, increasing: each training starts from the one before.
	Strengths []float64
	Measure   Measure // default q-ref
	Floor     float64 // of q-ref and q-ref-sv, see complexity.Reference
	// Progress, if not nil, is told how many kernels are done.
	Progress func(done, total int)
}

// Trained is one machine of a front.
type Trained struct {
	Kernel, Step     int     // of Machines.Kernels and Strengths
	Strength         float64 // with the kernel's factor
	Risk, Complexity float64 // the complexity by the front's measure
	Errors           int     // labelled rows decided wrongly
	// Free says that no coefficient is at its bound: larger strengths give the same machine.
	Free bool
	// Rank is the numerical rank of the matrix that q-ref or q-ref-sv decomposed, of Order rows; of
	// several outputs that which lacks most. Both are zero with other measures.
	Rank, Order int
	Machine     *learn.Machine
}

// Support is the number of rows with a coefficient.
func (t *Trained) Support() int { return len(t.Machine.Rows) }

// MachineFront is the nondominated machines by increasing complexity.
type MachineFront struct {
	Members []Trained
	Trained int  // machines trained
	Limited int  // ended by a limit, and left out
	Partial bool // the context ended: nondominated among what was trained until then
	// Tolerance is the greatest violation of the optimality conditions that a solver left. Risks that
	// differ by less count as equal: among machines without an error their rest is the solver's,
	// and would make members of what is more complex for nothing.
	Tolerance float64
	// Parts are the fronts of single kernels it was merged from, to the last digit; empty where none was trained.
	Parts []pareto.Part
}

// Run trains the grid and filters it by the measure. An interrupt keeps what is nondominated so far.
func (m Machines) Run(ctx context.Context) (*MachineFront, error) {
	if m.Measure == "" {
		m.Measure = QRef
	}
	g, err := m.Train(ctx, nil, m.Measure)
	if err != nil {
		return nil, err
	}
	f := g.Front(m.Measure)
	if len(f.Members) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf(
			"mobj: no machine of the grid met its tolerance, all %d were ended by a limit; scale the features or give smaller strengths",
			f.Limited,
		)
	}
	return f, nil
}

// MachineGrid is the machines of the grid, of which those ended by a limit are left out.
// Strengths beyond the first at which no coefficient is at its bound give the same machine.
type MachineGrid struct {
	Trained int // machines trained on all labelled rows
	Limited int // of these ended by a limit
	Folded  int // machines trained without a fold
	Partial bool

	measures []Measure
	columns  []column
}

// Train trains the grid on all labelled rows and, with folds, every cell without each of them.
// A training ended by a limit ends its column: stronger data need more steps still.
//
// Kernels are trained side by side, everything of one kernel by one goroutine from one
// block of its Gram matrix, along increasing strengths, each from the machine before. Cost:
// the trainings; with q-ref 10 l^3 flops a kernel at most, with q-ref-sv 10 s^3 a machine of s
// support rows. Memory: 16 l^2 bytes a core, 24 with q-ref, 8 l^2 for one decomposition at a time,
// and the machines.
func (m Machines) Train(ctx context.Context, folds [][]int, measures ...Measure) (*MachineGrid, error) {
	if len(m.Kernels) == 0 || len(m.Strengths) == 0 {
		return nil, fmt.Errorf("mobj: a grid needs one kernel and one strength at least")
	}
	w := m.work(folds, measures)
	g := &MachineGrid{measures: measures, columns: make([]column, len(m.Kernels))}
	var mu sync.Mutex
	done := 0
	err := parallel.Each(0, len(m.Kernels), func(k int) error {
		if ctx.Err() != nil {
			return nil
		}
		if err := w.column(ctx, k, &g.columns[k]); err != nil {
			return fmt.Errorf("mobj: kernel %d: %w", k+1, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; m.Progress != nil && ctx.Err() == nil {
			m.Progress(done, len(m.Kernels))
		}
		return nil
	})
	if g.Partial = ctx.Err() != nil; err != nil && !g.Partial {
		return nil, err
	}
	for k := range g.columns {
		c := &g.columns[k]
		g.Trained += c.trained
		g.Limited += c.limited
		g.Folded += c.folded
	}
	return g, nil
}

// Front is the nondominated machines by a measure that the grid was trained with.
func (g *MachineGrid) Front(measure Measure) *MachineFront {
	q := slices.Index(g.measures, measure)
	if q < 0 {
		panic(fmt.Sprintf("mobj: a front by %s of a grid measured by %v", measure, g.measures))
	}
	f := &MachineFront{Trained: g.Trained, Limited: g.Limited, Partial: g.Partial, Parts: make([]pareto.Part, len(g.columns))}
	parts := make([]pareto.Part, len(g.columns))
	for k, c := range g.columns {
		p := &parts[k]
		for i, t := range c.machines {
			p.Risk, p.Complexity = append(p.Risk, t.Risk), append(p.Complexity, c.complexity[i][q])
			f.Tolerance = max(f.Tolerance, t.Machine.Certificate.Residual)
		}
		for _, i := range pareto.Front(p.Risk, p.Complexity, pareto.Options{Log: true}) {
			f.Parts[k].Risk = append(f.Parts[k].Risk, p.Risk[i])
			f.Parts[k].Complexity = append(f.Parts[k].Complexity, p.Complexity[i])
		}
	}
	for _, at := range pareto.Merge(parts, pareto.Options{Log: true, Risk: f.Tolerance}) {
		one := g.columns[at.Part].machines[at.Index]
		one.Complexity = parts[at.Part].Complexity[at.Index]
		f.Members = append(f.Members, one)
	}
	return f
}

// Error is the share of labelled rows decided wrongly in the folds at a kernel and a step of
// the strengths, +Inf from the first step on at which a limit ended a training.
func (g *MachineGrid) Error(kernel, step int) float64 { return g.columns[kernel].wrong.at(step) }

// Least is the machine of the grid with the least Error: ties go to the least step, then to the first
// kernel. It is nil where no cell has an error and a machine that met its tolerance.
func (g *MachineGrid) Least() *Trained {
	best, step := math.Inf(1), 0
	var least *Trained
	for k := range g.columns {
		c := &g.columns[k]
		for i, v := range c.wrong.share {
			if t := c.at(i); t != nil && (v < best || v == best && i < step) {
				best, step, least = v, i, t
			}
		}
	}
	return least
}
