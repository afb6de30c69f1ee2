package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/internal/brief"
)

// Front is a front of risk against complexity, to be shown: every member is the best of its
// complexity, and one is chosen.
type Front struct {
	Risk, Complexity, Score string // what they are, with units: the axes' titles; Score "" for none
	Decision                string // how the member was chosen, and what that assumes, as a sentence
	Parts                   []Part // the fronts it was merged from, drawn faint; may be nil
	Members                 []Member
	Chosen                  int  // place of the chosen member, from 0; -1: none
	Partial                 bool // interrupted: nondominated among what there was
}

// Part is a front that others were merged with, as of one width.
type Part struct {
	Name             string
	Risk, Complexity []float64
}

// Member is one function of the front, by increasing complexity.
type Member struct {
	Risk, Complexity float64
	Score            *float64
	Support          int
	Params           string
}

// Sections shows the front: two figures and the table of its members.
func (f *Front) Sections() []Section {
	if len(f.Members) == 0 {
		return []Section{{ID: "front", Title: "The front", Blocks: []Block{{Text: "The front has no member."}}}}
	}
	s := Section{ID: "front", Title: "The front: risk against complexity"}
	text := fmt.Sprintf(
		"The front has %s. None is worse than another in both: who wants less risk pays with complexity.",
		brief.Count(len(f.Members), "member"),
	)
	if f.Partial {
		text += " It is partial: the run was interrupted, and shows what was best until then."
	}
	s.add(Block{Text: text})
	if f.Chosen >= 0 {
		m := f.Members[f.Chosen]
		chosen := fmt.Sprintf(
			"Chosen is member %d of %d: risk %s, complexity %s",
			f.Chosen+1,
			len(f.Members),
			number(m.Risk),
			number(m.Complexity),
		)
		if m.Score != nil {
			chosen += ", score " + number(*m.Score)
		}
		s.add(Block{Text: chosen + ". " + f.Decision})
	}
	figures := []*Figure{f.plane()}
	if g := f.scores(); g != nil {
		figures = append(figures, g)
	}
	s.add(Block{Figures: figures})
	members := Section{ID: "members", Title: "Members"}
	members.add(Block{Tables: []*Table{f.table()}})
	return []Section{s, members}
}

// columns are the members' risks and complexities.
func (f *Front) columns() (risk, complexity []float64) {
	for _, m := range f.Members {
		risk, complexity = append(risk, m.Risk), append(complexity, m.Complexity)
	}
	return risk, complexity
}

func pairs(x, y []float64) plotter.XYs {
	var xy plotter.XYs
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			xy = append(xy, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return xy
}

// marked are the styles of the chosen member, of members and of their line.
func frontStyles() (chosen, member draw.GlyphStyle, line, faint draw.LineStyle) {
	return draw.GlyphStyle{Color: classColour(1), Radius: 5.5, Shape: outlined{diamond{}}},
		draw.GlyphStyle{Color: classColour(0), Radius: 2.2, Shape: draw.CircleGlyph{}},
		draw.LineStyle{Color: classColour(0), Width: 2.2},
		draw.LineStyle{Color: faded(muted, 0.45), Width: 0.9}
}

// plane draws the front: complexity across, risk up.
func (f *Front) plane() *Figure {
	p := newPlot("The front", f.Complexity, f.Risk)
	risk, complexity := f.columns()
	rlo, rhi, _ := span(risk)
	qlo, qhi, _ := span(complexity)
	if decades(qlo, qhi) {
		logarithmic(&p.X)
	}
	if decades(rlo, rhi) {
		logarithmic(&p.Y)
	}
	chosen, member, line, faint := frontStyles()
	room(&p.X, qlo, qhi, 0.04)
	room(&p.Y, rlo, rhi, 0.06)
	for _, part := range f.Parts { // within the frame of the front
		var xy plotter.XYs
		for _, at := range pairs(part.Complexity, part.Risk) {
			if at.X >= p.X.Min && at.X <= p.X.Max && at.Y >= p.Y.Min && at.Y <= p.Y.Max {
				xy = append(xy, at)
			}
		}
		if len(xy) > 1 {
			p.Add(&plotter.Line{XYs: xy, LineStyle: faint})
		} else if len(xy) == 1 {
			p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: faint.Color, Radius: 1.5, Shape: draw.CircleGlyph{}}})
		}
	}
	xy := pairs(complexity, risk)
	if len(xy) > 1 {
		p.Add(&plotter.Line{XYs: xy, LineStyle: line})
	}
	if len(xy) > 0 {
		p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: member})
	}
	out := &Figure{
		Name: "front", Plot: p,
		Caption: "Every dot is a member: no other function found has less risk at its complexity.",
		Alt: fmt.Sprintf(
			"Front of %s: risk falls from %s to %s as complexity grows from %s to %s.",
			brief.Count(len(f.Members), "member"),
			number(risk[0]),
			number(risk[len(risk)-1]),
			number(complexity[0]),
			number(complexity[len(complexity)-1]),
		),
		Legend: []Entry{{Name: "front", Line: &line, Glyph: &member}},
	}
	if len(f.Parts) > 0 {
		out.Caption += fmt.Sprintf(" Faint lines are the %d fronts it was merged from.", len(f.Parts))
		out.Legend = append(out.Legend, Entry{Name: "merged from", Line: &faint})
	}
	if f.Chosen >= 0 {
		m := f.Members[f.Chosen]
		if finite(m.Risk) && finite(m.Complexity) {
			p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: m.Complexity, Y: m.Risk}}, GlyphStyle: chosen})
			out.Legend = append(out.Legend, Entry{Name: "chosen", Glyph: &chosen})
			out.Alt += fmt.Sprintf(" Chosen: risk %s, complexity %s.", number(m.Risk), number(m.Complexity))
		}
	}
	return out
}

// scores draws the score along the front; nil where no member has one.
func (f *Front) scores() *Figure {
	var x, y []float64
	for _, m := range f.Members {
		if m.Score != nil && finite(*m.Score) {
			x, y = append(x, m.Complexity), append(y, *m.Score)
		}
	}
	if len(x) == 0 {
		return nil
	}
	p := newPlot("Score along the front", f.Complexity, f.Score)
	lo, hi, _ := span(y)
	_, complexity := f.columns()
	qlo, qhi, _ := span(complexity)
	if decades(qlo, qhi) {
		logarithmic(&p.X)
	}
	if decades(lo, hi) {
		logarithmic(&p.Y)
	}
	room(&p.X, qlo, qhi, 0.04)
	room(&p.Y, lo, hi, 0.06)
	chosen, member, line, _ := frontStyles()
	line.Width = vg.Points(1.2)
	xy := pairs(x, y)
	if len(xy) > 1 {
		p.Add(&plotter.Line{XYs: xy, LineStyle: line})
	}
	p.Add(&plotter.Scatter{XYs: xy, GlyphStyle: member})
	out := &Figure{
		Name: "front-score", Plot: p,
		Caption: "The decision's score of each member; the least is best, ties go to the simpler member.",
		Alt: fmt.Sprintf(
			"Score along the front, from %s at the simplest member to %s at the most complex; least %s.",
			number(y[0]),
			number(y[len(y)-1]),
			number(slices.Min(y)),
		),
		Legend: []Entry{{Name: "member", Line: &line, Glyph: &member}},
	}
	if f.Chosen >= 0 && f.Members[f.Chosen].Score != nil && finite(*f.Members[f.Chosen].Score) {
		m := f.Members[f.Chosen]
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: m.Complexity, Y: *m.Score}}, GlyphStyle: chosen})
		out.Legend = append(out.Legend, Entry{Name: "chosen", Glyph: &chosen})
	}
	return out
}

// openRows is the number of rows from which on a table that only some want is folded.
const openRows = 12

// mostMembers is how many members the table lists; of more, every so-manieth, with the
// ends and the chosen one.
const mostMembers = 60

func (f *Front) table() *Table {
	t := &Table{
		Head: []string{"member", "complexity", "risk", "score", "support", "parameters"},
		Text: []bool{true, false, false, false, false, true},
	}
	n := len(f.Members)
	by := (n + mostMembers - 1) / mostMembers
	for i, m := range f.Members {
		if i%by != 0 && i != n-1 && i != f.Chosen {
			continue
		}
		score := "-"
		if m.Score != nil {
			score = number(*m.Score)
		}
		name := fmt.Sprint(i + 1)
		if i == f.Chosen {
			t.Marked = append(t.Marked, len(t.Rows))
			name += " chosen"
		}
		t.Rows = append(t.Rows, []string{name, number(m.Complexity), number(m.Risk), score, fmt.Sprint(m.Support), m.Params})
	}
	t.Caption = "By increasing complexity"
	if len(t.Rows) > openRows {
		t.Fold = "Members by increasing complexity"
	}
	if by > 1 {
		t.Caption += fmt.Sprintf("; %d of %d members", len(t.Rows), n)
	}
	return t
}
