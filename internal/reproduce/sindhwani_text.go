package reproduce

// Protocol of Sindhwani 2007, chapter 6: linear machines of sparse rows, l of them labelled and u not, in the scale of
// eq. 6.6,
//
//	F(w) = lambda/2 w'w + 1/(2l) sum_L max(0, 1 - y_i o_i)^2 + lambda'/(2u) sum_U max(0, 1 - |o_j|)^2,   o = x'w.
//
// Package s3vm has C = 1/(2 lambda l) there and the weight lambda', and its objective is F over lambda. The offset is
// the weight of a constant feature. Machines are told the share of the positive rows among the unlabelled ones, draws of
// labels have the shares of all rows, and the temperatures of annealing begin at 10 lambda'.
//
// The source's sets, articles of Reuters and Usenet and connections of KDD 99, are not available; what stands in for
// them has their shares of positive rows where it is generated.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/learn"
)

// textLambda is lambda of the chapter.
const textLambda = 0.001

const (
	textObjective = "objective F"
	textSeconds   = "time, s"
)

// textSet stands in for a set of table 6.1. Generated sets have the source's share of positive rows.
type textSet struct {
	source   string // the set that it stands in for
	name     string // what it is
	file     string // empty: generated
	words    int    // of the language of a generated set
	settings string // further ones
	n        int    // rows
	positive float64
	weight   float64 // lambda'
	fewest   int     // labels of a figure; 0: the set is not in one
	seed     uint64  // beside that of the run
}

// rows are those of the set, with the class 1 for the positive ones.
func (s textSet) rows(ctx context.Context, l *lab) (*classified, error) {
	if s.file != "" {
		set, labels, err := l.collect(ctx, collections[macwin])
		if err != nil {
			return nil, err
		}
		rows := thinned(ctx, s.source+": rows", 8, learn.Others(s.n, nil))
		c := &classified{x: set.Rows.Select(rows)}
		c.x.ID = nil
		for _, i := range rows {
			c.class = append(c.class, labels.Class[i])
		}
		return c, nil
	}
	n, words := atMost(ctx, s.source+": rows", 400, s.n), atMost(ctx, s.source+": words", 600, s.words)
	return s.generated(ctx, n, words, s.seed+l.seed)
}

// macwin is the place of that set among the collections.
const macwin = 3

// generated has n rows. The generator makes as many of either class, of which the first are taken.
func (s textSet) generated(ctx context.Context, n, words int, seed uint64) (*classified, error) {
	positive := int(math.Round(s.positive * float64(n)))
	wanted := [2]int{n - positive, positive}
	all := 2 * max(wanted[0], wanted[1])
	set, err := data.BuiltinWithin(ctx, fmt.Sprintf("%s:n=%d,words=%d,seed=%d%s", s.name, all, words, seed, s.settings))
	if err != nil {
		return nil, err
	}
	c, rows := new(classified), make([]int, 0, n)
	for i, a := range set.Answers {
		k := 0
		if a == "1" {
			k = 1
		}
		if wanted[k] > 0 {
			wanted[k]--
			rows, c.class = append(rows, i), append(c.class, k)
		}
	}
	c.x = set.Rows.Select(rows)
	c.x.ID = nil
	return c, nil
}

// textMachine is one of the chapter.
type textMachine struct {
	name   string
	solver s3vm.Solver
	alone  bool // it learns from the labels alone
}

var (
	textSVM       = textMachine{"SVM", linear.Switching{}, true}
	textSingle    = textMachine{"TSVM, S = 1", linear.Switching{Switches: 1}, false}
	textSwitching = textMachine{"TSVM", linear.Switching{}, false}
	textAnnealing = textMachine{"DA", linear.Annealing{}, false}
)

// textTask is a draw of labels.
type textTask struct {
	x         data.Rows // the labelled rows, then the unlabelled
	class     []int     // of these
	labels    int
	lambda    float64
	weight    float64 // lambda'
	test      data.Rows
	testClass []int // empty: no row is unseen
}

// task learns from some rows of a set, of which the first are labelled.
func (s textSet) task(c *classified, train, test []int, labels int) *textTask {
	t := &textTask{x: c.x.Select(train), labels: labels, lambda: textLambda, weight: s.weight}
	for _, i := range train {
		t.class = append(t.class, c.class[i])
	}
	if len(test) > 0 {
		t.test = c.x.Select(test)
	}
	for _, i := range test {
		t.testClass = append(t.testClass, c.class[i])
	}
	return t
}

// problem is that of package s3vm.
func (t *textTask) problem(m textMachine) *s3vm.Problem {
	n, up := len(t.class), 0
	p := &s3vm.Problem{X: t.x, Rows: learn.Others(n, nil), Offset: true, C: strengthOfMeans(t.lambda, t.labels, true), Unlabelled: t.weight}
	if m.alone {
		p.Unlabelled = 0
	}
	for i, k := range t.class {
		if i < t.labels {
			p.Y = append(p.Y, float64(2*k-1))
		} else {
			up += k
		}
	}
	p.Positive = float64(up) / float64(n-t.labels)
	return p
}

// textResult is what a machine did with a draw: F, errors in percent, the time of its training.
type textResult struct {
	objective        float64 // of the labels alone, of a machine that learns from them alone
	unlabelled, test float64
	seconds          float64
}

// train trains a machine.
func (t *textTask) train(ctx context.Context, m textMachine) (textResult, error) {
	p := t.problem(m)
	start := time.Now()
	s, err := m.solver.Solve(ctx, p, nil)
	r := textResult{seconds: time.Since(start).Seconds(), objective: t.lambda * s.Certificate.Objective}
	if err == nil {
		err = ctx.Err() // a solver that is stopped gives what it has
	}
	if err != nil {
		return r, fmt.Errorf("%s, %d labels: %w", m.name, t.labels, err)
	}
	r.unlabelled = percentWrong(target(s.Fitted[t.labels:]), t.class[t.labels:])
	if len(t.testClass) > 0 {
		x := passes.New(t.x, nil).WithConstant()
		_, d := x.Dims()
		w, out := make([]float64, d), make([]float64, len(t.testClass))
		x.MulT(w, s.Alpha, nil)
		passes.New(t.test, nil).WithConstant().Mul(out, w, nil)
		r.test = percentWrong(target(out), t.testClass)
	}
	return r, nil
}

// textNotes are the differences of protocol that the tables and figures of the chapter share.
func (l *lab) textNotes() {
	l.note("lambda 0.001; the offset is the weight of a constant feature and penalised; annealing begins at the temperature 10 lambda'; " +
		"the share of positive rows is told, as in the source")
	l.note("F is eq. 6.6 with, for each unlabelled row, the label that costs less: lambda times the objective of package s3vm at " +
		"C = 1/(2 lambda l) and weight lambda'")
}
