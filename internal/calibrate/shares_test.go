package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// coded are outputs of machines, noisy codes of the classes of n rows, the first the least noisy.
func coded(n, classes, machines int, seed uint64) (outputs []*mat.Dense, class []int) {
	r := rand.New(rand.NewPCG(seed, 2))
	columns := classes
	if classes == 2 {
		columns = 1
	}
	class = make([]int, n)
	for i := range class {
		class[i] = r.IntN(classes)
	}
	for m := range machines {
		o := mat.NewDense(n, columns, nil)
		for i, k := range class {
			for c := range columns {
				v := -1.0
				if columns > 1 && c == k || columns == 1 && k == 1 {
					v = 1
				}
				o.Set(i, c, v+float64(1+2*m)*0.6*r.NormFloat64())
			}
		}
		outputs = append(outputs, o)
	}
	return outputs, class
}

func TestSharedGradient(t *testing.T) {
	for _, classes := range []int{2, 3} {
		outputs, class := coded(30, classes, 3, 1)
		f := newShared(outputs, class, classes, weightsOf(len(class)))
		x := []float64{0.5, 0.3, 0.7, 1.2, 0.8, 0.1, -0.2}
		if classes == 3 {
			x = append(x, 0.3)
		}
		grad := make([]float64, len(x))
		if _, err := f.eval(context.Background(), x, grad); err != nil {
			t.Fatal(err)
		}
		const h = 1e-6
		for i := range x {
			at := func(d float64) float64 {
				z := append([]float64(nil), x...)
				z[i] += d
				v, _ := f.eval(context.Background(), z, nil)
				return v
			}
			if want := (at(h) - at(-h)) / (2 * h); math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%d classes: derivative %d is %g, by differences %g", classes, i, grad[i], want)
			}
		}
	}
}

func weightsOf(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 + float64(i%3)
	}
	return w
}

// The less noisy machine has most of the weight, weights are shares, and the probabilities are those of the classes that are decided.
func TestFitShares(t *testing.T) {
	for _, classes := range []int{2, 4} {
		outputs, class := coded(400, classes, 2, 5)
		v, s, err := FitShares(context.Background(), outputs, class, classes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v[0]+v[1]-1) > 1e-12 || v[0] < 0.6 || v[1] < 0 {
			t.Errorf("%d classes: weights %g", classes, v)
		}
		var mean mat.Dense
		mean.Scale(v[0], outputs[0])
		var other mat.Dense
		other.Scale(v[1], outputs[1])
		mean.Add(&mean, &other)
		p := mat.NewDense(len(class), classes, nil)
		decided := s.Decide(&mean)
		if err := s.Probabilities(p, &mean, decided); err != nil {
			t.Fatal(err)
		}
		var right, loss float64
		for i, k := range class {
			row := p.RawRowView(i)
			sum := 0.0
			for _, q := range row {
				sum += q
				if !(q > 0) || q > row[decided[i]] {
					t.Fatalf("row %d: probabilities %g, decided %d", i, row, decided[i])
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("row %d: probabilities of sum %g", i, sum)
			}
			loss -= math.Log(row[k])
			if decided[i] == k {
				right++
			}
		}
		if n := float64(len(class)); right/n < 0.8 || loss/n > 0.7*math.Log(float64(classes)) {
			t.Errorf("%d classes: %g of the rows are right, log loss %g", classes, right/n, loss/n)
		}
	}
}

// A row of weight 2 is a row that stands twice.
func TestSharesWeights(t *testing.T) {
	outputs, class := coded(60, 3, 2, 7)
	weight := make([]float64, 60)
	var twice []int
	for i := range weight {
		weight[i] = 1
		twice = append(twice, i)
		if i%4 == 0 {
			weight[i] = 2
			twice = append(twice, i)
		}
	}
	long := make([]*mat.Dense, 2)
	longClass := make([]int, len(twice))
	for k := range long {
		long[k] = mat.NewDense(len(twice), 3, nil)
		for q, i := range twice {
			long[k].SetRow(q, outputs[k].RawRowView(i))
			longClass[q] = class[i]
		}
	}
	v, s, err := FitShares(context.Background(), outputs, class, 3, weight)
	if err != nil {
		t.Fatal(err)
	}
	w, u, err := FitShares(context.Background(), long, longClass, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(v[0]-w[0]) > 1e-3 || math.Abs(s.Log-u.Log) > 1e-2*(1+s.Log) {
		t.Errorf("weights %g and log slope %g; of rows that stand twice %g and %g", v, s.Log, w, u.Log)
	}
}

// The probabilities of shares are those of their formula: slopes of the share and of its logarithm above the floor, an offset a class, and
// a thousandth of all classes alike. The loss that they are fitted by is that of these probabilities, with a price of the offsets.
func TestSharesByTheirFormula(t *testing.T) {
	s := Shares{Linear: 2, Log: 0.5, Offset: []float64{0.1, -0.3, 0.4}}
	out := mat.NewDense(3, 3, []float64{-0.5, 0.25, 0.75, -1.2, 0.9, -0.96, 0.5, -0.75, -0.5})
	probability := func(q []float64) []float64 {
		p, sum := make([]float64, len(q)), 0.0
		for c, v := range q {
			p[c] = math.Exp(s.Linear*v+s.Offset[c]) * math.Sqrt(max(v, 0.02))
			sum += p[c]
		}
		for c := range p {
			p[c] = (1-1e-3)*p[c]/sum + 1e-3/float64(len(p))
		}
		return p
	}
	dst, class := mat.NewDense(3, 3, nil), []int{2, 1, 0}
	if got := s.Decide(out); !slices.Equal(got, class) {
		t.Errorf("decided are %v", got)
	}
	if err := s.Probabilities(dst, out, class); err != nil {
		t.Fatal(err)
	}
	loss, weight := 0.0, []float64{1, 3, 2}
	for i := range 3 {
		q := make([]float64, 3)
		for c := range q {
			q[c] = (1 + out.At(i, c)) / 2
		}
		p := probability(q)
		loss -= weight[i] * math.Log(p[class[i]]) / 6
		for c, want := range p {
			if got := dst.At(i, c); math.Abs(got-want) > 1e-12 {
				t.Errorf("row %d, class %d: %g, expected %g", i, c, got, want)
			}
		}
	}
	f := newShared([]*mat.Dense{out}, class, 3, weight)
	got, err := f.eval(t.Context(), append([]float64{1, s.Linear, s.Log}, s.Offset...), nil)
	if want := loss + 1e-3*(0.01+0.09+0.16); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("the loss is %g, expected %g, %v", got, want, err)
	}
	// One output says the shares of two classes.
	s.Offset = []float64{0.2, -0.1}
	pair := mat.NewDense(1, 2, nil)
	if err := s.Probabilities(pair, mat.NewDense(1, 1, []float64{-0.25}), []int{0}); err != nil {
		t.Fatal(err)
	}
	if want := probability([]float64{0.625, 0.375}); math.Abs(pair.At(0, 0)-want[0]) > 1e-12 || math.Abs(pair.At(0, 1)-want[1]) > 1e-12 {
		t.Errorf("of one output %v, expected %v", pair.RawRowView(0), want)
	}
	if got := (Shares{Linear: 1, Offset: []float64{0, 0, 0}}).Decide(mat.NewDense(1, 3, []float64{-1, 0.5, 0.5})); got[0] != 1 {
		t.Errorf("of classes alike %d is decided, and not the first", got[0])
	}
}

// Few rows have 300 evaluations, more of them 3e7 shares in all, and the most 40.
func TestEvaluationsOfShares(t *testing.T) {
	for shares, want := range map[int]int{10: 300, 100_000: 300, 200_000: 150, 750_000: 40, 10_000_000: 40} {
		if got := ShareEvaluations(shares); got != want {
			t.Errorf("%d shares have %d evaluations, expected %d", shares, got, want)
		}
	}
}

func TestSharesRefusals(t *testing.T) {
	if _, _, err := FitShares(context.Background(), nil, nil, 2, nil); err == nil {
		t.Error("no row gives probabilities")
	}
	for _, s := range []Shares{
		{Linear: -1, Offset: []float64{0, 0}}, {Log: math.NaN(), Offset: []float64{0, 0}}, {Offset: []float64{0}},
		{Offset: []float64{0, math.Inf(1)}}, {Linear: math.Inf(1), Offset: []float64{0, 0}}, {Log: math.Inf(1), Offset: []float64{0, 0}},
		{Linear: 1, Log: -1, Offset: []float64{0, 0}},
	} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if err := (Shares{Offset: []float64{0, 0}}).Check(); err != nil {
		t.Errorf("slopes of zero: %v", err)
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		outputs, class := coded(20, 2, 2, 5)
		_, _, err := FitShares(ctx, outputs, class, 2, nil)
		return err
	})
	failtest.Refused(t, Shares{Linear: math.NaN(), Offset: []float64{0, 0}}.Check(), "shares: slopes NaN and 0 with 2 offsets")
	one := mat.NewDense(1, 1, []float64{math.NaN()})
	s := Shares{Linear: 1, Offset: []float64{0, 0}}
	if s.Probabilities(mat.NewDense(1, 2, nil), one, []int{0}) == nil {
		t.Error("an output that is no number has probabilities")
	}
}

// TestSharesOfNothing: outputs that are no numbers, and rows that weigh nothing, have no shares and no sigmoid.
func TestSharesOfNothing(t *testing.T) {
	outputs := func(v float64) []*mat.Dense {
		return []*mat.Dense{mat.NewDense(4, 2, []float64{1, 0, 0, 1, v, 0, 0, 1})}
	}
	class, none := []int{0, 1, 0, 1}, make([]float64, 4)
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if _, _, err := FitShares(t.Context(), outputs(v), class, 2, nil); err == nil {
			t.Errorf("an output %g has shares", v)
		}
	}
	if _, _, err := FitShares(t.Context(), outputs(1), class, 2, none); err == nil {
		t.Error("rows without weight have shares")
	}
	if _, err := FitSigmoid([]float64{1, -1, 2, -2}, []bool{true, false, true, false}, none); err == nil {
		t.Error("rows without weight have a sigmoid")
	}
}
