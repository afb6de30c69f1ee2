package blas

import (
	"cmp"
	"math"
	"slices"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   T = S diag(d) S', T symmetric and tridiagonal, n x n.
// Method    T is two halves and a matrix of rank one, |e| u u' at their seam. With the eigenvectors of the halves
//           T is similar to D + rho z z'. Entries of z that hardly count, and values of D that are hardly apart (one
//           rotation moves both into one entry), are deflated: their vectors stay. The others are the roots of
//           the secular equation, with vectors z~_i/(d_i - x_j), where z~ is the vector for which the computed
//           roots are exact: so they are orthogonal. One product for each half turns the old vectors into
//           the new ones. Leaves are solved by QL.
// Cost      at most 4n^3/3 flops, less where values are deflated. Memory: n^2 numbers beside the vectors, and a
//           block of 256 n.
// Source    Cuppen, Numer. Math. 36 (1981); Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric
//           tridiagonal eigenproblem", SIAM J. Matrix Anal. 16 (1995); LAPACK's dstedc and dlaed1 to dlaed3.

const (
	// divideLeaf is the order up to which QL solves.
	divideLeaf = 32
	// vectorBlock is the number of new vectors made at once.
	vectorBlock = 256 // no result depends on it
	// secularChunk is the number of roots, or of entries of z~, that a task finds.
	secularChunk = 16 // no result depends on it
	// Below this order the roots of a merger are not worth another goroutine.
	secularAlone = 96 // no result depends on it
)

// division is a divide and conquer at work. The part [lo, hi) of T uses that part of each slice, rows [lo, hi)
// of old and of vectors.
type division struct {
	g        *engine
	d, e     []float64
	x        blas64.General // eigenvectors in rows
	order    []int          // the rows of x of a part as their values ascend
	old      []float64      // n numbers a row: old vectors, without their zeros
	vectors  []float64      // vectorBlock numbers a row: some vectors z~/(d-x)
	z        []float64
	kept     []int // rows that are not deflated, then those that are
	where    []place
	pole, zs []float64 // of the kept rows, as they ascend
	group    []int     // the kept rows as their vectors stand in old: numbers of pole
	gd, gz   []float64 // pole and z~ in that order
	roots    []root
}

// place says in which half of a part a vector has entries.
type place byte

const (
	inTop place = iota
	inBoth
	inBottom
)

// divide stores the eigenvalues of T, with diagonal d and coupling e_i between i and i+1, in d, and the eigenvectors
// in the rows of x. order lists the rows as their values ascend. It is false if QL did not converge,
// or the context ended.
func (g *engine) divide(team *team, d, e []float64, x blas64.General) (order []int, ok bool) {
	n := len(d)
	v := &division{g: g, d: d, e: e, x: x, order: make([]int, n)}
	if n > divideLeaf {
		v.old, v.vectors = make([]float64, n*n), make([]float64, n*min(n, vectorBlock))
		v.kept, v.group, v.where, v.roots = make([]int, n), make([]int, n), make([]place, n), make([]root, n)
		for _, s := range []*[]float64{&v.z, &v.pole, &v.zs, &v.gd, &v.gz} {
			*s = make([]float64, n)
		}
	}
	for i := range n {
		clear(x.Data[i*x.Stride : i*x.Stride+n])
	}
	ok = v.solve(team, 0, n)
	return v.order, ok
}

// solve finds values and vectors of the part [lo, hi).
func (v *division) solve(team *team, lo, hi int) bool {
	n := hi - lo
	if n <= divideLeaf {
		return v.leaf(lo, hi)
	}
	mid := lo + n/2
	rho := v.e[mid-1]
	v.d[mid-1] -= math.Abs(rho)
	v.d[mid] -= math.Abs(rho)
	var ok [2]bool
	team.run(2, func(t int) {
		own := team.part((team.size() + 1 - t) / 2)
		defer own.end()
		if t == 0 {
			ok[0] = v.solve(own, lo, mid)
		} else {
			ok[1] = v.solve(own, mid, hi)
		}
	})
	if !ok[0] || !ok[1] || team.stopped() {
		return false
	}
	v.merge(team, part{lo, mid, hi}, rho)
	return true
}

// leaf solves a small part.
func (v *division) leaf(lo, hi int) bool {
	x := block(v.x, lo, lo, hi-lo, hi-lo)
	for i := range x.Rows {
		x.Data[i*x.Stride+i] = 1
		v.order[lo+i] = lo + i
	}
	var e [divideLeaf]float64
	copy(e[:], v.e[lo:hi-1])
	if !v.g.implicitQL(v.d[lo:hi], e[:hi-lo], x) {
		return false
	}
	v.sort(v.order[lo:hi])
	return true
}

// sort orders rows by their values, equal ones as they stand.
func (v *division) sort(rows []int) {
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(v.d[i], v.d[j]) })
}

// part is two solved neighbours, [lo, mid) and [mid, hi).
type part struct{ lo, mid, hi int }

// merge makes one solution of two, coupled by rho.
func (v *division) merge(team *team, p part, rho float64) {
	// z is the last row of the upper vectors and the first of the lower; both have norm 1, z too.
	for i := p.lo; i < p.hi; i++ {
		v.where[i] = inTop
		at := p.mid - 1
		if i >= p.mid {
			v.where[i], at = inBottom, p.mid
		}
		v.z[i] = v.x.Data[i*v.x.Stride+at] * math.Sqrt2 / 2
		if i >= p.mid && rho < 0 {
			v.z[i] = -v.z[i]
		}
	}
	rho = 2 * math.Abs(rho)
	v.sort(v.order[p.lo:p.hi])
	k := v.deflate(p, rho)
	if k > 0 {
		n1, n2 := v.gather(p, k)
		v.findRoots(team, p.lo, k, rho)
		v.makeVectors(team, p, k, n1, n2)
	}
	for i := range v.order[p.lo:p.hi] {
		v.order[p.lo+i] = p.lo + i
	}
	v.sort(v.order[p.lo:p.hi])
}

// deflate splits the rows of a part into kept ones, as they ascend, and deflated ones behind them, and returns the
// number of the kept.
func (v *division) deflate(p part, rho float64) int {
	order, kept := v.order[p.lo:p.hi], v.kept[p.lo:p.hi]
	var largest float64
	for _, i := range order {
		largest = max(largest, math.Abs(v.d[i]), math.Abs(v.z[i]))
	}
	tolerance := 8 * roundoff * largest
	k, end := 0, len(kept)
	drop := func(i int) { end--; kept[end] = i }
	before := -1 // the last row that may yet be rotated
	for _, i := range order {
		if rho*math.Abs(v.z[i]) <= tolerance {
			drop(i)
			continue
		}
		if before >= 0 {
			if v.together(p, before, i, tolerance) {
				drop(before)
			} else {
				kept[k] = before
				k++
			}
		}
		before = i
	}
	if before >= 0 {
		kept[k] = before
		k++
	}
	return k
}

// together rotates rows i and j so that z_i = 0, where their values are so near that this changes nothing else.
func (v *division) together(p part, i, j int, tolerance float64) bool {
	s, c := v.z[i], v.z[j]
	r := math.Hypot(c, s)
	c, s = c/r, -s/r
	if math.Abs((v.d[j]-v.d[i])*c*s) > tolerance {
		return false
	}
	v.z[i], v.z[j] = 0, r
	if v.where[i] != v.where[j] {
		v.where[j] = inBoth
	}
	a := v.x.Data[i*v.x.Stride+p.lo : i*v.x.Stride+p.hi]
	b := v.x.Data[j*v.x.Stride+p.lo : j*v.x.Stride+p.hi]
	for t, x := range a {
		y := b[t]
		a[t], b[t] = c*x+s*y, c*y-s*x
	}
	di, dj := v.d[i], v.d[j]
	v.d[i], v.d[j] = di*c*c+dj*s*s, di*s*s+dj*c*c
	return true
}

// gather copies the vectors of a part to old: first the upper halves of those that have one, then the lower
// halves, then the deflated ones, which go to their new rows at once. n1 and n2 count the halves.
func (v *division) gather(p part, k int) (n1, n2 int) {
	kept, group := v.kept[p.lo:p.hi], v.group[p.lo:p.lo+k]
	at := 0
	for _, half := range []place{inTop, inBoth, inBottom} {
		for i, row := range kept[:k] {
			if v.where[row] == half {
				group[at] = i
				at++
			}
		}
		if half == inTop {
			n2 = k - at
		}
		if half == inBoth {
			n1 = at
		}
	}
	old := v.old[p.lo*v.x.Cols:]
	save := func(row, from, to int) {
		copy(old[:to-from], v.x.Data[row*v.x.Stride+from:])
		old = old[to-from:]
	}
	for _, i := range group[:n1] {
		save(kept[i], p.lo, p.mid)
	}
	for _, i := range group[k-n2:] {
		save(kept[i], p.mid, p.hi)
	}
	deflated := kept[k:]
	rest := old
	for _, row := range deflated {
		save(row, p.lo, p.hi)
	}
	for i, row := range kept[:k] {
		v.pole[p.lo+i], v.zs[p.lo+i] = v.d[row], v.z[row]
	}
	for i, row := range deflated {
		v.zs[p.lo+k+i] = v.d[row]
	}
	n := p.hi - p.lo
	for i := range deflated {
		row := p.lo + k + i
		v.d[row] = v.zs[row]
		copy(v.x.Data[row*v.x.Stride+p.lo:row*v.x.Stride+p.hi], rest[i*n:])
	}
	return n1, n2
}

// findRoots solves the secular equation of the k kept rows from lo on: their new values go to d, z~ to gz.
func (v *division) findRoots(team *team, lo, k int, rho float64) {
	if k < secularAlone {
		team = nil
	}
	s := &secular{d: v.pole[lo : lo+k], z: v.zs[lo : lo+k], rho: rho}
	roots := v.roots[lo : lo+k]
	chunks := (k + secularChunk - 1) / secularChunk
	team.run(chunks, func(t int) {
		for j := t * secularChunk; j < min((t+1)*secularChunk, k); j++ {
			roots[j] = s.solve(j)
			v.d[lo+j] = s.d[roots[j].origin] + roots[j].tau
		}
	})
	team.run(chunks, func(t int) {
		for g := t * secularChunk; g < min((t+1)*secularChunk, k); g++ {
			i := v.group[lo+g]
			v.gd[lo+g] = s.d[i]
			v.gz[lo+g] = math.Copysign(s.exact(roots, i), s.z[i])
		}
	})
}

// exact is |z~_i|, for which the roots are those of the secular equation but for the factor rho, on which no
// vector depends: the square is the product of (x_j - d_i)/(d_j - d_i) over j, and x_i - d_i.
func (s *secular) exact(roots []root, i int) float64 {
	d := s.d[i]
	distance := func(j int) float64 { return (d - s.d[roots[j].origin]) - roots[j].tau }
	square := -distance(i)
	for j, other := range s.d[:i] {
		square *= distance(j) / (d - other)
	}
	for j := i + 1; j < len(s.d); j++ {
		square *= distance(j) / (d - s.d[j])
	}
	return math.Sqrt(math.Abs(square))
}

// makeVectors stores the new vectors of a part in rows [lo, lo+k) of x.
func (v *division) makeVectors(team *team, p part, k, n1, n2 int) {
	old, size := v.old[p.lo*v.x.Cols:], p.mid-p.lo
	top := blas64.General{Rows: n1, Cols: size, Stride: size, Data: old}
	bottom := blas64.General{Rows: n2, Cols: p.hi - p.mid, Stride: p.hi - p.mid, Data: old[n1*size:]}
	height := min(len(v.vectors)/v.x.Cols, vectorBlock)
	for from := 0; from < k; from += height {
		rows := min(height, k-from)
		s := blas64.General{Rows: rows, Cols: k, Stride: k, Data: v.vectors[p.lo*height : p.lo*height+rows*k]}
		team.run((rows+secularChunk-1)/secularChunk, func(t int) {
			for j := t * secularChunk; j < min((t+1)*secularChunk, rows); j++ {
				v.vector(p.lo, v.roots[p.lo+from+j], s.Data[j*k:(j+1)*k])
			}
		})
		row := p.lo + from
		v.g.store(team, gblas.All, Op{block(s, 0, 0, rows, n1), false}, Op{top, false}, block(v.x, row, p.lo, rows, size))
		v.g.store(team, gblas.All, Op{block(s, 0, k-n2, rows, n2), false}, Op{bottom, false},
			block(v.x, row, p.mid, rows, p.hi-p.mid))
	}
}

// vector stores the normalised z~_i/(d_i - x) of a root x, in the order of the gathered rows.
func (v *division) vector(lo int, x root, dst []float64) {
	at := v.pole[lo+x.origin]
	z, d := v.gz[lo:lo+len(dst)], v.gd[lo:lo+len(dst)]
	var square float64
	for i, zi := range z {
		q := zi / ((d[i] - at) - x.tau)
		dst[i] = q
		square += q * q
	}
	f := 1 / math.Sqrt(square)
	for i := range dst {
		dst[i] *= f
	}
}
