package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// chunks is the number of parts of the protocol: three train, the fourth tests.
const chunks = 4

// sindhwaniT29 is the semi-supervised comparison: errors on the unlabelled rows of the
// training set and on rows never seen.
func sindhwaniT29(ctx context.Context, l *lab) error {
	declare(ctx, "printed", printed29)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		set, labels, err := l.collect(ctx, c)
		if err != nil {
			return err
		}
		perm := rand.New(rand.NewPCG(l.seed, 0)).Perm(c.n)
		var draws []*labelling
		for k := range atMost(ctx, "chunks", 1, chunks) {
			l.say("%s: chunk %d of %d tests", c.name, k+1, chunks)
			cl, err := fold29(l, c, set.Rows, labels, perm, k)
			if err != nil {
				return err
			}
			if err := cl.tune(ctx, sourceGrid, weights29()); err != nil {
				return err
			}
			draws = append(draws, cl.draws...)
		}
		l.report29(c, printed29[q], draws)
	}
	return nil
}

// printed29 are the errors of table 2.9, unlabelled and test, in the order of the
// methods: RLS, SVM, LapRLS, LapSVM.
var printed29 = [len(collections)][collectionMethods][2]float64{
	{{9.1, 9.6}, {9.7, 9.7}, {4.9, 4.9}, {4.9, 5.0}},
	{{21.8, 22.6}, {21.7, 22.6}, {9.4, 12.9}, {8.7, 14.6}},
	{{22.5, 23.0}, {21.6, 22.1}, {14.3, 17.0}, {14.9, 17.7}},
	{{20.9, 20.4}, {20.9, 20.9}, {9.4, 9.3}, {9.9, 9.7}},
}

// weights29 is the grid of gamma_A and gamma_I, that of table 2.6 first, pairs of one
// ratio together.
func weights29() []weights {
	var list []weights
	for _, ratio := range []float64{1e4, 1e2} {
		for _, ambient := range []float64{1e-6, 1e-4, 1e-2} {
			list = append(list, weights{ambient, ambient * ratio})
		}
	}
	list[0] = sourceWeights // not rounded by the product
	return list
}

// fold29 is the training set without chunk k of a permutation, with its draws of labels.
func fold29(l *lab, c collection, rows data.Rows, labels data.Labels, perm []int, k int) (*cloud, error) {
	lo, hi := c.n*k/chunks, c.n*(k+1)/chunks
	test := slices.Clone(perm[lo:hi])
	train := slices.Concat(perm[:lo], perm[hi:])
	slices.Sort(test)
	slices.Sort(train)
	class := func(rows []int) []int {
		out := make([]int, len(rows))
		for q, i := range rows {
			out[q] = labels.Class[i]
		}
		return out
	}
	cl := &cloud{rows: rows.Select(train), test: rows.Select(test), testClass: class(test)}
	cl.rows.ID, cl.test.ID = nil, nil // numbers are those of the training rows
	truth := class(train)
	for run := range l.runs {
		seed := uint64(k*l.runs + run)
		labelled, err := drawAtLeast(truth, len(labels.Classes), c.labels, c.each, rand.New(rand.NewPCG(l.seed+1, seed)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if err := cl.draw(labels.Classes, truth, labelled, l.seed+seed); err != nil {
			return nil, err
		}
	}
	return cl, nil
}

// drawAtLeast draws n rows: `each` of every class, the rest uniformly.
func drawAtLeast(class []int, classes, n, each int, rng *rand.Rand) ([]int, error) {
	perm := rng.Perm(len(class))
	taken := make([]int, classes)
	var drawn, rest []int
	for _, i := range perm {
		if k := class[i]; taken[k] < each {
			taken[k]++
			drawn = append(drawn, i)
		} else {
			rest = append(rest, i)
		}
	}
	if more := n - len(drawn); more < 0 || more > len(rest) {
		return nil, fmt.Errorf("%d labels of %d rows in %d classes, at least %d of each", n, len(class), classes, each)
	}
	drawn = append(drawn, rest[:n-len(drawn)]...)
	slices.Sort(drawn)
	return drawn, nil
}

// report29 adds the rows of a set.
func (l *lab) report29(c collection, printed [collectionMethods][2]float64, draws []*labelling) {
	for m := range collectionMethods {
		of, mark := "", ""
		if m == lapRLSMethod || m == lapSVMMethod {
			of, mark = sourceWeights.name(), " (printed: oracle)"
		}
		name := c.name + " " + collectionNames[m] + mark
		l.printed(name, unlabelledError, printed[m][0])
		l.printed(name, testError, printed[m][1])
		for _, d := range draws {
			p := d.best[key(m, of)]
			l.add(name, unlabelledError, p.unlabelled)
			l.add(name, testError, p.unseen)
		}
		l.interim(name, unlabelledError, testError)
		if of == "" {
			continue
		}
		name = c.name + " " + collectionNames[m] + " oracle"
		l.printed(name, unlabelledError, printed[m][0])
		l.printed(name, testError, printed[m][1])
		best := oracle(draws, m)
		for _, d := range draws {
			p := d.best[key(m, best.name())]
			l.add(name, unlabelledError, p.unlabelled)
			l.add(name, testError, p.unseen)
		}
		l.interim(name, unlabelledError, testError)
		l.note("%s: %s", name, best.name())
	}
}

// oracle is the pair of weights with the smallest mean error on unlabelled and unseen
// rows over all draws: it has seen their labels.
func oracle(draws []*labelling, method int) weights {
	var best weights
	least := math.Inf(1)
	for _, w := range weights29() {
		sum := 0.0
		for _, d := range draws {
			p := d.best[key(method, w.name())]
			sum += p.unlabelled + p.unseen
		}
		if sum < least {
			best, least = w, sum
		}
	}
	return best
}
