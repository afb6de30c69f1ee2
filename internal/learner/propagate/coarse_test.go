package propagate

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// The levels save most of the steps, and change no solution.
func TestAggregates(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand rows, slow under the race detector")
	}
	const n = coarseRows + 1000
	p := classes(points(31, n), 3, 12)
	for _, kind := range []graph.Laplacian{graph.Combinatorial, graph.Normalised} {
		a := label(t, graph.Recipe{Neighbours: 5, Weights: graph.Heat, Laplacian: kind}, p)
		r := a.reach(nil)
		b := mat.NewDense(len(r.free), 2, nil)
		for q := range r.free {
			b.Set(q, 0, 1)
			b.Set(q, 1, float64(q%3-1))
		}
		solution := func(levels bool) (*mat.Dense, int) {
			s := newSystem(a.Graph.Laplacian(), 1, 1, r.free, nil)
			s.tried = !levels
			if kind == graph.Normalised {
				s.smooth = a.roots(r.free)
			}
			x := mat.NewDense(len(r.free), 2, nil)
			c, err := s.solve(t.Context(), x, b)
			if err != nil || c.Limited != "" || c.Residual > tolerance || (s.levels != nil) != levels {
				t.Fatalf("levels %v: %+v, %v", levels, c, err)
			}
			return x, c.Steps
		}
		with, few := solution(true)
		without, many := solution(false)
		t.Logf("%v: %d steps, %d without levels", kind, few, many)
		if few > many/3 {
			t.Errorf("%v: %d steps, %d without levels", kind, few, many)
		}
		if d := far(with, without) / mat.Max(with); d > 1e-5 {
			t.Errorf("%v: the solutions differ by %g", kind, d)
		}
	}
}

// Every row has one aggregate of the stated size; rows without an edge make their own.
func TestAggregateSizes(t *testing.T) {
	p := classes(points(32, 900), 2, 10)
	a := label(t, graph.Recipe{Neighbours: 4, Laplacian: graph.Combinatorial, Symmetry: graph.Mutual, Radius: 0.3}, p)
	of, count := aggregate(a.Graph.Laplacian())
	size := make([]int, count)
	for _, k := range of {
		size[k]++
	}
	for k, s := range size {
		if s < 1 || s > 2*aggregateSize {
			t.Errorf("aggregate %d has %d rows", k, s)
		}
	}
	for i := range of {
		if idx, _ := a.Graph.W.Row(i); len(idx) == 0 && size[of[i]] != 1 {
			t.Errorf("row %d has no edge and an aggregate of %d", i, size[of[i]])
		}
	}
	// P'A P by its formula.
	l, v := a.Graph.Laplacian(), make([]float64, 900)
	dense, pm := l.ToDense(), mat.NewDense(900, count, nil)
	for i := range v {
		v[i] = 1 + float64(i%4)
		pm.Set(i, int(of[i]), v[i])
	}
	var half, want mat.Dense
	half.Mul(pm.T(), dense)
	want.Mul(&half, pm)
	if d := far(smaller(l, of, count, v).ToDense(), &want); d > 1e-12 {
		t.Errorf("the smaller system differs by %g", d)
	}
}

// chain is a system of n rows in a line: the Laplacian with weights that vary, and add on its diagonal.
func chain(n int, add float64) *data.CSR {
	weight := func(i int) float64 { // of the edge from row i to the next
		if i < 0 || i >= n-1 {
			return 0
		}
		return 1 + 0.1*float64(i%5)
	}
	out := &data.CSR{R: n, C: n, Start: []int{0}}
	for i := range n {
		if i > 0 {
			out.Index, out.Value = append(out.Index, int32(i-1)), append(out.Value, -weight(i-1))
		}
		out.Index, out.Value = append(out.Index, int32(i)), append(out.Value, add+weight(i-1)+weight(i))
		if i < n-1 {
			out.Index, out.Value = append(out.Index, int32(i+1)), append(out.Value, -weight(i))
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// The preconditioner is the sum over the levels that its formula says, with the inverse of the smallest.
func TestLevelsByFormula(t *testing.T) {
	const n = 3000
	a, v := chain(n, 0.1), make([]float64, n)
	for i := range v {
		v[i] = 1 + float64(i%3)/4
	}
	s, err := newLevels(t.Context(), a, v)
	if err != nil || len(s.list) != 2 || s.inverse == nil {
		t.Fatalf("%d levels, %v", len(s.list), err)
	}
	prolongation := func(l level, rows int) *mat.Dense {
		p := mat.NewDense(rows, len(l.diagonal), nil)
		for i, k := range l.of {
			p.Set(i, int(k), l.v[i])
		}
		return p
	}
	times := func(list ...mat.Matrix) *mat.Dense {
		out := mat.DenseCopyOf(list[0])
		for _, m := range list[1:] {
			var next mat.Dense
			next.Mul(out, m)
			out = &next
		}
		return out
	}
	p1 := prolongation(s.list[0], n)
	a1 := smaller(a, s.list[0].of, len(s.list[0].diagonal), v)
	p2 := prolongation(s.list[1], a1.R)
	a2 := times(p2.T(), a1.ToDense(), p2)
	if k := len(s.list[1].diagonal); k > coarsest || a1.R <= coarsest {
		t.Fatalf("levels of %d and %d rows", a1.R, k)
	}
	for _, columns := range []int{2, 1} { // the scratch is made anew for another number of columns
		x, got := mat.NewDense(n, columns, nil), mat.NewDense(n, columns, nil)
		for i := range n {
			for j := range columns {
				x.Set(i, j, math.Sin(float64(i*(j+2))))
				got.Set(i, j, 5)
			}
		}
		down := times(p1.T(), x)
		inner := times(p2, solved(t, a2, times(p2.T(), down)))
		for k := range a1.R {
			for j := range columns {
				inner.Set(k, j, inner.At(k, j)+down.At(k, j)/a1.ToDense().At(k, k))
			}
		}
		want := times(p1, inner)
		want.Apply(func(_, _ int, v float64) float64 { return v + 5 }, want)
		if s.add(0, got, x); far(got, want) > 1e-9*mat.Max(want) {
			t.Errorf("%d columns: the sum over the levels differs by %g", columns, far(got, want))
		}
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := newLevels(ctx, a, v); return err })
}

// Without edges there are no levels; where the smallest system is not positive definite there is no preconditioner, and
// where it is large its diagonal serves.
func TestWhereLevelsEnd(t *testing.T) {
	diagonal := func(n int) *data.CSR {
		out := &data.CSR{R: n, C: n, Start: []int{0}}
		for i := range n {
			out.Index, out.Value, out.Start = append(out.Index, int32(i)), append(out.Value, 2), append(out.Start, i+1)
		}
		return out
	}
	s, err := newLevels(t.Context(), diagonal(2000), slices.Repeat([]float64{1}, 2000))
	if err != nil || len(s.list) != 0 || s.inverse != nil {
		t.Errorf("without edges: %d levels, %v", len(s.list), err)
	}
	if s, err := newLevels(t.Context(), chain(1000, -3), slices.Repeat([]float64{1}, 1000)); err != nil || s != nil {
		t.Errorf("not positive definite: %+v, %v", s, err)
	}
	if s, err := newLevels(t.Context(), chain(coarsest, 1), slices.Repeat([]float64{1}, coarsest)); err != nil || len(s.list) != 0 {
		t.Errorf("few rows: %d levels, %v", len(s.list), err)
	}
	// A chain and many rows of their own: the chain is joined once, then hardly an edge is left.
	for alone, whole := range map[int]bool{1100: true, 1400: false} {
		const n = 2000
		part, rest := chain(n, 0.5), diagonal(alone)
		a := &data.CSR{R: n + alone, C: n + alone, Start: slices.Clone(part.Start), Index: part.Index, Value: part.Value}
		for i := range alone {
			a.Index, a.Value = append(a.Index, int32(n+i)), append(a.Value, rest.Value[i])
			a.Start = append(a.Start, len(a.Index))
		}
		s, err := newLevels(t.Context(), a, slices.Repeat([]float64{1}, a.R))
		if err != nil || len(s.list) == 0 || (s.inverse != nil) != whole {
			t.Errorf("%d rows of their own: %d levels, the smallest inverted %v, %v", alone, len(s.list), s.inverse != nil, err)
		}
		x, got := mat.NewDense(a.R, 1, slices.Repeat([]float64{1}, a.R)), mat.NewDense(a.R, 1, nil)
		s.add(0, got, x)
		if d := got.At(n+3, 0) / float64(len(s.list)); !whole && math.Abs(d-0.5) > 1e-15 {
			t.Errorf("%d rows of their own: a level adds %g to one that is alone", alone, d)
		}
	}
	if d := diagonalOf(data.CSRFromDense(mat.NewDense(3, 3, []float64{-1, 5, 0, 5, 3, 0, 0, 5, 0}))); !slices.Equal(d, []float64{1, 3, 1}) {
		t.Errorf("the diagonal is %v", d)
	}
	stored := &data.CSR{R: 1, C: 1, Start: []int{0, 1}, Index: []int32{0}, Value: []float64{0}}
	if d := diagonalOf(stored); d[0] != 1 {
		t.Errorf("a zero that is stored is divided by as %g", d[0])
	}
}

// Edges from a quarter of the largest of a row on join it to an aggregate, up to eight rows; a row that is left by
// itself goes with one beside it.
func TestStrongEdges(t *testing.T) {
	of := func(n int, edges map[[2]int]float64) ([]int32, int) {
		d := mat.NewDense(n, n, nil)
		for e, w := range edges {
			d.Set(e[0], e[1], -w)
			d.Set(e[1], e[0], -w)
		}
		for i := range n {
			d.Set(i, i, 9)
		}
		return aggregate(data.CSRFromDense(d))
	}
	if list, count := of(3, map[[2]int]float64{{0, 1}: 4, {0, 2}: 0.9}); count != 1 || !slices.Equal(list, []int32{0, 0, 0}) {
		t.Errorf("a row whose only edge is weak for the other goes with it: %v", list)
	}
	if list, count := of(4, map[[2]int]float64{{0, 1}: 4, {1, 2}: 0.9, {2, 3}: 4}); count != 2 || !slices.Equal(list, []int32{0, 0, 1, 1}) {
		t.Errorf("a weak edge joins: %v", list)
	}
	if list, count := of(4, map[[2]int]float64{{0, 1}: 4, {1, 2}: 1, {2, 3}: 4}); count != 1 {
		t.Errorf("an edge of a quarter does not join: %v", list)
	}
	line, star := map[[2]int]float64{}, map[[2]int]float64{}
	for i := range 16 {
		line[[2]int{i, i + 1}], star[[2]int{0, i + 1}] = 1, 1
	}
	if list, count := of(17, line); count != 2 || list[7] != 0 || list[8] != 1 || list[15] != 1 || list[16] != 1 {
		t.Errorf("a line of 17 rows: %v", list)
	}
	if list, count := of(17, star); count != 1 {
		t.Errorf("a star of 17 rows: %v", list)
	}
	if list, count := of(18, line); count != 3 || list[17] != 2 {
		t.Errorf("a row without an edge: %v", list)
	}
}

// A system of many rows takes its whole diagonal into the levels, and is solved by them once they are made.
func TestLevelsOfAShiftedSystem(t *testing.T) {
	const n = coarseRows
	l, add := chain(n, 0), make([]float64, n)
	for i := range add {
		add[i] = float64(i%7) / 1000
	}
	s := newSystem(l, 1, 3, upTo(n), add)
	s.smooth = make([]float64, n)
	for i := range s.smooth {
		s.smooth[i] = 1 + float64(i%2)
	}
	if err := s.level(t.Context()); err != nil || s.levels == nil {
		t.Fatal(err)
	}
	whole := chain(n, 0)
	for i := range n {
		for p := whole.Start[i]; p < whole.Start[i+1]; p++ {
			whole.Value[p] *= 3
			if int(whole.Index[p]) == i {
				whole.Value[p] += add[i]
			}
		}
	}
	want, err := newLevels(t.Context(), whole, s.smooth)
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range want.list {
		if !slices.Equal(s.levels.list[k].diagonal, l.diagonal) || !slices.Equal(s.levels.list[k].v, l.v) {
			t.Errorf("level %d is of another system", k)
		}
	}
	first := s.levels
	if err := s.level(t.Context()); err != nil || s.levels != first {
		t.Error("the levels are made again")
	}
	for what, other := range map[string]*system{
		"fewer rows": newSystem(chain(n-1, 1), 1, 1, upTo(n-1), nil), "a power": newSystem(l, 2, 1, upTo(n), nil),
	} {
		if err := other.level(t.Context()); err != nil || other.levels != nil {
			t.Errorf("%s: levels are made, %v", what, err)
		}
	}
	plain := newSystem(chain(n, 1), 1, 1, upTo(n), nil)
	if err := plain.level(t.Context()); err != nil || plain.levels == nil || plain.levels.list[0].v[1] != 1 {
		t.Errorf("without a shift: %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newSystem(chain(n, 1), 1, 1, upTo(n), nil).solve(stopped, mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)); err == nil {
		t.Error("solved, when told to stop")
	}
	again := newSystem(chain(n, 1), 1, 1, upTo(n), nil)
	if err := again.level(stopped); err == nil || again.levels != nil {
		t.Errorf("levels are made, when told to stop: %v", err)
	}
	if err := again.level(t.Context()); err != nil || again.levels == nil {
		t.Errorf("after an interrupt no levels are made: %v", err)
	}
}
