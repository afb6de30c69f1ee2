//go:build unix

// Sparse measures machines of few centres with slack (package sparsemanifold) on the built-in set "manifolds", ten classes in 50
// dimensions, with a graph of all rows: seconds of wall and processor, memory, and the error on the rows whose labels were
// hidden, beside least squares on the labels alone.
//
//	go run ./tools/lab/sparse -n 100000 -m 500 -labelled 20 -markdown docs/results/sparse.md
//
// Nothing is tuned: sigma is the median distance times -width, C 100, gamma_I/gamma_A 1e3, nu/gamma_A 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/sparsemanifold"
	"github.com/mercer-ml/mercer/internal/results"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

type options struct {
	n, m, labelled, neighbours int
	width                      float64
	seed                       uint64
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100_000, "rows")
	flag.IntVar(&o.m, "m", 500, "centres")
	flag.IntVar(&o.labelled, "labelled", 20, "labels of each class")
	flag.IntVar(&o.neighbours, "neighbours", 10, "of each row in the graph")
	flag.Float64Var(&o.width, "width", 0.5, "sigma, in median distances")
	flag.Uint64Var(&o.seed, "seed", 1, "of rows and centres")
	markdown := flag.String("markdown", "", "write the table to this file")
	flag.Parse()
	err := results.Program(*markdown, "Few centres with a graph of all rows", "tools/lab/sparse", os.Args[1:], func(w io.Writer) error {
		return run(context.Background(), w, o)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// stopwatch writes a line of the table for each step.
type stopwatch struct{ w io.Writer }

func (s stopwatch) step(what string, f func() error) error {
	cpu, _ := process.Own()
	start := time.Now()
	err := f()
	after, peak := process.Own()
	fmt.Fprintf(s.w, "| %s | %.1f | %.1f | %.2f |\n", what, time.Since(start).Seconds(), after-cpu, peak)
	return err
}

// problem are the rows with few labels, and the classes of all.
func problem(o options) (p *learn.Problem, truth data.Labels, err error) {
	set, err := data.Builtin(fmt.Sprintf("manifolds:n=%d,noise=0.1,seed=%d", o.n, o.seed))
	if err != nil {
		return nil, truth, err
	}
	if truth, err = data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification}); err != nil {
		return nil, truth, err
	}
	keep, err := data.DrawPerClass(truth, o.labelled, o.seed)
	if err != nil {
		return nil, truth, err
	}
	visible, _ := data.Hide(set.Answers, keep)
	labels, err := data.Interpret(visible, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return nil, truth, err
	}
	return learn.NewProblem(set.Rows, labels), truth, nil
}

func run(ctx context.Context, w io.Writer, o options) error {
	const c, ratio, nu = 100, 1e3, 1
	fmt.Fprintf(w, "%d rows, %d labels a class, %d centres, %d neighbours.\n\n", o.n, o.labelled, o.m, o.neighbours)
	fmt.Fprintf(w, "| step | seconds | processor s | peak GB |\n|---|---:|---:|---:|\n")
	s := stopwatch{w}
	var p *learn.Problem
	var truth data.Labels
	if err := s.step("rows", func() (err error) { p, truth, err = problem(o); return err }); err != nil {
		return err
	}
	sigma := kernel.Gaussian{}.Adapt(p.Rows).(kernel.Gaussian).Sigma * o.width
	base, err := kernel.Gaussian{Sigma: sigma}.Bind(ctx, p.Rows, nil)
	if err != nil {
		return err
	}
	alone, err := rls.Learner{}.Bind(ctx, base, p)
	if err != nil {
		return err
	}
	out := mat.NewDense(o.n, p.Outputs(), nil)
	var m *learn.Machine
	err = s.step("least squares on the labels alone, and its outputs", func() error {
		if m, err = alone.Train(ctx, nil, []float64{score.Strength(c)}, nil); err != nil {
			return err
		}
		return m.Evaluate(ctx, out, base, nil)
	})
	if err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("error of hidden rows: %.2f %% on the labels alone", wrong(p, truth, out))}
	learner := sparsemanifold.Learner{Ratio: ratio, Nu: nu, Repair: sparsemanifold.BySlack}
	err = s.step("graph of all rows", func() error {
		g, err := graph.Recipe{Neighbours: o.neighbours, Weights: graph.SelfTuned, Width: 1}.Build(ctx, p.Rows, nil)
		if err == nil {
			learner.Norm = &graph.Power{L: g.Laplacian(), P: 1}
		}
		return err
	})
	if err != nil {
		return err
	}
	err = s.step("centres", func() (err error) {
		learner.Centres, err = kernel.Landmarks{Count: o.m, Choice: kernel.PlusPlus, Seed: o.seed}.Choose(ctx, base, nil)
		return err
	})
	if err != nil {
		return err
	}
	for _, repair := range []sparsemanifold.Repair{sparsemanifold.None, sparsemanifold.BySlack} {
		name := map[sparsemanifold.Repair]string{sparsemanifold.None: "without slack", sparsemanifold.BySlack: "with slack"}[repair]
		one := learner
		one.Repair = repair
		var trainer learn.Trainer
		if err := s.step("shared by machines "+name, func() (err error) { trainer, err = one.Bind(ctx, base, p); return err }); err != nil {
			return err
		}
		if err := s.step("one machine "+name, func() (err error) {
			m, err = trainer.Train(ctx, nil, []float64{c},
				nil)
			return err
		}); err != nil {
			return err
		}
		if err := s.step("outputs on all rows", func() error { return m.Evaluate(ctx, out, base, nil) }); err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%.2f %% %s (residual %.1e)", wrong(p, truth, out), name, m.Certificate.Residual))
	}
	fmt.Fprintln(w)
	for i, l := range lines {
		if i < len(lines)-1 {
			l += ", "
		}
		fmt.Fprint(w, l)
	}
	fmt.Fprintln(w, ".")
	return nil
}

// wrong is the error in percent on rows without a label.
func wrong(p *learn.Problem, truth data.Labels, out *mat.Dense) float64 {
	known := map[int]bool{}
	for _, i := range p.Labelled {
		known[i] = true
	}
	bad, all := 0, 0
	for i, k := range p.Coding.Decide(out) {
		if known[i] {
			continue
		}
		all++
		if k != truth.Class[i] {
			bad++
		}
	}
	return 100 * float64(bad) / float64(all)
}
