package choose

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/data"
)

// unstable says whether members with a graph answer rows that the graph does not have so much otherwise than those that it has, that
// the baseline is the better answer for new rows: left-out outputs judge rows that stay in the graph without their label. The share
// of rows that change their class (of a regression the mean square of the change) is compared with what the members err less than the
// baseline, if they do, with two standard errors of the difference, the latter's of one labelled row at least. Of squares, which have long
// tails, it is one standard error.
func (s *Candidates) unstable(ctx context.Context, members []Weighted, left *mat.Dense, base *Candidate) (bool, error) {
	if left == nil || base.LeftOut == nil {
		return false, nil
	}
	if s.moved == nil && s.Outside != nil {
		within, outside, err := s.Outside(ctx, members)
		if within == nil || err != nil {
			return false, err
		}
		s.moved = s.differences(within, outside)
	}
	if s.moved == nil {
		return false, nil
	}
	gain := s.gain(left, base)
	sure, least := 1.0, 0.0
	if s.Problem.Task == data.Classification {
		sure, least = 2, 1/float64(len(gain))
	}
	move, spread := errorOf(s.moved)
	more, other := errorOf(gain)
	return move-max(more, 0) > sure*math.Hypot(spread, max(other, least)), nil
}

// gain is, of each judged row, how much less left-out outputs lose than the baseline's.
func (s *Candidates) gain(left *mat.Dense, base *Candidate) []float64 {
	gain := s.losses(base.LeftOut)
	for q, v := range s.losses(left) {
		gain[q] -= v
	}
	return gain
}

// errorOf is the mean of a list and its standard error.
func errorOf(list []float64) (mean, err float64) {
	if len(list) < 2 {
		return stat.Mean(list, nil), 0
	}
	mean, sd := stat.MeanStdDev(list, nil)
	return mean, stat.StdErr(sd, float64(len(list)))
}

// differences are, of each row, 1 where the classes of two outputs differ, or the square of the difference.
func (s *Candidates) differences(a, b *mat.Dense) []float64 {
	n, _ := a.Dims()
	d := make([]float64, n)
	if s.Problem.Task == data.Regression {
		for i := range d {
			v := a.At(i, 0) - b.At(i, 0)
			d[i] = v * v
		}
		return d
	}
	other := s.Problem.Coding.Decide(b)
	for i, k := range s.Problem.Coding.Decide(a) {
		if other[i] != k {
			d[i] = 1
		}
	}
	return d
}

// losses are, of each judged row, 1 where left-out outputs have the wrong class, or the square of the error.
func (s *Candidates) losses(out *mat.Dense) []float64 {
	rows := s.judged()
	d := make([]float64, len(rows))
	var class []int
	if s.Problem.Task == data.Classification {
		class = s.Problem.Coding.Decide(out)
	}
	for q, i := range rows {
		switch {
		case class == nil:
			v := s.Problem.Y.At(i, 0) - out.At(i, 0)
			d[q] = v * v
		case class[i] != s.Problem.Class[i]:
			d[q] = 1
		}
	}
	return d
}
