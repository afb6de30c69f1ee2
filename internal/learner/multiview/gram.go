package multiview

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// coupled is the Gram object of Coupled.
type coupled struct {
	k     Coupled
	train data.Rows
	n     int // stacked rows
	*places
	base []kernel.Gram // of each view, warped if there is a norm
	gram []*mat.Dense  // K_s of its own rows
	c    float64       // the coupling of one thing
	m    int           // rows of D
	d    []part        // D by view
	chol blas.Cholesky // of S
	*kept
}

// part is what D has in the columns of one view: in each row at most one number.
type part struct {
	row  []int // of the view; -1: none
	coef []float64
}

// fill adds D_s K_s D_s' to the lower triangle of s.
func fill(s *mat.Dense, d part, k *mat.Dense) {
	parallel.Pieces(len(d.row), 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if d.row[i] < 0 {
				continue
			}
			to, from, a := s.RawRowView(i), k.RawRowView(d.row[i]), d.coef[i]
			for j := range i + 1 {
				if q := d.row[j]; q >= 0 {
					to[j] += a * d.coef[j] * from[q]
				}
			}
		}
	})
}

// kept are the columns last asked for.
type kept struct {
	mu   sync.Mutex
	last *columns
}

// columns are those of T = I - D' S^-1 D K, with G = K T, at the rows j, by view; q = S^-1 D K of
// these columns.
type columns struct {
	j []int
	t []*mat.Dense // n_s x |j|
	q *mat.Dense   // m x |j|; nil without coupling
}

// columns returns those of rows j, made anew unless they are the ones last asked for.
// Cost: 2 m^2 |j| flops.
func (g *coupled) columns(j []int) *columns {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last != nil && (g.last.j == nil) == (j == nil) && slices.Equal(g.last.j, j) {
		return g.last
	}
	c := &columns{j: slices.Clone(j)}
	if j == nil {
		j = numbers(0, g.n)
	}
	for v := range g.base {
		c.t = append(c.t, mat.NewDense(len(g.rows[v]), len(j), nil))
	}
	for p, row := range j {
		c.t[g.view[row]].Set(g.at[row], p, 1)
	}
	if g.m > 0 {
		c.q = mat.NewDense(g.m, len(j), nil)
		for v, d := range g.d {
			for r, row := range d.row {
				if row < 0 {
					continue
				}
				to, from := c.q.RawRowView(r), g.gram[v].RawRowView(row)
				for p, col := range j {
					if g.view[col] == v {
						to[p] = d.coef[r] * from[g.at[col]]
					}
				}
			}
		}
		g.chol.SolveTo(c.q)
		for v, d := range g.d {
			for r, row := range d.row {
				if row < 0 {
					continue
				}
				to := c.t[v].RawRowView(row)
				for p, x := range c.q.RawRowView(r) {
					to[p] -= d.coef[r] * x
				}
			}
		}
	}
	g.last = c
	return c
}

// Len is the number of stacked rows.
func (g *coupled) Len() int { return g.n }

// Block stores G[i,j], row by row of view s, K_s[i,.] T_s[.,j]; i and j equal give an exactly
// symmetric block. Cost: 2 |j| sum_s n_s |i_s| flops beside the columns.
func (g *coupled) Block(dst *mat.Dense, i, j []int) {
	if g.m == 0 {
		g.apart(dst, i, j)
		return
	}
	c := g.columns(j)
	symmetric := (i == nil) == (j == nil) && slices.Equal(i, j)
	if i == nil {
		i = numbers(0, g.n)
	}
	g.each(dst, i, c.t, func(v int, rows []int) *mat.Dense {
		k := mat.NewDense(len(rows), len(g.rows[v]), nil)
		for p, at := range rows {
			k.SetRow(p, g.gram[v].RawRowView(g.at[i[at]]))
		}
		return k
	})
	if symmetric {
		blas.Symmetrise(dst)
	}
}

// apart is Block where nothing ties the views: T is the identity.
func (g *coupled) apart(dst *mat.Dense, i, j []int) {
	if i == nil {
		i = numbers(0, g.n)
	}
	if j == nil {
		j = numbers(0, g.n)
	}
	for p, row := range i {
		v := g.view[row]
		to, from := dst.RawRowView(p), g.gram[v].RawRowView(g.at[row])
		for q, col := range j {
			if to[q] = 0; g.view[col] == v {
				to[q] = from[g.at[col]]
			}
		}
	}
}

// each stores in the rows of dst, which belong to rows i of the views, the products of what left
// gives for the rows of a view with right of that view.
func (g *coupled) each(dst *mat.Dense, i []int, right []*mat.Dense, left func(v int, rows []int) *mat.Dense) {
	of := make([][]int, len(g.base))
	for p, row := range i {
		of[g.view[row]] = append(of[g.view[row]], p)
	}
	for v, rows := range of {
		if len(rows) == 0 {
			continue
		}
		out := blas.Product(blas.N(left(v, rows)), blas.N(right[v]))
		for p, at := range rows {
			dst.SetRow(at, out.RawRowView(p))
		}
	}
}

// Values stores f = G(., x_j) alpha on all training rows, K (T alpha).
func (g *coupled) Values(dst, alpha *mat.Dense, j []int) {
	g.each(dst, numbers(0, g.n), g.expand(alpha, j), func(v int, _ []int) *mat.Dense { return g.gram[v] })
}

// expand returns the coefficients T alpha by view.
func (g *coupled) expand(alpha *mat.Dense, j []int) []*mat.Dense {
	if g.m > 0 || j == nil {
		return lift(g.columns(j).t, alpha)
	}
	_, c := alpha.Dims()
	out := make([]*mat.Dense, len(g.base))
	for v := range out {
		out[v] = mat.NewDense(len(g.rows[v]), c, nil)
	}
	for p, row := range j {
		to := out[g.view[row]].RawRowView(g.at[row])
		for k, a := range alpha.RawRowView(p) {
			to[k] += a
		}
	}
	return out
}

// lift multiplies every table of a list by x; nil is the identity.
func lift(tables []*mat.Dense, x *mat.Dense) []*mat.Dense {
	if x == nil {
		return tables
	}
	_, c := x.Dims()
	out := make([]*mat.Dense, len(tables))
	for v, t := range tables {
		n, _ := t.Dims()
		out[v] = mat.NewDense(n, c, nil)
		blas.Gemm(1, blas.N(t), blas.N(x), 0, out[v])
	}
	return out
}

// Cross stores G(x, x_j) = k_s(x, .)' T_s for stacked rows x.
func (g *coupled) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("multiview: the new rows have %d columns, the training rows %d; stack both alike", x.Dim(), d)
	}
	c, p := g.columns(j), g.k.take(x)
	for v, rows := range p.rows {
		if len(rows) == 0 {
			continue
		}
		k := mat.NewDense(len(rows), len(g.rows[v]), nil)
		if err := g.base[v].Cross(k, p.features(x, v), nil); err != nil {
			return err
		}
		out := blas.Product(blas.N(k), blas.N(c.t[v]))
		for q, r := range rows {
			dst.SetRow(r, out.RawRowView(q))
		}
	}
	return nil
}

// Pull sends a cotangent U V' + D on rows I and columns J to the views: dG = T' dK T - dc (D G)'(D G)
// with D G = S^-1 D K / c, so view s has the cotangent (T_I U)_s (T_J V)_s' and c the derivative
// -<U V', Q_I' Q_J>/c^2, Q = S^-1 D K. Cost: O(r sum_s n_s^2) for a cotangent of rank r,
// in the views' own pulls.
func (g *coupled) Pull(grad []float64, bar kernel.Cotangent) error {
	if q := len(g.k.Space()); len(grad) != q {
		panic(fmt.Sprintf("multiview: gradient of length %d, %d parameters", len(grad), q))
	}
	ci := g.columns(bar.I)
	cj := ci
	if (bar.I == nil) != (bar.J == nil) || !slices.Equal(bar.I, bar.J) {
		cj = g.columns(bar.J)
	}
	for _, f := range [][2]*mat.Dense{{bar.U, bar.V}, {bar.D, nil}} {
		if f[0] == nil {
			continue
		}
		if err := g.pullViews(grad, lift(ci.t, f[0]), lift(cj.t, f[1])); err != nil {
			return err
		}
		if g.k.Coupling > 0 && g.m > 0 {
			qu, qv := lift([]*mat.Dense{ci.q}, f[0])[0], lift([]*mat.Dense{cj.q}, f[1])[0]
			grad[len(grad)-1] -= inner(qu, qv) / (g.c * g.k.Coupling)
		}
	}
	return nil
}

// pullViews hands every view its cotangent u v'. Parameters of the norm are those of all views.
func (g *coupled) pullViews(grad []float64, u, v []*mat.Dense) error {
	first := 0
	var shared []float64 // those of the norm and the ratio
	for s := range g.base {
		n := len(g.k.Kernels[s].Space())
		own := make([]float64, n)
		if g.k.Norm != nil {
			own = make([]float64, n+len(g.k.Norm.Space())+1)
			shared = grad[len(g.k.viewSpace()):][:len(own)-n]
		}
		if err := g.base[s].Pull(own, kernel.Cotangent{U: u[s], V: v[s]}); err != nil {
			return err
		}
		for q := range n {
			grad[first+q] += own[q]
		}
		for q := range shared {
			shared[q] += own[n+q]
		}
		first += n
	}
	return nil
}

func inner(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	var sum float64
	for i := range n {
		y := b.RawRowView(i)
		for j, x := range a.RawRowView(i) {
			sum += x * y[j]
		}
	}
	return sum
}

// Expand writes f = sum_j G(., x_j) alpha_j as one expansion a view, of a kernel that is zero
// between rows of different views.
func (g *coupled) Expand(alpha *mat.Dense, j []int) ([]kernel.Expansion, error) {
	var list []kernel.Expansion
	for v, coef := range g.expand(alpha, j) {
		own, err := g.base[v].Expand(coef, nil)
		if err != nil {
			return nil, err
		}
		for _, e := range own {
			list = append(list, g.k.wrap(v, e, g.wide))
		}
	}
	return list, nil
}

// wrap makes an expansion over the features of a view one over stacked rows: its kernel times one
// that is 1 between rows of the view and 0 elsewhere.
func (k Coupled) wrap(v int, e kernel.Expansion, wide int) kernel.Expansion {
	q := len(k.Kernels)
	alike := kernel.Columns{Base: kernel.Linear{}, Columns: []int{v}}
	e.Kernel = kernel.Product{Terms: []kernel.Kernel{alike, kernel.Columns{Base: e.Kernel, Columns: numbers(q, q+wide)}}}
	e.Centres = stackOne(e.Centres, v, q)
	return e
}

// Split takes an expansion of Coupled apart: the view that it is of, and the expansion over the first
// wide of the view's features.
func Split(e kernel.Expansion, wide func(view int) int) (view int, own kernel.Expansion) {
	terms := e.Kernel.(kernel.Product).Terms
	view = terms[0].(kernel.Columns).Columns[0]
	features := terms[1].(kernel.Columns)
	own = kernel.Expansion{Kernel: features.Base, Coef: e.Coef, Centres: e.Centres.SelectColumns(features.Columns[:wide(view)])}
	return view, own
}

// warp replaces the kernels of the views by those warped by the norm over the things that have
// the view.
func (g *coupled) warp(ctx context.Context, work *kernel.Work) error {
	x, of := g.unstack()
	var last manifold.Parts
	for v, base := range g.base {
		n := len(g.rows[v])
		p := manifold.Parts{Base: base, K: mat.NewDense(n, n, nil), Norm: last.Norm}
		if v == 0 || !slices.Equal(of[v], of[v-1]) {
			var err error
			if p.Norm, err = g.k.Norm.Bind(ctx, x.Select(of[v]), work.Scope(fmt.Sprintf("things of view %d: ", v))); err != nil {
				return err
			}
		}
		if err := kernel.Fill(ctx, p.K, base, nil, nil); err != nil {
			return err
		}
		w := manifold.Warp{Base: g.k.Kernels[v], Norm: g.k.Norm, Ratio: g.k.Ratio}
		var err error
		if g.base[v], err = p.Warp(ctx, w, mat.NewDense(n, n, nil)); err != nil {
			return err
		}
		last = p
	}
	return nil
}

// unstack returns the things as rows of all views' columns, one view after the other and each as
// wide as the widest; where a thing lacks a view they are NaN, in sparse rows empty. of lists the
// things of each view, in the order of its rows.
func (g *coupled) unstack() (x data.Rows, of [][]int) {
	number, q := map[int]int{}, len(g.base)
	of = make([][]int, q)
	for r := range g.n {
		id := g.train.RowID(r)
		i, ok := number[id]
		if !ok {
			i = len(number)
			number[id] = i
		}
		of[g.view[r]] = append(of[g.view[r]], i)
	}
	n := len(number)
	x.ID = make([]int, n)
	for id, i := range number {
		x.ID[i] = id
	}
	if g.train.IsSparse() {
		x.Sparse = g.unstackSparse(of, n)
		return x, of
	}
	x.Dense = mat.NewDense(n, q*g.wide, slices.Repeat([]float64{math.NaN()}, n*q*g.wide))
	for v, things := range of {
		for at, i := range things {
			copy(x.Dense.RawRowView(i)[v*g.wide:], g.train.Dense.RawRowView(g.rows[v][at])[q:])
		}
	}
	return x, of
}

func (g *coupled) unstackSparse(of [][]int, n int) *data.CSR {
	q := len(g.base)
	row := make([][]int, n) // of each thing in each view, in the stacked rows; -1: none
	for i := range row {
		row[i] = slices.Repeat([]int{-1}, q)
	}
	for v, things := range of {
		for at, i := range things {
			row[i][v] = g.rows[v][at]
		}
	}
	out := &data.CSR{R: n, C: q * g.wide, Start: make([]int, 1, n+1)}
	for i := range n {
		for v, r := range row[i] {
			if r < 0 {
				continue
			}
			index, value := g.train.Sparse.Row(r)
			for p, c := range index[1:] { // after the mark of the view
				out.Index, out.Value = append(out.Index, c+int32((v*g.wide)-q)), append(out.Value, value[p+1])
			}
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// stackOne makes features of view v of q stacked rows.
func stackOne(x data.Rows, v, q int) data.Rows {
	n, d := x.Len(), x.Dim()
	if x.IsSparse() {
		mark := &data.CSR{R: n, C: q, Start: make([]int, n+1), Index: make([]int32, n), Value: make([]float64, n)}
		for i := range n {
			mark.Start[i+1], mark.Index[i], mark.Value[i] = i+1, int32(v), 1
		}
		return data.Rows{Sparse: data.BesideCSR(mark, x.Sparse), ID: x.ID}
	}
	out := mat.NewDense(n, q+d, nil)
	for i := range n {
		row := out.RawRowView(i)
		row[v] = 1
		copy(row[q:], x.Dense.RawRowView(i))
	}
	return data.Rows{Dense: out, ID: x.ID}
}

// Semidefinite says whether the kernels of all views have positive semi-definite matrices: then so has theirs in common.
func (g *coupled) Semidefinite() bool {
	return !slices.ContainsFunc(g.base, func(b kernel.Gram) bool { return !kernel.Semidefinite(b) })
}
