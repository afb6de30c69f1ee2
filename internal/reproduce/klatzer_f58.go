package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// klatzerF58 is what gamma does to the surface f on two moons, and the optimum.
func klatzerF58(ctx context.Context, l *lab) error {
	for run := range l.runs {
		for _, noise := range []float64{0.1, 0.2} {
			l.say("set %d of %d, noise %g", run+1, l.runs, noise)
			if err := l.moons58(ctx, noise, l.seed*uint64(2*l.runs)+uint64(2*run), run == 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// moons58 is one draw of the moons, which is shown in figures or not.
func (l *lab) moons58(ctx context.Context, noise float64, seed uint64, shown bool) error {
	own, err := moons(200, noise, seed)
	if err != nil {
		return err
	}
	fresh, err := moons(1000, noise, seed+1)
	if err != nil {
		return err
	}
	t, err := crossValidated(own.x, own.against(1), numbersTo(200), nil, l.seed, new(kernel.Work))
	if err != nil {
		return err
	}
	t.test = fresh.x
	for _, k := range fresh.class {
		t.testY = append(t.testY, sign(k == 1))
	}
	quartic := klatzerLosses[1].loss
	b := gaussianModel().outer(t, quartic)
	name := fmt.Sprintf("noise %g", noise)
	for _, gamma := range []float64{0.49, 1, 1.9998} {
		if _, err := l.surface(ctx, fmt.Sprintf("%s, gamma=%g", name, gamma), b, []float64{18.4873, gamma}); err != nil {
			return err
		}
	}
	res, err := l.report(ctx, name+", optimum", b, rawSearch, []float64{1, 1})
	if err != nil {
		return err
	}
	l.add(name+", optimum", "c", res.Theta[0])
	l.add(name+", optimum", "gamma", res.Theta[1])
	if noise == 0.1 {
		l.printed(name+", optimum", "c", 18.4873)
		l.printed(name+", optimum", "gamma", 0.6134)
	}
	f, err := l.surface(ctx, name+", optimum", b, res.Theta)
	if err != nil {
		return err
	}
	if shown {
		boundary := f
		f.Name, boundary.Name, boundary.At = "f", "boundary", []float64{0}
		l.draw(
			Figure{Name: strings.ReplaceAll(name, " ", "-"), Title: "The surface f at the optimum, " + name, X: Axis{Name: "x1"},
				Y: Axis{Name: "x2"}, Curves: dots(own.x, own.class, "class 0", "class 1"), Levels: []Level{f, boundary}},
		)
	}
	_, err = l.report(ctx, name+", bilinear", linearModel().outer(t, quartic), rawSearch, []float64{1})
	return err
}

func moons(n int, noise float64, seed uint64) (*classified, error) {
	set, err := data.Builtin(fmt.Sprintf("two-moons:n=%d,noise=%g,seed=%d", n, noise, seed))
	if err != nil {
		return nil, err
	}
	c := &classified{x: set.Rows, class: make([]int, n)}
	for i, a := range set.Answers {
		if data.ClassName(a) == "1" {
			c.class[i] = 1
		}
	}
	return c, nil
}

// surface adds height and gap of f and returns it.
func (l *lab) surface(ctx context.Context, name string, b *bilevel, theta []float64) (v Level, err error) {
	g, m, err := b.machine(ctx, theta)
	if err != nil {
		return v, err
	}
	const across, up = 81, 51
	at := mat.NewDense(across*up, 2, nil)
	for i := range across {
		for j := range up {
			at.SetRow(i*up+j, []float64{-1.5 + 4*float64(i)/(across-1), -1 + 2.5*float64(j)/(up-1)})
		}
	}
	f := mat.NewDense(across*up, 1, nil)
	if err := m.Predict(ctx, f, g, data.Rows{Dense: at}); err != nil {
		return v, err
	}
	for i := range across {
		v.X = append(v.X, at.At(i*up, 0))
	}
	for j := range up {
		v.Y, v.Z = append(v.Y, at.At(j, 1)), append(v.Z, make([]float64, across))
	}
	height, gap := 0.0, 0.0
	for i := range across * up {
		v.Z[i%up][i/up] = f.At(i, 0)
		steep := math.Abs(f.At(i, 0))
		height = max(height, steep)
		if steep < 0.1 {
			gap += 100. / (across * up)
		}
	}
	l.add(name, "height of f", height)
	l.add(name, "gap of f, % of the plane", gap)
	return v, nil
}
