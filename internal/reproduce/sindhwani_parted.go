package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// Protocol of Sindhwani 2007, section 3.6 (tables 3.6 and 3.7): sets parted at random into labelled, unlabelled,
// validation and test rows, in which the classes have the same parts; the machines are told these parts. lambda' is 1;
// lambda and the width are those of least validation error, or, as "(best)", those of the least mean error itself.
//
// Cost. All splits and machines share the kernel values of a width.

// parted is a set of table 3.5.
type parted struct {
	name, file                             string
	labelled, unlabelled, validation, test int
	keep                                   map[string]string // classes of labels; nil: every label is one
}

func (s parted) title() string { return s.name }

var partedSets = []parted{
	{"USPS2", "ssl_usps1500.csv.gz", 93, 1000, 32, 375, nil},
	{"COIL6", "ssl_coil6.csv.gz", 90, 1008, 30, 372, nil},
	{"PC-MAC", collections[3].file, 37, 1410, 13, 486, nil},
	{"ESET2", "letter.csv.gz", 33, 1305, 12, 1350, spokenLetters()},
}

// spokenLetters are those that sound alike: B, C, D, E against G, P, T, V, Z, whose labels in the file are places in the alphabet.
func spokenLetters() map[string]string {
	classes := map[string]string{}
	for k, letters := range []string{"BCDE", "GPTVZ"} {
		for _, c := range letters {
			classes[fmt.Sprint(c-'A')] = fmt.Sprint(k)
		}
	}
	return classes
}

// meansWidths are the widths over the usual one.
var meansWidths = []float64{1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8}

// contender is a machine of tables 3.6 and 3.7, with the printed errors of unlabelled and test rows in the order of the
// sets: with model selection, and best.
type contender struct {
	name    string
	learner func(shares []float64) learn.Learner
	printed [4][4]float64
}

// transducer is a contender of package s3vm.
func transducer(name string, solver s3vm.Solver, printed [4][4]float64) contender {
	return contender{name, func(shares []float64) learn.Learner { return s3vm.Learner{Solver: solver, Shares: shares} }, printed}
}

// annealed36 is the row that both tables have.
func annealed36() contender {
	return transducer("DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge()},
		[4][4]float64{{6.5, 6.6, 6.4, 6.3}, {15.6, 16.4, 13.6, 15.0}, {11.8, 9.4, 5.3, 4.8}, {10.8, 10.7, 8.1, 8.5}})
}

func contenders36() []contender {
	return []contender{
		{"SVM", func([]float64) learn.Learner { return smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.None} },
			[4][4]float64{{8.0, 8.2, 7.5, 7.8}, {22.9, 23.5, 21.5, 21.9}, {21.1, 20.0, 18.9, 17.9}, {20.9, 21.8, 19.4, 19.7}}},
		transducer("JTSVM", s3vm.Switching{Loss: learn.SquaredHinge()},
			[4][4]float64{{8.8, 8.0, 7.6, 7.2}, {21.4, 22.8, 19.9, 21.2}, {14.1, 11.9, 10.4, 7.0}, {10.4, 10.5, 9.2, 8.9}}),
		transducer("grad-TSVM", s3vm.Gradient{},
			[4][4]float64{{7.5, 7.7, 6.9, 7.1}, {25.0, 24.9, 21.4, 21.6}, {7.6, 6.9, 5.4, 4.5}, {12.2, 12.7, 8.7, 9.1}}),
		annealed36(),
		transducer("DA (sqr)", s3vm.Annealing{Loss: learn.Square()},
			[4][4]float64{{7.3, 7.1, 5.7, 6.3}, {16.5, 16.7, 13.8, 15.2}, {11.8, 9.4, 5.4, 4.7}, {11.6, 11.3, 9.0, 9.4}}),
	}
}

// outcome is what a machine of one point of the grid does on a split.
type outcome struct {
	validation, unlabelled, test float64 // errors in percent
	objective                    float64 // of eq. 3.7
}

// partedSplit is a split of a set.
type partedSplit struct {
	t                          *toy // the labelled and unlabelled rows, numbered as in the set
	validation, test           data.Rows
	validationClass, testClass []int
}

// numbered are rows of a table of kernel values.
func numbered(rows []int) data.Rows {
	return data.Rows{Dense: mat.NewDense(len(rows), 1, nil), ID: rows}
}

// part draws a split.
func (s parted) part(ctx context.Context, c *classified, classes []string, l *lab, run int) *partedSplit {
	lists := c.shares(l.stream(run),
		atMost(ctx, "labelled", 30, s.labelled), atMost(ctx, "unlabelled", 60, s.unlabelled),
		atMost(ctx, "validation", 12, s.validation), atMost(ctx, "test", 30, s.test))
	train := slices.Concat(lists[0], lists[1])
	truth := indices.Of(c.class, train)
	labels := known(classes, truth, indices.To(len(lists[0])))
	return &partedSplit{&toy{learn.NewProblem(numbered(train), labels), truth, new(kernel.Work)}, numbered(lists[2]),
		numbered(lists[3]), indices.Of(c.class, lists[2]), indices.Of(c.class, lists[3])}
}

// pool are the rows that splits of a set are drawn from.
func (s parted) pool(ctx context.Context, l *lab) (*classified, []string) {
	set := l.open(ctx, dataset{name: s.name, file: s.file})
	var rows []int
	answers := slices.Clone(set.Answers)
	total := s.labelled + s.unlabelled + s.validation + s.test
	for i, a := range set.Answers {
		if s.keep != nil {
			answers[i] = s.keep[a]
		}
		if answers[i] != "" && len(rows) < total {
			rows = append(rows, i)
		}
	}
	if len(rows) < total {
		fail("%s: %d rows of the classes, %d are needed", s.file, len(rows), total)
	}
	rows = thinned(ctx, "rows", 8, rows)
	labels := classesOf(&data.Set{Name: s.file, Answers: answers.Select(rows), LabelName: set.LabelName})
	return &classified{x: unnumbered(set.Rows.Select(rows)), class: labels.Class}, labels.Classes
}

// outcomes are those of all splits, machines and points of the grid, in this order.
func (s parted) outcomes(ctx context.Context, l *lab, list []contender) [][][]outcome {
	c, classes := s.pool(ctx, l)
	n := c.x.Len()
	gram := mat.NewDense(n, n, nil)
	splits, all := make([]*partedSplit, l.runs), make([][][]outcome, l.runs)
	for run := range splits {
		splits[run], all[run] = s.part(ctx, c, classes, l, run), make([][]outcome, len(list))
	}
	sigma0 := medianWidth(c.x)
	for _, width := range thin(ctx, "widths", 1, meansWidths) {
		l.say("%s: sigma %g of %.3g", s.name, width, sigma0)
		g := must(kernel.Gaussian{Sigma: width * sigma0}.Bind(ctx, c.x, nil))
		check(kernel.Fill(ctx, gram, g, nil, nil))
		during(fmt.Sprintf("%s, sigma %g", s.name, width), func() {
			each(l.runs, func(run int) { splits[run].run(ctx, gram, list, all[run]) })
		})
	}
	return all
}

// run trains the machines for all lambdas on a kernel.
func (p *partedSplit) run(ctx context.Context, gram *mat.Dense, list []contender, found [][]outcome) {
	t := p.t
	g := must(kernel.Precomputed{K: gram}.Bind(ctx, t.problem.Rows, nil))
	for q, c := range list {
		during(c.name, func() {
			trainer := must(c.learner(t.shares()).Bind(ctx, g, t.problem))
			for _, lambda := range thin(ctx, "lambda", 2, meansLambdas) {
				m := must(trainer.Train(ctx, nil, []float64{strengthOfMeans(lambda, len(t.problem.Labelled), true)}, nil))
				found[q] = append(found[q], p.outcome(ctx, g, m, lambda))
			}
		})
	}
}

// outcome judges a machine.
func (p *partedSplit) outcome(ctx context.Context, g kernel.Gram, m *learn.Machine, lambda float64) outcome {
	out := p.t.outputs(ctx, g, m)
	unseen := func(rows data.Rows, class []int) float64 {
		return wrongOf(p.t.problem.Coding.Decide(predicted(ctx, g, m, rows, p.t.problem.Outputs())), class)
	}
	return outcome{unseen(p.validation, p.validationClass), p.t.wrong(out), unseen(p.test, p.testClass),
		p.t.meansObjective(m, out, lambda)}
}

// meansObjective is that of eq. 3.7 at T = 0 with the squared hinge and labels in balance, of a function without
// an offset and its outputs; the mean of all outputs.
func (t *toy) meansObjective(m *learn.Machine, out *mat.Dense, lambda float64) float64 {
	decided, sum := t.balanced(out), 0.0
	_, outputs := out.Dims()
	l := len(t.problem.Labelled)
	v, u := learn.SquaredHinge(), float64(len(t.class)-l)
	for j := range outputs {
		for q, i := range m.Rows {
			sum += lambda / 2 * m.Coef.At(q, j) * out.At(i, j)
		}
		for q, i := range t.problem.Labelled {
			sum += v.Value(t.problem.Y.At(q, j), out.At(i, j)) / 2 / float64(l)
		}
		for _, i := range t.hidden() {
			sum += v.Value(math.Copysign(1, decided.At(i, j)), out.At(i, j)) / 2 / u
		}
	}
	return sum / float64(outputs)
}

const (
	meansMetric    = "objective of eq. 3.7, mean of the grid"
	selectedMetric = "objective of eq. 3.7"
)

// report adds the rows of a set: of its errors with model selection and of the least mean ones, and of its objective.
func (s parted) report(l *lab, list []contender, all [][][]outcome) {
	at := slices.IndexFunc(partedSets, func(o parted) bool { return o.name == s.name })
	for q, c := range list {
		name := s.name + " " + c.name
		for k, metric := range []string{unlabelledError, testError} {
			l.printed(name, metric, c.printed[at][k])
			l.printed(name+" (best)", metric, c.printed[at][2+k])
		}
		errors := [2][][]float64{}
		for _, split := range all {
			o := selected(split[q])
			l.add(name, unlabelledError, o.unlabelled)
			l.add(name, testError, o.test)
			l.add(name, selectedMetric, o.objective)
			var own [2][]float64
			mean := 0.0
			for _, o := range split[q] {
				own[0], own[1] = append(own[0], o.unlabelled), append(own[1], o.test)
				mean += o.objective / float64(len(split[q]))
			}
			l.add(name, meansMetric, mean)
			errors[0], errors[1] = append(errors[0], own[0]), append(errors[1], own[1])
		}
		for k, metric := range []string{unlabelledError, testError} {
			best := leastMean(errors[k])
			for _, split := range errors[k] {
				l.add(name+" (best)", metric, split[best])
			}
		}
		l.interim(name, unlabelledError, testError, meansMetric)
		l.interim(name+" (best)", unlabelledError, testError)
	}
}

// selected is the mean of the points of least validation error.
func selected(grid []outcome) outcome {
	var mean outcome
	least, n := math.Inf(1), 0.0
	for _, o := range grid {
		if o.validation < least {
			least, n, mean = o.validation, 0, outcome{}
		}
		if o.validation == least {
			n++
			mean.unlabelled += (o.unlabelled - mean.unlabelled) / n
			mean.test += (o.test - mean.test) / n
			mean.objective += (o.objective - mean.objective) / n
		}
	}
	mean.validation = least
	return mean
}

// eachParted runs machines on the sets that are wanted; further is what else is told of a set, and may be nil.
func (l *lab) eachParted(ctx context.Context, list []contender, further func(s parted, all [][][]outcome)) {
	for _, c := range list {
		declare(ctx, "printed of "+c.name, c.printed)
	}
	for _, s := range wanted(l, thin(ctx, "sets", 1, partedSets)) {
		all := s.outcomes(ctx, l, list)
		s.report(l, list, all)
		if further != nil {
			further(s, all)
		}
	}
}

// sindhwaniT36 compares algorithms on real sets.
func sindhwaniT36(ctx context.Context, l *lab) {
	l.eachParted(ctx, contenders36(), nil)
}

// contenders37 are annealing and its fixed temperatures.
func contenders37() []contender {
	list := []contender{annealed36()}
	for _, f := range []struct {
		temperature float64
		printed     [4][4]float64
	}{
		{0.1, [4][4]float64{{8.5, 8.4, 6.6, 6.8}, {23.9, 23.3, 20.0, 21.0}, {12.6, 9.9, 5.7, 4.7}, {8.1, 8.2, 7.8, 8.0}}},
		{0.01, [4][4]float64{{8.9, 8.2, 7.6, 7.0}, {22.2, 23.3, 20.1, 21.3}, {17.1, 12.7, 7.1, 5.7}, {12.9, 12.0, 8.1, 8.5}}},
		{0.001, [4][4]float64{{9.0, 8.1, 7.9, 7.2}, {23.6, 24.4, 20.3, 21.5}, {18.6, 13.0, 9.1, 7.3}, {13.5, 12.5, 8.8, 8.8}}},
	} {
		list = append(list, transducer(fmt.Sprintf("T=%g", f.temperature),
			s3vm.Annealing{Loss: learn.SquaredHinge(), Temperature: f.temperature}, f.printed))
	}
	return list
}

const annealingLower = "annealing has the lower objective, %"

// sindhwaniT37 compares annealing with fixed temperatures.
func sindhwaniT37(ctx context.Context, l *lab) {
	list := contenders37()
	l.eachParted(ctx, list, func(s parted, all [][][]outcome) {
		for q, c := range list[1:] {
			name := s.name + " " + c.name
			for _, split := range all {
				lower := 0.0 // or equal, but for rounding
				for j, o := range split[1+q] {
					if split[0][j].objective <= o.objective*(1+1e-6) {
						lower += 100 / float64(len(split[0]))
					}
				}
				l.add(name, annealingLower, lower)
			}
			l.interim(name, annealingLower)
		}
	})
}
