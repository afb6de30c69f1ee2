package solve

// Problem   A x = theta x, A symmetric (n x n), given by its products with
//           blocks: the k smallest or largest eigenpairs.
// Method    block Lanczos with thick restart, whose steps are Chebyshev filters:
//           from p = k + guard Ritz vectors X a space [X, F X, F F X] is made, F
//           a polynomial in A that damps the spectrum from the cut to its end;
//           Rayleigh-Ritz in it gives the next X. A block of p finds eigenvalues
//           of multiplicity up to p together; a filter of degree q does the work
//           of q Lanczos steps without their orthogonalisation, which is what
//           small gaps (graph Laplacians) need.
// Cut       the lowest Ritz value that was left out and lies apart from
//           theta_k. Ritz values lie above the eigenvalues they stand for, so the
//           cut is never below the wanted ones. The other end of the spectrum is
//           bounded by ten Lanczos steps, theta_max + |residual| (Zhou and Li).
// Columns   that have converged stay in the space and are not filtered again.
// Cost      2 (q + 1) products with p vectors a cycle, 18 n p^2 flops besides;
//           memory ten n x p blocks. Up to n = max(6 p, 300) A is written out and
//           decomposed, n products and 9 n^3 flops.
// Certificate  |A x - theta x| of every pair, from the returned vectors.
// Source    Golub and Underwood 1977 (block Lanczos); Wu and Simon, SIAM J.
//           Matrix Anal. 22 (2000) (thick restart); Zhou, Saad, Tiago and
//           Chelikowsky, J. Comput. Phys. 219 (2006), alg. 4.2 (scaled filter);
//           Zhou and Li, Linear Algebra Appl. 435 (2011) (bound).

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

// EigenOptions tunes Eigen.
type EigenOptions struct {
	Largest     bool    // the largest eigenvalues, descending; else the smallest, ascending
	Tolerance   float64 // stop: |A x - theta x| <= Tolerance |A|; default 1e-9
	Guard       int     // further vectors carried along; default max(4, k/2)
	MaxProducts int     // products of A with a vector; default 10 000 for each vector carried
	Seed        uint64  // of the start
	// Project removes from the columns of x their parts in an invariant subspace
	// whose eigenpairs are not wanted (an orthogonal projection); nil for none. At
	// least k dimensions must be left.
	Project func(x *mat.Dense)
}

// EigenResult is the answer of Eigen: Vectors (n x k) has orthonormal columns.
type EigenResult struct {
	Values   []float64
	Vectors  *mat.Dense
	Residual []float64 // |A x - theta x|
	Norm     float64   // |A|, nearly
	Products int       // of A with a vector
	Status   Status    // ResidualSmall, NoProgress, BudgetSpent; Unfinished with an error
}

// Eigen finds the k smallest (or largest) eigenpairs of the symmetric n x n
// operator a. The sign of a vector makes its first entry beyond 1e-8 of the
// largest positive. The error is the context's, with the best pairs so far in
// the result if there are any, or a product that is not finite.
func Eigen(ctx context.Context, a Apply, n, k int, o EigenOptions) (EigenResult, error) {
	if k < 1 || k > n {
		panic(fmt.Sprintf("solve: %d eigenpairs of an operator of order %d", k, n))
	}
	guard := o.Guard
	if guard <= 0 {
		guard = max(4, k/2)
	}
	p := k + guard
	e := &lanczos{a: a, n: n, k: k, p: p, o: o, tol: cmp.Or(o.Tolerance, 1e-9), limit: orLimit(o.MaxProducts, 10_000*p)}
	var err error
	if n <= max(6*p, 300) {
		err = e.dense(ctx)
	} else {
		err = e.iterate(ctx)
	}
	return e.result(), err
}

// lanczos is one run. All its eigenvalues are those of sign A, ascending.
type lanczos struct {
	a       Apply
	n, k, p int
	o       EigenOptions
	tol     float64
	limit   int

	upper    float64 // bound of the spectrum
	x, ax    *mat.Dense
	theta    []float64
	residual []float64
	left     []float64 // Ritz values that were not kept
	products int
	status   Status
}

// apply stores +-A x.
func (e *lanczos) apply(dst, x *mat.Dense) {
	_, c := x.Dims()
	e.a(dst, x)
	e.products += c
	if e.o.Largest {
		byRows(dst, func(_ int, row []float64) {
			for j := range row {
				row[j] = -row[j]
			}
		})
	}
}

func (e *lanczos) project(x *mat.Dense) {
	if e.o.Project != nil {
		e.o.Project(x)
	}
}

func (e *lanczos) iterate(ctx context.Context) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	stalled := 0
	for e.status == Unfinished {
		before := e.worst()
		if err := e.cycle(ctx); err != nil {
			return err
		}
		// Restarts lose little: ten cycles without gain mean rounding.
		if stalled++; e.worst() < 0.9*before {
			stalled = 0
		}
		switch {
		case e.worst() <= 1:
			e.status = ResidualSmall
		case stalled >= 10:
			e.status = NoProgress
		case e.products >= e.limit:
			e.status = BudgetSpent
		}
	}
	return nil
}

// begin makes the first Ritz pairs, from random vectors.
func (e *lanczos) begin(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(e.o.Seed, 0x6c616e63))
	start := mat.NewDense(e.n, e.p, nil)
	for i := range e.n {
		row := start.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	e.project(start)
	x, err := orthonormal(nil, start)
	if err != nil {
		return err
	}
	if x == nil || x.RawMatrix().Cols < e.k {
		return fmt.Errorf("solve: %d eigenpairs wanted of an operator whose projection leaves fewer dimensions", e.k)
	}
	if err := e.bound(ctx, x); err != nil {
		return err
	}
	e.x = x
	return e.ritz(ctx, []*mat.Dense{x})
}

// cycle takes the Ritz pairs of [X, F X, F F X].
func (e *lanczos) cycle(ctx context.Context) error {
	q, cut := e.plan()
	space := []*mat.Dense{e.x}
	block := e.active()
	for range 2 {
		w, err := e.filter(ctx, block, q, cut)
		if err != nil {
			return err
		}
		e.project(w)
		if block, err = orthonormal(space, w); err != nil {
			return err
		}
		if block == nil {
			break
		}
		space = append(space, block)
	}
	return e.ritz(ctx, space)
}

// norm is |A| as far as it is known.
func (e *lanczos) norm() float64 {
	if len(e.theta) == 0 {
		return math.Abs(e.upper)
	}
	return max(math.Abs(e.upper), math.Abs(e.theta[0]))
}

// worst is the largest residual of the wanted pairs over what is allowed; 0
// where both are zero.
func (e *lanczos) worst() float64 {
	w := 0.0
	for _, r := range e.residual[:min(e.k, len(e.residual))] {
		if r > 0 {
			w = max(w, r/(e.tol*e.norm()))
		}
	}
	return w
}

// active are the vectors of X to be filtered: those that have not converged.
func (e *lanczos) active() *mat.Dense {
	var cols []int
	for j, r := range e.residual {
		if r > 0.1*e.tol*e.norm() {
			cols = append(cols, j)
		}
	}
	if len(cols) == len(e.residual) {
		return e.x
	}
	if cols == nil {
		cols = []int{len(e.residual) - 1}
	}
	out := mat.NewDense(e.n, len(cols), nil)
	byRows(out, func(i int, row []float64) {
		from := e.x.RawRowView(i)
		for c, j := range cols {
			row[c] = from[j]
		}
	})
	return out
}

// plan chooses cut and degree. The degree lifts theta_k a thousandfold over the
// damped part, 400 at most: two filters a cycle make that 1e6.
func (e *lanczos) plan() (q int, cut float64) {
	if len(e.left) == 0 { // the first cycle: plain block Lanczos
		return 1, 0
	}
	kth, top := e.theta[min(e.k, len(e.theta))-1], e.left[len(e.left)-1]
	cut = top
	for _, t := range e.left {
		if t-kth >= 1e-4*(top-e.theta[0]) {
			cut = t
			break
		}
	}
	half := (e.upper - cut) / 2
	t := 1 + (cut-kth)/half
	if !(half > 0) || !(t > 1) {
		return 1, cut
	}
	return int(min(400, max(4, math.Ceil(math.Acosh(1e3)/math.Acosh(t))))), cut
}

// filter returns C_q((A - c)/h) x scaled to 1 at theta_1, [c - h, c + h] the
// damped interval from cut to upper; A x for q = 1.
func (e *lanczos) filter(ctx context.Context, x *mat.Dense, q int, cut float64) (*mat.Dense, error) {
	n, cols := x.Dims()
	y := mat.NewDense(n, cols, nil)
	if q == 1 {
		e.apply(y, x)
		return y, ctx.Err()
	}
	h, c := (e.upper-cut)/2, (e.upper+cut)/2
	first := h / (e.theta[0] - c)
	sigma := first
	e.apply(y, x)
	combine(y, first/h, -c*first/h, x, 0, nil)
	old, next := mat.DenseCopyOf(x), mat.NewDense(n, cols, nil)
	for range q - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := 1 / (2/first - sigma)
		e.apply(next, y)
		combine(next, 2*s/h, -2*c*s/h, y, -sigma*s, old)
		sigma = s
		old, y, next = y, next, old
	}
	return y, nil
}

// ritz replaces X by the p lowest Ritz vectors of the space spanned by the
// orthonormal blocks, the first of which is X.
func (e *lanczos) ritz(ctx context.Context, space []*mat.Dense) error {
	images := make([]*mat.Dense, len(space))
	m := 0
	for b, v := range space {
		if b == 0 && e.ax != nil {
			images[0] = e.ax
		} else {
			if err := ctx.Err(); err != nil {
				return err
			}
			_, c := v.Dims()
			images[b] = mat.NewDense(e.n, c, nil)
			e.apply(images[b], v)
		}
		_, c := v.Dims()
		m += c
	}
	h := mat.NewDense(m, m, nil)
	at := 0
	for b, v := range space {
		_, c := v.Dims()
		to := 0
		for s := range b + 1 {
			_, d := images[s].Dims()
			blas.Gemm(1, blas.T(v), blas.N(images[s]), 0, h.Slice(at, at+c, to, to+d).(*mat.Dense))
			to += d
		}
		at += c
	}
	values, vectors := make([]float64, m), mat.NewDense(m, m, nil)
	if err := blas.SymEigen(h, values, vectors); err != nil {
		return fmt.Errorf("solve: products of the operator: %w", err)
	}
	keep := min(e.p, m)
	x, ax := mat.NewDense(e.n, keep, nil), mat.NewDense(e.n, keep, nil)
	at = 0
	for b, v := range space {
		_, c := v.Dims()
		y := vectors.Slice(at, at+c, 0, keep).(*mat.Dense)
		blas.Gemm(1, blas.N(v), blas.N(y), 1, x)
		blas.Gemm(1, blas.N(images[b]), blas.N(y), 1, ax)
		at += c
	}
	e.x, e.ax, e.theta, e.left = x, ax, values[:keep], values[keep:]
	e.upper = max(e.upper, values[m-1])
	e.residual = residuals(x, ax, e.theta)
	return nil
}

// bound sets upper by ten Lanczos steps from the first column of x.
func (e *lanczos) bound(ctx context.Context, x *mat.Dense) error {
	const steps = 10
	q, r := mat.NewDense(e.n, 1, nil), mat.NewDense(e.n, 1, nil)
	for i := range e.n {
		q.Set(i, 0, x.At(i, 0))
	}
	basis := make([]*mat.Dense, 0, steps)
	t := mat.NewDense(steps, steps, nil)
	next := 0.0
	for m := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		basis = append(basis, q)
		e.apply(r, q)
		e.project(r)
		for _, b := range basis { // full orthogonalisation: ten vectors
			d := dotColumn(b, r)
			if b == q {
				t.Set(m, m, d)
			}
			combine(r, 1, -d, b, 0, nil)
		}
		next = math.Sqrt(dotColumn(r, r))
		if m+1 == steps || !(next > 0) {
			t = mat.DenseCopyOf(t.Slice(0, m+1, 0, m+1))
			break
		}
		t.Set(m, m+1, next)
		t.Set(m+1, m, next)
		q = mat.NewDense(e.n, 1, nil)
		combine(q, 0, 1/next, r, 0, nil)
	}
	m, _ := t.Dims()
	values := make([]float64, m)
	if err := blas.SymEigen(t, values, mat.NewDense(m, m, nil)); err != nil {
		return fmt.Errorf("solve: products of the operator: %w", err)
	}
	e.upper = values[m-1] + next
	return nil
}

// dense writes P A P + c (I - P) out, c beyond the spectrum, and decomposes it.
func (e *lanczos) dense(ctx context.Context) error {
	unit := mat.NewDense(e.n, e.n, nil)
	for i := range e.n {
		unit.Set(i, i, 1)
	}
	full := mat.NewDense(e.n, e.n, nil)
	e.project(unit)
	e.apply(full, unit)
	e.project(full)
	if err := ctx.Err(); err != nil {
		return err
	}
	e.upper = mat.Norm(full, math.Inf(1))
	beyond := 2*e.upper + 1
	if e.o.Project != nil {
		for i := range e.n {
			to, from := full.RawRowView(i), unit.RawRowView(i)
			for j, v := range from {
				if i == j {
					v--
				}
				to[j] -= beyond * v
			}
		}
	}
	values, vectors := make([]float64, e.n), mat.NewDense(e.n, e.n, nil)
	if err := blas.SymEigen(full, values, vectors); err != nil {
		return fmt.Errorf("solve: products of the operator: %w", err)
	}
	e.theta = values[:e.k]
	e.x = mat.DenseCopyOf(vectors.Slice(0, e.n, 0, e.k))
	e.ax = mat.NewDense(e.n, e.k, nil)
	e.apply(e.ax, e.x)
	e.residual = residuals(e.x, e.ax, e.theta)
	e.status = ResidualSmall
	if e.worst() > 1 {
		e.status = NoProgress
	}
	return nil
}

// result copies the wanted pairs out.
func (e *lanczos) result() EigenResult {
	r := EigenResult{Norm: e.norm(), Products: e.products, Status: e.status}
	if e.x == nil || len(e.theta) < e.k {
		return r
	}
	r.Values = append(r.Values, e.theta[:e.k]...)
	if e.o.Largest {
		for i := range r.Values {
			r.Values[i] = -r.Values[i]
		}
	}
	r.Residual = append(r.Residual, e.residual[:e.k]...)
	r.Vectors = mat.DenseCopyOf(e.x.Slice(0, e.n, 0, e.k))
	for j := range e.k {
		Orient(r.Vectors, j)
	}
	return r
}
