package reproduce

import (
	"context"
	"fmt"
)

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

// full trains the machines of some tables on all of the wanted sets.
func (l *lab) full(ctx context.Context, tables ...fullTable) error {
	cases := fullCases()
	declare(ctx, "cases", cases)
	for at, s := range fullSets() {
		if !l.wants(s.source) {
			continue
		}
		c, err := s.rows(ctx, l)
		if err != nil {
			return err
		}
		order := c.shares(l.stream(0), len(c.class))[0]
		for _, f := range cases {
			t := s.task(c, order[:len(order)/f.part], nil, atMost(ctx, "labels", 40, f.labels))
			for _, m := range machinesOf(tables) {
				r, err := t.train(ctx, m)
				if err != nil {
					return err
				}
				l.say("%s, %s: %.2f %% of the unlabelled rows are decided wrong", f.title(s), m.name, r.unlabelled)
				for _, table := range tables {
					table.row(l, f.title(s), m, f.printed[at], r)
				}
			}
		}
	}
	return nil
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

// sindhwaniFull is one of tables 6.2, 6.4 and 6.6, or all of them from the same machines.
func sindhwaniFull(tables ...fullTable) protocol {
	return func(ctx context.Context, l *lab) error {
		if err := l.full(ctx, tables...); err != nil {
			return err
		}
		return nil
	}
}
