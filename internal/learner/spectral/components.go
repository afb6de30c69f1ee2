package spectral

// The null space of a Laplacian, known without arithmetic: one dimension a
// connected component. With weights d (the degrees for the normalised Laplacian,
// 1 for the combinatorial one, and 1 for rows without an edge) and u = D^1/2 f,
// it is spanned by D^1/2 times the components' indicators. A solver that met it
// would return some rotation of them; instead
//
//	contrasts  f_j = a_j on component j, -b_j on all after it, 0 before,
//
// components by falling size (ties: first row first), are orthonormal, f'Df = 1,
// and orthogonal to 1; further eigenvectors are sought outside of it.

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/solve"
	"gonum.org/v1/gonum/mat"
)

// pieces are the components of a graph with their weights.
type pieces struct {
	of     []int     // component of each row, as graph.Components numbers them
	size   []int     // rows of each component
	volume []float64 // sum of d in each component
	order  []int     // components by falling size
	root   []float64 // sqrt(d) of each row
}

func newPieces(g *graph.Graph) *pieces {
	of, count := g.Components()
	p := &pieces{of: of, size: make([]int, count), volume: make([]float64, count), root: make([]float64, g.N)}
	for i, c := range of {
		d := 1.0
		if g.Recipe.Laplacian == graph.Normalised {
			_, w := g.W.Row(i)
			if sum := total(w); sum >= 0x1p-1022 { // as the Laplacian itself draws the line
				d = sum
			}
		}
		p.root[i] = math.Sqrt(d)
		p.size[c]++
		p.volume[c] += d
	}
	for c := range count {
		p.order = append(p.order, c)
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return p.size[b] - p.size[a] })
	return p
}

func total(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// constant is the value of the trivial function, f'Df = 1.
func (p *pieces) constant() float64 { return 1 / math.Sqrt(total(p.volume)) }

// contrasts fills the columns of f with the first contrasts.
func (p *pieces) contrasts(f *mat.Dense) {
	_, m := f.Dims()
	rest := total(p.volume)
	place := make([]int, len(p.order))
	for at, c := range p.order {
		place[c] = at
	}
	for j := range m {
		v := p.volume[p.order[j]]
		rest -= v
		if j+1 == len(p.order)-1 {
			rest = p.volume[p.order[j+1]] // exactly, after the subtractions
		}
		a, b := math.Sqrt(rest/(v*(v+rest))), -math.Sqrt(v/(rest*(v+rest)))
		for i, c := range p.of {
			switch at := place[c]; {
			case at == j:
				f.Set(i, j, a)
			case at > j:
				f.Set(i, j, b)
			}
		}
		solve.Orient(f, j)
	}
}

// project takes the null space from the columns of x, which are of the kind u.
func (p *pieces) project(x *mat.Dense) {
	_, k := x.Dims()
	sum := make([]float64, len(p.volume)*k)
	for i, c := range p.of {
		s, r := sum[c*k:(c+1)*k], p.root[i]
		for j, v := range x.RawRowView(i) {
			s[j] += r * v
		}
	}
	for c, v := range p.volume {
		for j := range k {
			sum[c*k+j] /= v
		}
	}
	for i, c := range p.of {
		s, r := sum[c*k:(c+1)*k], p.root[i]
		row := x.RawRowView(i)
		for j := range row {
			row[j] -= r * s[j]
		}
	}
}
