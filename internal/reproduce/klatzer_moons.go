package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
)

// klatzerF58 is what gamma does to the surface f on two moons, and the optimum.
func klatzerF58(ctx context.Context, l *lab) {
	for run := range l.runs {
		for _, noise := range []float64{0.1, 0.2} {
			l.say("set %d of %d, noise %g", run+1, l.runs, noise)
			l.moons58(ctx, noise, l.seed*uint64(2*l.runs)+uint64(2*run), run == 0)
		}
	}
}

// moons58 is one draw of the moons, which is shown in figures or not.
func (l *lab) moons58(ctx context.Context, noise float64, seed uint64, shown bool) {
	own := moons(200, noise, seed)
	fresh := moons(1000, noise, seed+1)
	t := crossValidated(own.x, own.against(1), indices.To(200), nil, l.seed, new(kernel.Work))
	t.test, t.testY = fresh.x, signs(fresh.against(1))
	b := gaussianModel().outer(t, quartic)
	name := fmt.Sprintf("noise %g", noise)
	for _, gamma := range []float64{0.49, 1, 1.9998} {
		l.surface(ctx, fmt.Sprintf("%s, gamma=%g", name, gamma), b, []float64{18.4873, gamma})
	}
	res := l.report(ctx, name+", optimum", b, rawSearch, []float64{1, 1})
	l.add(name+", optimum", "c", res.Theta[0])
	l.add(name+", optimum", "gamma", res.Theta[1])
	f := l.surface(ctx, name+", optimum", b, res.Theta)
	if shown {
		boundary := f
		f.Name, boundary.Name, boundary.At = "f", "boundary", []float64{0}
		l.draw(Figure{Name: strings.ReplaceAll(name, " ", "-"), Title: "The surface f at the optimum, " + name, X: Axis{Name: "x1"},
			Y: Axis{Name: "x2"}, Curves: dots(own.x, own.class, "class 0", "class 1"), Levels: []Level{f, boundary}})
	}
	l.report(ctx, name+", bilinear", linearModel().outer(t, quartic), rawSearch, []float64{1})
}

func moons(n int, noise float64, seed uint64) *classified {
	set := must(data.Builtin(fmt.Sprintf("two-moons:n=%d,noise=%g,seed=%d", n, noise, seed)))
	return &classified{x: set.Rows, class: classesOf(set).Class}
}

// surface adds height and gap of f and returns it.
func (l *lab) surface(ctx context.Context, name string, b *bilevel, theta []float64) (v Level) {
	g, m := b.machine(ctx, theta)
	const across, up = 81, 51
	at := mat.NewDense(across*up, 2, nil)
	for i := range across {
		for j := range up {
			at.SetRow(i*up+j, []float64{-1.5 + 4*float64(i)/(across-1), -1 + 2.5*float64(j)/(up-1)})
		}
	}
	f := predicted(ctx, g, m, data.Rows{Dense: at}, 1)
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
	return v
}
