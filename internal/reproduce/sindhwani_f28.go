package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/metric"
)

// Sizes of the figure; its numbers of labels are lost with the image.
const (
	curveTest  = 263
	curveTrain = 779
)

var curveLabels = []int{12, 25, 50, 100, 200}

// sindhwaniF28 draws learning curves: PRBEP by the number of labels, on unlabelled and on
// unseen rows, and of LapSVM also with fewer unlabelled rows.
func sindhwaniF28(ctx context.Context, l *lab) error {
	w, err := l.webkb(ctx)
	if err != nil {
		return err
	}
	for run := range l.runs {
		l.say("split %d of %d", run+1, l.runs)
		rng := rand.New(rand.NewPCG(l.seed, uint64(run)))
		perm := rng.Perm(webkbRows)
		for _, size := range []int{curveTrain, curveTrain * 2 / 3, curveTrain / 3} {
			if err := l.curve(ctx, w, perm[:curveTest], perm[curveTest:curveTest+size]); err != nil {
				return err
			}
		}
	}
	picture := Figure{Name: "labels", Title: "PRBEP of unlabelled rows by the number of labels", X: Axis{"labelled rows", true},
		Y: Axis{Name: breakEven}}
	var x []float64
	for _, n := range curveLabels {
		x = append(x, float64(n))
	}
	for _, m := range textMethods {
		picture.Curves = append(picture.Curves, l.means(m.name, breakEven+" of unlabelled", x, func(n float64) string {
			return fmt.Sprintf("%s l=%g n=%d", m.name, n, curveTrain)
		}))
	}
	l.draw(picture)
	return nil
}

// curve adds a split's numbers for one size of the training set.
func (l *lab) curve(ctx context.Context, w *webkb, test, train []int) error {
	t := w.selected(train)
	unseen := w.selected(test)
	draws, err := t.nested(curveLabels)
	if err != nil {
		return err
	}
	return t.fixed(ctx, draws, unseen.view[pageView], func(method, draw int, out, outUnseen []float64) {
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
func (w *webkb) nested(sizes []int) ([]*textDraw, error) {
	first, other := slices.Index(w.course, true), slices.Index(w.course, false)
	if first < 0 || other < 0 {
		return nil, fmt.Errorf("%d training rows of one class", len(w.course))
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
	return draws, nil
}
