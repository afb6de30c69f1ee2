package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gatherCase is a product with guard words around its result.
type gatherCase struct {
	out    []float64
	idx    []int32
	val, x []float64
	stride int
}

const (
	guard  = 7.0
	guards = 40 // wider than the widest block
)

// newGather draws rows x columns numbers that end with the last row, as a view of a
// wider matrix does, and entries rows of them.
func newGather(r *rand.Rand, rows, columns, stride, entries, offset int, special bool) gatherCase {
	g := gatherCase{stride: stride, out: make([]float64, columns+2*guards)}
	for i := range g.out {
		g.out[i] = guard
	}
	store := make([]float64, offset+(rows-1)*stride+columns)
	for i := range store {
		store[i] = r.NormFloat64()
		if special && r.IntN(9) == 0 {
			store[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, 5e-324}[r.IntN(7)]
		}
	}
	g.x = store[offset:]
	for range entries {
		g.idx = append(g.idx, int32(r.IntN(rows)))
		v := r.NormFloat64()
		if special && r.IntN(4) == 0 {
			v = 0
		}
		g.val = append(g.val, v)
	}
	if entries > 0 {
		g.idx[r.IntN(entries)] = int32(rows - 1) // the last number of x counts
	}
	return g
}

func (g gatherCase) result() []float64 { return g.out[guards : len(g.out)-guards] }

// sameBits also takes one NaN for another.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// gatherFused is the twin of the assembly: the same operations in the same order.
func gatherFused(out []float64, idx []int32, val, x []float64, stride int) {
	for q := range out {
		var s float64
		for p, j := range idx {
			s = math.FMA(val[p], x[int(j)*stride+q], s)
		}
		out[q] = s
	}
}

// forGathers calls f for every width around the blocks, several numbers of entries
// and strides, with and without special values.
func forGathers(f func(name string, g gatherCase)) {
	r := rand.New(rand.NewPCG(5, 6))
	for columns := range 140 {
		for _, entries := range []int{0, 1, 2, 3, 15, 40} {
			for _, wider := range []int{0, 1, 5, 64} {
				special := r.IntN(2) == 0
				g := newGather(r, 1+r.IntN(20), columns, columns+wider, entries, r.IntN(5), special)
				f(fmt.Sprintf("%d columns, %d entries, stride %d, special %v", columns, entries, g.stride, special), g)
			}
		}
	}
}

// The assembly gives the bits of its twin and writes nothing else.
func TestGatherRowsAgreesWithTwin(t *testing.T) {
	forGathers(func(name string, g gatherCase) {
		got, want := g.result(), make([]float64, len(g.result()))
		if AVX2 {
			gatherFused(want, g.idx, g.val, g.x, g.stride)
		} else {
			gatherPlain(want, g.idx, g.val, g.x, g.stride)
		}
		GatherRows(got, g.idx, g.val, g.x, g.stride)
		for q, v := range want {
			if !sameBits(got[q], v) {
				t.Fatalf("%s: element %d is %v, expected %v", name, q, got[q], v)
			}
		}
		for i, v := range g.out {
			if (i < guards || i >= len(g.out)-guards) && v != guard {
				t.Fatalf("%s: written outside, at %d", name, i-guards)
			}
		}
	})
}

// All forms agree with the definition: the rounding of entries products and sums is
// at most entries ulps of the sum of the absolute terms.
func TestGatherRowsAgreesWithDefinition(t *testing.T) {
	forms := map[string]func([]float64, []int32, []float64, []float64, int){
		"chosen": GatherRows, "fused": gatherFused, "plain": gatherPlain,
	}
	forGathers(func(name string, g gatherCase) {
		for form, f := range forms {
			got := g.result()
			f(got, g.idx, g.val, g.x, g.stride)
			for q := range got {
				var sum, size float64
				for p, j := range g.idx {
					v := g.val[p] * g.x[int(j)*g.stride+q]
					sum += v
					size += math.Abs(v)
				}
				tol := float64(len(g.idx)) * (0x1p-52*size + math.SmallestNonzeroFloat64)
				switch {
				case size > 1e300: // overflow may come with one rounding and not with the other
				case math.IsNaN(size): // a NaN, or infinity times 0, stays
					if !math.IsNaN(got[q]) {
						t.Fatalf("%s, %s: element %d is %v, expected NaN", form, name, q, got[q])
					}
				case !(math.Abs(got[q]-sum) <= tol):
					t.Fatalf("%s, %s: element %d is %v, expected %v", form, name, q, got[q], sum)
				}
			}
		}
	})
}

// An infinity gives an infinity of the right sign, two of opposite sign a NaN.
func TestGatherRowsInfinities(t *testing.T) {
	for columns := 1; columns < 70; columns++ {
		x := make([]float64, 3*columns)
		for q := range columns {
			x[q], x[columns+q], x[2*columns+q] = math.Inf(1), 1, math.Inf(-1)
		}
		out := make([]float64, columns)
		for _, c := range []struct {
			idx  []int32
			val  []float64
			want float64
		}{
			{[]int32{0, 1}, []float64{2, 3}, math.Inf(1)},
			{[]int32{0, 1}, []float64{-2, 3}, math.Inf(-1)},
			{[]int32{0, 2}, []float64{1, 1}, math.NaN()},
			{[]int32{0, 2}, []float64{1, -1}, math.Inf(1)},
			{[]int32{0, 1}, []float64{0, 3}, math.NaN()},
		} {
			GatherRows(out, c.idx, c.val, x, columns)
			for q, v := range out {
				if !sameBits(v, c.want) {
					t.Fatalf("%d columns, %v of rows %v: element %d is %v, expected %v", columns, c.val, c.idx, q, v, c.want)
				}
			}
		}
	}
}

// Whatever would read past x must panic before it does, and touch nothing.
func TestGatherRowsRefuses(t *testing.T) {
	x := make([]float64, 30)
	for name, f := range map[string]func(out []float64){
		"weights missing":      func(out []float64) { GatherRows(out, []int32{0, 1}, []float64{1}, x, 10) },
		"one number short":     func(out []float64) { GatherRows(out, []int32{0, 2}, []float64{1, 1}, x[:29], 10) },
		"row past the end":     func(out []float64) { GatherRows(out, []int32{3, 0}, []float64{1, 1}, x, 10) },
		"negative row":         func(out []float64) { GatherRows(out, []int32{-1}, []float64{1}, x, 10) },
		"negative stride":      func(out []float64) { GatherRows(out, []int32{1}, []float64{1}, x, -1) },
		"both negative":        func(out []float64) { GatherRows(out, []int32{-1}, []float64{1}, x, -1) },
		"product overflows":    func(out []float64) { GatherRows(out, []int32{4}, []float64{1}, x, math.MaxInt/2+1) },
		"more columns than x":  func(out []float64) { GatherRows(out, []int32{0}, []float64{1}, x[:9], 0) },
		"nothing to read from": func(out []float64) { GatherRows(out, []int32{0}, []float64{1}, nil, 10) },
	} {
		out := make([]float64, 10)
		for i := range out {
			out[i] = guard
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			f(out)
		}()
		for i, v := range out {
			if v != guard {
				t.Errorf("%s: element %d written", name, i)
			}
		}
	}
}
