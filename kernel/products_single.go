package kernel

// Products of Gaussian kernels on dense rows, panels in single precision.
//
// Method    A processor takes some rows at a time (12 to 96, half a megabyte of K): rows in single
//           precision, moved and scaled as rowsSingle says; their products with the centres, packed once; the
//           Gaussian in place; K V by dot products; K'Y by sums of rows, both widened to double precision as
//           they are read. The panel stays in the second-level cache from beginning to end, and
//           no processor waits for another.
// Sums      G is a sum over rows. The rows are cut into lanes, each with a sum of its own, and the sums are added
//           in their order, so that the result does not depend on who computed what.
// Far rows  pairs of rows and centres both far from the mean are computed in double precision (rowsSingle).

import (
	"context"
	"runtime"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

const (
	// fastPanel is the number of entries of K in a panel: half a megabyte, half of a common
	// second-level cache.
	fastPanel = 1 << 17 // no result depends on it
	// fastRows is the unit of its rows: whole strips of 6 for the product, of 4 for what follows.
	fastRows = 12
	// fastLanes is the number of lanes at most; 8, or as many as have fastSums numbers in their sums.
	fastLanes, fastSums = 64, 1 << 23
)

// fastProducts is what a pass needs; it is not changed.
type fastProducts struct {
	x      *mat.Dense
	z      *rowsSingle
	packed *blas.Packed32
	far    []int   // the centres that are far
	weight float64 // of a Scaled kernel

	// Column k of a row in single precision is (x[from_k] - origin_k) factor_k.
	from           []int
	origin, factor []float64
	wide           int // m rounded up to a multiple of 32, with zeros
	rows           int // in a panel
}

// newFastProducts returns nil for other kernels and rows.
func newFastProducts(g Gram, x data.Rows) *fastProducts {
	f := &fastProducts{x: x.Dense, weight: 1}
	for {
		s, ok := g.(*scaledGram)
		if !ok {
			break
		}
		g, f.weight = s.base, f.weight*s.k.Weight
	}
	switch t := g.(type) {
	case *shapeGram:
		f.z = newRowsSingle(t, t.k)
	case *ardGram:
		f.z = newRowsSingle(t.shapeGram, t.shapeGram.k)
	}
	if f.x == nil || f.z == nil || f.z.sparse || !f.z.gram.k.distance() {
		return nil
	}
	m := f.z.Len()
	f.packed = blas.PackRows32(f.z.set.dense)
	f.far = farOf(f.z.set.far, nil, m)
	f.wide = (m + 31) &^ 31
	f.rows = max(1, min(8, fastPanel/f.wide/fastRows)) * fastRows
	p, d := f.z.gram.points(), x.Dim()
	f.from, f.origin, f.factor = f.z.order, make([]float64, d), make([]float64, d)
	if f.from == nil {
		f.from = numbers(d)
	}
	for k, c := range f.from {
		scale := 1.0
		if p.factor != nil {
			scale = p.factor[c]
		}
		// ((x - shift) scale - mean) factor
		if f.origin[k] = f.z.mean[c] / scale; scale == 0 {
			f.origin[k] = 0
		}
		if p.shift != nil {
			f.origin[k] += p.shift[c]
		}
		f.factor[k] = scale * f.z.factor
	}
	return f
}

// fastPass is what a pass computes: from v it makes K V, which goes to out, or, less what is given and
// times w, to the sum K' diag(w) (K V - 1 less'); from y it makes the sum K'Y.
type fastPass struct {
	v, y, out, sum *mat.Dense
	w, less        []float64
}

// fastScratch is what a processor needs.
type fastScratch struct {
	x, k, half []float32
	far        []int
	kv, r      []float64
}

// pass goes over the rows once.
func (f *fastProducts) pass(ctx context.Context, p fastPass) error {
	n, _ := f.x.Dims()
	c := 0
	var vt []float64 // columns of v, each followed by zeros
	if p.v != nil {
		_, c = p.v.Dims()
		vt = make([]float64, c*f.wide)
		for u := range f.z.Len() {
			for e, v := range row(p.v, u) {
				vt[e*f.wide+u] = v
			}
		}
	} else {
		_, c = p.y.Dims()
	}
	pieces := (n + f.rows - 1) / f.rows
	lanes := min(pieces, max(8, min(fastLanes, fastSums/max(c*f.wide, 1))))
	sums := make([][]float64, lanes)
	var mu sync.Mutex
	var failed error
	pool := make([]*fastScratch, runtime.GOMAXPROCS(0))
	parallel.Workers(len(pool), lanes, 1, func(worker, lane, _ int) {
		s := pool[worker]
		if s == nil {
			s = f.scratch(c)
			pool[worker] = s
		}
		if p.sum != nil {
			sums[lane] = make([]float64, c*f.wide)
		}
		for piece := lane * pieces / lanes; piece < (lane+1)*pieces/lanes; piece++ {
			err := ctx.Err()
			if err == nil {
				err = f.piece(s, p, vt, c, sums[lane], piece*f.rows, min((piece+1)*f.rows, n))
			}
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
		}
	})
	if failed != nil || p.sum == nil {
		return failed
	}
	f.add(p, c, sums)
	return nil
}

// add stores the sum of the lanes' sums.
func (f *fastProducts) add(p fastPass, c int, sums [][]float64) {
	weight := f.weight
	if p.v != nil {
		weight *= f.weight
	}
	for u := range f.z.Len() {
		to := row(p.sum, u)
		for e := range c {
			var s float64
			for _, l := range sums {
				s += l[e*f.wide+u]
			}
			to[e] = weight * s
		}
	}
}

func (f *fastProducts) scratch(c int) *fastScratch {
	_, d := f.x.Dims()
	stride := f.stride()
	return &fastScratch{
		x:    make([]float32, f.rows*d),
		k:    make([]float32, f.rows*stride),
		half: make([]float32, f.rows),
		kv:   make([]float64, f.rows*c),
		r:    make([]float64, f.rows*c),
	}
}

// stride separates rows of a panel by an odd number of cache lines, so that a column of it
// does not fall into a few sets of the cache.
func (f *fastProducts) stride() int { return f.wide + 16 }

// piece does the rows lo to hi-1.
func (f *fastProducts) piece(s *fastScratch, p fastPass, vt []float64, c int, sum []float64, lo, hi int) error {
	if err := f.fill(s, lo, hi); err != nil {
		return err
	}
	h, stride := hi-lo, f.stride()
	kv := s.kv[:h*c]
	if p.v != nil {
		vec.DotRowsMixed(kv, s.k, stride, h, vt, f.wide)
	}
	if p.out != nil {
		for a := range h {
			to := row(p.out, lo+a)
			for e := range to {
				to[e] = f.weight * kv[a*c+e]
			}
		}
	}
	if p.sum == nil {
		return nil
	}
	r := s.r[:h*c] // what K' is applied to, column after column
	for a := range h {
		from := kv[a*c : (a+1)*c]
		if p.y != nil {
			from = row(p.y, lo+a)
		}
		w := 1.0
		if p.w != nil {
			w = p.w[lo+a]
		}
		for e, v := range from {
			if p.less != nil {
				v -= p.less[e]
			}
			r[e*h+a] = w * v
		}
	}
	for e := range c {
		vec.AddRowsMixed(sum[e*f.wide:(e+1)*f.wide], s.k, stride, r[e*h:(e+1)*h])
	}
	return nil
}

// fill computes the rows lo to hi-1 of K, followed by zeros.
func (f *fastProducts) fill(s *fastScratch, lo, hi int) error {
	d, m, stride := len(f.from), f.z.Len(), f.stride()
	s.far = s.far[:0]
	for a := range hi - lo {
		if f.convert(s, a, row(f.x, lo+a)) {
			s.far = append(s.far, lo+a)
		}
	}
	f.packed.MulTo(
		blas32.General{Rows: hi - lo, Cols: m, Stride: stride, Data: s.k},
		blas32.General{Rows: hi - lo, Cols: d, Stride: d, Data: s.x[:(hi-lo)*d]},
	)
	for a := range hi - lo {
		k := s.k[a*stride:][:m]
		f.z.form(k, k, s.half[a], f.z.set.half)
	}
	if len(f.far) == 0 || len(s.far) == 0 {
		return nil
	}
	b := mat.NewDense(len(s.far), len(f.far), nil)
	if err := f.z.gram.Cross(b, data.Rows{Dense: f.x}.Select(s.far), f.far); err != nil {
		return err
	}
	for q, i := range s.far {
		for e, v := range row(b, q) {
			s.k[(i-lo)*stride+f.far[e]] = float32(v)
		}
	}
	return nil
}

// convert stores a row in single precision with half its squared norm, as singleRows have
// them, and says whether it is far.
func (f *fastProducts) convert(s *fastScratch, a int, x []float64) (far bool) {
	to := s.x[a*len(f.from):][:len(f.from)]
	origin, factor := f.origin[:len(to)], f.factor[:len(to)]
	var h [4]float64
	for k, c := range f.from {
		v := float32((x[c] - origin[k]) * factor[k])
		to[k] = v
		h[k&3] += float64(v) * float64(v)
	}
	half := ((h[0] + h[1]) + (h[2] + h[3])) / 2
	if far = !(half <= f.z.limit); far && !(half <= farAway) {
		clear(to)
		half = farAway
	}
	s.half[a] = float32(half)
	return far
}
