package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

func oldMirror(m *mat.Dense, lo, hi int) {
	const line = 8 // no result depends on it
	raw := m.RawMatrix()
	d, ld := raw.Data, raw.Stride
	for i0 := lo; i0 < hi; i0 += line {
		i1 := min(i0+line, hi)
		j0 := 0
		for ; j0+line <= i0 && i1-i0 == line; j0 += line {
			p0, p1, p2, p3 := d[i0*ld+j0:][:line], d[(i0+1)*ld+j0:][:line], d[(i0+2)*ld+j0:][:line], d[(i0+3)*ld+j0:][:line]
			p4, p5, p6, p7 := d[(i0+4)*ld+j0:][:line], d[(i0+5)*ld+j0:][:line], d[(i0+6)*ld+j0:][:line], d[(i0+7)*ld+j0:][:line]
			for j := range line {
				*(*[line]float64)(d[(j0+j)*ld+i0:]) = [line]float64{p0[j], p1[j], p2[j], p3[j], p4[j], p5[j], p6[j], p7[j]}
			}
		}
		for i := i0; i < i1; i++ {
			for j, v := range d[i*ld+j0 : i*ld+max(i, j0)] {
				d[(j0+j)*ld+i] = v
			}
		}
	}
}

func TestZZ(t *testing.T) {
	n := 4000
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = rand.NormFloat64()
	}
	b.Copy(a)
	for range 6 {
		t0 := time.Now()
		for lo := 0; lo < n; lo += chunk {
			oldMirror(a, lo, min(lo+chunk, n))
		}
		t1 := time.Now()
		for lo := 0; lo < n; lo += chunk {
			mirrorUp(b, lo, min(lo+chunk, n))
		}
		t2 := time.Now()
		fmt.Println("old", t1.Sub(t0), "new", t2.Sub(t1), mat.Equal(a, b))
	}
}
