package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// stackable are candidates of a regression on n rows whose left-out errors have these deviations.
func stackable(n int, noise []float64, seed uint64) *Candidates {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &learn.Problem{Task: data.Regression, Rows: data.Rows{Dense: mat.NewDense(n, 1, nil)}, Y: mat.NewDense(n, 1, nil)}
	s := &Candidates{Problem: p, Criterion: score.Press{}}
	for i := range n {
		p.Labelled = append(p.Labelled, i)
		p.Y.Set(i, 0, 3*r.NormFloat64())
	}
	for _, sd := range noise {
		o := mat.NewDense(n, 1, nil)
		for i := range n {
			o.Set(i, 0, p.Y.At(i, 0)+sd*r.NormFloat64())
		}
		m := &Machine{LeftOut: o, Score: score.Press{}.Eval(p, nil, o, nil)}
		s.Members = append(s.Members, &Candidate{Machine: m})
	}
	return s
}

// Two members that matter little: the weights are those of the least weighted mean of squares, in units of the answers' variance, with a
// price of a thousandth of their squares, in closed form. Where the answers begin and their unit change nothing.
func TestStackByItsFormula(t *testing.T) {
	for _, c := range []struct {
		weight      []float64 // of rows by turns
		shift, unit float64
	}{{nil, 0, 1}, {[]float64{1, 4, 0.5}, 0, 1}, {[]float64{1, 4, 0.5}, 20, 1}, {nil, -7, 0.01}} {
		s := stackable(60, []float64{0.1, 0.15}, 5)
		p, mean, total := s.Problem, 0.0, 0.0
		weigh := make([]float64, 60)
		for i := range weigh {
			weigh[i] = 1
			if c.weight != nil {
				weigh[i] = c.weight[i%len(c.weight)]
				p.Weight = weigh
			}
			p.Y.Set(i, 0, c.shift+c.unit*p.Y.At(i, 0))
			for _, m := range s.Members {
				m.LeftOut.Set(i, 0, c.shift+c.unit*m.LeftOut.At(i, 0))
			}
			mean, total = mean+weigh[i]*p.Y.At(i, 0), total+weigh[i]
		}
		mean /= total
		var variance, e00, e01, e11 float64
		for i, w := range weigh {
			y := p.Y.At(i, 0)
			a, b := s.Members[0].LeftOut.At(i, 0)-y, s.Members[1].LeftOut.At(i, 0)-y
			variance += w * (y - mean) * (y - mean)
			e00, e01, e11 = e00+w*a*a, e01+w*a*b, e11+w*b*b
		}
		const price = 1e-3
		want := (e11/variance - e01/variance + price) / ((e00+e11-2*e01)/variance + 2*price)
		got := choice(t, Stack{}, s)
		if got.Members[0].Candidate != s.Members[0] || math.Abs(got.Members[0].Weight-want) > 1e-4 ||
			math.Abs(got.Members[1].Weight-(1-want)) > 1e-4 {
			t.Errorf("%+v: %g and %g, expected %g", c, got.Members[0].Weight, got.Members[1].Weight, want)
		}
	}
}

// A member of a weight of a hundredth or more stays.
func TestStackKeepsAHundredth(t *testing.T) {
	share := func(noise float64) (least float64, members int) {
		s := stackable(400, []float64{0.1, noise}, 8)
		all, err := s.stacked(t.Context(), s.Members, s.judged())
		if err != nil {
			t.Fatal(err)
		}
		return all.Members[1].Weight, len(choice(t, Stack{}, s).Members)
	}
	seen := map[int]bool{}
	for _, noise := range []float64{0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6} {
		least, members := share(noise)
		if (least >= 0.01) != (members == 2) {
			t.Errorf("of the weight %g, %d members stay", least, members)
		}
		if least > 0.005 && least < 0.02 {
			seen[members] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("no weight is near a hundredth: %v", seen)
	}
}

// Answers that are all alike have no variance; their stack is one of finite weights.
func TestStackOfAConstant(t *testing.T) {
	s := stackable(30, []float64{1, 1}, 6)
	for i := range 30 {
		s.Problem.Y.Set(i, 0, 4)
		s.Members[0].LeftOut.Set(i, 0, 5)
		s.Members[1].LeftOut.Set(i, 0, 2)
	}
	// The best on the line is 2/3 and 1/3, but for the price of the squares.
	if c := choice(t, Stack{}, s); math.Abs(c.Members[0].Weight-2./3) > 1e-3 {
		t.Errorf("the weight is %g", c.Members[0].Weight)
	}
}

// Of classes the weights and shares are those of FitShares, with the weights of the rows; a stack stops where it asks.
func TestStackOfClasses(t *testing.T) {
	s := candidates(40, 24)
	a, _ := outputs(s, 1, 3, 8)
	b, _ := outputs(s, 2, 5, 6, 11)
	s.Members = []*Candidate{{Machine: &Machine{LeftOut: a}}, {Machine: &Machine{LeftOut: b}}}
	s.Problem.Weight = make([]float64, 24)
	for i := range s.Problem.Weight {
		s.Problem.Weight[i] = float64(1 + i%3)
	}
	weights, shares, err := calibrate.FitShares(t.Context(), []*mat.Dense{a, b}, s.Problem.Class, 2, s.Problem.Weight)
	if err != nil {
		t.Fatal(err)
	}
	c := choice(t, Stack{}, s)
	for _, m := range c.Members {
		if want := weights[slices.Index(s.Members, m.Candidate)]; m.Weight != want {
			t.Errorf("the weight is %g, expected %g", m.Weight, want)
		}
	}
	if c.Shares == nil || !reflect.DeepEqual(*c.Shares, shares) {
		t.Errorf("the shares are %+v, expected %+v", c.Shares, shares)
	}
	for _, s := range []*Candidates{s, stackable(30, []float64{1, 1.5}, 7)} {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := Stack{}.Choose(ctx, s)
			return err
		})
	}
}

// Two members: the weights are those of the least mean of squares among all, by a fine grid.
func TestStackOfTwo(t *testing.T) {
	s := stackable(100, []float64{1, 1.5}, 1)
	c, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(v float64) (sum float64) {
		var spread float64
		for i := range 100 {
			d := v*s.Members[0].LeftOut.At(i, 0) + (1-v)*s.Members[1].LeftOut.At(i, 0) - s.Problem.Y.At(i, 0)
			sum += d * d / 100
			spread += s.Problem.Y.At(i, 0) * s.Problem.Y.At(i, 0) / 100
		}
		return sum/spread + stackRidge*(v*v+(1-v)*(1-v))
	}
	best, least := 0.0, math.Inf(1)
	for v := 0.0; v <= 1; v += 1e-4 {
		if l := loss(v); l < least {
			best, least = v, l
		}
	}
	if c.Members[0].Candidate != s.Members[0] || math.Abs(c.Members[0].Weight-best) > 2e-3 {
		t.Errorf("weights %g and %g, the best is %g", c.Members[0].Weight, c.Members[1].Weight, best)
	}
	if !(c.Score < min(s.Members[0].Score, s.Members[1].Score)) {
		t.Errorf("the stack has the score %g, its members %g and %g", c.Score, s.Members[0].Score, s.Members[1].Score)
	}
}

// Equal members share; one that only adds noise leaves; the order of the members changes nothing.
func TestStackMembers(t *testing.T) {
	s := stackable(200, []float64{1}, 2)
	s.Members = append(s.Members, &Candidate{Machine: s.Members[0].Machine})
	c, err := Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Members) != 2 || math.Abs(c.Members[0].Weight-0.5) > 1e-6 {
		t.Errorf("two equal members have the weight %g", c.Members[0].Weight)
	}
	s = stackable(200, []float64{0.5, 50, 0.7}, 3)
	c, err = Stack{}.Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, m := range c.Members {
		sum += m.Weight
		if m.Candidate == s.Members[1] {
			t.Errorf("noise has the weight %g", m.Weight)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("weights of sum %g", sum)
	}
	s.Members[0], s.Members[2] = s.Members[2], s.Members[0]
	d, err := Stack{}.Choose(context.Background(), s)
	if err != nil || math.Abs(d.Members[0].Weight-c.Members[0].Weight) > 1e-4 {
		t.Errorf("in another order the first weight is %g, was %g (%v)", d.Members[0].Weight, c.Members[0].Weight, err)
	}
	if _, err := (Stack{}).Choose(context.Background(), &Candidates{Problem: s.Problem}); err == nil {
		t.Error("no member is a choice")
	}
}

// Answers that are all alike have no variance: the price of the weights' squares is then a thousandth in the unit of the answers.
func TestPriceOfAConstant(t *testing.T) {
	s := stackable(30, []float64{1, 1}, 6)
	for i := range 30 {
		s.Problem.Y.Set(i, 0, 4)
		s.Members[0].LeftOut.Set(i, 0, 4.03)
		s.Members[1].LeftOut.Set(i, 0, 3.91)
	}
	const e00, e01, e11, price = 0.03 * 0.03, -0.03 * 0.09, 0.09 * 0.09, 1e-3
	want := (e11 - e01 + price) / (e00 + e11 - 2*e01 + 2*price)
	c := choice(t, Stack{}, s)
	if c.Members[0].Candidate != s.Members[0] || math.Abs(c.Members[0].Weight-want) > 5e-3 {
		t.Errorf("the first weight is %g, want %g", c.Members[0].Weight, want)
	}
}

// What is chosen anew for each part of the rows is an error where a choice is.
func TestRechosenStops(t *testing.T) {
	s := stackable(30, []float64{1, 1.5}, 7)
	if out, err := Rechosen(t.Context(), Stack{}, s); out == nil || err != nil {
		t.Fatalf("%v, %v", out, err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := Rechosen(ctx, Stack{}, s)
		return err
	})
}

// TestStackOfManyAlike: of more members than shares of a hundredth that do alike, all stay.
func TestStackOfManyAlike(t *testing.T) {
	c := choice(t, Stack{}, stackable(40, slices.Repeat([]float64{0.5}, 150), 3))
	total := 0.0
	for _, m := range c.Members {
		total += m.Weight
	}
	if len(c.Members) == 0 || math.Abs(total-1) > 1e-9 {
		t.Errorf("%d members of weight %g", len(c.Members), total)
	}
}
