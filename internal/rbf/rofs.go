package rbf

// Problem   the baseline: units chosen one by one, ridge lambda on the orthogonalised
//           columns, by generalised cross-validation or Orr's BIC.
// Method    With candidates centred and orthogonalised against the chosen ones, h~:
//             gain = (y'h~)^2/(lambda + h~'h~), the greatest is chosen;
//           with a_j = h~_j'h~_j, z_j = h~_j'y of the chosen,
//             gamma   = sum a_j/(lambda + a_j)
//             y'P^2 y = y'y - sum (2 lambda + a_j) z_j^2/(lambda + a_j)^2
//             GCV = N y'P^2 y/(N-gamma)^2,  BIC = (N + (ln N - 1) gamma)/(N (N-gamma)) y'P^2 y.
//           Goes on while the least value is at most Ahead steps back. The best over widths and lambdas is
//           returned, its weights by back-substitution.
// Guard     Where lambda is tiny and units are narrow both criteria fall to 0 as gamma goes to
//           N: they would choose networks of N-2 units, which interpolate. A unit that is
//           the best of M candidates costs more than the one degree of freedom of its weight:
//           gamma counts Cost more for each, 2 by default, so that a unit costs three
//           (Friedman 1991, on model selection: between 2 and 4 beside the
//           weight for adaptive splines), and there are N/2 units at most. Cost -1 and
//           Units N-2 give the criteria of the source.
// Cost      a step: 4 N M; so 4 N M m for each width and lambda, whatever the number of
//           criteria. Memory: N M.
// Source    Orr, Neural Computation 7 (1995) and 1999; Kokshenev 2010, section 4.5.2;
//           Friedman, Annals of Statistics 19 (1991), for the guard.

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Criterion says when a forward selection has enough units.
type Criterion int

const (
	// GCV is generalised cross-validation.
	GCV Criterion = iota
	// BIC is Orr's Bayesian criterion.
	BIC
)

// ROFS is the recipe of regularised orthogonal forward selection.
type ROFS struct {
	Widths   Widths      `json:"widths"`
	Centres  Centres     `json:"centres"`
	Lambdas  []float64   `json:"lambdas,omitempty"`  // default 10^-8 .. 10^2, 11 values
	Criteria []Criterion `json:"criteria,omitempty"` // default GCV
	Ahead    int         `json:"ahead,omitempty"`    // default 5
	Units    int         `json:"units,omitempty"`    // at most; default N/2
	Cost     float64     `json:"cost,omitempty"`     // degrees of freedom that the choice of a unit costs; default 2, negative for none
	NoOffset bool        `json:"no_offset,omitempty"`
}

// cost is the cost of a unit beside its weight.
func (r ROFS) cost() float64 { return max(cmp.Or(r.Cost, 2), 0) }

// Selected is what one criterion chose.
type Selected struct {
	Criterion Criterion
	Fronts    []*Front  // of each output, of one element
	Score     []float64 // the criterion of each
	Assumed   string    // what it rests on
}

// Fit returns the networks of each criterion, in their order: all are read off the same selections.
// Where the context ends they are the best until then, Partial; it is an error only if an output has none.
func (r ROFS) Fit(ctx context.Context, rows data.Rows, y *mat.Dense) ([]Selected, error) {
	p, c, sigma, err := start(ctx, rows, y, r.Widths, r.Centres, r.NoOffset)
	if err != nil {
		return nil, err
	}
	if r.Lambdas == nil {
		for k := range 11 {
			r.Lambdas = append(r.Lambdas, math.Pow(10, -8+float64(k)))
		}
	}
	if r.Criteria == nil {
		r.Criteria = []Criterion{GCV}
	}
	bar, mean := p.columnsOf(y)
	out := make([]Selected, len(r.Criteria))
	for i := range out {
		s := &out[i]
		*s = Selected{
			Criterion: r.Criteria[i],
			Assumed:   fmt.Sprintf("degrees of freedom = trace of the smoother, and %g more a unit for having been chosen", r.cost()),
		}
		for range bar {
			s.Score = append(s.Score, math.Inf(1))
			s.Fronts = append(s.Fronts, &Front{Centres: c, Widths: sigma, Order: 2, NoOffset: r.NoOffset, Rows: p.n})
		}
	}
	for w := range sigma {
		d, err := p.newDictionary(ctx, sigma[w:w+1], 0, nil, true)
		if err != nil {
			return untilNow(ctx, out, err)
		}
		for k := range bar {
			for _, lambda := range r.Lambdas {
				if err := ctx.Err(); err != nil {
					return untilNow(ctx, out, err)
				}
				for i, s := range r.selectUnits(ctx, d.t, bar[k], lambda) {
					if s.score >= out[i].Score[k] {
						continue
					}
					out[i].Score[k] = s.score
					e := d.element(s.index, s.coef, mean[k], w)
					e.SSE, e.Lambda = s.sse, lambda
					e.Q = e.L1() / (sigma[w] * sigma[w])
					out[i].Fronts[k].Elements = []Element{e}
				}
			}
		}
	}
	if err := ctx.Err(); err != nil { // the last selection may be one of those that were cut short
		return untilNow(ctx, out, err)
	}
	return out, nil
}

// untilNow is what was selected when the context ended, if every output has something; else the
// error.
func untilNow(ctx context.Context, out []Selected, err error) ([]Selected, error) {
	for _, s := range out {
		for _, f := range s.Fronts {
			if ctx.Err() == nil || len(f.Elements) == 0 {
				return nil, err
			}
			f.Partial = true
		}
	}
	return out, nil
}

// selection is the best network that a criterion has met.
type selection struct {
	index      []int32
	coef       []float64
	score, sse float64
}

// selectUnits runs the selection for one lambda and returns the best by each criterion, each of which
// looks at one more unit while its best is at most Ahead units back. Where the context ends they are the best until then; one unit
// is always tried.
func (r ROFS) selectUnits(ctx context.Context, t *mat.Dense, y []float64, lambda float64) []selection {
	m, n := t.Dims()
	ahead, units := cmp.Or(r.Ahead, 5), min(cmp.Or(r.Units, n/2), n-2, m)
	f := newForward(t, y, lambda)
	best := make([]selection, len(r.Criteria))
	for i, c := range r.Criteria {
		best[i] = selection{score: r.score(c, f, n), sse: f.ypy}
	}
	for going := true; going && len(f.index) < units && f.step(); {
		going = false
		for i, c := range r.Criteria {
			b := &best[i]
			if len(f.index) > len(b.index)+ahead+1 {
				continue
			}
			if s := r.score(c, f, n); s < b.score {
				*b = selection{score: s, sse: max(f.ypy, 0), index: append([]int32(nil), f.index...)}
			}
			going = going || len(f.index) <= len(b.index)+ahead
		}
		going = going && ctx.Err() == nil
	}
	for i := range best {
		b := &best[i]
		b.coef = backSubstitute(t, f.orthogonal[:len(b.index)], b.index, f.weight)
		sortUnits(b.index, b.coef)
	}
	return best
}

// score is a criterion of the units chosen so far, for n rows.
func (r ROFS) score(c Criterion, f *forward, n int) float64 {
	size := float64(n)
	gamma := f.gamma + r.cost()*float64(len(f.index))
	switch ypy := max(f.ypy, 0); {
	case gamma >= size-1:
		return math.Inf(1)
	case c == BIC:
		return (size + (math.Log(size)-1)*gamma) / (size * (size - gamma)) * ypy
	default:
		return size * ypy / ((size - gamma) * (size - gamma))
	}
}

// forward is a selection under way.
type forward struct {
	y          []float64
	lambda     float64
	h          *mat.Dense // candidates as rows, orthogonal to those chosen
	norm       []float64  // their squares at the start: what is left must not be rounding
	done       []bool
	index      []int32
	weight     []float64 // of the orthogonal columns
	orthogonal [][]float64
	gamma, ypy float64
}

func newForward(t *mat.Dense, y []float64, lambda float64) *forward {
	m, _ := t.Dims()
	f := &forward{
		y:      y,
		lambda: lambda,
		h:      mat.DenseCopyOf(t),
		norm:   make([]float64, m),
		done:   make([]bool, m),
		ypy:    blas64.Dot(vec(y), vec(y)),
	}
	for j := range f.norm {
		f.norm[j] = blas64.Dot(vec(f.h.RawRowView(j)), vec(f.h.RawRowView(j)))
	}
	return f
}

// step chooses one more unit; it returns false if none is left.
func (f *forward) step() bool {
	pick, gain := -1, 0.0
	for j := range f.norm {
		row := f.h.RawRowView(j)
		a := blas64.Dot(vec(row), vec(row))
		if f.done[j] || a <= 1e-14*f.norm[j] {
			continue
		}
		z := blas64.Dot(vec(row), vec(f.y))
		if g := z * z / (f.lambda + a); g > gain {
			pick, gain = j, g
		}
	}
	if pick < 0 {
		return false
	}
	q := append([]float64(nil), f.h.RawRowView(pick)...)
	a, z := blas64.Dot(vec(q), vec(q)), blas64.Dot(vec(q), vec(f.y))
	f.done[pick] = true
	f.index, f.weight, f.orthogonal = append(f.index, int32(pick)), append(f.weight, z/(f.lambda+a)), append(f.orthogonal, q)
	f.gamma += a / (f.lambda + a)
	f.ypy -= (2*f.lambda + a) * z * z / ((f.lambda + a) * (f.lambda + a))
	for j := range f.norm {
		if row := f.h.RawRowView(j); !f.done[j] {
			blas64.Axpy(-blas64.Dot(vec(row), vec(q))/a, vec(q), vec(row))
		}
	}
	return true
}

// backSubstitute turns weights of the orthogonal columns q into weights of the chosen
// columns h: h_k = q_k + sum_{i<k} u_ik q_i, u_ik = h_k'q_i/q_i'q_i.
func backSubstitute(t *mat.Dense, q [][]float64, index []int32, weight []float64) []float64 {
	coef := append([]float64(nil), weight[:len(q)]...)
	for k := len(q) - 1; k >= 0; k-- {
		h := t.RawRowView(int(index[k]))
		for i := range k {
			coef[i] -= coef[k] * blas64.Dot(vec(h), vec(q[i])) / blas64.Dot(vec(q[i]), vec(q[i]))
		}
	}
	return coef
}

// sortUnits orders by index, insertion by insertion: a few dozen at most.
func sortUnits(index []int32, coef []float64) {
	for i := 1; i < len(index); i++ {
		for j := i; j > 0 && index[j] < index[j-1]; j-- {
			index[j], index[j-1], coef[j], coef[j-1] = index[j-1], index[j], coef[j-1], coef[j]
		}
	}
}

func vec(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
