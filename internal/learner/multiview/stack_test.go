package multiview_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// uneven are four things in a view of two columns and one of three, of which thing 1 lacks the first and thing 2 the
// second; their numbers are not their places.
func uneven() (data.Rows, [][]int) {
	none := math.NaN()
	return data.Rows{
		ID: []int{7, 3, 9, 4},
		Dense: mat.NewDense(4, 5, []float64{
			1, 2, 3, 4, 5,
			6, none, 7, none, 8,
			none, 9, none, 10, none,
			11, 12, 13, 14, 15,
		}),
	}, [][]int{{1, 3}, {0, 2, 4}}
}

// emptied is a dense table as a sparse one in which NaN is not stored.
func emptied(x data.Rows) data.Rows {
	n, d := x.Dense.Dims()
	out := &data.CSR{R: n, C: d, Start: []int{0}}
	for i := range n {
		for j, v := range x.Dense.RawRowView(i) {
			if !math.IsNaN(v) {
				out.Index, out.Value = append(out.Index, int32(j)), append(out.Value, v)
			}
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return data.Rows{Sparse: out, ID: x.ID}
}

// A thing is a row in each view that it has, behind the mark of the view, and keeps its identity.
func TestStackByHand(t *testing.T) {
	x, views := uneven()
	want := mat.NewDense(6, 5, []float64{
		1, 0, 2, 4, 0,
		1, 0, 9, 10, 0,
		1, 0, 12, 14, 0,
		0, 1, 1, 3, 5,
		0, 1, 6, 7, 8,
		0, 1, 11, 13, 15,
	})
	for _, rows := range []data.Rows{x, emptied(x)} {
		s := multiview.Stack(rows, views)
		got := s.Rows.Dense
		if rows.IsSparse() {
			got = s.Rows.Sparse.ToDense()
		}
		if !mat.Equal(got, want) {
			t.Errorf("sparse %v: stacked are\n%v", rows.IsSparse(), mat.Formatted(got))
		}
		if !slices.Equal(s.View, []int{0, 0, 0, 1, 1, 1}) || !slices.Equal(s.Thing, []int{0, 2, 3, 0, 1, 3}) ||
			!slices.Equal(s.Rows.ID, []int{7, 9, 4, 7, 3, 4}) {
			t.Errorf("sparse %v: views %v of things %v, numbered %v", rows.IsSparse(), s.View, s.Thing, s.Rows.ID)
		}
		if !slices.EqualFunc(s.Copies, [][]int{{0, 3}, {4}, {1}, {2, 5}}, slices.Equal) {
			t.Errorf("sparse %v: the rows of things are %v", rows.IsSparse(), s.Copies)
		}
	}
}

// Every description of a labelled thing has the thing's label and class, and the product of its weights.
func TestStackedProblem(t *testing.T) {
	x, views := uneven()
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2},
		Labelled: []int{0, 2, 3}, Class: []int{1, 0, 0}, Y: mat.NewDense(3, 1, []float64{1, -1, -2}),
	}
	weighted := *p
	weighted.Weight = []float64{2, 3, 5}
	byView := []float64{7, 11}
	for _, c := range []struct {
		p    *learn.Problem
		view []float64
		want []float64
	}{
		{p, nil, nil},
		{p, byView, []float64{7, 7, 7, 11, 11}},
		{&weighted, nil, []float64{2, 3, 5, 2, 5}},
		{&weighted, byView, []float64{14, 21, 35, 22, 55}},
	} {
		q := s.Problem(c.p, c.view)
		if !slices.Equal(q.Labelled, []int{0, 1, 2, 3, 5}) || !slices.Equal(q.Class, []int{1, 0, 0, 1, 0}) ||
			!slices.Equal(q.Y.RawMatrix().Data, []float64{1, -1, -2, 1, -2}) {
			t.Errorf("rows %v, classes %v, targets %v", q.Labelled, q.Class, q.Y.RawMatrix().Data)
		}
		if !slices.Equal(q.Weight, c.want) {
			t.Errorf("weights of things %v and views %v are %v of rows, expected %v", c.p.Weight, c.view, q.Weight, c.want)
		}
		if q.Rows.Len() != 6 || q.Task != p.Task {
			t.Error("the problem is not one of the stacked rows")
		}
	}
	if groups := s.Groups(p); !slices.EqualFunc(groups, [][]int{{0, 3}, {1}, {2, 4}}, slices.Equal) {
		t.Errorf("the descriptions of labelled things are %v", groups)
	}
	p.Class, p.Labelled = nil, nil
	if q := s.Problem(p, nil); q.Class != nil || q.Labelled != nil || q.Y == nil {
		t.Errorf("without labels the problem is %+v", q)
	}
}

// Folds of things are those of all their descriptions.
func TestFoldsOfDescriptions(t *testing.T) {
	groups := [][]int{{0, 3}, {1}, {2, 4}}
	if got := multiview.Folds(nil, groups); !slices.EqualFunc(got, groups, slices.Equal) {
		t.Errorf("one thing at a time is %v", got)
	}
	if got := multiview.Folds([][]int{{2, 0}, {1}}, groups); !slices.EqualFunc(got, [][]int{{2, 4, 0, 3}, {1}}, slices.Equal) {
		t.Errorf("folds are %v", got)
	}
}

// A thing without any view is refused by its number as people count.
func TestThingWithoutViews(t *testing.T) {
	x, views := uneven()
	if err := multiview.Stack(x, views).CheckViews("x.csv"); err != nil {
		t.Error(err)
	}
	for j := range 5 {
		x.Dense.Set(2, j, math.NaN())
	}
	const want = "x.csv: row 3 has no view: all its cells are empty; leave the row out"
	if err := multiview.Stack(x, views).CheckViews("x.csv"); err == nil || err.Error() != want {
		t.Errorf("the refusal is %v", err)
	}
	for i := range 4 {
		for j := range 5 {
			x.Dense.Set(i, j, math.NaN())
		}
	}
	if s := multiview.Stack(x, views); len(s.View) != 0 || s.Rows.Dense == nil {
		t.Errorf("nothing at all is stacked as %+v", s)
	}
}

// The linear kernel of the blocks is that of each view times its weight, and zero between views.
func TestBlocks(t *testing.T) {
	x, views := uneven()
	for i := range 4 { // a missing cell within a view that is there
		for j, v := range x.Dense.RawRowView(i) {
			if v == 14 {
				x.Dense.Set(i, j, 0)
			}
		}
	}
	weight := []float64{4, 0.25}
	for _, rows := range []data.Rows{x, emptied(x)} {
		s := multiview.Stack(rows, views)
		b := s.Blocks(rows, views, weight)
		if !slices.Equal(b.ID, s.Rows.ID) || b.Dim() != 5 || b.Len() != 6 {
			t.Errorf("blocks are %d x %d, numbered %v", b.Len(), b.Dim(), b.ID)
		}
		want := mat.NewDense(6, 5, []float64{
			0, 4, 0, 8, 0,
			0, 18, 0, 20, 0,
			0, 24, 0, 0, 0,
			0.5, 0, 1.5, 0, 2.5,
			3, 0, 3.5, 0, 4,
			5.5, 0, 6.5, 0, 7.5,
		})
		if got := b.Sparse.ToDense(); !mat.Equal(got, want) {
			t.Errorf("sparse %v: blocks are\n%v", rows.IsSparse(), mat.Formatted(got))
		}
		if stored := len(b.Sparse.Value); !rows.IsSparse() && stored != 14 {
			t.Errorf("%d numbers are stored, of which one is a zero", stored)
		}
	}
}

// The ties are the sum of squared differences of the outputs for each thing, each pair of views once.
func TestTies(t *testing.T) {
	x, views := lacking()
	s := multiview.Stack(x, views)
	ties := multiview.Ties{Copies: s.Copies}
	n := len(s.View)
	if ties.Len() != n {
		t.Fatalf("%d rows are tied, there are %d", ties.Len(), n)
	}
	want := mat.NewDense(n, n, nil)
	for a, i := range s.Thing {
		for b, j := range s.Thing {
			if i == j && a != b {
				want.Set(a, a, want.At(a, a)+1)
				want.Set(a, b, want.At(a, b)-1)
			}
		}
	}
	eye, got := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	for i := range n {
		for j := range n {
			got.Set(i, j, 7) // what stood there does not count
		}
	}
	ties.MulTo(got, eye)
	if !mat.Equal(got, want) {
		t.Error("the operator is not the Laplacian of the complete graph on every thing's rows")
	}
	ties.Pull(nil, eye, eye)
	if ties.Space() != nil {
		t.Error("there are parameters")
	}
}

// The mean of a thing's outputs does not depend on what stood in its place.
func TestMeanOfViews(t *testing.T) {
	dst := mat.NewDense(2, 2, []float64{5, 5, 5, 5})
	multiview.Mean(dst, mat.NewDense(3, 2, []float64{1, 2, 10, 20, 3, 6}), [][]int{{0, 2}, {1}})
	if !slices.Equal(dst.RawMatrix().Data, []float64{2, 4, 10, 20}) {
		t.Errorf("means are %v", dst.RawMatrix().Data)
	}
}

// Things are judged by the mean of their outputs, of all of them or of those asked for, and every output has its share
// of the gradient.
func TestAgreed(t *testing.T) {
	x, views := uneven()
	s := multiview.Stack(x, views)
	p := &learn.Problem{
		Rows: x, Task: data.Classification, Classes: []string{"a", "b"}, Coding: learn.Coding{Classes: 2},
		Labelled: []int{0, 2, 3}, Class: []int{1, 0, 1},
	}
	p.Y = p.Coding.Code(p.Class)
	groups := s.Groups(p)
	a := multiview.Agreed{Criterion: score.LogLoss{}, Things: p, Groups: groups}
	o := mat.NewDense(5, 1, []float64{0.3, -1, 2, -0.8, 0.5})
	mean := mat.NewDense(3, 1, []float64{-0.25, -1, 1.25})
	for _, c := range []struct{ rows, things []int }{{nil, nil}, {[]int{0, 3}, []int{0}}, {[]int{1, 2, 4}, []int{1, 2}}} {
		of := mat.NewDense(3, 1, nil)
		want := a.Criterion.Eval(p, c.things, mean, of)
		bar := mat.NewDense(5, 1, []float64{9, 9, 9, 9, 9})
		near(t, "value", a.Eval(nil, c.rows, o, nil), want, 1e-15)
		near(t, "value beside the gradient", a.Eval(nil, c.rows, o, bar), want, 1e-15)
		for q, g := range groups {
			for _, r := range g {
				near(t, "gradient", bar.At(r, 0), of.At(q, 0)/float64(len(g)), 1e-15)
			}
		}
	}
}
