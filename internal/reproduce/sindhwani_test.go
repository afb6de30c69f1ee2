package reproduce

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// smallCloud is a training set with two draws of labels, and rows never seen.
func smallCloud(t *testing.T) *cloud {
	t.Helper()
	set, err := data.Builtin("two-moons:n=90,noise=0.25,seed=5")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{seed: 3, runs: 2}
	c := fold29(l, collection{name: "moons", n: 90, labels: 12, each: 4}, set.Rows, labels, rand.New(rand.NewPCG(1, 1)).Perm(90), 1)
	return c
}

// The scores and errors taken from the labelled block are those of machines bound to
// the warped kernel and trained again for every fold.
func TestCloudEqualsRefits(t *testing.T) {
	c := smallCloud(t)
	ctx := context.Background()
	w := weights{1e-4, 1e-2}
	one := grid{neighbours: []int{5}, degrees: []int{2}, widths: []float64{0.5}, strengths: []float64{3}}
	c.tune(ctx, one, []weights{w})
	base := kernel.Gaussian{Sigma: kernel.Gaussian{}.Adapt(c.rows).(kernel.Gaussian).Sigma / 2}
	warp := manifold.Warp{Base: base, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 2, Weights: graph.Heat}}, Ratio: 100}
	for _, d := range c.draws {
		if len(d.problem.Labelled) != 12 || len(d.hidden) != c.rows.Len()-12 || c.rows.Len()+c.test.Len() != 90 {
			t.Fatalf("%d labelled, %d hidden of %d rows, %d unseen", len(d.problem.Labelled), len(d.hidden), c.rows.Len(), c.test.Len())
		}
		ridge := 12 * w.ambient
		for _, m := range []struct {
			key     string
			kernel  kernel.Kernel
			learner learn.Learner
			own     float64
		}{
			{key(rlsMethod, ""), base, rls.Learner{}, 1. / 6},
			{key(svmMethod, ""), base, svm.Classifier{}, 3},
			{key(lapRLSMethod, w.name()), warp, rls.Learner{}, ridge},
			{key(lapSVMMethod, w.name()), warp, svm.Classifier{}, 1 / (2 * ridge)},
		} {
			got := d.best[m.key]
			theta := append(m.kernel.Space().Defaults(), m.own)
			r := score.Refit{Kernel: m.kernel, Learner: m.learner, Problem: d.problem, Criterion: score.LogLoss{}, Folds: d.folds}
			v, err := r.Eval(ctx, theta, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			r.Criterion = score.Error{}
			e, err := r.Eval(ctx, theta, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.loss-v.F) > 2e-3*v.F || got.wrong != e.F { // the hinge is solved to LIBSVM's tolerance
				t.Errorf("%s: error %v, log loss %v; by refits %v, %v", m.key, got.wrong, got.loss, e.F, v.F)
			}
			unlabelled, unseen := direct(t, c, d, m.kernel, m.learner, m.own)
			if math.Abs(got.unlabelled-unlabelled) > 1e-9 || math.Abs(got.unseen-unseen) > 1e-9 {
				t.Errorf("%s: errors %v and %v, of the machine itself %v and %v", m.key, got.unlabelled, got.unseen, unlabelled, unseen)
			}
		}
	}
}

// direct trains on all labels and counts the wrong rows by the machine's expansion.
func direct(t *testing.T, c *cloud, d *labelling, k kernel.Kernel, learner learn.Learner, own float64) (unlabelled, unseen float64) {
	t.Helper()
	g, err := k.Bind(context.Background(), c.rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := learner.Bind(context.Background(), g, d.problem)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Train(context.Background(), nil, []float64{own}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(x data.Rows, class []int, of []int) float64 {
		out := mat.NewDense(x.Len(), 1, nil)
		if err := m.Predict(context.Background(), out, g, x); err != nil {
			t.Fatal(err)
		}
		n := 0
		for q, k := range d.problem.Coding.Decide(out) {
			if k != class[of[q]] {
				n++
			}
		}
		return 100 * float64(n) / float64(x.Len())
	}
	all := make([]int, c.test.Len())
	for i := range all {
		all[i] = i
	}
	return wrong(c.rows.Select(d.hidden), d.truth, d.hidden), wrong(c.test, c.testClass, all)
}

// The grid keeps the candidate of least error, ties to the smaller log loss, and the
// oracle the pair of least mean error.
func TestCloudChooses(t *testing.T) {
	c := smallCloud(t)
	choices := grid{neighbours: []int{2, 5}, degrees: []int{1, 2}, widths: []float64{0.25, 1}, strengths: []float64{1, 100}}
	c.tune(context.Background(), choices, []weights{sourceWeights})
	for _, width := range choices.widths {
		for _, k := range choices.neighbours {
			for _, p := range choices.degrees {
				single := smallCloud(t)
				single.tune(context.Background(), grid{[]int{k}, []int{p}, []float64{width}, nil}, []weights{sourceWeights})
				for i, d := range single.draws {
					for _, m := range []int{lapRLSMethod, lapSVMMethod} {
						name := key(m, sourceWeights.name())
						best, one := c.draws[i].best[name], d.best[name]
						if one.wrong < best.wrong || one.wrong == best.wrong && one.loss < best.loss*(1-1e-9) {
							t.Errorf("%s: %+v is chosen, %+v is better", name, best, one)
						}
					}
				}
			}
		}
	}
	list := weights29()
	if list[0] != sourceWeights {
		t.Errorf("the grid of weights begins with %+v", list[0])
	}
	d := &labelling{best: map[string]*pick{}}
	for i, w := range list {
		d.best[key(lapSVMMethod, w.name())] = &pick{unlabelled: float64(10 - i), unseen: math.Abs(float64(i - 3))}
	}
	if best := oracle([]*labelling{d}, lapSVMMethod); best != list[3] { // 10 - i + |i - 3|: least from 3 on, the first counts
		t.Errorf("the oracle takes %+v", best)
	}
}

func TestDrawAtLeast(t *testing.T) {
	class := make([]int, 300)
	for i := range class {
		class[i] = i % 3
	}
	for i := range 280 {
		class[i] = 0 // the other classes are rare
	}
	for seed := range uint64(20) {
		rows := drawAtLeast(class, 3, 20, 2, rand.New(rand.NewPCG(seed, 0)))
		count := map[int]int{}
		for _, i := range rows {
			count[class[i]]++
		}
		if len(rows) != 20 || !slices.IsSorted(rows) || len(slices.Compact(slices.Clone(rows))) != 20 || count[1] < 2 || count[2] < 2 {
			t.Errorf("%v has classes %v", rows, count)
		}
	}
	if caught(func() { drawAtLeast(class, 3, 5, 2, rand.New(rand.NewPCG(1, 0))) }) == nil {
		t.Error("5 labels, 2 of each of 3 classes")
	}
}

func TestSindhwaniFaults(t *testing.T) {
	for id, file := range map[string]string{"sindhwani-t2.6": "g50c.csv.gz", "sindhwani-t2.9": "g50c.csv.gz"} {
		if _, err := Run(context.Background(), id, t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v does not name %s", id, err, file)
		}
	}
}

// TestSolvedMost: the point of the grid with most draws without an error, of equal ones that with the least sum, then the first.
func TestSolvedMost(t *testing.T) {
	of := func(points ...[2]float64) [][][]float64 { // errors in two draws of the second of two algorithms
		wrong := [][][]float64{{{9}, nil}, {{9}, nil}}
		for _, p := range points {
			wrong[0][1], wrong[1][1] = append(wrong[0][1], p[0]), append(wrong[1][1], p[1])
		}
		return wrong
	}
	for _, c := range []struct {
		wrong [][][]float64
		want  []float64
	}{
		{of([2]float64{1, 1}, [2]float64{0, 30}), []float64{0, 30}},
		{of([2]float64{0, 30}, [2]float64{1, 1}, [2]float64{20, 0}), []float64{20, 0}},
		{of([2]float64{2, 3}, [2]float64{3, 2}), []float64{2, 3}},
		{of([2]float64{0, 2}, [2]float64{0, 3}), []float64{0, 2}},
		{of([2]float64{0, 2}, [2]float64{0, 0}), []float64{0, 0}},
	} {
		if got := solvedMost(c.wrong, 1); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.wrong, got, c.want)
		}
	}
}
