package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// effectiveLosses are those of the chapter's figures, squares halved as in eq. 3.7.
var effectiveLosses = []struct {
	name string
	loss learn.Loss
	part float64 // of the loss of package loss
}{{"hinge (l1)", learn.Hinge{}, 1}, {"squared hinge (l2)", learn.SquaredHinge{}, 0.5}, {"square (sqr)", learn.Square{}, 0.5}}

// outputsDrawn are the outputs at which losses are drawn.
func outputsDrawn() []float64 {
	const steps = 120
	f := make([]float64, steps+1)
	for k := range f {
		f[k] = -3 + 6*float64(k)/steps
	}
	return f
}

// effective is what a row without a label costs: the lesser of the losses of both labels.
func effective(plus, minus float64) float64 { return min(plus, minus) }

// annealedLoss is what it costs at a temperature, the least over the probability of the label, and at 0 the loss itself:
//
//	-T log(exp(-V(f)/T) + exp(-V(-f)/T))
func annealedLoss(t, plus, minus float64) float64 {
	least := effective(plus, minus)
	if t == 0 {
		return least
	}
	return least - t*math.Log1p(math.Exp(-math.Abs(plus-minus)/t))
}

const (
	outerSlope = "slope at f = 1.5"
	innerRise  = "value at f = 0 less that at f = 1"
)

// drawLoss adds a curve of a loss to a picture, and its rows to the table: how much it tells rows beyond the margin
// to move, and rows within it.
func (l *lab) drawLoss(picture *Figure, name string, of func(f float64) float64) {
	c := Curve{Name: name, X: outputsDrawn()}
	for _, f := range c.X {
		c.Y = append(c.Y, of(f))
	}
	picture.Curves = append(picture.Curves, c)
	const step = 1e-4
	name = picture.Name + ", " + name
	l.add(name, outerSlope, (of(1.5+step)-of(1.5-step))/(2*step))
	l.add(name, innerRise, of(0)-of(1))
}

// lossFigure is an empty picture of losses.
func lossFigure(name, title string) Figure {
	return Figure{Name: name, Title: title, X: Axis{Name: "output f"}, Y: Axis{Name: "loss"}}
}

// sindhwaniF31 draws effective losses.
func sindhwaniF31(_ context.Context, l *lab) {
	picture := lossFigure("losses", "Effective losses min(V(f), V(-f))")
	for _, v := range effectiveLosses {
		l.drawLoss(&picture, v.name, func(f float64) float64 { return v.part * effective(v.loss.Value(1, f), v.loss.Value(-1, f)) })
	}
	l.draw(picture)
}

// sindhwaniF34 draws annealed losses.
func sindhwaniF34(_ context.Context, l *lab) {
	for q, v := range effectiveLosses {
		picture := lossFigure([]string{"l1", "l2", "sqr"}[q], "Annealed effective loss of the "+v.name)
		for _, t := range []float64{10, 1, 0.3, 0.1, 0} {
			l.drawLoss(&picture, fmt.Sprintf("T = %g", t), func(f float64) float64 {
				// Less its value at 0 without a loss, which a high temperature takes far below the others.
				return annealedLoss(t, v.part*v.loss.Value(1, f), v.part*v.loss.Value(-1, f)) + t*math.Ln2
			})
		}
		l.draw(picture)
	}
}

// sindhwaniF35 draws the losses of algorithms that raise the weight of the unlabelled rows.
func sindhwaniF35(_ context.Context, l *lab) {
	v := effectiveLosses[1]
	for _, r := range []struct {
		name, title string
		of          func(f float64) float64
	}{
		{"JTSVM", "Effective loss of label switching, " + v.name,
			func(f float64) float64 { return v.part * effective(v.loss.Value(1, f), v.loss.Value(-1, f)) }},
		{"grad-TSVM", "Effective loss of gradient descent", func(f float64) float64 { return v.part * math.Exp(-3*f*f) }},
	} {
		picture := lossFigure(r.name, r.title)
		for _, weight := range []float64{0.01, 0.1, 0.3, 0.6, 1} {
			l.drawLoss(&picture, fmt.Sprintf("lambda' = %g", weight), func(f float64) float64 { return weight * r.of(f) })
		}
		l.draw(picture)
	}
}
