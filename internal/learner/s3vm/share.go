package s3vm

// The mean output with which as many unlabelled rows are decided +1 as are asked for.
//
// Problem   m with #{j in U: f_j >= 0} = r u, f the answer of an algorithm that takes the mean output
//           m. The count rises with m but for jumps from one local minimum to another.
// Method    From m = 2 r - 1 in steps of 0.05 that double, until the count lies between two of them,
//           then bisection. Each m starts from the minimum of the one before, which moves with m as
//           long as it stays one; from the start of the algorithm on, neighbouring m end in different
//           minima. Of the m tried the one whose count is nearest, and of several such the one with the
//           least objective.
// Cost      as many solutions of the last problem as m are tried, at most 30.
// Source    Sindhwani 2007, section 3.2.3: the baselines of tables 3.1 and 3.2 by "dichotomy".

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	widestMean = 2    // most |m|; outputs of -1 and +1 have 1
	meanStep   = 0.05 // first step of m
	meanTries  = 30   // most m
)

// solve answers a problem by a schedule.
func (d *descent) solve(ctx context.Context, p *Problem, way schedule, warm *Solution) (Solution, error) {
	var start []float64
	level := 2*p.Positive - 1
	if warm != nil {
		alpha := make([]float64, len(d.y))
		for a, i := range d.rows {
			alpha[i] = warm.Alpha[a]
		}
		start = d.c.Weights(alpha)
		if way.decisions {
			level = min(max(floats.Dot(d.mean, start)+warm.Offset, -widestMean), widestMean)
		}
	}
	if !way.decisions {
		if err := d.at(level); err != nil {
			return Solution{}, err
		}
		found, err := d.follow(ctx, way, start)
		if err != nil {
			return Solution{}, err
		}
		return d.solution(ctx, p, found), nil
	}
	found, err := d.bisect(ctx, way, level, p.Count(), start)
	if err != nil {
		return Solution{}, err
	}
	if found.limited == "" && found.positive != p.Count() {
		found.limited = unmet(found.positive, d.count, p.Count())
	}
	return d.solution(ctx, p, found), nil
}

// dichotomy calls try with mean outputs, from a first one on, which returns how many rows are decided +1, until
// that is the count, or until it says that it stops.
func dichotomy(level float64, count int, try func(level float64) (positive int, stop bool, err error)) error {
	lo, hi := math.Inf(-1), math.Inf(1) // m with a count that is too small, and too large
	step := meanStep
	for range meanTries {
		positive, stop, err := try(level)
		if err != nil || stop || positive == count {
			return err
		}
		if positive > count {
			hi = level
		} else {
			lo = level
		}
		switch {
		case math.IsInf(lo, -1):
			level = hi - step
		case math.IsInf(hi, 1):
			level = lo + step
		default:
			level = lo + (hi-lo)/2
		}
		step *= 2
		if math.Abs(level) > widestMean {
			break
		}
	}
	return nil
}

// searchStopped says that a mean output with the share might have been found.
const searchStopped = "the search for the mean output was stopped before its end"

// unmet says that the share was not met.
func unmet(positive, rows, count int) string {
	return fmt.Sprintf("%d of %d unlabelled rows are decided for a class that was to have %d: no mean output between gives "+
		"that number", positive, rows, count)
}

// bisect tries mean outputs from a first one on.
func (d *descent) bisect(ctx context.Context, way schedule, level float64, count int, start []float64) (*minimum, error) {
	var best *minimum
	iterations := 0
	err := dichotomy(level, count, func(level float64) (int, bool, error) {
		if err := d.at(level); err != nil {
			return 0, false, err
		}
		found, err := d.follow(ctx, way, start)
		if err != nil && best == nil {
			return 0, false, err
		}
		if err != nil {
			best.limited = searchStopped
			return 0, true, nil
		}
		start, iterations = found.X, iterations+found.Iterations
		switch {
		case best == nil || found.closer(best, count):
			best = found
		case found.limited != "": // the search ends here, and best is not what it was to find
			best.limited = searchStopped
		}
		return found.positive, found.limited != "", nil
	})
	if err != nil {
		return nil, err
	}
	best.Iterations = iterations
	return best, nil
}

// closer says whether a point is better than another.
func (a *minimum) closer(b *minimum, count int) bool {
	x, y := math.Abs(float64(a.positive-count)), math.Abs(float64(b.positive-count))
	return x < y || x == y && a.F < b.F
}
