package method

import (
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// freshFolds is how many other draws of the folds judge what a search by gradients found;
// a leave-one-out score, which has one draw only, is judged by draws of freshParts folds, or as many as there are labelled rows.
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
func (s searching) confirm(
	ctx context.Context,
	f refolded,
	space param.Space,
	found search.Result,
	tuning *result.Tuning,
) ([]float64, error) {
	t := s.t
	candidates := [][]float64{found.Theta}
	groups := tied(space)
	if len(groups) > 0 && !s.dropped {
		at := bestTied(found.Trace, groups, space.Defaults())
		if at != nil && !slices.Equal(at, found.Theta) {
			candidates = append(candidates, at)
		}
		tuning.Tied = len(candidates) == 1 && staged(t.Scoring.Criterion, t.Labelled(), untied(groups))(found.F, nil)
	}
	parts := t.Scoring.Folds
	if parts == 0 {
		if len(candidates) == 1 {
			return found.Theta, nil // nothing to decide, and no score of the same kind to compare with
		}
		if parts = min(freshParts, foldable(t.Labels)); parts < 2 {
			tuning.Tied = true // nothing can be left out that would speak for the free point
			return candidates[1], nil
		}
	}
	scores, err := s.fresh(ctx, f, candidates, parts)
	if err != nil {
		return nil, err
	}
	theta, best := found.Theta, summary(scores[0])
	if len(candidates) > 1 {
		one := summary(scores[1])
		if gain(t.Scoring.Criterion, t.Labelled(), one.Mean, best.Mean) <= float64(untied(groups)) {
			best, theta, tuning.Tied = one, candidates[1], true
		}
	}
	if math.IsInf(best.Mean, 0) {
		t.Warn("%s", elsewhereUntrained)
		return theta, nil
	}
	best.Folds = parts
	tuning.Fresh = &best
	if tuning.Tied && len(candidates) > 1 {
		at := slices.IndexFunc(found.Trace, func(r search.Record) bool { return slices.Equal(r.Theta, theta) })
		tuning.Value = found.Trace[at].F
	}
	at := tuning.Value
	if over := best.Mean - at; t.Scoring.Folds > 0 && over > 2*best.Std && over > overFit*math.Abs(at) {
		t.Warn(
			"the score %.4g of the folds it was tuned on is not repeated by other folds (%.4g +- %.2g): %d labelled rows are few for %d "+
				"hyper-parameters; label more rows or choose a kernel with fewer",
			at,
			best.Mean,
			best.Std,
			t.Labelled(),
			len(space.Free()),
		)
	}
	return theta, nil
}

// fresh are the scores of points, a list each, on other draws of the folds.
func (s searching) fresh(ctx context.Context, f refolded, points [][]float64, parts int) ([][]float64, error) {
	scores := make([][]float64, len(points))
	for q := range freshFolds {
		part, err := s.redrawn(q, parts)
		if err != nil {
			return nil, err
		}
		other := f.OnFolds(s.t.Places(part))
		for c, theta := range points {
			v, err := other.Eval(ctx, theta, param.ValueOnly)
			if err != nil {
				return nil, err
			}
			scores[c] = append(scores[c], v.F)
		}
	}
	return scores, nil
}

// redrawn are other folds than those of the score; of rows in order the last rows from an earlier place on.
func (s searching) redrawn(q, parts int) (data.Partition, error) {
	if s.t.Labels.Order != nil {
		return data.HoldOut(s.t.Labels, float64(q+3)/10, 0)
	}
	return data.Folds(s.t.Labels, parts, s.t.Recipe.Drawn()+uint64(q)+1)
}

// foldable is the most folds that labels allow: that of the labelled rows, or of their groups.
func foldable(l data.Labels) int {
	if l.Group != nil {
		return l.Groups()
	}
	return len(l.Labelled())
}

// untied is how many parameters groups have more where each moves freely than where one factor moves each group.
func untied(groups [][]int) int {
	extra := 0
	for _, g := range groups {
		extra += len(g) - 1
	}
	return extra
}

// gain is the log-likelihood of l left-out rows that the score b has over the score a: scores
// in nats a row as they are, others as squared errors of unknown variance (as package choose
// weighs PRESS).
func gain(c score.Criterion, l int, a, b float64) float64 {
	switch c {
	case score.LogLoss{}, score.Risk{Loss: learn.Logistic()}:
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
func summary(scores []float64) result.Fresh {
	var mean, square float64
	for _, v := range scores {
		mean += v / float64(len(scores))
	}
	for _, v := range scores {
		square += (v - mean) * (v - mean) / float64(len(scores)-1)
	}
	return result.Fresh{Draws: len(scores), Mean: mean, Std: math.Sqrt(square)}
}

// A search that ends with a dead model begins again, with kernels wideBy times as wide each time.
const (
	restarts = 2
	wideBy   = 8
)

// widerStart returns the space with the start of every free width moved to a wider one. It says
// whether there is a free width.
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

// dead says whether all left-out rows have nearly the same output. Then the kernel is far too
// narrow, no row has an influence on another, and the score has no slope for a search to follow
// (Klatzer 2014, chapter 5: f = 0, H = 1/2).
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

// elsewhereUntrained warns of parameters with which machines of other folds cannot be trained.
const elsewhereUntrained = "of some other folds no machine can be trained with the parameters found: the kernel's matrix has negative " +
	"eigenvalues there; choose --method svm or rls, or another kernel"
