package fit

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

const (
	// scalingLabels is the least number of labelled rows by which scalings are compared: fewer labels are not to decide, so that
	// answers from few labels do not hang on them.
	scalingLabels = 100
	// scalingRows are compared at most, evenly spaced: two scalings by six machines take the cube of them twelve times.
	scalingRows = 300
	// scalingErrors is the number of standard errors by which the other scaling must be better, and scalingShare the share of the loss.
	scalingErrors = 2
	scalingShare  = 0.05
)

// chooseScaling returns the scaling that known labels prefer clearly to the one that the rule would take, and why; "" where they
// do not, are few, or where the recipe says what is done. The rule's alternative for dense columns is none or standard, for sparse
// counts TF-IDF. Both are judged by the left-out log losses, or squares of a regression, of regularised least squares, the best of
// a linear and five Gaussian kernels, on the same rows, pair by pair.
func chooseScaling(ctx context.Context, in result.Input, r result.Recipe, o result.Options) (kind, reason string, err error) {
	usual, other := compared(in.Set, r)
	if other == "" {
		return "", "", nil
	}
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return "", "", err
	}
	known := labels.Labelled()
	if len(known) < scalingLabels {
		return "", "", nil
	}
	rows := make([]int, min(len(known), scalingRows))
	for q := range rows {
		rows[q] = known[q*len(known)/len(rows)]
	}
	part := result.Input{Set: in.Set.Select(rows)}
	type judged struct {
		Known bool // of both scalings
		Loss  [2][]float64
		// Weight are those of the rows; nil: they are alike.
		Weight []float64 `json:",omitempty"`
	}
	both, err := share.One(ctx, o.Share, "scaling", func(ctx context.Context) (j judged, err error) {
		m, _ := method.Find(r.Method) // one that is not there is refused by the fit itself
		for q, kind := range []string{usual, other} {
			one := result.Recipe{Method: "rls", Scale: kind, Task: labels.Task.String(), Kernel: r.Kernel, KernelValue: r.KernelValue,
				Seed: r.Seed}
			if r.Kernel == "" && !in.Set.Rows.IsSparse() && m.Family.Linear() {
				one.Kernel = "linear" // the machine that is judged is to be of the method's own kernel
			}
			a, err := answerOf(ctx, part, one, result.Options{Memory: o.Memory})
			if err != nil {
				return judged{}, nil //nolint:nilerr // nothing is known of this scaling: the fit itself says what is wrong with the rows
			}
			j.Loss[q], j.Weight = a.LeftOutLosses()
		}
		j.Known = true
		return j, nil
	})
	if err != nil || !both.Known {
		return "", "", err
	}
	loss := both.Loss
	mean, spread := difference(loss[0], loss[1], both.Weight)
	if !(mean > scalingErrors*spread && mean > scalingShare*average(loss[0], both.Weight)) {
		return "", "", nil
	}
	text := map[string]string{
		data.ScaleNone: "features left as they are", data.ScaleStandard: "features standardised",
		data.ScaleTFIDF: "counts weighted by TF-IDF, rows scaled to length 1",
	}[other]
	said := "log loss"
	if labels.Task == data.Regression {
		said = "mean square"
	}
	fall := 100 * mean / average(loss[0], both.Weight)
	return other, fmt.Sprintf("%s: the left-out %s of %d labelled rows falls by %.2g %%", text, said, len(rows), fall), nil
}

// compared are the alternatives where the recipe leaves it to the rows which is taken, "" where nothing is compared.
func compared(set *data.Set, r result.Recipe) (usual, other string) {
	m, _ := method.Find(r.Method)
	if r.Scale != "" && r.Scale != data.ScaleAuto || r.Tune == "none" || len(r.Views) > 0 || m.Coding.OneClass {
		return "", ""
	}
	if usual, other = alternatives(set); r.Kernel != "" && usual != data.ScaleNone {
		return "", ""
	}
	return usual, other
}

// scalingWork is that of the comparison of scalings for rows of a size: two fits of few rows, which small fits take longer for than for
// all else.
func scalingWork(s task.Size, set *data.Set, r result.Recipe) method.Work {
	if s.Labelled < scalingLabels {
		return method.Work{}
	}
	if _, other := compared(set, r); other == "" {
		return method.Work{}
	}
	m, request, err := method.Read(result.Recipe{Method: "rls", Kernel: r.Kernel, KernelValue: r.KernelValue})
	if err != nil {
		return method.Work{}
	}
	part := s
	part.Rows = min(s.Labelled, scalingRows)
	part.Labelled = part.Rows
	part.Stored *= float64(part.Rows) / float64(s.Rows)
	request = request.Scored(m.Coding, part.Task, part.Labelled)
	return m.Form(part, request).Work(part, request).Times(2)
}

// alternatives are the scaling that the rule takes for a set and the other one, "" where there is none.
func alternatives(set *data.Set) (usual, other string) {
	switch rows := set.Rows; {
	case set.Table != nil || set.Text != nil:
		return "", ""
	case rows.IsSparse():
		for _, v := range rows.Sparse.Value {
			if v < 0 || v != math.Trunc(v) {
				return "", ""
			}
		}
		return data.ScaleNone, data.ScaleTFIDF
	}
	s, _, err := data.FitScaling(data.ScaleAuto, set.Rows)
	switch {
	case err != nil:
		return "", ""
	case s.Kind == data.ScaleNone:
		return s.Kind, data.ScaleStandard
	}
	return s.Kind, data.ScaleNone
}

// difference is the mean of a - b and its standard error, by the weights of the rows, which are alike where there are none.
func difference(a, b, weight []float64) (mean, spread float64) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, 0
	}
	n := float64(len(a))
	mean = average(a, weight) - average(b, weight)
	for i := range a {
		d := a[i] - b[i] - mean
		if weight != nil {
			d *= weight[i] * n / floats.Sum(weight) // 1 on average
		}
		spread += d * d
	}
	return mean, math.Sqrt(spread / (n - 1) / n)
}

func average(x, weight []float64) float64 {
	sum, total := 0.0, float64(len(x))
	if weight != nil {
		total = floats.Sum(weight)
	}
	for i, v := range x {
		if weight != nil {
			v *= weight[i]
		}
		sum += v
	}
	return sum / total
}

// scaledBy is the scaling that a form asks for where the recipe leaves it and the rule would leave features as they are, "" elsewhere.
func scaledBy(kind string, in result.Input, r result.Recipe) (scale, reason string) {
	if r.Scale != "" && r.Scale != data.ScaleAuto {
		return "", ""
	}
	if s, _, err := in.Set.FitScaling(""); err != nil || s.Kind != data.ScaleNone {
		return "", ""
	}
	return kind, "features standardised: each column has a width of its own"
}
