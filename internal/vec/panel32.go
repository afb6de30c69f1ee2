package vec

import "fmt"

// Entries32 are sparse rows in single precision: row a has the entries Start[a] to
// Start[a+1]-1 of Index and Value. It is made by NewEntries32, which checks it once for
// the products that follow, and not changed afterwards.
type Entries32 struct {
	Start   []int
	Index   []int32
	Value   []float32
	columns int
}

// NewEntries32 returns the sparse rows of these parts, which it keeps. It panics where
// starts fall or leave the entries, or an index is outside the columns.
func NewEntries32(start []int, index []int32, value []float32, columns int) *Entries32 {
	if len(start) == 0 || start[0] != 0 || start[len(start)-1] != len(index) || len(index) != len(value) {
		panic(fmt.Sprintf("vec: %d row starts, %d indices, %d values", len(start), len(index), len(value)))
	}
	last := 0
	for _, s := range start {
		if s < last {
			panic("vec: row starts that fall")
		}
		last = s
	}
	for _, k := range index {
		if k < 0 || int(k) >= columns {
			panic(fmt.Sprintf("vec: index %d of %d columns", k, columns))
		}
	}
	return &Entries32{start, index, value, columns}
}

// Columns is the number of columns.
func (e *Entries32) Columns() int { return e.columns }

// MulPanel multiplies rows lo to hi-1 by a narrow dense matrix x of width 32 or 64:
//
//	out_aq = sum_p Value_p x[Index_p width + q],  q < width,  p over the entries of lo + a
//
// Row a of out starts at out[a stride]. Each element is summed from 0 in the order of the
// entries, by fused multiply-adds where AVX2 is true, so it depends neither on its place
// nor on the width.
//
// x should stay in a cache, as its rows are read in the order of the entries. With AVX2
// the sums stay in 4 or 8 registers: one load and one multiply-add for 8 columns of an
// entry. Cost: 2 width flops an entry; multiply-adds a nanosecond on one core of an AMD
// Milan at 3.2 GHz, whose peak is 51 (BenchmarkMulPanel32, the fastest of its runs):
// 28 with 123 rows of width 64, 22 with 1000; of width 32, 18 with 2000, 14 with 8000.
func (e *Entries32) MulPanel(out []float32, stride, width, lo, hi int, x []float32) {
	if lo == hi {
		return
	}
	if width != 32 && width != 64 || len(x) < e.columns*width {
		panic(fmt.Sprintf("vec: a panel of %d numbers, %d wide, for %d columns", len(x), width, e.columns))
	}
	if lo < 0 || hi < lo || hi >= len(e.Start) || stride < width || len(out) < (hi-lo-1)*stride+width {
		panic(fmt.Sprintf("vec: rows %d to %d of %d, stride %d, into %d numbers", lo, hi, len(e.Start)-1, stride, len(out)))
	}
	if !AVX2 || len(e.Index) == 0 {
		e.mulPlain(out, stride, width, lo, hi, x)
		return
	}
	panelAVX2(&out[0], &x[0], stride, width, &e.Start[lo], &e.Index[0], &e.Value[0], hi-lo)
}

// mulPlain leaves the fusing to the compiler.
func (e *Entries32) mulPlain(out []float32, stride, width, lo, hi int, x []float32) {
	for a := lo; a < hi; a++ {
		to := out[(a-lo)*stride:][:width]
		clear(to)
		for p := e.Start[a]; p < e.Start[a+1]; p++ {
			v, row := e.Value[p], x[int(e.Index[p])*width:][:width]
			for q := range to {
				to[q] += v * row[q]
			}
		}
	}
}
