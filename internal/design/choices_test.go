package design

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/score"
)

// On an indefinite kernel ridges reach beyond its negative eigenvalues, and those with which a row cannot be left out are passed over.
func TestRidgesOfIndefiniteKernels(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(5, 3))
	k := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			v := 10 + rng.NormFloat64()
			k.Set(i, j, v)
			k.Set(j, i, v)
		}
		k.Set(i, i, 0.1)
	}
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(n, 1, nil)}, data.Labels{Task: data.Classification, Classes: []string{"a", "b"},
		Class: []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0}})
	s := &score.LeaveOut{Kernel: kernel.Precomputed{K: k}, Problem: p, Criterion: score.LogLoss{}}
	g, err := s.Kernel.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	least := path.Least() // about -11, a hundred times the diagonal
	m, err := train(t.Context(), s, s.Kernel, g, 0, ridges(p.Task, false), nil)
	if err != nil || m.Certificate.Least != least {
		t.Fatalf("%+v, %v, least eigenvalue %v", m, err, least)
	}
	scored, lambda, best := 0, 0.0, math.Inf(1)
	top := 0.1 * math.Pow(10, 1+math.Ceil(2*math.Log10(-least/0.1))/2)
	if top < 10*-least || top > 100*-least {
		t.Fatalf("ridges reach to %v", top)
	}
	for h := range 40 {
		v := top / math.Pow(10, float64(h)/2)
		if v < 0.99e-7 {
			break
		}
		f, err := path.At(v)
		if err != nil {
			t.Fatal(err)
		}
		value, err := s.Score(t.Context(), f)
		if errors.Is(err, rls.ErrLeverage) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if scored++; value < best {
			lambda, best = v, value
		}
	}
	if len(m.Tried) != scored || math.Abs(m.Lambda/lambda-1) > 1e-9 || math.Abs(m.Score-best) > 1e-9 {
		t.Errorf("ridge %v of %d, score %v; want %v of %d, %v", m.Lambda, len(m.Tried), m.Score, lambda, scored, best)
	}
	fixed, err := train(t.Context(), s, s.Kernel, g, lambda, ridges(p.Task, false), nil)
	if err != nil || fixed.Lambda != lambda || math.Abs(fixed.Score-best) > 1e-9 || len(fixed.Tried) != 1 {
		t.Errorf("at the best ridge: %+v, %v", fixed, err)
	}
}

// Least squares have all rows for centres up to the number that Exact says, or the usual one, and else the landmarks of the round:
// means of the rows, which all kernels share, or rows, where landmarks are few for the columns.
func TestCentresOfLeastSquares(t *testing.T) {
	p := blobs(60)
	g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ exact, rows, most, centres int }{
		{0, 6000, 25, 60}, {0, 6001, 25, 25}, {100, 100, 25, 60}, {100, 101, 25, 25}, {100, 101, 12, 12},
	} {
		race := &Race{Problem: p, Exact: c.exact, Seed: 3}
		h := &round{race: race, problem: p, most: c.most, rows: make([]int, c.rows)} // the numbers alone are looked at
		h.folds = partsOf(race, p)
		e := &Entrant{Kernel: kernel.Gaussian{Sigma: 1}, Theta: []float64{0.1}, Rows: c.rows}
		w, train, err := h.square(t.Context(), e, g)
		if err != nil {
			t.Fatal(err)
		}
		m, err := train(t.Context())
		if err != nil || m.Expansions[0].Centres.Len() != c.centres || math.Abs(e.Theta[0]/0.1-1) > 4 || w.Entrant != e || e.Rows != c.rows {
			t.Errorf("%+v: %d centres, %v", c, m.Expansions[0].Centres.Len(), err)
		}
		if c.centres == 60 {
			continue
		}
		z, err := h.centres(t.Context(), kernel.Gaussian{Sigma: 5})
		if err != nil {
			t.Fatal(err)
		}
		among := 0
		for i := range z.Len() {
			for r := range 60 {
				if slices.Equal(z.Dense.RawRowView(i), p.Rows.Dense.RawRowView(r)) {
					among++
					break
				}
			}
		}
		if rows := c.most < 20; rows != (among == z.Len()) || rows == (h.means.Len() > 0) || !rows && z.Dense != h.means.Dense {
			t.Errorf("%+v: %d of %d centres are rows", c, among, z.Len())
		}
	}
}

// What can learn from all rows is compared on ten thousand of them.
func TestRowsOfSelection(t *testing.T) {
	const n = 10003
	p := blobs(n)
	l := stub{train: func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return constant(1), nil }}
	field := []*Entrant{
		{Kernel: kernel.Gaussian{Sigma: 1}, Learner: l, Theta: []float64{1, 7}}, {Kernel: kernel.Gaussian{Sigma: 2}, Theta: []float64{1}},
		{Kernel: kernel.Gaussian{Sigma: 1e-4}, Theta: []float64{1}},
	}
	r := Race{Problem: p, First: 10002, Last: 10002, Exact: 1, Landmarks: Landmarks{Most: 5, Flops: 1e12}}
	w, err := r.Run(t.Context(), field)
	if err != nil {
		t.Fatal(err)
	}
	if w.Entrant != field[1] || w.Trained != n || field[2].Left != "not the best on 10000 rows with 5 landmarks" ||
		field[0].Left != "learns from no more than 10002 rows, and no better" {
		t.Errorf("%+v won on %d rows; the others left: %q, %q", w.Kernel, w.Trained, field[2].Left, field[0].Left)
	}
}

// Of entrants that do equally well the first wins, whether they are judged together or apart.
func TestFirstOfEqualEntrants(t *testing.T) {
	train := func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return constant(1), nil }
	for name, kernels := range map[string][]kernel.Kernel{
		"together": {kernel.Linear{}, kernel.Linear{}, kernel.Linear{}},
		"apart":    {kernel.Linear{}, kernel.Constant{}, kernel.Gaussian{Sigma: 1}},
	} {
		for _, crew := range []bool{false, true} {
			var field []*Entrant
			for _, k := range kernels {
				field = append(field, &Entrant{Kernel: k, Learner: stub{train: train}, Theta: []float64{1, 7}})
			}
			r := Race{Problem: noughts()}
			if crew {
				r.Crew = doing{}
			}
			if w, err := r.Run(t.Context(), field); err != nil || w.Entrant != field[0] {
				t.Errorf("%s, by a crew %v: %+v, %v", name, crew, w, err)
			}
		}
	}
	for _, c := range []struct {
		a, b Entrant
		want bool
	}{
		{Entrant{Score: 1, Loss: 2}, Entrant{Score: 2, Loss: 1}, true}, {Entrant{Score: 1, Loss: 2}, Entrant{Score: 1, Loss: 3}, true},
		{Entrant{Score: 1, Loss: 2}, Entrant{Score: 1, Loss: 2}, false}, {Entrant{Score: 1, Loss: 2}, Entrant{Score: 1, Loss: 1}, false},
	} {
		if c.a.before(&c.b) != c.want {
			t.Errorf("%v and %v are before %v and %v: %v", c.a.Score, c.a.Loss, c.b.Score, c.b.Loss, !c.want)
		}
	}
}

// What fails of those that come late ends the race; where the context ends meanwhile the race has the winner of the first round.
func TestLateEntrantsThatFail(t *testing.T) {
	p := blobs(40)
	l := stub{train: func(_ []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
		if theta[0] == 9 {
			return nil, errOther
		}
		return constant(theta[0]), nil
	}}
	enter := func(c float64) []*Entrant {
		return []*Entrant{{Kernel: kernel.Gaussian{Sigma: 1}, Learner: l, Theta: []float64{c, 7}}}
	}
	ctx := &ending{Context: t.Context()}
	for name, c := range map[string]struct {
		late func() ([]*Entrant, error)
		err  error
	}{
		"none":             {func() ([]*Entrant, error) { return nil, nil }, nil},
		"none can be made": {func() ([]*Entrant, error) { return nil, errOther }, errOther},
		"one fails":        {func() ([]*Entrant, error) { return enter(9), nil }, errOther},
		"all ends":         {func() ([]*Entrant, error) { ctx.over = true; return nil, errOther }, nil},
	} {
		ctx.over = false
		r := Race{Problem: p, First: 10, Late: func(context.Context, *learn.Problem) ([]*Entrant, error) { return c.late() }}
		w, err := r.Run(ctx, enter(1))
		if !errors.Is(err, c.err) || err == nil && w.Machine.B[0] != 1 {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		if err == nil && (w.Trained == 10) != ctx.over {
			t.Errorf("%s: trained on %d rows", name, w.Trained)
		}
	}
}

// TestPlanOfFew: lists of neighbours are shorter than the rows are many, and degrees are those that were chosen.
func TestPlanOfFew(t *testing.T) {
	for _, c := range []struct {
		d       Design
		longest int
	}{
		{Design{Rows: 8}, 4}, {Design{Rows: 9}, 8}, {Design{Rows: 8, Landmarks: true}, 4}, {Design{Rows: 9, Landmarks: true}, 8},
		{Design{Rows: 99, Landmarks: true, Linear: true, Mutual: true}, 50}, {Design{Rows: 99, Linear: true, Mutual: true}, 50},
	} {
		c.d.Base, c.d.Graph = kernel.Gaussian{Sigma: 1}, graph.Recipe{Weights: graph.SelfTuned}
		if got := c.d.Longest(); got != c.longest {
			t.Errorf("%+v: lists of %d", c.d, got)
		}
		for _, one := range c.d.Graphs("lap-rls") {
			degree := one.Graph.Degree
			if one.Linear && degree != 5 && degree != 2 || !one.Linear && degree != 2 || one.Graph.Neighbours >= c.d.Rows {
				t.Errorf("%+v: %+v", c.d, one.Graph)
			}
		}
	}
}

// Of a rare class machines are compared by the log loss of Platt's probabilities, and beyond the last round least squares learn from all
// labelled rows, among which rows without a label have no place.
func TestRaceOfRareClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	const n, labelled = 260, 200
	x := mat.NewDense(n, 2, nil)
	l := data.Labels{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		if i%13 == 0 {
			l.Class[i] = 1
		}
		x.SetRow(i, []float64{3*float64(l.Class[i]) + rng.NormFloat64(), rng.NormFloat64()})
		if i%13 > 9 {
			l.Class[i] = data.Unlabelled
		}
	}
	p := learn.NewProblem(data.Rows{Dense: x}, l)
	if len(p.Labelled) != labelled {
		t.Fatalf("%d labels", len(p.Labelled))
	}
	for q := range p.Class { // every second row of the rare class is one of the other
		if p.Class[q] == 1 && p.Labelled[q]%26 == 0 {
			p.Class[q] = 0
			p.Y.Set(q, 0, -p.Y.At(q, 0))
		}
	}
	if !Rare(p) {
		t.Fatal("no class is rare")
	}
	bad := stub{train: func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return constant(1), nil }}
	field := []*Entrant{
		{Method: "bad", Kernel: kernel.Gaussian{Sigma: 1}, Learner: bad, Theta: []float64{1, 7}},
		{Method: "rls", Kernel: kernel.Gaussian{Sigma: 2}, Offset: true},
	}
	for _, last := range []int{0, 120} {
		r := Race{Problem: p, First: 120, Last: last, Exact: 60, Landmarks: Landmarks{Most: 40, Flops: 1e9}}
		for _, e := range field {
			e.Left = ""
		}
		field[1].Theta = nil
		w, err := r.Run(t.Context(), field)
		if err != nil {
			t.Fatal(err)
		}
		judged := score.Judged(w.Folds)
		if want := plattLoss(p, judged, w.Machine.LeftOut); math.Abs(w.Score-want) > 1e-12 {
			t.Errorf("the score is %v, Platt's loss %v", w.Score, want)
		}
		if rows, _ := w.Machine.LeftOut.Dims(); w.Method != "rls" || w.Trained != labelled || rows != labelled || w.Machine.Outputs != nil {
			t.Errorf("%s won on %d rows, with %d left-out outputs", w.Method, w.Trained, rows)
		}
	}
}

// Least squares that no lambda can train leave with the reason.
func TestLeastSquaresWithoutLambda(t *testing.T) {
	p := blobs(20)
	k := mat.NewDense(20, 20, nil)
	for i := range 20 { // 1 - H_ii = lambda/(lambda + K_ii) is negative below |K_ii|
		k.Set(i, i, []float64{-0.5, -1.5}[i%2])
	}
	race := &Race{Problem: p}
	h := race.round(race.order(), nil)
	e := &Entrant{Kernel: kernel.Precomputed{K: k}}
	g, err := e.Kernel.Bind(t.Context(), h.problem.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, train, err := h.square(t.Context(), e, g)
	if w != nil || train != nil || err != nil || e.Left != "no lambda gives a score in [1e-06, 1]" {
		t.Errorf("%v, %v; it left: %q", w, err, e.Left)
	}
}

// Of linear kernels ridges are found on one path as long as the features are 200 million values at most, and else on landmarks: here the
// features are all zero, so that nothing is left out of a path but zeros.
func TestFeaturesOnAPath(t *testing.T) {
	p := blobs(60)
	for rows, onPath := range map[int]bool{40_000: true, 40_001: false} {
		x := data.Rows{Sparse: &data.CSR{R: rows, C: 5000, Start: make([]int, rows+1)}}
		g, err := kernel.Linear{}.Bind(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		race := &Race{Problem: p, Exact: 100, Seed: 3}
		h := &round{race: race, problem: p, most: 25, rows: make([]int, 101)} // the numbers alone are looked at
		h.folds = partsOf(race, p)
		w, _, err := h.square(t.Context(), &Entrant{Kernel: kernel.Gaussian{Sigma: 1}, Theta: []float64{0.1}, Rows: 101}, g)
		if err != nil || w == nil {
			t.Fatalf("%d rows: %v, %v", rows, w, err)
		}
		if zeros := mat.Norm(w.Machine.LeftOut, 1) < 1e-9; zeros != onPath {
			t.Errorf("%d rows: on a path %v", rows, zeros)
		}
	}
}
