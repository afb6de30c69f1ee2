package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sparseRows have entries out of order and repeated, some rows none.
func sparseRows(r *rand.Rand, rows, d int) *Entries32 {
	e := &Entries32{Start: []int{0}}
	for a := range rows {
		for range a % 5 * 3 {
			e.Index = append(e.Index, int32(r.IntN(d)))
			e.Value = append(e.Value, float32(r.NormFloat64()))
		}
		e.Start = append(e.Start, len(e.Index))
	}
	return NewEntries32(e.Start, e.Index, e.Value, d)
}

func normals(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// Against sums in double precision, within the bound of as many roundings, and nothing
// written between the rows of out.
func TestMulPanel32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{32, 64} {
		for _, rows := range []int{0, 1, 2, 7, 33} {
			const d, guard = 19, 12345.5
			e := sparseRows(r, rows, d)
			x := normals(r, d*width)
			stride := width + 3
			out := make([]float32, rows*stride+8)
			for i := range out {
				out[i] = guard
			}
			for _, mul := range []func(out []float32, stride, width, lo, hi int, x []float32){e.MulPanel, e.mulPlain} {
				mul(out, stride, width, 0, rows, x)
				for i, v := range out {
					a, q := i/stride, i%stride
					if a >= rows || q >= width {
						if v != guard {
							t.Fatalf("width %d, %d rows: written at (%d, %d)", width, rows, a, q)
						}
						continue
					}
					var want, size float64
					for p := e.Start[a]; p < e.Start[a+1]; p++ {
						w := float64(e.Value[p]) * float64(x[int(e.Index[p])*width+q])
						want += w
						size += math.Abs(w)
					}
					if tol := float64(e.Start[a+1]-e.Start[a]) * 0x1p-23 * size; !(math.Abs(float64(v)-want) <= tol) {
						t.Fatalf("width %d, %d rows: (%d, %d) is %v, expected %v", width, rows, a, q, v, want)
					}
				}
			}
		}
	}
}

// An element does not depend on the width, the row's place or the rows around.
func TestMulPanel32Places(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const d, rows, width = 11, 20, 32
	e := sparseRows(r, rows, d)
	x := normals(r, d*64)
	wide := make([]float32, rows*64)
	e.MulPanel(wide, 64, 64, 0, rows, x)
	for lo := 0; lo < 64; lo += width {
		part := make([]float32, d*width)
		for k := range d {
			copy(part[k*width:(k+1)*width], x[k*64+lo:])
		}
		for from := range rows {
			out := make([]float32, rows*width)
			to := min(rows, from+5)
			e.MulPanel(out, width, width, from, to, part)
			for a := from; a < to; a++ {
				for q := range width {
					if got, want := out[(a-from)*width+q], wide[a*64+lo+q]; got != want {
						t.Fatalf("rows from %d: %v, expected %v", from, got, want)
					}
				}
			}
		}
	}
}

func TestMulPanel32Faults(t *testing.T) {
	x := make([]float32, 3*32)
	one := NewEntries32([]int{0, 1, 1}, []int32{2}, []float32{1}, 3)
	for name, f := range map[string]func(){
		"width":   func() { one.MulPanel(make([]float32, 80), 40, 16, 0, 2, x) },
		"out":     func() { one.MulPanel(make([]float32, 63), 32, 32, 0, 2, x) },
		"stride":  func() { one.MulPanel(make([]float32, 64), 31, 32, 0, 2, x) },
		"rows":    func() { one.MulPanel(make([]float32, 96), 32, 32, 0, 3, x) },
		"panel":   func() { one.MulPanel(make([]float32, 64), 32, 32, 0, 2, x[1:]) },
		"column":  func() { NewEntries32([]int{0, 1}, []int32{3}, []float32{1}, 3) },
		"sign":    func() { NewEntries32([]int{0, 1}, []int32{-1}, []float32{1}, 3) },
		"entries": func() { NewEntries32([]int{0, 2}, []int32{0}, []float32{1}, 3) },
		"falling": func() { NewEntries32([]int{0, 2, 1, 2}, []int32{0, 1}, []float32{1, 1}, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			f()
		})
	}
}

func BenchmarkMulPanel32(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ d, entries, width int }{{123, 14, 64}, {1000, 50, 64}, {2000, 50, 32}, {8000, 80, 32}, {40000, 80, 32}} {
		b.Run(fmt.Sprintf("d=%d/%d", c.d, c.width), func(b *testing.B) {
			const rows = 100
			start := []int{0}
			var idx []int32
			for a := range rows {
				for range c.entries {
					idx = append(idx, int32(r.IntN(c.d)))
				}
				start = append(start, (a+1)*c.entries)
			}
			// All numbers are written: pages that never were share one page of zeros, which
			// first-level caches that look up by linear address read at half the speed.
			e, x := NewEntries32(start, idx, normals(r, len(idx)), c.d), normals(r, c.d*c.width)
			out := make([]float32, rows*c.width)
			for b.Loop() {
				e.MulPanel(out, c.width, c.width, 0, rows, x)
			}
			b.ReportMetric(float64(len(idx)*c.width)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "mul-add/ns")
		})
	}
}
