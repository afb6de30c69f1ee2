package mobj

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/complexity"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// column is what one kernel gave.
type column struct {
	machines   []Trained   // by step
	complexity [][]float64 // of each, by measure
	ended      bool        // the last machine is that of all larger strengths, too
	wrong      foldErrors
	trained    int
	limited    int
	folded     int
}

// at is the machine of a step, nil without one.
func (c *column) at(step int) *Trained {
	switch {
	case step < len(c.machines):
		return &c.machines[step]
	case c.ended:
		return &c.machines[len(c.machines)-1]
	}
	return nil
}

// work is what the columns of a grid share.
type work struct {
	Machines
	folds         [][]int
	measures      []Measure
	number, first []int // of the labelled rows, see complexity.Distinct
	place         []int // of a row of the problem among the labelled
	// dense is held for matrix products and eigenvalues: these fill the cores themselves, and their workspaces, some
	// tables of rows by rows, are there once.
	dense *sync.Mutex
}

func (m Machines) work(folds [][]int, measures []Measure) *work {
	w := &work{Machines: m, folds: folds, measures: measures, place: make([]int, m.Problem.Rows.Len()), dense: new(sync.Mutex)}
	p := m.Problem
	for i, row := range p.Labelled {
		w.place[row] = i
	}
	if rows := p.Rows.Select(p.Labelled); rows.Dense != nil {
		w.number, w.first = complexity.Distinct(rows.Dense)
		return w
	}
	for i := range p.Labelled { // rows that are not dense count as distinct
		w.number, w.first = append(w.number, i), append(w.first, i)
	}
	return w
}

// heldRows is the number of labelled rows up to which their block of the Gram matrix is kept in
// double precision while a kernel is trained: 32 MB.
const heldRows = 2048

// held is a Gram object whose block of labelled rows is in hand.
type held struct {
	kernel.Gram
	block *mat.Dense
	place []int // of a row in the block
	rows  []int // of the block
}

// Block copies what is in hand.
func (h *held) Block(dst *mat.Dense, i, j []int) {
	if !h.has(i) || !h.has(j) {
		h.Gram.Block(dst, i, j)
		return
	}
	for a, r := range i {
		from, to := h.block.RawRowView(h.place[r]), dst.RawRowView(a)
		for b, s := range j {
			to[b] = from[h.place[s]]
		}
	}
}

func (h *held) has(rows []int) bool {
	for _, r := range rows {
		if h.rows[h.place[r]] != r {
			return false
		}
	}
	return rows != nil
}

// bind binds kernel k and the learner.
func (w *work) bind(ctx context.Context, k int) (kernel.Gram, learn.Trainer, error) {
	p := w.Problem
	g, err := w.Kernels[k].Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	if l := len(p.Labelled); l > 0 && l <= heldRows {
		h := &held{Gram: g, block: mat.NewDense(l, l, nil), place: w.place, rows: p.Labelled}
		if err := kernel.Fill(ctx, h.block, g, p.Labelled, p.Labelled); err != nil {
			return nil, nil, err
		}
		g = h
	}
	t, err := w.Learner.Bind(ctx, g, p)
	return g, t, err
}

// theta are the learner's parameters at strength c.
func (w *work) theta(c float64) []float64 {
	theta := w.Learner.Space(1, w.Problem.Spread()).Defaults()
	theta[0] = c
	return theta
}

// strengths are those of kernel k.
func (w *work) strengths(k int) []float64 {
	list := make([]float64, len(w.Strengths))
	for i, c := range w.Strengths {
		if list[i] = c; w.Factors != nil {
			list[i] = c * w.Factors[k]
		}
	}
	return list
}

// column trains kernel k at all strengths. What it had done when an error ended it is in c.
func (w *work) column(ctx context.Context, k int, c *column) error {
	w.dense.Lock()
	g, trainer, err := w.bind(ctx, k)
	var q *measured
	if err == nil {
		q, err = w.measured(ctx, g)
	}
	w.dense.Unlock()
	if err != nil {
		return err
	}
	p := w.Problem
	var warm *learn.Machine
	out := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	strengths := w.strengths(k)
	for step, strength := range strengths {
		f, err := trainer.Train(ctx, nil, w.theta(strength), warm)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil { // its limit was the context
			return err
		}
		warm = f
		c.trained++
		if f.Certificate.Limited != "" {
			c.limited++
			break
		}
		f = f.Sparse()
		if f.Fitted != nil {
			out.Copy(f.Fitted)
		} else if err := f.Evaluate(ctx, out, g, p.Labelled); err != nil {
			return err
		}
		t := Trained{Kernel: k, Step: step, Strength: strength, Machine: f, Risk: risk(p, out), Errors: wrong(p, out)}
		list, err := q.of(&t)
		if err != nil {
			return err
		}
		t.Free = w.unbounded(f, strength)
		c.machines, c.complexity = append(c.machines, t), append(c.complexity, list)
		if c.ended = t.Free; c.ended {
			break
		}
	}
	if w.folds != nil {
		c.wrong, c.folded, err = w.leftOut(ctx, g, trainer, w.folds, strengths)
	}
	return err
}

// measured is a kernel whose machines are measured.
type measured struct {
	*work
	g         *mat.Dense            // of the distinct rows
	reference *complexity.Reference // nil if no measure needs it
	alpha     []float64
}

func (w *work) measured(ctx context.Context, g kernel.Gram) (*measured, error) {
	n := len(w.first)
	q := &measured{work: w, alpha: make([]float64, n)}
	if len(w.measures) == 0 {
		return q, nil
	}
	h, whole := g.(*held)
	if whole = whole && n == len(w.number); whole {
		q.g = h.block
	} else {
		q.g = mat.NewDense(n, n, nil)
		rows := w.Problem.Subset(w.first)
		if err := kernel.Fill(ctx, q.g, g, rows, rows); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(w.measures, QRef) {
		return q, nil
	}
	block := q.g // overwritten
	if whole || len(w.measures) > 1 {
		block = mat.DenseCopyOf(block)
	}
	var err error
	q.reference, err = complexity.NewReference(block, nil, w.Floor)
	return q, err
}

// of are the complexities of a machine by the measures, summed over outputs; it adds the ranks. Coefficients
// of equal rows are summed: these would make the matrix singular.
func (q *measured) of(t *Trained) ([]float64, error) {
	list := make([]float64, len(q.measures))
	f := t.Machine
	for c := range q.Problem.Outputs() {
		clear(q.alpha)
		for i, row := range f.Rows {
			q.alpha[q.number[q.place[row]]] += f.Coef.At(i, c)
		}
		for i, m := range q.measures {
			switch m {
			case QNorm:
				list[i] += complexity.Normalised(q.g, q.alpha)
			case QRKHS:
				list[i] += complexity.RKHS(q.g, q.alpha)
			case QRefSV:
				v, err := q.ofSupport(t)
				if err != nil {
					return nil, err
				}
				list[i] += v
			default:
				t.ranked(q.reference)
				list[i] += q.reference.Of(q.alpha)
			}
		}
	}
	return list, nil
}

// ofSupport is Q_ref over the rows with a coefficient.
func (q *measured) ofSupport(t *Trained) (float64, error) {
	var rows []int
	var alpha []float64
	for i, a := range q.alpha {
		if a != 0 {
			rows, alpha = append(rows, i), append(alpha, a)
		}
	}
	if len(rows) == 0 {
		return 0, nil
	}
	g := mat.NewDense(len(rows), len(rows), nil)
	for a, i := range rows {
		from, to := q.g.RawRowView(i), g.RawRowView(a)
		for b, j := range rows {
			to[b] = from[j]
		}
	}
	q.dense.Lock()
	r, err := complexity.NewReference(g, nil, q.Floor)
	q.dense.Unlock()
	if err != nil {
		return 0, err
	}
	t.ranked(r)
	return r.Of(alpha), nil
}

// ranked takes the rank of a decomposition, if it lacks more than the one before.
func (t *Trained) ranked(r *complexity.Reference) {
	if n := len(r.Weight); t.Order == 0 || n-r.Rank > t.Order-t.Rank {
		t.Rank, t.Order = r.Rank, n
	}
}

// unbounded says whether no coefficient is at the bound C, and some are not zero.
func (w *work) unbounded(f *learn.Machine, bound float64) bool {
	place, weight := w.place, w.Problem.Weight
	if len(f.Rows) == 0 || f.Coef == nil {
		return false
	}
	some := false
	for i, row := range f.Rows {
		own := bound
		if weight != nil {
			own *= weight[place[row]]
		}
		for _, v := range f.Coef.RawRowView(i) {
			if some = some || v != 0; math.Abs(v) >= own*(1-1e-9) {
				return false
			}
		}
	}
	return some
}

// risk is the mean hinge loss of the outputs.
func risk(p *learn.Problem, out *mat.Dense) float64 {
	var sum float64
	count := 0
	hinge := learn.Hinge()
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
