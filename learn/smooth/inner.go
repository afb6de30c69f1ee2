package smooth

// The inner Hessian of the kernel form. With D = diag(d), d = c V'' >= 0, the rows
// A = {d > 0}, S = diag(sqrt(d_A)), and K standing for K + 11' when Augmented,
//
//	(I + D K) p + D 1 q = -rho,    1'p = -sigma (free offset; else q = 0)
//
// is solved through the symmetric B = I + S K_AA S, whose eigenvalues are >= 1 however
// singular K is and however small d:
//
//	w = S B^-1 S ((K rho)_A),   v = S B^-1 S 1,
//	p = -rho + w - q v,         q = (sigma + sum w - sum rho) / sum v
//
// (Rasmussen and Williams 2006, section 3.4, for Gaussian processes; Klatzer 2014, eq. 3.7,
// reduced to the active rows.) Where sum v = 0, no row has curvature and b is free to
// move: q = 0.
//
// Cost   |A|^3/3 flops and |A|^2 numbers for B, 2 l |A| + 2 |A|^2 flops a solution.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

type inner struct {
	k      *mat.Dense
	offset Offset
	active []int
	s      []float64 // of the active rows
	v      []float64 // free offset only
	sumV   float64
	chol   blas.Cholesky
	store  []float64 // of B, kept between factorisations
	x      []float64 // scratch, |A|
}

func (n *inner) augmented() bool { return n.offset == Augmented }

// matches tells whether B was made for this d.
func (n *inner) matches(d []float64) bool {
	q := 0
	for i, v := range d {
		if v > 0 {
			if q == len(n.active) || n.active[q] != i || n.s[q] != math.Sqrt(v) {
				return false
			}
			q++
		}
	}
	return q == len(n.active) && n.x != nil
}

// factor makes B of d and factors it within the context, whose error it returns. Half of the matrix is
// gathered, by rows.
func (n *inner) factor(ctx context.Context, d []float64) error {
	n.active, n.s = n.active[:0], n.s[:0]
	for i, v := range d {
		if v > 0 {
			n.active = append(n.active, i)
			n.s = append(n.s, math.Sqrt(v))
		}
	}
	a := len(n.active)
	n.x = make([]float64, a)
	n.v, n.sumV = n.v[:0], 0
	n.chol = blas.Cholesky{Backend: blas.Within(ctx)}
	if a == 0 {
		return nil
	}
	if cap(n.store) < a*a { // half as much again, so that a growing set allocates seldom
		n.store = make([]float64, min(a*a+a*a/2, len(d)*len(d)))
	}
	m := mat.NewDense(a, a, n.store[:a*a])
	var extra float64
	if n.augmented() {
		extra = 1
	}
	pieces(a, rowChunk, a*a, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			row, from, sp := m.RawRowView(p)[:p+1], n.k.RawRowView(n.active[p]), n.s[p]
			for q := range row {
				row[q] = sp * n.s[q] * (from[n.active[q]] + extra)
			}
			row[p]++
		}
	})
	err := n.chol.Factor(m)
	stopped := n.chol.Backend.Stopped()
	n.chol.Backend = blas.Backend{} // solutions are short, and asked for when the context is another
	if err != nil {
		n.x = nil
		if stopped != nil {
			return stopped
		}
		return fmt.Errorf(
			"smooth: the Gram matrix is not positive semidefinite to working precision at this C (%d rows with curvature): %w",
			a,
			err,
		)
	}
	if n.offset == Free {
		n.v = append(n.v, make([]float64, a)...)
		for q := range n.v {
			n.v[q] = 1
		}
		n.apply(n.v)
		n.sumV = sum(n.v)
	}
	return nil
}

// apply replaces x (|A|) by S B^-1 S x.
func (n *inner) apply(x []float64) {
	if len(x) == 0 {
		return
	}
	for q, s := range n.s {
		x[q] *= s
	}
	n.chol.SolveTo(mat.NewDense(len(x), 1, x))
	for q, s := range n.s {
		x[q] *= s
	}
}

// direction stores the solution p, q of the system above for rho and sigma.
func (n *inner) direction(p, rho []float64, sigma float64) (q float64) {
	mulRows(n.x, n.k, n.active, rho, n.augmented())
	n.apply(n.x)
	if n.sumV > 0 {
		q = (sigma + sum(n.x) - sum(rho)) / n.sumV
	}
	for i, v := range rho {
		p[i] = -v
	}
	for a, i := range n.active {
		p[i] += n.x[a]
		if q != 0 {
			p[i] -= q * n.v[a]
		}
	}
	return q
}
