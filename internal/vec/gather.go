package vec

import (
	"fmt"
	"math/bits"
)

// GatherRows stores the combination of rows of x with weights val in out, one row
// of a product of a sparse and a dense matrix:
//
//	out_q = sum_p val_p x[idx_p stride + q],  q < len(out)
//
// Row j of x starts at x[j stride] and has at least len(out) columns; idx and val
// are of one length; out must not overlap x. No entries give zeros. Each element is
// summed from 0 in the order of the entries, by fused multiply-adds where AVX2 is
// true, so it depends neither on its place nor on len(out). NaN and infinities
// count also where their weight is 0.
//
// With AVX2 up to 32 sums stay in 8 registers across the entries: one load and one
// multiply-add for 4 columns of an entry, a store for 4 columns of a row.
// Cost: 2 len(idx) len(out) flops.
func GatherRows(out []float64, idx []int32, val, x []float64, stride int) {
	if len(idx) != len(val) {
		panic(fmt.Sprintf("vec: %d rows with %d weights", len(idx), len(val)))
	}
	if len(idx) == 0 || len(out) == 0 {
		clear(out)
		return
	}
	// A negative row is a large one without sign, as is a negative stride.
	var last uint32
	for _, j := range idx {
		last = max(last, uint32(j))
	}
	over, start := bits.Mul64(uint64(last), uint64(stride))
	if len(out) > len(x) || over != 0 || start > uint64(len(x)-len(out)) {
		panic(fmt.Sprintf("vec: %d columns of row %d, stride %d, from %d numbers", len(out), int32(last), stride, len(x)))
	}
	if !AVX2 {
		gatherPlain(out, idx, val, x, stride)
		return
	}
	gatherAVX2(&out[0], &x[0], len(out), &idx[0], &val[0], len(idx), stride)
}

// gatherPlain adds row after row and leaves the fusing to the compiler: math.FMA is a
// long subroutine where the processor has none.
func gatherPlain(out []float64, idx []int32, val, x []float64, stride int) {
	clear(out)
	for p, j := range idx {
		row, v := x[int(j)*stride:], val[p]
		row = row[:len(out)]
		for q := range out {
			out[q] += v * row[q]
		}
	}
}
