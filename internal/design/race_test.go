package design_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// clouds are rows of three classes, normal about centres on a circle.
func clouds(n int, seed uint64) *learn.Problem {
	draw := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, 2, nil)
	l := data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: make([]int, n)}
	for i := range n {
		k := i % 3
		angle := 2 * math.Pi * float64(k) / 3
		x.SetRow(i, []float64{2*math.Cos(angle) + draw.NormFloat64(), 2*math.Sin(angle) + draw.NormFloat64()})
		l.Class[i] = k
	}
	return learn.NewProblem(data.Rows{Dense: x}, l)
}

// board are rows of two classes on a board of 4 x 4 fields, which a hundred rows do not show.
func board(n int, seed uint64) *learn.Problem {
	draw := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(n, 2, nil)
	l := data.Labels{Task: data.Classification, Classes: []string{"black", "white"}, Class: make([]int, n)}
	for i := range n {
		x.SetRow(i, []float64{4 * draw.Float64(), 4 * draw.Float64()})
		l.Class[i] = (int(x.At(i, 0)) + int(x.At(i, 1))) % 2
	}
	return learn.NewProblem(data.Rows{Dense: x}, l)
}

// field enters support vector machines of two widths and three strengths.
func field() []*design.Entrant {
	var list []*design.Entrant
	for _, sigma := range []float64{0.3, 2} {
		for _, c := range []float64{0.01, 1, 100} {
			list = append(list, &design.Entrant{
				Method: "svm", Kernel: kernel.Gaussian{Sigma: sigma}, Learner: svm.Classifier{}, Pairs: true, Theta: []float64{c},
			})
		}
	}
	return list
}

// A race of one round is cross-validation of every entrant, and its winner the machine of the best on all rows.
func TestRaceOfOneHeatIsCrossValidation(t *testing.T) {
	p := clouds(90, 3)
	list := field()
	r := design.Race{Problem: p, Seed: 1, First: 90}
	w, err := r.Run(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	if w.Trained != 90 || w.Status != search.Complete {
		t.Errorf("trained on %d rows, %s", w.Trained, w.Status)
	}
	pairs := p.OneVersusOne()
	judged := score.Judged(w.Folds)
	if len(judged) != 90 || len(w.Folds) != 5 {
		t.Fatalf("%d rows judged in %d folds", len(judged), len(w.Folds))
	}
	least := math.Inf(1)
	for _, e := range list {
		s := score.Refit{Kernel: e.Kernel, Learner: e.Learner, Problem: pairs, Criterion: score.Error{}, Folds: w.Folds}
		v, err := s.Eval(context.Background(), append(e.Kernel.Space().Defaults(), e.Theta...), param.ValueOnly)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v.F-e.Score) > 1.5/90 { // a row may change sides within the solver's tolerance
			t.Errorf("sigma %v, C %v: error %v in the race, %v alone", e.Kernel, e.Theta, e.Score, v.F)
		}
		least = min(least, e.Score)
		if e.Left != "" || e.Rows != 90 {
			t.Errorf("an entrant left after %d rows: %s", e.Rows, e.Left)
		}
	}
	if w.Score != least {
		t.Errorf("the winner has error %v, the least is %v", w.Score, least)
	}
	if got := (score.Error{}).Eval(w.Problem, judged, w.Machine.LeftOut, nil); got != w.Score {
		t.Errorf("left-out outputs have error %v, the winner %v", got, w.Score)
	}
}

// Every round has three times the rows, the winner's neighbours are judged in it, the better part of them all goes on, and rows of all
// classes take part in proportion.
func TestRaceHalves(t *testing.T) {
	p := clouds(600, 4)
	list := field()
	var done []int
	r := design.Race{Problem: p, Seed: 7, First: 60, Progress: func(n, _ int, _ float64) { done = append(done, n) }}
	w, err := r.Run(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, e := range w.Field {
		count[e.Rows]++
		if (e.Left == "") != (e.Rows == 600) {
			t.Errorf("last round of %d rows, left: %q", e.Rows, e.Left)
		}
	}
	// Three go on to 180 rows, where the winner has neighbours of its own unless it is the winner before: last digits decide it.
	second := count[180] + count[600]
	if count[60] != 5 || second < 3 || second > 3+2 || count[600] != 3 {
		t.Errorf("entrants by the rows of their last round: %v, want 5 of 60 rows, 3 of 600 and at most 2 of 180", count)
	}
	if len(done) != 6+2+second+3 || !slices.IsSorted(done) {
		t.Errorf("progress: %v", done)
	}
	if w.Trained != 600 || w.Machine.Outputs == nil {
		t.Error("the winner was not trained on all rows")
	}
	again := field()
	v, err := (&design.Race{Problem: p, Seed: 7, First: 60}).Run(context.Background(), again)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].Score != again[i].Score {
			t.Errorf("entrant %d: %v, and again %v", i, list[i].Score, again[i].Score)
		}
	}
	if !mat.Equal(v.Machine.LeftOut, w.Machine.LeftOut) {
		t.Error("the same race has two winners")
	}
}

// A sample of the rows decides, and trains, where Last says so; rows that nobody judged have no left-out outputs.
func TestRaceOnASample(t *testing.T) {
	p := clouds(300, 5)
	w, err := (&design.Race{Problem: p, Seed: 2, First: 50, Last: 120}).Run(context.Background(), field())
	if err != nil {
		t.Fatal(err)
	}
	if w.Trained != 120 || w.Machine.Outputs != nil || len(w.Problem.Labelled) != 300 {
		t.Errorf("trained on %d rows of %d", w.Trained, len(w.Problem.Labelled))
	}
	judged := score.Judged(w.Folds)
	each := make([]int, 3)
	for _, i := range judged {
		each[p.Class[i]]++
	}
	if len(judged) != 120 || slices.Max(each)-slices.Min(each) > 2 {
		t.Errorf("judged %d rows, by class %v", len(judged), each)
	}
	for i := range 300 {
		zero := mat.Norm(w.Machine.LeftOut.RowView(i), 1) == 0
		if _, ok := slices.BinarySearch(judged, i); ok == zero {
			t.Fatalf("row %d: judged %v, left-out outputs zero %v", i, ok, zero)
		}
	}
}

// An interrupt keeps the machine of the last complete round; one before anything was judged is an error.
func TestRaceInterrupted(t *testing.T) {
	p := clouds(600, 6)
	ctx, cancel := context.WithCancel(context.Background())
	r := design.Race{Problem: p, Seed: 7, First: 60, Progress: func(n, _ int, _ float64) {
		if n == 8 {
			cancel()
		}
	}}
	w, err := r.Run(ctx, field())
	if err != nil {
		t.Fatal(err)
	}
	if w.Trained != 60 || w.Status != search.Interrupted || w.Machine.Expansions == nil {
		t.Errorf("trained on %d rows, %s", w.Trained, w.Status)
	}
	if _, err = (&design.Race{Problem: p, Seed: 7, First: 60}).Run(ctx, field()); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// Entrants that come late are judged on the first round's rows and were made with others.
func TestRaceLate(t *testing.T) {
	p := clouds(600, 8)
	late := &design.Entrant{
		Method: "svm", Kernel: kernel.Gaussian{Sigma: 1}, Learner: svm.Classifier{}, Pairs: true, Theta: []float64{1},
	}
	var seen int
	r := design.Race{Problem: p, Seed: 7, First: 60, Late: func(_ context.Context, rows *learn.Problem) ([]*design.Entrant, error) {
		seen = rows.Rows.Len()
		return []*design.Entrant{late}, nil
	}}
	if _, err := r.Run(context.Background(), field()[:1]); err != nil {
		t.Fatal(err)
	}
	if seen != 60 || late.Rows != 600 {
		t.Errorf("%d rows for what comes late, which was judged on %d", seen, late.Rows)
	}
}

// Least squares enter with the lambda of their closed score.
func TestRaceOfLeastSquares(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 5))
	n := 400
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 6*draw.Float64() - 3
		x.Set(i, 0, v)
		y[i] = math.Sin(v) + 0.1*draw.NormFloat64()
	}
	p := learn.NewProblem(data.Rows{Dense: x}, data.Labels{Task: data.Regression, Value: y})
	list := []*design.Entrant{
		{Method: "rls", Kernel: kernel.Gaussian{Sigma: 1}, Offset: true},
		{Method: "rls", Kernel: kernel.Gaussian{Sigma: 0.01}, Offset: true},
	}
	w, err := (&design.Race{Problem: p, Seed: 3, First: 100}).Run(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	if w.Entrant != list[0] || !(w.Score > 0.08 && w.Score < 0.12) {
		t.Errorf("the winner is %+v", w.Entrant)
	}
	var sum float64
	for _, i := range score.Judged(w.Folds) {
		sum += math.Pow(y[i]-w.Machine.LeftOut.At(i, 0), 2)
	}
	if got := math.Sqrt(sum / 400); math.Abs(got-w.Score) > 1e-12 {
		t.Errorf("left-out outputs are wrong by %v, the score says %v", got, w.Score)
	}
}

// On all rows as landmarks least squares are the exact ones; on few they are nearly as good, and race on.
func TestRaceOnLandmarks(t *testing.T) {
	p := clouds(500, 11)
	run := func(r design.Race) *design.Winner {
		r.Problem, r.Seed, r.First = p, 4, 500
		one := design.Entrant{Method: "rls", Kernel: kernel.Gaussian{Sigma: 1}, Theta: []float64{1}, Offset: true}
		w, err := r.Run(context.Background(), []*design.Entrant{&one})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	on := func(landmarks int) *design.Winner {
		return run(design.Race{Exact: 400, Landmarks: design.Landmarks{Most: landmarks, Flops: 1e12}})
	}
	few, again := on(60), on(60)
	exact := run(design.Race{})
	if d := math.Abs(few.Score - exact.Score); d > 0.01 {
		t.Errorf("error %v on 60 landmarks, %v on all rows", few.Score, exact.Score)
	}
	if few.Machine.Lambda != again.Machine.Lambda || !mat.Equal(few.Machine.LeftOut, again.Machine.LeftOut) {
		t.Error("the same race has two winners")
	}
	if rows := few.Machine.Expansions[0].Centres.Len(); rows != 60 || !(few.Machine.Residual < 1e-9) || !(few.Machine.Objective > 0) {
		t.Errorf("a machine of %d terms, certificate %+v", rows, few.Machine.Certificate)
	}
	all := on(500)
	list := score.Judged(exact.Folds)
	for _, i := range list {
		for j := range 3 {
			// Lambdas are chosen by leave-one-out there and by folds here.
			if d := all.Machine.LeftOut.At(i, j) - exact.Machine.LeftOut.At(i, j); all.Machine.Lambda == exact.Machine.Lambda && math.Abs(d) > 1e-6 {
				t.Fatalf("row %d: left-out output off by %v", i, d)
			}
		}
	}
	if all.Machine.Lambda != exact.Machine.Lambda {
		t.Errorf("lambda %v by folds, %v by leave-one-out: no outputs were compared", all.Machine.Lambda, exact.Machine.Lambda)
	}
}

// Beyond the last round least squares learn from all rows, and win where that is better on the rows left out of it.
func TestRaceBeyondTheLastHeat(t *testing.T) {
	p := board(3000, 12)
	narrow := design.Entrant{Method: "svm", Kernel: kernel.Gaussian{Sigma: 0.03}, Learner: svm.Classifier{}, Pairs: true,
		Theta: []float64{100}}
	race := design.Race{Problem: p, Seed: 5, First: 60, Last: 100, Exact: 200, Landmarks: design.Landmarks{Most: 300, Flops: 1e12}}
	squares := func() []*design.Entrant {
		return []*design.Entrant{
			{Method: "rls", Kernel: kernel.Gaussian{Sigma: 0.5}, Offset: true},
			{Method: "rls", Kernel: kernel.Gaussian{Sigma: 0.01}, Offset: true},
		}
	}
	list := append(squares(), &narrow)
	w, err := race.Run(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	if w.Entrant != list[0] || w.Trained != 3000 || w.Rows != 3000 || w.Machine.LeftOut.RawMatrix().Rows != 3000 {
		t.Fatalf("%s on %v won on %d rows, trained on %d", w.Method, w.Kernel, w.Rows, w.Trained)
	}
	judged := score.Judged(w.Folds)
	if len(judged) != 100 || math.Abs((score.Error{}).Eval(p, judged, w.Machine.LeftOut, nil)-w.Score) > 1e-12 {
		t.Errorf("%d rows judged, with another error than %v", len(judged), w.Score)
	}
	for _, e := range list {
		if (e.Left == "") != (e == w.Entrant) {
			t.Errorf("%s on %v left: %q", e.Method, e.Kernel, e.Left)
		}
	}
	// The left-out outputs are those of a machine trained without the rows of the fold.
	out := w.Machine.LeftOut.At(judged[0], 0)
	if out == 0 || w.Machine.Expansions == nil {
		t.Error("the winner is not complete")
	}
	again, err := race.Run(context.Background(), squares())
	if err != nil || again.Machine.LeftOut.At(judged[0], 0) != out {
		t.Errorf("without the other machine: %v, %v", again, err)
	}
}

// Where all rows are no better the winner stays as it was, the only one that did not leave.
func TestRaceBeyondInVain(t *testing.T) {
	p := clouds(900, 14)
	good := design.Entrant{Method: "svm", Kernel: kernel.Gaussian{Sigma: 2}, Learner: svm.Classifier{}, Pairs: true, Theta: []float64{1}}
	bad := design.Entrant{Method: "rls", Kernel: kernel.Gaussian{Sigma: 1e-3}}
	race := design.Race{Problem: p, Seed: 5, First: 100, Last: 100, Exact: 50, Landmarks: design.Landmarks{Most: 20, Flops: 1e12}}
	w, err := race.Run(context.Background(), []*design.Entrant{&good, &bad})
	if err != nil {
		t.Fatal(err)
	}
	if w.Entrant != &good || w.Rows != 100 || w.Trained != 100 || w.Left != "" || bad.Left == "" {
		t.Errorf("%s won on %d rows, trained on %d; the other left: %q", w.Method, w.Rows, w.Trained, bad.Left)
	}
}

// The winner's neighbours enter: what is narrower than all that entered wins where it is better, and nothing enters twice.
func TestRaceRefines(t *testing.T) {
	p := board(1500, 13)
	run := func(widths ...float64) *design.Winner {
		wide := []*design.Entrant{{Method: "svm", Kernel: kernel.Gaussian{Sigma: 1}, Learner: svm.Classifier{}, Theta: []float64{1}}}
		w, err := (&design.Race{Problem: p, Seed: 5, First: 60, Widths: widths}).Run(context.Background(), wide)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	without, with := run(), run(0.5, 2)
	if k := without.Kernel.(kernel.Gaussian); k.Sigma != 1 {
		t.Errorf("without neighbours the width becomes %v", k.Sigma)
	}
	if k := with.Kernel.(kernel.Gaussian); k.Sigma > 0.5 || with.Score >= without.Score {
		t.Errorf("width %v, error %v, without neighbours %v", k.Sigma, with.Score, without.Score)
	}
	seen := map[[2]float64]bool{}
	for _, e := range with.Field {
		key := [2]float64{e.Kernel.(kernel.Gaussian).Sigma, math.Round(100 * math.Log(e.Theta[0]))}
		if seen[key] {
			t.Errorf("width %v and C %v take part twice", e.Kernel, e.Theta)
		}
		seen[key] = true
	}
}
