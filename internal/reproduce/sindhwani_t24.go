package reproduce

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// The machines of section 2.7.3: 15 neighbours weighted by the cosine, L~^3, l gamma_A
// 0.01 for the square and 1 for the hinge, l gamma_I/(l+u)^2 a hundred times that.
const (
	textNeighbours  = 15
	textDegree      = 3
	textRatio       = 100
	textRidgeSquare = 0.01
	textRidgeHinge  = 1
)

// textMethods are the machines with those parameters, on the base kernel and warped.
var textMethods = []struct {
	name    string
	machine int
	ridge   int // of textRidges
	warped  bool
}{
	{"RLS", squareText, 0, false},
	{"SVM", hingeText, 1, false},
	{"LapRLS", squareText, 0, true},
	{"LapRLS with offset", offsetText, 0, true},
	{"LapSVM", hingeText, 1, true},
}

var textRidges = []float64{textRidgeSquare, textRidgeHinge}

const (
	breakEven      = "PRBEP %"
	breakEvenError = "error % at PRBEP"
)

// sindhwaniT24 is the transductive comparison on the words of the pages, with the source's
// parameters.
func sindhwaniT24(ctx context.Context, l *lab) error {
	w, err := l.webkb(ctx)
	if err != nil {
		return err
	}
	var draws []*textDraw
	for run := range l.runs {
		rng := rand.New(rand.NewPCG(l.seed, uint64(run)))
		draws = append(draws, w.newDraw(w.drawCourses(webkbCourses, webkbLabels-webkbCourses, rng)))
	}
	declare(ctx, "machines", textMethods)
	for q, m := range textMethods {
		if p := printed24[q]; p[0] > 0 {
			l.printed(m.name, breakEven, p[0])
			l.printed(m.name, breakEvenError, p[1])
		}
	}
	err = w.fixed(ctx, draws, data.Rows{}, func(method, draw int, out, _ []float64) {
		d := draws[draw]
		lost := w.broken(out, d.hidden)
		l.add(textMethods[method].name, breakEven, 100-lost)
		l.add(textMethods[method].name, breakEvenError, 2*lost*w.share(d.hidden))
	})
	if err != nil {
		return err
	}
	return nil
}

// printed24 are PRBEP and error of table 2.4, in the order of textMethods; 0: nothing.
var printed24 = [...][2]float64{{73.49, 11.68}, {76.39, 10.41}, {86.37, 5.99}, {}, {87.73, 5.41}}

// share is the share of courses among rows.
func (w *webkb) share(rows []int) float64 {
	n := 0
	for _, i := range rows {
		if w.course[i] {
			n++
		}
	}
	return float64(n) / float64(len(rows))
}

// fixed trains the machines of section 2.7.3 on the words of the pages and tells `each` of
// their outputs on all rows and on rows never seen.
func (w *webkb) fixed(ctx context.Context, draws []*textDraw, unseen data.Rows, each func(method, draw int, out, unseen []float64)) error {
	base, k, err := w.bound(ctx, pageView)
	if err != nil {
		return err
	}
	recipe := textGraph(textNeighbours, graph.CosineWeights)
	recipe.Degree = textDegree
	norm, err := manifold.Graph{Recipe: recipe}.Bind(ctx, w.view[pageView], nil)
	if err != nil {
		return err
	}
	n := len(w.course)
	warped, err := manifold.Parts{Base: base, K: k, Norm: norm}.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: textRatio},
		mat.NewDense(n, n, nil))
	if err != nil {
		return err
	}
	for q, g := range []kernel.Gram{base, warped} {
		columns, err := columnsOf(g, draws, unseen)
		if err != nil {
			return err
		}
		err = columns.evaluate(ctx, draws, textRidges, func(machine, ridge, draw int, train, unseen []float64) {
			for i, m := range textMethods {
				if m.machine == machine && m.ridge == ridge && m.warped == (q == 1) {
					each(i, draw, train, unseen)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
