package sparse

import (
	"fmt"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

const (
	// parallelFlops is the size of a product below which starting goroutines
	// (about a microsecond each) costs more than it saves.
	parallelFlops = 1 << 16
	// panelColumns is how many columns of x are multiplied at once where there
	// are many: the panels of 2000 rows (1 MB) stay in the cache while each of
	// their rows is read once an entry.
	panelColumns = 64
)

// MulTo stores a * x in dst (R x k, k the columns of x). dst must not overlap x.
// Each element is summed by one goroutine in the order of the row's entries, so
// the result does not depend on their number. Cost: 2 NNZ k flops.
func (a *CSR) MulTo(dst, x *mat.Dense) { a.PowerTo(dst, x, 1) }

// PowerTo stores a^p * x in dst, p >= 1, a square unless p is 1. Wide x are
// multiplied panel by panel of columns, p times while the panel is in the cache.
// Cost: 2 p NNZ k flops; scratch for p > 1: a panel (n x 64) a core, or n x k for
// narrow x.
func (a *CSR) PowerTo(dst, x *mat.Dense, p int) {
	xr, k := x.Dims()
	dr, dk := dst.Dims()
	if xr != a.C || dr != a.R || dk != k || p < 1 || p > 1 && a.R != a.C {
		panic(fmt.Sprintf("sparse: %dx%d = (%dx%d)^%d * %dx%d", dr, dk, a.R, a.C, p, xr, k))
	}
	workers := min(runtime.GOMAXPROCS(0), a.R)
	if 2*a.NNZ()*k < parallelFlops {
		workers = 1
	}
	panels := (k + panelColumns - 1) / panelColumns
	if panels >= workers {
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
			var scratch [2]*mat.Dense
			for lo := w * panelColumns; lo < k; lo += workers * panelColumns {
				hi := min(lo+panelColumns, k)
				in := x.Slice(0, a.C, lo, hi).(*mat.Dense)
				out := dst.Slice(0, a.R, lo, hi).(*mat.Dense)
				for q := range p {
					to := out
					if q < p-1 {
						if scratch[q%2] == nil {
							scratch[q%2] = mat.NewDense(a.R, panelColumns, nil)
						}
						to = scratch[q%2].Slice(0, a.R, 0, hi-lo).(*mat.Dense)
					}
					a.mulRows(to, in, 0, a.R)
					in = to
				}
			}
		})
	}
	wg.Wait()
}

// byRows shares the rows out, about as many entries to each worker.
func (a *CSR) byRows(dst, x *mat.Dense, workers int) {
	var wg sync.WaitGroup
	for w, lo := 0, 0; w < workers; w++ {
		hi := a.R
		if w+1 < workers {
			hi = a.rowAt(lo, (w+1)*a.NNZ()/workers)
		}
		first := lo // lo moves on while the goroutine runs
		wg.Go(func() { a.mulRows(dst, x, first, hi) })
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

func (a *CSR) mulRows(dst, x *mat.Dense, lo, hi int) {
	xm, dm := x.RawMatrix(), dst.RawMatrix()
	if xm.Cols == 1 {
		for i := lo; i < hi; i++ {
			idx, val := a.Row(i)
			var s float64
			for p, j := range idx {
				s += val[p] * xm.Data[int(j)*xm.Stride]
			}
			dm.Data[i*dm.Stride] = s
		}
		return
	}
	var axpy gonum.Implementation
	for i := lo; i < hi; i++ {
		out := dm.Data[i*dm.Stride : i*dm.Stride+dm.Cols]
		clear(out)
		idx, val := a.Row(i)
		for p, j := range idx {
			in := xm.Data[int(j)*xm.Stride : int(j)*xm.Stride+len(out)]
			axpy.Daxpy(len(out), val[p], in, 1, out, 1)
		}
	}
}
