package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

var (
	wineSet    = dataset{"wine", "wine.csv", 178, 13}
	sonarSet   = dataset{"sonar", "sonar.csv", 208, 60}
	liverSet   = dataset{"liver", "liver_bupa.csv", 345, 6}
	vehicleSet = dataset{"vehicle", "vehicle.csv", 846, 18}
	creditSet  = dataset{"credit", "australian.csv", 690, 14}
	pimaSet    = dataset{"pima", "pima_diabetes.csv", 768, 8}
	wdbcSet    = dataset{"cancer", "wdbc.csv", 569, 30}
)

// machineSet is a set of table 5.1 as two classes, with its ranges of table 5.2 in log2.
type machineSet struct {
	name        string
	set         dataset
	positive    int   // class against
	negative    int   // this one; -1: the rest
	categories  []int // columns that become one of -1, 1 a value
	c, gamma    [2]float64
	polyC       [2]float64
	printedRBF  methodTable
	printedPoly methodTable
}

// methodTable is, for GS, Q_norm and Q_ref: mean, median, standard deviation and inter-quartile range.
type methodTable [3][4]float64

// printedMachines are tables 5.3, of Gaussian machines, and 5.4, of polynomial ones, in the order of the source.
func printedMachines(id string) (names []string, tables []methodTable) {
	p := tableFor(id)
	for _, v := range p.values {
		tables = append(tables, methodTable{[4]float64(v[:4]), [4]float64(v[4:8]), [4]float64(v[8:])})
	}
	return p.cases, tables
}

// The search methods and what is said of their 100 test errors.
var (
	searchMethods = [...]string{"GS", "Q_norm", "Q_ref"}
	errorFigures  = [...]string{"test error %, mean", "test error %, median", "std of the permutations' errors",
		"iqr of the permutations' errors"}
)

// machineSets are the sets of table 5.1 that are at hand, the small ones first.
func machineSets() []machineSet {
	wide, mid := [2]float64{-5, 25}, [2]float64{-8, 16}
	sets := []machineSet{
		{name: "iris3", set: irisSet, positive: 2, negative: -1, c: wide, gamma: [2]float64{-20, 5}, polyC: [2]float64{-6, 14}},
		{name: "wine2", set: wineSet, positive: 1, negative: -1, c: wide, gamma: [2]float64{-28, 2}, polyC: [2]float64{-6, 14}},
		{name: "sonar", set: sonarSet, positive: 1, negative: -1, c: wide, gamma: [2]float64{-28, 2}, polyC: [2]float64{-12, 10}},
		{name: "heart", set: heartSet, positive: 1, negative: -1, c: wide, gamma: [2]float64{-28, 2}, polyC: [2]float64{-10, 10}},
		{name: "liver", set: liverSet, positive: 1, negative: -1, c: mid, gamma: [2]float64{-12, 8}, polyC: [2]float64{-6, 14}},
		// Of the file's classes bus, opel, saab, van.
		{name: "vehicle12", set: vehicleSet, positive: 1, negative: 2, c: mid, gamma: [2]float64{-20, 5}, polyC: [2]float64{-10, 10}},
		{name: "vehicle34", set: vehicleSet, positive: 3, negative: 0, c: mid, gamma: [2]float64{-20, 5}, polyC: [2]float64{-10, 10}},
		{name: "cancer", set: wdbcSet, positive: 1, negative: -1, c: mid, gamma: [2]float64{-20, 5}, polyC: [2]float64{-12, 10}},
		{name: "credit", set: creditSet, positive: 1, negative: -1, categories: []int{3, 4, 5}, c: mid, gamma: [2]float64{-20, 5},
			polyC: [2]float64{-12, 10}},
		{name: "pima", set: pimaSet, positive: 1, negative: -1, c: mid, gamma: [2]float64{-20, 5}, polyC: [2]float64{-10, 10}},
	}
	names, gaussian := printedMachines("kokshenev-t5.3")
	_, polynomial := printedMachines("kokshenev-t5.4")
	for i := range sets {
		k := slices.Index(names, sets[i].name)
		sets[i].printedRBF, sets[i].printedPoly = gaussian[k], polynomial[k]
	}
	return sets
}

// load returns the features, to [-1, 1], and which rows are positive.
func (s machineSet) load(ctx context.Context, l *lab) (data.Rows, []bool) {
	set := l.classified(ctx, s.set)
	var rows []int
	for i, k := range set.class {
		if s.negative < 0 || k == s.positive || k == s.negative {
			rows = append(rows, i)
		}
	}
	set.x, set.class = data.Rows{Dense: set.x.Select(rows).Dense}, indices.Of(set.class, rows)
	set.x = indicators(set.x, s.categories)
	set.span(-1, 1)
	return set.x, set.against(s.positive)
}

// indicators replaces each of the columns by one of 0 and 1 a value.
func indicators(x data.Rows, columns []int) data.Rows {
	if len(columns) == 0 {
		return x
	}
	n, d := x.Dense.Dims()
	var out [][]float64
	for j := range d {
		column := mat.Col(nil, j, x.Dense)
		if !slices.Contains(columns, j) {
			out = append(out, column)
			continue
		}
		for v := quantile(column, 0); v <= quantile(column, 1); v++ { // whole numbers
			is, found := make([]float64, n), false
			for i, w := range column {
				if w == v {
					is[i], found = 1, true
				}
			}
			if found {
				out = append(out, is)
			}
		}
	}
	m := mat.NewDense(n, len(out), nil)
	for j, c := range out {
		m.SetCol(j, c)
	}
	return data.Rows{Dense: m}
}

// machineSteps limits the steps of one training, which for C up to 2^25 may take millions;
// the source does not say how it went about that. Tables count what the limit ended.
const machineSteps = 20_000

func kokshenevMachine() svm.Classifier {
	return svm.Classifier{Options: svm.Options{MaxIterations: machineSteps}}
}

// gridOf is a range of table 5.2 in steps of 2^(1/step), the source's with step 2.
func gridOf(log2 [2]float64, step float64) []float64 {
	return halvingSteps(log2[0], log2[1], int(step*(log2[1]-log2[0])))
}

// gaussians are the machines of Gaussian kernels.
func (s machineSet) gaussians(step float64) mobj.Machines {
	g := mobj.Machines{Learner: kokshenevMachine(), Measure: mobj.QRef, Strengths: gridOf(s.c, step)}
	for _, gamma := range gridOf(s.gamma, step) {
		g.Kernels = append(g.Kernels, kernel.Gaussian{Sigma: 1 / math.Sqrt(2*gamma)})
	}
	return g
}

// polynomials are those of (<x, z> + 1)^p with the strengths C' 2^-2p (section 5.6.2).
func (s machineSet) polynomials(step float64) mobj.Machines {
	g := mobj.Machines{Learner: kokshenevMachine(), Measure: mobj.QRef, Strengths: gridOf(s.polyC, step)}
	for p := 1; p <= 10; p++ {
		g.Kernels = append(g.Kernels, kernel.Polynomial{Degree: p, Scale: 1, Offset: 1})
		g.Factors = append(g.Factors, math.Exp2(-2*float64(p)))
	}
	return g
}

// chosenMachine is what a method made of an outer fold.
type chosenMachine struct {
	wrong     float64 // share of test rows
	trainings int
	members   int // of the front
	limited   int
}

// searchMachines runs GS (eq. 5.37) and the fronts of Q_norm and of g's measure (section 5.5.1) on the
// same rows and folds. The folds of the fronts' machines are those of the grid.
func searchMachines(ctx context.Context, g mobj.Machines, folds [][]int, test func(kernel.Kernel, *learn.Machine) float64,
) (out [3]chosenMachine) {
	all := must(g.Train(ctx, folds, mobj.QNorm, g.Measure))
	check(ctx.Err())
	best := [3]*mobj.Trained{all.Least(), nil, nil}
	out[0].trainings = all.Folded + 1
	for i, measure := range []mobj.Measure{mobj.QNorm, g.Measure} {
		f := all.Front(measure).Members
		out[i+1] = chosenMachine{members: len(f), limited: all.Limited, trainings: all.Trained + len(folds)*len(f)}
		for q := range f {
			if b := best[i+1]; b == nil || all.Error(f[q].Kernel, f[q].Step) < all.Error(b.Kernel, b.Step) { // ties to the smaller Q
				best[i+1] = &f[q]
			}
		}
	}
	for i, b := range best {
		if b == nil {
			fail("%d of %d trainings on all rows, and no cell of the grid without one, were ended by their limit of steps; scale the "+
				"features", all.Limited, all.Trained)
		}
		out[i].wrong = test(g.Kernels[b.Kernel], b.Machine)
	}
	return out
}

const innerFolds = 5

// machineFold is one training and test set of the protocol.
func (l *lab) machineFold(ctx context.Context, g mobj.Machines, x data.Rows, positive []bool, run int) [3]chosenMachine {
	train, test := l.outerFold(x.Len(), run)
	labels := labelsOf(indices.Of(signs(positive), train))
	g.Problem = learn.NewProblem(data.Rows{Dense: x.Select(train).Dense}, labels)
	folds := must(data.Folds(labels, innerFolds, l.seed))
	rest := data.Rows{Dense: x.Select(test).Dense}
	return searchMachines(ctx, g, folds.Groups(), func(k kernel.Kernel, m *learn.Machine) float64 {
		out := predicted(ctx, must(k.Bind(ctx, g.Problem.Rows, nil)), m, rest, 1)
		wrong := 0.0
		for k, i := range test {
			if out.At(k, 0) >= 0 != positive[i] {
				wrong++
			}
		}
		return wrong / float64(len(test))
	})
}

// machineTable runs the permutations on a set and returns the figures of the methods over
// those that were run whole: of an interrupted set, those until then, if any.
func (l *lab) machineTable(ctx context.Context, s machineSet, g mobj.Machines, folds int) (figures methodTable, whole int) {
	x, positive := s.load(ctx, l)
	var cases, permutations [3][]float64
	for perm := range l.runs {
		var got [][3]chosenMachine
		for k := range folds {
			l.say("%s, permutation %d of %d, fold %d of %d", s.name, perm+1, l.runs, k+1, folds)
			err := caught(func() { got = append(got, l.machineFold(ctx, g, x, positive, perm*outerFolds+k)) })
			if err != nil && (ctx.Err() == nil || perm == 0) {
				fail("%s: %w", s.name, err)
			}
			if err != nil {
				break
			}
		}
		if len(got) < folds {
			l.note("%s: interrupted after %d of %d permutations", s.name, perm, l.runs)
			break
		}
		whole++
		var sum [3]float64
		for _, one := range got {
			for m, o := range one {
				name := s.name + ", " + searchMethods[m]
				cases[m] = append(cases[m], 100*o.wrong)
				sum[m] += 100 * o.wrong / float64(folds)
				l.add(name, "trainings", float64(o.trainings))
				if m > 0 {
					l.add(name, "members of the front", float64(o.members))
					l.add(name, "kernels whose larger C were ended by the limit", float64(o.limited))
				}
			}
		}
		for m, v := range sum {
			permutations[m] = append(permutations[m], v)
		}
		l.say("%s, permutation %d of %d: error %% of GS %.2f, Q_norm %.2f, Q_ref %.2f", s.name, perm+1, l.runs, sum[0], sum[1], sum[2])
	}
	for m, v := range permutations {
		mean, _ := meanStd(cases[m])
		std, iqr := spread(v)
		figures[m] = [4]float64{mean, quantile(cases[m], 0.5), std, iqr}
	}
	return figures, whole
}

// machinesReport adds the figures of a set over so many permutations and says them, as the next set may take long.
func (l *lab) machinesReport(s machineSet, figures, printed methodTable, permutations int) {
	var said []string
	for m, method := range searchMethods {
		for k, v := range figures[m] {
			if k > 1 && permutations < 2 {
				continue // one has no spread
			}
			l.add(s.name+", "+method, errorFigures[k], v)
			l.printed(s.name+", "+method, errorFigures[k], printed[m][k])
		}
		trainings := mean(l.cell(s.name+", "+method, "trainings").values)
		said = append(said, fmt.Sprintf("%s %.2f (printed %.2f), %.0f trainings", method, figures[m][0], printed[m][0], trainings))
	}
	l.say("%s: mean test error %%: %s", s.name, strings.Join(said, "; "))
}

// searchesCompared are tables 5.3 and 5.4, which of the printed ones.
func searchesCompared(machines func(machineSet, float64) mobj.Machines, which int) protocol {
	return func(ctx context.Context, l *lab) {
		var figures []methodTable
		least := l.runs // permutations of any set
		sets := slices.DeleteFunc(machineSets(), func(s machineSet) bool { return !l.wants(s.name) })
		for _, s := range thin(ctx, "sets", 1, sets) {
			g := shortened(ctx, machines(s, 2))
			var got methodTable
			var whole int
			err := caught(func() { got, whole = l.machineTable(ctx, s, g, atMost(ctx, "outer folds", 2, outerFolds)) })
			if err != nil && ctx.Err() != nil && len(figures) > 0 {
				l.note("interrupted after %d of %d sets", len(figures), len(sets))
				break // what is done is no less true
			}
			check(err)
			l.machinesReport(s, got, [2]methodTable{s.printedRBF, s.printedPoly}[which], whole)
			figures, least = append(figures, got), min(least, whole)
		}
		if len(figures) > 1 {
			l.compared(cmp.Or(strings.Join(l.only, ", "), "all sets"), figures, least)
		}
	}
}

// compared adds Friedman's and Nemenyi's tests of the methods by each figure.
func (l *lab) compared(name string, figures []methodTable, permutations int) {
	for k, figure := range errorFigures {
		if k > 1 && permutations < 2 {
			continue
		}
		l.friedman(name+", by "+figure, figures, k)
	}
}

// friedman adds the rows of a comparison by one of the figures.
func (l *lab) friedman(name string, figures []methodTable, k int) metric.Comparison {
	var scores [][]float64
	for _, f := range figures {
		scores = append(scores, []float64{f[0][k], f[1][k], f[2][k]})
	}
	c := must(metric.Friedman(scores))
	for m, method := range searchMethods {
		l.add(name, "mean rank of "+method, c.Ranks[m])
	}
	l.add(name, "chi2", c.Chi2)
	if !math.IsInf(c.F, 0) {
		l.add(name, "F", c.F)
	}
	l.add(name, "p", c.P)
	l.add(name, "critical difference of ranks", c.Difference)
	return c
}

// printedTests recomputes the tests of the errors that are printed in the table of an experiment.
func printedTests(id string) protocol {
	return func(_ context.Context, l *lab) {
		_, figures := printedMachines(id)
		for k, figure := range errorFigures {
			name := "printed errors, by " + figure
			c := l.friedman(name, figures, k)
			for _, pair := range [...][2]int{{2, 1}, {2, 0}, {0, 1}} {
				l.add(name, searchMethods[pair[0]]+" and "+searchMethods[pair[1]]+" differ", indicator(c.Differ(pair[0], pair[1])))
			}
		}
	}
}
