package multiview

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// Coupled is the kernel of one function a view that agree on all things, labelled or not: of the
// space of f = (f_1, ..., f_V) with the norm
//
//	sum_s ||f_s||^2 + Coupling/n sum_i sum_{s<t} (f_s(x_i) - f_t(x_i))^2
//
// over the n training things and the views that each has. On the stacked rows it is
//
//	G = (K^-1 + c D'D)^-1 = K - K D' S^-1 D K,   S = I/c + D K D',   c = Coupling/n
//
// where K is block diagonal, one block a view, and D has p-1 rows for a thing of p views: their
// contrasts, with D'D = p I - 11' on the thing's own rows. S is n x n for two views and (V-1) n
// in general. (Sindhwani 2007, section 4.3: co-regularised least squares is regularised least
// squares with this kernel, where gamma_s is the ridge over l and over the factor of K_s, and
// gamma_C = ridge Coupling n/l. Any other loss takes the same kernel.)
//
// With a Norm every view's kernel is warped, first, by Ratio times that norm, which is over
// things: joint Laplacian regularisation (section 4.3), alone where Coupling is 0.
//
// Parameters: those of every view's kernel, `NAME.sigma` of view NAME; those of Norm and `ratio`
// if there is a Norm; `coupling` if it is not 0.
type Coupled struct {
	Names    []string
	Kernels  []kernel.Kernel // on the columns of their views
	Coupling float64
	Norm     manifold.Norm // over rows of all views' columns, one after the other; nil: none
	Ratio    float64
}

var _ kernel.Kernel = Coupled{}

// Space lists the parameters. Coupling may move by 2^30 and the ratio by 2^20 each way.
func (k Coupled) Space() param.Space {
	s := k.viewSpace()
	group := 0
	for _, d := range s {
		group = max(group, d.Group)
	}
	if k.Norm != nil {
		for _, d := range k.Norm.Space() {
			if d.Group != 0 {
				d.Group += group
			}
			s = append(s, d)
		}
		s = append(s, param.Dim{Name: "ratio", Kind: param.Log, Lo: k.Ratio * 0x1p-20, Hi: k.Ratio * 0x1p20, Default: k.Ratio})
	}
	if k.Coupling > 0 {
		s = append(s, param.Dim{Name: "coupling", Kind: param.Log, Lo: k.Coupling * 0x1p-30, Hi: k.Coupling * 0x1p30, Default: k.Coupling})
	}
	return s
}

// viewSpace are the parameters of the views' kernels; simplices of different views stay apart.
func (k Coupled) viewSpace() param.Space {
	var s param.Space
	group := 0
	for v, one := range k.Kernels {
		last := group
		for _, d := range one.Space() {
			d.Name = k.Names[v] + "." + d.Name
			if d.Group != 0 {
				d.Group += last
				group = max(group, d.Group)
			}
			s = append(s, d)
		}
	}
	return s
}

// With replaces the parameters, in the order of Space.
func (k Coupled) With(theta []float64) (kernel.Kernel, error) {
	if len(theta) != len(k.Space()) {
		panic(fmt.Sprintf("multiview: %d parameters for a coupled kernel with %d", len(theta), len(k.Space())))
	}
	kernels := make([]kernel.Kernel, len(k.Kernels))
	for v, one := range k.Kernels {
		n := len(one.Space())
		var err error
		if kernels[v], err = one.With(theta[:n]); err != nil {
			return nil, fmt.Errorf("view %s: %w", k.Names[v], err)
		}
		theta = theta[n:]
	}
	k.Kernels = kernels
	if k.Norm != nil {
		n := len(k.Norm.Space())
		var err error
		if k.Norm, err = k.Norm.With(theta[:n]); err != nil {
			return nil, err
		}
		if k.Ratio = theta[n]; !positive(k.Ratio) {
			return nil, fmt.Errorf("multiview: ratio = %g; it must be positive and finite", k.Ratio)
		}
		theta = theta[n+1:]
	}
	if k.Coupling > 0 {
		if k.Coupling = theta[0]; !positive(k.Coupling) {
			return nil, fmt.Errorf("multiview: coupling = %g; it must be positive and finite", k.Coupling)
		}
	}
	return k, nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// Adapt fills the zero parameters of every view's kernel from the descriptions in that view; where no row has the view,
// which Bind refuses, they stay.
func (k Coupled) Adapt(rows data.Rows) kernel.Kernel {
	p := k.take(rows)
	kernels := make([]kernel.Kernel, len(k.Kernels))
	for v, one := range k.Kernels {
		if kernels[v] = one; len(p.rows[v]) > 0 {
			kernels[v] = one.Adapt(p.features(rows, v))
		}
	}
	k.Kernels = kernels
	return k
}

// places says where the stacked rows stand.
type places struct {
	view, at []int   // of each row: its view, its number among the rows of that view
	rows     [][]int // of each view
	wide     int
}

// take reads the views of stacked rows. A row that is of no view, or of several, is the caller's mistake.
func (k Coupled) take(x data.Rows) *places {
	q, n := len(k.Kernels), x.Len()
	p := &places{view: make([]int, n), at: make([]int, n), rows: make([][]int, q), wide: x.Dim() - q}
	if p.wide < 1 {
		panic(fmt.Sprintf("multiview: rows of %d columns for %d views; stack them first", x.Dim(), q))
	}
	marks := x.SelectColumns(numbers(0, q))
	for r := range n {
		v := -1
		if marks.IsSparse() {
			if index, _ := marks.Sparse.Row(r); len(index) == 1 {
				v = int(index[0])
			}
		} else {
			v = slices.Index(marks.Dense.RawRowView(r), 1)
		}
		if v < 0 {
			panic(fmt.Sprintf("multiview: row %d is of no view; stack the rows first", r))
		}
		p.view[r], p.at[r] = v, len(p.rows[v])
		p.rows[v] = append(p.rows[v], r)
	}
	return p
}

// features are the rows of a view, without the columns that name views.
func (p *places) features(x data.Rows, v int) data.Rows {
	q := len(p.rows)
	return x.Select(p.rows[v]).SelectColumns(numbers(q, q+p.wide))
}

func numbers(lo, hi int) []int {
	list := make([]int, hi-lo)
	for i := range list {
		list[i] = lo + i
	}
	return list
}

// Bind computes the Gram matrix of every view and factors S. Memory: sum_s n_s^2 numbers and, with
// coupling, those of S. Cost: the Gram matrices and m^3/3 flops, m the rows of D; with a norm also
// a warp of each view.
func (k Coupled) Bind(ctx context.Context, train data.Rows, work *kernel.Work) (kernel.Gram, error) {
	p := k.take(train)
	g := &coupled{k: k, places: p, train: train, n: train.Len(), kept: new(kept)}
	for v, one := range k.Kernels {
		if len(p.rows[v]) == 0 {
			return nil, fmt.Errorf("multiview: no row has view %s", k.Names[v])
		}
		base, err := one.Bind(ctx, p.features(train, v), work.Scope(fmt.Sprintf("view %d: ", v)))
		if err != nil {
			return nil, err
		}
		g.base = append(g.base, base)
	}
	if k.Norm != nil {
		if err := g.warp(ctx, work); err != nil {
			return nil, err
		}
	}
	for v, base := range g.base {
		n := len(p.rows[v])
		table := mat.NewDense(n, n, nil)
		if err := kernel.Fill(ctx, table, base, nil, nil); err != nil {
			return nil, err
		}
		g.gram = append(g.gram, table)
	}
	if k.Coupling == 0 {
		return g, nil
	}
	if err := g.contrast(); err != nil {
		return nil, err
	}
	return g, g.factor(ctx)
}

// contrast lists the rows of D. A thing of p views has p-1 of them, Helmert's: contrast q is
// sqrt(p/(q(q+1))) times the sum of its first q rows less q times the next.
func (g *coupled) contrast() error {
	things := map[int][]int{}
	var order []int
	for r := range g.n {
		id := g.train.RowID(r)
		if things[id] == nil {
			order = append(order, id)
		}
		for _, other := range things[id] {
			if g.view[other] == g.view[r] {
				return fmt.Errorf("multiview: two rows describe the same thing in view %s", g.k.Names[g.view[r]])
			}
		}
		things[id] = append(things[id], r)
	}
	g.c = g.k.Coupling / float64(len(order))
	g.d = make([]part, len(g.base))
	add := func(row int, coef float64) {
		v := g.view[row]
		g.d[v].row[g.m], g.d[v].coef[g.m] = g.at[row], coef
	}
	most := g.n - len(order)
	for v := range g.d {
		g.d[v] = part{row: slices.Repeat([]int{-1}, most), coef: make([]float64, most)}
	}
	for q := 1; q < len(g.base); q++ { // by level, so that S has blocks
		for _, id := range order {
			rows := things[id]
			if len(rows) <= q {
				continue
			}
			a := math.Sqrt(float64(len(rows)) / float64(q*(q+1)))
			for _, r := range rows[:q] {
				add(r, a)
			}
			add(rows[q], -float64(q)*a)
			g.m++
		}
	}
	return nil
}

// factor makes S = I/c + D K D' and its Cholesky factorisation, in the lower triangle.
func (g *coupled) factor(ctx context.Context) error {
	if g.m == 0 {
		return nil // no thing has two views
	}
	s := mat.NewDense(g.m, g.m, nil)
	for v, d := range g.d {
		fill(s, d, g.gram[v])
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for i := range g.m {
		s.Set(i, i, s.At(i, i)+1/g.c)
	}
	on := blas.Within(ctx)
	g.chol.Backend = on
	err := g.chol.Factor(s)
	g.chol.Backend = blas.Backend{} // the Gram object outlives the context
	if on.Stopped() != nil {
		return on.Stopped()
	}
	if err != nil {
		return fmt.Errorf("multiview: views coupled by %g: %w", g.k.Coupling, err)
	}
	return nil
}
