package mercer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/mobj"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rbf"
)

// jointBytes bounds the columns of all widths together, beyond which mobj-rbf takes one
// width a network: that of rbf.Joint's own store.
const jointBytes = 1 << 30

// networkFront makes the front of RBF networks: of one output the front itself, of several
// classes the members with the least SSE + lambda Q for every lambda, summed over classes, which
// is the convex part of the front of the sums.
func (j *job) networkFront(ctx context.Context) (*front, error) {
	p := j.problem
	rows := p.Rows.Select(p.Labelled)
	list, df, leftOut, err := j.networks(ctx, rows)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s: %w", j.in.Set.Source, err)
		}
		return nil, err
	}
	f := &front{rows: len(p.Labelled), gaussian: true, quick: j.method.id == "mobj-rbf", partial: list[0].Partial}
	combos := [][]int{}
	if len(list) == 1 {
		for i := range list[0].Elements {
			combos = append(combos, []int{i})
		}
	} else {
		combos = sweep(list)
	}
	wrong := make([][]int, len(list))
	if len(list) == 1 {
		for _, part := range list[0].Parts {
			f.parts = append(f.parts, FrontPart{Name: fmt.Sprintf("sigma %.4g", part.Sigma), Risk: scaled(part.SSE, 1/float64(len(p.Labelled))), Complexity: part.Q})
		}
	}
	for c, one := range list {
		f.violation, f.partial = max(f.violation, one.Violation), f.partial || one.Partial
		if p.Task == data.Classification && len(list) == 1 {
			if wrong[c], err = one.Misclassified(context.WithoutCancel(ctx), rows, mat.Col(nil, c, p.Y)); err != nil {
				return nil, err
			}
		}
	}
	for _, combo := range combos {
		f.members = append(f.members, j.network(list, df, combo, wrong))
	}
	if leftOut != nil {
		f.leftOut = func(ctx context.Context, folds [][]int) ([]float64, string, error) {
			v, says, err := leftOut(ctx, folds)
			if err != nil {
				return nil, "", err
			}
			loss, what := j.networksLeftOut(v, combos)
			return loss, what + ", " + says, nil
		}
	}
	return f, nil
}

// heldOut judges the fronts of all outputs by folds, and says how.
type heldOut func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error)

// networks trains the method's fronts, one an output, and returns the degrees of freedom where they
// are not the number of units, and how they are judged by folds.
func (j *job) networks(ctx context.Context, rows data.Rows) ([]*rbf.Front, [][]float64, heldOut, error) {
	y := j.problem.Y
	widths := rbf.Widths{Seed: j.seed()}
	if s := j.set.params["sigma"]; len(s) > 0 {
		widths.Lo, widths.Hi = slices.Min(s), slices.Max(s)
		if len(s) == 1 {
			widths.Steps = -1
		}
	}
	switch j.method.id {
	case "rofs":
		list, _, err := rbf.ROFS{Widths: widths, Lambdas: j.set.params["lambda"]}.Fit(ctx, rows, y)
		return list, nil, nil, err
	case "grn", "mobj-grn":
		g := rbf.GRN{Widths: widths, Lambdas: j.set.params["lambda"], NoOffset: j.recipe.Offset == "no"}
		if j.method.id == "mobj-grn" {
			g.Stabiliser = rbf.Reference
			if j.recipe.Set["complexity"] == string(mobj.QNorm) {
				g.Stabiliser = rbf.Norm
			}
		}
		list, df, err := g.Fit(ctx, rows, y)
		return list, df, func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error) {
			v, err := g.CrossValidate(ctx, list, rows, y, folds)
			return v, "in closed form at the members' widths and lambdas,", err
		}, err
	}
	joint := j.recipe.Set["joint"] != "no"
	const jointWidths = 30 // rbf.Joint's own number
	if n := int64(rows.Len()); n*n*8*jointWidths > jointBytes {
		if j.recipe.Set["joint"] == "yes" {
			j.warnings = append(j.warnings, fmt.Sprintf("--set joint=yes: %d rows have %d candidate units, whose columns are computed again at every step", n, n*jointWidths))
		} else {
			joint = false
		}
	}
	var list []*rbf.Front
	var err error
	if joint {
		list, err = rbf.Joint{Widths: widths, Order: j.set.one("order"), MaxQ: j.set.one("max_q"), Steps: 250}.Fit(ctx, rows, y)
	} else {
		list, err = rbf.MOBJ{Widths: widths, Order: j.set.one("order"), MaxQ: j.set.one("max_q")}.Fit(ctx, rows, y)
	}
	return list, nil, func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error) {
		var all []*rbf.Validation
		for o, f := range list {
			v, err := f.CrossValidate(ctx, rows, mat.Col(nil, o, y), folds)
			if err != nil {
				return nil, "", err
			}
			all = append(all, v)
		}
		return all, "one LASSO path a width and fold at the members' complexities,", nil
	}, err
}

// network is the member made of one element an output.
func (j *job) network(list []*rbf.Front, df [][]float64, combo []int, wrong [][]int) frontMember {
	c := len(list)
	m := frontMember{Member: mobj.Member{Errors: -1}, params: map[string]any{}, part: model.Part{Offset: make([]float64, c)}}
	type key struct {
		width int32
		row   int
	}
	coef := map[key][]float64{}
	var lambda, sigma []float64
	for o, i := range combo {
		e := list[o].Elements[i]
		m.SSE += e.SSE
		m.Complexity += e.Q
		if df != nil {
			m.DF += df[o][i]
		} else {
			m.DF += float64(len(e.Units))
		}
		if wrong[o] != nil {
			m.Errors = wrong[o][i]
		}
		m.part.Offset[o] = e.Offset
		lambda = append(lambda, e.Lambda)
		for q, u := range e.Units {
			k := key{u.Width, int(u.Centre)}
			if coef[k] == nil {
				coef[k] = make([]float64, c)
			}
			coef[k][o] += e.Coef[q]
			sigma = append(sigma, list[o].Widths[u.Width])
		}
	}
	m.risk = m.SSE / float64(len(j.problem.Labelled))
	keys := make([]key, 0, len(coef))
	for k := range coef {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.row, b.row)) })
	for lo := 0; lo < len(keys); {
		hi := lo
		for hi < len(keys) && keys[hi].width == keys[lo].width {
			hi++
		}
		units := model.Expansion{Kernel: kernel.Gaussian{Sigma: list[0].Widths[keys[lo].width]}, Centres: list[0].Centres, Coef: mat.NewDense(hi-lo, c, nil)}
		for q, k := range keys[lo:hi] {
			units.Rows = append(units.Rows, k.row)
			units.Coef.SetRow(q, coef[k])
		}
		m.part.Functions = append(m.part.Functions, units)
		lo = hi
	}
	if slices.Min(lambda) == slices.Max(lambda) {
		m.params["lambda"] = lambda[0]
	}
	if len(sigma) > 0 {
		if a, b := slices.Min(sigma), slices.Max(sigma); a == b {
			m.params["sigma"] = a
		} else {
			m.params["sigma_min"], m.params["sigma_max"] = a, b
		}
	}
	return m
}

// sweep lists the combinations of elements, one an output, that minimise sum_c SSE_c + lambda Q_c
// for some lambda: from the simplest to the most complex, each step moves the output whose
// next convex edge is the steepest.
func sweep(list []*rbf.Front) [][]int {
	hulls := make([][]int, len(list))
	for c, f := range list {
		sse, q := f.Objectives()
		hulls[c] = hull(sse, q)
	}
	at := make([]int, len(list))
	var combos [][]int
	for {
		combo := make([]int, len(list))
		for c := range list {
			combo[c] = hulls[c][at[c]]
		}
		combos = append(combos, combo)
		best, slope := -1, 0.0
		for c, f := range list {
			if at[c]+1 >= len(hulls[c]) {
				continue
			}
			a, b := f.Elements[hulls[c][at[c]]], f.Elements[hulls[c][at[c]+1]]
			if s := (a.SSE - b.SSE) / (b.Q - a.Q); best < 0 || s > slope {
				best, slope = c, s
			}
		}
		if best < 0 {
			return combos
		}
		at[best]++
	}
}

// hull is the lower convex hull of points by increasing q and decreasing r.
func hull(r, q []float64) []int {
	var h []int
	for i := range r {
		for len(h) >= 2 {
			a, b := h[len(h)-2], h[len(h)-1]
			if (r[a]-r[b])*(q[i]-q[b]) > (r[b]-r[i])*(q[b]-q[a]) {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, i)
	}
	return h
}

// networksLeftOut is the loss of every member by folds and what it is: errors of two classes, squared errors else.
func (j *job) networksLeftOut(v []*rbf.Validation, combos [][]int) (loss []float64, what string) {
	loss = make([]float64, len(combos))
	errors := j.problem.Task == data.Classification && len(v) == 1
	for o, one := range v {
		sum := one.SSE
		if errors {
			sum = one.Errors
		}
		for k, combo := range combos {
			loss[k] += sum[combo[o]] / float64(one.Rows)
		}
	}
	if errors {
		return loss, "share of errors"
	}
	return loss, "mean squared error"
}

// scaled is v times factor.
func scaled(v []float64, factor float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = factor * x
	}
	return out
}

var errDense = errors.New("RBF networks are for dense rows; choose --method mobj-svm, or rls with --kernel linear")
