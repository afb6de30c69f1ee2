package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// sindhwaniFit is table 2.4: machines on the words of WebKB's pages at the source's parameters.
func sindhwaniFit(ctx context.Context, l *lab) error {
	w, err := l.webkb(ctx)
	if err != nil {
		return err
	}
	var draws []*textDraw
	for run := range l.runs {
		rng := rand.New(rand.NewPCG(l.seed, uint64(run)))
		draws = append(draws, w.newDraw(w.drawCourses(webkbCourses, webkbLabels-webkbCourses, rng)))
	}
	if err := l.textTwice(ctx, w, draws); err != nil {
		return err
	}
	for q, m := range textMethods {
		if p := printed24[q]; p[0] > 0 {
			l.printedBoth(m.name, breakEven, p[0])
		}
	}
	return nil
}

// textTwice trains all machines of the table on all draws both ways.
func (l *lab) textTwice(ctx context.Context, w *webkb, draws []*textDraw) error {
	var failed error
	err := w.fixed(ctx, draws, data.Rows{}, func(method, draw int, out, _ []float64) {
		if failed != nil {
			return
		}
		m, d := textMethods[method], draws[draw]
		l.say("%s, draw %d of %d", m.name, draw+1, len(draws))
		in := mercer.Input{Set: &data.Set{Source: "pages", Name: "pages", Rows: w.view[pageView], LabelName: "course"}}
		in.Set.Answers, in.Hidden = make(data.Answers, len(w.course)), make(data.Answers, len(w.course))
		for i, k := range w.labels.Class {
			in.Hidden[i] = w.labels.Classes[k]
		}
		for _, i := range d.labelled {
			in.Set.Answers[i], in.Hidden[i] = in.Hidden[i], ""
		}
		front, res, err := fixedFit(ctx, in, textRecipe(method, len(d.labelled)))
		if err != nil {
			failed = fmt.Errorf("%s, draw %d: %w", m.name, draw+1, err)
			return
		}
		all, err := front.Predict(ctx, w.view[pageView])
		if err != nil {
			failed = err
			return
		}
		l.both(m.name, breakEven, 100-w.broken(out, d.hidden), 100*res.Metrics["hidden"]["prbep"])
		l.most(m.name, fitDifference, apart(withoutMean(target(out), m.machine), withoutMean(all, m.machine)))
	})
	if err == nil {
		err = failed
	}
	return err
}

// withoutMean are outputs less their mean where the machine has an offset, which the library's
// outputs of pages leave out: the ranking does not depend on it.
func withoutMean(out *mat.Dense, machine int) *mat.Dense {
	n, _ := out.Dims()
	centred := mat.DenseCopyOf(out)
	if machine != squareText {
		mean := mat.Sum(out) / float64(n)
		for i := range n {
			centred.Set(i, 0, out.At(i, 0)-mean)
		}
	}
	return centred
}

// textRecipe is a machine of the table for so many labelled rows.
func textRecipe(method, labelled int) mercer.Recipe {
	m := textMethods[method]
	ridge := textRidges[m.ridge]
	gamma := ridge / float64(labelled) // of the averaged loss
	r := mercer.Recipe{Kernel: "linear", Offset: "no", Set: map[string]string{}}
	if m.machine != squareText {
		r.Offset = "yes"
	}
	if m.warped {
		r.Set = map[string]string{
			"gamma_a":         text(gamma),
			"gamma_i":         text(textRatio * gamma),
			"intrinsic_scale": "none",
			"neighbours":      text(textNeighbours),
			"degree":          text(textDegree),
			"metric":          "cosine",
			"weights":         "cosine",
		}
	}
	switch {
	case m.machine == hingeText && m.warped:
		r.Method = "lap-svm"
	case m.machine == hingeText:
		r.Method, r.Set["C"] = "svm", text(1/(2*ridge))
	case m.warped:
		r.Method = "lap-rls"
	default:
		r.Method, r.Set["lambda"] = "rls", text(gamma)
	}
	return r
}
