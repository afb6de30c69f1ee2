package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// Products over groups of columns of kernels of ranks, by blocks.
//
// Groups of ranks: exp(-|a - b| / sigma) is the lesser of p_a q_b and q_a p_b, p = exp((1/2 - rank) / sigma) and q = 1/p: two
// multiplications a pair and column.
//
// Groups that are compared whole: their factor is 1 or 1/(1 + w_g), so that their product is exp(Z Z' - sum_g log(1 + w_g)) with a column
// of Z for each different row of a group, whose entries are 0 and the root of log(1 + w_g): one matrix product, and one for all
// derivatives.

// rankGroup are columns with one weight.
type rankGroup struct {
	columns []int
	whole   bool           // compared for equality
	known   map[string]int // the column of Z of each row
	weight  float64
}

// ranked are rows prepared for products over groups.
type ranked struct {
	k      ANOVA
	n      int
	groups []*rankGroup
	levels []int       // the group of each column of Z
	rank   [][]float64 // of each column of a group of ranks, a value a row; p and q are as above
	p, q   [][]float64
	z      *mat.Dense // nil: no group is compared whole
}

// newRanked has no rows.
func newRanked(k ANOVA) *ranked {
	r := &ranked{k: k, groups: make([]*rankGroup, len(k.Weight))}
	for g := range r.groups {
		r.groups[g] = &rankGroup{whole: true, weight: k.Weight[g], known: map[string]int{}}
	}
	for c, knots := range k.Knots {
		g := r.groups[k.widths().of(c)]
		g.columns = append(g.columns, c)
		g.whole = g.whole && len(knots) <= 2
	}
	return r
}

// value is the kernel of a group for two rows.
func (g *rankGroup) value(k ANOVA, x, z []float64) float64 {
	if g.whole {
		if string(g.key(k, x)) == string(g.key(k, z)) {
			return 1
		}
		return 0
	}
	var s float64
	for _, c := range g.columns {
		a, _ := rankOf(k.Knots[c], x[c])
		b, _ := rankOf(k.Knots[c], z[c])
		s += math.Abs(a - b)
	}
	return math.Exp(-s / k.Sigma)
}

// key says which knot each column of a group that is compared whole is nearest to.
func (g *rankGroup) key(k ANOVA, x []float64) []byte {
	key := make([]byte, len(g.columns))
	for q, c := range g.columns {
		if knots := k.Knots[c]; len(knots) == 2 && x[c] > knots[0]/2+knots[1]/2 {
			key[q] = 1
		}
	}
	return key
}

// fill prepares training rows, whose different whole rows get columns of Z.
func (r *ranked) fill(rows data.Rows) {
	x := rows.Dense
	if x == nil {
		x = rows.Sparse.ToDense()
	}
	for i := range rows.Len() {
		for at, g := range r.groups {
			if !g.whole {
				continue
			}
			if key := g.key(r.k, row(x, i)); !g.knows(key) {
				g.known[string(key)] = len(r.levels)
				r.levels = append(r.levels, at)
			}
		}
	}
	r.read(x)
}

func (g *rankGroup) knows(key []byte) bool {
	_, ok := g.known[string(key)]
	return ok
}

// like prepares new rows. Whole rows that training rows do not have are equal to none.
func (r *ranked) like(rows data.Rows) (*ranked, error) {
	if d := len(r.k.Knots); rows.Dim() != d {
		return nil, fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", rows.Dim(), d)
	}
	t := &ranked{k: r.k, groups: r.groups, levels: r.levels}
	x := rows.Dense
	if x == nil {
		x = rows.Sparse.ToDense()
	}
	t.read(x)
	return t, nil
}

func (r *ranked) read(x *mat.Dense) {
	var d int
	r.n, d = x.Dims()
	r.rank, r.p, r.q = make([][]float64, d), make([][]float64, d), make([][]float64, d)
	if len(r.levels) > 0 {
		r.z = mat.NewDense(r.n, len(r.levels), nil)
	}
	parallel.Pieces(len(r.groups), 1, func(at, _ int) {
		g := r.groups[at]
		if g.whole {
			root := math.Sqrt(math.Log1p(g.weight))
			for i := range r.n {
				if level, ok := g.known[string(g.key(r.k, row(x, i)))]; ok {
					r.z.Set(i, level, root)
				}
			}
			return
		}
		for _, c := range g.columns {
			rank, p, q := make([]float64, r.n), make([]float64, r.n), make([]float64, r.n)
			for i := range rank {
				rank[i], _ = rankOf(r.k.Knots[c], x.At(i, c))
				p[i], q[i] = math.Exp((0.5-rank[i])/r.k.Sigma), math.Exp((rank[i]-0.5)/r.k.Sigma)
			}
			r.rank[c], r.p[c], r.q[c] = rank, p, q
		}
	})
}

// take are the rows of the given numbers; nil means all.
func (r *ranked) take(idx []int) *ranked {
	if idx == nil {
		return r
	}
	t := &ranked{k: r.k, n: len(idx), groups: r.groups, levels: r.levels}
	for _, pair := range []struct{ to, from *[][]float64 }{{&t.rank, &r.rank}, {&t.p, &r.p}, {&t.q, &r.q}} {
		for _, column := range *pair.from {
			*pair.to = append(*pair.to, picked(column, idx))
		}
	}
	if r.z != nil && len(idx) > 0 {
		t.z = mat.NewDense(len(idx), len(r.levels), nil)
		for a, i := range idx {
			copy(row(t.z, a), row(r.z, i))
		}
	}
	return t
}

// picked are the values at the given places, nil of nil.
func picked(list []float64, idx []int) []float64 {
	if list == nil {
		return nil
	}
	some := make([]float64, len(idx))
	for a, i := range idx {
		some[a] = list[i]
	}
	return some
}

// whole begins the values of all pairs: Z Z'. If z is these rows themselves only what lies below the diagonal and on it counts.
func (r *ranked) whole(dst *mat.Dense, z *ranked) {
	switch {
	case r.z == nil:
	case r == z:
		blas.SyrkLower(1, blas.N(r.z), 0, dst)
	default:
		blas.Gemm(1, blas.N(r.z), blas.T(z.z), 0, dst)
	}
}

// rankLane is the number of values that ranks multiply at a time: 8 kB, in the first-level cache.
const rankLane = 1024 // no result depends on it

// end makes values of row a with the first rows of z of what whole began.
func (r *ranked) end(dst []float64, a int, z *ranked) {
	if r.z == nil {
		for b := range dst {
			dst[b] = 1
		}
	} else {
		var total float64
		for _, g := range r.groups {
			if g.whole {
				total += math.Log1p(g.weight)
			}
		}
		for b := range dst {
			dst[b] -= total
		}
		vec.Exp(dst, dst)
	}
	var work [rankLane]float64
	for lo := 0; lo < len(dst); lo += rankLane {
		to := dst[lo:min(lo+rankLane, len(dst))]
		for _, g := range r.groups {
			if g.whole {
				continue
			}
			constant, factor := 1/(1+g.weight), g.weight/(1+g.weight)
			if len(g.columns) == 1 {
				c := g.columns[0]
				vec.RankFactor(to, z.p[c][lo:lo+len(to)], z.q[c][lo:lo+len(to)], r.of(c, a), constant, factor)
				continue
			}
			k := work[:len(to)]
			r.group(k, g, a, z, lo)
			for b, v := range k {
				to[b] *= constant + factor*v
			}
		}
	}
}

// of is row a in a column of ranks.
func (r *ranked) of(c, a int) vec.Rank {
	return vec.Rank{P: r.p[c][a], Q: r.q[c][a], Rank: r.rank[c][a]}
}

// group stores the kernels of a group of ranks of row a with rows lo, lo+1, ... of z in dst.
func (r *ranked) group(dst []float64, g *rankGroup, a int, z *ranked, lo int) {
	for first, c := range g.columns {
		p, q := r.p[c][a], r.q[c][a]
		zp, zq := z.p[c][lo:lo+len(dst)], z.q[c][lo:lo+len(dst)]
		if first == 0 {
			for b := range dst {
				dst[b] = min(p*zq[b], q*zp[b])
			}
			continue
		}
		for b := range dst {
			dst[b] *= min(p*zq[b], q*zp[b])
		}
	}
}

// slope adds the derivatives of sum_b weight_b k(a, b) by the groups of ranks to grad, whose weights are already times k(a, b).
func (r *ranked) slope(grad, weight []float64, a int, z *ranked) {
	var work, apart [lane]float64
	for lo := 0; lo < len(weight); lo += lane {
		by := weight[lo:min(lo+lane, len(weight))]
		k := work[:len(by)]
		for at, g := range r.groups {
			if g.whole {
				continue
			}
			var sum, width float64
			if len(g.columns) == 1 {
				c, hi := g.columns[0], lo+len(by)
				sum, width = vec.RankSlope(by, z.p[c][lo:hi], z.q[c][lo:hi], z.rank[c][lo:hi], r.of(c, a), g.weight)
			} else {
				r.group(k, g, a, z, lo)
				s := r.apart(apart[:len(by)], g, a, z, lo)
				for b, v := range k {
					t := by[b] / (1 + g.weight*v)
					sum += t * (v - 1)
					width += t * v * s[b]
				}
			}
			grad[at] += sum / (1 + g.weight)
			grad[len(grad)-1] += g.weight * width / (r.k.Sigma * r.k.Sigma)
		}
	}
}

// apart are the sums of differences of ranks of a group.
func (r *ranked) apart(dst []float64, g *rankGroup, a int, z *ranked, lo int) []float64 {
	clear(dst)
	for _, c := range g.columns {
		own := r.rank[c][a]
		for b, v := range z.rank[c][lo : lo+len(dst)] {
			dst[b] += math.Abs(own - v)
		}
	}
	return dst
}

// wholeSlope adds the derivatives by the groups that are compared whole: where a group is not equal it is -k/(1 + w).
func (r *ranked) wholeSlope(grad []float64, weight *mat.Dense, z *ranked) {
	if r.z == nil {
		return
	}
	product := mat.NewDense(r.n, len(r.levels), nil)
	blas.Gemm(1, blas.N(weight), blas.N(z.z), 0, product)
	equal, total := make([]float64, len(grad)), mat.Sum(weight)
	for a := range r.n {
		own := row(r.z, a)
		for level, v := range row(product, a) {
			equal[r.levels[level]] += own[level] * v
		}
	}
	for at, g := range r.groups {
		if g.whole {
			grad[at] -= (total - equal[at]/math.Log1p(g.weight)) / (1 + g.weight)
		}
	}
}

// anovaGram is the kernel bound to rows.
type anovaGram struct {
	k     ANOVA
	train data.Rows
	*ranked
}

// Len is the number of training rows.
func (g *anovaGram) Len() int { return g.n }

// Block costs three multiplications a pair and column of ranks, and a matrix product; half where rows and columns are the same.
func (g *anovaGram) Block(dst *mat.Dense, i, j []int) {
	r, m := checkBlock(dst, g.n, i, j)
	if r == 0 || m == 0 {
		return
	}
	same := i == nil && j == nil || i != nil && slices.Equal(i, j)
	pi := g.take(i)
	pj := pi
	if !same {
		pj = g.take(j)
	}
	pi.whole(dst, pj)
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			to := row(dst, a)
			if same {
				to = to[:a+1]
			}
			pi.end(to, a, pj)
		}
		if same {
			mirrorUp(dst, lo, hi)
		}
	})
}

// Cross finds the ranks of the new rows.
func (g *anovaGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	px, err := g.like(x)
	if err != nil {
		return err
	}
	checkCross(dst, px.n, g.n, j)
	pj := g.take(j)
	px.whole(dst, pj)
	parallel.Pieces(px.n, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			px.end(row(dst, a), a, pj)
		}
	})
	return nil
}

// Pull has all derivatives in one pass over the pairs, a division and some ten flops a pair and group of ranks, and one matrix product,
// besides Block and U V'.
func (g *anovaGram) Pull(grad []float64, bar Cotangent) error {
	np := checkGrad(grad, g.k)
	_, m := bar.dims(g.n)
	pj := g.take(bar.J)
	var work *mat.Dense
	bar.panels(g.n, func(i []int, b *mat.Dense) {
		k := panelOf(&work, len(i), m)
		pi := g.take(i)
		pi.whole(k, pj)
		part := make([]float64, len(i)*np)
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				own := row(k, a)
				pi.end(own, a, pj)
				for q, v := range row(b, a) {
					own[q] *= v
				}
				pi.slope(part[a*np:(a+1)*np], own, a, pj)
			}
		})
		for q, v := range part {
			grad[q%np] += v
		}
		pi.wholeSlope(grad, k, pj)
	})
	return nil
}

// Expand is the kernel itself.
func (g *anovaGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
