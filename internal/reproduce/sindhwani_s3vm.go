package reproduce

// Protocol of Sindhwani 2007, chapter 3: machines that decide the unlabelled rows while they learn. The source has
// two scales, sums (eq. 3.1, tables 3.1 and 3.2) and means (eq. 3.7, the other tables), l labelled and u unlabelled rows:
//
//	gamma/2 |f|^2 + 1/2 sum_L V + gamma'/2 sum_U V               C = 1/(2 gamma),  weight of the unlabelled rows gamma' u/l
//	lambda/2 |f|^2 + 1/l sum_L V + lambda'/u sum_U V             C = 1/(lambda l), weight lambda'
//
// The second halves losses that are squares, for which C = 1/(2 lambda l). C and the weight are those of package s3vm,
// whose objective is the one above over gamma, or lambda. Functions have no offset, as in eqs 3.4 and 3.9.

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// strengthOfSums is C of the scale of sums.
func strengthOfSums(gamma float64) float64 { return 1 / (2 * gamma) }

// strengthOfMeans is C of the scale of means, with a loss that the source halves or not.
func strengthOfMeans(lambda float64, labels int, halved bool) float64 {
	c := 1 / (lambda * float64(labels))
	if halved {
		c /= 2
	}
	return c
}

// rival is an algorithm that the chapter compares.
type rival struct {
	name   string
	solver s3vm.Solver
	halved bool // the source halves its loss in the scale of means
}

// labelToy is a set whose labels are known of some rows.
func labelToy(set *data.Set, labelled []int) *toy {
	all := classesOf(set)
	return &toy{learn.NewProblem(set.Rows, known(all.Classes, all.Class, labelled)), all.Class, new(kernel.Work)}
}

// outputs are those of a machine on all rows.
func (t *toy) outputs(ctx context.Context, g kernel.Gram, m *learn.Machine) *mat.Dense {
	return evaluated(ctx, g, m, t.problem.Outputs())
}

// hidden are the rows without a label.
func (t *toy) hidden() []int { return learn.Others(len(t.class), t.problem.Labelled) }

// share is that of a class among the rows without a label.
func (t *toy) share(class int) float64 {
	n, rows := 0, t.hidden()
	for _, i := range rows {
		if t.class[i] == class {
			n++
		}
	}
	return float64(n) / float64(len(rows))
}

// shares are those of all classes, which the source's machines are told.
func (t *toy) shares() []float64 {
	list := make([]float64, len(t.problem.Classes))
	for k := range list {
		list[k] = t.share(k)
	}
	return list
}

// positiveOf is the class that an output is for.
func (t *toy) positiveOf(output int) int {
	if t.problem.Outputs() == 1 {
		return 1
	}
	return output
}

// balanced moves each output by a constant, so that as many rows without a label are above zero as are of its class.
func (t *toy) balanced(out *mat.Dense) *mat.Dense {
	moved := mat.DenseCopyOf(out)
	_, outputs := out.Dims()
	rows := t.hidden()
	for j := range outputs {
		count := 0
		var values []float64
		for _, i := range rows {
			values = append(values, out.At(i, j))
			if t.class[i] == t.positiveOf(j) {
				count++
			}
		}
		slices.Sort(values)
		cut := len(values) - count // this one and those above it are positive
		level := values[min(cut, len(values)-1)]
		if cut > 0 {
			level = (level + values[cut-1]) / 2
		}
		for i := range t.class {
			moved.Set(i, j, out.At(i, j)-level)
		}
	}
	return moved
}

// wrong is the share of rows without a label that are decided wrong, in percent.
func (t *toy) wrong(out *mat.Dense) float64 {
	rows := t.hidden()
	return wrongOf(pickOf(t.problem.Coding.Decide(out), rows), pickOf(t.class, rows))
}

// sumsObjective is that of eq. 3.1 over gamma with the squared hinge for the labels that outputs in balance give: the
// least of all functions, the mean of all outputs. Machines of any loss are so compared by what they decide.
func (t *toy) sumsObjective(ctx context.Context, k kernel.Kernel, out *mat.Dense, gamma, unlabelled float64) float64 {
	sum := 0.0
	_, outputs := out.Dims()
	for j := range outputs {
		labels := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, len(t.class))}
		weight := make([]float64, len(t.class))
		for i := range labels.Class {
			weight[i] = unlabelled
			if out.At(i, j) > 0 {
				labels.Class[i] = 1
			}
		}
		for q, i := range t.problem.Labelled {
			weight[i], labels.Class[i] = 1, 0
			if t.problem.Class[q] == t.positiveOf(j) {
				labels.Class[i] = 1
			}
		}
		decided := toy{learn.NewProblem(t.problem.Rows, labels), labels.Class, t.work}
		decided.problem.Weight = weight
		_, m := decided.train(ctx, k, smooth.Learner{Loss: learn.SquaredHinge{}, Offset: smooth.None}, strengthOfSums(gamma))
		sum += m.Certificate.Objective / float64(outputs)
	}
	return sum
}

// meansLambdas are those of section 3.6, where lambda' is 1.
var meansLambdas = []float64{1e-4, 1e-3, 1e-2, 1e-1}
