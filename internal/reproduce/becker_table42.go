package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// otherDigits are other readings of USPST's "two classes of ten objects", by the digits of the first.
var otherDigits = []struct {
	name  string
	first []int
}{
	{"even against odd", []int{0, 2, 4, 6, 8}},
	{"1-5 against 6-9 and 0", []int{1, 2, 3, 4, 5}},
}

// beckerFit is the literature column of table 4.2: Laplacian RLS, or RLS without unlabelled rows, at published parameters.
func beckerFit(ctx context.Context, l *lab) {
	for _, r := range wanted(l, thin(ctx, "rows", 1, table42)) {
		l.literature42(ctx, r, r.name())
		if r.data.name != uspst.name {
			continue
		}
		for _, other := range otherDigits {
			r.data.first = other.first
			l.literature42(ctx, r, r.name()+", "+other.name)
		}
	}
}

// literature42 trains all splits of a row.
func (l *lab) literature42(ctx context.Context, r row42, name string) {
	g := l.load(ctx, r.data)
	for run := range l.runs {
		l.say("%s, split %d of %d", name, run+1, l.runs)
		l.literatureTwice(ctx, name, g.split(l.seed, run, 100, r.unlabelled, r.data.test), r.data)
	}
	l.printedBoth(name, testError, r.printed[4])
}

// literatureTwice trains a split at the literature's parameters both ways.
func (l *lab) literatureTwice(ctx context.Context, name string, t *trial, d grouped) {
	theta := t.literature(d)
	out := t.fit(ctx, t.machine(), theta)
	r := mercer.Recipe{Method: "rls", Kernel: "gaussian", Offset: "no", Set: map[string]string{"sigma": text(theta[0])}}
	labelled := float64(len(t.problem.Labelled))
	if len(theta) == 2 {
		r.Set["lambda"] = text(theta[1] / labelled) // of the averaged loss
	} else {
		r.Method = "lap-rls"
		for k, v := range map[string]string{
			"neighbours": text(theta[1]), "degree": text(theta[2]), "gamma_i": text(theta[3]), "gamma_a": text(theta[4]),
			"weights": "binary", "laplacian": "normalised", "symmetry": "union",
		} {
			r.Set[k] = v
		}
	}
	m, res := fixedFit(ctx, inputOf(t.problem, t.test, t.class), r)
	front := must(m.Predict(ctx, t.test))
	if res.Rows.Test != t.test.Len() {
		fail("mercer.Fit judged %d of %d test rows", res.Rows.Test, t.test.Len())
	}
	l.both(name, testError, percentWrong(out, t.class), 100*res.Metrics["test"]["error"])
	l.most(name, fitDifference, apart(out, front))
}

// beckerT42 is the comparison of searches under one budget of 243 evaluations of PRESS (the main table).
func beckerT42(ctx context.Context, l *lab) {
	for q, r := range wanted(l, thin(ctx, "rows", 1, table42)) {
		g := l.load(ctx, r.data)
		err := caught(func() { r.fill(ctx, l, g) })
		if err != nil && ctx.Err() != nil && q > 0 {
			l.note("interrupted in row %d of %d", q+1, len(table42))
			break // what is done is no less true
		}
		check(err)
	}
}

// fill adds the numbers of a row of the table.
func (r row42) fill(ctx context.Context, l *lab, g *classified) {
	methods := r.methods()
	for i, v := range r.printed {
		l.printed(r.name()+" "+methods[i], testError, v)
	}
	for run := range l.runs {
		t := g.split(l.seed, run, 100, atMost(ctx, "unlabelled rows", 60, r.unlabelled), r.data.test)
		results := map[string]search.Result{}
		for _, method := range methods {
			l.say("%s, split %d of %d: %s", r.name(), run+1, l.runs, method)
			results[method] = r.try(ctx, l, t, method)
		}
		for _, method := range []string{algorithm1, combined42, "gradient"} {
			if res, ok := results[method]; ok {
				r.race(l, method, res, results)
			}
		}
	}
}

// race adds how soon a search by gradients is at or below the best score that those
// without found, in shares of the time that the one which found it took.
func (r row42) race(l *lab, method string, res search.Result, results map[string]search.Result) {
	var rival search.Result
	for i, name := range []string{"grid", "random", "nelder-mead"} {
		if other := results[name]; i == 0 || other.F < rival.F {
			rival = other
		}
	}
	var all, until float64
	at := -1 // of the evaluation that is at or below the rival's best
	for i, e := range res.Trace {
		all += e.Seconds
		if at < 0 && e.F <= rival.F*(1+enough) {
			at, until = i, all
		}
	}
	name := r.name() + " " + method
	if at < 0 {
		l.add(name, reaches, 0)
		l.add(name, aFifth, 0)
		return
	}
	l.add(name, reaches, 1)
	l.add(name, "evaluations until then", float64(at+1))
	share := res.Seconds * until / all / rival.Seconds
	l.add(name, "share of that search's time", share)
	l.add(name, aFifth, indicator(share <= 0.2))
}

// Shares of the splits.
const (
	reaches = "reaches the best of the searches without"
	aFifth  = "reaches it in a fifth of that search's time"
)

// The source's quasi-Newton column is Algorithm 1 on C-LapRLS; the combined search is ours on the
// same machine, the others are of LapRLS.
const (
	algorithm1 = "algorithm 1"
	combined42 = "gradient, combined"
)

// methods are the columns, those printed first.
func (r row42) methods() []string {
	list := []string{"gradient", "grid", "random", "nelder-mead", "literature"}
	if r.unlabelled > 0 {
		list[0] = algorithm1
		list = append(list, combined42, "gradient")
	}
	return list
}

type row42 struct {
	data       grouped
	unlabelled int
	printed    [5]float64
}

var table42 = []row42{
	{coil20, 940, [5]float64{7.00, 8.39, 6.86, 8.58, 5.83}},
	{coil20, 500, [5]float64{7.19, 9.03, 7.58, 10.00, 7.58}},
	{coil20, 0, [5]float64{8.28, 8.97, 8.33, 8.33, 10.81}},
	{uspst, 1000, [5]float64{4.60, 6.55, 4.74, 6.35, 5.68}},
	{uspst, 500, [5]float64{6.20, 10.06, 7.09, 7.65, 7.05}},
	{uspst, 0, [5]float64{8.17, 7.63, 8.18, 8.13, 9.64}},
}

func (r row42) title() string { return r.data.name }

func (r row42) name() string { return fmt.Sprintf("%s l=100 u=%d", r.data.name, r.unlabelled) }

// enough is the relative decrease that ends a run by gradients, and the accuracy to which
// scores are compared: less is not seen in the third digit of a table.
const enough = 1e-3

// overGraphs searches Laplacian RLS by gradients for each of the nine graphs of table 4.1, the most promising first, and
// then for the graphs beside the best: from the middle of the box, then from four points about it.
func overGraphs(m machine) search.Search {
	s, graphs := m.Space(), middle(m)
	t := must(param.NewTransform(s))
	centre := t.FromSearch(t.Midpoint())
	starts := [][]float64{centre}
	for _, sigma := range []float64{0.25, 0.75} { // of the box, in logarithms
		for _, gammaI := range []float64{0.25, 0.75} {
			at := slices.Clone(centre)
			at[0] = s[0].Lo * math.Pow(s[0].Hi/s[0].Lo, sigma)
			at[3] = s[3].Lo * math.Pow(s[3].Hi/s[3].Lo, gammaI)
			starts = append(starts, at)
		}
	}
	from := func(at []float64) search.Search { return search.Gradient{Start: at, Decrease: enough} }
	var list inTurn
	for _, at := range starts {
		list = append(list, search.Enumerate{Inner: from(at),
			Values: map[string][]float64{"neighbours": graphs["neighbours"], "degree": graphs["degree"]}, BestFirst: true, Near: from})
	}
	return list
}

// inTurn runs searches one after another within one budget.
type inTurn []search.Search

func (list inTurn) Run(ctx context.Context, s param.Space, eval search.Evaluate) error {
	for _, one := range list {
		if err := one.Run(ctx, s, eval); err != nil {
			return err
		}
	}
	return nil
}

// combine searches C-LapRLS of the nine Laplacians and the one that overGraphs finds with three quarters of the budget,
// which has most of the weight at first. It returns the machine of the better of both.
func combine(ctx context.Context, one lapRLS) (machine, search.Result) {
	graphs := overGraphs(one)
	first := searchWithin(ctx, search.DefaultBudget*3/4, one, graphs)
	m := one.combined(int(first.Theta[1]), int(first.Theta[2]))
	start := slices.Clone(first.Theta[:1])
	terms := simplexTerms(m.Space())
	const top = 0.9 // of the weight
	start = append(start, top)
	for range terms - 1 {
		start = append(start, (1-top)/float64(terms-1))
	}
	start = append(start, first.Theta[3], first.Theta[4])
	res := searchWithin(ctx, search.DefaultBudget-first.Evaluations, m, search.Gradient{Start: start, Decrease: enough})
	res.Trace = slices.Concat(first.Trace, res.Trace) // of two spaces
	res.Evaluations += first.Evaluations
	res.Seconds += first.Seconds
	if first.F < res.F {
		res.F, res.Theta = first.F, first.Theta
		return one, res
	}
	return m, res
}

// simplexTerms is the number of weights of a space.
func simplexTerms(s param.Space) (terms int) {
	for _, d := range s {
		if d.Kind == param.Simplex {
			terms++
		}
	}
	return terms
}

// equalWeights is Algorithm 1 of the source: sequential quadratic programs on C-LapRLS of the nine
// Laplacians of table 4.1, from the middle of the box with equal weights.
func equalWeights(ctx context.Context, one lapRLS) (machine, search.Result) {
	m := one.combined(2, 1) // a graph of the table, so that there are nine
	s := m.Space()
	t := must(param.NewTransform(s))
	start := t.FromSearch(t.Midpoint())
	for i, d := range s {
		if d.Kind == param.Simplex {
			start[i] = 1 / float64(simplexTerms(s))
		}
	}
	return m, searching(ctx, m, search.Gradient{Start: start, SQP: true})
}

// find searches by a method and returns the machine that its answer is of.
func (r row42) find(ctx context.Context, l *lab, t *trial, method string) (machine, search.Result) {
	m := t.machine()
	lap, semi := m.(lapRLS)
	var o param.Objective = m
	var s search.Search
	switch method {
	case "gradient":
		s = search.Gradient{Starts: search.DefaultBudget, Seed: l.seed}
		if semi {
			s = overGraphs(lap)
		}
	case combined42:
		return combine(ctx, lap)
	case algorithm1:
		return equalWeights(ctx, lap)
	case "grid":
		s = search.Grid{Values: middle(m)}
	case "random":
		s = search.Random{N: search.DefaultBudget, Seed: l.seed}
	case "nelder-mead":
		s = search.NelderMead{}
	case "literature":
		s = search.Literature{Theta: t.literature(r.data)}
		o = unbounded{m}
	}
	return m, searching(ctx, o, s)
}

// try tunes one split by one method and adds its numbers.
func (r row42) try(ctx context.Context, l *lab, t *trial, method string) search.Result {
	name := r.name() + " " + method
	var m machine
	var res search.Result
	during(name, func() { m, res = r.find(ctx, l, t, method) })
	l.add(name, testError, t.errorAt(ctx, m, res.Theta))
	l.add(name, "PRESS", res.F)
	l.add(name, "evaluations", float64(res.Evaluations))
	return res
}

// unbounded fixes every dimension: published values may lie outside the box.
type unbounded struct{ param.Objective }

func (u unbounded) Space() param.Space {
	s := append(param.Space(nil), u.Objective.Space()...)
	for i := range s {
		s[i].Fixed = true
	}
	return s
}

// beckerF46 draws the box plots of a row of table 4.2: the spread of the test error over the splits, method by method.
func beckerF46(r row42) protocol {
	return func(ctx context.Context, l *lab) {
		g := l.load(ctx, r.data)
		r.fill(ctx, l, g)
		picture := Figure{Name: "spread", Title: "Test error of every split by method",
			X: Axis{Name: "method, in the order of the legend"}, Y: Axis{Name: testError}}
		for q, method := range r.methods() {
			name := r.name() + " " + method
			values := l.cell(name, testError).values
			picture.Curves = append(picture.Curves,
				Curve{Name: method, X: slices.Repeat([]float64{float64(q + 1)}, len(values)), Y: values, Loose: true})
			for q, what := range [...]string{"least", "lower quartile", "median", "upper quartile", "largest"} {
				l.add(name, testError+", "+what, quantile(values, float64(q)/4))
			}
		}
		l.draw(picture)
	}
}
