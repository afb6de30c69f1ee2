package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ANOVA is k(x, z) = prod_g (1 + w_g k_g(x, z)) / (1 + w_g) over groups g of columns, positive definite, k(x, x) = 1. Its functions are
// sums of a constant, of functions of each group, of each two groups, and so on (analysis of variance). k_g compares ranks, which no
// monotone change of a column moves:
//
//	k_g(x, z) = exp(-sum_{k in g} |F_k(x_k) - F_k(z_k)| / sigma),  F_k from 0 to 1 the rank among the knots of the column;
//	            of groups whose columns have at most two knots each, as words, 1 for equal rows and 0 for others.
//
// Weight has a weight for each group. Zero weights, and an empty list, mean min(1, 10/groups), Sigma 0 means 0.3. Knots are taken from
// the rows where there are none (see Adapt). The parameters are "weight[1]", "weight[2]", ..., "sigma". With f_g = 1 + w_g k_g:
//
//	dk/dw_g   = k (k_g - 1) / (f_g (1 + w_g))
//	dk/dsigma = k sum_g (w_g k_g / f_g) sum_{k in g} |F_k(x_k) - F_k(z_k)| / sigma^2, over the groups of ranks
type ANOVA struct {
	Weight []float64 `json:"weight,omitempty"`
	Sigma  float64   `json:"sigma,omitempty"`
	// Knots are values of each column, ascending, which stand for evenly spaced ranks: between two of them the rank is interpolated, and
	// of knots that are equal it is their mean.
	Knots [][]float64 `json:"knots,omitempty"`
	// Group has the number of its group, from 0, for each column; nil: each column is one.
	Group []int `json:"group,omitempty"`
	// Names are those of the groups, by which the parameters are then called: "weight[price]".
	Names []string `json:"names,omitempty"`
}

var anovaKind = kindOf(param.Words{
	ID: "anova", Title: "product over columns of a constant and a kernel of ranks",
	Formula: "prod_k (1 + weight_k exp(-|rank x_k - rank z_k| / sigma)) / (1 + weight_k)",
	About: "for tables: functions of single columns, of pairs and so on, that no monotone change of a column moves; words, and columns of " +
		"two values, are compared whole",
	Parameters: []param.Meaning{
		meaning("weight[1], weight[2], ...", "> 0", "tuned, from min(1, 10 / columns)",
			"weight of a column, counted from 1; anova(weight=1:2:3) gives all of them"),
		meaning("sigma", ">= 0.002", "tuned, from 0.3", "width in ranks, which go from 0 to 1"),
	},
	Source:  "Stitson et al. 1999; Durrande et al. 2013 (constants beside kernels of single columns)",
	Example: "mercer fit wine --method rls --kernel anova --search gradient",
}, func(k *ANOVA) []field {
	return []field{
		{name: "weight", value: &k.Weight}, {name: "sigma", value: &k.Sigma}, {name: "knots", value: &k.Knots},
		{name: "group", value: &k.Group}, {name: "names", value: &k.Names},
	}
})

const (
	// rankKnots are the knots of a column at most: ranks between them are found by interpolation.
	rankKnots = 64
	// rankRows are the rows at most, evenly strided, that knots of a column of more than two values are taken from.
	rankRows = 20000
	// leastRankWidth keeps exp(1 / (2 sigma)) far from overflow.
	leastRankWidth = 0.002
	rankWidth      = 0.3
)

func (k ANOVA) widths() columnWidths {
	return columnWidths{parameter{"anova", "weight", "weight"}, k.Weight, k.Group, k.Names}
}

// Space is the weights and sigma, each within a factor 64 of its present value.
func (k ANOVA) Space() param.Space {
	width := logDim("sigma", k.Sigma)
	width.Lo = max(width.Lo, min(leastRankWidth, k.Sigma))
	return append(k.widths().space(), width)
}

// With returns the kernel with the weights and sigma of theta, all above 0.
func (k ANOVA) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	n := len(theta) - 1
	k.Weight, k.Sigma = slices.Clone(theta[:n]), theta[n]
	return valid(k)
}

// Adapt replaces zero weights and a zero sigma, and takes knots from the rows if there are none: the values of a column that has one or
// two, at most 64 quantiles of others.
func (k ANOVA) Adapt(rows data.Rows) Kernel {
	groups := k.widths().groups(rows.Dim())
	k.Weight = k.widths().adapted(rows.Dim(), func() float64 { return min(1, 10/float64(max(groups, 1))) })
	if k.Sigma == 0 {
		k.Sigma = rankWidth
	}
	if k.Knots == nil {
		k.Knots = knotsOf(rows)
	}
	return k
}

// Bind finds the ranks: O(nd log knots) time, O(nd) memory. Sparse rows are made dense.
func (k ANOVA) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	if _, err := k.widths().factors(train.Dim()); err != nil {
		return nil, err
	}
	if len(k.Knots) != train.Dim() {
		return nil, fmt.Errorf("kernel: anova: knots of %d columns for rows of %d; take them from the rows with Adapt", len(k.Knots),
			train.Dim())
	}
	r := newRanked(k)
	r.fill(train)
	return &anovaGram{k: k, train: train, ranked: r}, nil
}

func (k ANOVA) check(at stage) error {
	if err := positive("anova", "sigma", k.Sigma, at); err != nil {
		return err
	}
	if k.Sigma > 0 && k.Sigma < leastRankWidth {
		return fmt.Errorf("anova: sigma is %g; it must be at least %g, ranks go from 0 to 1", k.Sigma, leastRankWidth)
	}
	for c, knots := range k.Knots {
		if len(knots) == 0 || !slices.IsSorted(knots) || math.IsInf(knots[0], -1) || math.IsInf(knots[len(knots)-1], 1) {
			return fmt.Errorf("anova: knots of column %d are not finite and ascending", c+1)
		}
	}
	return k.widths().check(at)
}

// share is how far the factor of a group falls below one, if its columns have more than one value.
func (k ANOVA) share(variance, w float64) float64 {
	if variance == 0 {
		return 0
	}
	return w / (1 + w)
}

func (k ANOVA) shareOnce() {}

func (k ANOVA) on(columns []int) Kernel {
	w := k.widths().on(columns)
	part := ANOVA{Weight: w.sigma, Sigma: k.Sigma, Group: w.group, Names: w.names}
	for _, c := range columns {
		part.Knots = append(part.Knots, k.Knots[c])
	}
	return part
}

// tangent is zero by words, and by ranks at knots that are equal, the mean of both sides where ranks are.
func (k ANOVA) tangent(grad, x, c []float64, a float64) error {
	w := k.widths()
	groups := newRanked(k).groups
	kernels, product := make([]float64, len(groups)), 1.0
	for g, one := range groups {
		kernels[g] = one.value(k, x, c)
		product *= (1 + w.sigma[g]*kernels[g]) / (1 + w.sigma[g])
	}
	for g, one := range groups {
		if one.whole {
			continue
		}
		by := a * product * w.sigma[g] * kernels[g] / (1 + w.sigma[g]*kernels[g]) / k.Sigma
		for _, q := range one.columns {
			own, _ := rankOf(k.Knots[q], x[q])
			other, _ := rankOf(k.Knots[q], c[q])
			left, right := slopesOf(k.Knots[q], x[q])
			switch {
			case own < other:
				grad[q] += by * (left + right) / 2
			case own > other:
				grad[q] -= by * (left + right) / 2
			default:
				grad[q] += by * (left - right) / 2
			}
		}
	}
	return nil
}

// knotsOf are those of each column.
func knotsOf(rows data.Rows) [][]float64 {
	n, d := rows.Len(), rows.Dim()
	if rows.Sparse != nil {
		rows = data.Rows{Dense: rows.Sparse.ToDense()}
	}
	list := make([][]float64, d)
	parallel.Pieces(d, 1, func(c, _ int) {
		if list[c] = fewValues(rows.Dense, c); list[c] != nil {
			return
		}
		some := min(n, rankRows)
		values := make([]float64, some)
		for i := range values {
			values[i] = rows.Dense.At(i*n/some, c)
		}
		slices.Sort(values)
		m := min(rankKnots, some)
		for q := range m {
			list[c] = append(list[c], values[q*(some-1)/(m-1)])
		}
	})
	return list
}

// fewValues are the values of a column where they are at most two, else nil.
func fewValues(x *mat.Dense, c int) []float64 {
	n, _ := x.Dims()
	var list []float64
	for i := range n {
		v := x.At(i, c)
		if slices.Contains(list, v) {
			continue
		}
		if len(list) == 2 {
			return nil
		}
		list = append(list, v)
	}
	if list == nil {
		return []float64{0}
	}
	slices.Sort(list)
	return list
}

// slopesOf are the derivatives of the rank on both sides of a value, which differ at a knot; zero where the rank jumps.
func slopesOf(knots []float64, x float64) (left, right float64) {
	at, equal := slices.BinarySearch(knots, x)
	if !equal {
		_, slope := rankOf(knots, x)
		return slope, slope
	}
	last := len(knots) - 1
	if near := tied * (knots[last] - knots[0]); at < last && knots[at+1] <= x+near || at > 0 && knots[at-1] >= x-near {
		return 0, 0
	}
	if at > 0 {
		left = 1 / (float64(last) * (x - knots[at-1]))
	}
	if at < last {
		right = 1 / (float64(last) * (knots[at+1] - x))
	}
	return left, right
}

// tied is the share of the span of the knots up to which knots and a value are equal: sines of dates differ by rounding from one program to
// another, and at knots that are equal the rank jumps.
const tied = 1e-12

// rankOf is the rank of a value among knots, from 0 to 1, and its derivative.
func rankOf(knots []float64, x float64) (rank, slope float64) {
	last := float64(max(len(knots)-1, 1))
	near := tied * (knots[len(knots)-1] - knots[0])
	lo, _ := slices.BinarySearch(knots, x-near)
	hi := lo
	for hi < len(knots) && knots[hi] <= x+near {
		hi++
	}
	if hi > lo+1 {
		return float64(lo+hi-1) / 2 / last, 0
	}
	lo, equal := slices.BinarySearch(knots, x)
	switch {
	case equal:
		return float64(lo) / last, 0
	case lo == 0:
		return 0, 0
	case lo == len(knots):
		return float64(len(knots)-1) / last, 0
	}
	gap := knots[lo] - knots[lo-1]
	return (float64(lo-1) + (x-knots[lo-1])/gap) / last, 1 / (gap * last)
}
