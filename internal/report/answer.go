package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/result"
)

// sentence begins with a capital.
func sentence(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// inHundred says a share as a number of a hundred, without false precision.
func inHundred(v float64) string {
	switch h := 100 * v; {
	case h == 0:
		return "none"
	case h < 0.95:
		return "fewer than one"
	default:
		return "about " + strconv.Itoa(int(math.Round(h)))
	}
}

// answer is what everybody should know, in two sentences: the error to expect, and what the
// unlabelled rows did.
func (r *Run) answer() []string {
	return []string{r.errorSentence(), r.unlabelledSentence()}
}

// metricSet is the name in Result.Metrics of the rows judged; "" for rows left out, of
// which there are no metrics but the score.
func (r *Run) metricSet() string {
	if r.Judged == nil || r.Judged.Kind == "left out" {
		return ""
	}
	return r.Judged.Kind
}

func (r *Run) errorSentence() string {
	res, j := r.Result, r.Judged
	if res.Splits != nil {
		return r.splitsSentence()
	}
	if j == nil || j.Len() == 0 {
		return "This run kept no row back to judge the model by, so it knows no error to expect; give rows with labels by " +
			"--test, or tune by " +
			"a score."
	}
	base, hasBase := r.baseline()
	beside := ""
	if j.Class == nil {
		rmse := rootMeanSquare(j)
		if e := r.expected(); e != nil {
			rmse = e.Error
		}
		text := fmt.Sprintf(
			"On rows whose answer it was not told, the model is off by about %s (root mean square over %s",
			number(rmse),
			j.describe(),
		)
		if name, sd := r.trivial("their mean", deviation(j.Value)); sd > 0 {
			text += fmt.Sprintf("; always saying %s would be off by %s", name, number(sd))
		}
		if hasBase {
			beside = fmt.Sprintf("; %s, which learns from labelled rows alone, by %s", res.Baseline.Method, number(base["rmse"]))
		}
		return text + ")" + beside + "." + within(res.Interval)
	}
	e := r.expected()
	text := fmt.Sprintf("Of 100 rows whose class it was not told, the model gets %s wrong (%s of %s; with %s confidence %s to %s)",
		inHundred(e.Error), measured(e.Measure, e.Error), j.describe(), level(e), percent(e.Low), percent(e.High))
	if hasBase {
		beside = fmt.Sprintf("; %s, which learns from labelled rows alone, %s", res.Baseline.Method, inHundred(base["error"]))
	} else {
		name, share := r.trivial("the most frequent class", 1-commonest(j))
		beside = fmt.Sprintf("; always saying %s would get %s wrong", name, inHundred(share))
	}
	return text + beside + "."
}

// trivial are the name and the error of the answer that needs no model: those given, unless it is of other rows than those judged.
func (r *Run) trivial(name string, err float64) (string, float64) {
	e := r.Result.Estimate
	if e == nil || e.Trivial == nil || r.Judged.Kind != "left out" || brief.Others(e.From) == "" {
		return name, err
	}
	return strings.Replace(name, "their", "the", 1) + brief.Others(e.From), *e.Trivial
}

// expected is the error that the report tells, with its interval: that of the fit where the rows judged are those that it left out,
// else that of the rows judged, made as the fit makes its own. Nil of numbers that were not left out.
func (r *Run) expected() *result.Estimate {
	j := r.Judged
	if e := r.Result.Estimate; e != nil && j.Kind == "left out" {
		return e
	}
	if j.Class == nil {
		return nil
	}
	share := float64(j.errors()) / float64(j.Len())
	losses := answer.Moments{Task: data.Classification, Rows: j.Len(), Mean: share, Variance: share * (1 - share)}
	return losses.Estimate(answer.Usual, j.Kind, true)
}

// leftOutSentence says how the rarest of unequal classes fares; "" where they are not unequal.
func leftOutSentence(e *result.Estimate) string {
	if len(e.Classes) == 0 {
		return ""
	}
	rarest := slices.MinFunc(e.Classes, func(a, b result.ClassEstimate) int { return cmp.Compare(a.Rows, b.Rows) })
	if rarest.Recall == nil {
		return ""
	}
	text := fmt.Sprintf(" Of %s of the rare class %s among them %s are found",
		brief.Count(rarest.Rows, "row"), rarest.Class, percent(*rarest.Recall))
	if rarest.Precision != nil {
		text += fmt.Sprintf(", and %s of the rows taken for it are right", percent(*rarest.Precision))
	}
	return text + "."
}

// level is the confidence of an interval.
func level(e *result.Estimate) string { return fmt.Sprintf("%g %%", 100*e.Level) }

// estimateSentence says which error to expect on other rows, and from what that is known.
func estimateSentence(e *result.Estimate) string {
	text := fmt.Sprintf("By %s left out (%s) the %s to expect on other rows is %s, with %s confidence between %s and %s",
		brief.Count(e.Rows, "row"), e.From, e.Measure, measured(e.Measure, e.Error), level(e), measured(e.Measure, e.Low),
		measured(e.Measure, e.High))
	if e.Corrected {
		return text + "; the choice among candidates has not flattered it."
	}
	return text + "; the parameters were tuned on these very rows, so that it errs to the better side: --cv 5 does not."
}

// within says where new answers lie; "" if that is not known.
func within(i *result.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(
		" With probability %s a new answer lies between %s below the prediction and %s above it.",
		percent(i.Level), number(-i.Lower), number(i.Upper),
	)
}

// baseline is the supervised machine's metrics on the rows judged.
func (r *Run) baseline() (mercer.Metric, bool) {
	b := r.Result.Baseline
	if b == nil || r.metricSet() == "" {
		return nil, false
	}
	m := b.Metrics[r.metricSet()]
	return m, len(m) > 0
}

// commonest is the share of the most frequent class among the rows judged.
func commonest(j *Judged) float64 {
	counts, most := map[int]int{}, 0
	for _, k := range j.Class {
		counts[k]++
		most = max(most, counts[k])
	}
	return float64(most) / float64(max(j.Len(), 1))
}

func rootMeanSquare(j *Judged) float64 {
	var ss float64
	for i, v := range j.Value {
		ss += (v - j.Output[i]) * (v - j.Output[i])
	}
	return math.Sqrt(ss / float64(len(j.Value)))
}

// deviation is the standard deviation (divisor n).
func deviation(v []float64) float64 {
	var mean, ss float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		ss += (x - mean) * (x - mean)
	}
	return math.Sqrt(ss / float64(len(v)))
}

// unlabelledSentence says whether the rows without a label helped.
func (r *Run) unlabelledSentence() string {
	res := r.Result
	rows := brief.Count(res.Rows.Unlabelled, "row")
	semi := usesGraph(res.Method)
	base, measured := r.baseline()
	switch {
	case res.Rows.Unlabelled == 0:
		return "Every row had a label, so there were no unlabelled rows to learn from."
	case !semi && cmp.Or(r.Recipe.Method, "auto") == "auto" && len(res.Race) == 0:
		return fmt.Sprintf(
			"Machines that also learn from the %s without a label were tried and are no better for new rows, so they are not used.",
			rows,
		)
	case !semi:
		return fmt.Sprintf("The method learns from labelled rows alone; the %s without a label were not used.", rows)
	case res.Splits != nil && res.Splits.Baseline != nil:
		return compared(
			rows,
			r.mainMeasure(),
			res.Splits.Hidden[r.mainMeasure()+"_mean"],
			res.Splits.Baseline.Hidden[r.mainMeasure()+"_mean"],
			math.NaN(),
		)
	case measured && r.Judged.Class != nil:
		own, other, n := float64(r.Judged.errors())/float64(r.Judged.Len()), base["error"], float64(r.Judged.Len())
		return compared(rows, "error", own, other, usualQuantile*math.Sqrt((own*(1-own)+other*(1-other))/n))
	case measured:
		return compared(rows, "rmse", rootMeanSquare(r.Judged), base["rmse"], math.NaN())
	case res.Baseline != nil && res.Baseline.Score != nil && res.Tuning != nil && finite(res.Tuning.Value):
		own, other := res.Tuning.Value, *res.Baseline.Score
		verdict := "helped"
		if own >= other {
			verdict = "did not help"
		}
		return fmt.Sprintf("By the score of left-out labels the %s without a label %s: %s with them, %s for %s without (less is better).",
			rows, verdict, number(own), number(other), res.Baseline.Method)
	}
	return fmt.Sprintf("The %s without a label were used, and nothing in this run says what they were worth.", rows)
}

// compared words the worth of unlabelled rows by the errors with and without them; chance is
// the difference that chance alone explains, NaN where it is not known.
func compared(rows, measure string, own, other, chance float64) string {
	show := percent
	if measure != "error" {
		show = number
	}
	verdict := "helped"
	switch {
	case own == other:
		verdict = "made no difference"
	case own > other:
		verdict = "did not help"
	}
	text := fmt.Sprintf("The %s without a label %s: %s with them, %s without", rows, verdict, show(own), show(other))
	if finite(chance) && own != other && math.Abs(own-other) < chance {
		text += ", a difference that chance alone explains"
	}
	return text + "."
}

// usesGraph says whether a method learns from unlabelled rows.
func usesGraph(id string) bool {
	m, ok := method.Find(id)
	return ok && (m.Supports(nil).Graph || m.Supports(nil).Views)
}

// mainMeasure is the measure that is spoken of first.
func (r *Run) mainMeasure() string {
	if r.Result.Task == "regression" {
		return "rmse"
	}
	return "error"
}

func (r *Run) splitsSentence() string {
	s, name := r.Result.Splits, r.mainMeasure()
	show := percent
	if name != "error" {
		show = number
	}
	text := fmt.Sprintf("Over %s the model errs on %s of the hidden rows on average", brief.Count(s.Count, "split"),
		show(s.Hidden[name+"_mean"]))
	if name != "error" {
		text = fmt.Sprintf(
			"Over %s the model is off by %s on the hidden rows on average (root mean square)",
			brief.Count(s.Count, "split"),
			show(s.Hidden[name+"_mean"]),
		)
	}
	if sd, ok := s.Hidden[name+"_std"]; ok {
		text += fmt.Sprintf(" (standard deviation %s)", show(sd))
	}
	if s.Baseline != nil {
		text += fmt.Sprintf("; the supervised baseline %s", show(s.Baseline.Hidden[name+"_mean"]))
	}
	return text + "."
}
