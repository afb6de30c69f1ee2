package limit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/landmark"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// vectorMachine is a two-class problem of (d): so many classes of a file, in sorted order, against the rest.
type vectorMachine struct {
	name, file string
	rows       int
	first      int
	c, gamma   float64
}

// vectorMachines are (d), as in the measurement peers.
func (l limits) vectorMachines() []job {
	if l.data == "" {
		return nil
	}
	var list []job
	for _, v := range []vectorMachine{
		{"usps", "usps_train.csv.gz", 7291, 5, 1, 0.01},
		{"fashion", "fashion_mnist_5000.csv.gz", 5000, 5, 10, 0.01},
		{"letter", "letter.csv.gz", 20000, 13, 10, 2},
		{"covtype", "covtype_20k.csv.gz", 20000, 3, 10, 4},
	} {
		list = append(list, job{"d", "SVM dual, " + v.name,
			"SVM dual: the rows of the kernel of the s support vectors of the optimum: 2 n s d operations and n s" +
				" exp; the rows read", v.rows, func(ctx context.Context, n int) (trial, error) { return v.trial(ctx, l.data, n) }})
	}
	return list
}

// trial trains on n of the rows, drawn at random, with columns in [0, 1].
func (v vectorMachine) trial(ctx context.Context, dir string, n int) (trial, error) {
	set, _, err := read.Open(ctx, filepath.Join(dir, v.file), read.Options{})
	if err != nil {
		return trial{}, err
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(set.Rows.Len()) //nolint:gosec // rows to be measured on, no secret
	set = set.Select(order[:min(n, len(order))])
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return trial{}, err
	}
	s, _, err := data.FitScaling(data.ScaleMinMax, set.Rows)
	if err != nil {
		return trial{}, err
	}
	half := data.Labels{Task: data.Classification, Classes: []string{"first", "rest"}, Class: make([]int, len(labels.Class))}
	for i, k := range labels.Class {
		if k >= v.first {
			half.Class[i] = 1
		}
	}
	p := learn.NewProblem(s.Apply(set.Rows), half)
	rows, d, support := float64(p.Rows.Len()), float64(p.Rows.Dim()), 0
	return trial{
		size: by(p.Rows.Len(), p.Rows.Dim()),
		run: func(ctx context.Context) error {
			g, err := kernel.Gaussian{Sigma: 1 / math.Sqrt(2*v.gamma)}.Bind(ctx, p.Rows, nil)
			if err != nil {
				return err
			}
			t, err := svm.Classifier{}.Bind(ctx, g, p)
			if err != nil {
				return err
			}
			m, err := t.Train(ctx, nil, []float64{v.c}, nil)
			if err == nil {
				support = len(m.Rows)
			}
			return err
		},
		work: func() cost.Work {
			w := cost.Gram(rows, float64(support), d)
			w.Passes = 8 * rows * d
			return w
		},
	}, nil
}

// defaults are (e) and (f), plain fits.
func defaults() []job {
	graphs := func(n int) job {
		return job{"e", "default, 20 labels",
			"default with few labels: of the machines of the design a Cholesky factor, n^3/3 operations, for each" +
				" graph with each ratio, and its l labelled columns, 2 n^2 l; a table of distances for neighbours and" +
				" one for each kernel, n^2 d and n^2/2 exp", n, func(ctx context.Context, n int) (trial, error) {
				return fitTrial(ctx, mercer.Files{Data: fmt.Sprintf("two-moons:n=%d,noise=0.2", n), Labels: 20, Seed: 1},
					func(s task.Size, r task.Request) (cost.Work, error) {
						w, _, err := method.GraphFloor(s, r)
						return w, err
					})
			}}
	}
	return []job{
		graphs(2000), graphs(4000),
		{"f", "labelled table",
			"labelled table: in each step of the searches for widths on t rows a factor, the inverse and the " +
				"cotangent, 2 t^3 operations, and absolute differences twice, 4 t^2 d; for each kernel found the " +
				"table of all rows, a factor and the inverse", 1500,
			func(_ context.Context, n int) (trial, error) {
				return inputTrial(table(n, 20), func(s task.Size, r task.Request) (cost.Work, error) { return method.StackFloor(s, r), nil })
			}},
	}
}

// table is one of n rows, all labelled, of which a function of three columns says the class.
func table(n, d int) mercer.Input {
	set := &data.Set{Source: "drawn", LabelName: "y", Answers: make(data.Answers, n), Rows: normal(n, d)}
	for i := range n {
		row := set.Rows.Dense.RawRowView(i)
		set.Answers[i] = "a"
		if math.Sin(2*row[0])+row[1%d]*row[2%d] > 0 {
			set.Answers[i] = "b"
		}
	}
	return mercer.Input{Set: set}
}

func fitTrial(ctx context.Context, f mercer.Files, floor func(task.Size, task.Request) (cost.Work, error)) (trial, error) {
	in, _, err := mercer.Open(ctx, f, &mercer.Recipe{})
	if err != nil {
		return trial{}, err
	}
	return inputTrial(*in, floor)
}

// inputTrial is a plain fit.
func inputTrial(in mercer.Input, floor func(task.Size, task.Request) (cost.Work, error)) (trial, error) {
	m, r, err := method.Read(mercer.Recipe{})
	if err != nil {
		return trial{}, err
	}
	s := task.SizeOf(in, mercer.Recipe{}, mercer.Options{}, m.Coding.OneClass)
	work, err := floor(s, r.Scored(m.Coding, s.Task, s.Labelled))
	return trial{size: by(s.Rows, s.Features), work: fixed(work), run: func(ctx context.Context) error {
		_, _, err := mercer.Fit(ctx, in, mercer.Recipe{}, mercer.Options{})
		return err
	}}, err
}

// scores are (g), a value with its gradient.
func scores() []job {
	const d, l = 256, 100
	return []job{{"g", "value and gradient in 256 widths",
		"value and gradient: the score of Laplacian least squares, l = 100: the table, n^2 d operations and " +
			"n^2/2 exp, its Cholesky factor, n^3/3, and the l labelled columns, 2 n^2 l; for the gradient the " +
			"cotangent of rank l, n^2 l, the table again, and its product with the columns, 2 n^2 d", 2000,
		func(_ context.Context, n int) (trial, error) {
			return gradientTrial(twoClouds(n, d, min(l, n/2))), nil
		}}}
}

// gradientTrial is the score of Laplacian least squares with its gradient.
func gradientTrial(p *learn.Problem) trial {
	base := kernel.ARDGaussian{}.Adapt(p.Rows)
	k := manifold.Warp{Base: base, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 10, Degree: 2}}, Ratio: 1 << 10}
	s := &score.LeaveOut{Kernel: k, Problem: p, Work: new(kernel.Work), Criterion: score.Press{}}
	theta, n, d := s.Space().Defaults(), p.Rows.Len(), p.Rows.Dim()
	w := gradientWork(float64(n), float64(d), float64(len(p.Labelled)))
	return trial{size: by(n, d), work: fixed(w), run: func(ctx context.Context) error {
		v, err := s.Eval(ctx, theta, param.WithGradient)
		if err == nil && v.Grad == nil {
			err = fmt.Errorf("no score: %+v", v)
		}
		return err
	}}
}

// gradientWork is that of (g).
func gradientWork(n, d, l float64) cost.Work {
	return cost.Gram(n, n/2, d).Times(2).Plus(cost.Cholesky(n), cost.Work{Products: 3*n*n*l + 2*n*n*d})
}

// twoClouds are rows of two classes, of which l are labelled.
func twoClouds(n, d, l int) *learn.Problem {
	rows := normal(n, d)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		rows.Dense.RawRowView(i)[0] += 4 * float64(i%2)
		labels.Class[i] = data.Unlabelled
		if i < l {
			labels.Class[i] = i % 2
		}
	}
	return learn.NewProblem(rows, labels)
}

// centres are (h) and (i), machines of few centres.
func centres() []job {
	const m = 500
	return []job{
		{"h", "least squares on 500 landmarks",
			"landmarks: the table of n x m kernel values, 2 n m d operations and n m exp, and the sums of its " +
				"products, n m^2, with a factor, m^3/3; the rows read", 1_000_000, func(ctx context.Context, n int) (trial, error) {
				return landmarkTrial(ctx, n, 50, m)
			}},
		{"i", "prediction by 500 centres",
			"prediction: the table, 2 n m d operations and n m exp, and its product with the coefficients, 2 n m " +
				"c; the rows read and the outputs written", 1_000_000, func(ctx context.Context, n int) (trial, error) {
				return predictTrial(ctx, n, 20, m)
			}},
	}
}

// landmarkTrial trains on landmarks that are chosen before.
func landmarkTrial(ctx context.Context, n, d, m int) (trial, error) {
	rows := normal(n, d)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, math.Sin(rows.Dense.At(i, 0)))
	}
	k, m := kernel.Gaussian{}.Adapt(rows), min(m, n)
	z := make([]int, m)
	for i := range z {
		z[i] = i * (n / m)
	}
	g, err := k.Bind(ctx, rows.Select(z), nil)
	if err != nil {
		return trial{}, err
	}
	products, err := kernel.NewProducts(g, rows)
	table := cost.Gram(float64(n), float64(m), float64(d))
	table.Passes = 8 * float64(n) * float64(d)
	w := table.Plus(cost.Cholesky(float64(m)), cost.Work{Products: cost.Product(float64(n), float64(m), float64(m)/2).Products})
	return trial{size: by(n, d), work: fixed(w), run: func(ctx context.Context) error {
		f, err := landmark.NewFolds(ctx, products, y, nil, nil, landmark.Options{Offset: true, Least: 1})
		if err == nil {
			_, err = f.At(ctx, 1)
		}
		return err
	}}, err
}

// predictTrial predicts by a machine of m rows.
func predictTrial(ctx context.Context, n, d, m int) (trial, error) {
	r := mercer.Recipe{Method: "rls", Tune: "none", Scale: "none", Kernel: "gaussian"}
	found, _, err := mercer.Fit(ctx, table(m, d), r, mercer.Options{})
	if err != nil {
		return trial{}, err
	}
	rows, c := normal(n, d), float64(found.Outputs())
	w := cost.Gram(float64(n), float64(m), float64(d)).Plus(cost.Product(float64(n), float64(m), c))
	w.Passes = 8 * float64(n) * (float64(d) + c)
	return trial{size: by(n, d), work: fixed(w), run: func(ctx context.Context) error {
		_, err := found.Predict(ctx, rows)
		return err
	}}, nil
}
