package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Folds that keep groups whole. Rows of one group, as the visits of one patient, are alike: a machine that has seen some
// of them is judged too well by the others. Groups are dealt out one by one, the largest first and those of one size
// in random order, each to the fold that then differs least from a fair share of its classes. Cost: groups times folds times
// classes.

// bundle is the labelled rows of one group.
type bundle struct {
	rows   []int
	counts []int // of each class; a regression is one
}

// bundles are the groups of the labelled rows, in the order in which they are dealt out.
func bundles(l Labels, seed uint64) []*bundle {
	classes := byClass(l)
	class := make(map[int]int)
	for c, rows := range classes {
		for _, i := range rows {
			class[i] = c
		}
	}
	var list []*bundle
	of := map[string]*bundle{}
	for _, i := range l.Labelled() {
		b := of[l.Group[i]]
		if b == nil || l.Group[i] == "" {
			b = &bundle{counts: make([]int, len(classes))}
			of[l.Group[i]], list = b, append(list, b)
		}
		b.rows = append(b.rows, i)
		b.counts[class[i]]++
	}
	stream(seed, -1).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	slices.SortStableFunc(list, func(a, b *bundle) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	return list
}

// groups deals the groups out to all folds.
func (p *Partition) groups(l Labels, seed uint64) error {
	list := bundles(l, seed)
	if len(list) < p.K {
		most := fmt.Sprintf("use 2 to %d folds", len(list))
		switch len(list) {
		case 0, 1:
			most = "label rows of more groups"
		case 2:
			most = "use 2 folds"
		}
		return fmt.Errorf("%d folds of %d groups that have labels; %s", p.K, len(list), most)
	}
	total := make([]int, len(list[0].counts))
	for _, b := range list {
		for c, n := range b.counts {
			total[c] += n
		}
	}
	held := make([][]int, p.K)
	empty := p.K
	for f := range held {
		held[f] = make([]int, len(total))
	}
	for q, b := range list {
		best, least := -1, math.Inf(1)
		for f := range held {
			if len(list)-q <= empty && slices.Max(held[f]) > 0 {
				continue // the groups that are left are one for each fold that has none
			}
			if d := unfair(held[f], b.counts, total, p.K); d < least {
				best, least = f, d
			}
		}
		if slices.Max(held[best]) == 0 {
			empty--
		}
		for c, n := range b.counts {
			held[best][c] += n
		}
		for _, i := range b.rows {
			p.Fold[i] = best
		}
	}
	if l.Task != Regression {
		for c, n := range total {
			missing := 0
			for f := range held {
				if held[f][c] == 0 {
					missing++
				}
			}
			if missing > 0 {
				p.Short = append(p.Short, Shortage{l.Classes[c], n, missing})
			}
		}
	}
	return nil
}

// unfair is by how much more a fold exceeds its share of each class, relative to it, when a group joins it.
func unfair(held, more, total []int, k int) float64 {
	d := 0.0
	for c, n := range more {
		if n == 0 {
			continue
		}
		share := float64(total[c]) / float64(k)
		before, after := float64(held[c])/share, float64(held[c]+n)/share
		d += after*after - before*before
	}
	return d
}

// outGroups holds out groups until they have the share of the labelled rows, or nearly so.
func (p *Partition) outGroups(l Labels, share float64, seed uint64) error {
	list := bundles(l, seed)
	if len(list) < 2 {
		return fmt.Errorf("%d group has labels, so none can be held out while another trains; label rows of more groups", len(list))
	}
	stream(seed, -1).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	want, out := share*float64(len(l.Labelled())), 0
	for q, b := range list {
		n := len(b.rows)
		if out > 0 && math.Abs(float64(out+n)-want) > math.Abs(float64(out)-want) || q == len(list)-1 && out+n == len(l.Labelled()) {
			continue
		}
		out += n
		for _, i := range b.rows {
			p.Fold[i] = 0
		}
	}
	return nil
}

// Groups is the number of groups that have labelled rows; 0 without groups.
func (l Labels) Groups() int {
	if l.Group == nil {
		return 0
	}
	n, seen := 0, map[string]bool{}
	for _, i := range l.Labelled() {
		if g := l.Group[i]; g == "" || !seen[g] {
			seen[g] = true
			n++
		}
	}
	return n
}
