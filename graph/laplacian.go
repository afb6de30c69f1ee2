package graph

// Laplacians of a weight matrix W with degrees D = diag(W 1):
//
//	combinatorial  L = D - W                   f'Lf = 1/2 sum_ij W_ij (f_i - f_j)^2
//	normalised     L = I - D^-1/2 W D^-1/2     f'Lf = 1/2 sum_ij W_ij (f_i/sqrt d_i - f_j/sqrt d_j)^2
//
// the normalised one with zero rows and columns where d_i = 0. Both are positive
// semi-definite with one zero eigenvalue a component; the spectrum of the
// normalised one lies in [0, 2]. Time and memory O(nnz).

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Laplacian returns L, not its power; every row stores its diagonal.
func (g *Graph) Laplacian() *data.CSR {
	return laplacian(g.W, g.W.Value, g.Recipe.Laplacian)
}

// Operator returns the intrinsic norm R = L^p. With Heat weights it has the
// parameter "width" (Space) and can be moved to another width (With).
func (g *Graph) Operator() Operator { return JointOperator([]*Graph{g}) }

// JointOperator is the intrinsic norm R = (1/q sum_v L_v)^p of q graphs on the same rows, one a
// view, with p the degree of the first: functions that are smooth along edges of any of
// them, weighted (Sindhwani 2007, table 2.7, "joint"). The mean of powers would be another norm.
// With Heat weights it has the one parameter "width", tau of all graphs; where none was set
// every graph keeps its own and there is no parameter.
func JointOperator(gs []*Graph) Operator {
	same := !gs[0].joined
	for _, g := range gs[1:] {
		if g.N != gs[0].N {
			panic(fmt.Sprintf("graph: a joint norm of graphs with %d and %d rows", gs[0].N, g.N))
		}
		same = same && !g.joined && g.Recipe.Width == gs[0].Recipe.Width
	}
	if gs[0].Recipe.Weights == Heat && same {
		return newHeatPower(gs, gs[0].Recipe.Width)
	}
	l := make([]*data.CSR, len(gs))
	for q, g := range gs {
		l[q] = g.Laplacian()
	}
	return &Power{L: data.MeanCSR(l), P: gs[0].Recipe.Degree}
}

// laplacian takes the pattern of w and the given weights.
func laplacian(w *data.CSR, weight []float64, kind Laplacian) *data.CSR {
	n := w.R
	l := &data.CSR{R: n, C: n, Start: make([]int, n+1), Index: make([]int32, 0, n+len(weight)), Value: make([]float64, 0, n+len(weight))}
	deg := degrees(w, weight)
	var root []float64
	if kind == Normalised {
		root = inverseRoots(deg)
	}
	for i := range n {
		diagonal := deg[i]
		if kind == Normalised {
			diagonal = 0
			if root[i] > 0 {
				diagonal = 1
			}
		}
		placed := false
		for p := w.Start[i]; p < w.Start[i+1]; p++ {
			j := w.Index[p]
			if !placed && int(j) > i {
				l.Index, l.Value = append(l.Index, int32(i)), append(l.Value, diagonal)
				placed = true
			}
			v := -weight[p]
			if kind == Normalised {
				v *= root[i] * root[j]
			}
			l.Index, l.Value = append(l.Index, j), append(l.Value, v)
		}
		if !placed {
			l.Index, l.Value = append(l.Index, int32(i)), append(l.Value, diagonal)
		}
		l.Start[i+1] = len(l.Index)
	}
	return l
}

func degrees(w *data.CSR, weight []float64) []float64 {
	deg := make([]float64, w.R)
	for i := range deg {
		for _, v := range weight[w.Start[i]:w.Start[i+1]] {
			deg[i] += v
		}
	}
	return deg
}

// inverseRoots is deg^-1/2, 0 for degree 0; a degree below the normal numbers
// counts as 0, for the product of two roots would overflow.
func inverseRoots(deg []float64) []float64 {
	root := make([]float64, len(deg))
	for i, d := range deg {
		if d >= 0x1p-1022 {
			root[i] = 1 / math.Sqrt(d)
		}
	}
	return root
}
