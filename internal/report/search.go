package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/search/param"
)

// searching is the section of what was tried; nothing where nobody listened.
func (r *Run) searching() []*Figure {
	if len(r.Evaluations) < 2 {
		return nil
	}
	var list []*Figure
	if f := progress(r.Evaluations, r.scoreName()); f != nil {
		list = append(list, f)
	}
	if f := r.trajectory(); f != nil {
		list = append(list, f)
	}
	return list
}

// bestSoFar is the least score up to each evaluation, +Inf before the first finite one. Every stage
// begins anew, because its scores may be of another kind.
func bestSoFar(list []mercer.Evaluation) []float64 {
	out := make([]float64, len(list))
	best, stage := math.Inf(1), 0
	for i, e := range list {
		if e.Stage != stage {
			best, stage = math.Inf(1), e.Stage
		}
		if e.Score < best {
			best = e.Score
		}
		out[i] = best
	}
	return out
}

// decades says whether positive values are better seen on a logarithmic scale: they
// span more than one power of ten.
func decades(lo, hi float64) bool { return lo > 0 && hi > 10*lo }

// progress draws the score of every evaluation, and the best so far.
func progress(list []mercer.Evaluation, score string) *Figure {
	scores := make([]float64, len(list))
	for i, e := range list {
		scores[i] = e.Score
	}
	lo, hi, ok := span(scores)
	if !ok {
		return nil
	}
	p := newPlot("Score against evaluations", "evaluation", score+" (less is better)")
	p.X.Tick.Marker = wholeTicks{}
	if decades(lo, hi) {
		logarithmic(&p.Y)
	}
	best := bestSoFar(list)
	var points plotter.XYs
	var lines []plotter.XYs
	failed := 0
	for i, e := range list {
		if !finite(e.Score) {
			failed++
		} else {
			points = append(points, plotter.XY{X: float64(e.N), Y: e.Score})
		}
		if !finite(best[i]) {
			continue
		}
		if len(lines) == 0 || e.Stage != list[i-1].Stage || !finite(best[i-1]) {
			lines = append(lines, nil)
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], plotter.XY{X: float64(e.N), Y: best[i]})
	}
	each := draw.GlyphStyle{Color: faded(muted, 0.6), Radius: 1.8, Shape: draw.CircleGlyph{}}
	s := &plotter.Scatter{XYs: points, GlyphStyle: each}
	p.Add(s)
	front := draw.LineStyle{Color: classColour(0), Width: 2}
	for _, xy := range lines {
		p.Add(&plotter.Line{XYs: xy, LineStyle: front, StepStyle: plotter.PostStep})
	}
	room(&p.X, 1, float64(max(list[len(list)-1].N, 2)), 0.02)
	room(&p.Y, lo, hi, 0.06)
	end := best[len(best)-1]
	caption := fmt.Sprintf(
		"Every point is one setting of the parameters that was scored; the line is the best until then, %s at the end.",
		number(end),
	)
	if failed > 0 {
		caption += fmt.Sprintf(
			" %s could not be scored (a model that cannot be computed there) and are not shown.",
			brief.Count(failed, "setting"),
		)
	}
	return &Figure{
		Name: "score", Plot: p, Caption: caption,
		Alt: fmt.Sprintf(
			"Score against evaluations: the best of %d settings falls from %s to %s.",
			len(list),
			number(firstFinite(best)),
			number(end),
		),
		Legend: []Entry{{Name: "one evaluation", Glyph: &each}, {Name: "best so far", Line: &front}},
	}
}

func firstFinite(v []float64) float64 {
	i := slices.IndexFunc(v, finite)
	if i < 0 {
		return math.NaN()
	}
	return v[i]
}

// lastSpace lists the evaluations in the space of the last one: a search that selects
// features, or one a class, changes spaces on its way.
func lastSpace(list []mercer.Evaluation) []mercer.Evaluation {
	last := list[len(list)-1]
	names := last.Space.Names()
	return slices.DeleteFunc(slices.Clone(list), func(e mercer.Evaluation) bool {
		return e.Stage != last.Stage || !slices.Equal(e.Space.Names(), names)
	})
}

// renamed calls gamma_a lambda where the machine chosen has that: the automatic choice tries machines with
// a graph and without, and the weight of the kernel's norm is called lambda in those without.
func (r *Run) renamed(list []mercer.Evaluation) []mercer.Evaluation {
	i := list[0].Space.Index("gamma_a")
	_, own := r.Result.Params["lambda"]
	if _, has := r.Result.Params["gamma_a"]; i < 0 || has || !own {
		return list
	}
	out := slices.Clone(list)
	for k := range out {
		out[k].Space = slices.Clone(out[k].Space)
		out[k].Space[i].Name = "lambda"
	}
	return out
}

// moved lists the dimensions that took more than one value.
func moved(list []mercer.Evaluation) []int {
	var dims []int
	for i, d := range list[0].Space {
		first := list[0].Theta[i]
		if !d.Fixed && slices.ContainsFunc(list, func(e mercer.Evaluation) bool {
			v := e.Theta[i]
			return v != first && !(math.IsNaN(v) && math.IsNaN(first))
		}) {
			dims = append(dims, i)
		}
	}
	return dims
}

// column is a dimension's values.
func column(list []mercer.Evaluation, i int) []float64 {
	v := make([]float64, len(list))
	for k, e := range list {
		v[k] = e.Theta[i]
	}
	return v
}

// scaledLog says whether a dimension is seen on a logarithmic scale.
func scaledLog(d param.Dim, v []float64) bool {
	lo, _, ok := span(v)
	return ok && d.Kind == param.Log && lo > 0
}

// trajectory draws where the search went: against one parameter, over two, or on the
// parallel axes of more.
func (r *Run) trajectory() *Figure {
	list := r.renamed(lastSpace(r.Evaluations))
	dims := moved(list)
	complete := !slices.ContainsFunc(list, func(e mercer.Evaluation) bool {
		return slices.ContainsFunc(dims, func(i int) bool { return !finite(e.Theta[i]) })
	})
	switch {
	case len(dims) == 0:
		return nil
	case len(dims) == 1 && complete:
		return r.alongOne(list, dims[0])
	case len(dims) == 2 && complete:
		return r.overTwo(list, dims)
	}
	return r.parallel(list, dims)
}

// alongOne draws the score against the one parameter moved.
func (r *Run) alongOne(list []mercer.Evaluation, i int) *Figure {
	d := list[0].Space[i]
	p := newPlot("Score against "+d.Name, d.Name, r.scoreName()+" (less is better)")
	var xy plotter.XYs
	var scores []float64
	for _, e := range list {
		if finite(e.Score) {
			xy, scores = append(xy, plotter.XY{X: e.Theta[i], Y: e.Score}), append(scores, e.Score)
		}
	}
	lo, hi, ok := span(scores)
	if !ok {
		return nil
	}
	values := column(list, i)
	if scaledLog(d, values) {
		logarithmic(&p.X)
	}
	if decades(lo, hi) {
		logarithmic(&p.Y)
	}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: classColour(0), Radius: 2.4, Shape: draw.CircleGlyph{}}})
	from, to, _ := span(values)
	room(&p.X, from, to, 0.04)
	room(&p.Y, lo, hi, 0.06)
	b := least(list)
	return &Figure{
		Name: "trajectory", Plot: p,
		Caption: fmt.Sprintf("The settings of %s that were scored. The best is %s = %s.", d.Name, d.Name, number(list[b].Theta[i])),
		Alt:     fmt.Sprintf("Score against %s at %d settings, least at %s.", d.Name, len(xy), number(list[b].Theta[i])),
	}
}

// least is the evaluation of the least score, the first on ties.
func least(list []mercer.Evaluation) int {
	b := 0
	for i, e := range list {
		if e.Score < list[b].Score {
			b = i
		}
	}
	return b
}

// ranks are the places 0 to 1 of scores among all, ties alike: colours by them show the
// differences near the best where raw scores would be dwarfed by the worst.
func ranks(list []mercer.Evaluation) []float64 {
	sorted := make([]float64, len(list))
	for i, e := range list {
		sorted[i] = e.Score
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	out := make([]float64, len(list))
	for i, e := range list {
		k, _ := slices.BinarySearch(sorted, e.Score)
		out[i] = float64(k) / float64(max(len(sorted)-1, 1))
	}
	return out
}

// overTwo draws the points over two parameters, on the score's contours where they are
// known.
func (r *Run) overTwo(list []mercer.Evaluation, dims []int) *Figure {
	x, y := list[0].Space[dims[0]], list[0].Space[dims[1]]
	p := newPlot("Where the search went", x.Name, y.Name)
	xs, ys := column(list, dims[0]), column(list, dims[1])
	if scaledLog(x, xs) {
		logarithmic(&p.X)
	}
	if scaledLog(y, ys) {
		logarithmic(&p.Y)
	}
	caption := "Every point is one setting that was scored."
	if g := r.Surface; g != nil && g.of(x.Name, y.Name) {
		levels, hatch := g.contours()
		if len(levels) > 0 {
			p.Add(hatch)
			caption += fmt.Sprintf(
				" The lines join settings of equal score, on a grid of %d by %d further ones, from %s (violet) to %s (yellow).",
				len(g.X),
				len(g.Y),
				number(levels[0]),
				number(levels[len(levels)-1]),
			)
		}
		xs, ys = append(xs, g.X...), append(ys, g.Y...)
	}
	path := draw.LineStyle{Color: faded(ink, 0.5), Width: 0.8}
	follow := ordered(list[0].Search)
	if follow {
		var xy plotter.XYs
		for _, e := range list {
			xy = append(xy, plotter.XY{X: e.Theta[dims[0]], Y: e.Theta[dims[1]]})
		}
		p.Add(&plotter.Line{XYs: xy, LineStyle: path})
		caption += " The thin line follows the search."
	}
	at := ranks(list)
	for _, i := range byDecreasing(at) {
		p.Add(&plotter.Scatter{
			XYs:        plotter.XYs{{X: list[i].Theta[dims[0]], Y: list[i].Theta[dims[1]]}},
			GlyphStyle: draw.GlyphStyle{Color: shade(at[i]), Radius: 2.6, Shape: outlined{draw.CircleGlyph{}}},
		})
	}
	b := least(list)
	best := draw.GlyphStyle{Color: classColour(1), Radius: 5, Shape: outlined{diamond{}}}
	p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: list[b].Theta[dims[0]], Y: list[b].Theta[dims[1]]}}, GlyphStyle: best})
	fit := func(a *plot.Axis, v []float64) {
		lo, hi, _ := span(v)
		room(a, lo, hi, 0.03)
	}
	fit(&p.X, xs)
	fit(&p.Y, ys)
	good, bad := draw.GlyphStyle{
		Color:  shade(0),
		Radius: 3,
		Shape:  outlined{draw.CircleGlyph{}},
	}, draw.GlyphStyle{
		Color:  shade(1),
		Radius: 3,
		Shape:  outlined{draw.CircleGlyph{}},
	}
	f := &Figure{
		Name: "trajectory", Plot: p, Ratio: 0.78, Caption: caption,
		Alt: fmt.Sprintf("%d settings of %s and %s; the best has %s = %s and %s = %s.", len(list), x.Name, y.Name,
			x.Name, number(list[b].Theta[dims[0]]), y.Name, number(list[b].Theta[dims[1]])),
		Legend: []Entry{{Name: "best", Glyph: &best}, {Name: "good score", Glyph: &good}, {Name: "bad score", Glyph: &bad}},
	}
	if follow {
		f.Legend = append(f.Legend, Entry{Name: "path", Line: &path})
	}
	return f
}

// ordered says whether the points of a search follow one another.
func ordered(search string) bool {
	return search == "gradient" || search == "rprop" || search == "sqp" || search == "nelder-mead"
}

// byDecreasing lists the places of v from the largest to the least, so that the best are
// drawn last, on top.
func byDecreasing(v []float64) []int {
	order := indices.To(len(v))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] > v[b]:
			return -1
		case v[a] < v[b]:
			return 1
		}
		return 0
	})
	return order
}
