package methodtest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// forms is the check that a method is the same in every form that it is computed in, and that each
// says what it takes.
func forms(t *testing.T, m method.Method) {
	sizes(t, m)
	for _, f := range m.Forms {
		switch f.Name {
		case "matrix-free":
			matrixFree(t, m)
		case "sample":
			sampled(t, m, f)
		case "landmarks":
			landmarks(t, m, f)
		case "columns":
			if m.Coding.Views {
				viewColumns(t, m, f)
			}
		}
	}
	linear(t, m)
}

// sizes asks every form for its cost at sizes that it suits: some form suits every size, more rows
// do not cost less, and --set exact=true has tables at any.
func sizes(t *testing.T, m method.Method) {
	for _, share := range []float64{0.001, 1} {
		before := map[string][2]float64{}
		for _, rows := range []int{10, 100, 1000, 7000, 9000, 30000, 1000000} {
			s := task.Size{
				Rows:     rows,
				Labelled: max(4, int(share*float64(rows))),
				Features: 5,
				Outputs:  2,
				Stored:   5 * float64(rows),
				One:      sample(t, plain(m)).Set.Rows.Select([]int{0}),
			}
			r := task.Request{Recipe: mercer.Recipe{Method: m.ID}, Values: setting.Values{}}
			f := m.Form(s, r)
			w := f.Work(s, r)
			now := [2]float64{f.Bytes(s, r), w.Products + w.Values + w.Passes}
			for q, v := range now {
				if !(v >= before[f.Name][q]) || math.IsInf(v, 0) || v == 0 {
					t.Errorf("%s of %s by %s: %v bytes and units of work, of fewer rows %v", m.ID, s, f.Name, now, before[f.Name])
				}
			}
			before[f.Name] = now
		}
	}
	if exact := (setting.Setting{Name: "exact"}); m.Has(exact.Name) {
		s := task.Size{Rows: 30000, Labelled: 10}
		values := setting.Values{exact.Name: {Text: "true", Words: []string{"true"}}}
		if f := m.Form(s, task.Request{Values: values}); f.Name != "tables" {
			t.Errorf("%s: with exact=true %s is by %s", m.ID, s, f.Name)
		}
	}
}

// settled is a recipe with nothing left to choose.
func settled(m method.Method, more given) mercer.Recipe {
	g := and(alone, given{"sigma": "0.5", "gamma_a": "0.01", "gamma_i": "5", "neighbours": "5", "degree": "1", "width": "1"}, more)
	switch {
	case m.ID == "c-lap-rls":
		delete(g, "width")
	case !m.Supports(nil).Graph && m.Has("C"):
		g = and(alone, given{"sigma": "0.5", "C": "2"}, more)
	case !m.Supports(nil).Graph:
		g = and(alone, given{"sigma": "0.5", "lambda": "0.01"}, more)
	}
	return with(mercer.Recipe{Method: m.ID, Tolerance: 1e-10}, g)
}

// smoothed is the square of the method's own loss, where it takes it.
func smoothed(m method.Method) given {
	for _, word := range []string{"squared-hinge", "squared-epsilon"} {
		if loss := (given{"loss": word}); mercer.Check(settled(m, loss)) == nil {
			return loss
		}
	}
	return given{}
}

// matrixFree compares conjugate gradients over all rows with the tables: the certified gap of an
// objective that is 2 gamma_a-strongly convex in ||f|| bounds |f - f*| by sqrt(gap/gamma_a).
func matrixFree(t *testing.T, m method.Method) {
	in, company := sample(t, binary(m)), smoothed(m)
	if mercer.Check(settled(m, and(company, given{"solver": "cg"}))) != nil {
		return // combined graphs have tables alone
	}
	tables, free := one(t, in, settled(m, company)), one(t, in, settled(m, and(company, given{"solver": "cg"})))
	c := free.result.Certificate
	bound := math.Sqrt(c.Gap*c.Objective/0.01) + 1e-7
	if d := apart(t, in, tables, free); d > bound || bound > 1e-2 {
		t.Errorf("%s: without tables the outputs differ by %g, the certificate allows %g", m.ID, d, bound)
	}
	sameObjective(t, m, "without tables", tables, free)
}

// sameObjective wants the objectives of two forms to be the same, but for their gaps and rounding.
func sameObjective(t *testing.T, m method.Method, how string, a, b fitted) {
	x, y := a.result.Certificate, b.result.Certificate
	if !near(x.Objective, y.Objective, 1e-5+x.Gap+y.Gap) {
		t.Errorf("%s: the objective %s is %g, by tables %g", m.ID, how, y.Objective, x.Objective)
	}
}

// sampled compares a sample of all rows with all rows, and a sample of some with a fit of those.
func sampled(t *testing.T, m method.Method, f method.Form) {
	in := sample(t, binary(m))
	in.Hidden = nil
	recipe := settled(m, nil)
	whole := one(t, in, recipe)
	if d := apart(t, in, whole, byForm(t, in, recipe, f, in.Set.Rows.Len())); d != 0 {
		t.Errorf("%s: a sample of all rows differs by %g", m.ID, d)
	}
	some := task.Sample(in, 25, 1)
	if d := apart(t, in, one(t, some, recipe), byForm(t, in, recipe, f, 25)); d != 0 {
		t.Errorf("%s: a sample differs by %g from a fit of its rows", m.ID, d)
	}
}

// landmarks compares as many landmarks as there are rows with the tables.
func landmarks(t *testing.T, m method.Method, f method.Form) {
	in := sample(t, binary(m))
	recipe := settled(m, smoothed(m))
	whole, landmarks := one(t, in, recipe), byForm(t, in, recipe, f, 0)
	if d := apart(t, in, whole, landmarks); d > 1e-5 {
		t.Errorf("%s: with every row a landmark the outputs differ by %g", m.ID, d)
	}
	sameObjective(t, m, "on landmarks", whole, landmarks)
}

// viewColumns compares linear views in passes over the columns with the tables of their kernels.
func viewColumns(t *testing.T, m method.Method, f method.Form) {
	in := sample(t, binary(m))
	for _, c := range []given{
		{"coupling": "0", "--offset": "no"}, {"coupling": "30", "--offset": "no"}, {"coupling": "30", "--offset": "yes"},
	} {
		recipe := with(settled(m, smoothed(m)), and(c, given{"--kernel": "linear"}))
		delete(recipe.Set, "sigma")
		recipe.Views = halves(in)
		tables, columns := one(t, in, recipe), byForm(t, in, recipe, f, 0)
		if d := apart(t, in, tables, columns); d > 1e-6 {
			t.Errorf("%s: with %v the outputs in the columns differ by %g", m.ID, c, d)
		}
		sameObjective(t, m, "in the columns", tables, columns)
	}
}

// kernelTwins are the methods that train in columns what others train in the kernel.
var kernelTwins = map[string]struct {
	method         string
	settings, more given // of both, of the twin
}{
	"linear-svm":      {"l2-svm", given{"C": "0.3"}, given{"offset": "augmented"}},
	"linear-logistic": {"logistic", given{"C": "0.3"}, given{"offset": "augmented"}},
	"linear-lap-rls":  {"lap-rls", alongGraph, nil},
	"linear-lap-svm":  {"lap-svm", alongGraph, given{"loss": "squared-hinge"}},
}

// alongGraph are the settings of a machine with a graph and without an offset.
var alongGraph = given{"gamma_a": "0.02", "gamma_i": "3", "neighbours": "6", "degree": "1", "--offset": "no"}

// linear compares machines of smooth losses in the columns with those in the kernel: the
// polynomial of degree 1 is the linear kernel without features of its own.
func linear(t *testing.T, m method.Method) {
	in := sample(t, binary(m))
	if twin, ok := kernelTwins[m.ID]; ok {
		recipe := with(mercer.Recipe{Tolerance: 1e-10, Method: m.ID}, and(alone, twin.settings))
		own := one(t, in, recipe)
		recipe.Method, recipe.Kernel = twin.method, "polynomial(degree=1,scale=1,offset=0)"
		if d := apart(t, in, own, one(t, in, with(recipe, twin.more))); d > 1e-6 {
			t.Errorf("%s: in the columns and in the kernel, with --method %s, the outputs differ by %g", m.ID, twin.method, d)
		}
	}
	if m.Kernel != "" {
		return // it has no other form
	}
	for _, company := range []given{{}, {"loss": "squared-hinge"}, {"loss": "quartic"}, {"loss": "squared-epsilon"}} {
		base := with(mercer.Recipe{Method: m.ID, Tolerance: 1e-10}, and(alone, company, given{"C": "0.3", "--offset": "yes"}))
		columns, kernel := with(base, given{"--kernel": "linear"}), with(base, given{"--kernel": "polynomial(degree=1,scale=1,offset=0)"})
		if mercer.Check(columns) != nil {
			continue
		}
		a := one(t, in, columns)
		if a.result.Certificate.Residual > 1e-6 {
			continue // solved in the dual
		}
		b := one(t, in, kernel)
		if d := apart(t, in, a, b); d > 1e-6 {
			t.Errorf("%s %v: in the columns and in the kernel the outputs differ by %g", m.ID, company, d)
		}
		sameObjective(t, m, "in the columns", b, a)
	}
}

// byForm is a fit by one form of the method, whatever the size.
func byForm(t *testing.T, in mercer.Input, r mercer.Recipe, f method.Form, rows int) fitted {
	t.Helper()
	m, request, err := method.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	a := &answer.Answer{Method: m}
	if a.Task, err = task.Prepare(t.Context(), in, request, mercer.Options{}, m.Coding, rows); err != nil {
		t.Fatal(err)
	}
	if a.Candidates, err = f.Produce(t.Context(), a.Task); err != nil {
		t.Fatal(err)
	}
	if a.Choice, err = m.Rule(a.Task).Choose(t.Context(), a.Candidates); err != nil {
		t.Fatal(err)
	}
	lead := a.Choice.Members[0].Candidate
	return fitted{model: a.Model(false), result: &mercer.Result{Certificate: &result.Certificate{
		Objective: m.Objective(a.Task, lead), Gap: lead.Gap}}}
}

// apart is the largest difference of two models' outputs on the rows.
func apart(t *testing.T, in mercer.Input, a, b fitted) float64 {
	t.Helper()
	x, err := a.model.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.model.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	x.Sub(x, y)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	return mat.Max(x)
}
