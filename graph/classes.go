package graph

// The intrinsic norm of fully labelled rows, class by class (Sindhwani 2007, section
// 2.8.2, eq. 2.29; "the formulas of section 4" there are those of section 2.3):
//
//	f'Rf = sum_c phi_c f_c' L_c^p f_c,    R = blockdiag(phi_c L_c^p) by class
//
// L_c the Laplacian of a graph within class c. Two such graphs: that of all rows
// without its edges across classes (Within; with equal factors its norm is the
// plain one of that graph), or neighbours searched in each class alone
// (BuildWithin), where every row keeps k of them.
//
//	dR/dphi_c = E_c L^p,   E_c the rows of class c
//
// Cost: that of the operator inside.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Within returns the graph without the edges between rows of different classes;
// class has one number a row.
func (g *Graph) Within(class []int) *Graph {
	g.mustClasses(class)
	out := *g
	out.W = &data.CSR{R: g.N, C: g.N, Start: make([]int, g.N+1)}
	out.dist2, out.share = nil, nil
	out.oneSided, out.choices, out.hub = 0, 0, 0 // of the lists, not of what is left
	for i := range g.N {
		for p := g.W.Start[i]; p < g.W.Start[i+1]; p++ {
			if class[g.W.Index[p]] != class[i] {
				continue
			}
			out.W.Index, out.W.Value = append(out.W.Index, g.W.Index[p]), append(out.W.Value, g.W.Value[p])
			out.dist2 = append(out.dist2, g.dist2[p])
			if g.share != nil {
				out.share = append(out.share, g.share[p])
			}
		}
		out.W.Start[i+1] = len(out.W.Index)
	}
	out.MeanEdge = meanRoot(out.dist2)
	return &out
}

// BuildWithin makes the graph of the recipe in each class alone. The default
// width of heat weights is that of all edges together.
func (r Recipe) BuildWithin(ctx context.Context, rows data.Rows, class []int) (*Graph, error) {
	n := rows.Len()
	if len(class) != n {
		panic(fmt.Sprintf("graph: %d classes for %d rows", len(class), n))
	}
	members := map[int][]int{}
	for i, c := range class {
		members[c] = append(members[c], i)
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	r = r.Defaults()
	out := &Graph{N: n, Recipe: r, Recall: 1, W: &data.CSR{R: n, C: n, Start: make([]int, n+1)}}
	parts, at := map[int]*Graph{}, make([]int, n) // at: a row's number in its class
	half := false
	for _, c := range sorted(members) {
		idx := members[c]
		if r.needsLists() && len(idx) <= r.Neighbours {
			return nil, fmt.Errorf(
				"graph: class %d has %d rows, too few for %d neighbours within it; take at most %d, or the graph of all rows "+
					"without its edges "+
					"across classes",
				c,
				len(idx),
				r.Neighbours,
				len(idx)-1,
			)
		}
		g, err := r.Build(ctx, rows.Select(idx), nil)
		if err != nil {
			return nil, fmt.Errorf("class %d: %w", c, err)
		}
		parts[c] = g
		for p, i := range idx {
			at[i] = p
		}
		half = half || g.share != nil
		out.Recall = min(out.Recall, g.Recall)
	}
	for i, c := range class {
		g, idx := parts[c], members[c]
		for p := g.W.Start[at[i]]; p < g.W.Start[at[i]+1]; p++ {
			out.W.Index = append(out.W.Index, int32(idx[g.W.Index[p]]))
			out.W.Value, out.dist2 = append(out.W.Value, g.W.Value[p]), append(out.dist2, g.dist2[p])
			if half {
				share := 1.0
				if g.share != nil {
					share = g.share[p]
				}
				out.share = append(out.share, share)
			}
		}
		out.W.Start[i+1] = len(out.W.Index)
	}
	out.MeanEdge = meanRoot(out.dist2)
	if r.Weights == Heat && r.Width == 0 {
		out.Recipe.Width = out.defaultWidth()
		out.weigh(rows, nil)
	}
	return out, nil
}

// meanRoot is the mean length of edges with these squares.
func meanRoot(d2 []float64) float64 {
	sum := 0.0
	for _, v := range d2 {
		sum += math.Sqrt(v)
	}
	return sum / max(1, float64(len(d2)))
}

func sorted[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (g *Graph) mustClasses(class []int) {
	if len(class) != g.N {
		panic(fmt.Sprintf("graph: %d classes for %d rows", len(class), g.N))
	}
}

// classWise is the norm R above. Its parameters are the factors phi[c] (log, within a
// factor 1024 of their values), then those of the operator inside.
type classWise struct {
	inner  Operator
	class  []int
	factor []float64
}

// OperatorWithin is the class-wise norm of a graph without edges across classes
// (Within, BuildWithin): class has numbers from 0, factor phi one number a class. An
// edge across classes or a factor that is not positive is an error.
func (g *Graph) OperatorWithin(class []int, factor []float64) (Operator, error) {
	g.mustClasses(class)
	for i, c := range class {
		if c < 0 || c >= len(factor) {
			return nil, fmt.Errorf("graph: row %d is of class %d; there are factors for %d", i, c, len(factor))
		}
		idx, _ := g.W.Row(i)
		for _, j := range idx {
			if class[j] != c {
				return nil, fmt.Errorf(
					"graph: an edge joins row %d of class %d and row %d of class %d; take the graph Within classes",
					i,
					c,
					j,
					class[j],
				)
			}
		}
	}
	return newClassWise(g.Operator(), class, factor)
}

func newClassWise(inner Operator, class []int, factor []float64) (*classWise, error) {
	for c, v := range factor {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("graph: phi[%d] = %g must be positive and finite", c, v)
		}
	}
	return &classWise{inner: inner, class: class, factor: slices.Clone(factor)}, nil
}

// Len is n.
func (o *classWise) Len() int { return o.inner.Len() }

// MulTo stores R x in dst.
func (o *classWise) MulTo(dst, x *mat.Dense) {
	o.inner.MulTo(dst, x)
	o.scale(dst)
}

func (o *classWise) scale(x *mat.Dense) {
	for i, c := range o.class {
		row := x.RawRowView(i)
		for j := range row {
			row[j] *= o.factor[c]
		}
	}
}

// Space lists phi, then the parameters of the operator inside.
func (o *classWise) Space() param.Space {
	var s param.Space
	for c, v := range o.factor {
		s = append(s, param.Dim{Name: fmt.Sprintf("phi[%d]", c), Kind: param.Log, Lo: v * 0x1p-10, Hi: v * 0x1p10, Default: v})
	}
	return append(s, o.inner.Space()...)
}

// With returns the operator at theta.
func (o *classWise) With(theta []float64) (Operator, error) {
	space := o.Space()
	if len(theta) != len(space) {
		panic(fmt.Sprintf("graph: %d parameters for a class-wise norm with %d", len(theta), len(space)))
	}
	inner := o.inner
	if t, ok := inner.(Tunable); ok && len(theta) > len(o.factor) {
		var err error
		if inner, err = t.With(theta[len(o.factor):]); err != nil {
			return nil, err
		}
	}
	return newClassWise(inner, o.class, theta[:len(o.factor)])
}

// Pull adds <U V', dR/dtheta> for all parameters.
func (o *classWise) Pull(grad []float64, u, v *mat.Dense) {
	checkPull(o, o.Space(), grad, u, v)
	n, r := v.Dims()
	if r == 0 {
		return
	}
	lv := mat.NewDense(n, r, nil)
	o.inner.MulTo(lv, v)
	for i, c := range o.class {
		a, b := u.RawRowView(i), lv.RawRowView(i)
		for j := range a {
			grad[c] += a[j] * b[j]
		}
	}
	if len(grad) > len(o.factor) {
		scaled := mat.DenseCopyOf(u)
		o.scale(scaled)
		o.inner.Pull(grad[len(o.factor):], scaled, v)
	}
}
