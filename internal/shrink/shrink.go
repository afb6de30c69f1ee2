// Package shrink makes of a model a smaller one that answers nearly alike.
//
// Change here how a function is approximated. What a basis is, and how it is chosen, is package basis.
package shrink

// Problem   f(x) = sum_j k(x, z_j) a_j + b of m centres, and a function of N << m centres near it where rows are.
// Method    least squares on rows x_1..x_n: centres are chosen among them by greedy matching pursuit (basis.Greedy), for all outputs
//           together, and their coefficients are the solution
//             min over beta of sum_i w_i |f(x_i) - b - sum_j k(x_i, x_j) beta_j|^2 + gamma ||.||^2
//           Offsets and linear functions stay. A sum of expansions in several kernels is approximated in all of these kernels together.
// Weights   w_i of a classifier: 1/(s^2 + t_i^2), with t_i the least margin of a decision, |f| of one output, and s the median of |f|,
//           so that a row on the border counts for more than one that no small change decides otherwise; 1 of a regression. The mean
//           would be that of a few labelled rows where a narrow kernel under a strong graph puts all of its weight on them.
// Cost      50 candidates a step: 50 n N kernel values, n N^2 flops for the functions chosen; memory n N numbers. At most
//           Rows rows take part; the change is measured on all.
// Source    ours, of Sindhwani 2007, section 5.1; reduced sets: Burges, ICML 1996.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Options are what a smaller model depends on beside its number of centres.
type Options struct {
	Candidates int // that each step looks at; 0: 50
	Rows       int // that functions are compared on, drawn where there are more; 0: 40 000
	Seed       uint64
}

const (
	defaultCandidates = 50
	defaultRows       = 40000
	// gammaShare times the number of rows is the ridge: below the rounding of outputs, above that of kernel values.
	gammaShare = 1e-9
)

// completed has the defaults.
func (o Options) completed() Options {
	if o.Candidates == 0 {
		o.Candidates = defaultCandidates
	}
	if o.Rows == 0 {
		o.Rows = defaultRows
	}
	return o
}

// drawn are the numbers of the rows, among n, that take part, ascending.
func (o Options) drawn(n int) []int {
	at := indices.To(n)
	if n > o.Rows {
		at = rand.New(rand.NewPCG(o.Seed, 0x5b1)).Perm(n)[:o.Rows]
		slices.Sort(at)
	}
	return at
}

// Model returns the model with at most size centres and what changed on the rows, which are as read, unscaled. A model
// without centres, or with no more than size, is an error.
func Model(ctx context.Context, m *model.Model, rows data.Rows, size int, o Options) (*model.Model, *result.Shrunk, error) {
	before := Centres(m)
	if err := Possible(m, size); err != nil {
		return nil, nil, err
	}
	o = o.completed()
	old, err := m.Predict(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	some := rows
	at := o.drawn(rows.Len())
	if len(at) < rows.Len() {
		some = rows.Select(at)
	}
	weight := weights(m, old, at)
	small := *m
	small.Front, small.Parts = nil, slices.Clone(m.Parts)
	small.Forget()
	x := m.Scaling.Apply(some)
	left := size
	for i := range small.Parts {
		// Parts share by their centres what is left, a part at least one.
		own := centres(m.Parts[i])
		rest, later := 0, 0
		for k, p := range m.Parts[i:] {
			rest += centres(p)
			if k > 0 && centres(p) > 0 {
				later++ // each of them has one at least
			}
		}
		if own == 0 {
			continue
		}
		share := max(1, min(left*own/rest, left-later))
		if small.Parts[i], err = part(ctx, m, m.Parts[i], sample{x, weight}, share, o); err != nil {
			return nil, nil, err
		}
		left -= centres(small.Parts[i])
	}
	now, err := small.Predict(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	return &small, compare(m, old, now, before, Centres(&small)), nil
}

// Possible is an error that says why there is no model of at most size centres in the place of m; nil where there is one.
func Possible(m *model.Model, size int) error {
	centres := Centres(m)
	for _, p := range m.Parts {
		for _, f := range p.Functions {
			if _, ok := f.(model.Mean); ok {
				return errors.New("the model is a weighted mean of its rows and no sum over centres; fit --method rls --basis N instead")
			}
		}
	}
	switch {
	case centres == 0:
		return errors.New("the model is linear and has no centres, so it cannot be smaller; use it as it is")
	case size < 1:
		return fmt.Errorf("a basis of %d; ask for at least 1", size)
	case size < len(m.Parts):
		return fmt.Errorf("a basis of %d for %d parts; ask for at least one centre a part", size, len(m.Parts))
	case size >= centres:
		return fmt.Errorf("the model has %d centres already; ask for a basis of fewer", centres)
	}
	return nil
}

// Centres is the number of centres of a model, counted in each of its kernels.
func Centres(m *model.Model) int {
	n := 0
	for _, p := range m.Parts {
		n += centres(p)
	}
	return n
}

func centres(p model.Part) int {
	n := 0
	for _, f := range p.Functions {
		if e, ok := f.(model.Expansion); ok {
			units, _ := e.Coef.Dims()
			n += units
		}
	}
	return n
}

// sample are scaled rows that a part is approximated on, each with its weight.
type sample struct {
	x      data.Rows
	weight []float64
}

// part approximates one part on a sample, by functions of so many centres.
func part(ctx context.Context, m *model.Model, p model.Part, on sample, size int, o Options) (model.Part, error) {
	if p.Columns != nil {
		x := on.x.SelectColumns(p.Columns)
		var have []int
		for i := range x.Len() {
			if !x.Lacks(i) {
				have = append(have, i)
			}
		}
		on = sample{x.Select(have), indices.Of(on.weight, have)}
	}
	var expansions []model.Function
	var kept []model.Function
	var kernels []kernel.Kernel
	for _, f := range p.Functions {
		e, ok := f.(model.Expansion)
		if !ok {
			kept = append(kept, f)
			continue
		}
		expansions, kernels = append(expansions, f), append(kernels, e.Kernel)
	}
	if size >= centres(p) {
		return p, nil
	}
	if on.x.Len() == 0 {
		return p, fmt.Errorf("no row has view %s; give rows that have it", p.View)
	}
	target, err := values(ctx, m, expansions, on.x)
	if err != nil {
		return p, err
	}
	e, err := approximate(ctx, kernels, on, target, size, o)
	if err != nil {
		return p, err
	}
	p.Functions = kept
	for _, f := range e {
		p.Functions = append(p.Functions, f)
	}
	return p, nil
}

// approximate returns expansions in the kernels, of so many functions in all, near the target on a sample.
func approximate(
	ctx context.Context, kernels []kernel.Kernel, on sample, target *mat.Dense, size int, o Options,
) ([]model.Expansion, error) {
	grams := make([]kernel.Gram, len(kernels))
	for i, k := range kernels {
		var err error
		if grams[i], err = k.Bind(ctx, on.x, nil); err != nil {
			return nil, err
		}
	}
	sum := 0.0
	for _, w := range on.weight {
		sum += w
	}
	g := basis.Greedy{Candidates: o.Candidates, Seed: o.Seed}
	p := basis.Targets(grams[0], target, on.weight, gammaShare*sum)
	if len(grams) > 1 {
		g.Scales, g.Plain = grams, p.GammaA
	}
	path, err := g.Choose(ctx, p, size)
	if err != nil {
		return nil, err
	}
	if len(path.Centres) == 0 {
		return nil, nil
	}
	beta := path.Beta(len(path.Centres))
	_, c := beta.Dims()
	var out []model.Expansion
	for i, k := range kernels {
		var rows, of []int
		for d, j := range path.Centres {
			if path.Scales == nil || path.Scales[d] == i {
				rows, of = append(rows, j), append(of, d)
			}
		}
		if rows == nil {
			continue
		}
		coef := mat.NewDense(len(of), c, nil)
		for q, d := range of {
			coef.SetRow(q, beta.RawRowView(d))
		}
		out = append(out, model.Expansion{Kernel: k, Centres: on.x.Select(rows), Coef: coef})
	}
	return out, nil
}

// values are those of the functions on scaled rows.
func values(ctx context.Context, m *model.Model, f []model.Function, x data.Rows) (*mat.Dense, error) {
	one := *m
	one.Scaling, one.Columns, one.Parts = data.Scaling{Kind: data.ScaleNone}, x.Dim(), []model.Part{{Functions: f}}
	return one.Predict(ctx, x)
}

// weights are w of the listed rows.
func weights(m *model.Model, out *mat.Dense, at []int) []float64 {
	w := make([]float64, len(at))
	size := middle(out) // s
	for q, i := range at {
		w[q] = 1
		if m.Task == data.Classification && size > 0 {
			t := margin(out.RawRowView(i), m.Pairs)
			w[q] = size * size / (size*size + t*t)
		}
	}
	return w
}

// middle is the median of the absolute outputs, or their mean where that is zero.
func middle(out *mat.Dense) float64 {
	var all []float64
	n, _ := out.Dims()
	for i := range n {
		for _, v := range out.RawRowView(i) {
			all = append(all, math.Abs(v))
		}
	}
	slices.Sort(all)
	if v := all[len(all)/2]; v > 0 {
		return v
	}
	return floats.Sum(all) / float64(len(all))
}

// margin is the least change of outputs that decides a row otherwise, or near it.
func margin(out []float64, pairs bool) float64 {
	if len(out) == 1 {
		return math.Abs(out[0])
	}
	if pairs { // each output is a decision
		least := math.Inf(1)
		for _, v := range out {
			least = min(least, math.Abs(v))
		}
		return least
	}
	first, second := math.Inf(-1), math.Inf(-1)
	for _, v := range out {
		if v > first {
			first, second = v, first
		} else {
			second = max(second, v)
		}
	}
	return (first - second) / 2
}

// compare measures the change.
func compare(m *model.Model, old, now *mat.Dense, before, after int) *result.Shrunk {
	n, c := old.Dims()
	d := &result.Shrunk{Before: before, After: after, Rows: n}
	for i := range n {
		to := now.RawRowView(i)
		for q, v := range old.RawRowView(i) {
			by := math.Abs(to[q] - v)
			d.Largest = max(d.Largest, by)
			d.Mean += by / float64(n*c)
			d.Size += math.Abs(v) / float64(n*c)
		}
	}
	if m.Task == data.Classification {
		changed := 0
		was, is := m.Decide(old), m.Decide(now)
		for i := range was {
			if was[i] != is[i] {
				changed++
			}
		}
		d.Decisions = &changed
	}
	return d
}
