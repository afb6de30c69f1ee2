//go:build unix

// Reduced measures Laplacian RLS on kernels of low rank (score.Reduced) on the built-in set
// "manifolds", ten classes in 50 dimensions: seconds of wall and processor, memory, and the
// error on the rows whose labels were hidden, beside the exact solver where asked for.
//
//	go run ./tools/lab/reduced -n 20000 -labelled 20 -landmarks 1000 -evaluations 30
//	go run ./tools/lab/reduced -n 5000 -exact -evaluations 20
//
// The parameters are tuned by L-BFGS-B on the left-out log loss, from the middle of the ranges.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

type options struct {
	n, labelled, landmarks, evaluations, degree int
	seed                                        uint64
	choice                                      kernel.LandmarkChoice
	noise                                       float64
	exact, ard, combined                        bool
	at                                          []float64
}

func main() {
	var o options
	choice := flag.String("choice", "means", "landmarks: means, plus-plus, pivoted, uniform")
	flag.IntVar(&o.n, "n", 20000, "rows")
	flag.IntVar(&o.labelled, "labelled", 20, "labels of each class")
	flag.IntVar(&o.landmarks, "landmarks", 1000, "landmarks")
	flag.IntVar(&o.evaluations, "evaluations", 30, "evaluations of the score with its gradient")
	flag.IntVar(&o.degree, "degree", 1, "power of the Laplacian")
	flag.Uint64Var(&o.seed, "seed", 1, "of rows and landmarks")
	flag.Float64Var(&o.noise, "noise", 0.1, "standard deviation of the noise")
	flag.BoolVar(&o.exact, "exact", false, "the exact solver too, at the same parameters and tuned by itself")
	flag.BoolVar(&o.ard, "ard", false, "a width for each column")
	flag.BoolVar(&o.combined, "combined", false, "6 graphs with weights: 5, 10 and 20 neighbours, degree 1 and 2")
	flag.Func("at", "parameters, separated by commas, in the place of a search", func(list string) error {
		for text := range strings.SplitSeq(list, ",") {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			o.at = append(o.at, v)
		}
		return nil
	})
	flag.Parse()
	err := o.choice.UnmarshalText([]byte(*choice))
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// step runs f and prints what it took.
func step(what string, f func() error) error {
	cpu, _ := process.Own()
	start := time.Now()
	err := f()
	after, peak := process.Own()
	fmt.Printf("%-44s %8.2f s  %8.2f s of processor  %6.2f GB peak\n", what, time.Since(start).Seconds(), after-cpu, peak)
	return err
}

func run(o options) error {
	ctx := context.Background()
	fmt.Printf("blas: %s; n %d, %d labels a class, %d landmarks, %v\n", blas.Name(), o.n, o.labelled, o.landmarks, o.choice)
	set, err := data.Builtin(fmt.Sprintf("manifolds:n=%d,noise=%g,seed=%d", o.n, o.noise, o.seed))
	if err != nil {
		return err
	}
	truth, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return err
	}
	keep, err := data.DrawPerClass(truth, o.labelled, o.seed)
	if err != nil {
		return err
	}
	visible, _ := data.Hide(set.Answers, keep)
	labels, err := data.Interpret(visible, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return err
	}
	p := learn.NewProblem(set.Rows, labels)
	var base kernel.Kernel = kernel.Gaussian{}
	if o.ard {
		base = kernel.ARDGaussian{}
	}
	work := new(kernel.Work)
	lap := score.Laplacian{Base: base.Adapt(set.Rows), Graph: graph.Recipe{Neighbours: 10, Degree: o.degree}, Problem: p, Work: work,
		Criterion: score.LogLoss{}}
	s := &score.Reduced{Laplacian: lap, Landmarks: kernel.Landmarks{Count: o.landmarks, Choice: o.choice, Seed: o.seed}}
	if err := step("without unlabelled rows", func() error { return supervised(ctx, &lap, truth, o.evaluations) }); err != nil {
		return err
	}
	norm := manifold.Norm(manifold.Graph{Recipe: s.Graph, Longest: s.Graph.Neighbours})
	if o.combined {
		norm = manifold.Combined{Terms: manifold.Cartesian(graph.Recipe{}, []int{5, 10, 20}, []int{1, 2})}
		s.Norm = norm
	}
	if err := step("graph", func() error { _, err := norm.Bind(ctx, set.Rows, work); return err }); err != nil {
		return err
	}
	if err := step("landmarks", func() error { _, err := s.Chosen(ctx); return err }); err != nil {
		return err
	}
	theta := s.Space().Defaults()
	if len(o.at) == len(theta) {
		theta, o.evaluations = o.at, 0
	}
	if err := step("score", func() error { return evaluate(ctx, s, theta, false) }); err != nil {
		return err
	}
	s.Release()
	if err := step("score and gradient", func() error { return evaluate(ctx, s, theta, true) }); err != nil {
		return err
	}
	if o.evaluations > 0 {
		if theta, err = tune(ctx, "search", s, o.evaluations); err != nil {
			return err
		}
	}
	err = step("fit", func() error {
		f, err := s.Fit(ctx, theta)
		if err != nil {
			return err
		}
		fmt.Printf("    error %.2f %%\n", 100*wrong(p, truth, f.Values(p)))
		return nil
	})
	if err != nil || !o.exact || o.evaluations == 0 {
		return err
	}
	s.Release()
	if err := step("exact at these parameters", func() error { return exact(ctx, &lap, truth, theta) }); err != nil {
		return err
	}
	l := fixed{&lap}
	if theta, err = tune(ctx, "exact search", l, o.evaluations); err != nil {
		return err
	}
	return step("exact at its own", func() error { return exact(ctx, &lap, truth, theta) })
}

func evaluate(ctx context.Context, s param.Objective, theta []float64, grad bool) error {
	v, err := s.Eval(ctx, theta, grad)
	fmt.Printf("    score %.6f\n", v.F)
	return err
}

// tune prints the search and returns the best parameters.
func tune(ctx context.Context, what string, s param.Objective, evaluations int) (theta []float64, err error) {
	err = step(what, func() error {
		r, err := search.Driver{Budget: evaluations}.Run(ctx, s, search.Gradient{})
		theta = r.Theta
		fmt.Printf("    %d evaluations, %s: %.6f at", r.Evaluations, r.Status, r.F)
		for q, d := range s.Space() {
			fmt.Printf(" %s=%.4g", d.Name, theta[q])
		}
		fmt.Println()
		return err
	})
	return theta, err
}

// wrong is the share of rows without a label that the outputs put in another class.
func wrong(p *learn.Problem, truth data.Labels, out *mat.Dense) float64 {
	known := make([]bool, p.Rows.Len())
	for _, i := range p.Labelled {
		known[i] = true
	}
	var errors, hidden float64
	for i, c := range p.Coding.Decide(out) {
		if known[i] {
			continue
		}
		hidden++
		if c != truth.Class[i] {
			errors++
		}
	}
	return errors / hidden
}

// supervised tunes least squares on the labelled rows alone and prints the error.
func supervised(ctx context.Context, lap *score.Laplacian, truth data.Labels, evaluations int) error {
	s := &score.LeaveOut{Kernel: lap.Base, Problem: lap.Problem, Criterion: lap.Criterion}
	r, err := search.Driver{Budget: max(evaluations, 1)}.Run(ctx, s, search.Gradient{})
	if err != nil {
		return err
	}
	k := len(r.Theta) - 1
	g, path, err := s.Bind(ctx, r.Theta[:k])
	if err != nil {
		return err
	}
	f, err := path.At(r.Theta[k])
	if err != nil {
		return err
	}
	cols := mat.NewDense(g.Len(), len(lap.Problem.Labelled), nil)
	g.Block(cols, nil, lap.Problem.Labelled)
	out := new(mat.Dense)
	out.Mul(cols, f.Alpha)
	fmt.Printf("    error %.2f %%\n", 100*wrong(lap.Problem, truth, out))
	return nil
}

// exact prints the error of the exact solver.
func exact(ctx context.Context, lap *score.Laplacian, truth data.Labels, theta []float64) error {
	m, inner, err := lap.Machine(theta)
	if err != nil {
		return err
	}
	g, path, err := m.Bind(ctx, inner[:len(inner)-1])
	if err != nil {
		return err
	}
	f, err := path.At(inner[len(inner)-1])
	if err != nil {
		return err
	}
	out := mat.NewDense(g.Len(), lap.Problem.Outputs(), nil)
	g.(interface {
		Values(dst, alpha *mat.Dense, j []int)
	}).Values(out, f.Alpha, lap.Problem.Labelled)
	fmt.Printf("    error %.2f %%\n", 100*wrong(lap.Problem, truth, out))
	if r, ok := g.(interface{ Release() }); ok {
		r.Release()
	}
	return nil
}

// fixed is LapRLS with its whole numbers fixed.
type fixed struct{ *score.Laplacian }

// Space has `neighbours` and `degree` fixed.
func (f fixed) Space() param.Space {
	s := f.Laplacian.Space()
	nb := len(f.Base.Space())
	s[nb].Fixed, s[nb+1].Fixed = true, true
	return s
}
