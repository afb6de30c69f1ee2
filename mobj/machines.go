package mobj

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/mercer-ml/mercer/complexity"
	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/loss"
	"github.com/mercer-ml/mercer/pareto"
	"gonum.org/v1/gonum/mat"
)

// Measure is a complexity of package complexity.
type Measure string

// The measures. Only the first two compare functions of different kernels.
const (
	QRef  Measure = "q-ref"
	QNorm Measure = "q-norm"
	QRKHS Measure = "q-rkhs"
)

// Measures are all of them, the default first.
func Measures() []Measure { return []Measure{QRef, QNorm, QRKHS} }

// Machines is the front of kernel machines over a grid of kernels and strengths, mobj-svm:
//
//  1. train every kernel at every strength on all labelled rows;
//     risk R = mean loss with the offset, complexity Q without it
//  2. keep what is nondominated in (R, Q)
//  3. leave-out errors of those alone (Validate); the machine chosen is the one of step 1
//
// where the usual search cross-validates the whole grid: about T times the trainings
// (Kokshenev 2010, section 5.5.1). Per kernel the machines are Pareto optimal for a Gaussian
// kernel with Q_norm; else the front is that of the machines trained (section 5.5.2).
//
// Outputs of several classes add their risks, in the mean, and their complexities.
type Machines struct {
	Problem *learn.Problem
	Learner learn.Learner // its first parameter is the strength C
	Kernels []kernel.Kernel
	// Strengths are values of C, increasing: each training starts from the one before.
	Strengths []float64
	// Factors multiply the strengths for each kernel; nil: 1. Polynomials of degree p want
	// 2^-2p, which keeps the interesting values in one place (section 5.6.2).
	Factors []float64
	Measure Measure // default q-ref
	Floor   float64 // of q-ref, see complexity.Reference
	// Progress, if not nil, is told how many kernels are done.
	Progress func(done, total int)
}

// Trained is one machine of a front.
type Trained struct {
	Kernel           int // of Machines.Kernels
	Strength         float64
	Risk, Complexity float64
	Errors           int // labelled rows decided wrongly
	Machine          *learn.Machine
}

// Support is the number of rows with a coefficient.
func (t *Trained) Support() int { return len(t.Machine.Rows) }

// MachineFront is the nondominated machines by increasing complexity.
type MachineFront struct {
	Members  []Trained
	Trained  int   // machines trained
	Limited  int   // ended by a limit, and left out
	Rank     []int // numerical rank of each kernel's matrix, with q-ref
	Distinct int   // distinct labelled rows
	Partial  bool  // the context ended: nondominated among what was trained until then
}

// Run trains the grid. Kernels are trained side by side; an interrupt keeps what is nondominated so far.
func (m Machines) Run(ctx context.Context) (*MachineFront, error) {
	if len(m.Kernels) == 0 || len(m.Strengths) == 0 {
		return nil, fmt.Errorf("mobj: a grid needs one kernel and one strength at least")
	}
	if m.Measure == "" {
		m.Measure = QRef
	}
	number, first := m.distinct()
	columns := make([]column, len(m.Kernels))
	errs := make([]error, len(m.Kernels))
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, done := 0, 0
	for range min(runtime.GOMAXPROCS(0), len(m.Kernels)) {
		wg.Go(func() {
			for {
				mu.Lock()
				k := next
				next++
				mu.Unlock()
				if k >= len(m.Kernels) || ctx.Err() != nil {
					return
				}
				columns[k], errs[k] = m.column(ctx, k, number, first)
				mu.Lock()
				done++
				if m.Progress != nil && ctx.Err() == nil {
					m.Progress(done, len(m.Kernels))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	f := &MachineFront{Rank: make([]int, len(m.Kernels)), Distinct: len(first), Partial: ctx.Err() != nil}
	var parts []pareto.Part
	for k, c := range columns {
		if errs[k] != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("mobj: kernel %d: %w", k+1, errs[k])
		}
		f.Rank[k] = c.rank
		f.Trained += c.trained
		f.Limited += c.limited
		var p pareto.Part
		for _, t := range c.machines {
			// Complexities span tens of decades: their tolerance is one of logarithms.
			p.Risk, p.Complexity = append(p.Risk, t.Risk), append(p.Complexity, math.Log(max(t.Complexity, math.SmallestNonzeroFloat64)))
		}
		parts = append(parts, p)
	}
	for _, at := range pareto.Merge(parts, pareto.Options{}) {
		f.Members = append(f.Members, columns[at.Part].machines[at.Index])
	}
	if len(f.Members) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("mobj: no machine of the grid met its tolerance, all %d were ended by a limit; scale the features or give smaller strengths", f.Limited)
	}
	return f, nil
}

// distinct numbers the labelled rows, equal ones alike. Rows that are not dense count as distinct.
func (m Machines) distinct() (number, first []int) {
	rows := m.Problem.Rows.Select(m.Problem.Labelled)
	if rows.Dense != nil {
		return complexity.Distinct(rows.Dense)
	}
	for i := range m.Problem.Labelled {
		number, first = append(number, i), append(first, i)
	}
	return number, first
}

// column is what one kernel gave.
type column struct {
	machines               []Trained
	trained, limited, rank int
}

func (m Machines) column(ctx context.Context, k int, number, first []int) (column, error) {
	var c column
	p := m.Problem
	g, err := m.Kernels[k].Bind(ctx, p.Rows, nil)
	if err != nil {
		return c, err
	}
	t, err := m.Learner.Bind(ctx, g, p)
	if err != nil {
		return c, err
	}
	// The matrix of the distinct rows, whose coefficients are summed.
	rows := make([]int, len(first))
	for q, i := range first {
		rows[q] = p.Labelled[i]
	}
	block := mat.NewDense(len(rows), len(rows), nil)
	g.Block(block, rows, rows)
	var ref *complexity.Reference
	if m.Measure == QRef {
		if ref, err = complexity.NewReference(block, nil, m.Floor); err != nil {
			return c, err
		}
		c.rank = ref.Rank
	}
	place := make(map[int]int, len(p.Labelled)) // of a row among the distinct
	for i, row := range p.Labelled {
		place[row] = number[i]
	}
	space := m.Learner.Space(1, p.Spread())
	factor := 1.0
	if m.Factors != nil {
		factor = m.Factors[k]
	}
	var warm *learn.Machine
	out := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	for _, strength := range m.Strengths {
		theta := space.Defaults()
		theta[0] = strength * factor
		f, err := t.Train(ctx, nil, theta, warm)
		if err != nil {
			return c, err
		}
		warm = f
		c.trained++
		if f.Certificate.Limited != "" {
			c.limited++
			break // stronger data need more steps still
		}
		f = f.Sparse()
		f.Evaluate(out, g, p.Labelled)
		one := Trained{Kernel: k, Strength: theta[0], Machine: f, Risk: risk(p, out), Errors: wrong(p, out)}
		if one.Complexity = m.measure(ref, block, f, place); !math.IsInf(one.Complexity, 0) {
			c.machines = append(c.machines, one)
		}
		if unbounded(f, theta[0]) {
			break // no row is at its bound: larger strengths give the same machine
		}
	}
	return c, nil
}

// measure is the complexity of a machine, summed over outputs.
func (m Machines) measure(ref *complexity.Reference, g *mat.Dense, f *learn.Machine, place map[int]int) float64 {
	n, _ := g.Dims()
	var q float64
	alpha := make([]float64, n)
	for c := range m.Problem.Outputs() {
		clear(alpha)
		for i, row := range f.Rows {
			alpha[place[row]] += f.Coef.At(i, c)
		}
		switch m.Measure {
		case QNorm:
			q += complexity.Normalised(g, alpha)
		case QRKHS:
			q += complexity.RKHS(g, alpha)
		default:
			q += ref.Of(alpha)
		}
	}
	return q
}

// unbounded says whether no coefficient is at the bound C.
func unbounded(f *learn.Machine, bound float64) bool {
	if len(f.Rows) == 0 {
		return false
	}
	return mat.Max(f.Coef) < bound*(1-1e-9) && mat.Min(f.Coef) > -bound*(1-1e-9)
}

// risk is the mean hinge loss of the outputs.
func risk(p *learn.Problem, out *mat.Dense) float64 {
	var sum float64
	count := 0
	hinge := loss.Hinge{}
	for i := range p.Labelled {
		y := p.Y.RawRowView(i)
		for c, v := range out.RawRowView(i) {
			if y[c] != 0 { // a pair that the row has a part in
				sum += hinge.Value(y[c], v)
				count++
			}
		}
	}
	return sum / float64(count)
}

// wrong counts the labelled rows that the outputs decide wrongly.
func wrong(p *learn.Problem, out *mat.Dense) int {
	n := 0
	for i, k := range p.Coding.Decide(out) {
		if k != p.Class[i] {
			n++
		}
	}
	return n
}

// Validate returns the share of labelled rows decided wrongly by machines of every member's kernel and
// strength that were trained without their fold: T trainings a member.
func (m Machines) Validate(ctx context.Context, f *MachineFront, folds [][]int) ([]float64, error) {
	p := m.Problem
	score := make([]float64, len(f.Members))
	errs := make([]error, len(f.Members))
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(runtime.GOMAXPROCS(0), len(f.Members)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(f.Members) {
					return
				}
				score[i], errs[i] = m.validate(ctx, p, &f.Members[i], folds)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return score, nil
}

func (m Machines) validate(ctx context.Context, p *learn.Problem, t *Trained, folds [][]int) (float64, error) {
	g, err := m.Kernels[t.Kernel].Bind(ctx, p.Rows, nil)
	if err != nil {
		return 0, err
	}
	trainer, err := m.Learner.Bind(ctx, g, p)
	if err != nil {
		return 0, err
	}
	theta := m.Learner.Space(1, p.Spread()).Defaults()
	theta[0] = t.Strength
	out, _, err := hyper.LeftOut(ctx, g, trainer, p, folds, theta, nil)
	if err != nil {
		return 0, err
	}
	return hyper.Error{}.Eval(p, hyper.Judged(folds), out, nil), nil
}

// Front is the front in the terms of the decisors: the sum of squared errors is the risk's, N R,
// which only decisors that look at shape may use.
func (f *MachineFront) Front(rows int) Front {
	out := Front{N: rows}
	for i := range f.Members {
		t := &f.Members[i]
		out.Members = append(out.Members, Member{SSE: t.Risk * float64(rows), Complexity: t.Complexity, DF: float64(t.Support()), Errors: t.Errors})
	}
	return out
}
