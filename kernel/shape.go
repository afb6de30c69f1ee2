package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// shape is a kernel k(x, z) = phi(s) that depends on its rows through one number
// only: a squared distance or an inner product, Euclidean or of chi-square.
type shape interface {
	Kernel
	// compares says which of the two s is.
	compares() comparison
	// value replaces each s by phi(s).
	value(s []float64)
	// slope adds sum_j bar_j dphi/dtheta_k(s_j) to grad_k. It leaves s alone.
	slope(grad, s, bar []float64)
}

// comparison is the number s of two rows.
type comparison int

const (
	innerProduct comparison = iota
	distance
)

// pairing is rows prepared for the s of pairs of them.
type pairing interface {
	len() int
	// table names what a Work keeps all s under.
	table(of comparison) string
	// take returns the rows of the given numbers; nil means all, itself.
	take(idx []int) pairing
	// like prepares new rows for sums with own, these rows in a common form.
	like(x data.Rows) (fresh, own pairing, err error)
	// sums begins the s of all pairs with the rows of z in dst; what it returns ends those
	// of rows lo to hi-1, lo a multiple of chunk. If z is these rows themselves only what lies
	// below the diagonal and on it counts.
	sums(dst *mat.Dense, z pairing, of comparison) (end func(lo, hi int))
}

// tableRows is the largest n whose n x n table a Work keeps: 2 GB.
const tableRows = 1 << 14

// shapeGram is a shape bound to rows. Block costs |i||j| d multiplications and
// as many phi; half of both when i and j are the same. With a Work the s of all
// pairs are computed once and shared by all shapes of the same s.
type shapeGram struct {
	k     shape
	train data.Rows
	p     pairing
	w     *Work
}

func bindShape(ctx context.Context, k shape, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	return &shapeGram{k: k, train: train, p: euclidean{newPoints(train, k.compares(), nil)}, w: w}, nil
}

func (g *shapeGram) Len() int           { return g.p.len() }
func (g *shapeGram) Semidefinite() bool { return Definite(g.k) }

// points are the rows where s is Euclidean, else nil.
func (g *shapeGram) points() *points {
	e, _ := g.p.(euclidean)
	return e.points
}

// table returns the s of all pairs if there is a Work to keep them, made by bands of rows if they are
// more than `whole`.
func (g *shapeGram) table(ctx context.Context, whole int) (*mat.Dense, error) {
	n := g.Len()
	if g.w == nil || n > tableRows {
		return nil, nil
	}
	return Shared(g.w, g.p.table(g.k.compares()), func() (*mat.Dense, error) {
		t := mat.NewDense(n, n, nil)
		if n*n <= whole {
			g.pairs(t, g.p, g.p)
			return t, ctx.Err()
		}
		all := indices.To(n)
		for lo, hi := 0, 0; lo < n; lo = hi {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hi = min(lo+bandOf(n, whole), n)
			band := g.p.take(all[lo:hi])
			if lo > 0 {
				g.pairs(t.Slice(lo, hi, 0, lo).(*mat.Dense), band, g.p.take(all[:lo]))
			}
			g.pairs(t.Slice(lo, hi, lo, hi).(*mat.Dense), band, band)
			mirrorBand(t, lo, hi)
		}
		return t, nil
	})
}

// pairs stores the s of the rows of p with those of q, all of both.
func (g *shapeGram) pairs(dst *mat.Dense, p, q pairing) {
	end := p.sums(dst, q, g.k.compares())
	parallel.Pieces(p.len(), chunk, func(lo, hi int) {
		end(lo, hi)
		if p == q {
			mirrorUp(dst, lo, hi)
		}
	})
}

// ready is the table where there is one.
func (g *shapeGram) ready() *mat.Dense {
	t, _ := g.table(context.Background(), wholeBlock) // which fails by its context alone
	return t
}

func (g *shapeGram) Block(dst *mat.Dense, i, j []int) {
	r, m := checkBlock(dst, g.Len(), i, j)
	if r == 0 || m == 0 {
		return
	}
	same := i == nil && j == nil || i != nil && slices.Equal(i, j)
	t := g.ready()
	var end func(lo, hi int)
	if t == nil {
		pi := g.p.take(i)
		pj := pi
		if !same {
			pj = g.p.take(j)
		}
		if g.tiles(dst, pi, pj) {
			return
		}
		end = pi.sums(dst, pj, g.k.compares())
	}
	parallel.Pieces(r, chunk, func(lo, hi int) {
		if t == nil {
			end(lo, hi)
		}
		for a := lo; a < hi; a++ {
			s := row(dst, a)
			if same {
				s = s[:a+1]
			}
			if t != nil {
				gather(s, row(t, at(i, a)), j)
			}
			g.k.value(s)
		}
		if same {
			mirrorUp(dst, lo, hi)
		}
	})
}

func (g *shapeGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	px, own, err := g.p.like(x)
	if err != nil {
		return err
	}
	checkCross(dst, px.len(), g.Len(), j)
	own = own.take(j)
	if g.tiles(dst, px, own) {
		return nil
	}
	end := px.sums(dst, own, g.k.compares())
	parallel.Pieces(px.len(), chunk, func(lo, hi int) {
		end(lo, hi)
		for a := lo; a < hi; a++ {
			g.k.value(row(dst, a))
		}
	})
	return nil
}

// Pull costs what a Block of the same rows and columns costs, besides U V'.
func (g *shapeGram) Pull(grad []float64, bar Cotangent) error {
	np := checkGrad(grad, g.k)
	if np == 0 {
		return nil
	}
	_, m := bar.dims(g.Len())
	t := g.ready()
	var pj pairing
	if t == nil {
		pj = g.p.take(bar.J)
	}
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		s := panelOf(&work, len(i), m)
		var end func(lo, hi int)
		if t == nil {
			end = g.p.take(i).sums(s, pj, g.k.compares())
		}
		part := make([]float64, len(i)*np)
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			if t == nil {
				end(lo, hi)
			}
			for a := lo; a < hi; a++ {
				sa := row(s, a)
				switch {
				case t != nil && bar.J == nil:
					sa = row(t, i[a])
				case t != nil:
					gather(sa, row(t, i[a]), bar.J)
				}
				g.k.slope(part[a*np:(a+1)*np], sa, row(b, a))
			}
		})
		for q, v := range part {
			grad[q%np] += v
		}
	})
	return nil
}

// features are the rows of the linear kernel.
func (g *shapeGram) features() (data.Rows, bool) {
	_, linear := g.k.(Linear)
	return g.train, linear
}

func (g *shapeGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}

// expand is the expansion of a plain kernel: itself.
func expand(k Kernel, train data.Rows, alpha *mat.Dense, j []int) []Expansion {
	if j != nil {
		train = train.Select(j)
	}
	if r, _ := alpha.Dims(); r != train.Len() {
		panic(fmt.Sprintf("kernel: %d coefficients for %d rows", r, train.Len()))
	}
	return []Expansion{{Kernel: k, Centres: train, Coef: alpha}}
}

// at is the training row that index a of the list i means.
func at(i []int, a int) int {
	if i == nil {
		return a
	}
	return i[a]
}

// gather stores from[j[b]] in dst[b].
func gather(dst, from []float64, j []int) {
	if j == nil {
		copy(dst, from)
		return
	}
	for b := range dst {
		dst[b] = from[j[b]]
	}
}

func count(n int, idx []int) int {
	if idx == nil {
		return n
	}
	return len(idx)
}

func checkBlock(dst *mat.Dense, n int, i, j []int) (r, m int) {
	r, m = count(n, i), count(n, j)
	if dr, dm := dst.Dims(); dr != r || dm != m {
		panic(fmt.Sprintf("kernel: block of %dx%d in a matrix of %dx%d", r, m, dr, dm))
	}
	return r, m
}

func checkCross(dst *mat.Dense, r, n int, j []int) {
	m := count(n, j)
	if dr, dm := dst.Dims(); dr != r || dm != m {
		panic(fmt.Sprintf("kernel: cross of %dx%d in a matrix of %dx%d", r, m, dr, dm))
	}
}

func checkGrad(grad []float64, k Kernel) int {
	n := len(k.Space())
	if len(grad) != n {
		panic(fmt.Sprintf("kernel: gradient of length %d for %d parameters", len(grad), n))
	}
	return n
}
