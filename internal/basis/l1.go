package basis

// Problem   the coefficients of one output for every weight gamma of their l1 norm, over m candidates C among the rows:
//
//	min over beta of 1/2 beta'H beta - b'beta + gamma |beta|_1,   H = GammaA K_CC + K_CN Q K_NC,   b = K_CN t
//	g_j + gamma sign(beta_j) = 0 where beta_j is not 0,  |g_j| <= gamma elsewhere,   g = H beta - b
//
// Method    Homotopy: on a segment the active set J and its signs s stay; as gamma falls by D, beta_J moves by D d and g by
//           D a, d = H_JJ^-1 s, a = H_CJ d, until
//             (gamma - g_j)/(1 + a_j) or (gamma + g_j)/(1 - a_j)   j enters with the sign -1 or 1
//             -beta_j/d_j                                          j leaves (Lasso; LARS lets beta_j change its sign)
//           g is computed anew at every knot. A function that depends on J is set aside until J shrinks; one that has left
//           is not taken for one that arrives at the bound where it stands.
// Why here  solve.Lasso is given the columns of a factor of H; H = X'X would need all n x n kernel values and their Cholesky
//           factor. Here a column of H is computed when its function enters.
// Cost      n m kernel values for a function that enters, where they cannot be kept, and 2 n m flops; a knot 4 m |J| + |J|^2.
//           Memory m numbers a function that was ever active.
// Source    Sindhwani 2007, section 5.1.2 (the path is said to exist); Efron et al., Annals of Statistics 32 (2004), section 3.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// L1 chooses the functions of a LASSO or LARS path over the kernel columns, in the order in which they entered. Of several outputs
// each has a path, and these give functions by turns.
type L1 struct {
	LARS       bool
	Candidates int // rows that the path may use, drawn once; 0: all
	Seed       uint64
}

// Choose implements Chooser.
func (l L1) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	if err := p.check(size); err != nil {
		return Path{}, err
	}
	rows := indices.To(p.Gram.Len())
	if k := max(l.Candidates, size); l.Candidates > 0 && k < len(rows) {
		rows = rand.New(rand.NewPCG(l.Seed, 0x11a550)).Perm(len(rows))[:k]
		slices.Sort(rows)
	}
	_, c := p.Target.Dims()
	h := newHessian(p, rows)
	orders := make([][]int, c)
	for q := range c {
		k, err := h.follow(ctx, q, L1Options{LARS: l.LARS, Size: size})
		if err != nil {
			return Path{}, err
		}
		orders[q] = k.Active
	}
	return Path{Centres: byTurns(orders, size)}, nil
}

// byTurns takes the first of each order, the second of each, and so on, without repetition.
func byTurns(orders [][]int, size int) []int {
	taken, out := map[int]bool{}, make([]int, 0, size)
	for more := true; more && len(out) < size; {
		more = false
		for q, o := range orders {
			for len(o) > 0 && taken[o[0]] {
				o = o[1:]
			}
			if len(o) > 0 && len(out) < size {
				taken[o[0]], more = true, true
				out = append(out, o[0])
			}
			orders[q] = o
		}
	}
	return out
}

// L1Options says how far a path goes.
type L1Options struct {
	LARS  bool
	Size  int     // ends where so many functions are active; 0: no limit
	Least float64 // ends at this gamma, or at 1e-12 of the greatest
}

// Knot is one solution of the path.
type Knot struct {
	Gamma  float64
	Row    int  // the row whose function enters or leaves here
	Enters bool // false at a leaving, and at the end
	Index  []int
	Coef   []float64
}

// L1Path is the path as its knots, gamma falling; between them the coefficients are linear in gamma.
type L1Path struct {
	Knots     []Knot
	Active    []int   // rows at the end, in the order in which they entered
	Violation float64 // greatest of the conditions above at a knot, relative to the first gamma
}

// hessian computes columns of H when they are asked for.
type hessian struct {
	p       Problem
	dict    *dictionary
	rows    []int
	columns [][]float64
}

func newHessian(p Problem, rows []int) *hessian {
	return &hessian{p: p, dict: p.dictionary(), rows: rows, columns: make([][]float64, len(rows))}
}

func (h *hessian) column(ctx context.Context, j int) ([]float64, error) {
	if h.columns[j] != nil {
		return h.columns[j], nil
	}
	x, err := h.dict.columns(ctx, h.rows[j:j+1])
	if err != nil {
		return nil, err
	}
	values := slices.Clone(x.RawRowView(0))
	out := make([]float64, len(h.rows))
	if err := h.times(ctx, mat.NewDense(len(out), 1, out), formed(h.p.Q, x)); err != nil {
		return nil, err
	}
	for q, i := range h.rows {
		out[q] += h.p.GammaA * values[i]
	}
	h.columns[j] = out
	return out, nil
}

// times stores K_CN x' in dst.
func (h *hessian) times(ctx context.Context, dst, x *mat.Dense) error {
	c, _ := x.Dims()
	for lo := 0; lo < len(h.rows); lo += panel {
		hi := min(lo+panel, len(h.rows))
		k, err := h.dict.columns(ctx, h.rows[lo:hi])
		if err != nil {
			return err
		}
		blas.Gemm(1, blas.N(k), blas.T(x), 0, dst.Slice(lo, hi, 0, c).(*mat.Dense))
	}
	return nil
}

// homotopy is a path under way; numbers are places among the candidates.
type homotopy struct {
	*hessian
	o     L1Options
	path  *L1Path
	gamma float64
	b, g  []float64
	a     []float64
	at    []int8 // of each candidate: inactive, active, aside, left with the sign 1 or -1
	act   []int
	sign  []float64
	beta  []float64
	d     []float64
	chol  blas.Growing
}

const (
	free int8 = iota
	active
	aside
	leftUp
	leftDown
)

// leastGamma is the share of the first gamma at which a path ends: below it g is rounding.
const leastGamma = 1e-12

func (h *hessian) follow(ctx context.Context, output int, o L1Options) (*L1Path, error) {
	m := len(h.rows)
	s := &homotopy{hessian: h, o: o, path: &L1Path{}, b: make([]float64, m), g: make([]float64, m), a: make([]float64, m),
		at: make([]int8, m)}
	t := mat.NewDense(1, h.p.Gram.Len(), mat.Col(nil, output, h.p.Target))
	if err := h.times(ctx, mat.NewDense(m, 1, s.b), t); err != nil {
		return nil, err
	}
	first := 0
	for j, v := range s.b {
		s.g[j] = -v
		if math.Abs(v) > math.Abs(s.b[first]) {
			first = j
		}
	}
	s.gamma = math.Abs(s.b[first])
	if s.gamma == 0 {
		return s.path, nil
	}
	start, size := s.gamma, orAll(o.Size, m)
	least := max(o.Least, leastGamma*start)
	enter, sign := first, math.Copysign(1, s.b[first])
	for steps := 0; steps <= 8*m+8; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if enter >= 0 {
			joined, err := s.join(ctx, enter, sign)
			if err != nil {
				return nil, err
			}
			if joined {
				s.mark(Knot{Row: s.rows[enter], Enters: true})
			}
		}
		if len(s.act) == 0 || len(s.act) >= size {
			break
		}
		s.direct()
		move, next, up, leaves := s.next(least)
		s.advance(move, leaves)
		s.path.Violation = max(s.path.Violation, s.violation()/start)
		enter, sign = next, up
		if leaves >= 0 {
			j := s.act[leaves]
			s.leave(leaves)
			s.mark(Knot{Row: s.rows[j]})
		} else if enter < 0 {
			s.mark(Knot{Row: -1})
			break
		}
	}
	for _, j := range s.act {
		s.path.Active = append(s.path.Active, h.rows[j])
	}
	return s.path, nil
}

// join makes j active; a function that depends on those active is set aside.
func (s *homotopy) join(ctx context.Context, j int, sign float64) (bool, error) {
	column, err := s.column(ctx, j)
	if err != nil {
		return false, err
	}
	z := s.chol.Next()
	for t, i := range s.act {
		z[t] = column[i]
	}
	s.chol.Forward(z)
	left := column[j] - floats.Dot(z, z)
	if left <= dependent*column[j] {
		s.at[j] = aside
		return false, nil
	}
	s.chol.Append(left)
	s.at[j] = active
	s.act, s.sign, s.beta = append(s.act, j), append(s.sign, sign), append(s.beta, 0)
	return true, nil
}

// direct computes d and a.
func (s *homotopy) direct() {
	s.d = append(s.d[:0], s.sign...)
	s.chol.Solve(s.d)
	s.sum(s.a, s.d)
}

// sum stores H_CJ x.
func (s *homotopy) sum(dst, x []float64) {
	clear(dst)
	for t, j := range s.act {
		floats.AddScaled(dst, x[t], s.columns[j])
	}
}

// next finds how far the segment goes, and what ends it: a candidate that enters with a sign, the place of one that leaves,
// or neither (-1), at the least gamma.
func (s *homotopy) next(least float64) (move float64, enter int, sign float64, leaves int) {
	move, enter, leaves = s.gamma-least, -1, -1
	for j, at := range s.at {
		if at == active || at == aside {
			continue
		}
		if by := max(s.gamma-s.g[j], 0) / (1 + s.a[j]); at != leftDown && 1+s.a[j] > 0 && by < move {
			move, enter, sign = by, j, -1
		}
		if by := max(s.gamma+s.g[j], 0) / (1 - s.a[j]); at != leftUp && 1-s.a[j] > 0 && by < move {
			move, enter, sign = by, j, 1
		}
	}
	if s.o.LARS {
		return move, enter, sign, leaves
	}
	for t, b := range s.beta {
		if by := -b / s.d[t]; b != 0 && by > 0 && by < move {
			move, enter, leaves = by, -1, t
		}
	}
	return move, enter, sign, leaves
}

// advance moves to the next knot.
func (s *homotopy) advance(move float64, leaves int) {
	floats.AddScaled(s.beta, move, s.d)
	if leaves >= 0 {
		s.beta[leaves] = 0
	}
	s.gamma -= move
	s.sum(s.g, s.beta)
	floats.Sub(s.g, s.b)
	for j, at := range s.at {
		if at == leftUp || at == leftDown {
			s.at[j] = free
		}
	}
}

// violation is the greatest of the conditions of optimality.
func (s *homotopy) violation() float64 {
	var worst float64
	for j, at := range s.at {
		if at == free {
			worst = max(worst, math.Abs(s.g[j])-s.gamma)
		}
	}
	for t, j := range s.act {
		worst = max(worst, math.Abs(s.g[j]+s.gamma*s.sign[t]))
	}
	return worst
}

// leave takes the active function at place t out.
func (s *homotopy) leave(t int) {
	j := s.act[t]
	s.chol.Remove(t)
	for i, at := range s.at {
		if at == aside {
			s.at[i] = free
		}
	}
	s.at[j] = leftUp
	if s.sign[t] < 0 {
		s.at[j] = leftDown
	}
	s.act, s.sign, s.beta = slices.Delete(s.act, t, t+1), slices.Delete(s.sign, t, t+1), slices.Delete(s.beta, t, t+1)
}

// mark writes the present solution down as a knot.
func (s *homotopy) mark(k Knot) {
	k.Gamma, k.Coef = s.gamma, slices.Clone(s.beta)
	for _, i := range s.act {
		k.Index = append(k.Index, s.rows[i])
	}
	s.path.Knots = append(s.path.Knots, k)
}

func orAll(size, m int) int {
	if size == 0 {
		return m + 1
	}
	return size
}
