package rbf

// Problem   the baseline: units chosen one by one, ridge lambda on the orthogonalised
//           columns, by generalised cross-validation or Orr's BIC.
// Method    With candidates centred and orthogonalised against the chosen ones, h~:
//             gain = (y'h~)^2/(lambda + h~'h~), the greatest is chosen;
//           with a_j = h~_j'h~_j, z_j = h~_j'y of the chosen,
//             gamma   = sum a_j/(lambda + a_j)
//             y'P^2 y = y'y - sum (2 lambda + a_j) z_j^2/(lambda + a_j)^2
//             GCV = N y'P^2 y/(N-gamma)^2,  BIC = (N + (ln N - 1) gamma)/(N (N-gamma)) y'P^2 y.
//           Stops Ahead steps after the least value. The best over widths and lambdas is
//           returned, its weights by back-substitution.
// Guard     Where lambda is tiny and units are narrow both criteria fall to 0 as gamma goes to
//           N: they would choose networks of N-2 units, which interpolate. A unit that is
//           the best of M candidates costs more than the one degree of freedom of its weight:
//           gamma counts Cost more for each, 2 by default, so that a unit costs three
//           (Friedman 1991, on model selection: between 2 and 4 beside the
//           weight for adaptive splines), and there are N/2 units at most. Cost -1 and
//           Units N-2 give the criteria of the source.
// Cost      a step: 4 N M; so 4 N M m for each width and lambda. Memory: N M.
// Source    Orr, Neural Computation 7 (1995) and 1999; Kokshenev 2010, section 4.5.2;
//           Friedman, Annals of Statistics 19 (1991), for the guard.

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ROFS is the recipe of regularised orthogonal forward selection.
type ROFS struct {
	Widths  Widths    `json:"widths"`
	Centres Centres   `json:"centres"`
	Lambdas []float64 `json:"lambdas,omitempty"` // default 10^-8 .. 10^2, 11 values
	BIC     bool      `json:"bic,omitempty"`     // instead of GCV
	Ahead   int       `json:"ahead,omitempty"`   // default 5
	Units   int       `json:"units,omitempty"`   // at most; default N/2
	Cost    float64   `json:"cost,omitempty"`    // degrees of freedom that the choice of a unit costs; default 2, negative for none
}

// Fit returns the chosen network of each output as a front of one element, and its
// criterion.
func (r ROFS) Fit(ctx context.Context, rows data.Rows, y *mat.Dense) ([]*Front, []float64, error) {
	p, c, sigma, err := start(ctx, rows, y, r.Widths, r.Centres)
	if err != nil {
		return nil, nil, err
	}
	lambdas := r.Lambdas
	if lambdas == nil {
		for k := range 11 {
			lambdas = append(lambdas, math.Pow(10, -8+float64(k)))
		}
	}
	bar, mean := columnsOf(y)
	fronts, score := make([]*Front, len(bar)), make([]float64, len(bar))
	for k := range bar {
		score[k] = math.Inf(1)
		fronts[k] = &Front{Centres: c, Widths: sigma, Order: 2, Rows: p.n}
	}
	for w := range sigma {
		d, err := p.newDictionary(ctx, sigma[w:w+1], 0, nil, true)
		if err != nil {
			return nil, nil, err
		}
		for k := range bar {
			for _, lambda := range lambdas {
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
				s := r.selectUnits(d.t, bar[k], lambda)
				if s.score >= score[k] {
					continue
				}
				score[k] = s.score
				e := d.element(s.index, s.coef, mean[k], w)
				e.SSE, e.Lambda = s.sse, lambda
				e.Q = e.L1() / (sigma[w] * sigma[w])
				fronts[k].Elements, fronts[k].MaxQ = []Element{e}, e.Q
			}
		}
	}
	return fronts, score, nil
}

type selection struct {
	index      []int32
	coef       []float64
	score, sse float64
}

// selectUnits runs the selection for one lambda.
func (r ROFS) selectUnits(t *mat.Dense, y []float64, lambda float64) selection {
	m, n := t.Dims()
	ahead, units := orDefault(r.Ahead, 5), orDefault(r.Units, n/2)
	h := mat.DenseCopyOf(t)
	size := float64(n)
	yy := blas64.Dot(vec(y), vec(y))
	norm := make([]float64, m) // at the start: what is left must not be rounding
	for j := range norm {
		norm[j] = blas64.Dot(vec(h.RawRowView(j)), vec(h.RawRowView(j)))
	}
	var index []int32
	cost := max(orDefault(r.Cost, 2), 0)
	criterion := func(gamma, ypy float64) float64 {
		gamma += cost * float64(len(index))
		if gamma >= size-1 {
			return math.Inf(1)
		}
		if r.BIC {
			return (size + (math.Log(size)-1)*gamma) / (size * (size - gamma)) * ypy
		}
		return size * ypy / ((size - gamma) * (size - gamma))
	}
	var weight []float64 // of the orthogonal columns
	var orthogonal [][]float64
	gamma, ypy := 0.0, yy
	best := selection{score: criterion(0, yy), sse: yy}
	at := 0
	done := make([]bool, m)
	for len(index) < min(units, n-2, m) && len(index) <= at+ahead {
		pick, gain := -1, 0.0
		for j := range m {
			row := h.RawRowView(j)
			a := blas64.Dot(vec(row), vec(row))
			if done[j] || a <= 1e-14*norm[j] {
				continue
			}
			z := blas64.Dot(vec(row), vec(y))
			if g := z * z / (lambda + a); g > gain {
				pick, gain = j, g
			}
		}
		if pick < 0 {
			break
		}
		q := append([]float64(nil), h.RawRowView(pick)...)
		a, z := blas64.Dot(vec(q), vec(q)), blas64.Dot(vec(q), vec(y))
		done[pick] = true
		index, weight, orthogonal = append(index, int32(pick)), append(weight, z/(lambda+a)), append(orthogonal, q)
		gamma += a / (lambda + a)
		ypy -= (2*lambda + a) * z * z / ((lambda + a) * (lambda + a))
		for j := range m {
			if row := h.RawRowView(j); !done[j] {
				blas64.Axpy(-blas64.Dot(vec(row), vec(q))/a, vec(q), vec(row))
			}
		}
		if s := criterion(gamma, max(ypy, 0)); s < best.score {
			best = selection{score: s, sse: max(ypy, 0), index: append([]int32(nil), index...)}
			at = len(index)
		}
	}
	best.coef = backSubstitute(t, orthogonal[:len(best.index)], best.index, weight)
	sortUnits(best.index, best.coef)
	return best
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
