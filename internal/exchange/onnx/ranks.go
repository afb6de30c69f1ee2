package onnx

import (
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// anova is the product of the factors of the groups, N x m.
func (g *graph) anova(k kernel.ANOVA, x value, z *mat.Dense) value {
	var product value
	for at, columns := range groupsOf(k) {
		w := k.Weight[at]
		of := g.ranked
		if whole(k, columns) {
			of = g.equal
		}
		one := of(k, columns, x, z)
		factor := g.add(g.times(one, w/(1+w)), g.scalar(1/(1+w)))
		if at == 0 {
			product = factor
		} else {
			product = g.mul(product, factor)
		}
	}
	return product
}

// groupsOf are the columns of each group.
func groupsOf(k kernel.ANOVA) [][]int {
	groups := make([][]int, len(k.Weight))
	for c := range k.Knots {
		at := c
		if k.Group != nil {
			at = k.Group[c]
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}

// whole says whether a group is compared whole.
func whole(k kernel.ANOVA, columns []int) bool {
	for _, c := range columns {
		if len(k.Knots[c]) > 2 {
			return false
		}
	}
	return true
}

// ranked is exp(-sum |F(x) - F(z)| / sigma).
func (g *graph) ranked(k kernel.ANOVA, columns []int, x value, z *mat.Dense) value {
	n, _ := z.Dims()
	ranks, own := make([]value, len(columns)), mat.NewDense(n, len(columns), nil)
	for q, c := range columns {
		ranks[q] = g.rank(k.Knots[c], g.columns(x, []int{c}))
		for i := range n {
			own.Set(i, q, rankOf(k.Knots[c], z.At(i, c)))
		}
	}
	return g.exp(g.times(g.absolutes(g.beside(ranks...), own), -1/k.Sigma))
}

// rank is the mean over the gaps between knots of what share of a gap is below the value, N x 1. Where both ends are equal it is a half
// at them, and within 1e-12 of what all knots span, as the kernel has it.
func (g *graph) rank(knots []float64, x value) value {
	var lo, gap, from, to []float64
	near := near(knots)
	for q := 1; q < len(knots); q++ {
		if knots[q] > knots[q-1]+near {
			lo, gap = append(lo, knots[q-1]), append(gap, knots[q]-knots[q-1])
		} else {
			from, to = append(from, knots[q-1]-near), append(to, knots[q]+near)
		}
	}
	all := g.times(x, 0)
	if lo != nil {
		part := g.div(g.sub(x, g.row(lo)), g.row(gap))
		all = g.add(all, g.sum(g.least(g.most(part, g.scalar(0)), g.scalar(1)), 1))
	}
	if from != nil {
		above := g.double(g.op("Greater", []value{x, g.row(to)}))
		below := g.double(g.op("Less", []value{x, g.row(from)}))
		all = g.add(all, g.sum(g.times(g.add(g.sub(above, below), g.scalar(1)), 0.5), 1))
	}
	return g.times(all, 1/float64(max(len(knots)-1, 1)))
}

// near is how far from equal knots a value counts as these.
func near(knots []float64) float64 { return 1e-12 * (knots[len(knots)-1] - knots[0]) }

// rankOf is rank of a number.
func rankOf(knots []float64, x float64) float64 {
	var s float64
	near := near(knots)
	for q := 1; q < len(knots); q++ {
		lo, hi := knots[q-1], knots[q]
		switch {
		case hi > lo+near:
			s += min(max((x-lo)/(hi-lo), 0), 1)
		case x > hi+near:
			s++
		case x >= lo-near:
			s += 0.5
		}
	}
	return s / float64(max(len(knots)-1, 1))
}

// equal is 1 where all columns of a group are nearest to the same knots, else 0.
func (g *graph) equal(k kernel.ANOVA, columns []int, x value, z *mat.Dense) value {
	middle := make([]float64, len(columns))
	for q, c := range columns {
		knots := k.Knots[c]
		middle[q] = knots[0]/2 + knots[len(knots)-1]/2
	}
	n, _ := z.Dims()
	own, several := mat.NewDense(n, len(columns), nil), make([]float64, len(columns))
	for q, c := range columns {
		several[q] = float64(len(k.Knots[c]) - 1) // of a column with one knot all values are equal
		for i := range n {
			if z.At(i, c) > middle[q] {
				own.Set(i, q, several[q])
			}
		}
	}
	there := g.double(g.op("Greater", []value{g.columns(x, columns), g.row(middle)}))
	apart := g.absolutes(g.mul(there, g.row(several)), own)
	return g.sub(g.scalar(1), g.least(apart, g.scalar(1)))
}
