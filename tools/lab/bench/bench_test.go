// Package bench holds the benchmarks of Mercer's claims about speed and memory;
// README.md above says how they are run and what bounds them from below. A new benchmark is a file here.
package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// TestMain names the engine of linear algebra in a form that benchstat reads.
func TestMain(m *testing.M) {
	fmt.Println("blas:", blas.Name())
	m.Run()
}

// problem draws n rows from two Gaussian clouds in d dimensions, 4 apart, and
// labels the first l.
func problem(n, d, l int) *learn.Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		c := i % 2
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[0] += 4 * float64(c)
		labels.Class[i] = data.Unlabelled
		if i < l {
			labels.Class[i] = c
		}
	}
	return learn.NewProblem(data.Rows{Dense: x}, labels)
}

// warp is the kernel of Laplacian RLS with 10 neighbours.
func warp(base kernel.Kernel, p *learn.Problem) manifold.Warp {
	return manifold.Warp{Base: base.Adapt(p.Rows), Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 10, Degree: 2}}, Ratio: 1 << 10}
}

// score is the leave-one-out score of p with kernel k and the values of its
// parameters.
func scored(p *learn.Problem, k kernel.Kernel, work *kernel.Work) (*score.LeaveOut, []float64) {
	s := &score.LeaveOut{Kernel: k, Problem: p, Work: work, Criterion: score.Press{}}
	return s, s.Space().Defaults()
}

// evaluate runs Eval once.
func evaluate(b *testing.B, s param.Objective, theta []float64, want param.Want) {
	v, err := s.Eval(context.Background(), theta, want)
	if err != nil {
		b.Fatal(err)
	}
	if math.IsInf(v.F, 0) || want == param.WithGradient && v.Grad == nil {
		b.Fatalf("no score: %+v", v)
	}
}

// bind binds a kernel.
func bind(b *testing.B, k kernel.Kernel, rows data.Rows, work *kernel.Work) kernel.Gram {
	g, err := k.Bind(context.Background(), rows, work)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// times are the durations of one part of a benchmark, one an iteration.
type times []float64

// measure adds the seconds f takes.
func (t *times) measure(f func()) {
	start := time.Now()
	f()
	*t = append(*t, time.Since(start).Seconds())
}

// median of the seconds measured.
func (t times) median() float64 {
	s := slices.Clone(t)
	slices.Sort(s)
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}

// compare alternates the two functions, so that a change of the machine's speed
// meets both, and reports the medians in ms and their ratio.
func compare(b *testing.B, name string, f func(), reference string, g func()) {
	f() // warm: tables shared through Work, pages of the heap
	g()
	var first, second times
	for b.Loop() {
		first.measure(f)
		second.measure(g)
	}
	b.ReportMetric(1e3*first.median(), name+"-ms")
	b.ReportMetric(1e3*second.median(), reference+"-ms")
	b.ReportMetric(first.median()/second.median(), "ratio")
}

// BenchmarkValue compares the score of Laplacian RLS, n = 2000, l = 100, with
// what it cannot do without: the Gram matrix and one LU factorisation of its
// size. Both find distances and neighbours in Work, as in a search.
func BenchmarkValue(b *testing.B) {
	p := problem(2000, 10, 100)
	work := new(kernel.Work)
	s, theta := scored(p, warp(kernel.Gaussian{}, p), work)
	base := kernel.Gaussian{}.Adapt(p.Rows)
	n := p.Rows.Len()
	compare(b, "value", func() { evaluate(b, s, theta, param.ValueOnly) },
		"gram+lu", func() {
			k := mat.NewDense(n, n, nil)
			bind(b, base, p.Rows, work).Block(k, nil, nil)
			for i := range n { // as well conditioned as I + M K
				k.Set(i, i, k.At(i, i)+1)
			}
			var lu blas.LU
			if err := lu.Factor(k); err != nil {
				b.Fatal(err)
			}
		})
}

// BenchmarkGradient compares value and full gradient with the value alone: 256
// widths, the ratio and lambda at n = 2000, l = 100.
func BenchmarkGradient(b *testing.B) {
	p := problem(2000, 256, 100)
	s, theta := scored(p, warp(kernel.ARDGaussian{}, p), new(kernel.Work))
	compare(b, "value+gradient", func() { evaluate(b, s, theta, param.WithGradient) },
		"value", func() { evaluate(b, s, theta, param.ValueOnly) })
}

// BenchmarkFirstFit is Laplacian RLS from the rows: neighbours, graph, Gram
// matrix, warp, solution and leave-one-out, n = 2000, d = 10, l = 50.
func BenchmarkFirstFit(b *testing.B) {
	p := problem(2000, 10, 50)
	k := warp(kernel.Gaussian{}, p)
	var t times
	for b.Loop() {
		t.measure(func() {
			s, theta := scored(p, k, nil)
			evaluate(b, s, theta, param.ValueOnly)
		})
	}
	b.ReportMetric(t.median(), "median-s")
}

// BenchmarkRLS is supervised RLS at n = l = 1500 with its leave-one-out outputs: one
// lambda from the rows (first); the path, whose eigendecomposition serves all
// lambdas, from the rows with its first lambda (path); each further one (lambda).
func BenchmarkRLS(b *testing.B) {
	p := problem(1500, 10, 1500)
	base := kernel.Gaussian{}.Adapt(p.Rows)
	gram := func() *mat.Dense {
		k := mat.NewDense(1500, 1500, nil)
		bind(b, base, p.Rows, nil).Block(k, nil, nil)
		return k
	}
	leaveOut := func(f *rls.Fit, err error) {
		if err == nil {
			_, err = f.LeaveOut(context.Background(), nil)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		var t times
		for b.Loop() {
			t.measure(func() { leaveOut(rls.Solve(context.Background(), gram(), p.Y, nil, false, 1e-3)) })
		}
		b.ReportMetric(t.median(), "median-s")
	})
	var path *rls.Path
	b.Run("path", func(b *testing.B) {
		var t times
		for b.Loop() {
			t.measure(func() {
				var err error
				if path, err = rls.NewPath(context.Background(), gram(), p.Y, nil, false); err != nil {
					b.Fatal(err)
				}
				leaveOut(path.At(1e-3))
			})
		}
		b.ReportMetric(t.median(), "median-s")
	})
	b.Run("lambda", func(b *testing.B) {
		if path == nil {
			b.Skip("run it with RLS/path, which makes it")
		}
		var t times
		for lambda := 1e-3; b.Loop(); lambda *= 1.0001 { // never the same twice
			t.measure(func() { leaveOut(path.At(lambda)) })
		}
		b.ReportMetric(1e3*t.median(), "median-ms")
	})
}

// BenchmarkDigits is `mercer fit digits --labels-per-class 2` without reading
// and writing.
func BenchmarkDigits(b *testing.B) {
	set, err := data.Builtin("digits")
	if err != nil {
		b.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		b.Fatal(err)
	}
	keep, err := data.DrawPerClass(labels, 2, 1)
	if err != nil {
		b.Fatal(err)
	}
	in := mercer.Input{Set: set}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	var t times
	for b.Loop() {
		t.measure(func() {
			if _, _, err := mercer.Fit(context.Background(), in, mercer.Recipe{}, mercer.Options{}); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.ReportMetric(t.median(), "median-s")
}

// BenchmarkMemory reports the largest heap during a score, with and without
// its gradient, and during a whole fit, the default one and one with a search,
// above what stood before, in n x n tables of 8-byte numbers; for the fits also
// the forecast.
func BenchmarkMemory(b *testing.B) {
	for name, want := range map[string]param.Want{"value": param.ValueOnly, "gradient": param.WithGradient} {
		b.Run(name, func(b *testing.B) {
			p := problem(2000, 10, 100)
			s, theta := scored(p, warp(kernel.Gaussian{}, p), new(kernel.Work))
			var most uint64
			for b.Loop() {
				most = max(most, peak(func() { evaluate(b, s, theta, want) }))
			}
			tables(b, most, 2000, "tables")
		})
	}
	for name, recipe := range map[string]mercer.Recipe{
		"fit":    {},
		"search": {Method: "lap-rls", Search: "gradient", Budget: 3},
	} {
		b.Run(name, func(b *testing.B) {
			set, err := data.Builtin("digits")
			if err != nil {
				b.Fatal(err)
			}
			for i := 100; i < len(set.Answers); i++ {
				set.Answers[i] = ""
			}
			in := mercer.Input{Set: set}
			var most uint64
			for b.Loop() {
				most = max(most, peak(func() {
					if _, _, err := mercer.Fit(context.Background(), in, recipe, mercer.Options{}); err != nil {
						b.Fatal(err)
					}
				}))
			}
			n := set.Rows.Len()
			tables(b, most, n, "tables")
			tables(b, uint64(mercer.ForecastFit(in, recipe, mercer.Options{}).Memory), n, "forecast-tables")
		})
	}
}

func tables(b *testing.B, bytes uint64, n int, unit string) {
	b.ReportMetric(float64(bytes)/(8*float64(n)*float64(n)), unit)
}

// peak returns by how many bytes the live and the unswept objects of the heap
// grew at most while f ran. Garbage counts until it is collected; a heap kept
// small (10 % of growth between collections) makes that little.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before := read()
	most := before
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, read())
			}
		}
	})
	f()
	close(stop)
	wg.Wait()
	return most - before
}
