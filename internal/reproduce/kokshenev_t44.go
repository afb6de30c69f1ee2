package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
)

var abaloneSet = dataset{name: "abalone", file: "abalone.csv.gz", n: 4177}

// abaloneGrid is the recipe of section 4.5.4.
var abaloneGrid = rbf.MOBJ{Widths: rbf.Widths{Steps: 50}, MaxQ: 6000, Steps: 250}

const (
	abaloneFolds = 3  // of the decisor
	outerFolds   = 10 // of each permutation
	testMSE      = "test MSE, median"
	trainMSE     = "training MSE, median"
)

// table44 is printed, medians: units, Q, sigma, |alpha|_1, training and test MSE; then the
// mean and standard deviation of the latter.
var table44 = map[string][8]float64{
	"MOBJ-AIC": {67, 5811, 0.33, 641.71, 4.22, 4.45, 4.46, 0.55},
	"MOBJ-BIC": {26, 1433, 1.16, 1665.79, 4.43, 4.56, 4.58, 0.53},
	"MOBJ-CV":  {63, 5294, 0.37, 698.80, 4.24, 4.47, 4.48, 0.55},
}

// outerFold cuts n rows, permuted by the run's permutation, into ten parts: run r tests
// on part r mod 10 of permutation r/10.
func (l *lab) outerFold(n, run int) (train, test []int) {
	perm := l.stream(run / outerFolds).Perm(n)
	k := run % outerFolds
	lo, hi := k*n/outerFolds, (k+1)*n/outerFolds
	test = perm[lo:hi]
	return slices.Concat(perm[:lo], perm[hi:]), test
}

// kokshenevT44 is the age of abalones.
func kokshenevT44(ctx context.Context, l *lab) error {
	set, err := l.open(ctx, abaloneSet)
	if err != nil {
		return err
	}
	if n := set.Rows.Len(); n != abaloneSet.n {
		return fmt.Errorf("%s: %d rows in place of %d; this is not the set that docs/datasets.md describes", abaloneSet.file, n,
			abaloneSet.n)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Regression})
	if err != nil {
		return err
	}
	n := atMost(ctx, "rows", 300, abaloneSet.n)
	return l.abalone(ctx, set.Rows.Select(numbersTo(n)), labels.Value[:n], brief(ctx, abaloneGrid))
}

// abaloneRow is a value of a partition.
type abaloneRow struct {
	key [2]string // case and metric
	v   float64
}

// abalonePartition is what the decisors choose when the rows train test on the others.
func (l *lab) abalonePartition(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ, train, test []int) ([]abaloneRow, error) {
	var out []abaloneRow
	add := func(name, metric string, v float64) { out = append(out, abaloneRow{[2]string{name, metric}, v}) }
	x, ty := data.Rows{Dense: rows.Select(train).Dense}, pickOf(y, train)
	fronts, err := grid.Fit(ctx, x, target(ty))
	if err != nil {
		return nil, err
	}
	f := fronts[0]
	folds, err := l.folded(ctx, f, x, ty, abaloneFolds, false)
	if err != nil {
		return nil, err
	}
	for _, d := range []struct {
		name    string
		decisor choose.Decisor
	}{{"MOBJ-AIC", choose.AIC{}}, {"MOBJ-BIC", choose.BIC{}}, {"MOBJ-CV", held("cv", folds)}} {
		i, _, err := decide(members(f, nil), d.decisor)
		if err != nil {
			return nil, err
		}
		got, err := f.Predict(ctx, rows.Select(test), []int{i})
		if err != nil {
			return nil, err
		}
		e := &f.Elements[i]
		add(d.name, unitCount, float64(len(e.Units)))
		add(d.name, qRBF, e.Q)
		add(d.name, widthRBF, f.Sigma(i))
		add(d.name, sumCoef, e.L1())
		add(d.name, trainMSE, e.SSE/float64(len(ty)))
		mse := meanSquare(mat.Col(nil, 0, got), pickOf(y, test))
		add(d.name, testMSE, mse)
		l.say("%s: %d units, Q %.4g, sigma %.3g, test MSE %.3f", d.name, len(e.Units), e.Q, f.Sigma(i), mse)
	}
	add("front", "candidate centres", float64(f.Centres.Len()))
	return out, nil
}

// abalone runs the partitions and adds medians. An interrupt keeps those that are done.
func (l *lab) abalone(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ) error {
	values := map[[2]string][]float64{}
	var names [][2]string
	done := 0
	for ; done < l.runs; done++ {
		l.say("partition %d of %d", done+1, l.runs)
		train, test := l.outerFold(rows.Len(), done)
		one, err := l.abalonePartition(ctx, rows, y, grid, train, test)
		if ctx.Err() != nil && done > 0 {
			l.note("interrupted after %d partitions", done)
			break
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for _, r := range one {
			if values[r.key] == nil {
				names = append(names, r.key)
			}
			values[r.key] = append(values[r.key], r.v)
		}
	}
	for _, key := range names {
		l.add(key[0], key[1], quantile(values[key], 0.5))
		if key[1] == testMSE {
			mean, std := meanStd(values[key])
			l.add(key[0], "test MSE, mean", mean)
			l.add(key[0], "test MSE, standard deviation", std)
		}
	}
	for name, v := range table44 {
		for k, metric := range [...]string{unitCount, qRBF, widthRBF, sumCoef, trainMSE, testMSE, "test MSE, mean",
			"test MSE, standard deviation"} {
			l.printed(name, metric, v[k])
		}
	}
	l.printed("front", "candidate centres", 2900)
	l.note(
		"rows are medians of the partitions (10 permutations in 10 parts; %d run), so that each counts as one run. The printed columns called "+
			"RMSE are mean squared errors; the SVM of Meyer et al. 2003, quoted there, has 4.48",
		done,
	)
	return nil
}

func meanSquare(got, want []float64) float64 {
	var s float64
	for i, v := range got {
		s += (v - want[i]) * (v - want[i])
	}
	return s / float64(len(got))
}
