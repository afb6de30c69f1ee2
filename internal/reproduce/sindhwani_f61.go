package reproduce

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/learner/linear"
)

// textFile is the one set that is not generated.
var textFile = collections[macwin].file

// mediumSets stand in for the sets of figures 6.1 to 6.4, in the order of their panels.
func mediumSets() []textSet {
	const settings = ",length=76,spread=0.4"
	return []textSet{
		{source: "aut-avn", name: collections[macwin].name, file: textFile, n: collections[macwin].n, weight: 10, fewest: 45},
		{source: "real-sim", name: "two-topics", words: 600, n: 2000, positive: 0.31, weight: 1, fewest: 10},
		{source: "ccat", name: "zipf", words: fullWords, settings: settings, n: 23_119, positive: 0.46, weight: 10, fewest: 45},
		{source: "gcat", name: "zipf", words: fullWords, settings: settings, n: 23_119, positive: 0.30, weight: 1, fewest: 45, seed: 1000},
	}
}

const (
	// testPart is the part of the rows of a medium set that is not learned from, as of ccat and gcat: one of so many.
	testPart = 4
	// annealedSet is that whose fixed temperatures are compared.
	annealedSet = "real-sim"
)

// doublings is how often the number of labels is doubled in the figures.
const doublings = 4

// labels are the numbers of them in the figures.
func (s textSet) labels() []int {
	var list []int
	for k := range doublings + 1 {
		list = append(list, s.fewest<<k)
	}
	return list
}

// fixedTemperatures are annealings that do not anneal.
func fixedTemperatures() []textMachine {
	var list []textMachine
	for _, t := range []float64{0.1, 0.001} {
		list = append(list, textMachine{fmt.Sprintf("DA, T = %g", t), linear.Annealing{Temperature: t}, false})
	}
	return list
}

// textPanel is what a figure shows of a result.
type textPanel struct {
	metric string
	of     func(r textResult) float64
}

// textCurves is a figure: against the number of labels, the panels of some machines.
type textCurves struct {
	panels []textPanel
	list   []textMachine
	fixed  bool // fixed temperatures too, on annealedSet
}

// textFigures are those of the chapter, in their order.
func textFigures() [4]textCurves {
	errors := []textPanel{{testError, func(r textResult) float64 { return r.test }},
		{unlabelledError, func(r textResult) float64 { return r.unlabelled }}}
	transductive := []textMachine{textSingle, textSwitching, textAnnealing}
	return [...]textCurves{
		{[]textPanel{{textObjective, func(r textResult) float64 { return r.objective }}}, transductive, true},
		{errors, []textMachine{textSwitching, textAnnealing}, false},
		{errors, []textMachine{textSwitching, textAnnealing, textSVM}, false},
		{[]textPanel{{textSeconds, func(r textResult) float64 { return r.seconds }}}, transductive, false},
	}
}

// machines are those of the figure for a set.
func (q textCurves) machines(s textSet) []textMachine {
	if q.fixed && s.source == annealedSet {
		return append(q.list[:len(q.list):len(q.list)], fixedTemperatures()...)
	}
	return q.list
}

// row is the name of the results of a machine.
func (s textSet) row(m textMachine, labels int) string {
	return fmt.Sprintf("%s, %s, %d labels", s.title(), m.name, labels)
}

// run trains all machines on all draws of a set.
func (q textCurves) run(ctx context.Context, l *lab, s textSet, labels []int) error {
	c, err := s.rows(ctx, l)
	if err != nil {
		return err
	}
	test := len(c.class) / testPart
	for run := range l.runs {
		lists := c.shares(l.stream(run), len(c.class)-test, test)
		for _, n := range labels {
			l.say("%s, draw %d of %d: %d labels", s.title(), run+1, l.runs, n)
			t := s.task(c, lists[0], lists[1], n)
			for _, m := range q.machines(s) {
				r, err := t.train(ctx, m)
				if err != nil {
					return fmt.Errorf("%s: %w", s.title(), err)
				}
				for _, p := range q.panels {
					l.add(s.row(m, n), p.metric, p.of(r))
				}
			}
		}
	}
	return nil
}

// picture draws a panel of a set.
func (q textCurves) picture(l *lab, s textSet, p textPanel, labels []int) {
	f := Figure{Name: strings.ReplaceAll(s.source+" "+p.metric, " %", ""), Title: s.title(), X: Axis{Name: "labels", Log: true},
		Y: Axis{Name: p.metric}}
	var x []float64
	for _, n := range labels {
		x = append(x, float64(n))
	}
	for _, m := range q.machines(s) {
		f.Curves = append(f.Curves, l.means(m.name, p.metric, x, func(n float64) string { return s.row(m, int(n)) }))
	}
	l.draw(f)
}

// sindhwaniF6 draws one of figures 6.1 to 6.4.
func sindhwaniF6(q textCurves) protocol {
	return func(ctx context.Context, l *lab) error {
		for _, s := range mediumSets() {
			labels := thin(ctx, s.source+": labels", 1, s.labels())
			if err := q.run(ctx, l, s, labels); err != nil {
				return err
			}
			for _, p := range q.panels {
				q.picture(l, s, p, labels)
			}
		}
		return nil
	}
}
