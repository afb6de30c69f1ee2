package metamorphic

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/methodtest"
)

// invariances are the relations of pinned recipes. Their objective is convex and has one minimum, so that data which leave the
// objective as it was leave the outputs, to what solvers and rounding differ by; where the minimum is an interval, the objective.
//
//   - Rows in another order: a sum over rows. Neighbours of rows at equal distances are taken by their number, so machines along
//     graphs are asked where no two rows are alike.
//   - Columns in another order: distances and inner products are sums over columns.
//   - Every row twice, at the strength that twiceRecipe gives: the sum over rows doubles, and the average stays. The rows are not
//     scaled then, so that the objective alone is asked.
//   - All columns times a power of two together with the width of the kernel, without scaling: the quotients are the same
//     numbers, to the bit; self-tuned graphs have no unit.
func (t *trial) invariances(ctx context.Context, o *outcome, base fitted) {
	p := pins[t.method.ID]
	rng := rand.New(rand.NewPCG(t.seed, t.number+2<<32))
	if t.distinct || !p.graph {
		order := rng.Perm(t.input.Set.Rows.Len())
		f := t.fit(ctx, o, reordered(t.input, order), t.recipe)
		if f.out != nil {
			f.out = unordered(f.out, order)
		}
		o.close("rows permuted", base, f, p.flat)
		columns := rng.Perm(t.input.Set.Rows.Dim())
		o.close("columns permuted", base, t.fit(ctx, o, recolumned(t.input, columns), t.recipe), p.flat)
	}
	if p.twice > 0 && t.recipe.Scale == data.ScaleNone {
		n := t.input.Set.Rows.Len()
		var all []int
		for i := range 2 * n {
			all = append(all, i%n)
		}
		f := t.fit(ctx, o, reordered(t.input, all), p.twiceRecipe(t.recipe))
		if f.out != nil {
			f.out = mat.DenseCopyOf(f.out.Slice(0, n, 0, f.out.RawMatrix().Cols))
		}
		o.close("rows twice", base, f, p.flat)
	}
	if p.kernel && t.recipe.Scale == data.ScaleNone {
		by := slices.Repeat([]float64{math.Ldexp(1, rng.IntN(9)-4)}, t.input.Set.Rows.Dim())
		wide := methodtest.With(t.recipe, map[string]string{"sigma": scaledText(t.recipe.Set["sigma"], by[0])})
		o.same("columns and width scaled", base, t.fit(ctx, o, times(t.input, by), wide), false)
	}
}

// close wants two answers to be the same minimum.
func (o *outcome) close(relation string, a, b fitted, flat bool) {
	if !o.alike(relation, a, b) {
		return
	}
	if flat {
		x, y := a.Objective, b.Objective
		if !(math.Abs(x-y) <= nearObjective*(math.Abs(x)+1e-9)) {
			o.find(relation, "the objective is %g, and %g", x, y)
		}
		return
	}
	if d := apart(a.out, b.out); !(d <= near*(1+largest(a.out))) {
		o.find(relation, "the outputs differ by %g, the largest is %g", d, largest(a.out))
	}
}

// reordered is the set of these rows, as if it had been read so.
func reordered(in mercer.Input, rows []int) mercer.Input {
	set := in.Set.Select(rows)
	set.Rows.ID = nil
	return mercer.Input{Set: set}
}

// unordered puts outputs of reordered rows back.
func unordered(out *mat.Dense, order []int) *mat.Dense {
	back := mat.NewDense(len(order), out.RawMatrix().Cols, nil)
	for q, i := range order {
		back.SetRow(i, out.RawRowView(q))
	}
	return back
}

// recolumned is the set with its columns in this order.
func recolumned(in mercer.Input, columns []int) mercer.Input {
	return changed(in, func(to, from *mat.Dense) {
		for q, j := range columns {
			to.SetCol(q, mat.Col(nil, j, from))
		}
	})
}

// times is the set with each column multiplied.
func times(in mercer.Input, by []float64) mercer.Input {
	return changed(in, func(to, from *mat.Dense) {
		to.Apply(func(_, j int, v float64) float64 { return v * by[j] }, from)
	})
}

// changed is the set with other numbers, dense or sparse as it was.
func changed(in mercer.Input, change func(to, from *mat.Dense)) mercer.Input {
	set := *in.Set
	from := set.Rows.Dense
	if set.Rows.IsSparse() {
		from = set.Rows.Sparse.ToDense()
	}
	n, d := from.Dims()
	to := mat.NewDense(n, d, nil)
	change(to, from)
	if set.Rows.IsSparse() {
		set.Rows = data.Rows{Sparse: data.CSRFromDense(to)}
	} else {
		set.Rows = data.Rows{Dense: to}
	}
	return mercer.Input{Set: &set}
}
