package reproduce

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/kernel"
)

// table57 is printed: H, training H and accuracy, test H and accuracy, evaluations.
var table57 = map[string][6]float64{
	"multiple kernel, all features":     {0.2992, 0.0445, 100, 0.1898, 92.73, 391},
	"multiple kernel, reduced features": {0.2611, 0.0265, 100, 0.1308, 92.73, 541},
	"multiple gamma, all features":      {0.4492, 0.0029, 100, 0.4360, 87.27, 251},
	"bikernel, all features":            {0.4495, 0.0029, 100, 0.4337, 89.09, 46},
}

// klatzerT57 learns the widths and weights of kernels of feature groups on features in
// very different units.
func klatzerT57(ctx context.Context, l *lab) error {
	set, err := l.classified(ctx, parkinsonsSet)
	if err != nil {
		return err
	}
	for run := range l.runs {
		l.say("split %d of %d", run+1, l.runs)
		if err := l.parkinsons57(ctx, set, run); err != nil {
			return err
		}
	}
	for name, p := range table57 {
		l.printedRow(name, p)
	}
	return nil
}

// parkinsons57 is one split of the table.
func (l *lab) parkinsons57(ctx context.Context, set *classified, run int) error {
	rng := l.stream(run)
	part := set.shares(rng, 140, 55)
	quartic := klatzerLosses[1].loss
	start := klatzerStart(rng.Float64, parkinsonsSet.d)
	all := numbersTo(parkinsonsSet.d)
	reduced := uncorrelated(set, part[0], all, 7)
	for _, s := range []outerSearch{rawSearch, logSearch} {
		suffix := ""
		if s.name == logName {
			suffix = ", on logarithms"
		}
		for _, features := range []struct {
			name string
			keep []int
		}{{"all features", all}, {"reduced features", reduced}} {
			x := set.x.SelectColumns(features.keep)
			t, err := crossValidated(x, set.against(1), part[0], part[1], l.seed, new(kernel.Work))
			if err != nil {
				return err
			}
			groups := kernel.DecadeGroups(x.Select(part[0]))
			from := append(uniform(rng, 5, 15, 1), uniform(rng, lowest, 1, 2*len(groups))...)
			if _, err := l.report(ctx, "multiple kernel, "+features.name+suffix, groupModel(groups).outer(t, quartic), s, from); err != nil {
				return err
			}
			if len(features.keep) < len(all) {
				continue
			}
			l.add("multiple kernel, "+features.name+suffix, "groups", float64(len(groups)))
			if _, err := l.report(ctx, "multiple gamma, "+features.name+suffix, gaussianModels(len(all)).outer(t, quartic), s, start); err != nil {
				return err
			}
			if _, err := l.report(ctx, "bikernel, "+features.name+suffix, gaussianModel().outer(t, quartic), s, start[:2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// uncorrelated drops so many of the features, one of the most correlated pair at a time.
func uncorrelated(set *classified, rows, features []int, drop int) []int {
	x := set.x.Select(rows).SelectColumns(features).Dense
	n, d := x.Dims()
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = make([]float64, n)
		for i := range columns[j] {
			columns[j][i] = x.At(i, j)
		}
	}
	gone := make([]bool, d)
	for range drop {
		var a, b int
		worst := -1.0
		sum := make([]float64, d)
		for j := range d {
			for k := range j {
				if gone[j] || gone[k] {
					continue
				}
				r := math.Abs(stat.Correlation(columns[j], columns[k], nil))
				sum[j] += r
				sum[k] += r
				if r > worst {
					worst, a, b = r, j, k
				}
			}
		}
		if sum[b] > sum[a] {
			a = b
		}
		gone[a] = true
	}
	var keep []int
	for j, f := range features {
		if !gone[j] {
			keep = append(keep, f)
		}
	}
	return keep
}
