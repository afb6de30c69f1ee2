package fit

import (
	"cmp"
	"context"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/pareto"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

// firstBasis is the least number of centres that --basis auto tries. Each further one is twice as many, of models made smaller 1.4 times,
// until they are half as many as the rows.
const firstBasis = 5

// mostBasis ends the doubling: beyond, the machine with as many centres as it needs is the next step.
const mostBasis = 1280

// alike is the share of all rows that a small machine may decide otherwise than the whole one: labelled rows left out are too few to
// tell machines apart whose errors differ by a point, but all rows, whose labels this does not need, are not. Of a regression it bounds the
// mean square of the difference over the mean square of the whole machine's left-out errors, which it adds to.
const alike = 0.005

// chooseSize makes the machine without a limit, then smaller models of it (reduce) until one decides nearly all rows as it does (alike).
// Where none does, or how centres are chosen is asked for, it fits machines of few centres too. Of all that are alike it keeps the one
// with the fewest centres whose left-out error is within a standard error of the least of them. Centres of a fit are chosen with all
// labels, those of the rows left out too, so the errors of few centres are a little too small. Cost: that of a fit and of the smaller
// models (package shrink); of up to ten fits where these are made.
func chooseSize(ctx context.Context, in result.Input, r result.Recipe, o result.Options) (*answer.Answer, error) {
	if o.TimeLimit > 0 { // of all sizes together
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
		o.TimeLimit = 0
	}
	recipes, err := sizes(in, r)
	if err != nil {
		return nil, err
	}
	quiet := o
	quiet.Listen = result.Listener{}
	t := trials{in: in, options: quiet}
	if _, err := t.fit(ctx, wholeBasis(r)); err != nil {
		return nil, err
	}
	chosen := r.Set[task.Choose.Name] != "" || r.Set[task.Candidates.Name] != ""
	if err := t.compare(ctx, recipes, chosen, r.Drawn()); err != nil && ctx.Err() == nil {
		return nil, err
	}
	best := fewest(t.points)
	a := t.answers[best]
	// Who listens hears the fit that is kept.
	if l := o.Listen; (l.Evaluation != nil || l.Surface != nil || l.LeftOut != nil) && ctx.Err() == nil {
		reduced := a.Reduced
		if a, err = answerOf(ctx, in, t.recipes[best], o); err != nil {
			return nil, err
		}
		a.Reduced = reduced
	}
	if ctx.Err() != nil {
		a.Candidates.Tuning.Status = string(search.Ended(ctx))
		a.Task.Warn("--basis auto: the comparison of sizes was ended (%s) after %d of them", a.Candidates.Tuning.Status, len(t.points))
	}
	t.points[best].Chosen = true
	slices.SortStableFunc(t.points, func(p, q result.BasisPoint) int { return cmp.Compare(p.Centres, q.Centres) })
	a.Sizes = t.points
	return a, nil
}

// sizes are the recipes of the numbers of centres that fits are made for.
func sizes(in result.Input, r result.Recipe) ([]result.Recipe, error) {
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return nil, err
	}
	rows := len(labels.Labelled())
	if m, ok := method.Find(r.Method); ok && m.Supports(nil).Graph {
		rows = in.Set.Rows.Len()
	}
	var recipes []result.Recipe
	for n := firstBasis; n <= min(rows/2, mostBasis); n *= 2 {
		one := r
		one.Basis = strconv.Itoa(n)
		recipes = append(recipes, one)
	}
	return recipes, nil
}

// trials are the machines that were made, side by side, the whole one first.
type trials struct {
	in      result.Input
	options result.Options
	answers []*answer.Answer
	recipes []result.Recipe
	points  []result.BasisPoint
}

// fit adds the machine of a recipe and returns its place.
func (t *trials) fit(ctx context.Context, r result.Recipe) (int, error) {
	a, err := answerOf(ctx, t.in, r, t.options)
	if err != nil {
		return 0, err
	}
	p, ok := a.BasisPoint()
	if !ok {
		return 0, task.Usage("--basis auto: this fit leaves no row out to judge a size by; give a number, or another --tune")
	}
	t.answers, t.points, t.recipes = append(t.answers, a), append(t.points, p), append(t.recipes, r)
	return len(t.points) - 1, nil
}

// compare adds smaller models of the whole machine until one is alike, and, if none is or chosen says so, the machines of the recipes,
// ascending, that have fewer centres than that one, and says how far each is from the whole.
func (t *trials) compare(ctx context.Context, recipes []result.Recipe, chosen bool, seed uint64) error {
	m, rows := t.answers[0].Model(false), t.in.Set.Rows
	out, err := m.Predict(ctx, rows)
	if err != nil {
		return err
	}
	far := func(small *model.Model) (float64, error) {
		other, err := small.Predict(ctx, rows)
		if err != nil {
			return 0, err
		}
		return apart(m, out, small, other, t.points[0].Error), nil
	}
	if err := t.reduce(ctx, m, far, seed); err != nil {
		return err
	}
	most, before := t.points[0].Centres, 0
	if k := fewest(t.points); t.points[k].Reduced {
		if most = t.points[k].Centres; !chosen {
			return nil
		}
	}
	for _, r := range recipes {
		if n, _ := strconv.Atoi(r.Basis); n >= most {
			break
		}
		k, err := t.fit(ctx, r)
		if err != nil {
			return err
		}
		if t.points[k].Apart, err = far(t.answers[k].Model(false)); err != nil {
			t.answers, t.points, t.recipes = t.answers[:k], t.points[:k], t.recipes[:k]
			return err
		}
		if t.points[k].Centres == before && before > 0 {
			break // no further centre is different from these
		}
		before = t.points[k].Centres
	}
	return nil
}

// reduce adds smaller models of the whole machine m, of about 1.4 times as many centres each, until one is alike, and then two between
// that and the last that was not: approximations, which keep linear functions and the outputs, and where these are not alike distilled
// classifiers.
func (t *trials) reduce(ctx context.Context, m *model.Model, far func(*model.Model) (float64, error), seed uint64) error {
	rows, o := t.in.Set.Rows, shrink.Options{Seed: seed}
	kernels, err := widerKernels(m)
	if err != nil {
		return err
	}
	var distilled *shrink.Distillation
	if m.Task == data.Classification && len(kernels) > 0 && m.Parts[0].Columns == nil {
		if distilled, err = shrink.NewDistillation(ctx, m, rows, kernels, o); err != nil {
			return err
		}
	}
	try := func(n int) (bool, error) {
		small, _, err := shrink.Model(ctx, m, rows, n, o)
		if err != nil {
			return false, err
		}
		if done, err := t.smaller(small, far, false); done || err != nil || distilled == nil {
			return done, err
		}
		if small, err = distilled.Model(ctx, n); err != nil {
			return false, err
		}
		return t.smaller(small, far, true)
	}
	below := 0
	for k := 0; ; k++ {
		n := int(math.Round(firstBasis * math.Pow(2, float64(k)/2)))
		if shrink.Possible(m, n) != nil || 2*n > shrink.Centres(m) || n > mostBasis {
			return nil
		}
		done, err := try(n)
		if err != nil {
			return err
		}
		if done {
			return narrow(below, n, try)
		}
		below = n
	}
}

// narrow tries two sizes between one that is not alike and one that is, each the middle of the logarithms of what is left.
func narrow(below, above int, try func(int) (bool, error)) error {
	for range 2 {
		n := int(math.Round(math.Sqrt(float64(below) * float64(above))))
		if n <= below || n >= above {
			return nil
		}
		done, err := try(n)
		if err != nil {
			return err
		}
		if done {
			above = n
		} else {
			below = n
		}
	}
	return nil
}

// smaller adds a smaller model of the whole machine and says whether it is alike.
func (t *trials) smaller(small *model.Model, far func(*model.Model) (float64, error), distilled bool) (bool, error) {
	p := t.points[0]
	var err error
	if p.Apart, err = far(small); err != nil {
		return false, err
	}
	if small.Task == data.Classification {
		p.Error = min(p.Error+p.Apart, 1)
	} else {
		p.Error *= 1 + p.Apart
	}
	a := *t.answers[0]
	a.Reduced = small
	p.Centres, p.Reduced, p.Distilled = answer.Centres(small), true, distilled
	t.answers, t.recipes, t.points = append(t.answers, &a), append(t.recipes, t.recipes[0]), append(t.points, p)
	return p.Apart <= alike, nil
}

// widerKernels are the kernels of a model of one part, and the same of twice the width: a function that decides as the model does may
// be smoother than it.
func widerKernels(m *model.Model) (list []kernel.Kernel, err error) {
	if len(m.Parts) != 1 {
		return nil, nil
	}
	add := func(k kernel.Kernel) {
		if !slices.ContainsFunc(list, func(have kernel.Kernel) bool { return reflect.DeepEqual(have, k) }) {
			list = append(list, k)
		}
	}
	for _, f := range m.Parts[0].Functions {
		e, ok := f.(model.Expansion)
		if !ok {
			continue
		}
		wide, err := design.Widened(e.Kernel, 2)
		if err != nil {
			return nil, err
		}
		add(e.Kernel)
		add(wide)
	}
	return list, nil
}

// apart is the share of the rows that are decided otherwise; of a regression the mean square of the change over the mean square
// of the errors, which is the whole's risk.
func apart(m *model.Model, out *mat.Dense, small *model.Model, other *mat.Dense, risk float64) float64 {
	n, _ := out.Dims()
	sum := 0.0
	if m.Task == data.Classification {
		was, is := m.Decide(out), small.Decide(other)
		for i := range was {
			if was[i] != is[i] {
				sum++
			}
		}
		return sum / float64(n)
	}
	for i := range n {
		d := other.At(i, 0) - out.At(i, 0)
		sum += d * d
	}
	switch {
	case sum == 0:
		return 0
	case risk == 0:
		return math.Inf(1)
	}
	return sum / float64(n) / risk
}

// wholeBasis is the recipe without a basis, and without how one would be chosen.
func wholeBasis(r result.Recipe) result.Recipe {
	r.Basis, r.Set = "", maps.Clone(r.Set)
	delete(r.Set, task.Choose.Name)
	delete(r.Set, task.Candidates.Name)
	return r
}

// fewest is the place of the point with the fewest centres among those that decide as the whole machine, the first, does and whose error
// is within a standard error of the least of these; it marks the members of the front. That of a smaller model counts as the whole
// one's: the change is bounded by alike, and a standard error is zero where no row left out was decided wrongly.
func fewest(points []result.BasisPoint) int {
	risk, size, own := make([]float64, len(points)), make([]float64, len(points)), make([]float64, len(points))
	least := 0
	for i, p := range points {
		risk[i], size[i], own[i] = p.Error, float64(p.Centres), p.Error
		points[i].Front = false
		if p.Reduced {
			own[i] = points[0].Error
		}
		if p.Apart <= alike && own[i] < own[least] {
			least = i
		}
	}
	for _, i := range pareto.Front(risk, size, pareto.Options{}) {
		points[i].Front = true
	}
	best := least
	for i, p := range points {
		if p.Apart <= alike && own[i] <= own[least]+points[least].Spread && p.Centres < points[best].Centres {
			best = i
		}
	}
	return best
}
