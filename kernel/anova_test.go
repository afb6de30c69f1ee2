package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// naiveANOVA is the kernel by its definition.
func naiveANOVA(k kernel.ANOVA, x, z []float64) float64 {
	product := 1.0
	for g, w := range k.Weight {
		var apart float64
		equal, whole := true, true
		for c, knots := range k.Knots {
			if k.Group != nil && k.Group[c] != g || k.Group == nil && c != g {
				continue
			}
			whole = whole && len(knots) <= 2
			middle := (knots[0] + knots[len(knots)-1]) / 2
			equal = equal && (len(knots) == 1 || x[c] > middle == (z[c] > middle))
			apart += math.Abs(naiveRank(knots, x[c]) - naiveRank(knots, z[c]))
		}
		one := math.Exp(-apart / k.Sigma)
		if whole {
			one = 0
			if equal {
				one = 1
			}
		}
		product *= (1 + w*one) / (1 + w)
	}
	return product
}

// naiveRank is the mean, over the gaps between knots, of the share of a gap that is below x, which is a half where both ends are x.
func naiveRank(knots []float64, x float64) float64 {
	var s float64
	for q, hi := range knots[1:] {
		switch lo := knots[q]; {
		case x > hi || x == hi && lo < hi:
			s++
		case lo == hi && x == lo:
			s += 0.5
		case x > lo:
			s += (x - lo) / (hi - lo)
		}
	}
	return s / float64(max(len(knots)-1, 1))
}

// A monotone change of the columns before Adapt changes nothing, up to interpolation: here all values are knots.
func TestMonotoneChange(t *testing.T) {
	x := cloud(40, 3, 5).Dense
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return math.Exp(float64(j+1) * v) }, y)
	a := full(bind(t, kernel.ANOVA{}.Adapt(data.Rows{Dense: x}), data.Rows{Dense: x}, nil))
	b := full(bind(t, kernel.ANOVA{}.Adapt(data.Rows{Dense: y}), data.Rows{Dense: y}, nil))
	if e := distance(t, a, b); e > 1e-12 {
		t.Errorf("the matrix changes by %g", e)
	}
}

// Rows of words: a group is one factor, whatever the number of its words, and a word that is not known is equal to none of them.
func TestWordsAreWhole(t *testing.T) {
	x := mat.NewDense(6, 4, nil)
	for i := range 6 {
		x.Set(i, i%3, 1)
		x.Set(i, 3, float64(i))
	}
	k := kernel.ANOVA{Weight: []float64{3, 1}, Group: []int{0, 0, 0, 1}}.Adapt(data.Rows{Dense: x}).(kernel.ANOVA)
	g := bind(t, k, data.Rows{Dense: x}, nil)
	m := full(g)
	if got, want := m.At(0, 1)/m.At(0, 3), m.At(1, 0); !(got < 1) || want != m.At(0, 1) {
		t.Errorf("words that differ are as near as equal ones: %g", got)
	}
	apart := mat.NewDense(1, 6, nil)
	if err := g.Cross(apart, data.Rows{Dense: mat.NewDense(1, 4, []float64{0, 0, 0, 2})}, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := apart.At(0, 2), 1.0/4; math.Abs(got-want) > 1e-12 {
		t.Errorf("an unknown word is %g from a row of the same number, expected 1/(1+3) = %g", got, want)
	}
}

// Knots are at most 64, and ranks of uniform values are those values but for a fiftieth.
func TestKnots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(5000, 3, nil)
	for i := range 5000 {
		x.SetRow(i, []float64{r.Float64(), float64(i % 2), 7})
	}
	k := kernel.ANOVA{}.Adapt(data.Rows{Dense: x}).(kernel.ANOVA)
	if len(k.Knots[0]) != 64 || len(k.Knots[1]) != 2 || len(k.Knots[2]) != 1 {
		t.Errorf("%d, %d and %d knots", len(k.Knots[0]), len(k.Knots[1]), len(k.Knots[2]))
	}
	for v := 0.0; v < 1; v += 0.01 {
		if got := naiveRank(k.Knots[0], v); math.Abs(got-v) > 0.02 {
			t.Errorf("the rank of %g is %g", v, got)
		}
	}
}

// TestSlopesAtKnots: the slope at a value that is a knot is the mean of those on both sides, for centres below, at and above it.
func TestSlopesAtKnots(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	x := mat.NewDense(30, 2, nil)
	for i := range 30 {
		x.SetRow(i, []float64{float64(i) + 0.4*r.Float64(), math.Exp(float64(i) / 9)})
	}
	rows := data.Rows{Dense: x}
	k := kernel.ANOVA{Sigma: 0.5}.Adapt(rows)
	g := bind(t, k, rows, nil)
	a := make([]float64, 30)
	for j := range a {
		a[j] = r.NormFloat64()
	}
	for _, i := range []int{1, 14, 28} {
		grad := make([]float64, 2)
		if err := kernel.Slope(t.Context(), grad, k, rows.Select([]int{i}), rows, a); err != nil {
			t.Fatal(err)
		}
		for c := range 2 {
			const h = 1e-6
			at := func(d float64) (f float64) {
				moved := append([]float64(nil), x.RawRowView(i)...)
				moved[c] += d
				cross := mat.NewDense(1, 30, nil)
				if err := g.Cross(cross, data.Rows{Dense: mat.NewDense(1, 2, moved)}, nil); err != nil {
					t.Fatal(err)
				}
				for j, v := range a {
					f += v * cross.At(0, j)
				}
				return f
			}
			if want := (at(h) - at(-h)) / (2 * h); math.Abs(grad[c]-want) > 1e-4*(1+math.Abs(want)) || grad[c] == 0 {
				t.Errorf("row %d: the slope by column %d is %g, by differences %g", i, c+1, grad[c], want)
			}
		}
	}
}
