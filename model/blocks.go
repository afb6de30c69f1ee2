package model

// The coefficients of one-versus-one are mostly zero: a centre of one of C classes has a part in C-1 of the C(C-1)/2 outputs at
// most. Centres that have the same outputs are put together, so that their coefficients are a block without the others.
//
// Method  Centres with the most outputs come first. Each goes to the first block that has all its outputs, else to the one that
//
//	gains the fewest by it and does not become larger than the largest of all centres, else to a new one.
//
// Cost    centres x blocks x outputs / 64. A product then takes at most half of the operations, of one-versus-one 2 of C.

import (
	"math/bits"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// leastBlock is how many centres a block must have in the mean: of fewer a product costs more than its operations.
const leastBlock = 8

// block are the coefficients of centres lo to hi-1, in the order that blocksOf gives them.
type block struct {
	lo, hi  int
	outputs []int      // that have any
	coef    *mat.Dense // (hi - lo) x outputs
}

// blocksOf are the blocks of coefficients, n x c, and the order of the centres in which they are blocks; nil where there are none
// that save half of the operations.
func blocksOf(coef *mat.Dense) (order []int, blocks []block) {
	n, c := coef.Dims()
	words := (c + 63) / 64
	has, count := make([]uint64, n*words), make([]int, n)
	most := 0
	for i := range n {
		for o, v := range coef.RawRowView(i) {
			if v != 0 {
				has[i*words+o/64] |= 1 << (o % 64)
				count[i]++
			}
		}
		if most = max(most, count[i]); 2*most > c {
			return nil, nil
		}
	}
	if most == 0 {
		return nil, nil
	}
	rows := indices.To(n)
	slices.SortStableFunc(rows, func(a, b int) int { return count[b] - count[a] })
	var union []uint64 // of each block
	var members [][]int
	for _, i := range rows {
		p := has[i*words : (i+1)*words]
		best, least := -1, most+1
		for b := 0; b < len(members) && least > 0; b++ {
			size, gain := 0, 0
			for w, u := range union[b*words : (b+1)*words] {
				size += bits.OnesCount64(u | p[w])
				gain += bits.OnesCount64(p[w] &^ u)
			}
			if size <= most && gain < least {
				best, least = b, gain
			}
		}
		if best < 0 {
			if best = len(members); (best+1)*leastBlock > n {
				return nil, nil
			}
			members, union = append(members, nil), append(union, make([]uint64, words)...)
		}
		members[best] = append(members[best], i)
		for w := range p {
			union[best*words+w] |= p[w]
		}
	}
	for b, list := range members {
		slices.Sort(list)
		one := block{lo: len(order), hi: len(order) + len(list)}
		order = append(order, list...)
		for o := range c {
			if union[b*words+o/64]>>(o%64)&1 != 0 {
				one.outputs = append(one.outputs, o)
			}
		}
		if len(one.outputs) == 0 {
			continue // centres without any
		}
		one.coef = mat.NewDense(len(list), len(one.outputs), nil)
		for q, i := range list {
			for s, o := range one.outputs {
				one.coef.Set(q, s, coef.At(i, o))
			}
		}
		blocks = append(blocks, one)
	}
	return order, blocks
}

// productRows is the number of rows whose products a processor adds at a time: all blocks of them, so that processors wait for each
// other once and not for every block.
const productRows = 64 // no result depends on it

// addProduct adds K Coef to out, for the kernel values k of rows and the centres from to to-1.
func (b *bound) addProduct(out, k *mat.Dense, from, to int) {
	n, c := out.Dims()
	engine := blas.Alone()
	parallel.Pieces(n, productRows, func(lo, hi int) {
		b.addRows(engine, out.Slice(lo, hi, 0, c).(*mat.Dense), k.Slice(lo, hi, 0, to-from).(*mat.Dense), from, to)
	})
}

// addRows is addProduct on one processor.
func (b *bound) addRows(engine blas.Backend, out, k *mat.Dense, from, to int) {
	n, c := out.Dims()
	if b.blocks == nil {
		engine.Gemm(1, blas.N(k), blas.N(b.plain.Coef.Slice(from, to, 0, c).(*mat.Dense)), 1, out)
		return
	}
	var work []float64
	for _, one := range b.blocks {
		lo, hi, w := max(one.lo, from), min(one.hi, to), len(one.outputs)
		if lo >= hi {
			continue
		}
		work = slices.Grow(work[:0], n*w)[:n*w]
		part := mat.NewDense(n, w, work)
		rows, coef := k.Slice(0, n, lo-from, hi-from).(*mat.Dense), one.coef.Slice(lo-one.lo, hi-one.lo, 0, w).(*mat.Dense)
		engine.Gemm(1, blas.N(rows), blas.N(coef), 0, part)
		for i := range n {
			to, from := out.RawRowView(i), part.RawRowView(i)
			for s, o := range one.outputs {
				to[o] += from[s]
			}
		}
	}
}
