package design

// Problem  a machine of least squares whose kernel is learned from labels, as a width for each column, with honest left-out outputs.
// Method   two halves of the labelled rows each learn a kernel (package relevance), and a ridge, from at most so many of their rows. The
//          machine learns from all rows with the mean of both. Up to Exact rows the left-out output of a row is that of a machine
//          whose kernel was learned without it: a label that has made the kernel would be found again by leave-one-out. Of more rows
//          the machine has landmarks, and only rows that taught no kernel are left out. Of rows in order the last are, which teach none.
// Cost     two searches; n^3 flops a half and n^3/3, or with m landmarks 2 n m^2 and m^3/3 a fold and ridge.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/rounding"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
)

// Halves makes such a machine.
type Halves struct {
	Learner Learner
	Rows    int       // of a half that teach, at most
	Exact   int       // labelled rows up to which all are centres
	Marks   Landmarks // the centres of more
	Seed    uint64
	// Held, if not nil, are the rows that judge, by their numbers among the labelled, ascending: the last of rows in order. They teach no
	// kernel.
	Held []int
}

// Learner finds a kernel from labels: that of one half of the rows, with what it may take of the other, and the mean of several.
type Learner interface {
	Learn(ctx context.Context, own, other *learn.Problem) (relevance.Learned, error)
	Mean(learned []relevance.Learned) (relevance.Learned, error)
}

var (
	_ choose.Maker = Halves{}
	_ Learner      = relevance.Widths{}
	_ Learner      = relevance.Metric{}
)

// Make implements choose.Maker.
func (h Halves) Make(ctx context.Context, s *score.LeaveOut) (*choose.Machine, error) {
	p := s.Problem
	teachers := h.draw(p)
	learned := make([]relevance.Learned, len(teachers))
	for q, rows := range teachers {
		var err error
		other := teachers[len(teachers)-1-q]
		if learned[q], err = h.Learner.Learn(ctx, p.Only(rows), p.Only(other)); err != nil {
			return nil, err
		}
	}
	both, err := h.Learner.Mean(learned)
	if err != nil {
		return nil, err
	}
	var m *choose.Machine
	switch {
	case h.few(p) && h.Held != nil:
		m, err = h.forward(ctx, s, both)
	case h.few(p):
		m, err = h.exact(ctx, s, teachers, learned, both)
	default:
		m, err = h.onLandmarks(ctx, s, both)
	}
	if err != nil {
		return nil, err
	}
	m.Score = s.Criterion.Eval(p, s.Judged(), m.LeftOut, nil)
	return m, nil
}

// few says whether all labelled rows are centres.
func (h Halves) few(p *learn.Problem) bool { return len(p.Labelled) <= h.Exact }

// Folds are those that machines on landmarks are judged by: of the rows, by their numbers among the labelled, that teach no width. They are
// nil where all rows are centres. Rows that are held out are one fold.
func (h Halves) Folds(p *learn.Problem) [][]int {
	if h.Held != nil {
		return [][]int{h.Held}
	}
	if h.few(p) {
		return nil
	}
	judged := h.judged(p)
	folds := DealFolds(p, h.Seed, LandmarkFolds)
	for f, rows := range folds {
		folds[f] = slices.DeleteFunc(rows, func(i int) bool { return !judged[i] })
	}
	return slices.DeleteFunc(folds, func(rows []int) bool { return len(rows) == 0 })
}

// judged says of each labelled row whether it is left out: it taught no width, and belongs to an equal share of its class. Classes teach
// with unequal shares, so that all other rows together would promise too little error where a class is rare.
func (h Halves) judged(p *learn.Problem) []bool {
	judged := make([]bool, len(p.Labelled))
	for i := range judged {
		judged[i] = true
	}
	for _, rows := range h.draw(p) {
		for _, i := range rows {
			judged[i] = false
		}
	}
	if p.Class == nil || p.Group != nil { // whole groups are drawn whatever their classes
		return judged
	}
	share, left, all := 1.0, make([]int, len(p.Classes)), make([]int, len(p.Classes))
	for i, c := range p.Class {
		all[c]++
		if judged[i] {
			left[c]++
		}
	}
	for c, n := range all {
		if n > 0 {
			share = min(share, float64(left[c])/float64(n))
		}
	}
	for _, i := range rand.New(rand.NewPCG(h.Seed, 0x6a75)).Perm(len(judged)) {
		if c := p.Class[i]; judged[i] && float64(left[c]-1) >= share*float64(all[c]) {
			judged[i] = false
			left[c]--
		}
	}
	return judged
}

// draw are the rows of each half that teach, by their numbers among the labelled, ascending. Where they are a part of the half, classes
// take part by the roots of their sizes, so that a rare class is heard, and with half of their rows at most, since others are left out.
func (h Halves) draw(p *learn.Problem) [][]int {
	halves, most := parts(p, h.Seed, 2, 2), h.Rows
	for q, rows := range halves {
		halves[q] = slices.DeleteFunc(rows, func(i int) bool { return among(h.Held, i) })
	}
	if h.spares(p) {
		most = min(most, len(p.Labelled)/4)
	}
	rng := rand.New(rand.NewPCG(h.Seed, 0x7263))
	for q, rows := range halves {
		if len(rows) > most {
			halves[q] = h.some(p, rows, most, rng)
		}
	}
	return halves
}

// spares says whether some rows may not teach, since they are to be left out.
func (h Halves) spares(p *learn.Problem) bool { return !h.few(p) && h.Held == nil }

// some are so many of the rows, where rows have groups whole ones.
func (h Halves) some(p *learn.Problem, rows []int, most int, rng *rand.Rand) []int {
	if p.Group != nil {
		return someGroups(p, rows, most, rng)
	}
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
		gives := len(list)
		if h.spares(p) {
			gives = (gives + 1) / 2
		}
		n := min(gives, int(math.Round(float64(most-len(taken))*w/weights)))
		taken = append(taken, list[:n]...)
		weights -= w
	}
	slices.Sort(taken)
	return taken
}

// someGroups are the rows of groups, one after the other as they are drawn, as long as they are no more than so many; one group at least.
// A row of no group is one.
func someGroups(p *learn.Problem, rows []int, most int, rng *rand.Rand) (taken []int) {
	var groups [][]int
	at := map[string]int{}
	for _, i := range rows {
		name := p.Group[i]
		g, known := at[name]
		if !known || name == "" {
			g = len(groups)
			at[name], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	for _, g := range rng.Perm(len(groups)) {
		if len(taken) > 0 && len(taken)+len(groups[g]) > most {
			break
		}
		taken = append(taken, groups[g]...)
	}
	slices.Sort(taken)
	return taken
}

// exact is the machine of both halves with all rows for centres, and the left-out outputs of rows by the half that they did not teach.
func (h Halves) exact(
	ctx context.Context,
	s *score.LeaveOut,
	teachers [][]int,
	learned []relevance.Learned,
	both relevance.Learned,
) (*choose.Machine, error) {
	p := s.Problem
	l := len(p.Labelled)
	leftOut := mat.NewDense(l, p.Outputs(), nil)
	without := make([]float64, l) // machines whose widths were learned without the row
	for q, one := range learned {
		_, f, err := h.solve(ctx, p, one)
		if err != nil {
			return nil, err
		}
		out, err := f.LeaveOut(ctx, s.Folds)
		if err != nil {
			return nil, err
		}
		for i := range l {
			if among(teachers[q], i) && len(learned) > 1 {
				continue
			}
			without[i]++
			floats.Add(leftOut.RawRowView(i), out.RawRowView(i))
		}
	}
	for i, n := range without {
		floats.Scale(1/n, leftOut.RawRowView(i))
	}
	g, f, err := h.solve(ctx, p, both)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: both.Kernel, LeftOut: leftOut}
	return m, fitted(ctx, m, p, g, f)
}

// forward is the machine of both halves with all rows for centres, and the outputs of the rows held out by the one of those before them.
func (h Halves) forward(ctx context.Context, s *score.LeaveOut, both relevance.Learned) (*choose.Machine, error) {
	g, f, err := h.solve(ctx, s.Problem, both)
	if err != nil {
		return nil, err
	}
	m := &choose.Machine{Kernel: both.Kernel}
	if m.LeftOut, err = f.LeaveOut(ctx, [][]int{h.Held}); err != nil {
		return nil, err
	}
	if k, ranked := rankedAmong(both.Kernel, s.Problem.Rows); ranked {
		m.Kernel, both.Kernel = k, k
		if g, f, err = h.solve(ctx, s.Problem, both); err != nil {
			return nil, err
		}
	}
	return m, fitted(ctx, m, s.Problem, g, f)
}

// rankedAmong is a kernel of ranks, which judges as one of the rows before, with ranks among all rows, and whether it is one.
func rankedAmong(k kernel.Kernel, rows data.Rows) (kernel.Kernel, bool) {
	r, ok := k.(kernel.ANOVA)
	if !ok {
		return k, false
	}
	r.Knots = nil
	return r.Adapt(rows), true
}

// among says whether an ascending list has a number.
func among(list []int, i int) bool {
	_, is := slices.BinarySearch(list, i)
	return is
}

// solve is least squares on all labelled rows.
func (h Halves) solve(ctx context.Context, p *learn.Problem, with relevance.Learned) (kernel.Gram, *rls.Fit, error) {
	g, err := with.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	l := len(p.Labelled)
	k := mat.NewDense(l, l, nil)
	if err := kernel.Fill(ctx, k, g, p.Labelled, p.Labelled); err != nil {
		return nil, nil, err
	}
	f, err := rls.Solve(ctx, k, p.Y, p.Weight, true, with.Lambda)
	return g, f, err
}

// onLandmarks is the machine on centres that are some of the rows, judged by folds. Landmarks are drawn alike for all machines, which then
// share them.
func (h Halves) onLandmarks(ctx context.Context, s *score.LeaveOut, learned relevance.Learned) (*choose.Machine, error) {
	all := s.Problem
	p := all.Only(indices.To(len(all.Labelled)))
	folds := s.Folds
	if folds == nil {
		folds = h.Folds(p)
	}
	if len(folds) == 0 { // both halves teach with whole groups
		return nil, errors.New("the labelled rows are of so few groups that all of them teach widths, and none can be left out; choose one " +
			"method, as --method rls, or label rows of more groups")
	}
	lambda := learned.Lambda * slices.Min(ridgeFactors())
	g, f, err := h.sums(ctx, p, learned.Kernel, folds, lambda)
	if err != nil {
		return nil, err
	}
	m, least := &choose.Machine{Kernel: learned.Kernel}, math.Inf(1)
	for _, by := range ridgeFactors() {
		out, err := f.LeaveOut(ctx, []float64{by * learned.Lambda})
		if err != nil {
			return nil, err
		}
		if v := (score.Press{}).Eval(p, score.Judged(folds), out[0], nil); rounding.Below(v, least) {
			least, m.Lambda, m.LeftOut = v, by*learned.Lambda, out[0]
		}
	}
	if m.LeftOut == nil {
		return nil, errNoLambda
	}
	if k, ranked := rankedAmong(learned.Kernel, p.Rows); ranked && h.Held != nil {
		m.Kernel = k
		if g, f, err = h.sums(ctx, p, k, nil, m.Lambda); err != nil {
			return nil, err
		}
	}
	return m, onLandmarks(ctx, m, f, g)
}

// sums are those of a kernel over landmarks of the rows, for lambdas from least on.
func (h Halves) sums(
	ctx context.Context,
	p *learn.Problem,
	k kernel.Kernel,
	folds [][]int,
	least float64,
) (kernel.Gram, *landmark.Folds, error) {
	marks := kernel.Landmarks{Count: h.Marks.Of(len(p.Labelled)), Seed: h.Seed, Choice: kernel.Uniform}
	z, err := marks.Take(ctx, k, p.Rows)
	if err != nil {
		return nil, nil, err
	}
	g, err := k.Bind(ctx, z, nil)
	if err != nil {
		return nil, nil, err
	}
	products, err := kernel.NewProducts(g, p.Rows)
	if err != nil {
		return nil, nil, err
	}
	f, err := landmark.NewFolds(ctx, products, p.Y, p.Weight, folds, landmark.Options{Offset: true, Least: least})
	return g, f, err
}

// LandmarkFolds are the folds that machines on landmarks are judged by where the score has none.
const LandmarkFolds = 5

// ridgeFactors are those of the ridge that was learned, from large to small.
func ridgeFactors() []float64 { return []float64{4, 1, 0.25} }
