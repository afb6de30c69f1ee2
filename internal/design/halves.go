package design

// Problem  a machine of least squares whose kernel has a width for each column, learned from labels, with honest left-out outputs.
// Method   two halves of the labelled rows each learn widths (package relevance), and a ridge, from at most so many of their rows. The
//          machine is the mean of two that learned from all rows with the widths of one half each. The left-out output of a row is that
//          of the machine whose widths were learned without it: a label that has made the widths would be found again by leave-one-out.
// Cost     two searches; n^3 flops a half, or with m landmarks 2 n m^2 and m^3/3 a fold and ridge.

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
)

// Halves makes such a machine.
type Halves struct {
	Start kernel.Kernel // the widths to begin with
	Rows  int           // of a half that teach widths, at most
	Exact int           // labelled rows up to which all are centres
	Marks Landmarks     // the centres of more
	Steps int           // evaluations of a search, at most
	Seed  uint64
}

var _ choose.Maker = Halves{}

// Make implements choose.Maker.
func (h Halves) Make(ctx context.Context, s *score.LeaveOut) (*choose.Machine, error) {
	p := s.Problem
	l, c := len(p.Labelled), p.Outputs()
	out := &choose.Machine{LeftOut: mat.NewDense(l, c, nil)}
	teachers := h.draw(p)
	without := make([]float64, l) // machines whose widths were learned without the row
	var mean []float64            // of the logarithms of the kernels' parameters
	for q, rows := range teachers {
		learned, err := relevance.Learn(ctx, h.Start, p.Only(rows), relevance.Options{Steps: h.Steps})
		if err != nil {
			return nil, err
		}
		m, err := h.half(ctx, s, learned)
		if err != nil {
			return nil, err
		}
		other := teachers[1-q]
		for i := range l {
			if _, taught := slices.BinarySearch(rows, i); taught && len(other) > 0 {
				continue
			}
			without[i]++
			to, from := out.LeftOut.RawRowView(i), m.LeftOut.RawRowView(i)
			for j, v := range from {
				to[j] += v
			}
		}
		join(out, m)
		for i, d := range learned.Kernel.Space() {
			if q == 0 {
				mean = append(mean, 0)
			}
			mean[i] += math.Log(d.Default) / 2
		}
	}
	for i, n := range without {
		row := out.LeftOut.RawRowView(i)
		for j := range row {
			row[j] /= n
		}
	}
	for i, v := range mean {
		mean[i] = math.Exp(v)
	}
	var err error
	if out.Kernel, err = h.Start.With(mean); err != nil {
		return nil, err
	}
	out.Score = s.Criterion.Eval(p, s.Judged(), out.LeftOut, nil)
	return out, nil
}

// draw are the rows of each half that teach, by their numbers among the labelled, ascending. Where they are a part of the half, classes
// take part by the roots of their sizes: a rare class has little to say of widths that the others have learned.
func (h Halves) draw(p *learn.Problem) [][]int {
	halves := parts(p, h.Seed, 2, 2)
	rng := rand.New(rand.NewPCG(h.Seed, 0x7263))
	for q, rows := range halves {
		if len(rows) > h.Rows {
			halves[q] = h.some(p, rows, rng)
		}
	}
	return halves
}

// some are h.Rows of the rows.
func (h Halves) some(p *learn.Problem, rows []int, rng *rand.Rand) []int {
	byClass := make([][]int, max(len(p.Classes), 1))
	for _, at := range rng.Perm(len(rows)) {
		i, class := rows[at], 0
		if p.Class != nil {
			class = p.Class[i]
		}
		byClass[class] = append(byClass[class], i)
	}
	slices.SortStableFunc(byClass, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	var weights float64
	for _, list := range byClass {
		weights += math.Sqrt(float64(len(list)))
	}
	var taken []int
	for _, list := range byClass { // the smallest first: what it cannot give the others do
		w := math.Sqrt(float64(len(list)))
		if w == 0 {
			continue
		}
		n := min(len(list), int(math.Round(float64(h.Rows-len(taken))*w/weights)))
		taken = append(taken, list[:n]...)
		weights -= w
	}
	slices.Sort(taken)
	return taken
}

// half is the machine of all labelled rows with the widths and the ridge of one half.
func (h Halves) half(ctx context.Context, s *score.LeaveOut, learned relevance.Learned) (*choose.Machine, error) {
	p := s.Problem
	if len(p.Labelled) > h.Exact {
		return h.onLandmarks(ctx, s, learned)
	}
	g, err := learned.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, err
	}
	l := len(p.Labelled)
	k := mat.NewDense(l, l, nil)
	if err := kernel.Fill(ctx, k, g, p.Labelled, p.Labelled); err != nil {
		return nil, err
	}
	f, err := rls.Solve(ctx, k, p.Y, p.Weight, true, learned.Lambda)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: learned.Kernel}
	if m.LeftOut, err = f.LeaveOut(ctx, s.Folds); err != nil {
		return nil, err
	}
	return m, fitted(ctx, m, p, g, f)
}

// onLandmarks is half on centres that are some of the rows, judged by folds. Landmarks are drawn alike for all machines, which then share
// them.
func (h Halves) onLandmarks(ctx context.Context, s *score.LeaveOut, learned relevance.Learned) (*choose.Machine, error) {
	all := s.Problem
	p := all.Only(numbers(len(all.Labelled)))
	folds := s.Folds
	if folds == nil {
		folds = DealFolds(p, h.Seed, LandmarkFolds)
	}
	marks := kernel.Landmarks{Count: h.Marks.Of(len(p.Labelled)), Seed: h.Seed, Choice: kernel.Uniform}
	z, err := marks.Take(ctx, learned.Kernel, p.Rows)
	if err != nil {
		return nil, err
	}
	g, err := learned.Kernel.Bind(ctx, z, nil)
	if err != nil {
		return nil, err
	}
	products, err := kernel.NewProducts(g, p.Rows)
	if err != nil {
		return nil, err
	}
	f, err := landmark.NewFolds(ctx, products, p.Y, p.Weight, folds, landmark.Options{Offset: true})
	if err != nil {
		return nil, err
	}
	m, least := &choose.Machine{Kernel: learned.Kernel}, math.Inf(1)
	for _, by := range ridgeFactors() {
		out, err := f.LeaveOut(ctx, []float64{by * learned.Lambda})
		if err != nil {
			return nil, err
		}
		if v := (score.Press{}).Eval(p, score.Judged(folds), out[0], nil); v < least {
			least, m.Lambda, m.LeftOut = v, by*learned.Lambda, out[0]
		}
	}
	if m.LeftOut == nil {
		return nil, errNoLambda
	}
	return m, onLandmarks(ctx, m, f, g)
}

// LandmarkFolds are the folds that machines on landmarks are judged by where the score has none.
const LandmarkFolds = 5

// ridgeFactors are those of the ridge that was learned, from large to small.
func ridgeFactors() []float64 { return []float64{4, 1, 0.25} }

// numbers are those from 0 to n-1.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// join adds half of a machine to the mean of two.
func join(mean, m *choose.Machine) {
	for _, e := range m.Expansions {
		e.Coef.Scale(0.5, e.Coef)
		mean.Expansions = append(mean.Expansions, e)
	}
	if m.Outputs != nil {
		if mean.Outputs == nil {
			n, c := m.Outputs.Dims()
			mean.Outputs = mat.NewDense(n, c, nil)
		}
		for i, v := range m.Outputs.RawMatrix().Data {
			mean.Outputs.RawMatrix().Data[i] += v / 2
		}
	}
	if mean.B == nil {
		mean.B = make([]float64, len(m.B))
	}
	for j, v := range m.B {
		mean.B[j] += v / 2
	}
	if mean.Lambda == 0 {
		mean.Lambda = m.Lambda
	} else {
		mean.Lambda = math.Sqrt(mean.Lambda * m.Lambda)
	}
	c := &mean.Certificate
	c.Objective += m.Certificate.Objective / 2
	c.Residual = max(c.Residual, m.Certificate.Residual)
}
