package solve

import (
	"fmt"
	"math"
	"sort"
)

// Between two knots p and p' of a path alpha = p + beta (p' - p), so |alpha|_1 and
// lambda are linear in beta (signs do not change) and, with dSSE = -lambda d|alpha|_1,
//
//	SSE(beta) = (1-beta) SSE_p + beta SSE_p' - beta (1-beta) bend
//	bend      = (|p'|_1 - |p|_1)(lambda_p - lambda_p')/2 = |H (p' - p)|^2
//
// (Kokshenev 2010, eqs 4.18 to 4.22, corrected: there Y stands for the residual.)

// Bend is |H (p' - p)|^2 of the segment that starts at knot i.
func (p *LassoPath) Bend(i int) float64 {
	a, b := &p.Nodes[i], &p.Nodes[i+1]
	return max(0, (b.L1-a.L1)*(a.Lambda-b.Lambda)/2)
}

// At returns the solution of size |alpha|_1 = l1, by interpolation: exact. Sizes
// beyond the last knot give the last knot, with its actual size. Its non-zeros are
// the active set of the segment.
func (p *LassoPath) At(l1 float64) LassoNode {
	if !(l1 >= 0) {
		panic(fmt.Sprintf("solve: |alpha|_1 of %g", l1))
	}
	last := len(p.Nodes) - 1
	i := sort.Search(last, func(i int) bool { return p.Nodes[i+1].L1 > l1 })
	if i == last {
		return p.Nodes[last]
	}
	return p.Between(i, (l1-p.Nodes[i].L1)/(p.Nodes[i+1].L1-p.Nodes[i].L1))
}

// AtLambda returns the solution of the given lambda; below the last knot's, that.
func (p *LassoPath) AtLambda(lambda float64) LassoNode {
	last := len(p.Nodes) - 1
	if lambda >= p.Nodes[0].Lambda {
		return p.Nodes[0]
	}
	i := sort.Search(last, func(i int) bool { return p.Nodes[i+1].Lambda < lambda })
	if i == last {
		return p.Nodes[last]
	}
	return p.Between(i, (p.Nodes[i].Lambda-lambda)/(p.Nodes[i].Lambda-p.Nodes[i+1].Lambda))
}

// Between returns the solution at beta in [0, 1] of the segment after knot i.
func (p *LassoPath) Between(i int, beta float64) LassoNode {
	a, b := &p.Nodes[i], &p.Nodes[i+1]
	switch beta {
	case 0:
		return *a
	case 1:
		return *b
	}
	mix := func(x, y float64) float64 { return (1-beta)*x + beta*y }
	out := LassoNode{
		Lambda: mix(a.Lambda, b.Lambda), L1: mix(a.L1, b.L1),
		SSE:   max(0, mix(a.SSE, b.SSE)-beta*(1-beta)*p.Bend(i)),
		Index: make([]int32, 0, len(b.Index)+1), Coef: make([]float64, 0, len(b.Index)+1),
	}
	// Merge of two increasing lists.
	for s, t := 0, 0; s < len(a.Index) || t < len(b.Index); {
		is, it := int32(math.MaxInt32), int32(math.MaxInt32)
		if s < len(a.Index) {
			is = a.Index[s]
		}
		if t < len(b.Index) {
			it = b.Index[t]
		}
		var va, vb float64
		if is <= it {
			va = a.Coef[s]
			s++
		}
		if it <= is {
			vb = b.Coef[t]
			t++
		}
		out.Index, out.Coef = append(out.Index, min(is, it)), append(out.Coef, mix(va, vb))
	}
	return out
}

type pairs struct {
	index []int32
	coef  []float64
}

func (p pairs) Len() int           { return len(p.index) }
func (p pairs) Less(i, j int) bool { return p.index[i] < p.index[j] }
func (p pairs) Swap(i, j int) {
	p.index[i], p.index[j] = p.index[j], p.index[i]
	p.coef[i], p.coef[j] = p.coef[j], p.coef[i]
}

// sortPairs sorts by index.
func sortPairs(index []int32, coef []float64) { sort.Sort(pairs{index, coef}) }
