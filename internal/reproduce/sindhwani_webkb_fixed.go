package reproduce

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// sindhwaniT24 is the transductive comparison on the words of the pages, with the source's parameters.
func sindhwaniT24(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	draws := l.fixedDraws(w)
	declare(ctx, "machines", textMethods)
	for q, m := range textMethods {
		if p := printed24[q]; p[0] > 0 {
			l.printedOf(m.name, []string{breakEven, breakEvenError}, p[:])
		}
	}
	w.fixed(ctx, draws, data.Rows{}, func(method, draw int, out, _ []float64) {
		d := draws[draw]
		lost := w.broken(out, d.hidden)
		l.add(textMethods[method].name, breakEven, 100-lost)
		l.add(textMethods[method].name, breakEvenError, 2*lost*w.share(d.hidden))
	})
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
func (w *webkb) fixed(ctx context.Context, draws []*textDraw, unseen data.Rows, each func(method, draw int, out, unseen []float64)) {
	base, k := w.bound(ctx, pageView)
	recipe := textGraph(textNeighbours, graph.CosineWeights)
	recipe.Degree = textDegree
	norm := must(manifold.Graph{Recipe: recipe}.Bind(ctx, w.view[pageView], nil))
	n := len(w.course)
	warped := must(manifold.Parts{Base: base, K: k, Norm: norm}.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: textRatio},
		mat.NewDense(n, n, nil)))
	for q, g := range []kernel.Gram{base, warped} {
		columnsOf(g, draws, unseen).evaluate(ctx, draws, textRidges, func(machine, ridge, draw int, train, unseen []float64) {
			for i, m := range textMethods {
				if m.machine == machine && m.ridge == ridge && m.warped == (q == 1) {
					each(i, draw, train, unseen)
				}
			}
		})
	}
}

// Sizes of the figure; its numbers of labels are lost with the image.
const curveTest, curveTrain = 263, 779

var curveLabels = []int{12, 25, 50, 100, 200}

// sindhwaniF28 draws learning curves: PRBEP by the number of labels, on unlabelled and on
// unseen rows, and of LapSVM also with fewer unlabelled rows.
func sindhwaniF28(ctx context.Context, l *lab) {
	w := l.webkb(ctx)
	for run := range l.runs {
		l.say("split %d of %d", run+1, l.runs)
		perm := l.stream(run).Perm(webkbRows)
		for _, size := range []int{curveTrain, curveTrain * 2 / 3, curveTrain / 3} {
			l.curve(ctx, w, perm[:curveTest], perm[curveTest:curveTest+size])
		}
	}
	picture := Figure{Name: "labels", Title: "PRBEP of unlabelled rows by the number of labels", X: Axis{"labelled rows", true},
		Y: Axis{Name: breakEven}}
	for _, m := range textMethods {
		row := func(k int) string { return fmt.Sprintf("%s l=%d n=%d", m.name, curveLabels[k], curveTrain) }
		picture.Curves = append(picture.Curves, l.means(m.name, breakEven+" of unlabelled", reals(curveLabels), row))
	}
	l.draw(picture)
}

// curve adds a split's numbers for one size of the training set.
func (l *lab) curve(ctx context.Context, w *webkb, test, train []int) {
	t := w.selected(train)
	unseen := w.selected(test)
	draws := t.nested(curveLabels)
	t.fixed(ctx, draws, unseen.view[pageView], func(method, draw int, out, outUnseen []float64) {
		m := textMethods[method]
		if len(train) < curveTrain && m.name != "LapSVM" {
			return
		}
		name := fmt.Sprintf("%s l=%d n=%d", m.name, curveLabels[draw], len(train))
		l.add(name, breakEven+" of unlabelled", 100-t.broken(out, draws[draw].hidden))
		l.add(name, breakEven+" of test", 100*metric.PRBEP(outUnseen, unseen.course))
	})
}

// nested labels the first rows of a set in random order, after one row of each class.
func (w *webkb) nested(sizes []int) []*textDraw {
	first, other := slices.Index(w.course, true), slices.Index(w.course, false)
	if first < 0 || other < 0 {
		fail("%d training rows of one class", len(w.course))
	}
	order := []int{first, other}
	for i := range w.course {
		if i != first && i != other {
			order = append(order, i)
		}
	}
	var draws []*textDraw
	for _, n := range sizes {
		labelled := slices.Clone(order[:n])
		slices.Sort(labelled)
		draws = append(draws, w.newDraw(labelled))
	}
	return draws
}
