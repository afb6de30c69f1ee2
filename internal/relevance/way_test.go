package relevance

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
)

// add writes down what was learned.
func (l Learned) add(p *pathtest.Path, what string, err error) {
	if err != nil {
		p.Add(what, err)
		return
	}
	p.Add(what, l.Lambda, l.Press, l.Kernel.Space().Defaults())
	if m, ok := l.Kernel.(kernel.MetricLaplacian); ok {
		p.Add("  metric", m.Diagonal)
		if m.Metric != nil {
			p.Add("  of all", m.Metric.RawMatrix().Data)
		}
	}
}

// TestLearnedWidthsAreAsTheyWere: widths, ridges and metrics after a few steps, from several starts, and their means.
func TestLearnedWidthsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	own, other := steps(30, 4, 1), steps(25, 4, 2)
	var widths []Learned
	for _, k := range []kernel.Kernel{
		kernel.ARDRational{Sigma: []float64{1, 2, 3, 1.5}, Alpha: 0.7, Power: 1}, kernel.ARDRational{Power: 2}.Adapt(own.Rows),
		kernel.ARDRational{Sigma: []float64{1, 1e5, 3, 1e-4}, Alpha: 900, Power: 1},
		kernel.ARDRational{Sigma: []float64{1, 2}, Alpha: 2, Power: 1, Group: []int{0, 0, 1, 0}},
		kernel.ARDL1Laplacian{Sigma: []float64{1, 2, 3, 1.5}}, kernel.ANOVA{Weight: []float64{1, 0.5, 3, 0.2}}.Adapt(own.Rows),
	} {
		for _, most := range []int{1, 4} {
			l, err := Learn(t.Context(), k, own, Options{Steps: most})
			l.add(&p, fmt.Sprintf("%T, %d steps", k, most), err)
		}
		w := Widths{Start: k, Steps: 3}
		one, err := w.Learn(t.Context(), own, other)
		one.add(&p, "  by its recipe", err)
		two, err := w.Learn(t.Context(), other, own)
		two.add(&p, "  of other rows", err)
		mean, err := w.Mean([]Learned{one, two})
		mean.add(&p, "  mean", err)
		widths = append(widths, one)
	}
	p.Add("learned", len(widths))
	for _, m := range []Metric{
		{Start: kernel.MetricLaplacian{Sigma: 1}, Rounds: 2, Full: 9, Steps: 4},
		{Start: kernel.MetricLaplacian{Sigma: 1}, Rounds: 1, Full: 3, Steps: 4},
		{Start: kernel.MetricLaplacian{Sigma: 2}, Rounds: 3, Full: 4, Steps: 6},
	} {
		m.Start, _ = m.Start.Adapt(own.Rows).(kernel.MetricLaplacian)
		one, err := m.Learn(t.Context(), own, other)
		one.add(&p, fmt.Sprintf("metric, %d rounds, full to %d, %d steps", m.Rounds, m.Full, m.Steps), err)
		two, err := m.Learn(t.Context(), other, own)
		two.add(&p, "  of other rows", err)
		mean, err := m.Mean([]Learned{one, two})
		mean.add(&p, "  mean", err)
	}
	p.Compare(t, "learned")
}
