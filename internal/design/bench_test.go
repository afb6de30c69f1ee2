package design

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// doing is a crew that does every piece when it is asked for, notes the stages, and may change what comes back.
type doing struct {
	apart  bool
	stages *[]string
	change func(result []byte) []byte
	begin  error
}

func (d doing) Apart() bool { return d.apart }

func (d doing) Begin(_ context.Context, stage string, n int, do result.Piece) (result.Piece, error) {
	if d.stages != nil {
		*d.stages = append(*d.stages, fmt.Sprintf("%s: %d", stage, n))
	}
	return func(ctx context.Context, number int) ([]byte, error) {
		result, err := do(ctx, number)
		if err == nil && d.change != nil {
			result = d.change(result)
		}
		return result, err
	}, d.begin
}

// encoded is what a crew gives back.
func encoded(t *testing.T, v any) func([]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return func([]byte) []byte { return b.Bytes() }
}

// graphs is a plan in which successive candidates have the base kernel, the graph, both or neither in common.
func graphs() []*choose.Candidate {
	g, wide := graph.Recipe{Neighbours: 5, Degree: 2}, graph.Recipe{Neighbours: 7, Degree: 1}
	return []*choose.Candidate{
		{Width: 0.5, Graph: g, Ratio: 10}, {Width: 0.5, Graph: g, Ratio: 1000}, {Width: 0.5, Graph: wide, Ratio: 10},
		{Width: 2, Graph: wide, Ratio: 10}, {Width: 1, Linear: true, Graph: wide, Ratio: 10}, {Width: 1, Graph: wide, Ratio: 10},
		{Width: 1, Graph: wide, Joint: true, Ratio: 10}, {Width: 1, Graph: wide, Joint: true, Ratio: 1}, {Width: 1},
		{Width: 1, Graph: g, Ratio: 10},
	}
}

// Machines of a plan are least squares on the kernels of their candidates, whatever was trained before, in units of the kernel's
// diagonal, exactly or on landmarks, here or by a crew.
func TestPlanOfGraphs(t *testing.T) {
	for name, c := range map[string]struct {
		landmarks     int
		ratio, lambda float64
		lambdaOf      func(float64) float64
	}{
		"free":              {},
		"landmarks":         {landmarks: 20},
		"few landmarks":     {landmarks: 19},
		"fixed":             {ratio: 3, lambda: 0.01},
		"fixed, landmarks":  {ratio: 3, lambda: 0.01, landmarks: 25},
		"lambda of a ratio": {lambda: 9, lambdaOf: func(r float64) float64 { return 1 / (1 + r) }},
		"landmarks, lambda": {landmarks: 25, lambda: 9, lambdaOf: func(r float64) float64 { return 1 / (1 + r) }},
	} {
		var lists [][]*choose.Candidate
		for _, crew := range []result.Crew{nil, doing{}, doing{apart: true}} {
			b, _ := moons(t, 4, nil, false)
			b.Score.Folds, b.Views, b.Crew = nil, [][2]int{{0, 1}, {1, 2}}, crew
			b.Ratio, b.Lambda, b.LambdaOf = c.ratio, c.lambda, c.lambdaOf
			if c.landmarks > 0 {
				b.Landmarks = &kernel.Landmarks{Count: c.landmarks, Choice: kernel.PlusPlus, Seed: 2}
			}
			s, err := b.Run(t.Context(), graphs())
			if err != nil || len(s.Members) != len(graphs()) || s.Failed > 0 || s.Blurred != (c.landmarks > 0) {
				t.Fatalf("%s: %+v, %v", name, s, err)
			}
			if lists = append(lists, s.Members); crew == nil {
				continue
			}
			for i, m := range s.Members {
				if !mat.Equal(m.Outputs, lists[0][i].Outputs) || m.Score != lists[0][i].Score || m.Ratio != lists[0][i].Ratio ||
					!reflect.DeepEqual(m.Kernel, lists[0][i].Kernel) {
					t.Errorf("%s: candidate %d of a crew is another", name, i)
				}
			}
		}
		b, _ := moons(t, 4, nil, false)
		s := b.Score
		s.Folds = nil
		p := s.Problem
		var shared manifold.Reduced
		for i, m := range lists[0] {
			var base kernel.Kernel = kernel.Gaussian{Sigma: 0.5 * m.Width}
			diagonal := 1.0
			if m.Linear {
				base = kernel.Linear{}
			}
			bound, err := base.Bind(t.Context(), p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Linear && c.landmarks == 0 { // on landmarks, of the labelled rows
				diagonal = score.MeanDiagonal(bound, nil)
			} else if m.Linear {
				diagonal = score.MeanDiagonal(bound, p.Labelled)
			}
			ratio, asked := m.Ratio/diagonal, graphs()[i].Ratio
			if c.ratio > 0 && asked > 0 {
				ratio, asked = c.ratio, c.ratio*diagonal
			}
			if math.Abs(m.Ratio-asked) > 1e-6*asked {
				t.Errorf("%s: candidate %d has ratio %v, not %v", name, i, m.Ratio, asked)
			}
			want, lambda := base, c.lambda
			if m.HasGraph() {
				var norm manifold.Norm = manifold.Graph{Recipe: m.Graph, Longest: 8}
				if m.Joint {
					norm = manifold.Joint{Graph: manifold.Graph{Recipe: m.Graph, Longest: 8}, Views: [][2]int{{0, 1}, {1, 2}}}
				}
				if c.landmarks == 0 {
					w, ok := m.Kernel.(manifold.Warp)
					if !ok || math.Abs(w.Ratio-ratio) > 1e-6*ratio {
						t.Errorf("%s: candidate %d is on %T with ratio %v, not %v", name, i, m.Kernel, w.Ratio, ratio)
					}
					want = manifold.Warp{Base: base, Norm: norm, Ratio: w.Ratio}
				} else {
					w, ok := m.Kernel.(manifold.Reduced)
					if !ok || math.Abs(w.Ratio-ratio) > 1e-6*ratio {
						t.Errorf("%s: candidate %d is on %T with ratio %v, not %v", name, i, m.Kernel, w.Ratio, ratio)
					}
					if shared.Rows == nil { // by the first candidate's kernel
						shared = manifold.Reduced{Base: base,
							Landmarks: kernel.Landmarks{Count: c.landmarks, Choice: kernel.PlusPlus, Seed: 2}}
						always := p.Labelled
						if c.landmarks < 20 {
							always = nil
						}
						if shared, err = shared.Choose(t.Context(), p.Rows, always); err != nil {
							t.Fatal(err)
						}
					}
					own := shared
					own.Base, own.Norm, own.Ratio = base, norm, w.Ratio
					want = own
				}
				if c.lambdaOf != nil {
					lambda = c.lambdaOf(ratio)
				}
			}
			if !reflect.DeepEqual(m.Kernel, want) {
				t.Errorf("%s: candidate %d is on %+v, not %+v", name, i, m.Kernel, want)
				continue
			}
			if lambda > 0 && math.Abs(m.Lambda-lambda) > 1e-6*lambda {
				t.Errorf("%s: candidate %d has lambda %v, not %v", name, i, m.Lambda, lambda)
			}
			g, err := m.Kernel.Bind(t.Context(), p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			path, err := s.Path(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			f, err := path.At(m.Lambda)
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Score(t.Context(), f)
			if err != nil || math.Abs(v-m.Score) > 1e-5*(1+v) {
				t.Errorf("%s: candidate %d has the score %v, alone %v, %v", name, i, m.Score, v, err)
			}
		}
	}
}

// A candidate with a trial of its own has the trial's learner, strengths and folds, on the base kernel.
func TestTrialOfCandidate(t *testing.T) {
	p := noughts()
	var rows [][]int
	l := stub{train: func(r []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
		if r != nil {
			rows = append(rows, r)
		}
		return constant(theta[0]), nil
	}}
	for _, crew := range []result.Crew{nil, doing{apart: true}} {
		rows = nil
		b := &Bench{Score: score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: p, Criterion: score.Press{}}, Crew: crew}
		trial := &choose.Trial{Learner: l, Strengths: []float64{4, 3}, Folds: [][]int{{0}, {1, 2, 3}}}
		plan := []*choose.Candidate{
			{Width: 2, Trial: trial, Graph: graph.Recipe{Neighbours: 2}}, {Linear: true, Width: 1, Trial: trial},
			{Own: kernel.Constant{}, Trial: trial},
		}
		s, err := b.Run(t.Context(), plan)
		if err != nil || len(s.Members) != 3 {
			t.Fatal(s, err)
		}
		for i, want := range []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Linear{}, kernel.Constant{}} {
			if m := plan[i].Machine; m.Kernel != want || m.Theta[0] != 3 || m.Score != 18 || m.B[0] != 3 {
				t.Errorf("trial %d: %+v", i, m)
			}
		}
		if want := [][]int{{1, 2, 3}, {0}}; len(rows) != 12 || !slices.EqualFunc(rows[:2], want, slices.Equal) {
			t.Errorf("trained on %v", rows)
		}
	}
}

// A linear machine has an offset where its score is better with one, or where there is none without.
func TestOffsetOfLinearMachine(t *testing.T) {
	b, _ := moons(t, 2, nil, false)
	b.Score.Folds = nil
	k := kernel.Linear{}
	g, err := k.Bind(t.Context(), b.Score.Problem.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := ridges(b.Score.Problem.Task, true)
	with := b.Score
	with.Offset = true
	offset, err := train(t.Context(), &with, k, g, 0, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	without := func(v float64) *choose.Machine { return &choose.Machine{Score: v, Tried: make([]*mat.Dense, 2)} }
	over := &ending{t.Context(), true}
	for name, c := range map[string]struct {
		ctx    context.Context
		m      *choose.Machine
		err    error
		lambda float64
		other  bool // the machine with an offset
		want   error
		tried  int
	}{
		"better with":            {t.Context(), without(offset.Score + 1e-9), nil, 0, true, nil, 15},
		"no better with":         {t.Context(), without(offset.Score), nil, 0, false, nil, 15},
		"none without":           {t.Context(), nil, errIndefinite, 0, true, nil, 13},
		"without fails":          {t.Context(), nil, errOther, 0, false, errOther, 0},
		"with fails":             {over, without(1), nil, 0, false, context.Canceled, 0},
		"none with":              {t.Context(), without(1), nil, 1e-300, false, nil, 2},
		"neither":                {t.Context(), nil, errIndefinite, 1e-300, false, errIndefinite, 0},
		"with fails and without": {over, nil, errIndefinite, 0, false, context.Canceled, 0},
	} {
		b.Lambda = c.lambda
		bound, on := g, kernel.Kernel(k)
		if c.lambda > 0 { // on a kernel that can fit anything, where so small a lambda leaves no row out
			on = kernel.Polynomial{Degree: 9, Scale: 1, Offset: 1}
			if bound, err = on.Bind(t.Context(), b.Score.Problem.Rows, nil); err != nil {
				t.Fatal(err)
			}
		}
		m, err := b.withOffset(c.ctx, c.m, c.err, on, bound, r)
		if !errors.Is(err, c.want) || (m == nil) != (c.want != nil) {
			t.Errorf("%s: %+v, %v", name, m, err)
			continue
		}
		if m != nil && ((m != c.m) != c.other || len(m.Tried) != c.tried || c.other && m.Score != offset.Score) {
			t.Errorf("%s: the score is %v after %d strengths", name, m.Score, len(m.Tried))
		}
	}
	b.Lambda, b.FreeOffset = 0, true
	for _, c := range []struct {
		linear bool
		l      learn.Learner
	}{{true, nil}, {false, nil}, {true, smooth.Learner{Loss: learn.Logistic()}}} {
		b.Learner = c.l
		m, err := b.train(t.Context(), &choose.Candidate{Linear: c.linear, Width: 1})
		if err != nil || (len(m.Tried) > 13) != (c.linear && c.l == nil) {
			t.Errorf("linear %v, learner %T: %d strengths were tried, %v", c.linear, c.l, len(m.Tried), err)
		}
	}
}

// Progress tells the number done, the number planned and the best score; a candidate that fails is counted, with its reason.
func TestProgressOfBench(t *testing.T) {
	l := stub{train: func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return nil, errOther }}
	for _, crew := range []result.Crew{nil, doing{}, doing{apart: true}} {
		n := 0
		l.train = func(rows []int, _ []float64, _ *learn.Machine) (*learn.Machine, error) {
			if rows == nil {
				if n++; n == 3 {
					return nil, errIndefinite
				}
			}
			return constant([]float64{3, 1, 1, 2, 0}[min(n, 4)]), nil
		}
		b := &Bench{Score: score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: noughts(), Criterion: score.Press{}}, Learner: l,
			Budget: 4, Lambda: 0.5, Crew: crew}
		var told []string
		b.Progress = func(done, total int, best float64) {
			told = append(told, fmt.Sprintf("%d of %d: %g", done, total, best))
		}
		var trained []bool
		b.Trained = func(c *choose.Candidate) { trained = append(trained, c.Machine != nil) }
		plan := []*choose.Candidate{{Width: 1}, {Width: 2}, {Width: 3}, {Width: 4}, {Width: 5}}
		s, err := b.Run(t.Context(), plan)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"1 of 5: 18", "2 of 5: 2", "3 of 5: 2", "4 of 5: 2"}; !slices.Equal(told, want) {
			t.Errorf("told %q", told)
		}
		if !slices.Equal(trained, []bool{true, true, false, true}) || plan[4].Machine != nil {
			t.Errorf("trained %v", trained)
		}
		var indefinite *blas.NotPositiveDefinite
		if s.Failed != 1 || !errors.As(s.Failure, &indefinite) || indefinite.Pivot != 3 || len(s.Members) != 3 ||
			s.Tuning != (result.Tuning{Evaluations: 4, Search: "auto", Status: "budget spent"}) {
			t.Errorf("%+v, %v", s.Tuning, s.Failure)
		}
		b.Budget = 5
		for _, c := range plan {
			c.Machine = nil
		}
		if s, err = b.Run(t.Context(), plan); err != nil || s.Tuning.Status != "complete" || len(s.Members) != 5 {
			t.Errorf("with a budget of all: %+v, %v", s, err)
		}
		l.train = func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return nil, errOther }
		b.Learner = l
		if _, err := b.Run(t.Context(), plan); !errors.Is(err, errOther) {
			t.Errorf("another failure gives %v", err)
		}
	}
}

// A failure that a crew has met is numerical here too, with its words or its pivot.
func TestFailuresOfCrews(t *testing.T) {
	for _, err := range []error{
		errIndefinite, &blas.Singular{Pivot: 2}, rls.ErrLeverage, rls.ErrNotFinite, fmt.Errorf("%w in [1, 2]", errNoLambda),
	} {
		back := failureOf(err).err()
		if !Numerical(err) || !Numerical(back) {
			t.Errorf("%v becomes %v", err, back)
		}
		var indefinite *blas.NotPositiveDefinite
		if errors.As(err, &indefinite) {
			if !reflect.DeepEqual(back, err) {
				t.Errorf("%v becomes %v", err, back)
			}
		} else {
			failtest.Refused(t, back, "a candidate could not be trained: "+err.Error())
		}
	}
	if Numerical(nil) || Numerical(errOther) || Numerical(context.Canceled) {
		t.Error("another failure is numerical")
	}
}

// Apart, candidates that differ in their ratio alone are one piece; what comes back is counted.
func TestPiecesOfCrews(t *testing.T) {
	run := func(crew doing, plan []*choose.Candidate, landmarks bool) error {
		b, _ := moons(t, 4, nil, false)
		b.Score.Folds, b.Lambda, b.Crew, b.Views = nil, 0.1, crew, [][2]int{{0, 1}, {1, 2}}
		if landmarks {
			b.Landmarks = &kernel.Landmarks{Count: 10}
		}
		_, err := b.Run(t.Context(), plan)
		return err
	}
	for _, c := range []struct {
		apart, landmarks bool
		want             []string
	}{
		{false, false, []string{"candidates: 10"}},
		{true, false, []string{"candidates: 8"}},
		{true, true, []string{"landmarks: 1", "candidates: 8"}},
	} {
		var stages []string
		plan := graphs()
		for i, one := range plan {
			one.Name, one.Prior = fmt.Sprint(i), float64(i)
		}
		if err := run(doing{apart: c.apart, stages: &stages}, plan, c.landmarks); err != nil || !slices.Equal(stages, c.want) {
			t.Errorf("%+v: %q, %v", c, stages, err)
		}
	}
	var stages []string
	if err := run(doing{stages: &stages}, []*choose.Candidate{{Width: 1}}, true); err != nil || len(stages) != 1 {
		t.Errorf("without a graph: %q, %v", stages, err)
	}
	if err := run(doing{begin: errOther}, graphs(), false); !errors.Is(err, errOther) {
		t.Errorf("a stage that does not begin: %v", err)
	}
	if err := run(doing{begin: errOther}, graphs(), true); !errors.Is(err, errOther) {
		t.Errorf("landmarks that are not chosen: %v", err)
	}
	failtest.Refused(t, run(doing{change: encoded(t, []outcome{})}, graphs(), false), "design: 0 of 1 candidates have come back")
	failtest.Refused(t, run(doing{apart: true, change: encoded(t, make([]outcome, 3))}, graphs(), false),
		"design: 3 of 2 candidates have come back")

	field := func() []*Entrant {
		l := stub{train: func(_ []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
			return constant(theta[0]), nil
		}}
		return []*Entrant{{Kernel: kernel.Gaussian{Sigma: 1}, Learner: l, Theta: []float64{1, 7}}}
	}
	stages = nil
	if w, err := (&Race{Problem: noughts(), Crew: doing{stages: &stages}}).Run(t.Context(), field()); err != nil || w.Machine.B[0] != 1 {
		t.Errorf("%+v, %v", w, err)
	}
	if !slices.Equal(stages, []string{"heat of 4 rows: 1"}) {
		t.Errorf("a race has the stages %q", stages)
	}
	_, err := (&Race{Problem: noughts(), Crew: doing{change: encoded(t, verdict{Judged: 1})}}).Run(t.Context(), field())
	failtest.Refused(t, err, "design: 0 of 1 entrants have come back")
	if _, err = (&Race{Problem: noughts(), Crew: doing{begin: errOther}}).Run(t.Context(), field()); !errors.Is(err, errOther) {
		t.Errorf("a round that does not begin: %v", err)
	}
}

// A race by a crew ends as one here does: with the failure of an entrant, with none that can be trained, or with the best so far.
func TestRaceOfCrewThatFails(t *testing.T) {
	enter := func(train func(rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error)) (list []*Entrant) {
		for i, v := range []float64{3, 2} {
			list = append(list, &Entrant{Kernel: kernel.Gaussian{Sigma: float64(i + 1)}, Learner: stub{train: train},
				Theta: []float64{v, 7}})
		}
		return list
	}
	all := enter(func([]int, []float64, *learn.Machine) (*learn.Machine, error) { return nil, errIndefinite })
	if _, err := (&Race{Problem: noughts(), Crew: doing{}}).Run(t.Context(), all); !errors.Is(err, errNoEntrant) {
		t.Errorf("where none can be trained: %v", err)
	}
	for _, e := range all {
		if e.Left != errIndefinite.Error() {
			t.Errorf("an entrant left: %q", e.Left)
		}
	}
	last := enter(func(rows []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
		if rows == nil {
			return nil, errOther
		}
		return constant(theta[0]), nil
	})
	if _, err := (&Race{Problem: noughts(), Crew: doing{}}).Run(t.Context(), last); !errors.Is(err, errOther) {
		t.Errorf("where the winner cannot be trained: %v", err)
	}
	for name, c := range map[string]struct {
		prior bool
		ends  int // trainings after which the context ends
		want  int // entrant; -1: none
		err   bool
	}{
		"first, at once": {false, 1, -1, true}, "first, after one": {false, 3, 0, false}, "later": {true, 3, -1, false},
		"at last": {true, 9, 1, false},
	} {
		ctx, n := &ending{Context: t.Context()}, 0
		list := enter(func(_ []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
			if n++; n == c.ends {
				ctx.over = true
			}
			return constant(theta[0]), nil
		})
		h := roundOf(noughts(), nil)
		if h.race.Crew = (doing{}); c.prior {
			h.prior = &Winner{Entrant: list[0]}
		}
		w, err := h.run(ctx, list)
		if (err != nil) != c.err || (w == nil) != (c.want < 0) || w != nil && w.Entrant != list[c.want] {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
	}
}

// making is a maker whose machine is at hand.
type making struct{ m *choose.Machine }

func (k making) Make(context.Context, *score.LeaveOut) (*choose.Machine, error) { return k.m, nil }

// TestMachinesThatAreMade: a candidate with a maker has its machine, and one that was trained elsewhere the kernel that was found there.
func TestMachinesThatAreMade(t *testing.T) {
	b, _ := moons(t, 4, nil, false)
	own := &choose.Candidate{Width: 1, Maker: making{&choose.Machine{Kernel: kernel.Gaussian{Sigma: 7}}}}
	m, err := b.train(t.Context(), own)
	if err != nil || m.Kernel != (kernel.Gaussian{Sigma: 7}) {
		t.Fatalf("%+v, %v", m, err)
	}
	for c, want := range map[*choose.Candidate]kernel.Kernel{own: kernel.Gaussian{Sigma: 7}, {Own: kernel.Linear{}}: kernel.Linear{}} {
		o, err := b.outcome(c, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := b.open(t.Context(), c, o)
		if err != nil || back.Kernel != want {
			t.Errorf("%+v, %v, expected the kernel %+v", back, err, want)
		}
	}
}
