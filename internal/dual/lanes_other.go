//go:build !amd64 || noasm

package dual

// What lanes_amd64.go does by vector instructions.

func pairUpdate[E element](f, up, low []float64, ki, kj []E, d float64) (most float64, arg int, least float64) {
	l := pairUpdatePlain(f, up, low, ki, kj, d)
	most, arg = l.first()
	return most, arg, l.least()
}

func pairGain[E element](f, low, diag []float64, ki []E, fi, kii float64) (gain float64, arg int) {
	l := pairGainPlain(f, low, diag, ki, fi, kii)
	return l.first()
}

func coordinate[E element](f, up, low, diag []float64, k []E, d float64) (gain float64, arg int, worst float64) {
	l := coordinatePlain(f, up, low, diag, k, d)
	gain, arg = l.first()
	return gain, arg, l.most()
}

func addRows[E element](f []float64, k *[4][]E, d *[4]float64) {
	addRowsPlain(f, k, d, 0)
}
