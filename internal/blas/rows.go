package blas

import "gonum.org/v1/gonum/blas/blas64"

// Kernels on rows, each with its plain form.

// rowSub subtracts combinations of rows: dst -= sum_{t<k} coef[t inc] x[t ldx:].
func (g *goEngine) rowSub(dst, x []float64, ldx int, coef []float64, inc, k int) {
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
func (g *goEngine) rowDots(out, x []float64, ldx int, v []float64, k int) {
	w := len(v)
	if k == 0 {
		return
	}
	_ = x[(k-1)*ldx+w-1]
	t := 0
	if whole := w &^ 7; !g.plain && hasKernels && whole > 0 {
		for ; t+4 <= k; t += 4 {
			o := out[t : t+4]
			dots4(&x[t*ldx], ldx, whole, &v[0], &o[0])
			for q := range o {
				for j := whole; j < w; j++ {
					o[q] += x[(t+q)*ldx+j] * v[j]
				}
			}
		}
	}
	for ; t < k; t++ {
		var s float64
		for j, c := range x[t*ldx : t*ldx+w] {
			s += c * v[j]
		}
		out[t] = s
	}
}

// divideRow divides x by d.
func (g *goEngine) divideRow(x []float64, d float64) {
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

// turnAll stores x' in dst.
func turnAll(dst, x blas64.General) {
	i := 0
	for ; i+4 <= x.Rows; i += 4 {
		fourColumns(dst.Data[i:], dst.Stride, x.Data[i*x.Stride:], x.Stride, x.Cols)
	}
	for ; i < x.Rows; i++ {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			dst.Data[j*dst.Stride+i] = v
		}
	}
}
