package kernel

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ARDL1Laplacian is k(x, z) = exp(-sum_k |x_k-z_k| / sigma_g(k)), with one width for each group g of columns (automatic relevance
// determination), positive definite. The columns that a word of a table is coded in are a group, since they are one column of the file.
//
// Sigma has a width for each group in the units of its columns. Zero widths, and an empty list, mean the median sum of absolute differences
// of the rows (see Adapt), which makes the kernel L1Laplacian. The parameters are "sigma[1]", "sigma[2]", ...:
//
//	dk/dsigma_g = k sum_{k in g} |x_k-z_k| / sigma_g^2
type ARDL1Laplacian struct {
	Sigma []float64 `json:"sigma,omitempty"`
	// Group has the number of its group, from 0, for each column; nil: each column is one.
	Group []int `json:"group,omitempty"`
	// Names are those of the groups, by which the parameters are then called: "sigma[price]".
	Names []string `json:"names,omitempty"`
}

var ardL1LaplacianKind = kindOf(param.Words{
	ID: "ard-l1-laplacian", Title: "Laplacian of absolute differences with a width for each column",
	Formula: "exp(-sum_k |x_k-z_k| / sigma_k)",
	About: "for tables, with the gradient search, which has all widths in one pass: a useless column gets a large width; the " +
		"columns that a word is coded in share one",
	Parameters: []param.Meaning{
		meaning("sigma[1], sigma[2], ...", "> 0", "tuned, from the median distance of the rows",
			"width of a column, counted from 1; ard-l1-laplacian(sigma=1:2:3) gives all of them"),
	},
	Source:  "as l1-laplacian; MacKay 1994, Neal 1996",
	Example: "mercer fit wine --method rls --kernel ard-l1-laplacian --search gradient",
}, func(k *ARDL1Laplacian) []field {
	return []field{{name: "sigma", value: &k.Sigma}, {name: "group", value: &k.Group}, {name: "names", value: &k.Names}}
})

func (k ARDL1Laplacian) widths() columnWidths {
	return columnWidths{parameter{"ard-l1-laplacian", "sigma", "width"}, k.Sigma, k.Group, k.Names}
}

// Space is the widths, each within a factor 64 of its present value.
func (k ARDL1Laplacian) Space() param.Space { return k.widths().space() }

// With returns the kernel with the widths theta > 0.
func (k ARDL1Laplacian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	k.Sigma = slices.Clone(theta)
	return valid(k)
}

// Adapt replaces zero widths by the median sum of absolute differences of at most 1000 rows.
func (k ARDL1Laplacian) Adapt(rows data.Rows) Kernel {
	k.Sigma = k.widths().adapted(rows.Dim(), func() float64 { return medianAbsolute(rows) })
	return k
}

// Bind divides the columns by their widths: O(nd) time and memory.
func (k ARDL1Laplacian) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	factor, err := k.widths().factors(train.Dim())
	if err != nil {
		return nil, err
	}
	return &ardAbsoluteGram{&shapeGram{k: L1Laplacian{Sigma: 1}, train: train, p: newManhattan(train, factor)}, k}, nil
}

func (k ARDL1Laplacian) check(at stage) error { return k.widths().check(at) }

func (k ARDL1Laplacian) share(variance, sigma float64) float64 { return math.Sqrt(variance) / sigma }

func (k ARDL1Laplacian) on(columns []int) Kernel {
	w := k.widths().on(columns)
	return ARDL1Laplacian{Sigma: w.sigma, Group: w.group, Names: w.names}
}

func (k ARDL1Laplacian) tangent(grad, x, c []float64, a float64) error {
	return absoluteTangent(grad, x, c, a, k.widths().width)
}

// ardAbsoluteGram is the unit kernel on the rows u = x / sigma.
type ardAbsoluteGram struct {
	*shapeGram
	k ARDL1Laplacian
}

// Pull, with B = bar o K and the rows u, v of I and J: grad_g += sum_{k in g} sum_ij B_ij |u_ik - v_jk| / sigma_g, all widths in one
// pass over the pairs (of sparse rows, over the pairs of entries in a common column), besides Block and U V'.
func (g *ardAbsoluteGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	_, m := bar.dims(g.Len())
	pj := g.p.take(bar.J).(*manhattan)
	sum := make([]float64, pj.d)
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		k := panelOf(&work, len(i), m)
		g.Block(k, i, bar.J)
		weigh(k, b)
		g.p.take(i).(*manhattan).addTerms(sum, pj.additive, k)
	})
	g.k.widths().addTo(grad, sum)
	return nil
}

func (g *ardAbsoluteGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
