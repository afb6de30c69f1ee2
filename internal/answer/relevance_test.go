package answer

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Of a linear function with orthogonal columns each share is that of w^2 times the spread of the column; columns that change nothing
// are left out, and those of several features count once.
func TestShares(t *testing.T) {
	parts := []columns.Part{{Name: "a", At: []int{0}}, {Name: "word", At: []int{1, 2}}, {Name: "idle", At: []int{3}}}
	weight := []float64{3, 1, -1, 0}
	rows := [][]float64{{0, 1, 0, 5}, {1, 0, 1, 6}}
	value := func(x []float64) (f float64) {
		for j, v := range x {
			f += weight[j] * v
		}
		return f
	}
	out := mat.NewDense(2*(1+len(parts)), 1, nil)
	for i := range rows {
		out.Set(i, 0, value(rows[i]))
		for c, part := range parts {
			x := append([]float64(nil), rows[i]...)
			for _, j := range part.At {
				x[j] = rows[1-i][j]
			}
			out.Set(2*(1+c)+i, 0, value(x))
		}
	}
	list := shares(parts, out, 2)
	if len(list) != 2 || list[0].Name != "a" || math.Abs(list[0].Share-9./13) > 1e-12 || math.Abs(list[1].Share-4./13) > 1e-12 {
		t.Errorf("shares %v, want 9/13 of a and 4/13 of word", list)
	}
	out.Zero()
	if list := shares(parts, out, 2); list != nil {
		t.Errorf("shares %v of nothing", list)
	}
}

// What a column counts is found on at most 64 rows, evenly spaced, of many columns on fewer, and of none or very many not at all.
func TestRelevanceOfColumns(t *testing.T) {
	linear := func(d int) *model.Model {
		coef := make([]float64, d)
		coef[0], coef[1%d] = 1, 3
		m := plain()
		m.Columns = d
		m.Parts[0].Functions[0] = model.Expansion{
			Kernel: kernel.Linear{}, Centres: data.Rows{Dense: mat.NewDense(1, d, coef)}, Coef: mat.NewDense(1, 1, []float64{1}),
		}
		return m
	}
	of := func(d int, rows data.Rows, views ...result.View) (string, float64) {
		a := sixRows(nil, nil)
		a.Task.Input.Set, a.Task.Recipe.Views = &data.Set{Rows: rows}, views
		res := &result.Result{}
		a.describeRelevance(t.Context(), res, linear(d))
		if len(res.Relevance) == 0 {
			return "none", 0
		}
		return res.Relevance[0].Name, res.Relevance[0].Share
	}
	// In the second column, which counts most where it counts, only rows of odd numbers differ.
	odd := func(n, d int) data.Rows {
		x := mat.NewDense(n, d, nil)
		for i := range n {
			x.Set(i, 0, float64(i/2%5))
			x.Set(i, 1, float64(i%2*i))
		}
		return data.Rows{Dense: x}
	}
	for _, c := range []struct {
		rows, columns int
		want          string
	}{
		{128, 2, "1"}, {127, 2, "2"}, {63, 2, "2"}, {40, 100, "1"}, {39, 100, "2"}, {56, 69, "1"},
		{16, 500, "1"}, {15, 500, "2"}, {16, 501, "none"},
	} {
		if got, _ := of(c.columns, odd(c.rows, c.columns)); got != c.want {
			t.Errorf("%d rows of %d columns: column %s counts most, expected %s", c.rows, c.columns, got, c.want)
		}
	}
	same := mat.NewDense(9, 2, nil)
	same.Apply(func(i, _ int, _ float64) float64 { return float64(i * i) }, same)
	for n, want := range map[int]string{1: "none", 2: "2", 9: "2"} {
		rows := data.Rows{Dense: same.Slice(0, n, 0, 2).(*mat.Dense)}
		if name, share := of(2, rows); name != want || want != "none" && math.Abs(share-0.9) > 1e-12 {
			t.Errorf("%d rows: %s has %g", n, name, share)
		}
	}
	one := data.Rows{Dense: same.Slice(0, 9, 0, 1).(*mat.Dense)}
	for what, name := range map[string]func() (string, float64){
		"one column": func() (string, float64) { return of(1, one) },
		"views":      func() (string, float64) { return of(2, odd(9, 2), result.View{Name: "v", First: 1, Last: 2}) },
		"sparse":     func() (string, float64) { return of(2, data.Rows{Sparse: data.CSRFromDense(same)}) },
	} {
		if got, _ := name(); got != "none" {
			t.Errorf("%s: %s counts most", what, got)
		}
	}
}
