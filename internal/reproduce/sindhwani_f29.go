package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

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
func sindhwaniF29(ctx context.Context, l *lab) error {
	plane := plane29()
	declare(ctx, "kernels", kernels29)
	declare(ctx, "close", close29)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		set, labels, err := l.collect(ctx, c)
		if err != nil {
			return err
		}
		choices := kernels29[q]
		choices.widths = []float64{0.5, 1, 2}
		perm := rand.New(rand.NewPCG(l.seed, 0)).Perm(c.n)
		var draws []*labelling
		for k := range atMost(ctx, "chunks", 1, chunks) {
			l.say("%s: chunk %d of %d tests", c.name, k+1, chunks)
			cl, err := fold29(l, c, set.Rows, labels, perm, k)
			if err != nil {
				return err
			}
			if err := cl.tune(ctx, choices, plane); err != nil {
				return err
			}
			draws = append(draws, cl.draws...)
		}
		for _, m := range []int{lapRLSMethod, lapSVMMethod} {
			l.report29Plane(c.name+" "+collectionNames[m], m, plane, draws, close29[q])
		}
	}
	return nil
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
