package primal

// Preconditioner and start of Machine.CG from m landmarks.
//
// Landmarks J are rows spread over the data, K_JJ + delta I = L L'. The functions
// C w, C = K_J L^-T (n x m), have coefficients K^-1 C w = E_J L^-T w exactly (E_J the
// unit vectors of J) and norm |w|, but for delta, so that in their space everything is
// known without a product with K:
//
//	minimise over w, b:  (1/l) sum V(y, C_L w + b) + w'(gamma_A I + c C'R C) w
//
// is a machine of m features (type features), whose answer starts the iteration, and
// whose Hessian H (m+1, with b) gives the preconditioner of the Hessian 2 gamma_A I +
// B K, self-adjoint in the norm of the kernel: with t = K s and u = L^-1 t_J,
//
//	w, q_b = H^-1 (u, s_b),  q = theta s + E_J L^-T (w - theta u),
//	K q = theta t + C (w - theta u).
//
// On the span of the landmarks it is the inverse, elsewhere theta; 1/theta is the mean
// curvature met there, taken at the start. What remains are the eigenvalues of B times
// K - CC', which fall with those of K.
//
// Cost: kernel columns n m, the products R C, 3 n m^2 flops once, and O(n m + m^2) a
// step and output. Memory: n m doubles, and m^2 an output.
// Sources: Melacci and Belkin 2011, section 4.2 (K as preconditioner: m = 0 here);
// Rudi, Carratino and Rosasco, "FALKON", NIPS 2017 (landmarks for the whole problem).

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// landmarks are J, L and C; m may be 0.
type landmarks struct {
	j       []int
	chol    blas.Cholesky // K_JJ = L L'
	ct      *mat.Dense    // C', m x n
	penalty *mat.Dense    // gamma_A I + c C'R C
}

// newLandmarks chooses at most m landmarks. Without an intrinsic norm only labelled
// rows have coefficients, and only they become landmarks.
func newLandmarks(ctx context.Context, p Machine, k Product, r graph.Operator, labelled []int, m int) (*landmarks, error) {
	if m <= 0 {
		return &landmarks{}, nil
	}
	lm := &landmarks{j: spread(labelled, m)}
	if p.Intrinsic != 0 {
		lm.j = choose(k.Len(), m, labelled)
	}
	m = len(lm.j)
	kjj := mat.NewDense(m, m, nil)
	k.Block(kjj, lm.j, lm.j)
	var top float64
	for a := range m {
		top = max(top, kjj.At(a, a))
	}
	for a := range m {
		kjj.Set(a, a, kjj.At(a, a)+ridge(k.Unit())*top)
	}
	if err := lm.chol.Factor(kjj); err != nil {
		return nil, fmt.Errorf("kernel matrix of %d landmarks: %w; is the kernel positive definite?", m, err)
	}
	lm.ct = mat.NewDense(m, k.Len(), nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k.Block(lm.ct, lm.j, nil)
	lm.chol.SolveL(lm.ct)
	return lm, lm.intrinsic(ctx, p, r)
}

// ridge is delta relative to the largest diagonal element: its root is the share of
// digits that E_J L^-T loses.
func ridge(unit float64) float64 { return math.Sqrt(unit) / 16 }

// choose returns m rows: labelled ones, at most half, and rows spread over all.
func choose(n, m int, labelled []int) []int {
	all := indices.To(n)
	list := make([]int, 0, m)
	seen := make([]bool, n)
	for _, group := range [][]int{spread(labelled, (m+1)/2), spread(all, m)} {
		for _, i := range group {
			if !seen[i] && len(list) < m {
				seen[i] = true
				list = append(list, i)
			}
		}
	}
	return list
}

// spread is at most m of the list, all of it if it is no longer: multiples of the
// golden ratio, which meet no period in the order of the rows.
func spread(list []int, m int) []int {
	if len(list) <= m {
		return list
	}
	out := make([]int, 0, m)
	for i := range m {
		x := float64(i) * (math.Sqrt(5) - 1) / 2
		out = append(out, list[int((x-math.Floor(x))*float64(len(list)))])
	}
	return out
}

// penaltyPanel is the number of columns of R C held at once.
const penaltyPanel = 96

// intrinsic fills the penalty: 2 n m^2 flops.
func (lm *landmarks) intrinsic(ctx context.Context, p Machine, r graph.Operator) error {
	m, n := lm.ct.Dims()
	lm.penalty = mat.NewDense(m, m, nil)
	if p.Intrinsic != 0 {
		w := min(m, penaltyPanel)
		cp, rc := mat.NewDense(n, w, nil), mat.NewDense(n, w, nil)
		for lo := 0; lo < m; lo += w {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+w, m)
			from, to := cp.Slice(0, n, 0, hi-lo).(*mat.Dense), rc.Slice(0, n, 0, hi-lo).(*mat.Dense)
			parallel.Pieces(n, productRows, func(i0, i1 int) {
				for a := lo; a < hi; a++ {
					for i, v := range lm.ct.RawRowView(a)[i0:i1] {
						from.Set(i0+i, a-lo, v)
					}
				}
			})
			r.MulTo(to, from)
			blas.Gemm(p.Intrinsic, blas.N(lm.ct), blas.N(to), 0, lm.penalty.Slice(0, m, lo, hi).(*mat.Dense))
		}
		for a := range m {
			for b := range a {
				v := (lm.penalty.At(a, b) + lm.penalty.At(b, a)) / 2
				lm.penalty.Set(a, b, v)
				lm.penalty.Set(b, a, v)
			}
		}
	}
	for a := range m {
		lm.penalty.Set(a, a, lm.penalty.At(a, a)+p.Ambient)
	}
	return ctx.Err()
}

// features are C_L, the values of c_j on the listed rows, |rows| x m; nil without any.
func (lm *landmarks) features(rows []int) *mat.Dense {
	if len(lm.j) == 0 {
		return nil
	}
	f := mat.NewDense(len(rows), len(lm.j), nil)
	for a := range lm.j {
		from := lm.ct.RawRowView(a)
		for q, i := range rows {
			f.Set(q, a, from[i])
		}
	}
	return f
}

// addFeatures adds C w to dst, of length n.
func (lm *landmarks) addFeatures(dst, w []float64) {
	row := lm.ct.RawRowView
	parallel.Pieces(len(dst), 1024, func(lo, hi int) {
		to, a := dst[lo:hi], 0
		for ; a+3 < len(w); a += 4 { // dst is read once for four rows
			r0, r1, r2, r3 := row(a)[lo:hi], row(a + 1)[lo:hi], row(a + 2)[lo:hi], row(a + 3)[lo:hi]
			w0, w1, w2, w3 := w[a], w[a+1], w[a+2], w[a+3]
			for i := range to {
				to[i] += (w0*r0[i] + w1*r1[i]) + (w2*r2[i] + w3*r3[i])
			}
		}
		for ; a < len(w); a++ {
			axpyVec(to, w[a], row(a)[lo:hi])
		}
	})
}

// addCoefficients adds E_J L^-T w to dst, of length n, and overwrites w.
func (lm *landmarks) addCoefficients(dst, w []float64) {
	lm.chol.SolveLT(mat.NewDense(len(w), 1, w))
	for a, i := range lm.j {
		dst[i] += w[a]
	}
}

// project stores u = L^-1 t_J.
func (lm *landmarks) project(u, t []float64) {
	for a, i := range lm.j {
		u[a] = t[i]
	}
	lm.chol.SolveL(mat.NewDense(len(u), 1, u))
}
