package rbf

// Cross-validation of a front (Kokshenev 2010, eq. 4.26). For fold l and element i the
// LASSO with |alpha|_1 <= eps_i = |alpha_i|_1 is solved on the other rows, with the
// units of the element's width at all candidate centres (inputs only, so no label
// leaks), centred on those rows (eq. 4.23), and judged on the fold. Widths are not
// chosen again inside folds. One path for each distinct width and fold serves all
// elements of that width, by interpolation. A front of several widths takes
// one path over all of them a fold, and Q in the place of |alpha|_1.
//
// Cost: folds x distinct widths paths. The printed Y is that of the training rows.

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/learn"
)

// Validation is what each element of a front does on rows held out.
type Validation struct {
	SSE    []float64 // sum over held-out rows of (y - f)^2
	Errors []float64 // rows where f and y differ in sign (f = 0 counts as positive): of use for targets -1, +1
	Rows   int       // held out in all
}

func newValidation(elements int) *Validation {
	return &Validation{SSE: make([]float64, elements), Errors: make([]float64, elements)}
}

func (v *Validation) add(i int, y, f float64) {
	v.SSE[i] += (y - f) * (y - f)
	if (f >= 0) != (y > 0) {
		v.Errors[i]++
	}
}

// Validate judges the elements on rows that took no part in training (eq. 2.47).
func (f *Front) Validate(ctx context.Context, rows data.Rows, y []float64) (*Validation, error) {
	if len(y) != rows.Len() {
		panic(fmt.Sprintf("rbf: %d rows, %d targets", rows.Len(), len(y)))
	}
	out, err := f.Predict(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	v := newValidation(len(f.Elements))
	v.Rows = len(y)
	for i, t := range y {
		for e, o := range out.RawRowView(i) {
			v.add(e, t, o)
		}
	}
	return v, nil
}

// CrossValidate judges the elements by folds, given as the rows each holds out, on the
// rows the front was made from. data.Folds makes seeded, shuffled, stratified ones.
func (f *Front) CrossValidate(ctx context.Context, rows data.Rows, y []float64, folds [][]int) (*Validation, error) {
	if len(y) != rows.Len() || rows.Len() != f.Rows {
		panic(fmt.Sprintf("rbf: %d rows, %d targets, the front is of %d", rows.Len(), len(y), f.Rows))
	}
	p, err := newPoints(rows, f.Centres, f.NoOffset)
	if err != nil {
		return nil, err
	}
	paths := f.foldPaths(folds)
	parts := make([]*Validation, len(paths))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(paths)))
	each := max(1, runtime.GOMAXPROCS(0)/workers)
	err = parallel.Each(workers, len(paths), func(k int) (err error) {
		parts[k], err = f.foldPath(ctx, p, y, paths[k], each)
		return err
	})
	if err != nil {
		return nil, err
	}
	sum := newValidation(len(f.Elements))
	for _, v := range parts { // in the order of the paths, so that sums do not depend on threads
		for i := range v.SSE {
			sum.SSE[i] += v.SSE[i]
			sum.Errors[i] += v.Errors[i]
		}
	}
	for _, h := range folds {
		sum.Rows += len(h)
	}
	return sum, nil
}

// foldPath is one path of cross-validation and the elements read off it.
type foldPath struct {
	fold     int
	held     []int // rows
	widths   []float64
	elements []int
}

// foldPaths are one path a fold for the elements of each width, or for all of them together.
func (f *Front) foldPaths(folds [][]int) []foldPath {
	groups := map[int][]int{}
	for i := range f.Elements {
		w := 0 // the constant network is on every path
		if e := &f.Elements[i]; !f.Joint && len(e.Units) > 0 {
			w = int(e.Units[0].Width)
		}
		groups[w] = append(groups[w], i)
	}
	var paths []foldPath
	for w := range f.Widths {
		widths := f.Widths
		if !f.Joint {
			widths = f.Widths[w : w+1]
		}
		for l, held := range folds {
			if len(groups[w]) > 0 {
				paths = append(paths, foldPath{l, held, widths, groups[w]})
			}
		}
	}
	return paths
}

// foldPath trains on the rows that t does not hold out and judges its elements on those it does.
func (f *Front) foldPath(ctx context.Context, p *points, y []float64, t foldPath, workers int) (*Validation, error) {
	train := learn.Others(f.Rows, t.held)
	if len(train) == 0 || len(t.held) == 0 {
		return nil, fmt.Errorf("rbf: fold %d holds out %d of %d rows", t.fold, len(t.held), f.Rows)
	}
	d, err := p.newDictionary(ctx, t.widths, f.Order, train, p.fits(t.widths, len(train), 0))
	if err != nil {
		return nil, err
	}
	bar, mean := p.centred(indices.Of(y, train))
	var limit float64
	for _, i := range t.elements {
		limit = max(limit, f.Elements[i].Q)
	}
	path := &solve.LassoPath{Nodes: []solve.LassoNode{{}}}
	if limit > 0 {
		if path, err = solve.Lasso(ctx, d, bar, solve.LassoOptions{MaxL1: limit, Workers: workers}); err != nil {
			return nil, err
		}
	}
	v, units := newValidation(len(f.Elements)), d.heldOut(t.held)
	out := make([]float64, len(t.held))
	for _, i := range t.elements {
		node := path.At(f.Elements[i].Q)
		units.outputs(out, d.element(node.Index, node.Coef, mean, 0), node.Index)
		for a, r := range t.held {
			v.add(i, y[r], out[a])
		}
	}
	return v, nil
}

// heldUnits are the units of a dictionary at rows held out, computed when first asked for.
type heldUnits struct {
	*dictionary
	held   []int
	values map[int32][]float64
}

func (d *dictionary) heldOut(held []int) heldUnits { return heldUnits{d, held, map[int32][]float64{}} }

// unit is column j of the dictionary at the held-out rows.
func (u heldUnits) unit(j int32) []float64 {
	x, ok := u.values[j]
	if !ok {
		w, c := int(j)/u.p.m, int(j)%u.p.m
		x = make([]float64, len(u.held))
		u.gram[w].Block(mat.NewDense(1, len(x), x), u.p.centres[c:c+1], u.held)
		u.values[j] = x
	}
	return x
}

// outputs stores those of e, whose units are the columns index.
func (u heldUnits) outputs(out []float64, e Element, index []int32) {
	for a := range out {
		out[a] = e.Offset
	}
	for q, j := range index {
		x := u.unit(j)
		for a := range out {
			out[a] += e.Coef[q] * x[a]
		}
	}
}

// Misclassified counts the training rows of which each element's sign differs from y's.
func (f *Front) Misclassified(ctx context.Context, rows data.Rows, y []float64) ([]int, error) {
	v, err := f.Validate(ctx, rows, y)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(v.Errors))
	for i, e := range v.Errors {
		out[i] = int(math.Round(e))
	}
	return out, nil
}
