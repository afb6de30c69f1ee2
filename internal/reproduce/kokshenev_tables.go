package reproduce

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// The metrics of table 4.3 that the other tables of the source do not have.
const falsePositive, falseNegative = "false positives", "false negatives"

// cancerGrid is the recipe of section 4.5.3: sigma from d_5/3 to 3 d_95.
var cancerGrid = rbf.MOBJ{Widths: rbf.Widths{Steps: 50}, MaxQ: 100, Steps: 250}

const cancerFolds = 10

// kokshenevT43 compares decisors and an SVM on breast cancer.
func kokshenevT43(ctx context.Context, l *lab) {
	set := l.classified(ctx, wdbcSet)
	set.span(0, 1)
	for run := range l.runs {
		l.say("partition %d of %d", run+1, l.runs)
		train, validate, test := cancerRows(l.stream(run).Perm(wdbcSet.n))
		l.cancer(ctx, cancerParts(set, train, validate, test), brief(ctx, cancerGrid), thin(ctx, "strengths", 2, halvingSteps(-8, 12, 50)))
	}
}

// cancerRows cuts the rows in random order into the more of two halves, a quarter and the rest.
func cancerRows(perm []int) (train, validate, test []int) {
	half, quarter := len(perm)/2+1, len(perm)/4
	return perm[:half], perm[half : half+quarter], perm[half+quarter:]
}

// halvingSteps are 2^lo to 2^hi in so many steps of equal ratio.
func halvingSteps(lo, hi float64, steps int) []float64 {
	v := make([]float64, steps+1)
	for i := range v {
		v[i] = math.Exp2(lo + (hi-lo)*float64(i)/float64(steps))
	}
	return v
}

// valued are rows with their targets.
type valued struct {
	x data.Rows
	y []float64
}

// cancerParts are the training, validation and test rows of a partition; malignant is 1.
func cancerParts(set *classified, rows ...[]int) (parts [3]valued) {
	y := signs(set.against(1))
	for k, part := range rows {
		parts[k] = valued{data.Rows{Dense: set.x.Select(part).Dense}, indices.Of(y, part)}
	}
	return parts
}

// cancer is one partition.
func (l *lab) cancer(ctx context.Context, parts [3]valued, grid rbf.MOBJ, strengths []float64) {
	train, validate, test := parts[0], parts[1], parts[2]
	judged := func(name string, out *mat.Dense) {
		var fp, fn float64
		for i, y := range test.y {
			switch v := out.At(i, 0); {
			case v >= 0 && y < 0:
				fp++
			case v < 0 && y > 0:
				fn++
			}
		}
		l.add(name, falsePositive, fp)
		l.add(name, falseNegative, fn)
		l.add(name, testRight, 100*(1-(fp+fn)/float64(len(test.y))))
	}
	fronts := must(grid.Fit(ctx, train.x, target(train.y)))
	joint := must(rbf.Joint{MaxQ: grid.MaxQ, Steps: grid.Steps}.Fit(ctx, train.x, target(train.y)))
	for k, f := range []*rbf.Front{fronts[0], joint[0]} {
		v := must(f.Validate(ctx, validate.x, validate.y))
		folds := l.folded(ctx, f, train.x, train.y, labelsOf(train.y), atMost(ctx, "folds", 3, cancerFolds))
		for _, d := range []namedDecisor{{"AIC", choose.AIC{}}, {"BIC", choose.BIC{}}, {"MVE", held("mve", v)}, {"CV", held("cv", folds)}} {
			name := [...]string{"MOBJ-", "joint-"}[k] + d.name
			i, _ := decide(members(f, nil), d.decisor)
			l.network(name, f, i)
			judged(name, must(f.Predict(ctx, test.x, []int{i})))
		}
	}
	g, m := l.cancerSVM(ctx, fronts[0].Widths, train, strengths)
	judged(cancerMachine, predicted(ctx, g, m, test.x, 1))
}

const cancerMachine = "SVM-CV"

// cancerSVM is the grid search for a machine of the same widths.
func (l *lab) cancerSVM(ctx context.Context, widths []float64, train valued, strengths []float64) (kernel.Gram, *learn.Machine) {
	labels := labelsOf(train.y)
	parts := must(data.Folds(labels, atMost(ctx, "folds of the machines", 3, cancerFolds), l.seed))
	s := mobj.Machines{Learner: kokshenevMachine(), Strengths: strengths, Problem: learn.NewProblem(train.x, labels)}
	for _, sigma := range widths {
		s.Kernels = append(s.Kernels, kernel.Gaussian{Sigma: sigma})
	}
	all := must(s.Train(ctx, parts.Groups()))
	check(ctx.Err())
	best := all.Least()
	if best == nil {
		fail("every machine of the grid was ended by its limit of %d steps; scale the features", machineSteps)
	}
	m, width := best.Machine, widths[best.Kernel]
	var sum float64
	for i := range m.Rows {
		sum += math.Abs(m.Coef.At(i, 0))
	}
	l.add(cancerMachine, unitCount, float64(len(m.Rows)))
	l.add(cancerMachine, qRBF, sum/(width*width))
	l.add(cancerMachine, widthRBF, width)
	l.add(cancerMachine, sumCoef, sum)
	return must(s.Kernels[best.Kernel].Bind(ctx, train.x, nil)), m
}

var abaloneSet = dataset{name: "abalone", file: "abalone.csv.gz", n: 4177}

// abaloneGrid is the recipe of section 4.5.4.
var abaloneGrid = rbf.MOBJ{Widths: rbf.Widths{Steps: 50}, MaxQ: 6000, Steps: 250}

const (
	abaloneFolds = 3  // of the decisor
	outerFolds   = 10 // of each permutation
	testMSE      = "test MSE, median"
	trainMSE     = "training MSE, median"
)

// outerFold cuts n rows, permuted by the run's permutation, into ten parts: run r tests on part r mod 10 of permutation r/10.
func (l *lab) outerFold(n, run int) (train, test []int) {
	perm := l.stream(run / outerFolds).Perm(n)
	k := run % outerFolds
	lo, hi := k*n/outerFolds, (k+1)*n/outerFolds
	test = perm[lo:hi]
	return slices.Concat(perm[:lo], perm[hi:]), test
}

// kokshenevT44 is the age of abalones.
func kokshenevT44(ctx context.Context, l *lab) {
	set := l.open(ctx, abaloneSet)
	labels := must(data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Regression}))
	n := atMost(ctx, "rows", 300, abaloneSet.n)
	l.abalone(ctx, set.Rows.Select(indices.To(n)), labels.Value[:n], brief(ctx, abaloneGrid))
}

// abalonePartition adds what the decisors choose of the front of some rows, and how that does on the others.
func (l *lab) abalonePartition(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ, train, test []int) {
	x, ty := data.Rows{Dense: rows.Select(train).Dense}, indices.Of(y, train)
	f := must(grid.Fit(ctx, x, target(ty)))[0]
	folds := l.folded(ctx, f, x, ty, data.Labels{Task: data.Regression, Value: ty}, abaloneFolds)
	for _, d := range []namedDecisor{{"MOBJ-AIC", choose.AIC{}}, {"MOBJ-BIC", choose.BIC{}}, {"MOBJ-CV", held("cv", folds)}} {
		i, _ := decide(members(f, nil), d.decisor)
		got := must(f.Predict(ctx, rows.Select(test), []int{i}))
		e := &f.Elements[i]
		l.network(d.name, f, i)
		l.add(d.name, trainMSE, e.SSE/float64(len(ty)))
		mse := meanSquare(mat.Col(nil, 0, got), indices.Of(y, test))
		l.add(d.name, testMSE, mse)
		l.say("%s: %d units, Q %.4g, sigma %.3g, test MSE %.3f", d.name, len(e.Units), e.Q, f.Sigma(i), mse)
	}
	l.add("front", "candidate centres", float64(f.Centres.Len()))
}

// abalone runs the partitions and adds medians. An interrupt keeps those that are done.
func (l *lab) abalone(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ) {
	all := l.aside()
	done := 0
	for ; done < l.runs; done++ {
		l.say("partition %d of %d", done+1, l.runs)
		train, test := l.outerFold(rows.Len(), done)
		one := l.aside()
		err := caught(func() { one.abalonePartition(ctx, rows, y, grid, train, test) })
		if ctx.Err() != nil && done > 0 {
			l.note("interrupted after %d partitions", done)
			break
		}
		check(cmp.Or(err, ctx.Err()))
		for _, c := range one.cells {
			all.add(c.Case, c.Metric, c.values[0])
		}
	}
	for _, c := range all.cells {
		l.add(c.Case, c.Metric, quantile(c.values, 0.5))
		if c.Metric == testMSE {
			mean, std := meanStd(c.values)
			l.add(c.Case, "test MSE, mean", mean)
			l.add(c.Case, "test MSE, standard deviation", std)
		}
	}
	l.note("rows are medians of the partitions (10 permutations in 10 parts; %d run), so that each counts as one run. The printed "+
		"columns called RMSE are mean squared errors; the SVM of Meyer et al. 2003, quoted there, has 4.48", done)
}

func meanSquare(got, want []float64) float64 {
	var s float64
	for i, v := range got {
		s += (v - want[i]) * (v - want[i])
	}
	return s / float64(len(got))
}
