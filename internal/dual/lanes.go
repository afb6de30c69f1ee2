package dual

import (
	"math"

	"github.com/mercer-ml/mercer/internal/vec"
)

// The inner loops of the solver: one pass over the residuals of a working set, 4
// elements an instruction where the processor has AVX2 (lanes_amd64.go). The plain
// forms do the same operations in the same order, fused where the others fuse, so
// that both give the same bits. Slices have one length, a multiple of 8.

// element is what kernel rows are made of.
type element interface{ float32 | float64 }

// tau replaces curvatures that are not positive, as in LIBSVM.
const tau = 1e-12

// lanes are the eight partial results of a pass, in the order the assembly stores.
type lanes struct {
	best  [8]float64 // extreme of elements 8k + lane
	arg   [8]float64 // index of the first element that has it
	worst [8]float64
}

// first reduces the lanes to the largest value and the first element that has it.
func (l *lanes) first() (best float64, arg int) {
	best, at := l.best[0], l.arg[0]
	for q := 1; q < 8; q++ {
		if v := l.best[q]; v > best || v == best && l.arg[q] < at {
			best, at = v, l.arg[q]
		}
	}
	return best, int(at)
}

// least is the smallest of the worst.
func (l *lanes) least() float64 {
	v := l.worst[0]
	for _, w := range l.worst[1:] {
		v = min(v, w)
	}
	return v
}

// most is the largest of the worst, none below 0.
func (l *lanes) most() (v float64) {
	for _, w := range l.worst {
		v = max(v, w)
	}
	return v
}

// pairUpdatePlain is pairUpdate.
func pairUpdatePlain[E element](f, up, low []float64, ki, kj []E, d float64) (l lanes) {
	for q := range 8 {
		l.best[q], l.worst[q] = math.Inf(-1), math.Inf(1)
	}
	for t := range f {
		q := t & 7
		f[t] = vec.FMA(-d, float64(ki[t])-float64(kj[t]), f[t])
		if v := f[t] + up[t]; v > l.best[q] {
			l.best[q], l.arg[q] = v, float64(t)
		}
		if v := f[t] + low[t]; v < l.worst[q] {
			l.worst[q] = v
		}
	}
	return l
}

// pairGainPlain is pairGain.
func pairGainPlain[E element](f, low, diag []float64, ki []E, fi, kii float64) (l lanes) {
	for t := range f {
		q := t & 7
		b := max(fi-(f[t]+low[t]), 0)
		a := max(vec.FMA(-2, float64(ki[t]), kii+diag[t]), tau)
		if g := b * b / a; g > l.best[q] {
			l.best[q], l.arg[q] = g, float64(t)
		}
	}
	return l
}

// coordinatePlain is coordinate.
func coordinatePlain[E element](f, up, low, diag []float64, k []E, d float64) (l lanes) {
	for t := range f {
		q := t & 7
		f[t] = vec.FMA(-d, float64(k[t]), f[t])
		b := max(f[t]+up[t], -(f[t] + low[t]), 0)
		l.worst[q] = max(l.worst[q], b)
		if g := b * b / diag[t]; g > l.best[q] {
			l.best[q], l.arg[q] = g, float64(t)
		}
	}
	return l
}

// addRowsPlain is addRows from row whole on.
func addRowsPlain[E element](f []float64, k *[4][]E, d *[4]float64, whole int) {
	for t := whole; t < len(f); t++ {
		v := f[t]
		for q := range 4 {
			v = vec.FMA(d[q], float64(k[q][t]), v)
		}
		f[t] = v
	}
}
