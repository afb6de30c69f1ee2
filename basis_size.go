package mercer

import (
	"context"
	"maps"
	"strconv"

	"github.com/mercer-ml/mercer/answer"
	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/pareto"
	"github.com/mercer-ml/mercer/task"
)

// firstBasis is the least number of centres that --basis auto tries. Each further one is twice as many, until they are half as many as
// the rows; the machine with all of them is the last.
const firstBasis = 5

// mostBasis ends the doubling: beyond, the machine with as many centres as it needs is the next step.
const mostBasis = 1280

// sized makes the machine of several numbers of centres, and of as many as it needs, and keeps the one with the fewest centres whose
// left-out error is within a standard error of the least. Centres are chosen with all labels, those of the rows left out too, so
// the errors of few centres are a little too small. Cost: that of a fit a size, up to ten.
func sized(ctx context.Context, in Input, r Recipe, o Options) (*answer.Answer, error) {
	if o.TimeLimit > 0 { // of all sizes together
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
		o.TimeLimit = 0
	}
	quiet := o
	quiet.Listen = Listener{}
	rows := 0
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return nil, err
	}
	if m, ok := method.Find(r.Method); ok && m.Offers(nil).Graph {
		rows = in.Set.Rows.Len()
	} else {
		rows = len(labels.Labelled())
	}
	var recipes []Recipe
	for n := firstBasis; n <= min(rows/2, mostBasis); n *= 2 {
		one := r
		one.Basis = strconv.Itoa(n)
		recipes = append(recipes, one)
	}
	recipes = append(recipes, wholeBasis(r))
	var answers []*answer.Answer
	var made []Recipe
	var points []answer.BasisPoint
	for i, one := range recipes {
		if k := len(points); k > 1 && points[k-1].Centres > 0 && points[k-1].Centres == points[k-2].Centres && i < len(recipes)-1 {
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
		answers, points, made = append(answers, a), append(points, p), append(made, one)
		if ctx.Err() != nil {
			break
		}
	}
	best := fewest(points)
	a := answers[best]
	// Who listens hears the fit that is kept.
	if l := o.Listen; (l.Evaluation != nil || l.Surface != nil || l.LeftOut != nil) && ctx.Err() == nil {
		if a, err = learnFrom(ctx, in, made[best], o, 0); err != nil {
			return nil, err
		}
	}
	points[best].Chosen = true
	a.Sizes = points
	return a, nil
}

// wholeBasis is the recipe without a basis, and without how one would be chosen.
func wholeBasis(r Recipe) Recipe {
	r.Basis, r.Set = "", maps.Clone(r.Set)
	delete(r.Set, task.Choose.Name)
	delete(r.Set, task.Candidates.Name)
	return r
}

// fewest is the place of the point with the fewest centres among those whose error is within a standard error of the least; it
// marks the members of the front.
func fewest(points []answer.BasisPoint) int {
	risk, size := make([]float64, len(points)), make([]float64, len(points))
	least := 0
	for i, p := range points {
		risk[i], size[i] = p.Error, float64(p.Centres)
		if p.Error < points[least].Error {
			least = i
		}
	}
	best := least
	for _, i := range pareto.Front(risk, size, pareto.Options{}) {
		points[i].Front = true
		if p := points[i]; p.Error <= points[least].Error+points[least].Spread && p.Centres < points[best].Centres {
			best = i
		}
	}
	return best
}
