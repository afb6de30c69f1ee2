package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// askedLabels measures how many labels it takes until a learner is right, with rows that mercer label asks for and with rows drawn at
// random, how honest the error is that it expects, and how long the next question takes. A person without mistakes answers. The learner
// is the same for both; asked rows include the check questions. Choices were made on the generated sets; digits were looked at afterwards.
func askedLabels(f *measure.Flags) func() measure.Page {
	sets := f.String("sets", "digits", "sets of the first table")
	seeds := f.Int("seeds", 20, "runs of each")
	target := f.Float64("target", 0.05, "hidden error to reach")
	limit := f.Int("limit", 300, "questions at most")
	times := f.String("times", "digits manifolds:n=20000", "sets of the table of times; empty: none")
	return func() measure.Page {
		return measure.Page{Title: "Labels that are asked for", Write: func(ctx context.Context, w io.Writer) error {
			r := courses{seeds: *seeds, limit: *limit, target: *target}
			if err := r.labels(ctx, w, strings.Fields(*sets)); err != nil || *times == "" {
				return err
			}
			return questionTimes(ctx, w, strings.Fields(*times))
		}}
	}
}

// subject is a set with all its labels, of which the person tells.
type subject struct {
	name    string
	rows    data.Rows
	answers data.Answers
	classes []string
	class   []int
}

func openSubject(ctx context.Context, name string) (*subject, error) {
	set, _, err := read.Open(ctx, name, read.Options{Prepare: true})
	if err != nil {
		return nil, err
	}
	scaling, _, err := set.FitScaling("")
	if err != nil {
		return nil, err
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return nil, err
	}
	return &subject{name: name, rows: scaling.Apply(set.Rows), answers: set.Answers, classes: labels.Classes, class: labels.Class}, nil
}

// courses says how labels are counted.
type courses struct {
	seeds, limit int
	target       float64
}

// course is what one run came to.
type course struct {
	reached      int       // labels until the hidden error was the target or less; one more than the limit if never
	errors       []float64 // hidden ones at the horizons
	held, looked int       // intervals of the error that held, of those that were looked at
	beyond       int       // intervals below the error: they promised too much
}

// horizons are numbers of labels at which the hidden error is shown.
var horizons = []int{10, 20, 40}

// run labels by a chooser, until the target and the last horizon are passed.
func (r courses) run(s *subject, f *label.Features, c label.Chooser) (course, error) {
	last := horizons[len(horizons)-1]
	out := course{reached: r.limit + 1}
	session, err := label.Begin(f, label.Start{Classes: s.classes}, c)
	if err != nil {
		return out, err
	}
	for asked := 1; asked <= r.limit && (asked <= last || out.reached > r.limit); asked++ {
		q := session.Question()
		if q.Row < 0 {
			break
		}
		if err := session.Answer(q, label.Reply{Label: s.answers[q.Row]}); err != nil {
			return out, err
		}
		state := session.State()
		truth := s.wrong(state)
		if truth <= r.target {
			out.reached = min(out.reached, asked)
		}
		if slices.Contains(horizons, asked) {
			out.errors = append(out.errors, truth)
		}
		if asked%10 == 0 && asked <= last {
			out.looked++
			switch e := state.Error; {
			case truth > e.High:
				out.beyond++
			case truth >= e.Low:
				out.held++
			}
		}
	}
	return out, nil
}

// wrong is the share of mistakes among the rows without a label.
func (s *subject) wrong(state label.State) float64 {
	wrong, hidden := 0, 0
	for i, k := range s.class {
		if state.Labelled[i] == 0 {
			hidden++
			if int(state.Decided[i]) != k {
				wrong++
			}
		}
	}
	return float64(wrong) / float64(max(hidden, 1))
}

// labels prints the table of labels.
func (r courses) labels(ctx context.Context, w io.Writer, sets []string) error {
	fmt.Fprintf(w, "Labels until %g %% or fewer of the other rows are mistaken, and the share that are at so many labels: mean "+
		"of %d seeds, with the standard error of the mean. Held: intervals of 90 %% of the error to expect that held, at 10, 20, .. "+
		"%d labels; beyond: the error was larger than the interval said, and in the others smaller.\n\n",
		100*r.target, r.seeds, horizons[len(horizons)-1])
	fmt.Fprint(w, "| set | rows | labels |")
	for _, at := range horizons {
		fmt.Fprintf(w, " error %% at %d |", at)
	}
	fmt.Fprint(w, " held % | beyond % | fewer % |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range sets {
		s, err := openSubject(ctx, name)
		if err != nil {
			return err
		}
		features := make([]*label.Features, r.seeds)
		for q := range features {
			if features[q], err = (label.Recipe{Seed: seed(q)}).Fit(ctx, s.rows); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		random, err := r.line(w, s, features, "random", label.Chooser{CheckEvery: 1}, math.NaN())
		if err != nil {
			return err
		}
		if _, err = r.line(w, s, features, "asked", label.Chooser{}, random); err != nil {
			return err
		}
	}
	return nil
}

// seed is that of a run.
func seed(run int) uint64 { return uint64(run + 1) } //nolint:gosec // a count

// line prints the mean of runs, and returns that of the labels.
func (r courses) line(w io.Writer, s *subject, f []*label.Features, rows string, c label.Chooser, random float64) (float64, error) {
	all := make([]course, r.seeds)
	err := parallel.Each(0, r.seeds, func(q int) error {
		own := c
		own.Seed = seed(q)
		var err error
		all[q], err = r.run(s, f[q], own)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	reached, errors, held, beyond, looked, never := make([]float64, r.seeds), make([]float64, len(horizons)), 0, 0, 0, 0
	for q, one := range all {
		reached[q] = float64(one.reached)
		if one.reached > r.limit {
			never++
		}
		for k, e := range one.errors {
			errors[k] += e / float64(r.seeds)
		}
		held, beyond, looked = held+one.held, beyond+one.beyond, looked+one.looked
	}
	mean, deviation := stat.MeanStdDev(reached, nil)
	fmt.Fprintf(w, "| %s | %s | %.1f ± %.1f", s.name, rows, mean, deviation/math.Sqrt(float64(r.seeds)))
	if never > 0 {
		fmt.Fprintf(w, " (%d of %d never)", never, r.seeds)
	}
	fmt.Fprint(w, " |")
	for _, e := range errors {
		fmt.Fprintf(w, " %.1f |", 100*e)
	}
	fmt.Fprintf(w, " %.0f | %.0f |", 100*float64(held)/float64(looked), 100*float64(beyond)/float64(looked))
	if !math.IsNaN(random) {
		fmt.Fprintf(w, " %.0f", 100*(1-mean/random))
	}
	_, err = fmt.Fprint(w, " |\n")
	return mean, err
}

// questionTimes prints how long it takes from an answer to the next question.
func questionTimes(ctx context.Context, w io.Writer, sets []string) error {
	fmt.Fprint(w, "\nSeconds until the first question, and from an answer to the next question and the state of the page, over 40 "+
		"answers.\n\n| set | rows | opening | median | longest |\n|---|---|---|---|---|\n")
	for _, name := range sets {
		s, err := openSubject(ctx, name)
		if err != nil {
			return err
		}
		start := time.Now()
		f, err := label.Recipe{Seed: 1}.Fit(ctx, s.rows)
		if err != nil {
			return err
		}
		session, err := label.Begin(f, label.Start{Classes: s.classes}, label.Chooser{Seed: 1})
		if err != nil {
			return err
		}
		opening := time.Since(start).Seconds()
		var took []float64
		for range 40 {
			q := session.Question()
			start := time.Now()
			if err := session.Answer(q, label.Reply{Label: s.answers[q.Row]}); err != nil {
				return err
			}
			session.State()
			took = append(took, time.Since(start).Seconds())
		}
		slices.Sort(took)
		if _, err := fmt.Fprintf(w, "| %s | %d | %.1f | %.3f | %.3f |\n", s.name, s.rows.Len(), opening, took[len(took)/2],
			took[len(took)-1]); err != nil {
			return err
		}
	}
	return nil
}
