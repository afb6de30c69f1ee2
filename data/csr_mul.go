package data

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/mat"
)

const (
	// parallelFlops is the size of a product below which starting goroutines
	// (about a microsecond each) costs more than it saves.
	parallelFlops = 1 << 16
	// panelColumns is the width of the panels into which a wide x is cut: a copy of
	// 2000 rows (768 kB) stays near a core with 512 kB of second-level cache. Of the
	// widths 16, 32, 48, 64, 128 and 256, 32 and this took the least time from n = 2000 on.
	panelColumns = 48
	// panelEntries is the mean number of times a row of x must be read to be worth
	// its copy: random patterns with n = 2000 to 10000 break even at about 15.
	panelEntries = 16
)

// MulTo stores a * x in dst (R x k, k the columns of x). dst must not overlap x.
// Each element is summed by one goroutine in the order of the row's entries, so
// the result does not depend on their number. Cost: 2 NNZ k flops.
func (a *CSR) MulTo(dst, x *mat.Dense) { a.PowerTo(dst, x, 1) }

// PowerTo stores a^p * x in dst, p >= 1, a square unless p is 1. Where x is wide and
// its rows are read often, a panel of columns at a time is copied and multiplied p
// times while it is in the cache: x is read and dst written once whatever p is.
// Cost: 2 p NNZ k flops; scratch a panel (C x 48) a core, two for p > 1, or for
// narrow x p/2 times n x k.
func (a *CSR) PowerTo(dst, x *mat.Dense, p int) {
	xr, k := x.Dims()
	dr, dk := dst.Dims()
	if xr != a.C || dr != a.R || dk != k || p < 1 || p > 1 && a.R != a.C {
		panic(fmt.Sprintf("data: %dx%d = (%dx%d)^%d * %dx%d", dr, dk, a.R, a.C, p, xr, k))
	}
	workers := min(runtime.GOMAXPROCS(0), a.R)
	if 2*a.NNZ()*k < parallelFlops {
		workers = 1
	}
	panels := (k + panelColumns - 1) / panelColumns
	if panels > 1 && panels >= workers && (p > 1 || a.NNZ() >= panelEntries*a.C) {
		a.byPanels(dst, x, p, min(workers, panels))
		return
	}
	in := x
	for q := p; q > 0; q-- {
		out := dst
		if q%2 == 0 { // the last product lands in dst
			out = mat.NewDense(dr, dk, nil)
		}
		a.byRows(out, in, workers)
		in = out
	}
}

// byPanels shares the panels of columns out among the workers.
func (a *CSR) byPanels(dst, x *mat.Dense, p, workers int) {
	_, k := x.Dims()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			// The copy of x and the products but the last alternate between two panels.
			var scratch [2]*mat.Dense
			for q := range min(p, 2) {
				scratch[q] = mat.NewDense(a.C, panelColumns, nil)
			}
			for lo := w * panelColumns; lo < k; lo += workers * panelColumns {
				hi := min(lo+panelColumns, k)
				in := scratch[0].Slice(0, a.C, 0, hi-lo).(*mat.Dense)
				in.Copy(x.Slice(0, a.C, lo, hi))
				for q := 1; q < p; q++ {
					to := scratch[q%2].Slice(0, a.C, 0, hi-lo).(*mat.Dense)
					a.mulRows(to, in, 0, a.R)
					in = to
				}
				a.mulRows(dst.Slice(0, a.R, lo, hi).(*mat.Dense), in, 0, a.R)
			}
		})
	}
	wg.Wait()
}

// byRows shares the rows out, about as many entries to each worker.
func (a *CSR) byRows(dst, x *mat.Dense, workers int) {
	mul := a.mulRows
	if _, k := x.Dims(); k == 1 {
		mul = a.mulVector
	}
	var wg sync.WaitGroup
	for w, lo := 0, 0; w < workers; w++ {
		hi := a.R
		if w+1 < workers {
			hi = a.rowAt(lo, (w+1)*a.NNZ()/workers)
		}
		first := lo // lo moves on while the goroutine runs
		wg.Go(func() { mul(dst, x, first, hi) })
		lo = hi
	}
	wg.Wait()
}

// rowAt returns the first row from lo on that starts at entry p or later.
func (a *CSR) rowAt(lo, p int) int {
	hi := a.R
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); a.Start[m] < p {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// mulRows stores the rows lo to hi-1 of a * x.
func (a *CSR) mulRows(dst, x *mat.Dense, lo, hi int) {
	xm, dm := x.RawMatrix(), dst.RawMatrix()
	for i := lo; i < hi; i++ {
		idx, val := a.Row(i)
		vec.GatherRows(dm.Data[i*dm.Stride:i*dm.Stride+dm.Cols], idx, val, xm.Data, xm.Stride)
	}
}

// mulVector does so for a single column without a call a row, which would add half to
// its time at 15 entries a row.
func (a *CSR) mulVector(dst, x *mat.Dense, lo, hi int) {
	xm, dm := x.RawMatrix(), dst.RawMatrix()
	for i := lo; i < hi; i++ {
		idx, val := a.Row(i)
		var s float64
		for p, j := range idx {
			s += val[p] * xm.Data[int(j)*xm.Stride]
		}
		dm.Data[i*dm.Stride] = s
	}
}
