package mercer

import (
	"context"
	"maps"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/model/shrink"
	"github.com/mercer-ml/mercer/pareto"
	"github.com/mercer-ml/mercer/task"
)

// firstBasis is the least number of centres that --basis auto tries. Each further one is twice as many, until they are half as many as
// the rows; the machine with all of them is the last.
const firstBasis = 5

// mostBasis ends the doubling: beyond, the machine with as many centres as it needs is the next step.
const mostBasis = 1280

// alike is the share of all rows that a small machine may decide otherwise than the whole one: labelled rows left out are too few to
// tell machines apart whose errors differ by a point, but all rows, whose labels this does not need, are not. Of a regression it bounds the
// mean square of the difference over the mean square of the whole machine's left-out errors, which it adds to.
const alike = 0.005

// sized makes the machine of several numbers of centres, the one of as many as it needs, and reductions of the latter (package
// shrink). Of those that decide nearly all rows as the whole machine does (alike) it keeps the one with the fewest centres whose
// left-out error is within a standard error of the least of them. Centres are chosen with all labels, those of the rows left
// out too, so the errors of few centres are a little too small. Cost: that of a fit a size, up to ten, and of the reductions, each of
// 50 n N kernel values for N centres.
func sized(ctx context.Context, in Input, r Recipe, o Options) (*answer.Answer, error) {
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
	quiet.Listen = Listener{}
	var t trials
	for i, one := range recipes {
		if k := len(t.points); k > 1 && t.points[k-1].Centres > 0 && t.points[k-1].Centres == t.points[k-2].Centres && i < len(recipes)-1 {
			continue // no further centre is different from these
		}
		a, err := learnFrom(ctx, in, one, quiet, 0)
		if err != nil && (i == 0 || ctx.Err() == nil) {
			return nil, err
		}
		if err != nil {
			break
		}
		p, ok := a.BasisPoint()
		if !ok {
			return nil, task.Usage("--basis auto: this fit leaves no row out to judge a size by; give a number, or another --tune")
		}
		t.answers, t.points, t.recipes = append(t.answers, a), append(t.points, p), append(t.recipes, one)
		if ctx.Err() != nil {
			break
		}
	}
	if t.recipes[len(t.recipes)-1].Basis == "" {
		if err := t.compare(ctx, r.Drawn()); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	best := fewest(t.points)
	a := t.answers[best]
	// Who listens hears the fit that is kept.
	if l := o.Listen; (l.Evaluation != nil || l.Surface != nil || l.LeftOut != nil) && ctx.Err() == nil {
		reduced := a.Reduced
		if a, err = learnFrom(ctx, in, t.recipes[best], o, 0); err != nil {
			return nil, err
		}
		a.Reduced = reduced
	}
	t.points[best].Chosen = true
	a.Sizes = t.points
	return a, nil
}

// sizes are the recipes of the numbers of centres that are tried, the last one without a limit.
func sizes(in Input, r Recipe) ([]Recipe, error) {
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return nil, err
	}
	rows := len(labels.Labelled())
	if m, ok := method.Find(r.Method); ok && m.Offers(nil).Graph {
		rows = in.Set.Rows.Len()
	}
	var recipes []Recipe
	for n := firstBasis; n <= min(rows/2, mostBasis); n *= 2 {
		one := r
		one.Basis = strconv.Itoa(n)
		recipes = append(recipes, one)
	}
	return append(recipes, wholeBasis(r)), nil
}

// trials are the machines that were made, side by side.
type trials struct {
	answers []*answer.Answer
	recipes []Recipe
	points  []answer.BasisPoint
}

// compare says how far each machine is from the last one, which has no limit, and adds reductions of that one, of twice as many
// centres each time, until one is alike.
func (t *trials) compare(ctx context.Context, seed uint64) error {
	last := len(t.answers) - 1
	whole, risk, recipe := t.answers[last], t.points[last], t.recipes[last]
	m := whole.Model(false)
	rows := whole.Task.Input.Set.Rows
	out, err := m.Predict(ctx, rows)
	if err != nil {
		return err
	}
	for i, a := range t.answers[:last] {
		other, err := a.Model(false).Predict(ctx, rows)
		if err != nil {
			return err
		}
		t.points[i].Apart = apart(m, out, other, risk.Error)
	}
	for n := firstBasis; shrink.Possible(m, n) == nil && 2*n <= shrink.Centres(m) && n <= mostBasis; n *= 2 {
		small, _, err := shrink.Model(ctx, m, rows, n, shrink.Options{Seed: seed})
		if err != nil {
			return err
		}
		other, err := small.Predict(ctx, rows)
		if err != nil {
			return err
		}
		a := *whole
		a.Reduced = small
		p := risk
		p.Centres, p.Apart, p.Reduced = answer.Centres(small), apart(m, out, other, risk.Error), true
		t.answers, t.recipes, t.points = append(t.answers, &a), append(t.recipes, recipe), append(t.points, p)
		if p.Apart <= alike {
			break
		}
	}
	return nil
}

// apart is the share of the rows that are decided otherwise; of a regression the mean square of the change over the mean square
// of the errors, which is the whole's risk.
func apart(m *model.Model, out, other *mat.Dense, risk float64) float64 {
	n, _ := out.Dims()
	sum := 0.0
	if m.Task == data.Classification {
		was, is := m.Decide(out), m.Decide(other)
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
func wholeBasis(r Recipe) Recipe {
	r.Basis, r.Set = "", maps.Clone(r.Set)
	delete(r.Set, task.Choose.Name)
	delete(r.Set, task.Candidates.Name)
	return r
}

// fewest is the place of the point with the fewest centres among those that decide as the whole machine does and whose error is within
// a standard error of the least of these; it marks the members of the front.
func fewest(points []answer.BasisPoint) int {
	risk, size := make([]float64, len(points)), make([]float64, len(points))
	least := -1
	for i, p := range points {
		risk[i], size[i] = p.Error, float64(p.Centres)
		if p.Apart <= alike && (least < 0 || p.Error < points[least].Error) {
			least = i
		}
	}
	for _, i := range pareto.Front(risk, size, pareto.Options{}) {
		points[i].Front = true
	}
	best := least
	for i, p := range points {
		if p.Apart <= alike && p.Error <= points[least].Error+points[least].Spread && p.Centres < points[best].Centres {
			best = i
		}
	}
	return best
}
