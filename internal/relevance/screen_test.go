package relevance

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// labels are three classes of 30 rows, which the columns 0 and 1 tell, with a column that tells nothing in the data and a constant one.
func labels() *learn.Problem {
	r := rand.New(rand.NewPCG(5, 9))
	x := mat.NewDense(30, 4, nil)
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b", "c"}, Rows: data.Rows{Dense: x}, Y: mat.NewDense(30, 3, nil)}
	for i := range 30 {
		c := i % 3
		x.SetRow(i, []float64{float64(c) + 0.3*r.NormFloat64(), float64(c*c) + 2*r.NormFloat64(), math.Cos(float64(i / 3)), 7})
		for q := range 3 {
			p.Y.Set(i, q, -1)
		}
		p.Y.Set(i, c, 1)
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, c)
	}
	return p
}

func screen(t *testing.T, k kernel.ARDRational, p *learn.Problem) kernel.ARDRational {
	t.Helper()
	got, err := Screen(context.Background(), k, p)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The proportions of the widths are those of the formula, computed by regression on indicators of the classes.
func TestScreenIsTheFormula(t *testing.T) {
	p := labels()
	for _, power := range []int{1, 2} {
		got := screen(t, kernel.ARDRational{Sigma: []float64{1, 2, 1, 1}, Alpha: 3, Power: power}, p)
		want := make([]float64, 2)
		for c := range want {
			column := mat.NewDense(30, 1, nil)
			for i := range 30 {
				column.Set(i, 0, p.Rows.Dense.At(i, c))
			}
			var by mat.Dense // the means of the classes
			indicators := mat.NewDense(30, 3, nil)
			for i, k := range p.Class {
				indicators.Set(i, k, 1)
			}
			if err := by.Solve(indicators, column); err != nil {
				t.Fatal(err)
			}
			var fitted mat.Dense
			fitted.Mul(indicators, &by)
			mean := mat.Sum(column) / 30
			var explained, total float64
			for i := range 30 {
				explained += math.Pow(fitted.At(i, 0)-mean, 2)
				total += math.Pow(column.At(i, 0)-mean, 2)
			}
			want[c] = 1 / math.Sqrt(explained/total-2./29)
		}
		want[1] *= 2
		if r := got.Sigma[0] / got.Sigma[1] / (want[0] / want[1]); math.Abs(r-1) > 1e-12 {
			t.Errorf("power %d: widths %v, proportions %v are due", power, got.Sigma, want)
		}
		for _, c := range []int{2, 3} {
			if got.Sigma[c] < 1e4*got.Sigma[0] {
				t.Errorf("power %d: column %d, which tells nothing, has the width %g beside %g", power, c, got.Sigma[c], got.Sigma[0])
			}
		}
		var sums []float64
		for i := range 30 {
			for j := range i {
				var sum float64
				for c, s := range got.Sigma {
					sum += math.Pow(math.Abs(p.Rows.Dense.At(i, c)-p.Rows.Dense.At(j, c))/s, float64(power))
				}
				sums = append(sums, sum)
			}
		}
		slices.Sort(sums)
		if m := sums[len(sums)/2]; math.Abs(m-1) > 1e-9 {
			t.Errorf("power %d: the median distance is %g", power, m)
		}
	}
}

// A class of one row explains what any class explains: its mass times the square of its mean.
func TestShareOfAClassOfOneRow(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Class: []int{0, 0, 0, 1}}
	if explained, total := shares(p, []float64{1, 2, 3, 6}); math.Abs(explained-12) > 1e-12 || math.Abs(total-14) > 1e-12 {
		t.Errorf("explained %g of %g, want 3 + 9 of 14", explained, total)
	}
}

// Features of a group have one share; a row of weight 2 is a row that stands twice; the units of a column do not matter beside its width.
func TestScreenRelations(t *testing.T) {
	p := labels()
	start := kernel.ARDRational{Sigma: []float64{1, 1}, Alpha: 1, Power: 1, Group: []int{0, 0, 1, 1}}
	one := screen(t, start, p)

	twice := *p
	twice.Weight = make([]float64, 30)
	var again []int
	for i := range 30 {
		twice.Weight[i] = 1
		again = append(again, i)
		if i%4 == 0 {
			twice.Weight[i] = 2
			again = append(again, i)
		}
	}
	copied := p.Only(again)
	explained, total := shares(&twice, mat.Col(nil, 0, p.Rows.Dense))
	column := mat.Col(nil, 0, copied.Rows.Select(copied.Labelled).Dense)
	e, a := shares(copied, column)
	if math.Abs(e-explained) > 1e-9 || math.Abs(a-total) > 1e-9 {
		t.Errorf("weights: %g of %g, copies: %g of %g", explained, total, e, a)
	}

	scaled := *p
	scaled.Rows.Dense = mat.DenseCopyOf(p.Rows.Dense)
	scaled.Rows.Dense.Scale(8, scaled.Rows.Dense)
	if other := screen(t, start, &scaled); math.Abs(other.Sigma[0]/one.Sigma[0]-8) > 1e-9 {
		t.Errorf("in other units the width is %g, in the first %g", other.Sigma[0], one.Sigma[0])
	}

	noise := *p
	noise.Class = make([]int, 30)
	for i := range 30 {
		noise.Class[i] = i / 3 % 3
	}
	noise.Rows.Dense = mat.NewDense(30, 4, nil)
	if same := screen(t, start, &noise); !slices.Equal(same.Sigma, start.Sigma) {
		t.Errorf("of columns that tell nothing the widths became %v", same.Sigma)
	}
}

// A target is told by the column that it is made of.
func TestScreenOfNumbers(t *testing.T) {
	p := steps(40, 5, 3)
	got := screen(t, kernel.ARDRational{Sigma: []float64{1, 1, 1, 1, 1}, Alpha: 1, Power: 2}, p)
	for c := 2; c < 5; c++ {
		if got.Sigma[c] < 2*max(got.Sigma[0], got.Sigma[1]) {
			t.Errorf("widths %v of a target that columns 0 and 1 make", got.Sigma)
		}
	}
}

// A column that tells no more than chance is a million times as wide as one that the labels explain whole.
func TestWidthOfColumnsThatTellNothing(t *testing.T) {
	p := labels()
	got := screen(t, kernel.ARDRational{Sigma: []float64{1, 1, 1, 2}, Alpha: 3, Power: 1}, p)
	explained, total := shares(p, mat.Col(nil, 0, p.Rows.Dense))
	unit := got.Sigma[0] * math.Sqrt(explained/total-2./29)
	for c, want := range map[int]float64{2: 1e6, 3: 2e6} {
		if math.Abs(got.Sigma[c]/unit/want-1) > 1e-9 {
			t.Errorf("column %d is %g times as wide, want %g", c, got.Sigma[c]/unit, want)
		}
	}
}
