package reproduce

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
)

// grid41 is ours: the source has "the best over a small range".
var grid41 = textGrid{
	neighbours: []int{sourceTextNeighbours}, degrees: []int{sourceTextDegree},
	ratios: []float64{1, 10, 100, 1e3, 1e4}, ridges: []float64{1e-6, 1e-4, 1e-2, 0.1, 1, 10},
}

// couplings41 are gamma_C/gamma_1 of Co-RLS; ours too.
var couplings41 = []float64{1, 10, 100, 1e3, 1e4, 1e5}

// printed41 are the rows of table 4.1 that are run here, PRBEP on link, page and page+link; 0: not printed. What the
// other rows have is in table 2.7, of the same machines.
var printed41 = []struct {
	name    string
	printed [webkbViews]float64
}{
	{"RLS (12)", [webkbViews]float64{72.0, 71.6, 78.3}},
	{"SVM (12)", [webkbViews]float64{74.4, 77.8, 84.4}},
	{"LapRLS", [webkbViews]float64{80.8, 89.0, 93.1}},
	{"LapSVM", [webkbViews]float64{81.9, 89.5, 93.6}},
	{"Co-trained RLS", [webkbViews]float64{74.8, 80.2, 0}},
	{"Co-RLS", [webkbViews]float64{80.8, 90.1, 0}},
	{"Co-LapRLS1", [webkbViews]float64{93.1, 90.8, 90.4}},
	{"Co-LapRLS2", [webkbViews]float64{94.4, 92.0, 93.6}},
	{"Co-trained SVM", [webkbViews]float64{88.3, 88.7, 0}},
	{"Co-LapSVM1", [webkbViews]float64{93.2, 93.2, 90.8}},
	{"Co-LapSVM2", [webkbViews]float64{94.3, 93.3, 94.2}},
}

// trials41 are the candidates of a row of the table in a view.
type trials41 map[string]*[webkbViews][]*textTrial

func (a trials41) add(name string, t *textTrial) {
	if a[name] == nil {
		a[name] = new([webkbViews][]*textTrial)
	}
	a[name][t.view] = append(a[name][t.view], t)
}

// sindhwaniT41 is WebKB by several views.
func sindhwaniT41(ctx context.Context, l *lab) error {
	declare(ctx, "printed", printed41)
	w, err := l.webkb(ctx)
	if err != nil {
		return err
	}
	if declare(ctx, "rows", webkbRows) {
		w = w.selected(numbersTo(300))
	}
	var draws []*textDraw
	for run := range l.runs {
		labelled, err := drawAtLeast(w.labels.Class, 2, webkbLabels, 1, rand.New(rand.NewPCG(l.seed, uint64(run))))
		if err != nil {
			return err
		}
		draws = append(draws, w.newDraw(labelled))
	}
	all := trials41{}
	grid := grid41.thinned(ctx)
	for _, part := range []func(context.Context, *webkb, []*textDraw, textGrid, trials41) error{l.graphs41, l.coupled41, l.taught41} {
		if err := part(ctx, w, draws, grid, all); err != nil {
			return err
		}
	}
	l.report41(all)
	return nil
}

// report41 adds the best candidate of each row and view.
func (l *lab) report41(all trials41) {
	for _, row := range printed41 {
		for v, view := range viewNames {
			if all[row.name] == nil || all[row.name][v] == nil {
				continue
			}
			name := view + " " + row.name
			best := bestText(all[row.name][v], func(*textTrial) bool { return true })
			if row.printed[v] > 0 {
				l.printed(name, brokenUnlabelled, 100-row.printed[v])
			}
			for _, score := range best.hidden {
				l.add(name, brokenUnlabelled, score)
			}
			l.interim(name, brokenUnlabelled)
			l.note("%s: %s", name, best.theta())
		}
	}
}

// graphs41 trains machines of each view without a graph, on its own and on joint ones.
func (l *lab) graphs41(ctx context.Context, w *webkb, draws []*textDraw, grid textGrid, all trials41) error {
	var work [webkbViews]kernel.Work
	neighbours := grid.neighbours[0]
	laplacians, err := w.laplacians(ctx, textGraph(neighbours, graph.Heat), &work, neighbours)
	if err != nil {
		return err
	}
	n := len(w.course)
	two := mat.NewDense(n, n, nil)
	two.Add(laplacians[linkView], laplacians[pageView])
	two.Scale(0.5, two)
	own := append(slices.Clone(laplacians[:webkbViews]), two, laplacians[webkbViews])
	system := mat.NewDense(n, n, nil)
	for q, laplacian := range own {
		norm := powersOf(laplacian, grid.degrees)[len(grid.degrees)-1]
		for v := range webkbViews {
			if q < webkbViews && q != v {
				continue
			}
			l.say("graph %d of %d, %s", q+1, len(own), viewNames[v])
			base, table, err := w.bound(ctx, v)
			if err != nil {
				return err
			}
			names := [textMachines]string{squareText: "Co-LapRLS", hingeText: "Co-LapSVM"}
			suffix := []string{"1", "2"}[max(q-webkbViews, 0)]
			if q < webkbViews {
				names, suffix = [textMachines]string{squareText: "LapRLS", hingeText: "LapSVM"}, ""
				like := textTrial{view: v}
				if err := w.scored41(ctx, base, draws, grid, like, [textMachines]string{squareText: "RLS (12)", hingeText: "SVM " +
					"(12)"}, "", all); err != nil {
					return err
				}
			}
			parts := manifold.Parts{Base: base, K: table, Norm: norm.on(table)}
			for _, ratio := range grid.ratios {
				g, err := parts.Warp(ctx, manifold.Warp{Base: kernel.Linear{}, Ratio: ratio}, system)
				if err != nil {
					return err
				}
				like := textTrial{view: v, warped: true, neighbours: neighbours, p: sourceTextDegree, ratio: ratio}
				if err := w.scored41(ctx, g, draws, grid, like, names, suffix, all); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// scored41 scores machines on a bound kernel of a view.
func (w *webkb) scored41(ctx context.Context, g kernel.Gram, draws []*textDraw, grid textGrid, like textTrial,
	names [textMachines]string, suffix string, all trials41,
) error {
	columns, err := columnsOf(g, draws, data.Rows{})
	if err != nil {
		return err
	}
	var at [textMachines][]*textTrial
	for machine, name := range names {
		for _, ridge := range grid.ridges {
			t := like
			t.machine, t.ridge, t.hidden = machine, ridge, make([]float64, len(draws))
			at[machine] = append(at[machine], &t)
			if name != "" {
				all.add(name+suffix, &t)
			}
		}
	}
	return columns.evaluate(ctx, draws, grid.ridges, func(machine, ridge, draw int, train, _ []float64) {
		at[machine][ridge].hidden[draw] = w.broken(train, draws[draw].hidden)
	})
}

// stacked41 are the rows of link and page one after the other, and their linear kernel.
func (w *webkb) stacked41(coupling float64) (*multiview.Stacked, multiview.Coupled) {
	words := w.view[pageView].Dim()
	lists := [][]int{linkView: nil, pageView: numbersTo(words)}
	for c := range w.view[linkView].Dim() {
		lists[linkView] = append(lists[linkView], words+c)
	}
	return multiview.Stack(w.view[bothViews], lists), multiview.Coupled{Names: viewNames[:bothViews],
		Kernels: []kernel.Kernel{kernel.Linear{}, kernel.Linear{}}, Coupling: coupling}
}

// problem41 is a draw on the stacked rows.
func (w *webkb) problem41(s *multiview.Stacked, d *textDraw) *learn.Problem {
	known := w.labels
	known.Class = slices.Repeat([]int{data.Unlabelled}, len(w.course))
	for _, i := range d.labelled {
		known.Class[i] = w.labels.Class[i]
	}
	return s.Problem(learn.NewProblem(w.view[bothViews], known), nil)
}

// judge41 stores what outputs on the stacked rows score in each view: zero where a row lacks it.
func (w *webkb) judge41(s *multiview.Stacked, out *mat.Dense, d *textDraw, draw int, at [bothViews]*textTrial) {
	for v := range at {
		own := make([]float64, len(w.course))
		for r, view := range s.View {
			if view == v {
				own[s.Thing[r]] = out.At(r, 0)
			}
		}
		at[v].hidden[draw] = w.broken(own, d.hidden)
	}
}

// pair41 makes a candidate of a row of the table for link and for page.
func (a trials41) pair41(name string, draws int, ratio, ridge float64) (at [bothViews]*textTrial) {
	for v := range at {
		at[v] = &textTrial{view: v, ratio: ratio, ridge: ridge, hidden: make([]float64, draws)}
		a.add(name, at[v])
	}
	return at
}

// coupled41 is Co-RLS.
func (l *lab) coupled41(ctx context.Context, w *webkb, draws []*textDraw, grid textGrid, all trials41) error {
	for _, c := range thin(ctx, "couplings", 1, couplings41) {
		l.say("Co-RLS, gamma_C/gamma_1 %g", c)
		s, k := w.stacked41(c)
		g, err := k.Bind(ctx, s.Rows, nil)
		if err != nil {
			return err
		}
		var at [][bothViews]*textTrial
		for _, ridge := range grid.ridges {
			at = append(at, all.pair41("Co-RLS", len(draws), c, ridge))
		}
		for q, d := range draws {
			trainer, err := rls.Learner{}.Bind(ctx, g, w.problem41(s, d))
			if err != nil {
				return err
			}
			for r, ridge := range grid.ridges {
				if err := w.train41(ctx, s, g, trainer, ridge, d, q, at[r]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// train41 trains and judges a machine on the stacked rows.
func (w *webkb) train41(ctx context.Context, s *multiview.Stacked, g kernel.Gram, trainer learn.Trainer, own float64, d *textDraw, draw int,
	at [bothViews]*textTrial,
) error {
	m, err := trainer.Train(ctx, nil, []float64{own}, nil)
	if err != nil {
		return err
	}
	out := mat.NewDense(s.Rows.Len(), 1, nil)
	if err := m.Evaluate(ctx, out, g, nil); err != nil {
		return err
	}
	w.judge41(s, out, d, draw, at)
	return nil
}

// The counts of Blum & Mitchell 1998.
const rounds41, pool41 = 30, 75

// taught41 is co-training with least squares and the hinge.
func (l *lab) taught41(ctx context.Context, w *webkb, draws []*textDraw, grid textGrid, all trials41) error {
	s, k := w.stacked41(0)
	g, err := k.Bind(ctx, s.Rows, nil)
	if err != nil {
		return err
	}
	for _, m := range []struct {
		name    string
		learner learn.Learner
		own     func(ridge float64) float64
	}{
		{"Co-trained RLS", rls.Learner{}, func(ridge float64) float64 { return ridge }},
		{"Co-trained SVM", svm.Classifier{NoOffset: true}, func(ridge float64) float64 { return 1 / (2 * ridge) }},
	} {
		for _, ridge := range grid.ridges {
			l.say("%s, l gamma %g", m.name, ridge)
			at := all.pair41(m.name, len(draws), 0, ridge)
			for q, d := range draws {
				c := multiview.CoTraining{Learner: m.learner, Stacked: s, Rounds: atMost(ctx, "rounds", 2, rounds41), Add: []int{3, 1}, Pool: pool41,
					Seed: l.seed + uint64(q)} //nolint:gosec // a number of draws
				trainer, err := c.Bind(ctx, g, w.problem41(s, d))
				if err != nil {
					return err
				}
				if err := w.train41(ctx, s, g, trainer, m.own(ridge), d, q, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
