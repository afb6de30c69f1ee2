package basis

// Choices that look at no risk, or at none of the candidates:
//
//	random     rows without replacement, each alike
//	uniform    rows at equal distances in the order of the outputs f = Q^-1 T, which for LapRLS are those of graph
//	           transduction: positions 0, s, 2s, ... of the descending order, s = floor(n/d)
//	supervised the rows that a greedy search would choose if the targets of all rows were known: an oracle
//	leverage   rows drawn by their ridge leverage tau_i = [K (K + lambda I)^-1]_ii, with the lambda for which these add up to d
//
// Several outputs share the basis: uniform takes rows of their orders by turns.
// Cost      random none; uniform products with Q; leverage n m kernel values and n m^2 flops on m = 2 d pilot rows.
// Sources   Sindhwani 2007, section 5.2.2; leverage: Alaoui and Mahoney, NeurIPS 2015 (scores on uniform pilots are theirs,
//           the lambda is ours).

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
)

// Random draws rows.
type Random struct{ Seed uint64 }

// Choose implements Chooser.
func (r Random) Choose(_ context.Context, p Problem, size int) (Path, error) {
	if err := p.check(size); err != nil {
		return Path{}, err
	}
	return Path{Centres: r.Of(p.Gram.Len(), size)}, nil
}

// Of draws size of n rows.
func (r Random) Of(n, size int) []int { return rand.New(rand.NewPCG(r.Seed, 0x7a9d03)).Perm(n)[:size] }

// Uniform takes rows at equal distances in the order of the outputs that minimise the risk without a kernel.
type Uniform struct{}

// safeguard of the mean diagonal is added to Q, which is singular where a component of the graph has no label.
const safeguard = 1e-9

// Choose implements Chooser.
func (Uniform) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	if err := p.check(size); err != nil {
		return Path{}, err
	}
	f, err := Transduction(ctx, p)
	if err != nil {
		return Path{}, err
	}
	n, c := f.Dims()
	orders := make([][]int, c)
	for q := range c {
		at := indices.To(n)
		sort.SliceStable(at, func(a, b int) bool { return f.At(at[a], q) > f.At(at[b], q) })
		step := n / min(n, (size+c-1)/c)
		for i := 0; i < n; i += step {
			orders[q] = append(orders[q], at[i])
		}
		for i, j := range at { // where orders share rows, those between
			if i%step != 0 {
				orders[q] = append(orders[q], j)
			}
		}
	}
	return Path{Centres: byTurns(orders, size)}, nil
}

// Transduction returns f = (Q + 1e-9 I)^-1 T (n x c) by conjugate gradients to 1e-8.
func Transduction(ctx context.Context, p Problem) (*mat.Dense, error) {
	n, c := p.Target.Dims()
	f := mat.NewDense(n, c, nil)
	r, err := solve.CG(ctx, func(dst, x *mat.Dense) {
		p.Q.MulTo(dst, x)
		for i := range n {
			to := dst.RawRowView(i)
			for q, v := range x.RawRowView(i) {
				to[q] += safeguard * v
			}
		}
	}, f, p.Target, solve.CGOptions{Tolerance: 1e-8, MaxIterations: 10000})
	if err != nil {
		return nil, err
	}
	if r.Status == solve.Indefinite {
		return nil, fmt.Errorf("basis: labels spread over the graph: %v; take another graph", r.Status)
	}
	return f, nil
}

// Supervised is the oracle: a greedy search that knows the targets of all rows (n x c). It is for comparisons: nobody who knows
// these needs the problem.
type Supervised struct {
	Greedy
	Targets *mat.Dense
}

// Choose implements Chooser.
func (s Supervised) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	path, err := s.Greedy.Choose(ctx, Targets(p.Gram, s.Targets, nil, p.GammaA), size)
	path.Objective = nil // that of another problem
	return path, err
}

// Leverage draws rows by their ridge leverage.
type Leverage struct{ Seed uint64 }

// Choose implements Chooser.
func (l Leverage) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	if err := p.check(size); err != nil {
		return Path{}, err
	}
	tau, err := leverages(ctx, p.Gram, size, l.Seed)
	if err != nil {
		return Path{}, err
	}
	// Keys -log(u)/tau are exponential times: the first of them are a draw without replacement by tau.
	rng, key := rand.New(rand.NewPCG(l.Seed, 0x1e7e6a)), make([]float64, len(tau))
	for i, t := range tau {
		key[i] = -math.Log(1-rng.Float64()) / t
	}
	at := indices.To(len(tau))
	sort.SliceStable(at, func(a, b int) bool { return key[at[a]] < key[at[b]] })
	return Path{Centres: at[:size]}, nil
}

// leverages are tau of all rows from the features of 2 size pilot rows,
//
//	tau_i = phi_i'(Phi'Phi + lambda I)^-1 phi_i + (k_ii - |phi_i|^2)/lambda, at most 1,
//
// the last term for what the pilots do not explain.
func leverages(ctx context.Context, g kernel.Gram, size int, seed uint64) ([]float64, error) {
	n := g.Len()
	pilots := rand.New(rand.NewPCG(seed, 0x9110)).Perm(n)[:min(n, 2*size)]
	slices.Sort(pilots)
	f, err := kernel.NewNystrom(ctx, g, n, pilots, nil)
	if err != nil {
		return nil, err
	}
	m := len(pilots)
	s, values := mat.NewDense(m, m, nil), make([]float64, m)
	on := blas.Within(ctx)
	on.Gemm(1, blas.T(f.Phi), blas.N(f.Phi), 0, s)
	if err := on.Stopped(); err != nil {
		return nil, err
	}
	if err := on.SymEigenInPlace(s, values); err != nil {
		return nil, err
	}
	square := mat.NewDense(n, m, nil) // coordinates along the eigenvectors, squared
	blas.Gemm(1, blas.N(f.Phi), blas.N(s), 0, square)
	rest := kernel.Diagonal(g, nil)
	for i := range n {
		row := square.RawRowView(i)
		for q, v := range row {
			row[q] = v * v
			rest[i] -= row[q]
		}
	}
	tau := make([]float64, n)
	fill := func(lambda float64) (sum float64) {
		for i := range n {
			t := max(rest[i], 0) / lambda
			for q, v := range square.RawRowView(i) {
				t += v / (max(values[q], 0) + lambda)
			}
			tau[i] = min(t, 1)
			sum += tau[i]
		}
		return sum
	}
	top := max(mat.Max(mat.NewVecDense(m, values)), math.SmallestNonzeroFloat64)
	lo, hi := math.Log(top)-30, math.Log(top)+math.Log(float64(n)) // sums fall with lambda
	for range 40 {
		mid := (lo + hi) / 2
		if fill(math.Exp(mid)) > float64(size) {
			lo = mid
		} else {
			hi = mid
		}
	}
	for i := range tau {
		tau[i] = max(tau[i], 1e-12)
	}
	return tau, nil
}
