package mercer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/loss"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

// outerLosses are the words of --set outer=, losses of left-out outputs in place of the
// score's own.
var outerLosses = []string{"logloss", "mse", "squared-hinge", "logistic", "modlog", "quartic"}

// outer is the criterion of an outer loss.
func outer(word string) score.Criterion {
	switch word {
	case "logloss":
		return score.LogLoss{}
	case "mse":
		return score.Risk{Loss: loss.Square{}}
	}
	l, err := loss.Parse(word)
	if err != nil {
		panic(err) // of outerLosses
	}
	return score.Risk{Loss: l}
}

// widened gives the surrogates of the hinge the width of --set loss_width: the half
// width of the zone in which they differ from it, or for modlog, which has none, that
// of the quartic with the same peak of curvature, 3/mu (Klatzer 2014, section 2.2).
func widened(l loss.Loss, width float64) loss.Loss {
	if width == 0 {
		return l
	}
	switch l.(type) {
	case loss.HuberHinge:
		return loss.HuberHinge{H: width}
	case loss.Quartic:
		return loss.Quartic{Eps: width}
	case loss.ModLogistic:
		return loss.ModLogistic{Mu: 3 / width}
	}
	return l
}

// tied lists the groups of free parameters, one a feature or a group of features, that
// a search by gradients moves together first: widths, penalties.
func tied(space param.Space) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i, d := range space {
		name, _, several := strings.Cut(d.Name, "[")
		if !several || name == "weight" || d.Fixed || d.Kind != param.Log {
			continue
		}
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
}

// enough ends a search of a score by training again: a relative decrease far below what
// other folds would change.
const enough = 1e-4

// byGradient is the search by gradients from a point of the space, in two stages where
// parameters can be tied.
func byGradient(searching string, space param.Space, start []float64, decrease float64) search.Search {
	inner := func(decrease float64) func([]float64) search.Search {
		return func(start []float64) search.Search {
			return descent(searching, start, decrease)
		}
	}
	if groups := tied(space); len(groups) > 0 {
		return search.Coarse{Groups: groups, Start: start, First: inner(10 * decrease), Inner: inner(decrease)}
	}
	return inner(decrease)(start)
}

// freshFolds is how many other draws of the folds judge what a search by gradients found;
// a leave-one-out score, which has one draw only, is judged by draws of freshParts folds.
const (
	freshFolds = 4
	freshParts = 5
)

// confirm scores what was found on other draws of the folds, and with it the best point
// whose parameters are still tied: a score of hundreds of parameters is easily
// over-fitted, and other folds of the same rows do not show all of it. So the free point is
// kept only if it gains a nat of left-out likelihood for every parameter it has more
// (Akaike's price), see gain; else the tied one is returned. After a selection of features
// widths start apart, and none is tied.
// onFolds is the score with other folds.
func (j *job) confirm(ctx context.Context, onFolds func([][]int) param.Objective, space param.Space, found search.Result, tuning *Tuning) ([]float64, error) {
	theta := found.Theta
	candidates := [][]float64{theta}
	groups := tied(space)
	if len(groups) > 0 && (j.kept == nil || !j.kept.dropped) {
		if t := bestTied(found.Trace, groups, space.Defaults()); t != nil && !slices.Equal(t, theta) {
			candidates = append(candidates, t)
		}
	}
	parts := j.tune.folds
	if parts == 0 {
		if len(candidates) == 1 {
			return theta, nil // nothing to decide, and no score of the same kind to compare with
		}
		parts = freshParts
	}
	scores := make([][]float64, len(candidates))
	for q := range freshFolds {
		part, err := data.Folds(j.labels, parts, j.seed()+uint64(q)+1)
		if err != nil {
			return nil, err
		}
		other := onFolds(j.places(part))
		for c, t := range candidates {
			v, err := other.Eval(ctx, t, false)
			if err != nil {
				return nil, err
			}
			scores[c] = append(scores[c], v.F)
		}
	}
	best, tiedBetter := summary(scores[0]), false
	if len(candidates) > 1 {
		extra := 0.0
		for _, g := range groups {
			extra += float64(len(g) - 1)
		}
		if s := summary(scores[1]); gain(j.tune.criterion, len(j.problem.Labelled), s.Mean, best.Mean) <= extra {
			best, theta, tiedBetter = s, candidates[1], true
		}
	}
	best.Folds = parts
	tuning.Fresh = &best
	tuning.Tied = tiedBetter
	at := found.F
	if tiedBetter {
		v := slices.IndexFunc(found.Trace, func(r search.Record) bool { return slices.Equal(r.Theta, theta) })
		at = found.Trace[v].F
		tuning.Value = at
	}
	if over := best.Mean - at; j.tune.folds > 0 && over > 2*best.Std && over > overFit*math.Abs(at) {
		j.warnings = append(j.warnings, fmt.Sprintf("the score %.4g of the folds it was tuned on is not repeated by other folds (%.4g +- %.2g): %d labelled rows are few for %d hyper-parameters; label more rows or choose a kernel with fewer",
			at, best.Mean, best.Std, len(j.problem.Labelled), len(space.Free())))
	}
	return theta, nil
}

// gain is the log-likelihood of l left-out rows that the score b has over the score a: scores
// in nats a row as they are, others as squared errors of unknown variance (as package auto
// weighs PRESS).
func gain(c score.Criterion, l int, a, b float64) float64 {
	switch c {
	case score.LogLoss{}, score.Risk{Loss: loss.Logistic{}}:
		return float64(l) * (a - b)
	}
	return float64(l) / 2 * math.Log(a/b)
}

// overFit is the share of a score by which it must be missed on other folds to warn.
const overFit = 0.25

// bestTied returns the best point of the trace at which each group keeps the ratios
// of the start.
func bestTied(trace []search.Record, groups [][]int, start []float64) []float64 {
	var best *search.Record
	for i, r := range trace {
		if best != nil && r.F >= best.F {
			continue
		}
		same := true
		for _, g := range groups {
			f := r.Theta[g[0]] / start[g[0]]
			for _, k := range g {
				same = same && math.Abs(r.Theta[k]/start[k]-f) <= 1e-9*f
			}
		}
		if same {
			best = &trace[i]
		}
	}
	if best == nil {
		return nil
	}
	return best.Theta
}

// summary is the mean and the standard deviation of scores.
func summary(scores []float64) Fresh {
	var mean, square float64
	for _, v := range scores {
		mean += v / float64(len(scores))
	}
	for _, v := range scores {
		square += (v - mean) * (v - mean) / float64(len(scores)-1)
	}
	return Fresh{Draws: len(scores), Mean: mean, Std: math.Sqrt(square)}
}

// Restarts of a search that ends with a dead model, each wideBy times wider.
const (
	restarts = 2
	wideBy   = 8
)

// widerStart returns the space with its free widths started wider, and whether it has any.
func widerStart(space param.Space) (param.Space, bool) {
	wider, any := slices.Clone(space), false
	for i, d := range wider {
		name, _, _ := strings.Cut(d.Name, "[")
		if !d.Fixed && d.Kind == param.Log && strings.HasSuffix(name, "sigma") && d.Default < d.Hi {
			wider[i].Default = min(wideBy*d.Default, d.Hi)
			any = true
		}
	}
	return wider, any
}

// dead says whether all left-out rows have nearly the same output: the kernel is far too
// narrow, rows know nothing of each other and the score has no slope (Klatzer 2014,
// chapter 5: f = 0, H = 1/2).
func dead(o *mat.Dense) bool {
	l, c := o.Dims()
	for j := range c {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range l {
			lo, hi = min(lo, o.At(i, j)), max(hi, o.At(i, j))
		}
		if hi-lo > 1e-3*max(1, math.Abs(hi)) {
			return false
		}
	}
	return true
}
