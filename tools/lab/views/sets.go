//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// described is a set whose rows have several descriptions, with labelled rows drawn by seeds.
type described struct {
	name   string
	set    *data.Set
	views  []mercer.View
	splits [][]int
}

// side is the number of rows, and of columns, of an image of the built-in digits.
const side = 8

// digits are the built-in images in four views: the upper half, the means of 2 x 2 points, the differences of
// neighbouring points, and twenty random projections.
func digits(each, draws int) (described, error) {
	d, err := data.Builtin("digits")
	if err != nil {
		return described{}, err
	}
	return describe("digits", d, each, draws, []view{
		{"upper", func(x []float64) []float64 { return x[:side*side/2] }},
		{"blurred", blurred},
		{"edges", edges},
		{"projected", projections(len(d.Features), 20, 1)},
	})
}

// view makes the description of a row.
type view struct {
	name string
	of   func(x []float64) []float64
}

// describe puts the views of every row beside each other.
func describe(name string, d *data.Set, each, draws int, views []view) (described, error) {
	out := described{name: fmt.Sprintf("%s, %d labels a class", name, each)}
	n := d.Rows.Len()
	var x *mat.Dense
	for i := range n {
		var row []float64
		for _, v := range views {
			own := v.of(d.Rows.Dense.RawRowView(i))
			if i == 0 {
				out.views = append(out.views, mercer.View{Name: v.name, First: len(row) + 1, Last: len(row) + len(own)})
			}
			row = append(row, own...)
		}
		if x == nil {
			x = mat.NewDense(n, len(row), nil)
		}
		x.SetRow(i, row)
	}
	out.set = &data.Set{Source: d.Source, Name: d.Name, LabelName: d.LabelName, Answers: d.Answers, Rows: data.Rows{Dense: x}}
	for c := range x.RawMatrix().Cols {
		out.set.Features = append(out.set.Features, fmt.Sprintf("x%d", c+1))
	}
	var err error
	out.splits, err = drawn(d, each, draws)
	return out, err
}

// drawn draws so many labels of each class, with the seeds 0 to draws - 1.
func drawn(d *data.Set, each, draws int) (splits [][]int, err error) {
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	for seed := range draws {
		keep, err := data.DrawPerClass(labels, each, uint64(seed))
		if err != nil {
			return nil, err
		}
		splits = append(splits, keep)
	}
	return splits, nil
}

// blurred are the means of 2 x 2 points.
func blurred(x []float64) []float64 {
	out := make([]float64, side*side/4)
	for i := range side {
		for j := range side {
			out[i/2*side/2+j/2] += x[i*side+j] / 4
		}
	}
	return out
}

// edges are the differences of points that are neighbours in a row or a column.
func edges(x []float64) []float64 {
	var out []float64
	for i := range side {
		for j := range side {
			if j > 0 {
				out = append(out, x[i*side+j]-x[i*side+j-1])
			}
			if i > 0 {
				out = append(out, x[i*side+j]-x[(i-1)*side+j])
			}
		}
	}
	return out
}

// projections are inner products with normal directions.
func projections(dim, count int, seed uint64) func(x []float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a design, not a secret
	w := mat.NewDense(count, dim, nil)
	for i := range count {
		for j := range dim {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	return func(x []float64) []float64 {
		out := mat.NewVecDense(count, nil)
		out.MulVec(w, mat.NewVecDense(dim, x))
		return out.RawVector().Data
	}
}

// parted puts the columns into views in turn: in the first view the columns 1, 1 + count, 1 + 2 count, ...
func parted(spec string, count, each, draws int) (described, error) {
	d, err := data.Builtin(spec)
	if err != nil {
		return described{}, err
	}
	out := described{name: fmt.Sprintf("%s in %d parts, %d labels a class", spec, count, each)}
	var order []int
	for q := range count {
		first := len(order) + 1
		for c := q; c < d.Rows.Dim(); c += count {
			order = append(order, c)
		}
		out.views = append(out.views, mercer.View{Name: fmt.Sprintf("part%d", q+1), First: first, Last: len(order)})
	}
	one := *d
	one.Rows, one.Features = d.Rows.SelectColumns(order), nil
	out.set = &one
	out.splits, err = drawn(d, each, draws)
	return out, err
}

// besideNoise puts a view that says nothing beside all columns.
func besideNoise(spec string, each, draws int) (described, error) {
	d, err := data.Builtin(spec)
	if err != nil {
		return described{}, err
	}
	rng := rand.New(rand.NewPCG(7, 0)) //nolint:gosec // a design, not a secret
	return describe(spec+" beside noise", d, each, draws, []view{
		{"itself", func(x []float64) []float64 { return x }},
		{"noise", func([]float64) []float64 {
			out := make([]float64, 20)
			for i := range out {
				out[i] = rng.NormFloat64()
			}
			return out
		}},
	})
}

// generated are the sets that what auto does with views is designed on: two moons beside two lines, columns of
// clouds, manifolds and text in parts, and a view of noise.
func generated() (list []described, err error) {
	for _, one := range []struct {
		spec               string
		count, each, draws int
	}{
		{"moons-lines", 0, 1, 10}, {"moons-lines", 0, 2, 10}, {"moons-lines:blur=0.25", 0, 3, 10},
		{"g50c", 2, 3, 10}, {"g50c", 4, 10, 5},
		{"manifolds:n=500", 2, 2, 5}, {"manifolds:n=500,seed=5", 4, 5, 5},
		{"two-topics:n=500", 2, 5, 5}, {"two-topics:n=500,spread=0.35", 2, 10, 5}, {"zipf:n=500,words=8000,spread=0.45", 2, 10, 5},
	} {
		var d described
		var err error
		if one.count > 0 {
			d, err = parted(one.spec, one.count, one.each, one.draws)
		} else {
			d, err = moonsLines(one.spec, one.each, one.draws)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	for _, spec := range []string{"g50c", "manifolds:n=500,seed=3"} {
		d, err := besideNoise(spec, 3, 6)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// moonsLines are generated in two views.
func moonsLines(spec string, each, draws int) (described, error) {
	d, err := data.Builtin(spec)
	if err != nil {
		return described{}, err
	}
	splits, err := drawn(d, each, draws)
	return described{
		name: fmt.Sprintf("%s, %d labels a class", spec, each), set: d, splits: splits,
		views: []mercer.View{{Name: "moons", First: 1, Last: 2}, {Name: "lines", First: 3, Last: 4}},
	}, err
}
