package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// sindhwaniT26 is the transductive comparison: few labels, all rows in the graph,
// errors on the rows without a label.
func sindhwaniT26(ctx context.Context, l *lab) {
	declare(ctx, "printed", printed26)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		cl := l.drawn(ctx, c)
		cl.tune(ctx, sourceGrid, []weights{sourceWeights})
		for m := range collectionMethods {
			of := ""
			if m == lapRLSMethod || m == lapSVMMethod {
				of = sourceWeights.name()
			}
			name := c.name + " " + collectionNames[m]
			l.printed(name, unlabelledError, printed26[q][m])
			for _, d := range cl.draws {
				l.add(name, unlabelledError, d.best[key(m, of)].unlabelled)
			}
			l.interim(name, unlabelledError)
		}
	}
}

// printed26 are the errors of table 2.6 in the order of the methods: RLS, SVM, LapRLS, LapSVM.
var printed26 = [len(collections)][collectionMethods]float64{
	{8.5, 9.7, 5.2, 5.4},
	{26.0, 24.6, 4.3, 4.0},
	{23.6, 23.6, 12.7, 12.7},
	{18.8, 18.9, 10.0, 10.4},
}

// chunks is the number of parts of the protocol: three train, the fourth tests.
const chunks = 4

// sindhwaniT29 is the semi-supervised comparison: errors on the unlabelled rows of the
// training set and on rows never seen.
func sindhwaniT29(ctx context.Context, l *lab) {
	declare(ctx, "printed", printed29)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		l.report29(c, printed29[q], l.chunked(ctx, c, sourceGrid, weights29()))
	}
}

// chunked are the draws on all training sets of three chunks, tuned on a grid.
func (l *lab) chunked(ctx context.Context, c collection, choices grid, pairs []weights) (draws []*labelling) {
	set, labels := l.collect(ctx, c)
	perm := l.stream(0).Perm(c.n)
	for k := range atMost(ctx, "chunks", 1, chunks) {
		l.say("%s: chunk %d of %d tests", c.name, k+1, chunks)
		cl := fold29(l, c, set.Rows, labels, perm, k)
		cl.tune(ctx, choices, pairs)
		draws = append(draws, cl.draws...)
	}
	return draws
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
func fold29(l *lab, c collection, rows data.Rows, labels data.Labels, perm []int, k int) *cloud {
	lo, hi := c.n*k/chunks, c.n*(k+1)/chunks
	test := slices.Clone(perm[lo:hi])
	train := slices.Concat(perm[:lo], perm[hi:])
	slices.Sort(test)
	slices.Sort(train)
	truth := pickOf(labels.Class, train)
	cl := &cloud{rows: unnumbered(rows.Select(train)), test: unnumbered(rows.Select(test)), testClass: pickOf(labels.Class, test)}
	for run := range l.runs {
		seed := uint64(k*l.runs + run)
		during(c.name, func() {
			labelled := drawAtLeast(truth, len(labels.Classes), c.labels, c.each, rand.New(rand.NewPCG(l.seed+1, seed)))
			cl.draw(labels.Classes, truth, labelled, l.seed+seed)
		})
	}
	return cl
}

// report29 adds the rows of a set.
func (l *lab) report29(c collection, printed [collectionMethods][2]float64, draws []*labelling) {
	show := func(m int, of, mark string) {
		name := c.name + " " + collectionNames[m] + mark
		l.printedOf(name, []string{unlabelledError, testError}, printed[m][:])
		for _, d := range draws {
			p := d.best[key(m, of)]
			l.add(name, unlabelledError, p.unlabelled)
			l.add(name, testError, p.unseen)
		}
		l.interim(name, unlabelledError, testError)
	}
	for m := range collectionMethods {
		if m == rlsMethod || m == svmMethod {
			show(m, "", "")
			continue
		}
		best := oracle(draws, m)
		show(m, sourceWeights.name(), " (printed: oracle)")
		show(m, best.name(), " oracle")
		l.note("%s %s oracle: %s", c.name, collectionNames[m], best.name())
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

// plane29 is the (gamma_I, gamma_A) plane of the figure, pairs of one ratio together; the
// source's values are lost with the image.
func plane29() []weights {
	var list []weights
	for _, ambient := range decades(-6, 0) {
		for _, intrinsic := range decades(-6, 0) {
			if int(math.Round(math.Log10(ambient)))%2 == 0 && int(math.Round(math.Log10(intrinsic)))%2 == 0 {
				list = append(list, weights{ambient, intrinsic})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b weights) int { return cmp.Compare(a.ratio(), b.ratio()) })
	return list
}

// kernels29 are neighbours and degree of each collection: the values that Melacci & Belkin
// 2011 quote for these sets.
var kernels29 = [len(collections)]grid{
	{neighbours: []int{50}, degrees: []int{5}}, {neighbours: []int{2}, degrees: []int{1}},
	{neighbours: []int{10}, degrees: []int{2}}, {neighbours: []int{50}, degrees: []int{5}},
}

// close29 is the difference in percent that the source's text finds over most of the plane.
var close29 = [len(collections)]float64{1, 2, 2, 1}

const outMinusIn = "error % of test less that of unlabelled"

// sindhwaniF29 compares unseen with unlabelled rows over the plane of weights.
func sindhwaniF29(ctx context.Context, l *lab) {
	plane := plane29()
	declare(ctx, "kernels", kernels29)
	declare(ctx, "close", close29)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		choices := kernels29[q]
		choices.widths = []float64{0.5, 1, 2}
		draws := l.chunked(ctx, c, choices, plane)
		for _, m := range []int{lapRLSMethod, lapSVMMethod} {
			l.report29Plane(c.name+" "+collectionNames[m], m, plane, draws, close29[q])
		}
	}
}

// report29Plane adds a row for each point of the plane and one for how many are close.
func (l *lab) report29Plane(name string, method int, plane []weights, draws []*labelling, limit float64) {
	near := 0
	picture := Figure{Name: strings.ToLower(strings.ReplaceAll(name, " ", "-")),
		Title: "Test error less that of unlabelled rows, " + name, X: Axis{"gamma_I", true}, Y: Axis{Name: "difference in percent"}}
	at := map[float64]int{} // curve of a gamma_A
	var best weights
	least := math.Inf(1)
	for _, w := range plane {
		row := fmt.Sprintf("%s, %s", name, w.name())
		sum := 0.0
		for _, d := range draws {
			p := d.best[key(method, w.name())]
			l.add(row, outMinusIn, p.unseen-p.unlabelled)
			sum += p.unseen + p.unlabelled
		}
		mean, _ := meanStd(l.cell(row, outMinusIn).values)
		if math.Abs(mean) < limit {
			near++
		}
		k, ok := at[w.ambient]
		if !ok {
			k, at[w.ambient] = len(picture.Curves), len(picture.Curves)
			picture.Curves = append(picture.Curves, Curve{Name: fmt.Sprintf("gamma_A %g", w.ambient)})
		}
		own := &picture.Curves[k]
		i, _ := slices.BinarySearch(own.X, w.intrinsic)
		own.X, own.Y = slices.Insert(own.X, i, w.intrinsic), slices.Insert(own.Y, i, mean)
		if sum < least {
			best, least = w, sum
		}
	}
	l.add(name, fmt.Sprintf("share %% of the plane's points that differ by less than %g %%", limit), 100*float64(near)/float64(len(plane)))
	l.draw(picture)
	l.note("%s: smallest mean of both errors, %.2f %%, at %s (an oracle)", name, least/float64(2*len(draws)), best.name())
}
