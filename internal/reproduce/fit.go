package reproduce

// One experiment of each source is run twice: by the packages that the other experiments of the
// source are made of ("library"), and by mercer.Fit, the front door that `mercer fit` goes through.
// Both learn from the same rows with the same parameters, so their numbers must agree: what is
// published rests on the door that everybody uses.

import (
	"context"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	file "github.com/mercer-ml/mercer/model" // model is the machine of Klatzer here
)

const (
	byLibrary     = ", library"
	byFit         = ", mercer.Fit"
	fitDifference = "largest difference of outputs, any split"
)

// both adds a number of the library and that of the front door; the source's, if it prints one, stands
// beside each.
func (l *lab) both(name, metric string, library, front float64) {
	l.add(name, metric+byLibrary, library)
	l.add(name, metric+byFit, front)
}

func (l *lab) printedBoth(name, metric string, v float64) {
	l.printed(name, metric+byLibrary, v)
	l.printed(name, metric+byFit, v)
}

// seeded is the seed of the front door, for which 0 means 1.
func (l *lab) seeded() uint64 { return max(l.seed, 1) }

// inputOf is a problem of two classes as the front door takes it: labels where they are known.
func inputOf(p *learn.Problem, test data.Rows, class []int) mercer.Input {
	answers := make(data.Answers, p.Rows.Len())
	for q, i := range p.Labelled {
		answers[i] = p.Classes[p.Class[q]]
	}
	in := mercer.Input{
		Set: &data.Set{Source: "training rows", Name: "training rows", Rows: unnumbered(p.Rows), Answers: answers, LabelName: "class"},
	}
	if test.Len() > 0 {
		truth := make(data.Answers, len(class))
		for i, k := range class {
			truth[i] = p.Classes[k]
		}
		in.Test = &data.Set{Source: "test rows", Name: "test rows", Rows: unnumbered(test), Answers: truth, LabelName: "class"}
	}
	return in
}

// unnumbered are rows without their numbers in the set that they come from.
func unnumbered(r data.Rows) data.Rows {
	r.ID = nil
	return r
}

// text is a number as a recipe takes it, to the last digit.
func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// fixedFit trains at parameters that are all set.
func fixedFit(ctx context.Context, in mercer.Input, r mercer.Recipe) (*file.Model, *mercer.Result) {
	r.Tune, r.Scale = "none", data.ScaleNone
	return fit(ctx, in, r)
}

// fit is the front door.
func fit(ctx context.Context, in mercer.Input, r mercer.Recipe) (*file.Model, *mercer.Result) {
	m, res, err := mercer.Fit(ctx, in, r, mercer.Options{})
	if err != nil {
		fail("mercer.Fit, %s: %w", r.Method, err)
	}
	return m, res
}

// apart is the largest difference of two tables of one column.
func apart(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	var most float64
	for i := range n {
		most = max(most, math.Abs(a.At(i, 0)-b.At(i, 0)))
	}
	return most
}
