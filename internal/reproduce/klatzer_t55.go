package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search"
)

// seedsSearches are those of table 5.5 with what it prints: H, training H and accuracy,
// test H and accuracy, evaluations, of the three classes.
var seedsSearches = [...]struct {
	searching outerSearch
	printed   [3][6]float64
}{
	{
		rawSearch,
		[3][6]float64{
			{0.1145, 0.0154, 100, 0.1037, 93.33, 441},
			{0.0374, 0.0144, 100, 0.0407, 100, 366},
			{0.0766, 0.0257, 100, 0.0703, 96.67, 331},
		},
	},
	{
		rpropSearch,
		[3][6]float64{
			{0.1099, 0.0208, 99.33, 0.1075, 93.33, 501},
			{0.0383, 0.0161, 100, 0.0406, 100, 501},
			{0.0798, 0.0251, 100, 0.0699, 96.67, 501},
		},
	},
	{searching: logSearch},
}

// klatzerT55 learns c and a gamma a feature for each class of Seeds.
func klatzerT55(ctx context.Context, l *lab) error {
	err := l.eachSeeds(ctx, func(class, run int, t *task, start []float64) error {
		for _, s := range seedsSearches {
			name := fmt.Sprintf("class %d against the rest, %s", class+1, s.searching.name)
			l.say("split %d of %d: %s", run+1, l.runs, name)
			if _, err := l.report(ctx, name, gaussianModels(seedsSet.d).outer(t, klatzerLosses[1].loss), s.searching, start); err != nil {
				return err
			}
			if p := s.printed[class]; p[0] > 0 {
				l.printedRow(name, p)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return nil
}

// eachSeeds calls f for every class and split of Seeds with a start.
func (l *lab) eachSeeds(ctx context.Context, f func(class, run int, t *task, start []float64) error) error {
	seeds, err := l.classified(ctx, seedsSet)
	if err != nil {
		return err
	}
	for run := range l.runs {
		rng := l.stream(run)
		part := seeds.shares(rng, 150, 60)
		work := new(kernel.Work)
		for class := range 3 {
			t, err := crossValidated(seeds.x, seeds.against(class+1), part[0], part[1], l.seed, work)
			if err != nil {
				return err
			}
			if err := f(class, run, t, klatzerStart(rng.Float64, seedsSet.d)); err != nil {
				return err
			}
		}
	}
	return nil
}

// klatzerStart is c in [5, 15] and so many gammas in [0.5, 1.5], uniform.
func klatzerStart(uniform func() float64, gammas int) []float64 {
	start := make([]float64, gammas+1)
	start[0] = 5 + 10*uniform()
	for j := range gammas {
		start[j+1] = 0.5 + uniform()
	}
	return start
}

// klatzerF59 shows which features of Seeds count.
func klatzerF59(ctx context.Context, l *lab) error {
	names, err := l.columnNames(ctx, seedsSet)
	if err != nil {
		return err
	}
	err = l.eachSeeds(ctx, func(class, _ int, t *task, start []float64) error {
		if class != 1 {
			return nil
		}
		b := gaussianModels(seedsSet.d).outer(t, klatzerLosses[1].loss)
		for _, s := range []outerSearch{rawSearch, logSearch} {
			res, err := b.tune(ctx, s, start)
			if err != nil {
				return err
			}
			l.addWidths(s.name+": ", names, res)
		}
		return nil
	})
	l.drawFeatures("log10 gamma", names, rawSearch.name+": ", logSearch.name+": ")
	return err
}

// columnNames are the names of a set's features.
func (l *lab) columnNames(ctx context.Context, d klatzerSet) ([]string, error) {
	set, err := l.classified(ctx, d)
	if err != nil {
		return nil, err
	}
	return set.columns, nil
}

// addWidths adds log10 of the parameters after c, one a feature.
func (l *lab) addWidths(prefix string, names []string, res search.Result) {
	for j, name := range names {
		l.add(fmt.Sprintf("%sfeature %d, %s", prefix, j+1, name), "log10 gamma", math.Log10(res.Theta[j+1]))
	}
}

// drawFeatures draws the means of a metric by the number of the feature, a curve a prefix of the rows.
func (l *lab) drawFeatures(metric string, names []string, prefixes ...string) {
	f := Figure{
		Name:  "features",
		Title: metric + " of every feature, mean over the splits",
		X:     Axis{Name: "number of the feature"},
		Y:     Axis{Name: metric},
	}
	var x []float64
	for j := range names {
		x = append(x, float64(j+1))
	}
	for _, prefix := range prefixes {
		c := l.means(cmp.Or(strings.TrimSuffix(prefix, ": "), metric), metric, x, func(j float64) string {
			return fmt.Sprintf("%sfeature %g, %s", prefix, j, names[int(j)-1])
		})
		c.Loose = true
		f.Curves = append(f.Curves, c)
	}
	l.draw(f)
}
