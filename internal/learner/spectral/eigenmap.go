package spectral

// Laplacian eigenmaps: row i is placed at (f_1(i), .., f_m(i)), the functions that
// vary least over the edges,
//
//	minimise  trace F'L F = 1/2 sum_ij W_ij |F_i - F_j|^2   subject to  F'D F = I, F'D 1 = 0,
//
// L = D - W. They are the eigenvectors 2 .. m+1 of L f = lambda D f: with u = D^1/2 f,
// those of the normalised Laplacian; D is I where the graph's recipe says
// combinatorial. The power of the recipe's norm changes no eigenvector and plays
// no part. A graph in pieces has its contrasts (components.go) first, with
// eigenvalue 0.
//
// Cost: solve.Eigen on the sparse Laplacian. Source: Belkin and Niyogi, Neural
// Computation 15 (2003), eq. 3.1; Sindhwani 2007, section 1.2.5, whose sum over ij is
// twice trace F'L F.

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Eigenmap is the recipe of Laplacian eigenmaps. The zero value is ready.
type Eigenmap struct {
	Tolerance   float64 `json:"tolerance,omitempty"`    // residual |L u - lambda u| <= Tolerance |L|; 0 means 1e-7
	MaxProducts int     `json:"max_products,omitempty"` // see solve.EigenOptions
	Seed        uint64  `json:"seed,omitempty"`         // of the iteration's start
}

// Embedding places rows by m functions.
type Embedding struct {
	Coordinates *mat.Dense // n x m, a column a function; the first non-zero entry of each is positive
	Values      []float64  // eigenvalues, ascending: f'Lf of a function with f'Df = 1
	Residual    []float64  // certificate: residual of each eigenpair; 0 for contrasts
	Constant    float64    // the value of the function f_0 = const with f'Df = 1
	Components  int        // of the graph
	Status      solve.Status
	// Expansion computes the coordinates of new rows; nil where they are not known
	// (Eigenmap).
	Expansion *kernel.Expansion
}

// Fit places the rows of g in m dimensions. When the context's time ends before
// the solver's tolerance is met, the best so far is returned, with status
// solve.Unfinished.
func (e Eigenmap) Fit(ctx context.Context, g *graph.Graph, m int) (*Embedding, error) {
	if err := checkDims(g, m); err != nil {
		return nil, err
	}
	p := newPieces(g)
	count := len(p.size)
	out := &Embedding{Coordinates: mat.NewDense(g.N, m, nil), Values: make([]float64, m), Residual: make([]float64, m),
		Constant: p.constant(), Components: count, Status: solve.ResidualSmall}
	zero := min(m, count-1)
	if zero > 0 {
		p.contrasts(out.Coordinates.Slice(0, g.N, 0, zero).(*mat.Dense))
	}
	if zero == m {
		return out, nil
	}
	l := g.Laplacian()
	tol := e.Tolerance
	if tol == 0 {
		tol = 1e-7
	}
	r, err := solve.Eigen(
		ctx,
		l.MulTo,
		g.N,
		m-zero,
		solve.EigenOptions{Tolerance: tol, MaxProducts: e.MaxProducts, Seed: e.Seed, Project: p.project},
	)
	if err != nil && (r.Vectors == nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	out.Status = r.Status
	for j := range m - zero {
		out.Values[zero+j], out.Residual[zero+j] = max(0, r.Values[j]), r.Residual[j]
		for i, root := range p.root {
			out.Coordinates.Set(i, zero+j, r.Vectors.At(i, j)/root)
		}
		solve.Orient(out.Coordinates, zero+j)
	}
	return out, nil
}

func checkDims(g *graph.Graph, m int) error {
	if m < 1 {
		return fmt.Errorf("spectral: %d dimensions; at least 1", m)
	}
	if m >= g.N {
		return fmt.Errorf("spectral: %d dimensions of %d rows; at most %d", m, g.N, max(0, g.N-1))
	}
	return nil
}

// At computes the coordinates of new rows, which an Eigenmap cannot.
func (e *Embedding) At(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
	if e.Expansion == nil {
		return nil, errors.New("spectral: Laplacian eigenmaps place the rows of the graph alone; use Regularised for new rows")
	}
	n := rows.Len()
	_, m := e.Expansion.Coef.Dims()
	out := mat.NewDense(max(n, 1), m, nil)
	gram, err := e.Expansion.Kernel.Bind(ctx, e.Expansion.Centres, nil)
	if err != nil {
		return nil, err
	}
	const block = 512
	k := mat.NewDense(block, e.Expansion.Centres.Len(), nil)
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(n, lo+block)
		idx := make([]int, hi-lo)
		for i := range idx {
			idx[i] = lo + i
		}
		part := k.Slice(0, hi-lo, 0, e.Expansion.Centres.Len()).(*mat.Dense)
		if err := gram.Cross(part, rows.Select(idx), nil); err != nil {
			return nil, err
		}
		out.Slice(lo, hi, 0, m).(*mat.Dense).Mul(part, e.Expansion.Coef)
	}
	return out.Slice(0, n, 0, m).(*mat.Dense), nil
}
