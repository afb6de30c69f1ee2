package reproduce

// Protocol of Sindhwani 2007, section 3.6 (tables 3.6 and 3.7): sets parted at random into labelled, unlabelled,
// validation and test rows, in which the classes have the same parts; the machines are told these parts. lambda' is 1;
// lambda and the width are those of least validation error, or, as "(best)", those of the least mean error itself.
//
// Cost. All splits and machines share the kernel values of a width.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// parted is a set of table 3.5.
type parted struct {
	name, file                             string
	labelled, unlabelled, validation, test int
	keep                                   map[string]string // classes of labels; nil: every label is one
}

var partedSets = []parted{
	{"USPS2", "ssl_usps1500.csv.gz", 93, 1000, 32, 375, nil},
	{"COIL6", "ssl_coil6.csv.gz", 90, 1008, 30, 372, nil},
	{"PC-MAC", collections[3].file, 37, 1410, 13, 486, nil},
	{"ESET2", "letter.csv.gz", 33, 1305, 12, 1350, spokenLetters()},
}

// spokenLetters are those that sound alike: B, C, D, E against G, P, T, V, Z, whose labels in the file are places in
// the alphabet.
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
	return transducer("DA (l2)", s3vm.Annealing{Loss: learn.SquaredHinge{}},
		[4][4]float64{{6.5, 6.6, 6.4, 6.3}, {15.6, 16.4, 13.6, 15.0}, {11.8, 9.4, 5.3, 4.8}, {10.8, 10.7, 8.1, 8.5}})
}

func contenders36() []contender {
	return []contender{
		{"SVM", func([]float64) learn.Learner { return smooth.Learner{Loss: learn.SquaredHinge{}, Offset: smooth.None} },
			[4][4]float64{{8.0, 8.2, 7.5, 7.8}, {22.9, 23.5, 21.5, 21.9}, {21.1, 20.0, 18.9, 17.9}, {20.9, 21.8, 19.4, 19.7}}},
		transducer("JTSVM", s3vm.Switching{Loss: learn.SquaredHinge{}},
			[4][4]float64{{8.8, 8.0, 7.6, 7.2}, {21.4, 22.8, 19.9, 21.2}, {14.1, 11.9, 10.4, 7.0}, {10.4, 10.5, 9.2, 8.9}}),
		transducer("grad-TSVM", s3vm.Gradient{},
			[4][4]float64{{7.5, 7.7, 6.9, 7.1}, {25.0, 24.9, 21.4, 21.6}, {7.6, 6.9, 5.4, 4.5}, {12.2, 12.7, 8.7, 9.1}}),
		annealed36(),
		transducer("DA (sqr)", s3vm.Annealing{Loss: learn.Square{}},
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
	class := func(rows []int) []int {
		list := make([]int, len(rows))
		for q, i := range rows {
			list[q] = c.class[i]
		}
		return list
	}
	train := slices.Concat(lists[0], lists[1])
	labels := data.Labels{Task: data.Classification, Classes: classes, Class: class(train)}
	truth := slices.Clone(labels.Class)
	for q := len(lists[0]); q < len(train); q++ {
		labels.Class[q] = data.Unlabelled
	}
	return &partedSplit{&toy{learn.NewProblem(numbered(train), labels), truth, new(kernel.Work)}, numbered(lists[2]),
		numbered(lists[3]), class(lists[2]), class(lists[3])}
}

// pool are the rows that splits of a set are drawn from.
func (s parted) pool(ctx context.Context, l *lab) (*classified, []string, error) {
	set, err := l.open(ctx, dataset{name: s.name, file: s.file})
	if err != nil {
		return nil, nil, err
	}
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
		return nil, nil, fmt.Errorf("%s: %d rows of the classes, %d are needed", s.file, len(rows), total)
	}
	rows = thinned(ctx, "rows", 8, rows)
	labels, err := data.Interpret(answers.Select(rows), set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.file, err)
	}
	x := set.Rows.Select(rows)
	x.ID = nil // numbers are those of the pool
	return &classified{x: x, class: labels.Class}, labels.Classes, nil
}

// outcomes are those of all splits, machines and points of the grid, in this order.
func (s parted) outcomes(ctx context.Context, l *lab, list []contender) ([][][]outcome, error) {
	c, classes, err := s.pool(ctx, l)
	if err != nil {
		return nil, err
	}
	n := c.x.Len()
	gram := mat.NewDense(n, n, nil)
	splits, all := make([]*partedSplit, l.runs), make([][][]outcome, l.runs)
	for run := range splits {
		splits[run], all[run] = s.part(ctx, c, classes, l, run), make([][]outcome, len(list))
	}
	sigma0 := kernel.Gaussian{}.Adapt(c.x).(kernel.Gaussian).Sigma
	for _, width := range thin(ctx, "widths", 1, meansWidths) {
		l.say("%s: sigma %g of %.3g", s.name, width, sigma0)
		g, err := kernel.Gaussian{Sigma: width * sigma0}.Bind(ctx, c.x, nil)
		if err != nil {
			return nil, err
		}
		if err := kernel.Fill(ctx, gram, g, nil, nil); err != nil {
			return nil, err
		}
		err = parallel.Each(0, l.runs, func(run int) error { return splits[run].run(ctx, gram, list, all[run]) })
		if err != nil {
			return nil, fmt.Errorf("%s, sigma %g: %w", s.name, width, err)
		}
	}
	return all, nil
}

// run trains the machines for all lambdas on a kernel.
func (p *partedSplit) run(ctx context.Context, gram *mat.Dense, list []contender, found [][]outcome) error {
	t := p.t
	g, err := kernel.Precomputed{K: gram}.Bind(ctx, t.problem.Rows, nil)
	if err != nil {
		return err
	}
	for q, c := range list {
		trainer, err := c.learner(t.shares()).Bind(ctx, g, t.problem)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, lambda := range thin(ctx, "lambda", 2, meansLambdas) {
			m, err := trainer.Train(ctx, nil, []float64{strengthOfMeans(lambda, len(t.problem.Labelled), true)}, nil)
			if err != nil {
				return fmt.Errorf("%s, lambda %g: %w", c.name, lambda, err)
			}
			o, err := p.outcome(ctx, g, m, lambda)
			if err != nil {
				return err
			}
			found[q] = append(found[q], o)
		}
	}
	return nil
}

// outcome judges a machine.
func (p *partedSplit) outcome(ctx context.Context, g kernel.Gram, m *learn.Machine, lambda float64) (outcome, error) {
	out, err := p.t.outputs(ctx, g, m)
	if err != nil {
		return outcome{}, err
	}
	unseen := func(rows data.Rows, class []int) (float64, error) {
		out := mat.NewDense(rows.Len(), p.t.problem.Outputs(), nil)
		if err := m.Predict(ctx, out, g, rows); err != nil {
			return 0, err
		}
		wrong := 0
		for i, k := range p.t.problem.Coding.Decide(out) {
			if k != class[i] {
				wrong++
			}
		}
		return 100 * float64(wrong) / float64(len(class)), nil
	}
	o := outcome{unlabelled: p.t.wrong(out), objective: p.t.meansObjective(m, out, lambda)}
	if o.validation, err = unseen(p.validation, p.validationClass); err != nil {
		return o, err
	}
	o.test, err = unseen(p.test, p.testClass)
	return o, err
}

// meansObjective is that of eq. 3.7 at T = 0 with the squared hinge and labels in balance, of a function without
// an offset and its outputs; the mean of all outputs.
func (t *toy) meansObjective(m *learn.Machine, out *mat.Dense, lambda float64) float64 {
	decided, sum := t.balanced(out), 0.0
	_, outputs := out.Dims()
	l := len(t.problem.Labelled)
	v, u := learn.SquaredHinge{}, float64(len(t.class)-l)
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
func (l *lab) eachParted(ctx context.Context, list []contender, further func(s parted, all [][][]outcome)) error {
	for _, c := range list {
		declare(ctx, "printed of "+c.name, c.printed)
	}
	for _, s := range thin(ctx, "sets", 1, partedSets) {
		if !l.wants(s.name) {
			continue
		}
		all, err := s.outcomes(ctx, l, list)
		if err != nil {
			return err
		}
		s.report(l, list, all)
		if further != nil {
			further(s, all)
		}
	}
	return nil
}

// sindhwaniT36 compares algorithms on real sets.
func sindhwaniT36(ctx context.Context, l *lab) error {
	return l.eachParted(ctx, contenders36(), nil)
}
