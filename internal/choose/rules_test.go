package choose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// outputs are left-out outputs of the first l rows and outputs of all, right by so much and wrong on the rows named.
func outputs(s *Candidates, size float64, wrong ...int) (left, all *mat.Dense) {
	n, l := s.Problem.Rows.Len(), len(s.Problem.Labelled)
	left, all = mat.NewDense(l, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := size * float64(2*(i%2)-1) * (1 + float64(i%5)/10)
		if slices.Contains(wrong, i) {
			v = -v
		}
		if all.Set(i, 0, v); i < l {
			left.Set(i, 0, v)
		}
	}
	return left, all
}

// scored is a candidate with these outputs and its own score.
func scored(s *Candidates, neighbours int, size float64, wrong ...int) *Candidate {
	left, all := outputs(s, size, wrong...)
	c := &Candidate{Width: 1, Machine: &Machine{LeftOut: left, Outputs: all, Score: score.LogLoss{}.Eval(s.Problem, s.Judged, left, nil)}}
	c.Graph.Neighbours = neighbours
	return c
}

func choice(t *testing.T, r Rule, s *Candidates) *Choice {
	t.Helper()
	c, err := r.Choose(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The average is taken of members with a graph, for log losses, and where it is not clearly worse than the baseline; of
// blurred candidates where it is clearly better; those that are not safe have it in any case.
func TestWhenTheAverageIsTaken(t *testing.T) {
	good, bad, same := []int{0}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, []int{1}
	for _, c := range []struct {
		name          string
		graph, base   []int // rows that are wrong
		without       bool  // no baseline
		safe, blurred bool
		averaged      bool
	}{
		{"better", good, bad, false, true, false, true},
		{"clearly worse", bad, good, false, true, false, false},
		{"clearly worse, but asked for", bad, good, false, false, false, true},
		{"alike", same, good, false, true, false, true},
		{"alike and blurred", same, good, false, true, true, false},
		{"better and blurred", good, bad, false, true, true, true},
		{"blurred, but asked for", same, good, false, false, true, true},
		{"nothing to compare with", bad, good, true, true, true, true},
	} {
		s := candidates(40, 24)
		s.Safe, s.Blurred = c.safe, c.blurred
		g, b := scored(s, 5, 2, c.graph...), scored(s, 0, 2, c.base...)
		if s.Members = []*Candidate{b, g}; c.without {
			s.Members = []*Candidate{g}
		}
		// The average is compared, which leans to the better of its members: candidates of one graph alone, and its baseline.
		s.Baseline, s.Members = b, []*Candidate{g}
		if c.without {
			s.Baseline = nil
		}
		got := choice(t, Average{}, s)
		if taken := got.Members[0].Candidate == g; taken != c.averaged || len(got.Members) != 1 {
			t.Errorf("%s: the average is taken: %v", c.name, taken)
		}
		if got.Baseline != s.Baseline {
			t.Errorf("%s: another baseline", c.name)
		}
	}
}

// Scores of another kind, and candidates without a graph, are left to Least.
func TestWhatIsLeftToLeast(t *testing.T) {
	s := candidates(40, 24)
	a, b, base := scored(s, 5, 2, 0), scored(s, 6, 2, 1, 2), scored(s, 0, 2, 0, 1, 2)
	s.Members = []*Candidate{a, b, base}
	if got := choice(t, Average{}, s); len(got.Members) != 3 {
		t.Fatalf("%d members", len(got.Members))
	}
	squared, other, supervised := *s, *s, *s
	squared.Squared, other.Criterion, supervised.Members = true, score.Error{}, []*Candidate{base, scored(s, 0, 2, 5)}
	for name, one := range map[string]*Candidates{"squared": &squared, "another criterion": &other, "without a graph": &supervised} {
		got, want := choice(t, Average{}, one), choice(t, Least{}, one)
		if len(got.Members) != 1 || got.Members[0] != want.Members[0] || got.Members[0].Weight != 1 || got.Score != want.Score ||
			got.Baseline != want.Baseline {
			t.Errorf("%s: %+v, Least has %+v", name, got, want)
		}
	}
	for _, r := range []Rule{Average{}, Least{}} {
		if _, err := r.Choose(t.Context(), candidates(5, 2)); !errors.Is(err, ErrNothing) {
			t.Errorf("%T of nothing: %v", r, err)
		}
	}
	given := *s
	given.Baseline = scored(s, 0, 2, 3)
	for _, r := range []Rule{Average{}, Least{}} {
		if got := choice(t, r, &given); got.Baseline != given.Baseline {
			t.Errorf("%T: the baseline that is given is not the one", r)
		}
	}
}

// The average by its words: weights exp(prior - 15 score/log C) times each member's temperature and then the average's, its
// score the loss of the sum of left-out outputs, and offsets for the class masses where that says enough.
func TestAverageByItsWords(t *testing.T) {
	for name, wrong := range map[string][]int{"informed": {0, 5}, "not informed": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		s := candidates(60, 24)
		for i := 24; i < 60; i++ { // masses of unlabelled rows that are not those of the labels
			s.Problem.Rows.Dense.Set(i, 0, 1)
		}
		a, b := scored(s, 5, 2, wrong...), scored(s, 6, 3, append(wrong, 11)...)
		for i := 24; i < 60; i += 4 {
			a.Outputs.Set(i, 0, 3)
			b.Outputs.Set(i, 0, 2)
		}
		a.Prior = -0.5
		s.Members = []*Candidate{a, b}
		got := choice(t, Average{}, s)
		weights := make([]float64, 2)
		for k, m := range s.Members {
			weights[k] = math.Exp(m.Prior-15/math.Ln2*m.Score-max(a.Prior-15/math.Ln2*a.Score, b.Prior-15/math.Ln2*b.Score)) *
				score.Temperature(s.Problem, nil, m.LeftOut)
		}
		left, all := mat.NewDense(24, 1, nil), mat.NewDense(60, 1, nil)
		for k, m := range s.Members {
			var part mat.Dense
			part.Scale(weights[k], m.LeftOut)
			left.Add(left, &part)
			var whole mat.Dense
			whole.Scale(weights[k], m.Outputs)
			all.Add(all, &whole)
		}
		last := score.Temperature(s.Problem, nil, left)
		if len(got.Members) != 2 {
			t.Fatalf("%s: %d members", name, len(got.Members))
		}
		for k, m := range got.Members {
			if want := weights[k] * last; math.Abs(m.Weight/want-1) > 1e-12 {
				t.Errorf("%s: member %d has the weight %g, expected %g", name, k, m.Weight, want)
			}
		}
		loss := score.LogLoss{}.Eval(s.Problem, nil, left, nil)
		if math.Abs(got.Score-loss) > 1e-14 {
			t.Errorf("%s: the score is %g, expected %g", name, got.Score, loss)
		}
		var want []float64
		if loss < 0.9*math.Ln2 {
			all.Scale(last, all)
			want = massOffsets(s.Problem, all)
		}
		if (want == nil) != (name == "not informed") || len(got.Offset) != len(want) ||
			len(want) == 1 && math.Abs(got.Offset[0]-want[0]) > 1e-12 {
			t.Errorf("%s: the offset is %v, expected %v at a loss of %g", name, got.Offset, want, loss)
		}
	}
}

// A difference of one row is clear where there is one; of several it is one of more than a standard error.
func TestClearlyWorseByItsFormula(t *testing.T) {
	s := candidates(12, 12)
	for _, judged := range [][]int{nil, {3}, {1, 2}, {0, 4, 5, 9}} {
		s.Judged = judged
		for seed := range 6 {
			a, _ := outputs(s, 1+float64(seed)/3, seed, 3*seed%12)
			b, _ := outputs(s, 2, 5, (5*seed)%12)
			b.Set(1, 0, b.At(1, 0)*float64(seed)/2) // some are surer of one row and less sure of another
			a.Set(2, 0, a.At(2, 0)*float64(1+seed))
			x, y := score.LogLoss{}.Losses(s.Problem, judged, a), score.LogLoss{}.Losses(s.Problem, judged, b)
			for q := range x {
				x[q] -= y[q]
			}
			mean, sd := stat.MeanStdDev(x, nil)
			want := mean > sd/math.Sqrt(float64(len(x)))
			if len(x) == 1 {
				want = x[0] > 0
			}
			if got := s.clearlyWorse(a, b); got != want {
				t.Errorf("judged by %v, %d: %v, the differences are %v", judged, seed, got, x)
			}
		}
		same, _ := outputs(s, 2)
		if s.clearlyWorse(same, same) {
			t.Errorf("judged by %v, outputs are clearly worse than themselves", judged)
		}
	}
}

// Merit is the log posterior of the rows that were judged, of squares with normal noise.
func TestMerit(t *testing.T) {
	c := &Candidate{Prior: -0.75, Machine: &Machine{Score: 0.4}}
	for _, one := range []struct {
		criterion score.Criterion
		squared   bool
		judged    []int
		want      float64
	}{
		{score.LogLoss{}, false, nil, -0.75 - 20*0.4}, {score.LogLoss{}, false, []int{3, 4, 5}, -0.75 - 3*0.4},
		{score.LogLoss{}, true, nil, -0.75 - 10*math.Log(0.4)}, {score.Press{}, false, []int{3, 4, 5}, -0.75 - 1.5*math.Log(0.4)},
		{score.Error{}, false, nil, -0.75 - 20*0.4},
	} {
		s := candidates(30, 20)
		s.Criterion, s.Squared, s.Judged = one.criterion, one.squared, one.judged
		if got := s.merit(c); math.Abs(got-one.want) > 1e-14 {
			t.Errorf("%T, squared %v, judged by %v: %g, expected %g", one.criterion, one.squared, one.judged, got, one.want)
		}
	}
	// Of equal merit the first.
	s := candidates(30, 20)
	a, b := &Candidate{Machine: &Machine{Score: 0.3}}, &Candidate{Machine: &Machine{Score: 0.3}}
	s.Members = []*Candidate{{Machine: &Machine{Score: 0.5}}, a, b}
	if got := choice(t, Least{}, s); got.Members[0].Candidate != a || got.Score != 0.3 || got.Members[0].Weight != 1 {
		t.Error("of equal candidates it is not the first")
	}
	graph := &Candidate{Machine: &Machine{Score: 0.3}}
	graph.Graph.Neighbours = 3
	s.Members = append(s.Members, graph)
	if got := choice(t, Least{}, s); got.Members[0].Candidate != graph || got.Baseline != a {
		t.Error("of equal merit and score it is not the one with a graph")
	}
}

// Supervised is what has neither a graph nor learned from unlabelled rows otherwise.
func TestSupervised(t *testing.T) {
	cluster := graph.NearestNeighbours + 1
	for _, c := range []struct {
		of    Candidate
		graph bool
		want  bool
	}{
		{Candidate{}, false, true}, {Candidate{Graph: graph.Recipe{Neighbours: 3}}, true, false},
		{Candidate{Graph: graph.Recipe{Kind: cluster}}, true, false},
		{Candidate{Transductive: true}, false, false},
	} {
		if c.of.HasGraph() != c.graph || c.of.Supervised() != c.want {
			t.Errorf("%+v: graph %v, supervised %v", c.of.Graph, c.of.HasGraph(), c.of.Supervised())
		}
	}
}

// Left-out outputs of each strength are kept of few rows, and what fails is told.
func TestKeptTries(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		rows, classes int
		err           error
		kept          int
	}{{4096, 2, nil, 2}, {4097, 2, nil, 0}, {1366, 3, nil, 0}, {5, 2, failed, 0}} {
		m, calls := &Machine{}, 0
		p := &learn.Problem{Labelled: make([]int, c.rows), Coding: learn.Coding{Classes: c.classes}}
		for range 2 {
			err := m.Keep(p, func() (*mat.Dense, error) { calls++; return mat.NewDense(1, 1, nil), c.err })
			if !errors.Is(err, c.err) {
				t.Errorf("%d rows: %v", c.rows, err)
			}
		}
		if len(m.Tried) != c.kept || (calls == 0) != (c.kept == 0 && c.err == nil) {
			t.Errorf("%d rows: %d kept of %d calls", c.rows, len(m.Tried), calls)
		}
	}
	if n := (Point{Terms: []Term{{Rows: []int{1, 2}}, {}, {Rows: []int{2}}}}).Support(); n != 3 {
		t.Errorf("%d units", n)
	}
}

// A machine that is the only candidate has its score and the graph of its kernel.
func TestAlone(t *testing.T) {
	plain := Alone(&Machine{Score: 0.25, Kernel: kernel.Gaussian{Sigma: 1}})
	want := result.Tuning{Value: 0.25, Evaluations: 1, Search: "auto", Status: "complete"}
	if c := plain.Members[0]; len(plain.Members) != 1 || c.HasGraph() || c.Ratio != 0 || c.Width != 1 || plain.Tuning != want {
		t.Errorf("%+v, %+v", c, plain.Tuning)
	}
	recipe := graph.Recipe{Neighbours: 7, Degree: 2}
	warped := Alone(&Machine{Kernel: manifold.Warp{Base: kernel.Gaussian{Sigma: 1}, Norm: manifold.Graph{Recipe: recipe}, Ratio: 3}})
	if c := warped.Members[0]; c.Graph != recipe || c.Ratio != 3 {
		t.Errorf("%+v", c)
	}
}

// Sums of outputs are weighted; left-out outputs are those of all members or none.
func TestSums(t *testing.T) {
	s := candidates(12, 6)
	a, b := scored(s, 0, 1), scored(s, 0, 2, 3)
	list := []Weighted{{a, 0.5}, {b, -3}}
	all, left := Outputs(s.Problem, list), LeftOut(s.Problem, list)
	for i := range 12 {
		want := 0.5*a.Outputs.At(i, 0) - 3*b.Outputs.At(i, 0)
		if math.Abs(all.At(i, 0)-want) > 1e-15 || i < 6 && math.Abs(left.At(i, 0)-want) > 1e-15 {
			t.Errorf("row %d: %g, expected %g", i, all.At(i, 0), want)
		}
	}
	b.LeftOut = nil
	if LeftOut(s.Problem, list) != nil {
		t.Error("there are left-out outputs of one that has none")
	}
}

// One machine a class is added as it is, and each is one column of the whole.
func TestPerClass(t *testing.T) {
	s := candidates(6, 4)
	s.Tuning.Value = 0.125
	left, all := outputs(s, 1)
	one := &Candidate{Name: "x", Machine: &Machine{
		LeftOut: left, Outputs: all, B: []float64{0.5}, Lambda: 3,
		Expansions: []kernel.Expansion{{Kernel: kernel.Linear{}, Coef: mat.NewDense(2, 1, []float64{7, 8})}},
	}}
	other := &Candidate{Machine: &Machine{}}
	s.Members = []*Candidate{one, other}
	got := choice(t, PerClass{}, s)
	if len(got.Members) != 2 || got.Members[0] != (Weighted{one, 1}) || got.Members[1] != (Weighted{other, 1}) || !got.Classes ||
		got.Score != 0.125 {
		t.Errorf("%+v", got)
	}
	wide := Column(one, 1, 3)
	for what, pair := range map[string][2]*mat.Dense{
		"left-out outputs": {wide.LeftOut, left}, "outputs": {wide.Outputs, all},
		"coefficients": {wide.Expansions[0].Coef, one.Expansions[0].Coef},
	} {
		n, c := pair[0].Dims()
		if want, _ := pair[1].Dims(); n != want || c != 3 {
			t.Fatalf("%s are %d x %d", what, n, c)
		}
		for i := range n {
			if row := pair[0].RawRowView(i); !slices.Equal(row, []float64{0, pair[1].At(i, 0), 0}) {
				t.Errorf("%s of row %d are %v", what, i, row)
			}
		}
	}
	if !slices.Equal(wide.B, []float64{0, 0.5, 0}) || wide.Lambda != 3 || wide.Name != "x" || len(one.B) != 1 || one.LeftOut != left {
		t.Errorf("offsets %v of %v", wide.B, one.B)
	}
	if c := Column(other, 0, 2); c.LeftOut != nil || c.Outputs != nil || c.B != nil || len(c.Expansions) != 0 {
		t.Errorf("of nothing: %+v", c.Machine)
	}
}

// What is packed is the same machine again: centres over all rows stay behind, others travel.
func TestPacked(t *testing.T) {
	dense := data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, 3})}
	thin := data.Rows{Sparse: data.CSRFromDense(dense.Dense)}
	for name, rows := range map[string]data.Rows{"dense": dense, "sparse": thin} {
		own := rows.Select([]int{1})
		m := &Machine{Kernel: kernel.Gaussian{Sigma: 9}, Lambda: 0.5, Expansions: []kernel.Expansion{
			{Kernel: kernel.Gaussian{Sigma: 2}, Centres: rows, Coef: mat.NewDense(3, 1, []float64{1, 2, 3})},
			{Kernel: kernel.Linear{}, Centres: own, Coef: mat.NewDense(1, 1, []float64{4})},
		}}
		p, err := Pack(m, rows)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Whole, []bool{true, false}) || p.Machine.Kernel != nil || p.Machine.Expansions[0].Kernel != nil ||
			p.Machine.Expansions[0].Centres.Dense != nil || p.Machine.Expansions[0].Centres.Sparse != nil || p.Machine.Expansions[1].Kernel != nil ||
			p.Machine.Expansions[1].Centres.Len() != 1 {
			t.Errorf("%s: packed are %+v", name, p)
		}
		if m.Expansions[0].Kernel == nil || m.Expansions[0].Centres.Len() != 3 || m.Kernel == nil {
			t.Errorf("%s: the machine itself was taken apart", name)
		}
		back, err := p.Unpack(kernel.Laplacian{Sigma: 1}, rows)
		if err != nil {
			t.Fatal(err)
		}
		if back.Kernel != (kernel.Laplacian{Sigma: 1}) || back.Lambda != 0.5 || back.Expansions[0].Kernel != (kernel.Gaussian{Sigma: 2}) ||
			back.Expansions[1].Kernel != (kernel.Linear{}) || back.Expansions[0].Centres.Dense != rows.Dense ||
			back.Expansions[0].Centres.Sparse != rows.Sparse ||
			back.Expansions[1].Centres.Len() != 1 ||
			back.Expansions[1].Coef.At(0, 0) != 4 {
			t.Errorf("%s: unpacked is %+v", name, back)
		}
		if p.Machine.Expansions[0].Kernel != nil {
			t.Errorf("%s: what was packed has changed", name)
		}
		p.Kernels[1] = []byte("{")
		if _, err := p.Unpack(nil, rows); err == nil {
			t.Errorf("%s: half a kernel is unpacked", name)
		}
		if _, err := (&Packed{Kernel: []byte("{")}).Unpack(nil, rows); err == nil {
			t.Errorf("%s: half a kernel of the machine is unpacked", name)
		}
	}
	if _, err := Pack(&Machine{Expansions: []kernel.Expansion{{Kernel: unknown{chosen: true}}}}, dense); err == nil {
		t.Error("a kernel without a form is packed")
	}
}

// unknown is a kernel that cannot be written.
type unknown struct {
	kernel.Gaussian
	chosen bool
}

// fifths is a rule that notes what it chose by.
type fifths struct{ judged [][]int }

func (f *fifths) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	if f.judged = append(f.judged, s.Judged); len(f.judged) > 40 {
		return nil, errors.New("chosen too often")
	}
	c, err := Least{}.Choose(ctx, s)
	if err == nil {
		c.Offset = []float64{float64(len(f.judged))}
	}
	return c, err
}

// Each of five parts of the judged rows has the outputs, and the offset, of what was chosen by the others.
func TestRechosenByParts(t *testing.T) {
	for _, judged := range [][]int{nil, {0, 2, 3, 5, 7, 11}, {1, 4, 6}} {
		s := candidates(12, 12)
		s.Judged = judged
		s.Members = []*Candidate{scored(s, 0, 1, 1, 2), scored(s, 0, 1, 3, 4, 5), scored(s, 4, 1, 6, 7)}
		s.Members[1].Tried = []*mat.Dense{s.Members[1].LeftOut, s.Members[2].LeftOut, s.Members[0].LeftOut}
		rule := &fifths{}
		out, err := Rechosen(t.Context(), rule, s)
		if err != nil || out == nil {
			t.Fatal(err)
		}
		all := s.judged()
		parts := min(5, len(all))
		if len(rule.judged) != parts {
			t.Fatalf("%v: %d choices", judged, len(rule.judged))
		}
		for k := range parts {
			var rest []int
			for q, i := range all {
				if q%parts != k {
					rest = append(rest, i)
				}
			}
			if !slices.Equal(rule.judged[k], rest) {
				t.Errorf("part %d is chosen by %v, expected %v", k, rule.judged[k], rest)
			}
			// Each candidate at its best strength there, and the best of these.
			c := choice(t, Least{}, s.on(rest))
			for q := k; q < len(all); q += parts {
				if want := c.Members[0].LeftOut.At(all[q], 0) + float64(k+1); out.At(q, 0) != want {
					t.Errorf("%v, row %d: %g, expected %g", judged, all[q], out.At(q, 0), want)
				}
			}
		}
		failed := errors.New("failed")
		if _, err := Rechosen(t.Context(), ruleOf(func(*Candidates) (*Choice, error) { return nil, failed }), s); !errors.Is(err, failed) {
			t.Errorf("what failed is not told: %v", err)
		}
	}
}

type ruleOf func(s *Candidates) (*Choice, error)

func (r ruleOf) Choose(_ context.Context, s *Candidates) (*Choice, error) { return r(s) }

// A candidate is scored at the strength that is best on the rows asked for, and itself stays what it is; the baseline is the
// same candidate in the part, be it a member or not.
func TestScoresOfSomeRows(t *testing.T) {
	s := candidates(12, 12)
	c := scored(s, 0, 1, 1, 2, 3)
	c.Tried = []*mat.Dense{scored(s, 0, 1, 1, 2, 3).LeftOut, scored(s, 0, 1, 7).LeftOut, scored(s, 0, 1, 4, 5, 6).LeftOut}
	for at, rows := range [][]int{{4, 5, 6, 7}, {1, 2, 3, 8}, {1, 2, 3, 7}} {
		got := s.scored(c, rows)
		best, least := 0, math.Inf(1)
		for q, o := range c.Tried {
			if v := s.Criterion.Eval(s.Problem, rows, o, nil); v < least {
				best, least = q, v
			}
		}
		if best != at || got.LeftOut != c.Tried[at] || got.Score != least {
			t.Errorf("rows %v: strength %d with %g, expected %d", rows, best, got.Score, at)
		}
	}
	if c.LeftOut == c.Tried[1] || c.Score == 0 {
		t.Error("the candidate has changed")
	}
	member, apart := *s, *s
	member.Members, member.Baseline = []*Candidate{scored(s, 2, 1), c}, c
	apart.Members, apart.Baseline = []*Candidate{scored(s, 2, 1)}, c
	if on := member.on([]int{1, 2}); on.Baseline != on.Members[1] || !slices.Equal(on.Judged, []int{1, 2}) {
		t.Error("the baseline is no member any more")
	}
	if on := apart.on([]int{1, 2}); on.Baseline == c || on.Baseline.LeftOut != s.scored(c, []int{1, 2}).LeftOut {
		t.Error("the baseline has the score of all rows")
	}
}

// Nothing is chosen anew where nothing was chosen by left-out outputs at hand.
func TestWhatIsNotRechosen(t *testing.T) {
	for name, change := range map[string]func(s *Candidates){
		"": func(*Candidates) {}, "no problem": func(s *Candidates) { s.Problem = nil },
		"a front": func(s *Candidates) { s.Front = &Tradeoff{} },
		"squares": func(s *Candidates) { s.Squared = true }, "no criterion": func(s *Candidates) { s.Criterion = nil },
		"nobody": func(s *Candidates) { s.Members = nil },
		"one":    func(s *Candidates) { s.Members = s.Members[:1] },
		"one strength": func(s *Candidates) {
			s.Members = s.Members[:1]
			s.Members[0].Tried = []*mat.Dense{s.Members[0].LeftOut}
		},
		"a mean": func(s *Candidates) { s.Members[1].Mean = true }, "views": func(s *Candidates) { s.Members[1].Views = []int{0} },
		"no machine":       func(s *Candidates) { s.Members[1].Machine = nil },
		"other rows":       func(s *Candidates) { s.Members[1].LeftOut = mat.NewDense(11, 1, nil) },
		"other outputs":    func(s *Candidates) { s.Members[1].LeftOut = mat.NewDense(12, 2, nil) },
		"tries of others":  func(s *Candidates) { s.Members[1].Tried = []*mat.Dense{s.Members[1].LeftOut, nil} },
		"another baseline": func(s *Candidates) { s.Baseline = &Candidate{Machine: &Machine{}} },
		"two rows":         func(s *Candidates) { s.Judged = []int{1, 2} },
		"baseline, usable": func(s *Candidates) { s.Baseline = scored(s, 0, 1) },
		"strengths of one": func(s *Candidates) {
			s.Members = s.Members[:1]
			s.Members[0].Tried = []*mat.Dense{s.Members[0].LeftOut, s.Members[0].LeftOut}
		},
		"three rows":        func(s *Candidates) { s.Judged = []int{1, 2, 5} },
		"several strengths": func(s *Candidates) { s.Members[1].Tried = []*mat.Dense{s.Members[1].LeftOut} },
	} {
		s := candidates(12, 12)
		s.Members = []*Candidate{scored(s, 0, 1, 1, 2), scored(s, 0, 1, 3, 4, 5)}
		change(s)
		out, err := Rechosen(t.Context(), Least{}, s)
		want := slices.Contains([]string{"", "baseline, usable", "strengths of one", "three rows", "several strengths"}, name)
		if err != nil || (out != nil) != want {
			t.Errorf("%s: chosen anew: %v, %v", name, out != nil, err)
		}
	}
}

// Masses are moved half way of few labels, C/l of the way of many; not with weights, and not without unlabelled rows.
func TestWhenMassesAreMoved(t *testing.T) {
	s := candidates(40, 10)
	_, f := outputs(s, 2)
	if massOffsets(s.Problem, f) == nil {
		t.Fatal("no offsets")
	}
	weighted := *s.Problem
	weighted.Weight = make([]float64, 10)
	if b := massOffsets(&weighted, f); b != nil {
		t.Errorf("with weights: %v", b)
	}
	if b := massOffsets(candidates(40, 40).Problem, f); b != nil {
		t.Errorf("without unlabelled rows: %v", b)
	}
	if b := Balance(candidates(40, 40).Problem, f, []float64{0.5, 0.5}); b != nil {
		t.Errorf("balance without unlabelled rows: %v", b)
	}
	for _, l := range []int{1, 2, 3, 4, 5, 8, 20, 30} {
		s := candidates(40, l)
		_, f := outputs(s, 0.7, 32, 33, 34, 37)
		b := massOffsets(s.Problem, f)
		before, after, plus := 0.0, 0.0, 0.0
		for i := l; i < 40; i++ {
			before += 1 / (1 + math.Exp(-f.At(i, 0))) / float64(40-l)
			after += 1 / (1 + math.Exp(-f.At(i, 0)-b[0])) / float64(40-l)
		}
		for _, k := range s.Problem.Class {
			plus += float64(k)
		}
		g := min(0.5, 2/float64(l))
		if want := (1-g)*before + g*(plus+1)/float64(l+2); math.Abs(after-want) > 1e-6 {
			t.Errorf("%d labels: the mass is %g, expected %g of %g", l, after, want, before)
		}
	}
}

// The threshold of two classes lies in the middle of the two outputs that it parts, one beyond where there is one alone.
func TestCut(t *testing.T) {
	z := [][]float64{{3}, {-1}, {0}, {7}, {2}}
	for _, c := range []struct{ share, want float64 }{{0, 8}, {0.09, 8}, {0.2, 5}, {0.29, 5}, {0.31, 2.5}, {0.6, 1}, {0.8, -0.5}, {1, -2}} {
		if got := cut(z, c.share); got != c.want {
			t.Errorf("a share of %g is above %g, expected %g", c.share, got, c.want)
		}
	}
	if got := spreadOf([][]float64{{1, 2}, {3, 6}}); math.Abs(got-math.Sqrt(3.5)) > 1e-15 {
		t.Errorf("the spread is %g", got)
	}
	if got := spreadOf([][]float64{{2, 2}, {2, 2}}); got != 1 {
		t.Errorf("without a spread it is %g", got)
	}
}

// Offsets of more than two classes solve their problem for the last tau: the masses at a hundredth of the spread.
func TestBalanceOfThreeClasses(t *testing.T) {
	labels := data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: slices.Repeat([]int{data.Unlabelled}, 60)}
	labels.Class[0], labels.Class[1], labels.Class[2] = 0, 1, 2
	p := learn.NewProblem(data.Rows{Dense: mat.NewDense(60, 1, nil)}, labels)
	f := mat.NewDense(60, 3, nil)
	f.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(7*i + 3*j*j)) }, f)
	shares := []float64{0.2, 0.5, 0.3}
	b := Balance(p, f, shares)
	var z [][]float64
	for i := 3; i < 60; i++ {
		z = append(z, f.RawRowView(i))
	}
	tau := 0.01 * spreadOf(z)
	for k, want := range shares {
		mass := 0.0
		for _, row := range z {
			sum := 0.0
			for j, v := range row {
				sum += math.Exp((v + b[j] - row[k] - b[k]) / tau)
			}
			mass += 1 / sum / 57
		}
		if math.Abs(mass-want) > 5e-4 {
			t.Errorf("class %d has the mass %.8g, expected %g", k, mass, want)
		}
	}
}

// Masses that are wanted are had to a millionth, be the outputs far apart.
func TestFitOfMasses(t *testing.T) {
	z := [][]float64{{0, 30, -400}, {5, 0, 2}, {1, 1, 1}, {-3, 0, 800}}
	for _, want := range [][]float64{{0.2, 0.5, 0.3}, {0.01, 0.01, 0.98}, {1. / 3, 1. / 3, 1. / 3}} {
		b := []float64{0, 0, 0}
		fit(z, b, want)
		for k, q := range masses(z, b) {
			if math.Abs(q/want[k]-1) > 2e-6 {
				t.Errorf("class %d has the mass %g, expected %g", k, q, want[k])
			}
		}
	}
	if q := masses([][]float64{{0, 30, -1000}}, []float64{0, 0, 0}); math.Abs(q[0]-math.Exp(-30)) > 1e-15 || q[2] != 0x1p-1022 {
		t.Errorf("masses are %v", q)
	}
}

// Criteria beside their borders, and what they say of what they assume.
func TestBordersOfCriteria(t *testing.T) {
	f := front(
		10,
		Member{SSE: 2, DF: 7, Errors: 1},
		Member{SSE: 2, DF: 8, Errors: 1},
		Member{SSE: 2, DF: 9, Errors: 1},
		Member{SSE: math.NaN(), Errors: 0},
	)
	for _, d := range []Decisor{GCV{}, AIC{}, BIC{}, AIC{Form: Classes}, BIC{Form: Printed}} {
		for bias, last := range map[bool]int{false: 1, true: 0} { // the last member with freedom left
			switch v := d.(type) {
			case GCV:
				v.CountBias, d = bias, GCV{CountBias: bias}
			case AIC:
				d = AIC{Form: v.Form, CountBias: bias}
			case BIC:
				d = BIC{Form: v.Form, CountBias: bias}
			}
			s := must(t, d, f).Score
			for i := range 3 {
				if math.IsInf(s[i], 1) != (i > last) {
					t.Errorf("%#v: member %d has %g", d, i, s[i])
				}
			}
		}
	}
	if s := must(t, GCV{}, f).Score; s[0] != 10*2/9.0 || !math.IsInf(s[3], 1) {
		t.Errorf("gcv: %v", s)
	}
	if s := must(t, GCV{CountBias: true}, f).Score; s[0] != 10*2/4.0 {
		t.Errorf("gcv with the offset: %v", s)
	}
	for d, want := range map[Decisor][2]string{
		GCV{}: {"gcv", "degrees of freedom = trace of the smoother, or non-zero units of a LASSO"},
		AIC{}: {"aic",
			"degrees of freedom = non-zero units, offset not counted; Gaussian noise, its variance estimated by each member (4.33)"},
		AIC{Form: Logs}: {"aic-log",
			"degrees of freedom = non-zero units, offset not counted; Gaussian noise, its variance one more parameter"},
		BIC{Form: Classes}: {"bic-cls",
			"degrees of freedom = non-zero units, offset not counted; errors of training rows independent with one rate (4.34, corrected)"},
		BIC{Form: Printed, CountBias: true}: {"bic-4.34",
			"degrees of freedom = non-zero units and the offset; (4.34) as printed, which is wrong: for comparison"},
		VCBound{}:       {"vc-bound", "dimension = units + 1, which is no bound of it"},
		Knee{}:          {"knee", "the front bends once; no assumption about noise"},
		Knee{Log: true}: {"knee-log", "the front bends once; no assumption about noise"},
		LCurve{}:        {"lcurve", "the front in logarithms has one corner"},
	} {
		g := front(30, Member{SSE: 9, Complexity: 1, DF: 1}, Member{SSE: 3, Complexity: 2, DF: 2}, Member{SSE: 2.5, Complexity: 7, DF: 3})
		if got := must(t, d, g); d.Name() != want[0] || got.Assumed != want[1] {
			t.Errorf("%s: %s", d.Name(), got.Assumed)
		}
	}
	if d := (Held{Word: "cv", Loss: []float64{1}, Says: "in five folds"}); d.Name() != "cv" ||
		must(t, d, front(3, Member{})).Assumed != "held-out rows are like new ones: in five folds" {
		t.Error("what is held out is not said")
	}
	held := []float64{3, 2}
	if got := must(t, Held{Word: "cv", Loss: held}, front(3, Member{}, Member{})); &got.Score[0] == &held[0] {
		t.Error("the losses are not copied")
	}
	for want, f := range map[string]func() error{
		"1 held-out losses for 2 members": func() error {
			_,
				err := Held{Loss: []float64{1}}.Decide(front(3, Member{}, Member{}))
			return err
		},
		"a criterion of classes needs training errors; use aic or bic for regressions": func() error {
			_, err := BIC{Form: Printed}.Decide(front(9, Member{Errors: 0}, Member{Errors: -1}))
			return err
		},
		"vc-bound is for classifiers; use gcv or bic for regressions": func() error {
			_,
				err := VCBound{}.Decide(front(9, Member{Errors: -1}))
			return err
		},
		"an L-curve needs three members of positive error and complexity; choose cv or bic": func() error {
			_, err := LCurve{}.Decide(front(9, Member{SSE: 1, Complexity: 2}, Member{SSE: 0.5, Complexity: 3},
				Member{SSE: 0, Complexity: 4}, Member{SSE: 3}))
			return err
		},
		"the front of 1 members has no knee; choose cv or bic": func() error {
			_, err := Knee{Log: true}.Decide(front(9, Member{SSE: 1, Complexity: 2}, Member{SSE: 0, Complexity: 3}))
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if s := must(t, VCBound{}, front(1, Member{DF: 40})).Score; !math.IsInf(s[0], 1) {
		t.Errorf("a bound without a meaning is %g", s[0])
	}
}

// The constants of the bound lie in their ranges, the ends of which are those documented.
func TestConstantsOfVCBound(t *testing.T) {
	f := front(1000, Member{DF: 1, Errors: 300})
	if must(t, VCBound{}, f).Score[0] != must(t, VCBound{A1: 4, A2: 2, Eta: 0.05}, f).Score[0] {
		t.Error("the defaults are others")
	}
	for _, d := range []VCBound{{A1: 4.01}, {A1: -1}, {A2: 2.01}, {A2: -1}, {Eta: 1}, {Eta: -0.1}, {A1: math.NaN()},
		{A2: math.NaN()}, {Eta: math.NaN()}} {
		a1, a2, eta := d.A1, d.A2, d.Eta
		if a1 == 0 {
			a1 = 4
		}
		if a2 == 0 {
			a2 = 2
		}
		if eta == 0 {
			eta = 0.05
		}
		want := fmt.Sprintf("vc-bound with a1 %g, a2 %g, eta %g; give 0 < a1 <= 4, 0 < a2 <= 2, 0 < eta < 1", a1, a2, eta)
		if _, err := d.Decide(f); err == nil || err.Error() != want {
			t.Errorf("%+v: %v", d, err)
		}
	}
	for _, d := range []VCBound{{A1: 1e-3}, {A2: 0.5}, {Eta: 0.999}} {
		if _, err := d.Decide(f); err != nil {
			t.Error(err)
		}
	}
}

// The curvature of an L-curve is that of the circle through three neighbours; members that are nearly the same are passed
// over.
func TestCurvatureOfACircle(t *testing.T) {
	const radius = 2.5
	var f Front
	for i := range 9 { // a quarter of a circle, turning to the left
		a := math.Pi + float64(i)/8*math.Pi/2
		f.Members = append(f.Members, Member{Complexity: math.Exp(radius * math.Cos(a)), SSE: math.Exp(radius * math.Sin(a))})
	}
	d := must(t, LCurve{}, f)
	for i, s := range d.Score {
		if end := i == 0 || i == 8; end != math.IsInf(s, 1) || !end && math.Abs(s+1/radius) > 1e-12 {
			t.Errorf("member %d has the curvature %g, expected %g", i, -s, 1/radius)
		}
	}
	near := func(by float64) Front {
		return front(
			9,
			Member{SSE: math.Exp(3), Complexity: 1},
			Member{SSE: 1, Complexity: math.Exp(0.2)},
			Member{SSE: math.Exp(-by), Complexity: math.Exp(0.2 + by)},
			Member{SSE: math.Exp(-1), Complexity: math.Exp(3)},
		)
	}
	if s := must(t, LCurve{}, near(0.9e-3)).Score; !math.IsInf(s[2], 1) || math.IsInf(s[1], 1) {
		t.Errorf("members that are nearly the same: %v", s)
	}
	if s := must(t, LCurve{}, near(1.2e-3)).Score; math.IsInf(s[2], 1) {
		t.Errorf("members that are not the same: %v", s)
	}
	above := near(0.9e-3)
	for i := range above.Members {
		above.Members[i].SSE *= math.Exp(5)
	}
	if s := must(t, LCurve{}, above).Score; !math.IsInf(s[2], 1) || math.IsInf(s[1], 1) {
		t.Errorf("members that are nearly the same, of larger errors: %v", s)
	}
	if s := must(t, LCurve{Apart: 0.1}, near(0.05)).Score; !math.IsInf(s[2], 1) {
		t.Errorf("members nearer than was asked for: %v", s)
	}
}

// A knee is one of the members with finite coordinates; only its score is finite.
func TestKneeAmongMembers(t *testing.T) {
	f := front(
		20,
		Member{SSE: 1e9, Complexity: 0},
		Member{SSE: 10, Complexity: 1},
		Member{SSE: 2, Complexity: 2},
		Member{SSE: 1, Complexity: 10},
	)
	d := must(t, Knee{Log: true}, f)
	if d.Chosen != 2 || d.Score[2] != 0 || !math.IsInf(d.Score[0], 1) || !math.IsInf(d.Score[3], 1) {
		t.Errorf("%+v", d)
	}
	plain := must(t, Knee{}, f)
	if plain.Chosen != 1 {
		t.Errorf("without logarithms: %+v", plain)
	}
	for _, want := range []string{"choose: 2 scores for 4 members"} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%v", got)
				}
			}()
			leastOf(f, []float64{1, 2}, "")
		}()
	}
	if d := leastOf(f, []float64{math.Inf(1), math.NaN(), math.Inf(-1), math.Inf(1)}, ""); d.Chosen != -1 {
		t.Errorf("of no finite score %d is chosen", d.Chosen)
	}
}
