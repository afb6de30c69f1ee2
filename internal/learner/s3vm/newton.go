package s3vm

// Problem   that of weighted.go with V(t) = max(0, 1 - t)^2.
// Method    P is quadratic on the piece of the outputs f where the same losses are positive. With
//
//             D_i = 2 (plus_i [f_i < 1] + minus_i [f_i > -1]),  A = {i: D_i > 0},
//             t_i = 2 (plus_i [f_i < 1] - minus_i [f_i > -1]) / D_i
//
//           its minimum solves
//
//             (K_AA + D_A^-1) alpha_A + b 1 = t_A,  1'alpha_A = 0 (with an offset),  alpha = 0 elsewhere
//
//           A step goes towards that minimum, to the almost exact minimum along the way; it ends where the
//           minimum lies in its own piece, after finitely many steps. The matrix does not depend on labels,
//           so its Cholesky factor is kept from one training to the next and follows the rows that come and go.
// Cost      a step: 2 n |A| flops for the outputs and |A|^2 for every row of A that came or went, or |A|^3/3
//           where these are many. Memory: |A|^2 numbers.
// Source    Sindhwani 2007, section 3.5.1 (whose search along the ray is garbled); Keerthi and DeCoste, JMLR 6
//           (2005), section 4, for the finite end.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/learn/smooth"
)

const (
	// weightedSteps limits the steps of one training. Some ten are usual.
	weightedSteps = 500
	// kink is how near to the margin, in f, a row may lie on either side of it. Its loss there is 1e-22 of its cost.
	kink = 1e-11
	// drifted is the residual of the system, relative to its targets of 1, from which the factor
	// is computed anew: each update adds some 1e-16 of the condition to it.
	drifted = 1e-9
	// fewUpdates and shareUpdates of the rows are how many may come and go before the factor is computed as a
	// whole: updates are vectors, and the whole is products of matrices.
	fewUpdates, shareUpdates = 4, 16
)

// newton trains a weighted machine with the squared hinge.
type newton struct {
	*weighted
	next          *function // the minimum of the piece
	met           bool      // the function at hand is that of the piece in which it lies
	curve, target []float64 // D and t of all rows at the present function

	factor   blas.Growing // of K_AA + D_A^-1
	active   []int        // A, in the order of the factor
	curved   []float64    // D of the active rows
	at1      []int        // place in active plus one; 0: none
	rhs, one []float64    // a number an active row
	store    []float64    // of a factor that is computed as a whole
}

func newNewton(m *weighted) *newton {
	n := len(m.plus)
	return &newton{
		weighted: m, next: newFunction(n), curve: make([]float64, n), target: make([]float64, n), at1: make([]int, n),
	}
}

// train implements weighted.train.
func (m *newton) train(ctx context.Context) error {
	for range weightedSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.pieces()
		if err := m.minimum(ctx); err != nil {
			return err
		}
		m.steps++
		if m.met = m.inside(); m.met {
			m.at, m.next = m.next, m.at
			break
		}
		if !m.step() {
			break // rounding hides what is left to gain
		}
	}
	m.residual = m.gradient()
	return nil
}

// pieces stores D and t at the present outputs.
func (m *newton) pieces() {
	for i, f := range m.at.f {
		var up, down float64
		if f < 1 {
			up = m.plus[i]
		}
		if f > -1 {
			down = m.minus[i]
		}
		m.curve[i], m.target[i] = 2*(up+down), 0
		if up+down > 0 {
			m.target[i] = (up - down) / (up + down)
		}
	}
}

// inside says whether the minimum of the piece lies in it.
func (m *newton) inside() bool {
	for i, f := range m.next.f {
		was := m.at.f[i]
		if m.plus[i] > 0 && (was < 1) != (f < 1) && math.Abs(f-1) > kink ||
			m.minus[i] > 0 && (was > -1) != (f > -1) && math.Abs(f+1) > kink {
			return false
		}
	}
	return true
}

// minimum stores the minimum of the piece in next.
func (m *newton) minimum(ctx context.Context) error {
	fresh, err := m.follow(ctx)
	if err != nil {
		return err
	}
	for {
		m.solve()
		m.outputs(m.next)
		if fresh || m.error() <= drifted {
			return nil
		}
		if fresh, err = true, m.whole(ctx); err != nil {
			return err
		}
	}
}

// solve stores the coefficients and the offset of the minimum of the piece.
func (m *newton) solve() {
	m.rhs = m.rhs[:0]
	for _, i := range m.active {
		m.rhs = append(m.rhs, m.target[i])
	}
	m.factor.Solve(m.rhs)
	m.next.b = 0
	if m.offset {
		if m.next.b = m.at.b; len(m.active) > 0 {
			m.one = m.one[:0]
			for range m.active {
				m.one = append(m.one, 1)
			}
			m.factor.Solve(m.one)
			m.next.b = floats.Sum(m.rhs) / floats.Sum(m.one)
			floats.AddScaled(m.rhs, -m.next.b, m.one)
		}
	}
	clear(m.next.alpha)
	for a, i := range m.active {
		m.next.alpha[i] = m.rhs[a]
	}
}

// error is the largest residual of the system at next.
func (m *newton) error() (most float64) {
	for _, i := range m.active {
		most = max(most, math.Abs(m.target[i]-m.next.f[i]-m.next.alpha[i]/m.curve[i]))
	}
	return most
}

// follow makes the factor that of the present piece, and says whether it was computed as a whole.
func (m *newton) follow(ctx context.Context) (fresh bool, err error) {
	changes, size := 0, 0
	for i, d := range m.curve {
		if d > 0 {
			size++
		}
		if a := m.at1[i]; a > 0 && m.curved[a-1] != d || a == 0 && d > 0 {
			changes++
		}
	}
	if changes > fewUpdates+size/shareUpdates {
		return true, m.whole(ctx)
	}
	for a := len(m.active) - 1; a >= 0; a-- {
		if i := m.active[a]; m.curved[a] != m.curve[i] {
			m.leave(a)
		}
	}
	for i, d := range m.curve {
		if d > 0 && m.at1[i] == 0 && !m.join(i) {
			return true, m.whole(ctx)
		}
	}
	return false, nil
}

// leave takes the active row at place a out.
func (m *newton) leave(a int) {
	m.factor.Remove(a)
	m.at1[m.active[a]] = 0
	m.active = append(m.active[:a], m.active[a+1:]...)
	m.curved = append(m.curved[:a], m.curved[a+1:]...)
	for ; a < len(m.active); a++ {
		m.at1[m.active[a]] = a + 1
	}
}

// join adds row i at the end, or says that rounding forbids it.
func (m *newton) join(i int) bool {
	z, k := m.factor.Next(), m.k.RawRowView(i)
	for a, j := range m.active {
		z[a] = k[j]
	}
	m.factor.Forward(z)
	whole := k[i] + 1/m.curve[i]
	left := whole - floats.Dot(z, z)
	if !(left > 1e-14*whole) { // some rounding errors of the difference
		return false
	}
	m.factor.Append(left)
	m.active, m.curved = append(m.active, i), append(m.curved, m.curve[i])
	m.at1[i] = len(m.active)
	return true
}

// whole computes the factor of the present piece anew.
func (m *newton) whole(ctx context.Context) error {
	m.active, m.curved = m.active[:0], m.curved[:0]
	for i, d := range m.curve {
		m.at1[i] = 0
		if d > 0 {
			m.active, m.curved = append(m.active, i), append(m.curved, d)
			m.at1[i] = len(m.active)
		}
	}
	n := len(m.active)
	if m.factor.Truncate(0); n == 0 {
		return nil
	}
	if cap(m.store) < n*n {
		m.store = make([]float64, n*n+n*n/2)
	}
	b := mat.NewDense(n, n, m.store[:n*n])
	for a, i := range m.active {
		row, k := b.RawRowView(a)[:a+1], m.k.RawRowView(i)
		for c := range row {
			row[c] = k[m.active[c]]
		}
		row[a] += 1 / m.curve[i]
	}
	c := blas.Cholesky{Backend: blas.Within(ctx)}
	if err := c.Factor(b); err != nil {
		for _, i := range m.active {
			m.at1[i] = 0
		}
		m.active, m.curved = m.active[:0], m.curved[:0]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("s3vm: the kernel matrix is not positive semi-definite to working precision at this C; "+
			"take another kernel, or a smaller C: %w", err)
	}
	m.factor.Take(b)
	return nil
}

// step moves the function towards next, to the minimum of P on the way, and says whether it moved.
func (m *newton) step() bool {
	at, next := m.at, m.next
	var s0 float64 // from residuals, so that it is exact near the minimum
	for i, a := range at.alpha {
		s0 += (a + m.curve[i]*(at.f[i]-m.target[i])) * (next.f[i] - at.f[i])
	}
	db := next.b - at.b
	s0 -= db * floats.Sum(at.alpha)
	if !(s0 < 0) {
		return false
	}
	x := smooth.Ray(s0, m.slope)
	for i := range at.alpha {
		at.alpha[i] += x * (next.alpha[i] - at.alpha[i])
		at.f[i] += x * (next.f[i] - at.f[i])
	}
	at.b += x * db
	return x > 0
}

// slope returns the first two derivatives of P at x on the way to next.
func (m *newton) slope(x float64) (first, second float64) {
	db := m.next.b - m.at.b
	for i, f := range m.at.f {
		df, a := m.next.f[i]-f, m.at.alpha[i]
		da := m.next.alpha[i] - a
		f += x * df
		var g, d float64
		if c := m.plus[i]; c > 0 && f < 1 {
			g, d = 2*c*(f-1), 2*c
		}
		if c := m.minus[i]; c > 0 && f > -1 {
			g, d = g+2*c*(f+1), d+2*c
		}
		first += (a + x*da + g) * df
		first -= db * (a + x*da)
		second += da*(df-db) + d*df*df
	}
	return first, second
}

// gradient is the largest violation of the optimality conditions, relative as of smooth.Solution.
func (m *newton) gradient() float64 {
	m.pieces()
	var most, size, sum float64
	for i, a := range m.at.alpha {
		g := m.curve[i] * (m.at.f[i] - m.target[i])
		most, size = max(most, math.Abs(a+g)), max(size, math.Abs(a), math.Abs(g))
		sum += g
	}
	if m.offset {
		most = max(most, math.Abs(sum))
	}
	if most == 0 {
		return 0
	}
	return most / size
}
