package answer

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Losses are what an estimate is made of: for each row left out 1 or 0, whether its class was wrong, or the square of a
// regression's error.
type Losses struct {
	Task data.Task
	Each []float64
	// Group is that of each row left out: rows of one are alike and count as fewer in the interval, those of "" are on their own.
	// Nil: all are.
	Group []string
}

// Estimate is the mean of the losses, of squares its root times 1 + 1/(4 nu), and nil without any.
//
// Of k wrong classes of n the interval is that of Clopper & Pearson (Biometrika 26, 1934), the shares under which k or
// fewer, and k or more, have probability (1-level)/2. For squares the sum is taken for a multiple of a chi-squared
// number with as many degrees of freedom, nu = 2 n mean^2/variance, as give it the variance that the losses show
// (Satterthwaite, Biometrics Bulletin 2, 1946), but no more than n, and half of that because all machines learned from
// the same rows, so that other rows would have given other machines (Nadeau & Bengio, Machine Learning 52, 2003, whose
// factor 1 + n/(n-1) of the variance is 2): the mean over the quantiles of chi^2_nu/nu.
func (l Losses) Estimate(level float64, from string, corrected bool) *result.Estimate {
	if len(l.Each) == 0 {
		return nil
	}
	mean, variance := stat.Mean(l.Each, nil), 0.0
	if len(l.Each) > 1 {
		variance = stat.Variance(l.Each, nil)
	}
	rows := float64(len(l.Each))
	if l.Group != nil {
		rows = l.effective(level, mean, variance)
	}
	return Moments{l.Task, len(l.Each), mean, variance}.estimate(rows, level, from, corrected)
}

// effective is the number of independent rows that would say as much of the mean as rows in groups do: the variance of the mean is that of
// sums over groups (Korn and Graubard, Survey Methodology 24, 1998, with their factor for few groups). It is no more than the number of
// rows, and that of groups where all losses are equal. n is at least 2.
func (l Losses) effective(level, mean, variance float64) float64 {
	sums, n := map[string]float64{}, float64(len(l.Each))
	var groups, squares float64
	for i, v := range l.Each {
		g := l.Group[i]
		if g == "" {
			groups++
			squares += (v - mean) * (v - mean)
			continue
		}
		if _, ok := sums[g]; !ok {
			groups++
		}
		sums[g] += v - mean
	}
	for _, g := range slices.Sorted(maps.Keys(sums)) {
		squares += sums[g] * sums[g]
	}
	if groups == n {
		return n
	}
	if groups < 2 || squares == 0 || variance == 0 {
		return groups
	}
	v := squares / (n * n) * groups / (groups - 1)
	tail := (1 - level) / 2
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(tail) / distuv.StudentsT{Sigma: 1, Nu: groups - 1}.Quantile(tail)
	return min(variance*(n-1)/n/v*t*t, n)
}

// Moments are what Losses.Estimate needs of the losses: their number, one at least, their mean and their variance (of one: 0).
type Moments struct {
	Task           data.Task
	Rows           int
	Mean, Variance float64
}

// Estimate is that of Losses.
func (l Moments) Estimate(level float64, from string, corrected bool) *result.Estimate {
	return l.estimate(float64(l.Rows), level, from, corrected)
}

// estimate is Estimate with the interval of n independent rows, which may be fewer.
func (l Moments) estimate(n, level float64, from string, corrected bool) *result.Estimate {
	mean, variance := l.Mean, l.Variance
	e := &result.Estimate{Measure: "error", Level: level, Rows: l.Rows, From: from, Corrected: corrected, Interval: "Clopper-Pearson"}
	tail := (1 - level) / 2
	if l.Task == data.Classification {
		e.Error, e.High = mean, 1
		k := mean * n
		if n == float64(l.Rows) {
			k = math.Round(k)
		}
		if k > 0 {
			e.Low = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(tail)
		}
		if k < n {
			e.High = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - tail)
		}
		return e
	}
	e.Measure, e.Interval = "rmse", "chi-squared"
	e.Error = math.Sqrt(mean)
	e.Low, e.High = e.Error, e.Error
	if nu := min(2*n*mean*mean/variance, n) / 2; nu > 0 && mean > 0 {
		chi := distuv.ChiSquared{K: nu}
		e.Error *= 1 + 1/(4*nu) // the root of a mean is less than that of what it varies about, in the mean by so much
		e.Low = math.Sqrt(mean * nu / chi.Quantile(1-tail))
		e.High = math.Sqrt(mean * nu / chi.Quantile(tail))
	}
	if e.High-e.High != 0 {
		return nil // a mean that is not finite, or too few degrees of freedom for a bound
	}
	return e
}

// LossesOn are the losses of a model on rows with answers, of which a class never seen is an error.
func LossesOn(ctx context.Context, m *model.Model, set *data.Set) ([]float64, error) {
	labels, _, err := Known(m, set.Answers)
	if err != nil {
		return nil, err
	}
	idx := answered(labels)
	out, err := predict(ctx, m, set.Rows, idx)
	if err != nil {
		return nil, err
	}
	each := make([]float64, len(idx))
	if m.Task == data.Regression {
		for q, i := range idx {
			r := labels.Value[i] - out.At(q, 0)
			each[q] = r * r
		}
		return each, nil
	}
	for q, k := range m.Decide(out) {
		if k != labels.Class[idx[q]] {
			each[q] = 1
		}
	}
	return each, nil
}

// describeEstimate says what error is to be expected on other rows, or what would say it.
func (a *Answer) describeEstimate(ctx context.Context, res *result.Result, m *model.Model) error {
	judged, out := a.leftOut(a.Choice)
	if out == nil {
		return nil
	}
	if a.Reduced != nil { // what was left out are outputs of the whole machine, whose coding and decision the smaller one may not have
		m = a.modelOf(a.Choice)
	}
	groups := a.groups()
	if a.Candidates.Group = groups; a.Task.Labels.Order != nil {
		a.Candidates.Group = a.stretches(judged)
	}
	rechosen, err := choose.Rechosen(context.WithoutCancel(ctx), a.Rule(), a.Candidates)
	if err != nil {
		return err
	}
	if rechosen != nil {
		out = rechosen
	}
	// A search moves parameters to make the left-out errors small; many rows are not flattered by a race. Candidates of an earlier fit were
	// chosen by these rows.
	free := a.Candidates.Tuning.Score != "none" && rechosen == nil && a.Candidates.Raced == nil || a.Asked.Candidates != nil
	losses := a.losses(m, judged, out)
	if groups != nil {
		losses.Group = indices.Of(groups, judged)
	}
	res.Estimate = losses.Estimate(Usual, a.leaving(), !free)
	if res.Estimate != nil {
		res.Estimate.Classes, res.Estimate.Trivial = a.estimateClasses(m, judged, out), Trivial(a.labels(), a.split(judged))
		if other := a.otherReading(m, judged, out); other != "" {
			res.Guesses = append(res.Guesses, other)
		}
	}
	return nil
}

// groups are those of the labelled rows; nil: they are in none.
func (a *Answer) groups() []string {
	l := a.Task.Labels
	if known := l.Labelled(); l.Group != nil && len(known) == len(a.Task.Problem.Labelled) {
		return indices.Of(l.Group, known)
	}
	return nil
}

// stretches are groups of the judged rows of a fit in order: as many stretches of it as a choice is made anew for, since rows
// that follow one another are alike. Nil: not all labelled rows are learned from.
func (a *Answer) stretches(judged []int) []string {
	l := a.Task.Labels
	known := l.Labelled()
	if len(known) != len(a.Task.Problem.Labelled) {
		return nil
	}
	sorted := slices.Clone(judged)
	slices.SortStableFunc(sorted, func(p, q int) int { return cmp.Compare(l.Order[known[p]], l.Order[known[q]]) })
	group := make([]string, len(known))
	for q, i := range sorted {
		group[i] = strconv.Itoa(q * choose.Rechoices / len(sorted))
	}
	return group
}

// labels are those of the labelled rows.
func (a *Answer) labels() data.Labels {
	p := a.Task.Problem
	l := data.Labels{Task: p.Task, Classes: p.Classes, Class: p.Class}
	if p.Task == data.Regression {
		l.Value = mat.Col(nil, 0, p.Y)
	}
	return l
}

// split is the rows judged beside those that the answer without a model comes from: rows held out have no say in it.
func (a *Answer) split(judged []int) []Part {
	learned := indices.To(len(a.Task.Problem.Labelled))
	if len(judged) < len(learned) {
		held := make([]bool, len(learned))
		for _, i := range judged {
			held[i] = true
		}
		learned = slices.DeleteFunc(learned, func(i int) bool { return held[i] })
	}
	return []Part{{learned, judged}}
}

// Part is rows with labels that are judged by what others, or all, say.
type Part struct{ Learned, Judged []int }

// Trivial is the error of the answer that needs no model, on the judged rows of all parts: the share of them that is not of the most
// frequent class of the rows learned from, or the root mean square of their distance from the mean of these.
func Trivial(l data.Labels, parts []Part) *float64 {
	n := 0
	for _, part := range parts {
		n += len(part.Judged)
	}
	var right int
	var squares float64
	for _, part := range parts {
		if l.Task == data.Regression {
			y := indices.Of(l.Value, part.Judged)
			mean, variance := stat.PopMeanVariance(y, nil)
			bias := mean - stat.Mean(indices.Of(l.Value, part.Learned), nil)
			squares += float64(len(y)) / float64(n) * (variance + bias*bias)
			continue
		}
		count := make([]int, len(l.Classes))
		for _, i := range part.Learned {
			count[l.Class[i]]++
		}
		most := slices.Index(count, slices.Max(count))
		for _, i := range part.Judged {
			if l.Class[i] == most {
				right++
			}
		}
	}
	v := math.Sqrt(squares)
	if l.Task == data.Classification {
		v = 1 - float64(right)/float64(n)
	}
	return &v
}

// losses are those of left-out outputs on labelled rows.
func (a *Answer) losses(m *model.Model, judged []int, out *mat.Dense) Losses {
	p := a.Task.Problem
	l := Losses{Task: p.Task, Each: make([]float64, len(judged))}
	if p.Task == data.Regression {
		for q, i := range judged {
			r := p.Y.At(i, 0) - out.At(q, 0)
			l.Each[q] = r * r
		}
		return l
	}
	for q, k := range m.Decide(out) {
		if k != p.Class[judged[q]] {
			l.Each[q] = 1
		}
	}
	return l
}
