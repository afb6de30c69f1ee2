package score_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func warp(base kernel.Kernel, recipe graph.Recipe, ratio float64) manifold.Warp {
	return manifold.Warp{Base: base, Norm: manifold.Graph{Recipe: recipe}, Ratio: ratio}
}

// checkGradient compares the gradient with central differences in log space,
// where every parameter is of order one.
func checkGradient(t *testing.T, name string, o param.Objective, theta []float64, skip ...int) {
	t.Helper()
	const h = 1e-5
	ctx := context.Background()
	v, err := o.Eval(ctx, theta, param.WithGradient)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(v.Grad) != len(theta) {
		t.Fatalf("%s: gradient %v for %d parameters", name, v.Grad, len(theta))
	}
next:
	for k := range theta {
		for _, s := range skip {
			if k == s {
				continue next
			}
		}
		at := func(d float64) float64 {
			x := append([]float64{}, theta...)
			x[k] *= math.Exp(d)
			w, err := o.Eval(ctx, x, param.ValueOnly)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return w.F
		}
		// Fourth-order differences: rounding and truncation both below 1e-9 here.
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		near(t, name+": "+o.Space()[k].Name, v.Grad[k]*theta[k], want, 1e-6)
	}
}

func TestGradientEqualsDifferences(t *testing.T) {
	heat := graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 2, Degree: 3}
	comb := graph.Recipe{Neighbours: 3, Laplacian: graph.Combinatorial, Degree: 1}
	kernels := map[string]struct {
		k     kernel.Kernel
		theta []float64
	}{
		"supervised gaussian": {kernel.Gaussian{Sigma: 1.2}, []float64{1.2, 0.3}},
		"warped gaussian":     {warp(kernel.Gaussian{Sigma: 1.2}, graph.Recipe{Neighbours: 4, Degree: 2}, 20), []float64{1.2, 20, 0.3}},
		"heat weights":        {warp(kernel.Gaussian{Sigma: 1.2}, heat, 20), []float64{1.2, 2, 20, 0.3}},
		"combinatorial":       {warp(kernel.Gaussian{Sigma: 0.9}, comb, 5), []float64{0.9, 5, 0.1}},
		"one width a column":  {warp(kernel.ARDGaussian{Sigma: []float64{1, 2, 0.7}}, comb, 5), []float64{1, 2, 0.7, 5, 0.1}},
	}
	criteria := []score.Criterion{score.Press{}, score.LogLoss{}, score.SmoothError{Rho: 4}}
	for name, c := range kernels {
		for _, classes := range []int{2, 3} {
			p := learntest.Clusters(36, 3, classes, 8)
			folds := [][]int{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}}
			for _, offset := range []bool{false, true} {
				for _, cr := range criteria {
					s := &score.LeaveOut{Kernel: c.k, Problem: p, Criterion: cr, Offset: offset}
					checkGradient(t, name+" loo "+cr.String(), s, c.theta)
					s.Folds = folds
					checkGradient(t, name+" folds "+cr.String(), s, c.theta)
				}
				s := &score.LeaveOut{Kernel: c.k, Problem: p, GCV: true, Offset: offset}
				checkGradient(t, name+" gcv", s, c.theta)
				s = &score.LeaveOut{Kernel: c.k, Problem: p, Penalty: 0.3, Offset: offset}
				checkGradient(t, name+" cp", s, c.theta)
			}
		}
		p := learntest.Clusters(36, 3, 2, 9)
		for _, cr := range []score.Criterion{score.SmoothWeighted{Eta: 2, Rho: 3}, score.SmoothF{Rho: 3}} {
			s := &score.LeaveOut{Kernel: c.k, Problem: p, Criterion: cr, Folds: [][]int{{0, 1, 2}, {3, 4, 5, 6}}}
			checkGradient(t, name+" "+cr.String(), s, c.theta)
		}
	}
}

func TestGradientInTheSourcesParameters(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.LogLoss{},
		Graph: graph.Recipe{Weights: graph.Heat, Width: 2}}
	// sigma, neighbours, degree, width, gamma_i, gamma_a
	checkGradient(t, "lap-rls", o, []float64{1.2, 4, 2, 2, 3, 0.02}, 1, 2)
	o.Terms = score.Averaged{Labelled: float64(len(o.Problem.Labelled)), Scale: 1}
	checkGradient(t, "lap-rls, unscaled", o, []float64{1.2, 4, 2, 2, 3e-3, 0.02}, 1, 2)
}

func TestSystemPressGradient(t *testing.T) {
	p := learntest.Clusters(30, 3, 3, 8)
	s := &score.SystemPress{Problem: p, Warp: warp(kernel.Gaussian{Sigma: 1.2},
		graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 2, Degree: 2}, 20)}
	checkGradient(t, "press-system", s, []float64{1.2, 2, 20, 0.3})
}

// Closed form, n x n system and n refits are three ways to one number.
// twin is the same score by training again for every fold.
func twin(s score.LeaveOut) *score.Refit {
	return &score.Refit{
		Kernel:    s.Kernel,
		Learner:   rls.Learner{Offset: s.Offset},
		Problem:   s.Problem,
		Criterion: s.Criterion,
		Folds:     s.Folds,
	}
}

func TestLeaveOutEqualsRefits(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 3} {
		p := learntest.Clusters(36, 3, classes, 21)
		w := warp(kernel.Gaussian{Sigma: 1.2}, graph.Recipe{Neighbours: 4, Degree: 2}, 20)
		theta := []float64{1.2, 20, 0.05}
		for _, offset := range []bool{false, true} {
			for _, folds := range [][][]int{nil, {{0, 4, 8}, {1, 5, 9}}, {{0, 1, 2, 3}}} {
				for _, c := range []score.Criterion{score.Press{}, score.LogLoss{}, score.Error{}} {
					closed := score.LeaveOut{Kernel: w, Problem: p, Criterion: c, Folds: folds, Offset: offset}
					a, err := closed.Eval(ctx, theta, param.ValueOnly)
					if err != nil {
						t.Fatal(err)
					}
					b, err := twin(closed).Eval(ctx, theta, param.ValueOnly)
					if err != nil {
						t.Fatal(err)
					}
					near(t, c.String(), a.F, b.F, 1e-10)
				}
			}
		}
		d, err := score.NewDirect(ctx, w, p, nil, theta)
		if err != nil {
			t.Fatal(err)
		}
		r := d.LeaveOneOut(p)
		o, err := twin(score.LeaveOut{Kernel: w, Problem: p, Criterion: score.Press{}}).Outputs(ctx, theta)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Labelled {
			for j := range p.Outputs() {
				near(t, "residual from the system", r.At(i, j), p.Y.At(i, j)-o.At(i, j), 1e-10)
			}
		}
		fast := score.LeaveOut{Kernel: w, Problem: p, Criterion: score.Press{}}
		ind := twin(fast)
		ind.Inductive = true
		v, err := ind.Eval(ctx, theta, param.ValueOnly)
		if err != nil || v.F <= 0 || math.IsInf(v.F, 0) {
			t.Errorf("inductive score %v, %v", v.F, err)
		}
		closed, _ := fast.Eval(ctx, theta, param.ValueOnly)
		if math.Abs(v.F-closed.F) < 1e-9 {
			t.Error("inductive and transductive scores are equal")
		}
	}
}

// golden is the tiny exact case of Laplacian RLS: eight points, three labelled.
func golden() *learn.Problem {
	x := mat.NewDense(8, 2, []float64{0, 0, 3, .53, .47, 2.05, 1.02, -.11, 2.07, .04, 2.44, 1.56, 1.55, 2.46, .23, 1.09})
	return learn.NewProblem(data.Rows{Dense: x}, data.Labels{
		Task: data.Classification, Classes: []string{"-1", "1"}, Class: []int{1, 0, 1, -1, -1, -1, -1, -1},
	})
}

func TestGoldenLaplacianRLS(t *testing.T) {
	ctx := context.Background()
	p := golden()
	g := graph.Recipe{Neighbours: 2, Laplacian: graph.Combinatorial}
	w := warp(kernel.Gaussian{Sigma: 1}, g, 5) // a = 0.1, g = 0.5
	theta := []float64{1, 5, 0.1}
	d, err := score.NewDirect(ctx, w, p, nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.830908646461, -0.755188994235, 0.725081087616, -0.310443686463,
		0.32778874419, 0.129573526597, -0.085606204738, -0.06762426636} {
		near(t, "alpha", d.Alpha.At(i, 0), want, 1e-11)
	}
	for i, want := range []float64{0.722397017975, -0.525563379871, 0.723717476589, 0.325950127276,
		-0.132585500717, -0.120705817615, 0.310066449961, 0.729819673918} {
		near(t, "f", d.Fitted().At(i, 0), want, 1e-11)
	}
	for i, want := range []float64{0.888422114685, -1.639840689701, 0.885431407494} {
		near(t, "press-label residual", d.LeaveOneOut(p).At(i, 0), want, 1e-11)
	}
	scored := func(o param.Objective, theta []float64, want float64) {
		t.Helper()
		v, err := o.Eval(ctx, theta, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "score", v.F, want, 1e-10)
	}
	scored(&score.LeaveOut{Kernel: w, Problem: p, Criterion: score.Press{}}, theta, 2.13118005942)
	scored(&score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Criterion: score.Press{}}, []float64{1, 0.1}, 1.34639105286)
	var system float64
	for _, r := range []float64{1.215570626742, -1.106117165334, 1.100569901749} {
		system += r * r / 2
	}
	scored(&score.SystemPress{Warp: w, Problem: p}, theta, system)
	// The wrong score equals the right one without the graph.
	scored(&score.SystemPress{Warp: w, Problem: p}, []float64{1, 0, 0.1}, 1.34639105286)
}

// The same case with three Laplacians, E = 0.5 L(2) + 0.2 L(2)^2 + 0.3 L(3), and its gradient.
func TestGoldenCombinedLaplacians(t *testing.T) {
	ctx := context.Background()
	terms := manifold.Cartesian(graph.Recipe{Laplacian: graph.Combinatorial}, []int{2, 3}, []int{1, 2})[:3]
	o := &score.Laplacian{
		Base:      kernel.Gaussian{Sigma: 1},
		Problem:   golden(),
		Criterion: score.Press{},
		Norm:      manifold.Combined{Terms: terms},
	}
	const a, g, l, n = 0.1, 0.5, 3.0, 8.0
	theta := []float64{1, 0.5, 0.2, 0.3, g * n * n / l, a / l} // gamma_i, gamma_a
	v, err := o.Eval(ctx, theta, param.WithGradient)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "score", v.F, 2.40405955973, 1e-10)
	for k, want := range []float64{0.392063065404, 0.063666285096, -0.096996327337, 0.74475260549, 0.471719317456 * l / (n * n),
		-3.648104163743 * l} {
		near(t, o.Space()[k].Name, v.Grad[k], want, 1e-9)
	}
	machine, inner, err := o.Machine(theta)
	if err != nil {
		t.Fatal(err)
	}
	d, err := score.NewDirect(ctx, machine.Kernel.(manifold.Warp), o.Problem, nil, inner)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.748474443646, -0.654986040573, 0.6146469762, -0.308314987588,
		0.359499804728, 0.165483628187, 0.034578517103, -0.078594946952} {
		near(t, "alpha", d.Alpha.At(i, 0), want, 1e-11)
	}
}

func TestLogLossIsScaleFree(t *testing.T) {
	for _, classes := range []int{2, 4} {
		p := learntest.Clusters(60, 2, classes, 3)
		o := mat.DenseCopyOf(p.Y)
		rng := rand.New(rand.NewPCG(1, 2))
		o.Apply(func(_, _ int, v float64) float64 { return v + 1.5*rng.NormFloat64() }, o)
		f := score.LogLoss{}.Eval(p, nil, o, nil)
		temp := score.Temperature(p, nil, o)
		scaled := mat.DenseCopyOf(o)
		scaled.Scale(37, o)
		near(t, "scaled loss", score.LogLoss{}.Eval(p, nil, scaled, nil), f, 1e-9)
		near(t, "scaled temperature", 37*score.Temperature(p, nil, scaled), temp, 1e-6)
		// No worse than chance, which is temperature 0.
		if f > math.Log(float64(classes)) {
			t.Errorf("loss %g above log %d", f, classes)
		}
	}
}

// Outputs that say the opposite of the labels still keep their order.
func TestTemperatureIsPositive(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := learntest.Clusters(30, 2, classes, 3)
		o := mat.DenseCopyOf(p.Y)
		o.Scale(-1, o)
		if temp := score.Temperature(p, nil, o); !(temp > 0) || temp > 1e-5 {
			t.Errorf("%d classes: temperature %g", classes, temp)
		}
		if f := (score.LogLoss{}).Eval(p, nil, o, nil); math.Abs(f-math.Log(float64(classes))) > 1e-5 {
			t.Errorf("%d classes: loss %g, knowing nothing costs %g", classes, f, math.Log(float64(classes)))
		}
	}
}

// The losses of the rows must have the score as their mean.
func TestLossesAverageToTheScore(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := learntest.Clusters(60, 3, classes, 3)
		o := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
		o.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(5*i + 2*j)) }, o)
		for _, rows := range [][]int{nil, {1, 4, 7, 9}} {
			each := score.LogLoss{}.Losses(p, rows, o)
			var sum float64
			for _, v := range each {
				sum += v
			}
			near(t, "mean of the losses", sum/float64(len(each)), score.LogLoss{}.Eval(p, rows, o, nil), 1e-13)
		}
	}
}

// C-Laplacian: the derivatives by the weights, and by one width for all heat weights; a corner
// of the simplex is the graph alone.
func TestCombinedLaplacians(t *testing.T) {
	p := learntest.Clusters(36, 3, 3, 8)
	plain := manifold.Cartesian(graph.Recipe{}, []int{3, 6}, []int{1, 2})
	view := manifold.Graph{Recipe: graph.Recipe{Neighbours: 4, Weights: graph.Heat, Width: 1.5}, First: 1, Last: 3}
	heat := append(manifold.Cartesian(graph.Recipe{Weights: graph.Heat, Width: 3}, []int{4}, []int{1, 2}), view, plain[0])
	for name, c := range map[string]manifold.Combined{
		"binary":   {Terms: plain},
		"trace":    {Terms: plain, Normalise: graph.Trace},
		"widths":   {Terms: heat},
		"spectral": {Terms: heat, Normalise: graph.Spectral},
	} {
		o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.LogLoss{}, Norm: c, Work: new(kernel.Work)}
		theta := []float64{1.2, 0.1, 0.2, 0.3, 0.4}
		if len(c.Space()) > 4 {
			theta = append(theta, 2)
		}
		checkGradient(t, name, o, append(theta, 3, 0.02))
	}
	for _, f := range []manifold.Filtered{{Graph: plain[0]}, {Graph: plain[0], Heat: true}} {
		o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.LogLoss{}, Norm: f, Work: new(kernel.Work)}
		checkGradient(t, "filter", o, []float64{1.2, 1.7, 3, 0.02})
	}
	o := &score.Laplacian{Base: kernel.Gaussian{Sigma: 1.2}, Problem: p, Criterion: score.Press{}, Norm: manifold.Combined{Terms: plain}}
	for j, g := range plain {
		theta := []float64{1.2, 0, 0, 0, 0, 3, 0.02}
		theta[1+j] = 1
		a, err := o.Eval(context.Background(), theta, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		alone := &score.Laplacian{Base: o.Base, Problem: p, Criterion: o.Criterion, Graph: graph.Recipe{}}
		theta = []float64{1.2, float64(g.Recipe.Neighbours), float64(g.Recipe.Degree), 3, 0.02}
		b, err := alone.Eval(context.Background(), theta, param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "corner", a.F, b.F, 1e-10)
	}
}

// The score is the least of a loss written down again from its definition, whose labels have
// the share 1/(l+2) on the other classes; three classes have the temperature of a softmax fit.
func TestLogLossFromItsDefinition(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := learntest.Clusters(40, 3, classes, 5)
		l, c := len(p.Labelled), p.Outputs()
		o := mat.NewDense(l, c, nil)
		o.Apply(func(i, j int, _ float64) float64 { return p.Y.At(i, j) + 2*math.Sin(float64(7*i+3*j)) }, o)
		loss := func(temp float64) (sum float64) {
			e := 1 / float64(l+2)
			for i, y := range p.Class {
				prob := make([]float64, classes)
				if classes == 2 {
					prob[1] = 1 / (1 + math.Exp(-temp*o.At(i, 0)))
					prob[0] = 1 - prob[1]
				} else {
					var z float64
					for j := range prob {
						prob[j] = math.Exp(temp * o.At(i, j))
						z += prob[j]
					}
					for j := range prob {
						prob[j] /= z
					}
				}
				for j, v := range prob {
					w := e / float64(classes-1)
					if j == y {
						w = 1 - e
					}
					sum -= w * math.Log(v) / float64(l)
				}
			}
			return sum
		}
		least, at := math.Inf(1), 0.0
		for k := range 4000 {
			if v := loss(float64(k) * 1e-3); v < least {
				least, at = v, float64(k)*1e-3
			}
		}
		temp := score.Temperature(p, nil, o)
		if math.Abs(temp-at) > 1e-3 {
			t.Errorf("%d classes: temperature %g, by a table %g", classes, temp, at)
		}
		near(t, "loss", score.LogLoss{}.Eval(p, nil, o, nil), loss(temp), 1e-12)
		if classes == 3 {
			fit, err := calibrate.FitSoftmax(o, p.Class, nil)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "temperature of the softmax", fit.Temperature, temp, 1e-9)
		}
	}
}

// Folds without their rows keep the weights of the others: the slow twin trains on the rest as
// a problem of its own.
func TestInductiveFoldsKeepWeights(t *testing.T) {
	ctx := context.Background()
	p := learntest.Clusters(40, 3, 2, 5)
	for i := range p.Labelled {
		p.Weight = append(p.Weight, []float64{1, 5, 0.2}[i%3])
	}
	fold := []int{0, 3, 4, 9}
	s := &score.Refit{
		Kernel:    kernel.Gaussian{Sigma: 1},
		Learner:   smooth.Learner{Loss: learn.Logistic()},
		Problem:   p,
		Criterion: score.Risk{Loss: learn.Logistic()},
		Folds:     [][]int{fold},
		Inductive: true,
	}
	got, err := s.Outputs(ctx, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	rest := *p
	kept := learn.Others(len(p.Labelled), fold)
	rest.Labelled, rest.Weight, rest.Class = p.Subset(kept), nil, nil
	rest.Y = mat.NewDense(len(kept), 1, nil)
	for q, i := range kept {
		rest.Weight, rest.Class = append(rest.Weight, p.Weight[i]), append(rest.Class, p.Class[i])
		rest.Y.Set(q, 0, p.Y.At(i, 0))
	}
	g, err := s.Kernel.Bind(ctx, p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Learner.Bind(ctx, g, &rest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Train(ctx, nil, []float64{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(len(fold), 1, nil)
	if err := m.Evaluate(context.Background(), want, g, p.Subset(fold)); err != nil {
		t.Fatal(err)
	}
	for a, i := range fold {
		near(t, "left-out output", got.At(i, 0), want.At(a, 0), 1e-7)
	}
}
