package design

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// DealFolds are k folds of the labelled rows, which have alike shares of the classes and keep groups whole.
func DealFolds(p *learn.Problem, seed uint64, k int) [][]int { return parts(p, seed, k, k) }

// parts are the first `judged` of k folds of the labelled rows, which have alike shares of the classes and keep groups whole.
// There are none where all rows are of one group.
func parts(p *learn.Problem, seed uint64, k, judged int) [][]int {
	l := len(p.Labelled)
	list := rand.New(rand.NewPCG(seed, 0x7262)).Perm(l)
	if p.Class != nil {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(p.Class[a], p.Class[b]) })
	}
	folds := make([][]int, judged)
	if p.Group != nil { // whole groups, dealt in the order in which the first row of each is met
		at, next := map[string]int{}, 0
		for _, q := range list {
			g, known := at[p.Group[q]]
			if !known || p.Group[q] == "" {
				g = next
				at[p.Group[q]] = next
				next++
			}
			if f := g % k; f < len(folds) {
				folds[f] = append(folds[f], q)
			}
		}
		folds = slices.DeleteFunc(folds, func(f []int) bool { return len(f) == 0 || len(f) == l })
		list = nil
	}
	for i, q := range list {
		if f := i % k; f < len(folds) {
			folds[f] = append(folds[f], q)
		}
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}
