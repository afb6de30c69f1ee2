package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// stub is a learner whose machines are constants, so that their scores are known.
type stub struct {
	train func(rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error)
	bind  error
	as    func(learn.Trainer) learn.Trainer // nil: as it is
}

func (stub) Space(diagonal, _ float64) param.Space {
	return param.Space{
		{Name: "C", Kind: param.Log, Lo: 0.01 / diagonal, Hi: 100 / diagonal, Default: 1},
		{Name: "second", Kind: param.Real, Lo: 0, Hi: 9, Default: 7},
	}
}

func (s stub) Bind(context.Context, kernel.Gram, *learn.Problem) (learn.Trainer, error) {
	if s.as != nil {
		return s.as(stubTrainer(s)), s.bind
	}
	return stubTrainer(s), s.bind
}

type stubTrainer stub

func (s stubTrainer) Train(_ context.Context, rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
	return s.train(rows, theta, warm)
}

// constant is the machine with this output.
func constant(v float64) *learn.Machine { return &learn.Machine{Offset: []float64{v}} }

// noughts is a regression on four rows whose targets are nought: a constant v has the score 2 v^2.
func noughts() *learn.Problem {
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	return learn.NewProblem(data.Rows{Dense: x}, data.Labels{Task: data.Regression, Value: make([]float64, 4)})
}

var (
	errIndefinite = &blas.NotPositiveDefinite{Pivot: 3}
	errOther      = errors.New("another failure")
)

// The strength is that of the least score, the weaker of two, among those that can be trained, up to where a limit is met.
func TestStrengthOfLearner(t *testing.T) {
	type failing map[string]error // "C" of folds, "C all" of all rows
	for name, c := range map[string]struct {
		outputs  [5]float64 // of C from 0.01 to 100
		fails    failing
		limited  float64 // C
		lambda   float64
		trial    []float64
		unscored bool

		c     float64 // "0": there is an error
		tried int
		score float64
		err   error
	}{
		"least":             {outputs: [5]float64{3, 2, 1, 4, 5}, c: 1, tried: 5, score: 2},
		"first":             {outputs: [5]float64{1, 2, 3, 4, 5}, c: 0.01, tried: 5, score: 2},
		"last":              {outputs: [5]float64{5, 4, 3, 2, 1}, c: 100, tried: 5, score: 2},
		"the weaker of two": {outputs: [5]float64{3, 1, 2, 1, 5}, c: 0.1, tried: 5, score: 2},
		"not a number":      {outputs: [5]float64{math.NaN(), 3, 2, math.NaN(), 5}, c: 1, tried: 5, score: 8},
		"up to a limit":     {outputs: [5]float64{5, 4, 3, 2, 1}, limited: 1, c: 1, tried: 3, score: 18},
		"one fails": {outputs: [5]float64{3, 1, 2, 4, 5}, fails: failing{"0.1": errIndefinite}, c: 1, tried: 4,
			score: 8},
		"on all rows": {outputs: [5]float64{3, 1, 2, 4, 5}, fails: failing{"0.1 all": errIndefinite}, c: 1, tried: 5,
			score: 8},
		"on all rows otherwise": {outputs: [5]float64{3, 1, 2, 4, 5}, fails: failing{"0.1 all": errOther}, err: errOther},
		"otherwise":             {outputs: [5]float64{3, 1, 2, 4, 5}, fails: failing{"100": errOther}, err: errOther},
		"all fail":              {fails: failing{"0.01": errOther, "0.1": errIndefinite}, trial: []float64{0.1}, err: errIndefinite},
		"given":                 {outputs: [5]float64{3, 1, 2, 4, 5}, lambda: 0.05, c: 10, tried: 1, score: 32},
		"unscored": {outputs: [5]float64{3, 1, 2, 4, 5}, lambda: 0.05, unscored: true, fails: failing{"10": errOther},
			c: 10},
		"of several the score decides": {outputs: [5]float64{3, 1, 2, 4, 5}, unscored: true, c: 0.1, tried: 5, score: 2},
		"a trial":                      {outputs: [5]float64{3, 1, 2, 4, 5}, trial: []float64{0.01, 1}, c: 1, tried: 2, score: 8},
	} {
		last := map[int]*learn.Machine{} // by the first row of the fold
		l := stub{train: func(rows []int, theta []float64, warm *learn.Machine) (*learn.Machine, error) {
			key := fmt.Sprintf("%.3g", theta[0])
			if rows == nil {
				key += " all"
			}
			if err := c.fails[key]; err != nil {
				return nil, err
			}
			m := constant(c.outputs[int(math.Round(math.Log10(theta[0])))+2])
			if rows != nil {
				if warm != last[rows[0]] {
					t.Errorf("%s: the training on %v does not begin at the last one", name, rows)
				}
				last[rows[0]] = m
			}
			if rows != nil && rows[0] == 0 && theta[0] == c.limited { // of one fold alone
				m.Certificate.Limited = "steps"
			}
			if theta[1] != 7 {
				t.Errorf("%s: the second parameter is %v", name, theta[1])
			}
			return m, nil
		}}
		p := noughts()
		b := &Bench{Learner: l, Lambda: c.lambda, Unscored: c.unscored, strengths: c.trial,
			Score: score.LeaveOut{Problem: p, Folds: [][]int{{0, 1}, {2, 3}}, Criterion: score.Press{}}}
		k := kernel.Gaussian{Sigma: 1}
		g, err := k.Bind(t.Context(), p.Rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.trainLearner(t.Context(), k, g, c.lambda)
		if c.err != nil {
			if !errors.Is(err, c.err) || m != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if math.Abs(m.Theta[0]/c.c-1) > 1e-12 || math.Abs(m.Lambda*2*c.c-1) > 1e-12 || m.Score != c.score || len(m.Tried) != c.tried {
			t.Errorf("%s: C %v, lambda %v, score %v, %d tried", name, m.Theta[0], m.Lambda, m.Score, len(m.Tried))
		}
		v := c.outputs[int(math.Round(math.Log10(c.c)))+2]
		if (m.LeftOut == nil) != (c.tried == 0) || m.LeftOut != nil && m.LeftOut.At(3, 0) != v || m.Outputs.At(2, 0) != v || m.B[0] != v {
			t.Errorf("%s: left-out outputs %v, outputs %v, offset %v", name, m.LeftOut, m.Outputs, m.B)
		}
	}
}

// bounding and leaving are trainers that know more than to train.
type bounding struct{ learn.Trainer }

func (b bounding) Bound(ctx context.Context, theta []float64, warm *learn.Machine) (float64, *mat.Dense, *learn.Machine, error) {
	m, err := b.Train(ctx, nil, theta, warm)
	return 11, nil, m, err
}

type leaving struct {
	learn.Trainer
	known bool
}

func (l leaving) LeaveOneOut(ctx context.Context, theta []float64, warm *learn.Machine) (*mat.Dense, *learn.Machine, bool, error) {
	m, err := l.Train(ctx, nil, theta, warm)
	return mat.NewDense(4, 1, []float64{1, 1, 1, 2}), m, l.known, err
}

// A trainer that knows its bound, or what it gives rows left out one by one, is asked for it; others train for every fold.
func TestJudge(t *testing.T) {
	p := noughts()
	k := kernel.Gaussian{Sigma: 1}
	g, err := k.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair := [][]int{{0, 1}, {2, 3}}
	for name, c := range map[string]struct {
		as      func(learn.Trainer) learn.Trainer
		folds   [][]int
		want    float64
		trained int // for each judgement
	}{
		"folds":               {nil, pair, 8, 2},
		"one by one":          {nil, nil, 8, 4},
		"a bound":             {func(t learn.Trainer) learn.Trainer { return bounding{t} }, pair, 11, 1},
		"leave-one-out":       {func(t learn.Trainer) learn.Trainer { return leaving{t, true} }, nil, 3.5, 1},
		"not this time":       {func(t learn.Trainer) learn.Trainer { return leaving{t, false} }, nil, 8, 5},
		"folds are asked for": {func(t learn.Trainer) learn.Trainer { return leaving{t, true} }, pair, 8, 2},
	} {
		n, limit, cold := 0, "", 0
		var fail error
		l := stub{as: c.as, train: func(_ []int, _ []float64, warm *learn.Machine) (*learn.Machine, error) {
			n++
			if warm == nil {
				cold++
			}
			m := constant(2)
			m.Certificate.Limited = limit
			return m, fail
		}}
		trainer, _ := l.Bind(t.Context(), g, p)
		judge := (&Bench{Score: score.LeaveOut{Problem: p, Folds: c.folds, Criterion: score.Press{}}}).judge(g, trainer)
		for again := range 3 {
			if again == 2 {
				limit = "steps"
			}
			v, _, limited, err := judge(t.Context(), []float64{1})
			if err != nil || v != c.want || limited != (again == 2) || n != (again+1)*c.trained {
				t.Errorf("%s: score %v after %d trainings, limited %v, %v", name, v, n, limited, err)
			}
		}
		if most := c.trained; name != "not this time" && cold != most {
			t.Errorf("%s: %d of %d trainings begin at nothing", name, cold, n)
		}
		if fail = errOther; true {
			if _, _, _, err := judge(t.Context(), []float64{1}); !errors.Is(err, errOther) {
				t.Errorf("%s: a failure gives %v", name, err)
			}
		}
	}
}

// The ridge is 1/(2C) of a learner whose first parameter is C, and of no other.
func TestRidgeOfLearner(t *testing.T) {
	if got := ridge(stub{}, []float64{4, 7}); got != 0.125 {
		t.Errorf("C = 4: %v", got)
	}
	if got := ridge(renamed{}, []float64{4, 7}); got != 0 {
		t.Errorf("nu = 4: %v", got)
	}
	if got := ridge(plain{}, nil); got != 0 {
		t.Errorf("no parameters: %v", got)
	}
}

type renamed struct{ stub }

func (renamed) Space(float64, float64) param.Space { return param.Space{{Name: "nu"}, {Name: "C"}} }

type plain struct{ stub }

func (plain) Space(float64, float64) param.Space { return nil }

// roundOf is a round of all four rows of noughts.
func roundOf(p *learn.Problem, prior *Winner) *round {
	return &round{race: &Race{Problem: p}, rows: []int{0, 1, 2, 3}, problem: p, folds: [][]int{{0, 1}, {2, 3}}, prior: prior}
}

// What fails for its parameters leaves with the failure's words, what is stronger than one that met a limit is not judged, and any
// other failure ends the round.
func TestEntrantsThatFail(t *testing.T) {
	enter := func(l stub, strengths ...float64) (list []*Entrant) {
		for _, c := range strengths {
			list = append(list, &Entrant{Kernel: kernel.Gaussian{Sigma: 1}, Learner: l, Theta: []float64{c, 7}})
		}
		return list
	}
	train := func(_ []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
		switch theta[0] {
		case 1:
			return nil, errIndefinite
		case 2:
			m := constant(2)
			m.Certificate.Limited = "steps"
			return m, nil
		case 9:
			return nil, errOther
		}
		return constant(theta[0]), nil
	}
	// Entrants share the learner itself, for learners that hold functions are never equal otherwise.
	h := roundOf(noughts(), nil)
	field := enter(stub{train: train}, 1, 4, 3, 2, 5, 6)
	w, finish, err := h.group(t.Context(), field)
	if err != nil || w.Entrant != field[3] || w.Score != 2 || w.Loss != 8 || h.race.done != 3 {
		t.Fatalf("%+v, %v", w, err)
	}
	if m, err := finish(t.Context()); err != nil || m.B[0] != 2 || m.Theta[0] != 2 || m.Lambda != 0.25 {
		t.Errorf("the winner's machine: %+v, %v", m, err)
	}
	for i, want := range []string{errIndefinite.Error(), "", "", "", "its training met a limit", "its training met a limit"} {
		if field[i].Left != want {
			t.Errorf("entrant %d left: %q", i, field[i].Left)
		}
	}
	for name, l := range map[string]stub{"training": {train: train}, "binding": {bind: errOther}} {
		if _, err := roundOf(noughts(), nil).run(t.Context(), enter(l, 9)); !errors.Is(err, errOther) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (&Race{Problem: noughts()}).Run(t.Context(), enter(l, 9)); !errors.Is(err, errOther) {
			t.Errorf("%s: the race ends with %v", name, err)
		}
		e := enter(l, 9)[0]
		if _, err := roundOf(noughts(), nil).train(t.Context(), e); !errors.Is(err, errOther) {
			t.Errorf("%s: training the winner ends with %v", name, err)
		}
	}
	if _, err := (&Race{Problem: noughts()}).Run(t.Context(), enter(stub{train: train}, 1, 1)); !errors.Is(err, errNoEntrant) {
		t.Errorf("where none can be trained: %v", err)
	}
	// Outputs that are no numbers are the worst.
	nan := stub{train: func(_ []int, theta []float64, _ *learn.Machine) (*learn.Machine, error) {
		return constant(theta[0]), nil
	}}
	list := enter(nan, math.NaN(), 1e3)
	if w, err := (&Race{Problem: noughts()}).Run(t.Context(), list); err != nil || w.Entrant != list[1] || !math.IsInf(list[0].Score, 1) {
		t.Errorf("with outputs that are no numbers: %v, %v", w, err)
	}
}

// A round whose context ends has the winner of the round before if that was trained; the first round has the best so far.
func TestHeatThatEnds(t *testing.T) {
	for name, c := range map[string]struct {
		prior   int // entrant that won before, -1: there is no round before
		ends    int // trainings after which the context ends
		want    int // entrant; -1: no winner
		trained bool
	}{
		"first, at once":                {-1, 1, -1, false},
		"first, after one":              {-1, 3, 0, true},
		"first, after two":              {-1, 5, 1, true},
		"later, before the winner":      {2, 1, -1, false},
		"later, while it is trained":    {2, 3, -1, false},
		"later, after it":               {2, 4, 2, true},
		"later, after a better":         {2, 6, 2, true},
		"later, after all but training": {2, 7, 2, true},
	} {
		ctx := &ending{Context: t.Context()}
		n := 0
		var field []*Entrant
		for i, v := range []float64{3, 2, 4} {
			l := stub{train: func([]int, []float64, *learn.Machine) (*learn.Machine, error) {
				if n++; n == c.ends {
					ctx.over = true
				}
				return constant(v), nil
			}}
			field = append(field, &Entrant{Kernel: kernel.Gaussian{Sigma: float64(i + 1)}, Learner: l, Theta: []float64{1, 7}})
		}
		var prior *Winner
		if c.prior >= 0 {
			prior = &Winner{Entrant: field[c.prior]}
		}
		w, err := roundOf(noughts(), prior).run(ctx, field)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want < 0 && w != nil, c.want >= 0 && (w == nil || w.Entrant != field[c.want]):
			t.Errorf("%s: the winner is %+v", name, w)
		case w != nil && (w.Machine.B == nil) == c.trained:
			t.Errorf("%s: trained %v", name, !c.trained)
		}
	}
}

// The lambda of a list of left-out outputs is that of the best score, the larger of two, up to where smaller ones fail.
func TestRidgeByFolds(t *testing.T) {
	at := func(v float64) *mat.Dense { return mat.NewDense(4, 1, []float64{v, v, v, v}) }
	for name, c := range map[string]struct {
		out   []any // a number or an error for each lambda
		want  float64
		score float64
		asked int
		err   error
	}{
		"best":        {[]any{3.0, 1.0, 2.0}, 10, 2, 3, nil},
		"larger":      {[]any{3.0, 1.0, 1.0}, 10, 2, 3, nil},
		"until fails": {[]any{3.0, 2.0, errIndefinite, 1.0}, 10, 8, 3, nil},
		"all fail":    {[]any{errIndefinite, 1.0}, 0, 0, 1, errNoLambda},
		"otherwise":   {[]any{3.0, errOther, 1.0}, 0, 0, 2, errOther},
		"no number":   {[]any{math.NaN(), 2.0}, 10, 8, 2, nil},
	} {
		m, asked := &choose.Machine{}, 0
		err := roundOf(noughts(), nil).ridge(m, []float64{100, 10, 1, 0.1}[:len(c.out)], func(float64) (*mat.Dense, error) {
			asked++
			if v, ok := c.out[asked-1].(float64); ok {
				return at(v), nil
			}
			return nil, c.out[asked-1].(error)
		})
		if asked != c.asked || !errors.Is(err, c.err) || c.err == nil && (m.Lambda != c.want || m.Score != c.score) {
			t.Errorf("%s: lambda %v, score %v, %d asked, %v", name, m.Lambda, m.Score, asked, err)
		}
	}
}

// Rounds place their outputs among those of all labelled rows.
func TestPlaceOfHeat(t *testing.T) {
	p := noughts()
	h := &round{race: &Race{Problem: p}, rows: []int{1, 3}, folds: [][]int{{1}, {0}}}
	w := &Winner{Entrant: &Entrant{Loss: 5}, Machine: &choose.Machine{Outputs: mat.NewDense(2, 1, nil)}}
	h.place(w, mat.NewDense(2, 1, []float64{8, 9}))
	if got := w.Machine.LeftOut.RawMatrix().Data; !slices.Equal(got, []float64{0, 8, 0, 9}) {
		t.Errorf("left-out outputs %v", got)
	}
	if w.Trained != 2 || w.Machine.Outputs != nil || w.Machine.Score != 5 ||
		!slices.Equal(w.Folds[0], []int{3}) || !slices.Equal(w.Folds[1], []int{1}) {
		t.Errorf("%+v", w)
	}
	all := roundOf(p, nil)
	left := mat.NewDense(4, 1, nil)
	w.Machine.Outputs = mat.NewDense(4, 1, nil)
	if all.place(w, left); w.Machine.LeftOut != left || w.Machine.Outputs == nil || w.Trained != 4 {
		t.Error("a round of all rows does not keep its outputs")
	}
	unlabelled := *p
	unlabelled.Labelled = []int{0, 1, 2}
	part := &round{race: &Race{Problem: &unlabelled}, rows: []int{0, 1, 2}, folds: [][]int{{0, 1}, {2}}}
	if part.place(w, mat.NewDense(3, 1, nil)); w.Machine.Outputs != nil {
		t.Error("outputs of labelled rows are kept as those of all")
	}
}

// One machine at given values fails with its learner, which cannot be bound, or trains no fold, or not all rows.
func TestFixedLearnersThatFail(t *testing.T) {
	failing := func(fails func(rows []int) bool) stub {
		return stub{train: func(rows []int, _ []float64, _ *learn.Machine) (*learn.Machine, error) {
			if fails(rows) {
				return nil, errOther
			}
			return constant(1), nil
		}}
	}
	for name, l := range map[string]stub{
		"binding":  {bind: errOther},
		"a fold":   failing(func(rows []int) bool { return rows != nil }),
		"all rows": failing(func(rows []int) bool { return rows == nil }),
	} {
		s := &score.Refit{Kernel: kernel.Gaussian{Sigma: 1}, Learner: l, Problem: noughts(), Criterion: score.Press{},
			Folds: [][]int{{0, 1}, {2, 3}}}
		if c, err := FixedLearner(t.Context(), s, []float64{1, 1, 7}); !errors.Is(err, errOther) || c != nil {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}
