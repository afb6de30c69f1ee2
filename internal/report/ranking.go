package report

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/model"
)

// ranked is how well a score ranks the rows of a class above the others: the counts of both at
// or above every threshold that tells rows apart, from none to all of them (Fawcett 2006). Ties
// are passed in one step, so that the area below (fp, tp) is metric.AUC.
type ranked struct {
	class  int   // that is positive
	tp, fp []int // the first is 0, 0
	auc    float64
}

// rank counts over the thresholds; ok is false where the rows are of one kind alone.
func rank(class int, score []float64, positive []bool) (r ranked, ok bool) {
	order := indices.To(len(score))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	r = ranked{class: class, tp: []int{0}, fp: []int{0}, auc: metric.AUC(score, positive)}
	tp, fp := 0, 0
	for k, i := range order {
		if positive[i] {
			tp++
		} else {
			fp++
		}
		if k+1 == len(order) || score[order[k+1]] != score[i] {
			r.tp, r.fp = append(r.tp, tp), append(r.fp, fp)
		}
	}
	return r, tp > 0 && fp > 0
}

// mostRanked is how many classes figures of ranks show each with a curve.
const mostRanked = 8

// rankings are one of the second class of two, or each of several against the rest.
func (j *Judged) rankings(classes int) []ranked {
	if j.Score == nil || classes > mostRanked {
		return nil
	}
	_, columns := j.Score.Dims()
	var list []ranked
	for c := range columns {
		class := c
		if columns == 1 {
			class = 1
		}
		positive := make([]bool, j.Len())
		for i, k := range j.Class {
			positive[i] = k == class
		}
		if r, ok := rank(class, mat.Col(nil, c, j.Score), positive); ok {
			list = append(list, r)
		}
	}
	return list
}

// scoresOf are what ranks rows by class: the output of two classes, else probabilities, else
// an output a class; nil where the outputs are of pairs of classes.
func scoresOf(m *model.Model, out, probability *mat.Dense) *mat.Dense {
	_, c := out.Dims()
	switch {
	case c == 1 && len(m.Classes) == 2, c == len(m.Classes) && !m.Pairs && probability == nil:
		return out
	}
	return probability
}

// against names the rows that are positive.
func against(classes []string, class int) string {
	return fmt.Sprintf("class %s against the rest", clip(classes[class]))
}

// rocFigure draws the share of positive rows found against that of others taken for them.
func rocFigure(j *Judged, classes []string) *Figure {
	list := j.rankings(len(classes))
	if len(list) == 0 {
		return nil
	}
	p := newPlot("Receiver operating characteristic", "false positive rate", "true positive rate")
	chance := draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{4, 3}}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, LineStyle: chance})
	f := &Figure{
		Name:    "roc",
		Plot:    p,
		Caption: sentence(j.describe()) + ", ranked by what the model gives them: a curve near the upper left corner ranks well.",
		Alt:     "ROC curves:",
	}
	for _, r := range list {
		last := len(r.tp) - 1
		xy := make(plotter.XYs, len(r.tp))
		for k := range xy {
			xy[k] = plotter.XY{X: float64(r.fp[k]) / float64(r.fp[last]), Y: float64(r.tp[k]) / float64(r.tp[last])}
		}
		line := draw.LineStyle{Color: classColour(r.class), Width: 1.8}
		p.Add(&plotter.Line{XYs: xy, LineStyle: line})
		f.Legend = append(f.Legend, Entry{Name: fmt.Sprintf("%s, area %.3f", classes[r.class], r.auc), Line: &line})
		f.Alt += fmt.Sprintf(" %s, area %.3f;", against(classes, r.class), r.auc)
	}
	f.Legend = append(f.Legend, Entry{Name: "chance", Line: &chance})
	room(&p.X, 0, 1, 0.02)
	room(&p.Y, 0, 1, 0.02)
	return f
}

// precisionFigure draws the share of right ones among the rows taken for a class against the
// share of the class that is found.
func precisionFigure(j *Judged, classes []string) *Figure {
	list := j.rankings(len(classes))
	if len(list) == 0 {
		return nil
	}
	p := newPlot("Precision and recall", "recall", "precision")
	f := &Figure{Name: "precision-recall", Plot: p, Alt: "Precision against recall:",
		Caption: sentence(
			j.describe(),
		) + ": of the rows ranked first, how many are of the class, and how much of the class is among them. A model that knows " +
			"nothing stays " +
			"at the class's share."}
	for _, r := range list {
		last := len(r.tp) - 1
		var xy plotter.XYs
		for k := 1; k <= last; k++ {
			xy = append(xy, plotter.XY{X: float64(r.tp[k]) / float64(r.tp[last]), Y: float64(r.tp[k]) / float64(r.tp[k]+r.fp[k])})
		}
		line := draw.LineStyle{Color: classColour(r.class), Width: 1.8}
		p.Add(&plotter.Line{XYs: xy, LineStyle: line})
		share := float64(r.tp[last]) / float64(r.tp[last]+r.fp[last])
		f.Legend = append(f.Legend, Entry{Name: fmt.Sprintf("%s, share %s", classes[r.class], percent(share)), Line: &line})
		f.Alt += fmt.Sprintf(" %s, whose share is %s;", against(classes, r.class), percent(share))
	}
	room(&p.X, 0, 1, 0.02)
	room(&p.Y, 0, 1, 0.02)
	return f
}
