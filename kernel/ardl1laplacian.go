package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
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

// groups is how many widths rows of d columns need.
func (k ARDL1Laplacian) groups(d int) int {
	if k.Group == nil {
		return d
	}
	n := 0
	for _, g := range k.Group {
		n = max(n, g+1)
	}
	return n
}

// named is what a group is called.
func (k ARDL1Laplacian) named(group int) string {
	if group < len(k.Names) {
		return k.Names[group]
	}
	return strconv.Itoa(group + 1)
}

// of is the group of a column.
func (k ARDL1Laplacian) of(column int) int {
	if k.Group == nil {
		return column
	}
	return k.Group[column]
}

// Space is the widths, each within a factor 64 of its present value.
func (k ARDL1Laplacian) Space() param.Space {
	s := make(param.Space, len(k.Sigma))
	for g, v := range k.Sigma {
		s[g] = logDim("sigma["+k.named(g)+"]", v)
	}
	return s
}

// With returns the kernel with the widths theta > 0.
func (k ARDL1Laplacian) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	k.Sigma = slices.Clone(theta)
	return valid(k)
}

// Adapt replaces zero widths by the median sum of absolute differences of at most 1000 rows.
func (k ARDL1Laplacian) Adapt(rows data.Rows) Kernel {
	sigma := make([]float64, k.groups(rows.Dim()))
	if len(k.Sigma) > 0 {
		sigma = slices.Clone(k.Sigma)
	}
	var m float64
	for g, v := range sigma {
		if v == 0 {
			if m == 0 {
				m = medianAbsolute(rows)
			}
			sigma[g] = m
		}
	}
	k.Sigma = sigma
	return k
}

// Bind divides the columns by their widths: O(nd) time and memory.
func (k ARDL1Laplacian) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	d := train.Dim()
	if k.Group != nil && len(k.Group) != d || k.groups(d) != len(k.Sigma) {
		return nil, fmt.Errorf("kernel: ard-l1-laplacian: %d widths for rows of %d columns; give one a column, or a group", len(k.Sigma), d)
	}
	factor := make([]float64, d)
	for c := range factor {
		factor[c] = 1 / k.Sigma[k.of(c)]
	}
	return &ardAbsoluteGram{&shapeGram{k: L1Laplacian{Sigma: 1}, train: train, p: newManhattan(train, factor)}, k}, nil
}

func (k ARDL1Laplacian) check(at stage) error {
	if at == bound && len(k.Sigma) == 0 {
		return fmt.Errorf("ard-l1-laplacian: no widths; give one a column or take them from the rows with Adapt")
	}
	if k.Names != nil && len(k.Names) != len(k.Sigma) && len(k.Sigma) > 0 {
		return fmt.Errorf("ard-l1-laplacian: %d names for %d widths", len(k.Names), len(k.Sigma))
	}
	for g, v := range k.Sigma {
		if err := positive("ard-l1-laplacian", "sigma["+k.named(g)+"]", v, at); err != nil {
			return err
		}
	}
	for c, g := range k.Group {
		if g < 0 || len(k.Sigma) > 0 && g >= len(k.Sigma) {
			return fmt.Errorf("ard-l1-laplacian: column %d is of group %d of %d", c+1, g+1, len(k.Sigma))
		}
	}
	return nil
}

func (k ARDL1Laplacian) share(variance, sigma float64) float64 { return math.Sqrt(variance) / sigma }

// on keeps the groups that the columns are of, in the order of their first column.
func (k ARDL1Laplacian) on(columns []int) Kernel {
	if k.Group == nil {
		return ARDL1Laplacian{Sigma: of(k.Sigma, columns)}
	}
	part := ARDL1Laplacian{}
	at := map[int]int{}
	for _, c := range columns {
		g := k.Group[c]
		if _, ok := at[g]; !ok {
			at[g] = len(part.Sigma)
			part.Sigma = append(part.Sigma, k.Sigma[g])
			if k.Names != nil {
				part.Names = append(part.Names, k.Names[g])
			}
		}
		part.Group = append(part.Group, at[g])
	}
	return part
}

func (k ARDL1Laplacian) tangent(grad, x, c []float64, a float64) error {
	return absoluteTangent(grad, x, c, a, func(i int) float64 { return k.Sigma[k.of(i)] })
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
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				kr := row(k, a)
				for j, v := range row(b, a) {
					kr[j] *= v
				}
			}
		})
		g.p.take(i).(*manhattan).addTerms(sum, pj.additive, k)
	})
	for c, v := range sum {
		at := g.k.of(c)
		grad[at] += v / g.k.Sigma[at]
	}
	return nil
}

func (g *ardAbsoluteGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}

// addTerms adds sum_ab weight_ab |x_ak - z_bk| to sum_k.
func (m *manhattan) addTerms(sum []float64, z *additive, weight *mat.Dense) {
	pieces := (m.n + chunk - 1) / chunk
	part := make([]float64, pieces*m.d)
	parallel.Pieces(m.n, chunk, func(lo, hi int) {
		to := part[lo/chunk*m.d:][:m.d]
		if m.csr != nil {
			m.sparseTerms(to, z, weight, lo, hi)
			return
		}
		m.denseTerms(to, z, weight, lo, hi)
	})
	for q, v := range part {
		sum[q%m.d] += v
	}
}

// denseTerms is addTerms for rows lo to hi-1.
func (m *manhattan) denseTerms(to []float64, z *additive, weight *mat.Dense, lo, hi int) {
	acc := make([]float64, m.padded*vec.ChiRows)
	var rest [vec.ChiRows]float64
	for k := 0; k < m.padded; k += panelFeatures {
		features, from := min(panelFeatures, m.padded-k), k*vec.ChiRows
		for b := 0; b < z.n; b += vec.ChiRows {
			panel := z.panel(b / vec.ChiRows)[from:]
			for a := lo; a < hi; a++ {
				w := row(weight, a)[b:min(b+vec.ChiRows, z.n)]
				if len(w) < vec.ChiRows {
					clear(rest[copy(rest[:], w):])
					w = rest[:]
				}
				vec.AbsWeighted(acc[from:], m.row(a)[from:], panel, w, features)
			}
		}
	}
	for k := range to {
		for _, v := range acc[k*vec.ChiRows : (k+1)*vec.ChiRows] {
			to[k] += v
		}
	}
}

// sparseTerms is addTerms for rows lo to hi-1: |v - w| = |v| + |w| - 2 common(v, w), in which an entry alone has no common part.
func (m *manhattan) sparseTerms(to []float64, z *additive, weight *mat.Dense, lo, hi int) {
	t := z.transpose()
	columns := make([]float64, z.n)
	for a := lo; a < hi; a++ {
		var all float64
		for b, w := range row(weight, a) {
			all += w
			columns[b] += w
		}
		idx, val := m.csr.Row(a)
		for q, k := range idx {
			s := all * math.Abs(val[q])
			rows, values := t.Row(int(k))
			for p, b := range rows {
				s -= 2 * weight.At(a, int(b)) * m.common(val[q], values[p])
			}
			to[k] += s
		}
	}
	for b, w := range columns {
		idx, val := z.csr.Row(b)
		for q, k := range idx {
			to[k] += w * math.Abs(val[q])
		}
	}
}
