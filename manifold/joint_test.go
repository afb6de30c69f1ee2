package manifold_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/manifold"
)

// TestJointOfMissingViews: of rows that lack a view the joint norm is that of the graphs of the rows that have it, with a row and a
// column of zeros for each that has not.
func TestJointOfMissingViews(t *testing.T) {
	const n, columns = 12, 4
	whole := cloud(n, columns, 7)
	x := data.Rows{Dense: mat.DenseCopyOf(whole.Dense)}
	lacks := [][]int{{2, 9}, {5}} // of each view of two columns
	for v, rows := range lacks {
		for _, i := range rows {
			x.Dense.Set(i, 2*v, math.NaN())
			x.Dense.Set(i, 2*v+1, math.NaN())
		}
	}
	recipe := graph.Recipe{Neighbours: 3, Degree: 1}
	joint := manifold.Joint{Graph: manifold.Graph{Recipe: recipe}, Views: [][2]int{{0, 2}, {2, 4}}}
	want := mat.NewDense(n, n, nil)
	add := func(first, last int, without ...int) {
		var have []int
		for i := range n {
			if x.Dense.At(i, first) == whole.Dense.At(i, first) && x.Dense.At(i, last-1) == whole.Dense.At(i, last-1) {
				have = append(have, i)
			}
		}
		if len(have) != n-len(without) {
			t.Fatalf("columns %d to %d: rows %v", first, last-1, have)
		}
		some, err := manifold.Graph{Recipe: recipe, First: first, Last: last}.Bind(t.Context(), whole.Select(have), nil)
		if err != nil {
			t.Fatal(err)
		}
		l, one := mat.NewDense(len(have), len(have), nil), mat.NewDense(len(have), len(have), nil)
		for q := range have {
			one.Set(q, q, 1)
		}
		some.MulTo(l, one)
		for a, i := range have {
			for b, j := range have {
				want.Set(i, j, want.At(i, j)+l.At(a, b)/3)
			}
		}
	}
	add(0, 2, 2, 9)
	add(2, 4, 5)
	add(0, 4, 2, 5, 9)
	got, one := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		one.Set(i, i, 1)
	}
	r, err := joint.Bind(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.MulTo(got, one); !mat.EqualApprox(got, want, 1e-14) {
		t.Errorf("the norm is\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
	}
}
