package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
)

const brokenUnlabelled = "100 - PRBEP % of unlabelled"

// grid27 is ours: the source prints none.
var grid27 = textGrid{
	neighbours: []int{5, 10, 20, 50, 100, 200},
	degrees:    []int{1, 2, 3, 5},
	ratios:     []float64{1e-2, 1, 10, 100, 1e3, 1e4, 1e6},
	ridges:     []float64{1e-6, 1e-4, 1e-2, 0.1, 1, 10},
}

// sindhwaniT27 is the transductive comparison on WebKB, with the joint Laplacians.
func sindhwaniT27(ctx context.Context, l *lab) error {
	w, err := l.webkb(ctx)
	if err != nil {
		return err
	}
	given, err := l.givenDraws(ctx, w)
	if err != nil {
		return err
	}
	if declare(ctx, "given splits", len(given)) { // their rows are of the whole set
		given, w = nil, w.selected(numbersTo(300))
	}
	var draws []*textDraw
	for run := range l.runs {
		labelled, err := drawAtLeast(w.labels.Class, 2, webkbLabels, 1, rand.New(rand.NewPCG(l.seed, uint64(run))))
		if err != nil {
			return err
		}
		draws = append(draws, w.newDraw(labelled))
	}
	for v := range webkbViews {
		if err := l.supervised27(ctx, w, v, draws); err != nil {
			return err
		}
	}
	declare(ctx, "printed of all labels", printed27n)
	trials, err := l.tune27(ctx, w, slices.Concat(draws, given), grid27.thinned(ctx))
	if err != nil {
		return err
	}
	l.report27(trials, "", 0, len(draws))
	if given != nil {
		l.report27(trials, ", given splits", len(draws), len(draws)+len(given))
		l.note(
			"given splits: those of %s, three of the 12 labels are courses, for comparison with the automatic choice on the same",
			webkbSplits,
		)
	}
	return nil
}

// givenDraws are the splits of the file, none if there is no file.
func (l *lab) givenDraws(ctx context.Context, w *webkb) ([]*textDraw, error) {
	name := filepath.Join(l.dataDir, webkbSplits)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	splits, err := read.Splits(ctx, name, webkbRows)
	if err != nil {
		return nil, err
	}
	var draws []*textDraw
	for _, s := range splits {
		labelled := pickOf(w.at, s.Labelled)
		slices.Sort(labelled)
		draws = append(draws, w.newDraw(labelled))
	}
	return draws, nil
}

// tune27 scores the grid.
func (l *lab) tune27(ctx context.Context, w *webkb, draws []*textDraw, grid textGrid) ([]*textTrial, error) {
	var trials []*textTrial
	scored := func(g kernel.Gram, like textTrial) error {
		columns, err := columnsOf(g, draws, data.Rows{})
		if err != nil {
			return err
		}
		at := make([][]*textTrial, textMachines)
		for machine := range textMachines {
			for _, ridge := range grid.ridges {
				t := like
				t.machine, t.ridge, t.hidden = machine, ridge, make([]float64, len(draws))
				at[machine] = append(at[machine], &t)
			}
			trials = append(trials, at[machine]...)
		}
		return columns.evaluate(ctx, draws, grid.ridges, func(machine, ridge, draw int, train, _ []float64) {
			at[machine][ridge].hidden[draw] = w.broken(train, draws[draw].hidden)
		})
	}
	var base [webkbViews]kernel.Gram
	var table [webkbViews]*mat.Dense
	for v := range webkbViews {
		var err error
		if base[v], table[v], err = w.bound(ctx, v); err != nil {
			return nil, err
		}
		if err := scored(base[v], textTrial{view: v}); err != nil {
			return nil, err
		}
	}
	n := len(w.course)
	system := mat.NewDense(n, n, nil)
	var work [webkbViews]kernel.Work
	for _, k := range grid.neighbours {
		l.say("%d neighbours", k)
		laplacians, err := w.laplacians(ctx, textGraph(k, graph.Heat), &work, slices.Max(grid.neighbours))
		if err != nil {
			return nil, err
		}
		for of, laplacian := range laplacians {
			for q, norm := range powersOf(laplacian, grid.degrees) {
				for v := range webkbViews {
					if of != webkbViews && of != v {
						continue
					}
					parts := manifold.Parts{Base: base[v], K: table[v], Norm: norm.on(table[v])}
					for _, ratio := range grid.ratios {
						g, err := parts.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: ratio}, system)
						if err != nil {
							return nil, err
						}
						like := textTrial{view: v, warped: true, joint: of == webkbViews, neighbours: k, p: grid.degrees[q], ratio: ratio}
						if err := scored(g, like); err != nil {
							return nil, fmt.Errorf("%s: %w", like.theta(), err)
						}
					}
				}
			}
		}
	}
	return trials, nil
}

// report27 adds the rows of 12 labels, those of some of the draws.
func (l *lab) report27(all []*textTrial, suffix string, from, to int) {
	var trials []*textTrial
	for _, t := range all {
		part := *t
		part.hidden = t.hidden[from:to]
		trials = append(trials, &part)
	}
	show := func(name string, printed float64, pass func(*textTrial) bool) {
		t := bestText(trials, pass)
		if t == nil {
			return
		}
		name += suffix
		if printed > 0 {
			l.printed(name, brokenUnlabelled, printed)
		}
		for _, v := range t.hidden {
			l.add(name, brokenUnlabelled, v)
		}
		l.interim(name, brokenUnlabelled)
		l.note("%s: %s", name, t.theta())
	}
	for v, view := range viewNames {
		for _, m := range methods27 {
			like := func(t *textTrial) bool {
				return t.view == v && t.machine == m.machine && t.warped == m.warped && t.joint == m.joint
			}
			name := view + " " + m.name
			if !m.warped {
				show(name, m.printed[v], like)
				continue
			}
			show(fmt.Sprintf("%s, nn %d, p %d", name, sourceTextNeighbours, sourceTextDegree), m.printed[v], func(t *textTrial) bool {
				return like(t) && t.neighbours == sourceTextNeighbours && t.p == sourceTextDegree
			})
			show(name+", nn, p", m.printed[v], like)
		}
	}
}

// methods27 are the rows of 12 labels, with what is printed by view.
var methods27 = []struct {
	name          string
	machine       int
	warped, joint bool
	printed       [webkbViews]float64 // 0: nothing
}{
	{"RLS (l)", squareText, false, false, [webkbViews]float64{30.3, 30.2, 23.9}},
	{"SVM (l)", hingeText, false, false, [webkbViews]float64{28.1, 24.3, 18.2}},
	{"LapRLS with offset", offsetText, true, false, [webkbViews]float64{}},
	{"LapRLS", squareText, true, false, [webkbViews]float64{19.2, 11.2, 7.5}},
	{"LapSVM", hingeText, true, false, [webkbViews]float64{17.2, 10.9, 6.4}},
	{"LapRLS with offset, joint", offsetText, true, true, [webkbViews]float64{}},
	{"LapRLS joint", squareText, true, true, [webkbViews]float64{6.7, 8.9, 5.9}},
	{"LapSVM joint", hingeText, true, true, [webkbViews]float64{5.7, 6.6, 5.1}},
}

// printed27n are the rows of all labels, RLS and SVM.
var printed27n = [webkbViews][2]float64{{5.6, 5.1}, {6.4, 5.3}, {2.2, 0.7}}

const silentShare = "share % of unlabelled that have no word of the labelled rows"

// silent is the share of a draw's hidden rows whose kernel values with the labelled ones are all
// zero: a supervised machine gives them the same output.
func silent(k *mat.Dense, d *textDraw) float64 {
	n := 0
	for _, i := range d.hidden {
		row := k.RawRowView(i)
		if !slices.ContainsFunc(d.labelled, func(j int) bool { return row[j] != 0 }) {
			n++
		}
	}
	return float64(n) / float64(len(d.hidden))
}

// supervised27 trains on all labels but those of a fold, ten times.
func (l *lab) supervised27(ctx context.Context, w *webkb, view int, draws []*textDraw) error {
	l.say("%s, all labels", viewNames[view])
	part, err := data.Folds(w.labels, 10, l.seed)
	if err != nil {
		return err
	}
	folds := part.Groups()
	g, k, err := w.bound(ctx, view)
	if err != nil {
		return err
	}
	for _, d := range draws {
		l.add(viewNames[view]+" (l)", silentShare, 100*silent(k, d))
	}
	p := learn.NewProblem(w.view[view], w.labels)
	path, err := rls.NewPath(ctx, k, p.Y, nil, false)
	if err != nil {
		return err
	}
	trainer, err := svm.Classifier{}.Bind(ctx, g, p)
	if err != nil {
		return err
	}
	var trials []*textTrial
	try := func(machine int, ridge float64, out *mat.Dense) {
		t := &textTrial{machine: machine, view: view, ridge: ridge}
		for _, fold := range folds {
			t.hidden = append(t.hidden, w.broken(mat.Col(nil, 0, out), fold))
		}
		trials = append(trials, t)
	}
	for _, ridge := range thin(ctx, "ridges of all labels", 2, decades(-4, 2)) {
		f, err := path.At(ridge)
		if err != nil {
			return err
		}
		out, err := f.LeaveOut(ctx, folds)
		if err != nil {
			return err
		}
		try(squareText, ridge, out)
		if out, _, err = score.LeftOut(ctx, g, trainer, p, folds, []float64{1 / (2 * ridge)}, nil); err != nil {
			return err
		}
		try(hingeText, ridge, out)
	}
	for q, m := range []struct {
		name    string
		machine int
	}{{"RLS (n)", squareText}, {"SVM (n)", hingeText}} {
		t := bestText(trials, func(t *textTrial) bool { return t.machine == m.machine })
		name := viewNames[view] + " " + m.name
		l.printed(name, brokenUnlabelled, printed27n[view][q])
		for _, v := range t.hidden {
			l.add(name, brokenUnlabelled, v)
		}
		l.interim(name, brokenUnlabelled)
		l.note("%s: %s", name, t.theta())
	}
	return nil
}
