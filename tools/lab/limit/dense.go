package limit

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/kernel"
)

// dense are (a), matrices of order n.
func dense() []job {
	const n = 2000
	return []job{
		{"a", "product", "product: 2 n^3 operations; a matrix read", n, denseTrial(
			func(x, c *mat.Dense) error { blas.Gemm(1, blas.N(x), blas.N(x), 0, c); return nil },
			func(n float64) cost.Work { return cost.Product(n, n, n) })},
		{"a", "Cholesky", "Cholesky: n^3/3 operations; the matrix read and written", n, denseTrial(
			func(_, c *mat.Dense) error { return new(blas.Cholesky).Factor(c) }, cost.Cholesky)},
		{"a", "eigenvectors",
			"eigenvectors: 4/3 n^3 operations to tridiagonal form, 4/3 n^3 to divide and conquer where nothing is" +
				" deflated, 2 n^3 to transform the vectors back; the matrix read and written, though a reduction in " +
				"one stage reads a triangle of what is left for every column, which two stages spare for 2 n^3 " +
				"operations more", n,
			denseTrial(func(_, c *mat.Dense) error {
				return blas.Backend{}.SymEigenInPlace(c, make([]float64, c.RawMatrix().Rows))
			}, func(n float64) cost.Work { return cost.Work{Products: cost.Eigen(n).Products, Passes: 16 * n * n} })},
	}
}

// denseTrial does something to a positive definite matrix x, or to its copy c.
func denseTrial(f func(x, c *mat.Dense) error, work func(n float64) cost.Work) func(context.Context, int) (trial, error) {
	return func(_ context.Context, n int) (trial, error) {
		x, c := normal(n, n).Dense, mat.NewDense(n, n, nil)
		x.Add(x, mat.DenseCopyOf(x.T()))
		for i := range n {
			x.Set(i, i, 4*float64(n))
		}
		return trial{
			size:   by(n, n),
			before: func() { c.Copy(x) },
			run:    func(context.Context) error { return f(x, c) },
			work:   fixed(work(float64(n))),
		}, nil
	}
}

// tables are (b), Gram matrices.
func tables() []job {
	const n, d = 4000, 100
	table := func(k kernel.Kernel, work func(n, m, d float64) cost.Work) func(context.Context, int) (trial, error) {
		return func(_ context.Context, n int) (trial, error) {
			rows, out := normal(n, d), mat.NewDense(n, n, nil)
			k := k.Adapt(rows)
			return trial{size: by(n, d), work: fixed(work(float64(n), float64(n)/2, d)), run: func(ctx context.Context) error {
				g, err := k.Bind(ctx, rows, nil)
				if err == nil {
					g.Block(out, nil, nil)
				}
				return err
			}}, nil
		}
	}
	return []job{
		{"b", "Gram matrix, Gaussian",
			"Gaussian Gram matrix: n^2 d operations and n^2/2 exp; the table written", n,
			table(kernel.Gaussian{}, cost.Gram)},
		{"b", "Gram matrix, L1",
			"L1 Gram matrix: n^2 d absolute differences and sums, 2 n^2 d operations, and n^2/2 exp; the table " +
				"written", n,
			table(kernel.L1Laplacian{}, cost.Absolute)},
	}
}

// The approximate search of package graph: trees, rows of a leaf at most, and rows that one sweep of the descent compares with a row.
const (
	trees = 8
	leaf  = 48
	sweep = 1220
)

// neighbours are (c), lists of ten, of rows on surfaces in 50 columns: rows without a structure have no neighbours to speak of.
func neighbours() []job {
	const k = 10
	search := func(m graph.Method, candidates func(n int) float64) func(context.Context, int) (trial, error) {
		return func(_ context.Context, n int) (trial, error) {
			set, err := data.Builtin(fmt.Sprintf("manifolds:n=%d,noise=0.01", n))
			if err != nil {
				return trial{}, err
			}
			rows := set.Rows
			d := rows.Dim()
			return trial{size: by(n, d), work: fixed(nearest(n, candidates(n), float64(d))), run: func(ctx context.Context) error {
				_, err := graph.NeighbourSearch{Method: m}.Find(ctx, rows, k, graph.Euclidean)
				return err
			}}, nil
		}
	}
	return []job{
		{"c", "neighbours, exact",
			"exact neighbours: the distance of a pair once, n^2 d operations, and compared once by either row, 2 " +
				"n^2; the rows read",
			20000, search(graph.Exact, func(n int) float64 { return float64(n) })},
		{"c", "neighbours, approximate",
			"approximate neighbours: the same with r candidates a row instead of n: those of eight trees and of " +
				"one sweep of the descent; n r (d + 2) operations; the rows read", 200000, search(graph.Approximate, candidates)},
	}
}

// candidates are the rows that a row is compared with in the leaves of all trees and in one sweep.
func candidates(n int) float64 {
	most := n
	for most > leaf {
		most = (most + 1) / 2
	}
	return min(float64(trees*most+sweep), float64(n))
}

// nearest is what it takes to compare each of n rows with so many candidates, the distance of each pair computed once.
func nearest(n int, candidates, d float64) cost.Work {
	return cost.Work{Products: float64(n) * candidates * (d + 2), Passes: 8 * float64(n) * d}
}
