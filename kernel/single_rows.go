package kernel

import (
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// rowsSingle is a kernel of inner products or squared distances on rows u in single
// precision, scaled so that nothing is left to multiply:
//
//	Gaussian    2^(<u,v> - |u|^2/2 - |v|^2/2)   u = (x - mean) sqrt(log2 e)/sigma
//	linear      <u,v>                           u = x
//	polynomial  (<u,v> + offset)^degree         u = x sqrt(scale)
//	sigmoid     tanh(<u,v> + offset)            u = x sqrt(scale)
//
// A block is one product of rows by tiles, the function applied to each tile in cache.
//
// Error, u now being 2^-24: the product of d terms is off by about u (1 + sqrt(d)) |u||v|,
// four standard deviations of a sum whose roundings are independent. For the Gaussian
// the norms add 1 to that: with gamma = 1/(2 sigma^2)
//
//	|dK| <= gamma K u ((2 + sqrt(d)) (|x|^2 + |z|^2) + 2 |x-z| (|x| + |z|)),
//
// x and z measured from the mean; the last term, the rounding of the rows, is small where
// K is not. The first is what is left of the distance of close pairs far from the mean,
// where it cancels. A row is far when gamma |x|^2 > farLimit(d), where that reaches
// singleError at K = 1; pairs of far rows are computed in double precision. A pair of a
// far row and another needs no such care: they are close only where both are near the
// limit. Where most rows are far the whole kernel is computed in double precision.
// Sparse rows are moved in their full columns alone (fullColumns); x and z are then
// measured from there, and d is their most entries.
//
// The polynomial's bound relative to sqrt(K_ii K_jj) is degree u (2 + sqrt(d)), the
// sigmoid's is absolute: u (2 + sqrt(d)) scale max|x|^2; kernels beyond singleError, and
// rows whose inner products floats cannot hold, are computed in double precision.
type rowsSingle struct {
	gram *shapeGram // the same kernel in double precision, without Work
	form singleForm
	set  singleRows
	diag []float64

	sparse bool
	mean   []float64 // the origin: of the prepared rows, or see fullColumns; nil for 0
	order  []int     // of the columns, see ascending; nil for theirs
	factor float64
	limit  float64 // largest |u|^2/2 that is not far
	anyFar bool    // among the training rows
	most   float64 // largest |x|^2 where the kernel is one of inner products

	meet  sync.Pool // *meeting
	pools sparsePools
}

// singleError is the largest error of an entry, as a part of sqrt(K_ii K_jj): a tenth
// of the tolerance 1e-3 to which support vector machines are commonly solved.
const singleError = 1e-4

// unit is the rounding of floats.
const unit = 0x1p-24

// noise is the error of an inner product and two norms of d terms, as a part of their size.
func noise(d int) float64 { return unit * (2 + math.Sqrt(float64(d))) }

// farLimit is the largest gamma |x|^2 of a row of d terms that is not far.
func farLimit(d int) float64 { return singleError / (2 * noise(d)) }

// floatSquare is the largest squared norm whose inner products stay in the range of
// floats, 3.4e38, with room for what they are raised to by rounding.
const floatSquare = 1e38

// singleRows are rows in single precision, dense or sparse, and half their squared norms.
type singleRows struct {
	dense  blas32.General
	sparse *vec.Entries32 // nil for dense
	half   []float32
	far    []bool
}

// singleForm turns the inner products s of a row of half squared norm h with rows of
// half squared norms g into kernel values.
type singleForm func(dst, s []float32, h float32, g []float32)

// single is a shape that can be computed on rows in single precision.
type single interface {
	// single sets form, factor and most for inner products of so many terms; false where they do not do.
	single(s *rowsSingle, terms int) bool
}

// denseBytes is the size up to which sparse rows may be copied as dense ones.
const denseBytes = 256 << 20

// newRowsSingle returns nil where rows in single precision do not do.
func newRowsSingle(g *shapeGram, k shape) *rowsSingle {
	s := &rowsSingle{gram: &shapeGram{k: g.k, train: g.train, p: g.p}, factor: 1}
	p := g.points()
	if p == nil {
		return nil
	}
	n, d := p.len(), p.dim()
	if n == 0 {
		return nil
	}
	entries, terms := entriesOf(p)
	s.sparse = sparsePays(n, d, entries)
	fits := p.dense != nil || 4*int64(n)*int64(d) <= denseBytes
	if !s.sparse {
		if terms = d; !fits {
			return nil
		}
	}
	if own, ok := k.(single); !ok || !own.single(s, terms) {
		return nil
	}
	if k.compares() == innerProduct && s.tooLong(p) {
		return nil
	}
	s.limit = farLimit(terms) * math.Log2E // of |u|^2/2
	if s.sparse {
		if k.compares() == distance {
			var more int
			s.mean, more = fullColumns(p)
			s.limit = farLimit(terms+more) * math.Log2E
		}
		// Where many are far from the origin, dense ones may do.
		if s.set = s.convert(p); 20*s.set.farRows() > n && fits {
			s.sparse, s.limit = false, farLimit(d)*math.Log2E
		}
	}
	if !s.sparse {
		if k.compares() == distance {
			s.mean = meanOf(p)
			s.order = ascending(p, s.mean)
		}
		s.set = s.convert(p)
	}
	far := s.set.farRows()
	if 2*far > n {
		return nil
	}
	s.anyFar = far > 0
	s.diag = make([]float64, n)
	if k.compares() == innerProduct {
		copy(s.diag, p.norm)
	}
	k.value(s.diag)
	return s
}

// tooLong says whether inner products of the rows would leave the bounds.
func (s *rowsSingle) tooLong(p *points) bool { return !(slices.Max(p.norm) <= s.most) }

func (s *rowsSingle) Len() int { return s.gram.Len() }

func (s *rowsSingle) Diagonal(dst []float64) {
	checkDiagonal(dst, s.Len())
	copy(dst, s.diag)
}

func (s *rowsSingle) Block(dst []float32, i, j []int) {
	r, m := checkSingle(dst, count(s.Len(), i), s.Len(), j)
	if r == 0 || m == 0 {
		return
	}
	s.tiles(dst, &s.set, i, j)
	s.farPairs(dst, &s.set, i, j, func(b *mat.Dense, i, j []int) { s.gram.Block(b, i, j) })
	s.diagonal(dst, i, j)
}

// tiles computes dst = k(x_i, train_j) in single precision.
func (s *rowsSingle) tiles(dst []float32, x *singleRows, i, j []int) {
	m := count(s.Len(), j)
	norms := s.set.half
	if j != nil {
		norms = make([]float32, m)
		for b, q := range j {
			norms[b] = s.set.half[q]
		}
	}
	each := func(a0, b0 int, t blas32.General) {
		for a := range t.Rows {
			to := dst[(a0+a)*m+b0:][:t.Cols]
			s.form(to, t.Data[a*t.Stride:][:t.Cols], x.half[at(i, a0+a)], norms[b0:b0+t.Cols])
		}
	}
	if s.sparse {
		sparseTiles(&s.pools, x.sparse, s.set.sparse, i, j, each)
	} else {
		blas.SgemmTiles(x.dense, s.set.dense, i, j, each)
	}
}

// farPairs computes the pairs of far rows again by block, in double precision.
func (s *rowsSingle) farPairs(dst []float32, x *singleRows, i, j []int, block func(b *mat.Dense, i, j []int)) {
	if !s.anyFar {
		return
	}
	r, m := count(len(x.far), i), count(s.Len(), j)
	fi, fj := farOf(x.far, i, r), farOf(s.set.far, j, m)
	if len(fi) == 0 || len(fj) == 0 {
		return
	}
	rows, columns := make([]int, len(fi)), make([]int, len(fj))
	for a, p := range fi {
		rows[a] = at(i, p)
	}
	for b, p := range fj {
		columns[b] = at(j, p)
	}
	size := min(panelRows(len(fj)), len(fi))
	work := mat.NewDense(size, len(fj), nil)
	for lo := 0; lo < len(fi); lo += size {
		hi := min(lo+size, len(fi))
		b := work.Slice(0, hi-lo, 0, len(fj)).(*mat.Dense)
		block(b, rows[lo:hi], columns)
		parallel.Pieces(hi-lo, chunk, func(p, q int) {
			for a := p; a < q; a++ {
				to := dst[fi[lo+a]*m:][:m]
				for e, v := range row(b, a) {
					to[fj[e]] = float32(v)
				}
			}
		})
	}
}

// farOf returns the places in a list of m where far rows stand.
func farOf(far []bool, idx []int, m int) []int {
	var out []int
	for a := range m {
		if far[at(idx, a)] {
			out = append(out, a)
		}
	}
	return out
}

// meeting finds where a list holds a row: first[i] is one more than the first place of
// row i, next[b] one more than the next place of the row at place b.
type meeting struct{ first, next []int32 }

// diagonal stores K_ii wherever i and j meet.
func (s *rowsSingle) diagonal(dst []float32, i, j []int) {
	n := s.Len()
	r, m := count(n, i), count(n, j)
	if j == nil || consecutive(j) {
		for a := range r {
			q := at(i, a)
			if b := q - at(j, 0); b >= 0 && b < m {
				dst[a*m+b] = float32(s.diag[q])
			}
		}
		return
	}
	t, _ := s.meet.Get().(*meeting)
	if t == nil {
		t = &meeting{first: make([]int32, n)}
	}
	if cap(t.next) < m {
		t.next = make([]int32, m)
	}
	next := t.next[:m]
	for b := m - 1; b >= 0; b-- {
		next[b] = t.first[j[b]]
		t.first[j[b]] = int32(b) + 1
	}
	for a := range r {
		q := at(i, a)
		for b := t.first[q]; b > 0; b = next[b-1] {
			dst[a*m+int(b)-1] = float32(s.diag[q])
		}
	}
	for _, q := range j {
		t.first[q] = 0
	}
	s.meet.Put(t)
}

// Cross copies the new rows in single precision, 4096 at a time.
func (s *rowsSingle) Cross(dst []float32, x data.Rows, j []int) error {
	r, m := checkSingle(dst, x.Len(), s.Len(), j)
	const size = 4096 // no result depends on it
	all := indices.To(r)
	for lo := 0; lo < r; lo += size {
		hi := min(lo+size, r)
		part := x
		if size < r {
			part = x.Select(all[lo:hi])
		}
		px, err := s.gram.points().like(part)
		if err != nil {
			return err
		}
		if m == 0 {
			continue
		}
		to := dst[lo*m : hi*m]
		if s.gram.k.compares() == innerProduct && s.tooLong(px) {
			if err := (&roundedSingle{s.gram}).Cross(to, part, j); err != nil {
				return err
			}
			continue
		}
		set := s.convert(px)
		s.tiles(to, &set, nil, j)
		s.farPairs(to, &set, nil, j, func(b *mat.Dense, i, j []int) {
			err = s.gram.Cross(b, part.Select(i), j)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
