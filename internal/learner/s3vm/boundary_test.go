package s3vm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// noted is a solver that notes what it was given.
type noted struct {
	problems []*Problem
	warm     []*Solution
	answer   Solution
}

func (s *noted) Solve(_ context.Context, p *Problem, warm *Solution) (Solution, error) {
	s.problems, s.warm = append(s.problems, p), append(s.warm, warm)
	a := s.answer
	a.Alpha = make([]float64, len(p.Rows))
	return a, nil
}

// noting is one that works in columns.
type noting struct{ *noted }

func (noting) InColumns() {}

// two are six rows of two classes, the third and the last two without a label.
func two() *learn.Problem {
	l := data.Labels{
		Task:    data.Classification,
		Classes: []string{"a", "b"},
		Class:   []int{1, 0, data.Unlabelled, 1, data.Unlabelled, data.Unlabelled},
	}
	p := learn.NewProblem(data.Rows{Dense: random(4, 6, 2)}, l)
	p.Weight = []float64{2, 3, 5}
	return p
}

// A solver is given the share of the second class among the labels, full weight of the unlabelled rows and the rows with
// labels first, unless something else was asked for; and what it says of itself is kept.
func TestWhatASolverIsGiven(t *testing.T) {
	s := &noted{answer: Solution{Offset: 7, Certificate: learn.Certificate{Objective: 3, Steps: 4, Limited: "enough", Least: -2}}}
	p := two()
	for _, c := range []struct {
		learner    Learner
		share      float64
		unlabelled float64
		offset     []float64
	}{
		{Learner{Solver: s}, 2.0 / 3, 1, nil},
		{Learner{Solver: s, Offset: true, Shares: []float64{0.9, 0.1}, Unlabelled: 0.25}, 0.1, 0.25, []float64{7}},
	} {
		s.problems, s.warm = nil, nil
		_, tr := bound(t, c.learner, p)
		for _, rows := range [][]int{nil, {2, 1}} {
			m, err := tr.Train(t.Context(), rows, []float64{11}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Offset, c.offset) || m.Certificate.Limited != "enough" || m.Certificate.Least != -2 ||
				m.Certificate.Steps != 4 {
				t.Errorf("the machine is %+v", m)
			}
		}
		all, fold := s.problems[0], s.problems[1]
		if math.Abs(all.Positive-c.share) > 1e-15 || all.Positive != fold.Positive || all.Unlabelled != c.unlabelled ||
			all.Offset != (c.offset != nil) {
			t.Errorf("share %g, weight %g, offset %v", all.Positive, all.Unlabelled, all.Offset)
		}
		if all.Fold || !fold.Fold || all.C != 11 || all.Least != 0 || all.Tables != fold.Tables || all.Tables == nil {
			t.Errorf("%+v, %+v", all, fold)
		}
		if !slices.Equal(all.Rows, []int{0, 1, 3, 2, 4, 5}) || !slices.Equal(all.Y, []float64{1, -1, 1}) ||
			!slices.Equal(all.Weight, []float64{2, 3, 5}) {
			t.Errorf("rows %v with %v and %v", all.Rows, all.Y, all.Weight)
		}
		if !slices.Equal(fold.Rows, []int{3, 1, 0, 2, 4, 5}) || !slices.Equal(fold.Y, []float64{1, -1}) ||
			!slices.Equal(fold.Weight, []float64{5, 3}) {
			t.Errorf("of a fold rows %v with %v and %v", fold.Rows, fold.Y, fold.Weight)
		}
		if s.warm[0] != nil || s.warm[1] != nil {
			t.Error("there is a start")
		}
	}
}

// A machine of the same rows is a start in the order of the problem, for each output; another is none.
func TestStarts(t *testing.T) {
	m := &learn.Machine{Rows: []int{2, 0, 1}, Coef: mat.NewDense(3, 2, []float64{20, 21, 0, 1, 10, 11})}
	if s := started(m, []int{0, 1, 2}, 1); !slices.Equal(s.Alpha, []float64{1, 11, 21}) || s.Offset != 0 {
		t.Errorf("the start is %+v", s)
	}
	m.Offset = []float64{5, 6}
	if s := started(m, []int{1, 2, 0}, 1); !slices.Equal(s.Alpha, []float64{11, 21, 1}) || s.Offset != 6 {
		t.Errorf("the start is %+v", s)
	}
	if started(nil, []int{0}, 0) != nil || started(m, []int{0, 1}, 0) != nil {
		t.Error("there is a start without a machine of these rows")
	}
	s := &noted{}
	_, tr := bound(t, Learner{Solver: s}, two())
	from := &learn.Machine{Rows: []int{0, 1, 2, 3, 4, 5}, Coef: mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})}
	if _, err := tr.Train(t.Context(), nil, []float64{1}, from); err != nil ||
		!slices.Equal(s.warm[0].Alpha, []float64{1, 2, 4, 3, 5, 6}) {
		t.Errorf("the solver starts at %+v", s.warm[0])
	}
}

// A solver in columns has the features of the rows, and needs a kernel with some.
func TestInColumns(t *testing.T) {
	s := &noted{}
	p := two()
	g, err := kernel.Linear{}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Learner{Solver: noting{s}}.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Train(t.Context(), nil, []float64{1}, nil); err != nil {
		t.Fatal(err)
	}
	if one := s.problems[0]; one.K != nil || !mat.Equal(one.X.Dense, p.Rows.Dense) {
		t.Errorf("it is given %+v", one)
	}
	other, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "s3vm: the solver works in columns, and the kernel has none; choose a linear kernel"
	if _, err := (Learner{Solver: noting{s}}).Bind(t.Context(), other, p); err == nil || err.Error() != want {
		t.Errorf("a Gaussian kernel: %v", err)
	}
}

// The space of C ends a decade below that of other machines.
func TestSpaceOfC(t *testing.T) {
	want := learn.Strength(3)
	want.Hi /= 10
	if got := (Learner{}).Space(3, 9); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
	Learner{}.Anytime()
}

// The whole words of what is refused.
func TestWordsOfRefusals(t *testing.T) {
	p := two()
	g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair := *p
	pair.Coding.Pairs = true // of two classes there is one pair
	if _, err := (Learner{Solver: &noted{}}).Bind(t.Context(), g, &pair); err != nil {
		t.Error(err)
	}
	failed := errors.New("failed")
	for want, f := range map[string]func() error{
		"failed": func() error { _, err := Learner{Solver: unprepared{failed}}.Bind(t.Context(), g, p); return err },
		"s3vm: the kernel value (0, 3) is +Inf; scale the features or change the kernel's parameters": func() error {
			_, err := Learner{Solver: &noted{}}.Bind(t.Context(), infinite{g}, p)
			return err
		},
		"s3vm: no row is unlabelled; train the supervised machine": func() error {
			_, err := Gradient{}.Solve(t.Context(), &Problem{K: mat.NewDense(1, 1, []float64{1}), Rows: []int{0}, Y: []float64{1}}, nil)
			return err
		},
		"s3vm: the kernel is indefinite: its smallest eigenvalue on the rows is -0.25, so no bound of branch and bound holds; " +
			"choose a positive definite kernel, such as gaussian, or another method": func() error {
			_,
				err := Branch{}.Solve(t.Context(), &Problem{Least: -0.25}, nil)
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	failtest.Panics(
		t,
		"s3vm: no weighted machine with the loss "+learn.Square().Name(),
		func() { newWeighted(small(t, false), learn.Square()) },
	)
	failtest.Panics(
		t,
		"s3vm: no annealing with the loss "+learn.Logistic().Name(),
		func() { _, _ = newStep(t.Context(), newSystem(small(t, false)), 5, learn.Logistic()) },
	)
}

// unprepared is a solver that cannot be prepared.
type unprepared struct{ err error }

func (unprepared) Solve(context.Context, *Problem, *Solution) (Solution, error) {
	return Solution{}, nil
}

func (u unprepared) Prepare(context.Context, kernel.Gram, *mat.Dense) (Solver, error) {
	return nil, u.err
}

// infinite is a kernel with a value that is not finite.
type infinite struct{ kernel.Gram }

func (g infinite) Block(dst *mat.Dense, i, j []int) {
	if g.Gram.Block(dst, i, j); i == nil {
		dst.Set(0, 3, math.Inf(1))
	}
}

// Mean outputs are tried in steps that double from 0.05 on, then in the middle of the two between which the number lies,
// no further than 2 and no more than thirty.
func TestDichotomy(t *testing.T) {
	tries := func(first float64, count int, positive func(float64) int) (list []float64) {
		err := dichotomy(first, count, func(level float64) (int, bool, error) {
			list = append(list, level)
			return positive(level), false, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, c := range []struct {
		name     string
		first    float64
		positive func(float64) int
		want     []float64
	}{
		{"at once", 0.3, func(float64) int { return 5 }, []float64{0.3}},
		{"too few", 0, func(m float64) int { return map[bool]int{true: 5, false: 3}[m > 0.3] }, []float64{0, 0.05, 0.15, 0.35}},
		{"too many", 0, func(m float64) int { return map[bool]int{true: 5, false: 9}[m < -0.3] }, []float64{0, -0.05, -0.15, -0.35}},
		{"between", 0, func(m float64) int {
			switch {
			case m > 0.29:
				return 6
			case m > 0.22:
				return 5
			}
			return 4
		}, []float64{0, 0.05, 0.15, 0.35, 0.25}},
		{"never too many", 0, func(float64) int { return 9 }, []float64{0, -0.05, -0.15, -0.35, -0.75, -1.55}},
		{"the widest", 0.45, func(float64) int { return 1 }, []float64{0.45, 0.5, 0.6, 0.8, 1.2, 2}},
	} {
		got := tries(c.first, 5, c.positive)
		if !near(got, c.want, 1e-12) {
			t.Errorf("%s: %v were tried, expected %v", c.name, got, c.want)
		}
	}
	if got := tries(0.1, 5, func(m float64) int { return map[bool]int{true: 4, false: 6}[m < 0.123456] }); len(got) != 30 {
		t.Errorf("a number that no mean gives is looked for %d times", len(got))
	}
	failed, seen := errors.New("failed"), 0
	if err := dichotomy(0, 5, func(float64) (int, bool, error) { seen++; return 9, true, nil }); err != nil || seen != 1 {
		t.Errorf("told to stop it tries %d, %v", seen, err)
	}
	if err := dichotomy(0, 5, func(float64) (int, bool, error) { return 0, false, failed }); !errors.Is(err, failed) {
		t.Errorf("what failed is not told: %v", err)
	}
	const want = "3 of 8 unlabelled rows are decided for a class that was to have 4: no mean output between gives that number"
	if got := unmet(3, 8, 4); got != want {
		t.Error(got)
	}
	at := func(positive int, f float64) *minimum {
		m := &minimum{positive: positive}
		m.F = f
		return m
	}
	for _, c := range []struct {
		a, b *minimum
		want bool
	}{
		{at(4, 9), at(7, 1), true}, {at(7, 1), at(4, 9), false}, {at(4, 1), at(6, 2), true}, {at(6, 2), at(4, 1), false},
		{at(4, 1), at(4, 1), false},
	} {
		if got := c.a.closer(c.b, 5); got != c.want {
			t.Errorf("%d of %g is closer to 5 than %d of %g: %v", c.a.positive, c.a.F, c.b.positive, c.b.F, got)
		}
	}
}

// A search has its usual limits where nothing is asked for, fewer nodes for a fold and one at a time by depth.
func TestLimitsOfBranch(t *testing.T) {
	p := small(t, false)
	fold := *p
	fold.Fold = true
	for _, c := range []struct {
		of    Branch
		p     *Problem
		nodes int
		gap   float64
		slots int
	}{
		{Branch{}, p, 10_000, 1e-9, 4}, {Branch{}, &fold, 100, 1e-9, 4}, {Branch{Nodes: 3}, &fold, 3, 1e-9, 4},
		{Branch{Nodes: -1}, p, 10_000, 1e-9, 4},
		{Branch{Loss: learn.Hinge(), DepthFirst: true}, p, 10_000, 1e-5, 1}, {Branch{Gap: 0.5}, p, 10_000, 0.5, 4},
		{Branch{Gap: 1e-12}, p, 10_000, 1e-9, 4},
	} {
		tr := newTree(c.of, c.p)
		if tr.Nodes != c.nodes || tr.Gap != c.gap || len(tr.slots) != c.slots || tr.open.Len() != 1 || tr.made != 1 {
			t.Errorf("%+v: %d nodes, gap %g, %d at a time", c.of, tr.Nodes, tr.Gap, len(tr.slots))
		}
		if tr.objective = 8; tr.cut() != 8*(1-c.gap) {
			t.Errorf("%+v: cut at %g", c.of, tr.cut())
		}
	}
	tr := newTree(Branch{}, p)
	if plus, minus := tr.remaining([]int8{1, 0, -1, -1, 0, 0, 0}); plus != 3 || minus != 1 { // 0.6 of 7 are 4
		t.Errorf("%d more rows are +1, %d -1", plus, minus)
	}
}

// A search that ends early says how far it is from the minimum, which it is not beyond.
func TestGapOfBranch(t *testing.T) {
	words := regexp.MustCompile(
		`^branch and bound was stopped after (\d+) nodes: of the objective (\S+) of the best labels found, ` +
			`the minimum is known to be no less than (\S+)$`,
	)
	for seed := range uint64(4) {
		p := clouds(26, 5, 40+seed, seed%2 == 0)
		p.C = 30
		whole := solved(t, Branch{}, p).Certificate
		for _, nodes := range []int{1, 2, 5, 9} {
			c := solved(t, Branch{Nodes: nodes}, p).Certificate
			if c.Steps > nodes || c.Objective < whole.Objective*(1-1e-9) || c.Objective*(1-c.Gap) > whole.Objective*(1+1e-9) {
				t.Errorf("problem %d, %d nodes: %+v, the minimum is %g", seed, nodes, c, whole.Objective)
			}
			if c.Limited == "" {
				continue
			}
			said := words.FindStringSubmatch(c.Limited)
			if said == nil || said[1] != fmt.Sprint(c.Steps) || said[2] != fmt.Sprintf("%.6g", c.Objective) ||
				said[3] != fmt.Sprintf("%.6g", c.Objective*(1-c.Gap)) {
				t.Errorf("problem %d, %d nodes: %+v", seed, nodes, c)
			}
		}
	}
}

// Whichever look at its context tells an algorithm to stop, it is an error or said in the certificate, and the answer is
// that of its coefficients all the same.
func TestStoppedAnywhere(t *testing.T) {
	said := map[string]bool{}
	number := regexp.MustCompile(`[-+.e0-9]*[0-9]`)
	for _, s := range []Solver{
		Switching{}, Switching{Loss: learn.SquaredHinge()}, Concave{}, Concave{Decisions: true}, Annealing{},
		Annealing{Loss: learn.Square()},
		Annealing{Loss: learn.Hinge()}, Annealing{Temperature: 0.3}, Gradient{}, Gradient{Decisions: true}, Continuation{},
		Continuation{Decisions: true},
		Branch{}, Branch{DepthFirst: true, Loss: learn.Hinge()}, Branch{Seeds: []Solver{Switching{Loss: learn.SquaredHinge()}}},
	} {
		p := clouds(20, 5, 41, true)
		p.C = 20
		try := func(looks int) (ended bool) {
			c := stoptest.After(t.Context(), looks)
			a, err := s.Solve(c, p, nil)
			if _, branches := s.(Branch); c.Late() > 3 && !(branches && c.Late() <= 8) {
				t.Errorf("%T%+v after %d looks: it goes on, and asks %d times more", s, s, looks, c.Late())
			}
			if err != nil {
				if !c.Ended() || !errors.Is(err, context.Canceled) {
					t.Errorf("%T%+v after %d looks: %v", s, s, looks, err)
				}
				return true
			}
			if stopped := strings.Contains(a.Certificate.Limited, "stopped"); stopped != c.Ended() {
				t.Errorf("%T%+v after %d looks: %+v, told to stop: %v", s, s, looks, a.Certificate, c.Ended())
			}
			for i, r := range p.Rows {
				f := a.Offset
				for j, q := range p.Rows {
					f += p.K.At(r, q) * a.Alpha[j]
				}
				if math.Abs(f-a.Fitted[i]) > 1e-8 {
					t.Errorf("%T%+v after %d looks: row %d has %g, its coefficients give %g", s, s, looks, i, a.Fitted[i], f)
					break
				}
			}
			if c.Ended() {
				said[number.ReplaceAllString(a.Certificate.Limited, "#")] = true
			}
			return c.Ended()
		}
		lo, hi := 0, 0
		for try(hi) {
			lo, hi = hi, hi+1+hi/10
		}
		for hi-lo > 1 { // to the last look, and those before it
			if middle := (lo + hi) / 2; try(middle) {
				lo = middle
			} else {
				hi = middle
			}
		}
		for back := range min(lo, 8) {
			try(lo - back)
		}
	}
	want := []string{
		"annealing was stopped at its end; the machine is the best until then",
		"annealing was stopped at the temperature #; the machine is the best until then",
		"annealing was stopped; the machine is the best until then",
		"branch and bound was stopped after # nodes: of the objective # of the best labels found, the minimum is known to be no " +
			"less than #",
		"gradient descent was stopped before its end; the machine is not the minimum",
		"label switching was stopped; the machine is that of the labels until then",
		"the search for the mean output was stopped before its end",
	}
	if got := slices.Sorted(maps.Keys(said)); !slices.Equal(got, want) {
		t.Errorf("what is said:\n%s", strings.Join(got, "\n"))
	}
}

// The dual of coefficients that a row's costs do not allow bounds nothing; else it is its formula.
func TestBoundOfCoefficients(t *testing.T) {
	p := small(t, false)
	for _, v := range []learn.Loss{learn.Hinge(), learn.SquaredHinge()} {
		m := newWeighted(p, v)
		m.label(0, 1, 2)
		m.label(1, -1, 4)
		for _, c := range []struct {
			alpha   []float64
			allowed bool
		}{{[]float64{0.5, -0.7}, true}, {[]float64{0.5, 0.7}, false}, {[]float64{-0.5, -0.7}, false}, {[]float64{0, 0}, true},
			{[]float64{0.5, 0, 0.1}, false}} {
			alpha := make([]float64, 14)
			copy(alpha, c.alpha)
			m.start(alpha, 0)
			want := 0.0
			if c.allowed {
				want = -m.at.norm()/2 + math.Abs(alpha[0]) + math.Abs(alpha[1])
				if v == learn.SquaredHinge() {
					want -= alpha[0]*alpha[0]/8 + alpha[1]*alpha[1]/16
				}
			}
			if got := m.bound(); math.Abs(got-want) > 1e-14 {
				t.Errorf("%s, %v: %g, expected %g", v.Name(), c.alpha, got, want)
			}
		}
	}
}

// Eigenvalues count from 1e-10 of the largest on, and at least one must be positive.
func TestSignificantEigenvalues(t *testing.T) {
	for _, c := range []struct {
		values []float64
		first  int
	}{
		{[]float64{1}, 0}, {[]float64{0.9e-10, 1}, 1}, {[]float64{1.1e-10, 1}, 0}, {[]float64{-5, 0, 2, 3}, 2},
		{[]float64{-5, 3e-11, 1}, 2}, {[]float64{2, 3, 4}, 0},
	} {
		if first, err := significant(c.values); err != nil || first != c.first {
			t.Errorf("%v count from %d on, expected %d; %v", c.values, first, c.first, err)
		}
	}
	const want = "s3vm: the kernel has no positive eigenvalue on these rows; take another kernel"
	for _, values := range [][]float64{nil, {0}, {-2, -1}, {math.NaN()}} {
		if _, err := significant(values); err == nil || err.Error() != want {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// columnsOf is a bound kernel that knows its coordinates.
type columnsOf struct {
	kernel.Gram
	z *mat.Dense
}

func (c columnsOf) Coordinates() *mat.Dense { return c.z }

// Coordinates that a kernel knows are taken, features of sparse rows turned as those of dense ones, and coefficients and
// weights are two ways to write one function.
func TestCoordinatesThatAreKnown(t *testing.T) {
	x := random(8, 9, 3)
	table := mat.NewDense(9, 9, nil)
	table.Mul(x, x.T())
	z := mat.NewDense(9, 2, nil) // orthogonal columns
	for i := range 9 {
		z.Set(i, 0, float64(i-4))
		z.Set(i, 1, float64((i-4)*(i-4))-20.0/3)
	}
	known, err := NewCoordinates(t.Context(), columnsOf{z: z}, mat.NewDense(9, 9, nil))
	if err != nil || known.Z != z || !near(known.lambda, []float64{60, 308}, 1e-9) || known.Least != 0 {
		t.Errorf("%+v, %v", known, err)
	}
	for name, rows := range map[string]data.Rows{"dense": {Dense: x}, "sparse": {Sparse: data.CSRFromDense(x)}} {
		g, err := kernel.Linear{}.Bind(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCoordinates(t.Context(), g, table)
		if err != nil {
			t.Fatal(err)
		}
		var back mat.Dense
		back.Mul(c.Z, c.Z.T())
		if _, p := c.Z.Dims(); p != 3 || !mat.EqualApprox(&back, table, 1e-12) {
			t.Errorf("%s: %d coordinates, which do not make the table", name, p)
		}
		w := []float64{1, -2, 0.5}
		if again := c.Weights(c.Alpha(w)); !near(again, w, 1e-12) {
			t.Errorf("%s: weights %v are %v of the coefficients", name, w, again)
		}
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := NewCoordinates(ctx, g, table); return err })
	}
	zero := data.Rows{Dense: mat.NewDense(9, 1, nil)}
	g, err := kernel.Linear{}.Bind(t.Context(), zero, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCoordinates(t.Context(), g, mat.NewDense(9, 9, nil)); err == nil {
		t.Error("rows of zeros have coordinates")
	}
	bad := mat.DenseCopyOf(table)
	bad.Set(1, 1, math.NaN())
	if _, err := NewCoordinates(t.Context(), nil, bad); err == nil ||
		!strings.HasPrefix(err.Error(), "s3vm: eigenvalues of the 9x9 table of kernel values: ") {
		t.Errorf("a table that is no number: %v", err)
	}
	nan := data.Rows{Dense: mat.DenseCopyOf(x)}
	nan.Dense.Set(1, 1, math.NaN())
	g, err = kernel.Linear{}.Bind(t.Context(), nan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCoordinates(t.Context(), g, table); err == nil ||
		!strings.HasPrefix(err.Error(), "s3vm: eigenvalues of the 3x3 table of kernel values: ") {
		t.Errorf("features that are no number: %v", err)
	}
}

// Unlabelled rows that are all one have nothing to smooth: the continuation is its last problem.
func TestContinuationOfOnePoint(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{-1, 1, 0.3, 0.3, 0.3, 0.3})
	p := &Problem{K: gaussian(x, 1), Rows: []int{0, 1, 2, 3, 4, 5}, Y: []float64{-1, 1}, C: 1, Unlabelled: 1, Positive: 0.7, Offset: true}
	d, err := newDescent(t.Context(), nil, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range d.lengths() {
		if i >= 2 && l > 1e-20 {
			t.Fatalf("row %d is %g from the mean", i, l)
		}
	}
	for i := range d.length {
		d.length[i] = 0
	}
	stages, err := d.widths(t.Context())
	if err != nil || !slices.Equal(stages, []stage{finalStage}) {
		t.Errorf("%v, %v", stages, err)
	}
}

// Rows of equal cost share what is left where no number lies between two temperatures' worth of nu.
func TestProbabilitiesOfOneCost(t *testing.T) {
	p := make([]float64, 4)
	nu := Probabilities(p, []float64{1, 1, 1, 1}, 0.3, 1e-20)
	if math.Abs(nu-1) > 1e-15 {
		t.Errorf("nu is %g", nu)
	}
	for _, v := range p[1:] {
		if v != p[0] {
			t.Errorf("%v of equal cost", p)
		}
	}
}

// Of violations the largest counts, relative to the largest term; the sum counts where the offset is free.
func TestViolation(t *testing.T) {
	for _, c := range []struct {
		pairs  [][2]float64
		offset bool
		want   float64
	}{
		{[][2]float64{{2, -2}}, false, 0}, {[][2]float64{{2, -1}}, false, 0.5}, {[][2]float64{{1, -4}, {0, 1}}, false, 0.75},
		{[][2]float64{{2, -2}, {3, -3}}, true, 5.0 / 3}, {[][2]float64{{2, -2}, {-2, 2}}, true, 0},
		{[][2]float64{{-2, 2}, {-1, 1}}, true, 1.5},
		{nil, true, 0},
	} {
		var w violation
		for _, p := range c.pairs {
			w.add(p[0], p[1])
		}
		if got := w.relative(c.offset); got != c.want {
			t.Errorf("%v, offset %v: %g, expected %g", c.pairs, c.offset, got, c.want)
		}
	}
}

// Costs are those of the problem: C times the weight of a label, and C l/u times their weight of the others.
func TestCosts(t *testing.T) {
	p := &Problem{Rows: make([]int, 8), Y: []float64{1, -1, 1}, C: 2, Unlabelled: 0.5, Positive: 0.5}
	if got := p.Costs(); !near(got, []float64{2, 2, 2, 0.6, 0.6, 0.6, 0.6, 0.6}, 1e-15) || p.Count() != 3 || p.Labelled() != 3 {
		t.Errorf("costs %v, %d of %d", got, p.Count(), p.Labelled())
	}
	p.Weight = []float64{1, 3, 0.25}
	if got := p.Costs(); !near(got, []float64{2, 6, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6}, 1e-15) {
		t.Errorf("costs %v", got)
	}
	p.Unlabelled = 0
	p.K = mat.NewDense(9, 9, nil)
	if s := newSystem(p); len(s.rows) != 3 || len(s.cost) != 3 || len(s.wide) != 9 {
		t.Errorf("rows that cost nothing: %d of %d", len(s.rows), len(s.wide))
	}
}

// Labels in balance go to the largest outputs, of equal ones to the first.
func TestDecidedOfEqualOutputs(t *testing.T) {
	for _, c := range []struct {
		share float64
		f     []float64 // of the unlabelled rows
		want  []float64
	}{
		{0.5, []float64{1, 1, 1, 1}, []float64{1, 1, -1, -1}}, {0.5, []float64{0, 2, 0, -1}, []float64{1, 1, -1, -1}},
		{0.25, []float64{0, 2, 2, -1}, []float64{-1, 1, -1, -1}}, {0, []float64{3, 3, 3, 3}, []float64{-1, -1, -1, -1}},
		{1, []float64{-3, -3, 0, 1}, []float64{1, 1, 1, 1}}, {0.75, []float64{5, 0, 0, 0}, []float64{1, 1, 1, -1}},
	} {
		p := &Problem{Rows: make([]int, 6), Y: []float64{-1, 1}, Positive: c.share}
		y := []float64{9, 9, 9, 9, 9, 9}
		p.decided(y, append([]float64{-7, -7}, c.f...))
		if !slices.Equal(y, append([]float64{-1, 1}, c.want...)) {
			t.Errorf("a share of %g of the outputs %v: %v", c.share, c.f, y)
		}
	}
}

// A dive labels something, be the labels of all rows alike; the rows whose differ most, and nearly as much, first.
func TestSurestLabels(t *testing.T) {
	for _, c := range []struct {
		up, down []float64
		label    []int8
		want     []int8 // four of seven are to be +1
	}{
		{make([]float64, 7), make([]float64, 7), make([]int8, 7), []int8{-1, -1, -1, 0, 0, 0, 0}},
		{[]float64{0, 9, 1, 0, 0, 8.2, 3}, []float64{10, 0, 0, 9.1, 8.9, 0, 0}, make([]int8, 7), []int8{1, -1, 0, 1, 0, 0, 0}},
		{[]float64{0, 9, 1, 0, 0, 8.2, 3}, []float64{10, 0, 0, 9.1, 8.9, 0, 0}, []int8{1, -1, 0, 1, 0, 0, 0},
			[]int8{1, -1, 0, 1, 1, -1, 0}},
		{[]float64{0, 0, 0, 0, 0, 0, 5}, []float64{1, 1, 1, 1, 1, 1, 0}, []int8{1, 1, 1, 1, 0, 0, 0}, []int8{1, 1, 1, 1, 0, 0, -1}},
	} {
		tr := newTree(Branch{}, small(t, false))
		q := tr.slots[0]
		q.label = slices.Clone(c.label)
		q.gains.up, q.gains.down = c.up, c.down
		if q.surest(); !slices.Equal(q.label, c.want) {
			t.Errorf("%v and %v from %v: %v, expected %v", c.up, c.down, c.label, q.label, c.want)
		}
	}
}

// A solution to start from changes what training costs, and not where it ends: the labels that were decided for it are
// not told again.
func TestStartsChangeNoAnswer(t *testing.T) {
	for _, s := range []Solver{
		Switching{}, Switching{Loss: learn.SquaredHinge()}, Concave{}, Concave{Decisions: true}, Branch{},
		Branch{Seeds: []Solver{Switching{Loss: learn.SquaredHinge()}}},
	} {
		p := clouds(24, 6, 44, true)
		near := *p
		near.C *= 1.02
		start := solved(t, s, &near)
		cold := solved(t, s, p)
		warm, err := s.Solve(t.Context(), p, &start)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := warm.Certificate.Objective, cold.Certificate.Objective; math.Abs(a-b) > 1e-3*b ||
			warm.Certificate.Limited != cold.Certificate.Limited {
			t.Errorf("%T%+v: from a start %+v, from nothing %+v", s, s, warm.Certificate, cold.Certificate)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		a, err := s.Solve(stopped, p, &start)
		if _, branch := s.(Branch); branch { // it knows the labels of the start
			if err != nil || !strings.Contains(a.Certificate.Limited, "stopped") || a.Certificate.Steps != 0 {
				t.Errorf("%T%+v, told to stop with a start: %+v, %v", s, s, a.Certificate, err)
			}
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%T%+v, told to stop before anything is known: %v", s, s, err)
		}
	}
}

// Without an offset rows whose mean is the origin have no mean output, and say so where one is needed.
func TestNoMeanOutput(t *testing.T) {
	const want = "s3vm: the unlabelled rows have their mean at the origin of the kernel's space, so that without an offset " +
		"their mean output is zero whatever the function; add --set offset=yes"
	x := data.Rows{Dense: mat.NewDense(6, 1, []float64{1, -1, 2, -2, 3, -3})}
	_, k := tableOf(t, kernel.Linear{}, x)
	for _, s := range []Solver{Gradient{}, Gradient{Decisions: true}, Continuation{}, Continuation{Decisions: true}, Concave{},
		Concave{Decisions: true}} {
		p := &Problem{K: k, Rows: []int{0, 1, 2, 3, 4, 5}, Y: []float64{1, -1}, C: 1, Unlabelled: 1, Positive: 0.9}
		if _, err := s.Solve(t.Context(), p, nil); err == nil || err.Error() != want {
			t.Errorf("%T%+v: %v", s, s, err)
		}
		p.Offset = true
		if _, err := s.Solve(t.Context(), p, nil); err != nil {
			t.Errorf("%T%+v with an offset: %v", s, s, err)
		}
	}
}

// A kernel that is not positive semi-definite is an error of the machines that factor it, wherever they meet it.
func TestKernelsThatAreNotPositive(t *testing.T) {
	p := clouds(20, 6, 3, false)
	p.K.Scale(-5, p.K)
	for _, s := range []Solver{Switching{Loss: learn.SquaredHinge()}, Branch{}, Annealing{}, Annealing{Loss: learn.Square()}} {
		if _, err := s.Solve(t.Context(), p, nil); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%T%+v: %v", s, s, err)
		}
	}
	// The labelled rows alone are well, all together are not.
	k := mat.NewDense(4, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 9, 0, 0, 9, 1})
	q := &Problem{K: k, Rows: []int{0, 1, 2, 3}, Y: []float64{1, -1}, C: 100, Unlabelled: 100, Positive: 0.5}
	if _, err := (Switching{Loss: learn.SquaredHinge()}).Solve(t.Context(), q, nil); err == nil ||
		!strings.Contains(err.Error(), "take another kernel, or a smaller C") {
		t.Errorf("label switching: %v", err)
	}
}

// Where nothing is unlabelled a training that is told to stop is an error, and not the machine of its first steps, and so is one of a
// kernel value that is no number.
func TestSupervisedStopped(t *testing.T) {
	for _, s := range []Solver{
		Switching{}, Switching{Loss: learn.SquaredHinge()}, Concave{}, Annealing{}, Annealing{Loss: learn.Square()},
		Annealing{Loss: learn.Hinge()},
	} {
		p := clouds(20, 20, 1, true)
		whole := solved(t, s, p).Certificate.Objective
		for looks := range 300 {
			c := stoptest.After(t.Context(), looks)
			a, err := s.Solve(c, p, nil)
			if got := a.Certificate.Objective; (err != nil) != c.Ended() || err == nil && math.Abs(got-whole) > 1e-9*whole {
				t.Errorf("%T%+v after %d looks: objective %g of %g, %v", s, s, looks, got, whole, err)
			}
			if !c.Ended() {
				break
			}
		}
	}
	p := clouds(20, 6, 1, true)
	p.K.Set(p.Rows[0], p.Rows[0], math.NaN())
	for _, s := range []Solver{Switching{}, Concave{}, Annealing{Loss: learn.Hinge()}} {
		if _, err := s.Solve(t.Context(), p, nil); err == nil || !strings.Contains(err.Error(), "is NaN") {
			t.Errorf("%T%+v of a kernel value that is no number: %v", s, s, err)
		}
	}
}

// unsolved is a solver that fails.
type unsolved struct{ err error }

func (u unsolved) Solve(context.Context, *Problem, *Solution) (Solution, error) {
	return Solution{}, u.err
}

// What stands before a training is heeded: the context while it is looked whether a kernel is indefinite, a table without a positive
// eigenvalue, and a seed of branch and bound that fails.
func TestBeforeTraining(t *testing.T) {
	flower := flowers(t)
	g, err := kernel.Sigmoid{Scale: 0.2, Offset: -1}.Bind(t.Context(), flower.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Solver{Branch{}, Gradient{}} {
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := Learner{Solver: s}.Bind(ctx, g, flower); return err })
	}
	const want = "s3vm: the kernel has no positive eigenvalue on these rows; take another kernel"
	if _, err := NewCoordinates(t.Context(), nil, mat.NewDense(9, 9, nil)); err == nil || err.Error() != want {
		t.Errorf("a table of zeros: %v", err)
	}
	failed := errors.New("failed")
	a, err := Branch{Seeds: []Solver{unsolved{failed}}}.Solve(t.Context(), clouds(20, 5, 41, true), nil)
	if !errors.Is(err, failed) {
		t.Errorf("a seed that fails: %+v, %v", a.Certificate, err)
	}
}

// No mean output beyond 2 is tried, on either side: from 0.6 on the next step would lead to 2.15.
func TestWidestMean(t *testing.T) {
	for _, c := range []struct {
		first    float64
		positive int
		want     []float64
	}{
		{0.6, 1, []float64{0.6, 0.65, 0.75, 0.95, 1.35}},
		{-0.6, 9, []float64{-0.6, -0.65, -0.75, -0.95, -1.35}},
		{0.45, 1, []float64{0.45, 0.5, 0.6, 0.8, 1.2, 2}},
	} {
		var tried []float64
		err := dichotomy(c.first, 5, func(level float64) (int, bool, error) {
			tried = append(tried, level)
			return c.positive, false, nil
		})
		if err != nil || len(tried) != len(c.want) || !near(tried, c.want, 1e-12) {
			t.Errorf("from %g: %v were tried, want %v; %v", c.first, tried, c.want, err)
		}
	}
}
