package reproduce

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// waves24 are the 24 rows of the golden values, the first four labelled; lambda is 0.01.
func waves24() *textTask {
	const n = 24
	x, t := mat.NewDense(n, 3, nil), &textTask{labels: 4, lambda: 0.01, weight: 1, class: make([]int, n)}
	for i := range n {
		t.class[i] = (i + 1) % 2
		a, push := float64(i+1), 0.6*float64(2*t.class[i]-1)
		x.SetRow(i, []float64{math.Sin(a) + push, math.Cos(2*a) + push, math.Sin(3 * a)})
	}
	t.x = data.Rows{Sparse: data.CSRFromDense(x)}
	t.test, t.testClass = t.x.Select([]int{5, 6, 7, 8, 9}), t.class[5:10]
	return t
}

// byHand is eq. 6.6 of weights whose last is that of the constant.
func (t *textTask) byHand(w []float64) float64 {
	f := t.lambda / 2 * floats.Dot(w, w)
	for i := range t.class {
		o := w[len(w)-1]
		index, value := t.x.Sparse.Row(i)
		for q, j := range index {
			o += w[j] * value[q]
		}
		if i < t.labels {
			f += math.Pow(max(0, 1-float64(2*t.class[i]-1)*o), 2) / (2 * float64(t.labels))
		} else {
			f += t.weight * math.Pow(max(0, 1-math.Abs(o)), 2) / (2 * float64(len(t.class)-t.labels))
		}
	}
	return f
}

// TestScaleOfText: the objectives are those of eq. 6.6, by hand at the golden weights and as found.
func TestScaleOfText(t *testing.T) {
	for _, c := range []struct {
		machine textMachine
		w       []float64
		f       float64
	}{
		{textSingle, []float64{.301201126, .822840417, 1.499624923, .171393082}, .0516030813},
		{textSwitching, []float64{.301201126, .822840417, 1.499624923, .171393082}, .0516030813},
		{textAnnealing, []float64{.890335591, 2.551050552, -.465103917, .419759215}, .0586855557},
	} {
		task := waves24()
		if f := task.byHand(c.w); math.Abs(f-c.f) > 1e-8 {
			t.Errorf("%s by hand: %.10f, want %.10f", c.machine.name, f, c.f)
		}
		r := task.train(t.Context(), c.machine)
		if math.Abs(r.objective-c.f) > 1e-7 {
			t.Errorf("%s: %.10f, want %.10f", c.machine.name, r.objective, c.f)
		}
	}
}

// TestTextErrors: errors of unseen rows are those of the same rows where they are learned from, and the machine of the
// labels alone does not depend on the weight of the others.
func TestTextErrors(t *testing.T) {
	task := waves24()
	rest := make([]int, 20)
	for q := range rest {
		rest[q] = 4 + q
	}
	task.test, task.testClass = task.x.Select(rest), task.class[4:]
	for _, m := range []textMachine{textSVM, textSwitching, textAnnealing} {
		r := task.train(t.Context(), m)
		if r.test != r.unlabelled || r.test == 0 {
			t.Errorf("%s: %g %% of unlabelled rows, %g of the same unseen", m.name, r.unlabelled, r.test)
		}
	}
	heavy := waves24()
	heavy.weight = 100
	a := task.train(t.Context(), textSVM)
	b := heavy.train(t.Context(), textSVM)
	if a.unlabelled != b.unlabelled || a.objective != b.objective {
		t.Errorf("%+v, with another weight of rows that it does not know %+v", a, b)
	}
}

// TestGeneratedText: the rows and the share of positive ones are those asked for, and the rows of a class are those that
// the generator makes.
func TestGeneratedText(t *testing.T) {
	for _, share := range []float64{0.3, 0.5, 0.65} {
		s := textSet{name: "two-topics", positive: share}
		c := s.generated(t.Context(), 100, 200, 1)
		up := 0
		for _, k := range c.class {
			up += k
		}
		if c.x.Len() != 100 || len(c.class) != 100 || up != int(100*share) || c.x.Dim() != 200 {
			t.Errorf("share %g: %d rows of %d columns, %d positive", share, c.x.Len(), c.x.Dim(), up)
		}
	}
}
