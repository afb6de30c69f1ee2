package label

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// some are features of a set, and its labels.
func some(t *testing.T, spec string, size int) (*Features, data.Labels, data.Answers) {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Recipe{Size: size, Seed: 1}.Fit(t.Context(), set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return f, labels, set.Answers
}

// none are no labels.
func none(n int) []int {
	c := make([]int, n)
	for i := range c {
		c[i] = -1
	}
	return c
}

// same says whether two learners have the same outputs and leverages.
func same(t *testing.T, what string, a, b *Learner) {
	t.Helper()
	if !mat.EqualApprox(a.out, b.out, 1e-9) || !mat.EqualApprox(a.p, b.p, 1e-7) {
		t.Errorf("%s: other outputs", what)
	}
	for i := range a.lever {
		if math.Abs(a.lever[i]-b.lever[i]) > 1e-8 {
			t.Fatalf("%s: leverage %g of row %d, want %g", what, a.lever[i], i, b.lever[i])
		}
	}
}

// TestOneLabelAtATime: labels that come, go and change one by one make the learner that learns them at once.
func TestOneLabelAtATime(t *testing.T) {
	f, labels, _ := some(t, "manifolds:n=120", 40)
	rng := rand.New(rand.NewPCG(1, 1))
	one := NewLearner(f.Z, none(120), 10)
	for range 200 {
		i := rng.IntN(120)
		switch rng.IntN(4) {
		case 0:
			one.Set(i, -1)
		case 1:
			one.Set(i, rng.IntN(10))
		default:
			one.Set(i, labels.Class[i])
		}
	}
	same(t, "200 changes", one, NewLearner(f.Z, slices.Clone(one.Class), 10))
	for i := range one.Class {
		one.Set(i, -1)
	}
	same(t, "all taken back", one, NewLearner(f.Z, none(120), 10))
}

// TestLeftOut: what is believed of a labelled row without its label is what a learner without it believes.
func TestLeftOut(t *testing.T) {
	f, labels, _ := some(t, "manifolds:n=120", 40)
	class := none(120)
	for i := 0; i < 120; i += 4 {
		class[i] = labels.Class[i]
	}
	l := NewLearner(f.Z, class, 10)
	got, want := make([]float64, 10), make([]float64, 10)
	for i := 0; i < 120; i += 12 {
		l.LeftOut(got, i)
		less := slices.Clone(class)
		less[i] = -1
		NewLearner(f.Z, less, 10).Belief(want, i)
		sum := 0.0
		for k := range got {
			sum += got[k]
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("row %d: %v, want %v", i, got, want)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("row %d: beliefs of %g in all", i, sum)
		}
	}
}

// TestGain: the gain of a question is the mean of what its answers do, each learned anew.
func TestGain(t *testing.T) {
	f, labels, _ := some(t, "manifolds:n=80", 30)
	class := none(80)
	for _, i := range []int{0, 1, 2, 3, 10, 11} { // six of ten classes have no answer
		class[i] = labels.Class[i]
	}
	l := NewLearner(f.Z, class, 10)
	all := make([]int, 80)
	for i := range all {
		all[i] = i
	}
	risk := func(l *Learner) float64 {
		sum, b := 0.0, make([]float64, 10)
		for i := range all {
			l.Belief(b, i)
			sum += 1 - slices.Max(b)
		}
		return sum
	}
	candidates := []int{20, 33, 47, 79}
	gain := l.gains(candidates, all)
	for q, i := range candidates {
		p := make([]float64, 10)
		l.Belief(p, i)
		want, total := 0.0, 0.0
		for y, w := range p {
			if y < 4 && w < 0.01 || y >= 4 && 6*w < 0.01 {
				continue // left out; classes without an answer are one
			}
			more := slices.Clone(class)
			more[i] = y
			want += w * (risk(l) - risk(NewLearner(f.Z, more, 10)))
			total += w
		}
		if want /= total; math.Abs(gain[q]-want) > 1e-9 {
			t.Errorf("row %d: gain %g, want %g", i, gain[q], want)
		}
	}
}

// TestEveryComponentIsAsked: of components alike, each has a question before one has two.
func TestEveryComponentIsAsked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x := mat.NewDense(200, 2, nil)
	for i := range 200 { // five clusters far apart
		x.SetRow(i, []float64{100*float64(i%5) + rng.NormFloat64(), rng.NormFloat64()})
	}
	f, err := Recipe{}.Fit(t.Context(), data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	l, c := NewLearner(f.Z, none(200), 2), Chooser{CheckEvery: -1}
	asked := map[int]bool{}
	for q := range 5 {
		var free []int
		for i, k := range l.Class {
			if k < 0 {
				free = append(free, i)
			}
		}
		i, why := c.Next(l, free, q)
		if asked[i%5] || why != WhyRisk {
			t.Fatalf("question %d is of cluster %d again (%s)", q, i%5, why)
		}
		asked[i%5] = true
		l.Set(i, i%5%2)
	}
	b := make([]float64, 2)
	for i := range 200 {
		if l.Belief(b, i); largest(b) != i%5%2 {
			t.Errorf("row %d is taken for class %d", i, largest(b))
		}
	}
}

// TestFeatures: rows have length one; few rows, equal rows and sparse rows have features too.
func TestFeatures(t *testing.T) {
	for name, x := range map[string]*mat.Dense{
		"three rows": mat.NewDense(3, 1, []float64{1, 2, 4}),
		"equal rows": mat.NewDense(30, 2, nil),
	} {
		f, err := Recipe{}.Fit(t.Context(), data.Rows{Dense: x})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, _ := f.Z.Dims()
		for i := range n {
			if norm := mat.Norm(f.Z.RowView(i), 2); math.Abs(norm-1) > 1e-12 {
				t.Errorf("%s: row %d has length %g", name, i, norm)
			}
			for j := range 2 {
				if v := f.Place.At(i, j); !(v >= 0 && v <= 1) {
					t.Errorf("%s: row %d is at %g", name, i, v)
				}
			}
		}
	}
	if _, err := (Recipe{}).Fit(t.Context(), data.Rows{Dense: mat.NewDense(2, 1, nil)}); err == nil {
		t.Error("two rows have features")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Recipe{}).Fit(ctx, data.Rows{Dense: mat.NewDense(500, 2, nil)}); err == nil {
		t.Error("an ended context is not heeded")
	}
}

// TestAskedRowsTeachMore: on surfaces that choices were made on, rows that are asked for leave fewer mistakes than as many
// drawn at random.
func TestAskedRowsTeachMore(t *testing.T) {
	f, labels, answers := some(t, "manifolds:n=400", 0)
	mistakes := func(c Chooser) (wrong int) {
		s, err := Begin(f, Start{Classes: labels.Classes}, c)
		if err != nil {
			t.Fatal(err)
		}
		for range 25 {
			q := s.Question()
			if err := s.Answer(q, Reply{Label: answers[q.Row]}); err != nil {
				t.Fatal(err)
			}
		}
		for i, k := range s.State().Decided {
			if int(k) != labels.Class[i] {
				wrong++
			}
		}
		return wrong
	}
	asked, random := mistakes(Chooser{Seed: 1}), mistakes(Chooser{Seed: 1, CheckEvery: 1})
	if 4*asked > 3*random {
		t.Errorf("%d mistakes after 25 questions, %d after 25 rows at random", asked, random)
	}
}
