package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Products over groups of columns of kernels of ranks, by blocks.
//
// exp(-|a - b| / sigma) is the lesser of p_a q_b and q_a p_b, p = exp((1/2 - rank) / sigma) and q = 1/p: two multiplications a pair and
// column. Groups that are compared whole have a number for each different row.

// rankGroup are columns with one weight.
type rankGroup struct {
	columns []int
	whole   bool             // compared for equality
	known   map[string]int32 // the numbers of whole rows
	weight  float64
}

// ranked are rows prepared for products over groups.
type ranked struct {
	k      ANOVA
	n      int
	groups []*rankGroup
	rank   [][]float64 // of each column of a group of ranks, a value a row; p and q are as above
	p, q   [][]float64
	number [][]int32 // of each group that is compared whole, a value a row
}

// newRanked has no rows.
func newRanked(k ANOVA) *ranked {
	r := &ranked{k: k, groups: make([]*rankGroup, len(k.Weight))}
	for g := range r.groups {
		r.groups[g] = &rankGroup{whole: true, weight: k.Weight[g], known: map[string]int32{}}
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

// fill prepares training rows.
func (r *ranked) fill(rows data.Rows) { r.read(rows, true) }

// like prepares new rows. Whole rows that training rows do not have are equal to none.
func (r *ranked) like(rows data.Rows) (*ranked, error) {
	if d := len(r.k.Knots); rows.Dim() != d {
		return nil, fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", rows.Dim(), d)
	}
	x := &ranked{k: r.k, groups: r.groups}
	x.read(rows, false)
	return x, nil
}

func (r *ranked) read(rows data.Rows, learn bool) {
	x := rows.Dense
	if x == nil {
		x = rows.Sparse.ToDense()
	}
	r.n = rows.Len()
	d := len(r.k.Knots)
	r.rank, r.p, r.q, r.number = make([][]float64, d), make([][]float64, d), make([][]float64, d), make([][]int32, len(r.groups))
	parallel.Pieces(len(r.groups), 1, func(at, _ int) {
		g := r.groups[at]
		if g.whole {
			r.number[at] = g.numbers(r.k, x, learn)
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

// numbers are those of the rows; only training rows get new ones.
func (g *rankGroup) numbers(k ANOVA, x *mat.Dense, learn bool) []int32 {
	n, _ := x.Dims()
	list := make([]int32, n)
	for i := range list {
		key := string(g.key(k, row(x, i)))
		number, ok := g.known[key]
		if !ok {
			if number = -1; learn {
				number = int32(len(g.known))
				g.known[key] = number
			}
		}
		list[i] = number
	}
	return list
}

// take are the rows of the given numbers; nil means all.
func (r *ranked) take(idx []int) *ranked {
	if idx == nil {
		return r
	}
	t := &ranked{k: r.k, n: len(idx), groups: r.groups}
	for _, pair := range []struct{ to, from *[][]float64 }{{&t.rank, &r.rank}, {&t.p, &r.p}, {&t.q, &r.q}} {
		for _, column := range *pair.from {
			*pair.to = append(*pair.to, picked(column, idx))
		}
	}
	for _, column := range r.number {
		t.number = append(t.number, picked(column, idx))
	}
	return t
}

// picked are the values at the given places, nil of nil.
func picked[T any](list []T, idx []int) []T {
	if list == nil {
		return nil
	}
	some := make([]T, len(idx))
	for a, i := range idx {
		some[a] = list[i]
	}
	return some
}

// group stores the kernels of a group of row a with rows lo, lo+1, ... of z in dst.
func (r *ranked) group(dst []float64, at, a int, z *ranked, lo int) {
	if r.groups[at].whole {
		own := r.number[at][a]
		for b, other := range z.number[at][lo : lo+len(dst)] {
			dst[b] = 0
			if own == other {
				dst[b] = 1
			}
		}
		return
	}
	for first, c := range r.groups[at].columns {
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

// products stores the kernel of row a with rows from, from+1, ... of z in dst.
func (r *ranked) products(dst []float64, a int, z *ranked, from int) {
	var work [lane]float64
	for lo := 0; lo < len(dst); lo += lane {
		to := dst[lo:min(lo+lane, len(dst))]
		k := work[:len(to)]
		for b := range to {
			to[b] = 1
		}
		for at, g := range r.groups {
			r.group(k, at, a, z, from+lo)
			constant, factor := 1/(1+g.weight), g.weight/(1+g.weight)
			for b, v := range k {
				to[b] *= constant + factor*v
			}
		}
	}
}

// slope adds the derivatives of sum_b bar_b k(a, b), without the factors that do not depend on b, to grad. It overwrites bar.
func (r *ranked) slope(grad, bar []float64, a int, z *ranked) {
	var values, work, apart [lane]float64
	for lo := 0; lo < len(bar); lo += lane {
		by := bar[lo:min(lo+lane, len(bar))]
		all, k := values[:len(by)], work[:len(by)]
		r.products(all, a, z, lo)
		for b, v := range all {
			by[b] *= v
		}
		for at, g := range r.groups {
			r.group(k, at, a, z, lo)
			var sum, width float64
			if g.whole {
				for b, v := range k {
					sum += by[b] * (v - 1) / (1 + g.weight*v)
				}
			} else {
				s := r.apart(apart[:len(by)], at, a, z, lo)
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
func (r *ranked) apart(dst []float64, at, a int, z *ranked, lo int) []float64 {
	clear(dst)
	for _, c := range r.groups[at].columns {
		own := r.rank[c][a]
		for b, v := range z.rank[c][lo : lo+len(dst)] {
			dst[b] += math.Abs(own - v)
		}
	}
	return dst
}

// anovaGram is the kernel bound to rows.
type anovaGram struct {
	k     ANOVA
	train data.Rows
	*ranked
}

// Len is the number of training rows.
func (g *anovaGram) Len() int { return g.n }

// Block costs some three flops a pair and column; half where rows and columns are the same.
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
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			to := row(dst, a)
			if same {
				to = to[:a+1]
			}
			pi.products(to, a, pj, 0)
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
	parallel.Pieces(px.n, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			px.products(row(dst, a), a, pj, 0)
		}
	})
	return nil
}

// Pull has all derivatives in one pass over the pairs: a division and some ten flops a pair and group, besides Block and U V'.
func (g *anovaGram) Pull(grad []float64, bar Cotangent) error {
	np := checkGrad(grad, g.k)
	pj := g.take(bar.J)
	bar.panels(g.n, func(i []int, b *mat.Dense) {
		pi := g.take(i)
		part := make([]float64, len(i)*np)
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			for a := lo; a < hi; a++ {
				pi.slope(part[a*np:(a+1)*np], row(b, a), a, pj)
			}
		})
		for q, v := range part {
			grad[q%np] += v
		}
	})
	return nil
}

// Expand is the kernel itself.
func (g *anovaGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
