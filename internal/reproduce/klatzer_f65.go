package reproduce

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/kernel"
)

// klatzerF65 is one against the rest with the exponential chi-square kernel on raw
// images, c and gamma learned for each class.
func klatzerF65(ctx context.Context, l *lab) error {
	for _, d := range []klatzerSet{uspsSet, fashionSet} {
		set, err := l.classified(ctx, d)
		if err != nil {
			return err
		}
		if err := l.images(ctx, d.name, set, atMost(ctx, "rows of a class to tune", 5, 300)); err != nil {
			return err
		}
	}
	l.perClass(10, uspsSet.name, fashionSet.name)
	return nil
}

// images tunes one machine a class and judges them together.
func (l *lab) images(ctx context.Context, name string, set *classified, each int) error {
	if err := unitSums(set.x.Dense); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	rng := l.stream(0)
	classes := 0
	for _, k := range set.class {
		classes = max(classes, k+1)
	}
	var tune, test []int
	for k := range classes {
		var rows []int
		for i, c := range set.class {
			if c == k {
				rows = append(rows, i)
			}
		}
		perm := rng.Perm(len(rows))
		for q, p := range perm[:min(2*each, len(rows))] {
			if q < each {
				tune = append(tune, rows[p])
			} else {
				test = append(test, rows[p])
			}
		}
	}
	work := new(kernel.Work)
	scores := mat.NewDense(len(test), classes, nil)
	for k := range classes {
		l.say("%s: class %d", name, k)
		t, err := crossValidated(set.x, set.against(k), tune, test, l.seed, work)
		if err != nil {
			return err
		}
		b := chiSquareModel().outer(t, klatzerLosses[1].loss)
		res, err := b.tune(ctx, logSearch, []float64{10, 1})
		if err != nil {
			return err
		}
		g, m, err := b.machine(ctx, res.Theta)
		if err != nil {
			return err
		}
		out := mat.NewDense(len(test), 1, nil)
		if err := m.Predict(ctx, out, g, t.test); err != nil {
			return err
		}
		for i := range test {
			scores.Set(i, k, out.At(i, 0))
		}
		row := className(name, k)
		l.add(row, minH, res.F)
		l.add(row, "c", res.Theta[0])
		l.add(row, "gamma", res.Theta[1])
		l.add(row, evaluations, t.trainings(res.Evaluations))
	}
	tested := make([]int, len(test))
	for i, r := range test {
		tested[i] = set.class[r]
	}
	l.rightOf(name, scores, tested)
	return nil
}

// unitSums divides every row by its sum.
func unitSums(x *mat.Dense) error {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		s := 0.0
		for _, v := range row {
			s += v
		}
		if !(s > 0) {
			return fmt.Errorf("row %d sums to %g; images have positive sums", i+1, s)
		}
		for j := range row {
			row[j] /= s
		}
	}
	return nil
}
