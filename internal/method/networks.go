package method

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

// jointBytes bounds the columns of all widths together, beyond which mobj-rbf takes one
// width a network: that of rbf.Joint's own store.
const jointBytes = 1 << 30

// heldOut is a function that returns the loss of every element of the fronts of all outputs on rows held out in folds,
// and words for how it was taken.
type heldOut func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error)

// networks are trained fronts, one for each output.
type networks struct {
	list    []*rbf.Front
	df      [][]float64        // degrees of freedom of each element; nil: the number of its units
	leftOut heldOut            // nil: the method has no folds
	quick   bool               // folds would take as long as the front
	bias    bool               // an offset is fitted that df leaves out
	made    *choose.Candidates // the finished ones, if the fronts could not be made without a decision
}

// candidates joins the fronts of all outputs: of one output the front itself, of several
// classes the members with the least SSE + lambda Q for every lambda, summed over classes, which
// is the convex part of the front of the sums.
func (w networks) candidates(ctx context.Context, t *task.Task, rows data.Rows) (*choose.Candidates, [][]int, error) {
	p, list := t.Problem, w.list
	f := &choose.Tradeoff{
		Centres:  list[0].Centres,
		Rows:     t.Labelled(),
		Outputs:  p.Outputs(),
		Gaussian: true,
		Quick:    w.quick,
		Partial:  list[0].Partial,
	}
	combos := [][]int{}
	f.Bias = w.bias
	if len(list) == 1 {
		for i := range list[0].Elements {
			combos = append(combos, []int{i})
		}
		for _, part := range list[0].Parts {
			f.Parts = append(
				f.Parts,
				result.FrontPart{
					Name:       fmt.Sprintf("sigma %.4g", part.Sigma),
					Risk:       scaled(part.SSE, 1/float64(t.Labelled())),
					Complexity: part.Q,
				},
			)
		}
	} else {
		combos = sweep(list)
	}
	wrong := make([][]int, len(list))
	for c, one := range list {
		f.Violation, f.Partial = max(f.Violation, one.Violation), f.Partial || one.Partial
		if p.Task == data.Classification && len(list) == 1 {
			var err error
			if wrong[c], err = one.Misclassified(context.WithoutCancel(ctx), rows, mat.Col(nil, c, p.Y)); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, combo := range combos {
		f.Points = append(f.Points, w.point(t, combo, wrong))
	}
	f.Border = func(point int) string {
		for o, i := range combos[point] {
			if at := list[o].Border(i); at != "" {
				return at
			}
		}
		return ""
	}
	if w.leftOut != nil {
		f.LeftOut = func(ctx context.Context, folds [][]int) ([]float64, string, error) {
			v, says, err := w.leftOut(ctx, folds)
			if err != nil {
				return nil, "", err
			}
			loss, what := leftOutLoss(t, v, combos)
			return loss, what + ", " + says, nil
		}
	}
	return &choose.Candidates{
		Problem: p,
		Front:   f,
		Tuning:  result.Tuning{Evaluations: len(f.Points), Search: "front", Status: string(search.Complete)},
	}, combos, nil
}

// netForm is the form of methods that make fronts of networks. numbers is how many 8-byte numbers
// their columns take.
func netForm(
	train func(context.Context, *task.Task, data.Rows) (networks, error),
	numbers func(task.Size, task.Request) float64,
	work func(task.Size, task.Request) Work,
) []Form {
	return []Form{{
		Name: "columns",
		Bytes: func(s task.Size, r task.Request) float64 {
			return 8 * (2*s.Stored + numbers(s, r) + 8*float64(s.Rows)*float64(s.Outputs))
		},
		Work: func(s task.Size, r task.Request) Work {
			z := sizeOf(s)
			return z.rowWork().Plus(work(s, r).Times(z.machines()))
		},
		Produce: func(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
			rows := t.Problem.Rows.Select(t.Problem.Labelled)
			w, err := train(ctx, t, rows)
			if err != nil {
				if ctx.Err() == nil {
					err = fmt.Errorf("%s: %w", t.Input.Set.Source, err)
				}
				return nil, err
			}
			if w.made != nil {
				return w.made, nil
			}
			s, _, err := w.candidates(ctx, t, rows)
			return s, err
		},
	}}
}

// widthsOf are the widths of units that are set: one, or a range.
func widthsOf(t *task.Task) rbf.Widths {
	w := rbf.Widths{Seed: t.Recipe.Drawn()}
	if s := t.Request.Kernel["sigma"]; len(s) > 0 {
		w.Lo, w.Hi, w.Rule = slices.Min(s), slices.Max(s), rbf.Asked
		if len(s) == 1 {
			w.Steps = -1
		}
	}
	return w
}

// ofEachWidth is the default of rbf.GRN.Lambdas.
const ofEachWidth = "half decades for each width, from a tenth of a degree of freedom to 95 % of the rank"

// lambdas is the setting of several weights of the complexity.
func lambdas(def, about string) setting.Setting {
	return setting.Setting{Name: "lambda", Range: setting.Positive(), Many: true, Default: def, About: about}
}

// point is the member of the joint front that has one given element of the front of each output.
func (w networks) point(t *task.Task, combo []int, wrong [][]int) choose.Point {
	list, df := w.list, w.df
	c := len(list)
	m := choose.Point{Errors: -1, Params: map[string]any{}, Offset: make([]float64, c)}
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
		m.Offset[o] = e.Offset
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
	m.Risk = m.SSE / float64(t.Labelled())
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
		part := choose.Term{Kernel: kernel.Gaussian{Sigma: list[0].Widths[keys[lo].width]}, Coef: mat.NewDense(hi-lo, c, nil)}
		for q, k := range keys[lo:hi] {
			part.Rows = append(part.Rows, k.row)
			part.Coef.SetRow(q, coef[k])
		}
		m.Terms = append(m.Terms, part)
		lo = hi
	}
	if slices.Min(lambda) == slices.Max(lambda) {
		m.Params["lambda"] = lambda[0]
	}
	if len(sigma) > 0 {
		if a, b := slices.Min(sigma), slices.Max(sigma); a == b {
			m.Params["sigma"] = a
		} else {
			m.Params["sigma_min"], m.Params["sigma_max"] = a, b
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

// leftOutLoss is the loss of every member by folds and what it is: errors of two classes, squared errors else.
func leftOutLoss(t *task.Task, v []*rbf.Validation, combos [][]int) (loss []float64, what string) {
	loss = make([]float64, len(combos))
	errors := t.Problem.Task == data.Classification && len(v) == 1
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
