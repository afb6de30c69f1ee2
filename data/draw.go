package data

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Split is one experiment: the rows whose labels are kept, increasing; all
// others are hidden.
type Split struct {
	Name     string
	Labelled []int
}

// stream returns the random stream of one class (or of all rows, class -1):
// classes draw from streams of their own, so what one class draws depends on
// its own rows and the seed only.
func stream(seed uint64, class int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(class+1)))
}

// byClass lists the labelled rows of each class; a regression is one class.
func byClass(l Labels) [][]int {
	if l.Task == Regression {
		return [][]int{l.Labelled()}
	}
	rows := make([][]int, len(l.Classes))
	for i, c := range l.Class {
		if c >= 0 {
			rows[c] = append(rows[c], i)
		}
	}
	return rows
}

// pick returns n of rows at random, by a partial Fisher-Yates shuffle in place.
func pick(rows []int, n int, rng *rand.Rand) []int {
	for i := range n {
		j := i + rng.IntN(len(rows)-i)
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows[:n]
}

// DrawPerClass returns n labelled rows of each class, drawn at random,
// increasing. The error names a class that has fewer.
func DrawPerClass(l Labels, n int, seed uint64) ([]int, error) {
	if l.Task == Regression {
		return nil, fmt.Errorf("a regression has no classes to draw %d labels of; use --labels", n)
	}
	if n < 1 {
		return nil, fmt.Errorf("%d labels a class; at least 1 is needed", n)
	}
	var keep []int
	for c, rows := range byClass(l) {
		if len(rows) < n {
			return nil, fmt.Errorf(
				"class %q has fewer labels (%d) than the %d a class that were asked for; ask for %d at most",
				l.Classes[c],
				len(rows),
				n,
				slices.Min(l.Counts()),
			)
		}
		keep = append(keep, pick(rows, n, stream(seed, c))...)
	}
	slices.Sort(keep)
	return keep, nil
}

// DrawTotal returns n labelled rows drawn at random, increasing: classes in
// proportion to their size (ties to the first class), at least one of each if n
// allows; with fewer rows than classes, n of all rows
// alike.
func DrawTotal(l Labels, n int, seed uint64) ([]int, error) {
	classes := byClass(l)
	total := 0
	for _, rows := range classes {
		total += len(rows)
	}
	if n < 1 || n > total {
		return nil, fmt.Errorf("%d labels asked for, %d rows are labelled; use 1 to %d", n, total, total)
	}
	var keep []int
	if n < len(classes) {
		keep = pick(slices.Concat(classes...), n, stream(seed, -1))
	} else {
		share := shares(classes, n, total)
		for c, rows := range classes {
			keep = append(keep, pick(rows, share[c], stream(seed, c))...)
		}
	}
	slices.Sort(keep)
	return keep, nil
}

// shares divides n over the classes: one for each class with rows, the rest one
// by one to the class furthest below its proportion n len/total. It ends because
// n <= total, so some class always has a row left. Cost: n times classes.
func shares(classes [][]int, n, total int) []int {
	share := make([]int, len(classes))
	want := float64(n) / float64(total)
	for c, rows := range classes {
		if len(rows) > 0 {
			share[c] = 1
			n--
		}
	}
	for ; n > 0; n-- {
		best := -1
		var lack float64
		for c, rows := range classes {
			if share[c] == len(rows) {
				continue
			}
			if x := want*float64(len(rows)) - float64(share[c]); best < 0 || x > lack {
				best, lack = c, x
			}
		}
		share[best]++
	}
	return share
}

// Partition assigns labelled rows to K folds.
type Partition struct {
	K     int
	Fold  []int      // fold of each row, -1 for rows without a label
	Short []Shortage // classes that miss from some fold, in order of class
}

// Shortage says that Class, of Rows labelled rows, has none in Missing folds.
type Shortage struct {
	Class         string
	Rows, Missing int
}

// Warnings say which classes miss from some fold, or from the rows held out.
func (p Partition) Warnings() []string {
	var list []string
	for _, one := range p.Short {
		if p.K == 1 {
			list = append(list, fmt.Sprintf("class %s has %d labelled row, which trains and is not judged", one.Class, one.Rows))
			continue
		}
		list = append(list, fmt.Sprintf("class %s has %d labelled rows and misses from %d of %d folds", one.Class, one.Rows, one.Missing,
			p.K))
	}
	return list
}

// Folds assigns the labelled rows to k folds at random. Rows of each class are
// dealt out in turn, the next class going on where the last stopped, so that
// folds differ by at most one row in all and by at most one row of each class.
// Unlabelled rows are in no fold: they always train. A class of fewer than k rows
// misses from some folds: reported in Short, no error. Rows of one group are in one fold (groups.go).
//
// Rows in order are refused: of folds that are dealt out only the last looks forward (HoldOut).
func Folds(l Labels, k int, seed uint64) (Partition, error) {
	if l.Order != nil {
		return Partition{}, errors.New("folds of rows in order do not look forward; hold the last rows out, as holdout:0.2 does")
	}
	return partition(l, k, func(counts []int, put func(class, row, fold int)) error { return DealFolds(counts, k, seed, put) },
		func(p *Partition) error { return p.groups(l, seed) })
}

// partition assigns the labelled rows as deal does by their numbers, or, where they are in groups, as grouped does.
func partition(
	l Labels, k int, deal func(counts []int, put func(class, row, fold int)) error, grouped func(*Partition) error,
) (Partition, error) {
	classes := byClass(l)
	counts := make([]int, len(classes))
	for c, rows := range classes {
		counts[c] = len(rows)
	}
	p := Partition{K: k, Fold: make([]int, l.Len())}
	for i := range p.Fold {
		p.Fold[i] = -1
	}
	if l.Group != nil {
		return p, grouped(&p)
	}
	if l.Task != Regression {
		p.Short = Shortages(l.Classes, counts, k)
	}
	return p, deal(counts, func(class, row, fold int) { p.Fold[classes[class][row]] = fold })
}

// DealFolds is Folds by the numbers of labelled rows of the classes alone, a regression being one class: put is called with the class
// of each row, its number from 0 among the rows of the class in their order, and its fold. So rows may be where their numbers are not.
// Memory: one number for each row of the largest class.
func DealFolds(counts []int, k int, seed uint64, put func(class, row, fold int)) error {
	total := 0
	for _, n := range counts {
		total += n
	}
	if k < 2 || k > total {
		return fmt.Errorf("%d folds of %d labelled rows; use 2 to %d", k, total, total)
	}
	next := 0
	for c, n := range counts {
		for _, i := range shuffled(n, stream(seed, c)) {
			put(c, i, next%k)
			next++
		}
	}
	return nil
}

// shuffled are the numbers below n in random order.
func shuffled(n int, rng *rand.Rand) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return pick(list, n, rng)
}

// Shortages are the classes of fewer rows than there are folds, or, of rows held out (k = 1), of one row.
func Shortages(classes []string, counts []int, k int) []Shortage {
	var list []Shortage
	for c, n := range counts {
		if k == 1 && n == 1 {
			list = append(list, Shortage{classes[c], 1, 1})
		} else if k > 1 && n < k {
			list = append(list, Shortage{classes[c], n, k - n})
		}
	}
	return list
}

// Groups returns the rows of each fold, increasing.
func (p Partition) Groups() [][]int {
	g := make([][]int, p.K)
	for i, f := range p.Fold {
		if f >= 0 {
			g[f] = append(g[f], i)
		}
	}
	return g
}

// HoldOut draws a share of the labelled rows to judge by: fold 0 of a partition of one,
// while all others train. Rows of each class are dealt out in turn as by Folds, the part
// held out as near to the share as whole rows allow; where that would leave a class of two
// rows or more out of either side, one of its rows changes sides. A class of one row
// trains and is judged by nothing: reported in Short, no error. Of rows in order it is the last (order.go).
func HoldOut(l Labels, share float64, seed uint64) (Partition, error) {
	if err := checkShare(share); err != nil {
		return Partition{}, err
	}
	if l.Order != nil {
		return lastOf(l, share)
	}
	return partition(l, 1, func(counts []int, put func(class, row, fold int)) error { return DealHeldOut(counts, share, seed, put) },
		func(p *Partition) error { return p.outGroups(l, share, seed) })
}

func checkShare(share float64) error {
	if !(share > 0 && share < 1) {
		return fmt.Errorf("a share of %g held out; use one between 0 and 1", share)
	}
	return nil
}

// DealHeldOut is HoldOut by the numbers of labelled rows of the classes alone, as DealFolds is Folds: put is called for the rows held out.
func DealHeldOut(counts []int, share float64, seed uint64, put func(class, row, fold int)) error {
	if err := checkShare(share); err != nil {
		return err
	}
	next, out := 0, 0
	for c, n := range counts {
		if n < 2 {
			continue
		}
		rows := shuffled(n, stream(seed, c))
		var held []int
		for _, i := range rows {
			if dealt(next+1, share) > dealt(next, share) {
				held = append(held, i)
			}
			next++
		}
		switch len(held) {
		case 0:
			held = rows[:1]
		case n:
			held = held[1:]
		}
		for _, i := range held {
			put(c, i, 0)
		}
		out += len(held)
	}
	if out == 0 {
		return fmt.Errorf("no two labelled rows of one class, so none can be held out while another trains; label more rows")
	}
	return nil
}

// dealt is how many of n rows are held out: the least whole number that is no less than the
// share, but for rounding. So the first row is, and one in k is the first of k folds.
func dealt(n int, share float64) int { return int(math.Ceil(float64(n)*share - 1e-9)) }
