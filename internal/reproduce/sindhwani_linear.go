package reproduce

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/learner/linear"
)

// printed61 is table 6.1: columns, mean number of entries of a row, rows learned from and of the test, share of positive
// rows. Where the source has no test rows there is 0.
var printed61 = map[string][5]float64{
	"aut-avn": {20707, 51.32, 35588, 35587, 0.65}, "real-sim": {20958, 51.32, 36155, 36154, 0.31},
	"ccat": {47236, 75.93, 17332, 5787, 0.46}, "gcat": {47236, 75.93, 17332, 5787, 0.30},
	"full-ccat": {47236, 76.7, 804414, 0, 0.47}, "full-gcat": {47236, 76.7, 804414, 0, 0.30},
}

// metrics61 are the columns of the table.
var metrics61 = [5]string{"columns", "entries of a row", "labelled and unlabelled rows", "test rows", "share of positive rows"}

// sindhwaniT61 describes the sets.
func sindhwaniT61(ctx context.Context, l *lab) {
	declare(ctx, "printed", printed61)
	for _, s := range append(mediumSets(), fullSets()...) {
		c := s.rows(ctx, l)
		n, up := len(c.class), 0
		for _, k := range c.class {
			up += k
		}
		test := 0
		if printed61[s.source][3] > 0 {
			test = n / testPart
		}
		ours := [5]float64{float64(c.x.Dim()), float64(c.x.Sparse.NNZ()) / float64(n), float64(n - test), float64(test),
			float64(up) / float64(n)}
		name := s.title()
		for k, metric := range metrics61 {
			if printed61[s.source][k] > 0 {
				l.printed(name, metric, printed61[s.source][k])
				l.add(name, metric, ours[k])
			}
		}
		l.interim(name, metrics61[0], metrics61[1], metrics61[2])
	}
}

// title is the name of the set in tables.
func (s textSet) title() string { return fmt.Sprintf("%s in the place of %s", s.name, s.source) }

// fullRows and fullWords are the size of all of Reuters.
const fullRows, fullWords = 804_414, 47_236

// fullSets stand in for all of Reuters.
func fullSets() []textSet {
	const settings = ",length=76,spread=0.4"
	return []textSet{
		{source: "full-ccat", name: "zipf", words: fullWords, settings: settings, n: fullRows, positive: 0.47, weight: 1},
		{source: "full-gcat", name: "zipf", words: fullWords, settings: settings, n: fullRows, positive: 0.30, weight: 1, seed: 1000},
	}
}

const (
	// fullMinutes is the metric of table 6.6.
	fullMinutes = "time, minutes"

	fullLabels, fullMoreLabels = 100, 1000
)

// fullCase is a line of tables 6.2, 6.4 and 6.6.
type fullCase struct {
	labels int
	part   int // one of so many parts of the rows is learned from
	// printed numbers of full-ccat, then of full-gcat: objectives of TSVM and DA, errors of TSVM, DA and SVM, minutes of
	// TSVM and DA
	printed [2][7]float64
}

func fullCases() []fullCase {
	return []fullCase{
		{fullLabels, 2, [2][7]float64{{.1947, .1940, 14.81, 14.88, 25.60, 140, 120}, {.1491, .1491, 6.02, 6.11, 11.16, 53, 72}}},
		{fullLabels, 1, [2][7]float64{{.1945, .1940, 15.11, 13.55, 25.60, 223, 207}, {.1500, .1499, 5.75, 5.91, 11.16, 96, 127}}},
		{fullMoreLabels, 2, [2][7]float64{{.2590, .2588, 11.45, 11.52, 12.31, 32, 57}, {.1902, .1901, 5.67, 5.74, 7.18, 20, 42}}},
		{fullMoreLabels, 1, [2][7]float64{{.2588, .2586, 11.30, 11.36, 12.31, 70, 100}, {.1907, .1906, 5.52, 5.58, 7.18, 38, 78}}},
	}
}

// title is the name of a line for a set.
func (f fullCase) title(s textSet) string {
	rows := "all rows"
	if f.part > 1 {
		rows = "half of the rows"
	}
	return fmt.Sprintf("%s, %d labels, %s", s.source, f.labels, rows)
}

// fullTable is which of a result a table shows: the metric, its value, and the place of the first printed number.
type fullTable struct {
	metric string
	of     func(r textResult) float64
	first  int
	list   []textMachine
}

var (
	table62 = fullTable{textObjective, func(r textResult) float64 { return r.objective }, 0, []textMachine{textSwitching, textAnnealing}}
	table64 = fullTable{unlabelledError, func(r textResult) float64 { return r.unlabelled }, 2,
		[]textMachine{textSwitching, textAnnealing, textSVM}}
	table66 = fullTable{fullMinutes, func(r textResult) float64 { return r.seconds / 60 }, 5, []textMachine{textSwitching, textAnnealing}}
)

// sindhwaniFull is one of tables 6.2, 6.4 and 6.6, or all of them from the same machines, on all of the wanted sets.
func sindhwaniFull(tables ...fullTable) protocol {
	return func(ctx context.Context, l *lab) {
		cases := fullCases()
		declare(ctx, "cases", cases)
		for at, s := range fullSets() {
			if !l.wants(s.source) {
				continue
			}
			c := s.rows(ctx, l)
			order := c.shares(l.stream(0), len(c.class))[0]
			for _, f := range cases {
				t := s.task(c, order[:len(order)/f.part], nil, atMost(ctx, "labels", 40, f.labels))
				for _, m := range machinesOf(tables) {
					r := t.train(ctx, m)
					l.say("%s, %s: %.2f %% of the unlabelled rows are decided wrong", f.title(s), m.name, r.unlabelled)
					for _, table := range tables {
						table.row(l, f.title(s), m, f.printed[at], r)
					}
				}
			}
		}
	}
}

// machinesOf are the machines of some tables, each once.
func machinesOf(tables []fullTable) []textMachine {
	var all []textMachine
	for _, t := range tables {
		if len(t.list) > len(all) {
			all = t.list // each table has the first of the same list
		}
	}
	return all
}

// row adds a result to a table that has the machine.
func (t fullTable) row(l *lab, name string, m textMachine, printed [7]float64, r textResult) {
	for k, own := range t.list {
		if own.name == m.name {
			l.add(name+", "+m.name, t.metric, t.of(r))
			l.printed(name+", "+m.name, t.metric, printed[t.first+k])
		}
	}
}

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
func (q textCurves) run(ctx context.Context, l *lab, s textSet, labels []int) {
	c := s.rows(ctx, l)
	test := len(c.class) / testPart
	for run := range l.runs {
		lists := c.shares(l.stream(run), len(c.class)-test, test)
		for _, n := range labels {
			l.say("%s, draw %d of %d: %d labels", s.title(), run+1, l.runs, n)
			t := s.task(c, lists[0], lists[1], n)
			for _, m := range q.machines(s) {
				var r textResult
				during(s.title(), func() { r = t.train(ctx, m) })
				for _, p := range q.panels {
					l.add(s.row(m, n), p.metric, p.of(r))
				}
			}
		}
	}
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
	return func(ctx context.Context, l *lab) {
		for _, s := range mediumSets() {
			labels := thin(ctx, s.source+": labels", 1, s.labels())
			q.run(ctx, l, s, labels)
			for _, p := range q.panels {
				q.picture(l, s, p, labels)
			}
		}
	}
}
