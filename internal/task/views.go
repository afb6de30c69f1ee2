package task

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// ViewLists are the columns of each view, from 0.
func (t *Task) ViewLists() [][]int {
	var lists [][]int
	for _, v := range t.ViewColumns() {
		list := make([]int, v[1]-v[0])
		for q := range list {
			list[q] = v[0] + q
		}
		lists = append(lists, list)
	}
	return lists
}

// stack makes the rows of each view, and the kernel that couples the views, for a method of views.
func (t *Task) stack(ctx context.Context) error {
	if len(t.Recipe.Views) < 2 {
		return Usage(
			"--method %s: it is for several views of the same rows; "+
				"add --view NAME=FIRST..LAST or NAME=FILE for each of them, or choose another method",
			t.Coding.Method,
		)
	}
	if w := t.Values.Numbers(LossWeights); w != nil && len(w) != len(t.Recipe.Views) {
		return Usage("--set loss_weights=%s: there are %d views; give a weight for each, in the order of --view",
			t.Values.Text(LossWeights), len(t.Recipe.Views))
	}
	if err := t.lacking(); err != nil {
		return err
	}
	t.Stacked = multiview.Stack(t.Problem.Rows, t.ViewLists())
	if err := t.Stacked.CheckViews(t.Input.Set.Source); err != nil {
		return err
	}
	k := multiview.Coupled{Coupling: 1}
	views := make([]int, len(t.Recipe.Views))
	for _, v := range t.Stacked.View {
		views[v]++
	}
	for q, v := range t.Recipe.Views {
		if views[q] == 0 {
			return fmt.Errorf("%s: --view %s: no row has it, all its cells are empty; leave it out", t.Input.Set.Source, v.Name)
		}
		if t.constantView(q) {
			return fmt.Errorf("%s: --view %s: all rows that have it have the same values, which tell nothing; leave it out",
				t.Input.Set.Source, v.Name)
		}
		one, err := t.viewKernel(v)
		if err != nil {
			return err
		}
		k.Names, k.Kernels = append(k.Names, v.Name), append(k.Kernels, one)
	}
	counted, err := t.Counted(ctx, k.Adapt(t.Stacked.Rows).(multiview.Coupled))
	if err != nil {
		return err
	}
	return t.fixViews(counted)
}

// constantView says whether all rows that have a view are alike in it. Sparse rows lack a view where they store nothing
// of it, so those that are alike are not looked for.
func (t *Task) constantView(v int) bool {
	x, first := t.Problem.Rows.Dense, -1
	if x == nil {
		return false
	}
	columns := t.ViewColumns()[v]
	for r, view := range t.Stacked.View {
		if view != v {
			continue
		}
		i := t.Stacked.Thing[r]
		if first < 0 {
			first = i
		}
		if !slices.Equal(x.RawRowView(i)[columns[0]:columns[1]], x.RawRowView(first)[columns[0]:columns[1]]) {
			return false
		}
	}
	return true
}

// WithViews is the task with the rows of each view, and the kernel that couples the views, of a method that
// otherwise looks at whole rows.
func (t *Task) WithViews(ctx context.Context) (*Task, error) {
	v := *t
	v.Fixed = nil
	return &v, v.stack(ctx)
}

// viewKernel parses the kernel of a view: its own, that of all, or the usual one.
func (t *Task) viewKernel(v result.View) (kernel.Kernel, error) {
	spec := v.Kernel
	if spec == "" {
		spec = t.KernelSpec()
	}
	var names []string
	if t.Input.Set.Features != nil {
		names = t.Input.Set.Features[v.First-1 : v.Last]
	}
	k, err := t.ParseKernel(spec, names)
	if err != nil {
		return nil, Usage("--kernel %s=%s: %v", v.Name, spec, err)
	}
	return k, nil
}

// Counted gives the kernel of each view the weight with which its values on the diagonal have mean 1,
// so that no view outweighs the others for the units of its columns, times the weight that was asked for, as in 2*gaussian.
func (t *Task) Counted(ctx context.Context, k multiview.Coupled) (multiview.Coupled, error) {
	lists := t.ViewLists()
	kernels := make([]kernel.Kernel, len(k.Kernels))
	for v, one := range k.Kernels {
		asked := 1.0
		if scaled, ok := one.(kernel.Scaled); ok {
			asked, one = scaled.Weight, scaled.Base
		}
		var have []int
		for r, view := range t.Stacked.View {
			if view == v {
				have = append(have, t.Stacked.Thing[r])
			}
		}
		g, err := one.Bind(ctx, t.Problem.Rows.SelectColumns(lists[v]).Select(have), nil)
		if err != nil {
			return k, fmt.Errorf("%s: --view %s: %w", t.Input.Set.Source, k.Names[v], err)
		}
		if sum := floats.Sum(kernel.Diagonal(g, nil)); !(sum > 0) || math.IsInf(sum, 1) {
			return k, fmt.Errorf(
				"%s: --view %s: its kernel says nothing of the rows (its values sum to %.3g); leave the view out, or choose another "+
					"kernel or scaling",
				t.Input.Set.Source, k.Names[v], sum,
			)
		}
		kernels[v] = kernel.Scaled{Weight: asked / score.MeanDiagonal(g, nil), Base: one}
	}
	k.Kernels = kernels
	return k, nil
}

// fixViews gives the kernels the parameters that are set: NAME of all views, one value for all or one a view, and VIEW.NAME of one
// view, which counts where both are set.
func (t *Task) fixViews(k multiview.Coupled) error {
	space := k.Space()
	theta := space.Defaults()
	fix := func(places []int, value float64) {
		for _, i := range places {
			theta[i] = value
			t.Fixed = append(t.Fixed, i)
		}
	}
	own := func(name string) bool {
		return slices.ContainsFunc(k.Names, func(view string) bool { return strings.HasPrefix(name, view+".") })
	}
	names := slices.Sorted(maps.Keys(t.Request.Kernel))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")) })
	for _, name := range names {
		list := t.Request.Kernel[name]
		var at [][]int // of each view
		for _, view := range k.Names {
			at = append(at, places(space, view+"."+name))
		}
		one := places(space, name)
		switch {
		case own(name) && len(one) > 0 && len(list) != 1:
			return Usage("--set %s with %d values; give one", name, len(list))
		case own(name) && len(one) > 0:
			fix(one, list[0])
		case len(slices.Concat(at...)) == 0:
			names := slices.DeleteFunc(space.Names(), func(name string) bool { return !own(name) })
			return Usage("--set %s: no view's kernel has such a parameter; the kernels have %s; leave it out", name, listed(names))
		case len(list) != 1 && len(list) != len(k.Names):
			return Usage("--set %s with %d values for %d views; give one, or one a view", name, len(list), len(k.Names))
		default:
			for v, places := range at {
				fix(places, list[v%len(list)])
			}
		}
	}
	t.Fixed = append(t.Fixed, space.Index(k.Names[0]+".weight")) // the strength of all is the ridge
	base, err := k.With(theta)
	if err != nil {
		return Usage("%v", err)
	}
	t.Base = base
	return nil
}

// lacking refuses cells that are empty in a part of a view, or outside of all views. Sparse rows have no
// empty cells.
func (t *Task) lacking() error {
	x := t.Problem.Rows.Dense
	if x == nil {
		return nil
	}
	in := make([]int, t.Problem.Rows.Dim())
	for q, v := range t.ViewColumns() {
		for c := v[0]; c < v[1]; c++ {
			in[c] = q + 1
		}
	}
	n, _ := x.Dims()
	for i := range n {
		empty := make([]int, len(t.Recipe.Views)+1)
		row := x.RawRowView(i)
		for c, v := range row {
			if math.IsNaN(v) {
				empty[in[c]]++
			}
		}
		for q, count := range empty {
			if count == 0 || q > 0 && count == t.Recipe.Views[q-1].Last-t.Recipe.Views[q-1].First+1 {
				continue
			}
			c := slices.IndexFunc(row, math.IsNaN)
			return &data.CellError{Row: i, Column: c, What: "missing value (empty)", Remedy: "fill it in, or empty all cells of its view"}
		}
	}
	return nil
}

// missing refuses empty cells, for a method that is not of views.
func (t *Task) missing() error {
	x := t.Input.Set.Rows.Dense
	if x == nil {
		return nil
	}
	n, _ := x.Dims()
	for i := range n {
		if c := slices.IndexFunc(x.RawRowView(i), math.IsNaN); c >= 0 {
			return &data.CellError{
				Row: i, Column: c, What: "missing value (empty)",
				Remedy: "fill it in, remove the row, or choose a method of views, as co-rls",
			}
		}
	}
	return nil
}

// OnViews is the task with a row for each view of each thing: the labels of a thing are those of its
// descriptions, its folds leave all of them out, and the score judges the mean of the views' outputs.
func (t *Task) OnViews() *Task {
	on := *t
	things := t.Problem
	groups := t.Stacked.Groups(things)
	on.Things = things
	on.Problem = t.Stacked.Problem(things, t.Values.Numbers(LossWeights))
	on.Folds = multiview.Folds(t.Folds, groups)
	inner := t.Scoring.Criterion
	if inner == nil {
		inner = score.Press{}
	}
	on.Scoring.Criterion = multiview.Agreed{Criterion: inner, Things: things, Groups: groups}
	return &on
}
