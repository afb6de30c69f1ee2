package landmark

// Features in two parts. Those of the first r landmarks are made of each row's kernel values, and taken off the others:
//
//	phi_1 = L_11^-1 k_1,   b = k_2 - L_21 phi_1,   phi_2 = L_22^-1 b,
//
// but L_22 is applied to the sums of products of phi_1 and b and not to the rows, which spares (m - r)^2 n of the 2 n m^2 flops.
//
// Rounding  The sums of b b' are right to some u |B'B|, u = 2^-53, and L_22^-1 makes that larger by up to 1/w, the smallest
//           eigenvalue of C = L_22 L_22', which is K_ZZ less what the first r landmarks explain. With |B'B| ~ n |C|^2/m, as if the
//           landmarks were drawn among the rows, the sums of features are off by some u n |C|^2/(m w), which must be small beside
//           lambda, for S + lambda I is what is solved. The larger r the smaller is C.

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// partError is the estimated error of S, in parts of the smallest lambda, that is allowed. It bounds the relative error that
	// beta has by it, for no eigenvalue of S + lambda I is below lambda.
	partError = 1e-4
	// partRows is how many times more rows than landmarks a sum has at least where that is worth its two solves
	// of a matrix of m columns, 2 m^3 flops.
	partRows = 8
	// fewest landmarks have all features made of the rows, in no time.
	fewest = 32
	// powers is the number of steps of power iteration. They find the order of an eigenvalue, which is enough here.
	powers = 20
)

// division is the blocks of L. There is no second part where the first has all landmarks.
type division struct {
	r      int
	first  blas.Cholesky // L_11
	below  *mat.Dense    // L_21
	second blas.Cholesky // L_22
}

// divide chooses r, the smallest of a few for which rounding does not show at any lambda from o.Least on; all of m where none will do. The
// number of sums that are made says whether a second part is worth its price.
func (l *landmarks) divide(sums int) {
	l.cut = division{r: l.m}
	if l.o.Least <= 0 || l.m < fewest || l.n < partRows*l.m*sums {
		return
	}
	factor := l.f.Factor()
	for _, share := range []int{16, 8, 4} {
		r := l.m / share
		p := division{r: r}
		p.first.Use(factor.Slice(0, r, 0, r).(*mat.Dense))
		p.second.Use(factor.Slice(r, l.m, r, l.m).(*mat.Dense))
		p.below = factor.Slice(r, l.m, 0, r).(*mat.Dense)
		corner := factor.Slice(r, l.m, r, l.m)
		most := power(l.m-r, func(x *mat.Dense) {
			v := mat.NewVecDense(l.m-r, x.RawMatrix().Data)
			v.MulVec(corner.T(), v)
			v.MulVec(corner, v)
		})
		inverse := power(l.m-r, p.second.SolveTo)
		// Not where one of them is no number.
		if 0x1p-53*l.weigh.Total/float64(l.m)*most*most*inverse <= partError*l.o.Least {
			l.cut = p
			return
		}
	}
}

// power returns the largest eigenvalue of the positive definite matrix of order n by which mul multiplies.
func power(n int, mul func(x *mat.Dense)) float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := mat.NewDense(n, 1, nil)
	v := x.RawMatrix().Data
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	for range powers {
		floats.Scale(1/floats.Norm(v, 2), v)
		mul(x)
	}
	return floats.Norm(v, 2)
}

// project replaces kernel values k (rows x m) by phi_1 and b.
func (l *landmarks) project(k *mat.Dense) {
	if l.cut.r == l.m {
		l.f.ProjectRows(k)
		return
	}
	rows, _ := k.Dims()
	a, b := k.Slice(0, rows, 0, l.cut.r).(*mat.Dense), k.Slice(0, rows, l.cut.r, l.m).(*mat.Dense)
	l.cut.first.SolveRight(a)
	blas.Gemm(-1, blas.N(a), blas.T(l.cut.below), 1, b)
}

// complete makes sums of features of those of phi_1 and b.
func (l *landmarks) complete(t *landmarkSums) {
	r := l.cut.r
	if r == l.m {
		return
	}
	for i := r; i < l.m; i++ {
		for j, v := range t.s.RawRowView(i)[r:i] {
			t.s.Set(r+j, i, v)
		}
	}
	corner := t.s.Slice(r, l.m, r, l.m).(*mat.Dense)
	l.cut.second.SolveL(t.s.Slice(r, l.m, 0, r).(*mat.Dense))
	l.cut.second.SolveL(corner)
	l.cut.second.SolveRight(corner)
	l.cut.second.SolveL(t.b.Slice(r, l.m, 0, l.c).(*mat.Dense))
	l.cut.second.SolveL(mat.NewDense(l.m-r, 1, t.phi[r:]))
}
