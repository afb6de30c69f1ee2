package blas

import "gonum.org/v1/gonum/blas/blas64"

// Kernels on rows, each with its plain form.

// rowSub subtracts combinations of rows: dst -= sum_{t<k} coef[t inc] x[t ldx:].
func (g *engine) rowSub(dst, x []float64, ldx int, coef []float64, inc, k int) {
	w := len(dst)
	if w == 0 || k == 0 {
		return
	}
	_, _ = x[(k-1)*ldx+w-1], coef[(k-1)*inc]
	if !g.plain && hasKernels {
		rowSubAVX2(&dst[0], w, &x[0], ldx, &coef[0], inc, k)
		return
	}
	for t := range k {
		f := coef[t*inc]
		for j, v := range x[t*ldx : t*ldx+w] {
			dst[j] -= f * v
		}
	}
}

// rowDots stores in out[t] the sum over x[t ldx:] times v, for t < k.
func (g *engine) rowDots(out, x []float64, ldx int, v []float64, k int) {
	w := len(v)
	if k == 0 {
		return
	}
	_ = x[(k-1)*ldx+w-1]
	whole := w &^ 7
	if g.plain || !hasKernels || whole == 0 {
		for t := range k {
			var s float64
			for j, c := range x[t*ldx : t*ldx+w] {
				s += c * v[j]
			}
			out[t] = s
		}
		return
	}
	var sums [4]float64
	for t := 0; t < k; t += 4 {
		rows, ld := min(4, k-t), ldx
		if rows < 4 && k >= 4 {
			t, rows = k-4, 4 // some for the second time
		}
		if rows < 4 {
			rows, ld = 1, 0 // one row four times
		}
		dots4(&x[t*ldx], ld, whole, &v[0], &sums[0])
		for q, s := range sums[:rows] {
			for j := whole; j < w; j++ {
				s += x[(t+q)*ldx+j] * v[j]
			}
			out[t+q] = s
		}
		if rows == 1 {
			t -= 3
		}
	}
}

// rowDot is the product of two rows.
func (g *engine) rowDot(x, y []float64) float64 {
	var out [1]float64
	if len(x) > 0 {
		g.rowDots(out[:], x, 0, y, 1)
	}
	return out[0]
}

// divideRow divides x by d.
func (g *engine) divideRow(x []float64, d float64) {
	if whole := len(x) &^ 3; !g.plain && hasKernels && whole > 0 {
		divideAVX2(&x[0], whole, d)
		x = x[whole:]
	}
	for i := range x {
		x[i] /= d
	}
}

// fourColumns stores four rows of k numbers, ld apart, in the columns of dst, whose rows are s apart.
func fourColumns(dst []float64, s int, src []float64, ld, k int) {
	whole := k &^ 3
	_, _ = dst[(k-1)*s+3], src[3*ld+k-1]
	if hasKernels && whole > 0 {
		transpose4(&dst[0], s, &src[0], ld, whole)
	} else {
		whole = 0
	}
	for p := whole; p < k; p++ {
		d := dst[p*s : p*s+4]
		d[0], d[1], d[2], d[3] = src[p], src[ld+p], src[2*ld+p], src[3*ld+p]
	}
}

// twoColumns is fourColumns of two rows.
func twoColumns(dst []float64, s int, src []float64, ld, k int) {
	whole := k &^ 3
	_, _ = dst[(k-1)*s+1], src[ld+k-1]
	if hasKernels && whole > 0 {
		transpose2(&dst[0], s, &src[0], ld, whole)
	} else {
		whole = 0
	}
	for p := whole; p < k; p++ {
		d := dst[p*s : p*s+2]
		d[0], d[1] = src[p], src[ld+p]
	}
}

// turnColumns is the number of columns that turnAll turns at a time: the rows of dst that they become stay in the cache.
const turnColumns = 64 // no result depends on it

// turnAll stores x' in dst.
func turnAll(dst, x blas64.General) {
	for j0 := 0; j0 < x.Cols; j0 += turnColumns {
		w := min(turnColumns, x.Cols-j0)
		i := 0
		for ; i+4 <= x.Rows; i += 4 {
			fourColumns(dst.Data[j0*dst.Stride+i:], dst.Stride, x.Data[i*x.Stride+j0:], x.Stride, w)
		}
		for ; i < x.Rows; i++ {
			for j, v := range x.Data[i*x.Stride+j0 : i*x.Stride+j0+w] {
				dst.Data[(j0+j)*dst.Stride+i] = v
			}
		}
	}
}
