package learn

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Part is the problem of one output: the rows that take part in it, with targets
// -1 and +1 or, in regression, in their own units.
type Part struct {
	Output int
	Rows   []int     // among the labelled
	Y      []float64 // of these rows
	Weight []float64 // of these rows; nil: all 1
	// Start and Offset are the solution to start from; Start is nil without one.
	Start  []float64
	Offset float64
}

// Piece is the solution of a Part.
type Piece struct {
	Coef        []float64 // a coefficient a row of the part
	Offset      float64
	Fitted      []float64 // outputs on the rows of the part, or nil
	Certificate Certificate
}

// Reduce trains a machine output by output: every one is a problem of its own over
// the rows (among the labelled; nil: all) that take part in it, see Problem. A part
// whose rows are all of one class, as in a fold that lacks the other, is not
// solved where there is an offset: its output is that class everywhere. With small,
// outputs are solved side by side, one a core; solve must then be safe for that. A context that has
// ended is an error before the first output, and between them.
func Reduce(
	ctx context.Context,
	p *Problem,
	rows []int,
	offset, small bool,
	warm *Machine,
	solve func(context.Context, Part) (Piece, error),
) (*Machine, error) {
	if rows == nil {
		rows = indices.To(len(p.Labelled))
	}
	if warm != nil && (len(warm.Rows) != len(rows) || warm.Coef == nil) {
		warm = nil
	}
	c := p.Outputs()
	places := make([][]int, c)
	pieces := make([]Piece, c)
	one := func(j int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var part Part
		part, places[j] = p.part(rows, j, warm)
		if class := part.only(); offset && class != 0 && p.twoSided(j) {
			pieces[j] = Piece{Coef: make([]float64, len(part.Rows)), Offset: class, Fitted: slices.Repeat([]float64{class}, len(part.Rows))}
			return nil
		}
		pieces[j], err = solve(ctx, part)
		return err
	}
	workers := 1
	if small {
		workers = 0 // all
	}
	if err := parallel.Each(workers, c, one); err != nil {
		return nil, err
	}
	return p.joined(rows, places, pieces, offset), nil
}

// joined is the machine of the solutions of all outputs.
func (p *Problem) joined(rows []int, places [][]int, pieces []Piece, offset bool) *Machine {
	c := len(pieces)
	m := &Machine{Rows: p.Subset(rows), Coef: mat.NewDense(max(len(rows), 1), c, nil)}
	if offset {
		m.Offset = make([]float64, c)
	}
	fitted := mat.NewDense(max(len(rows), 1), c, nil)
	known := true
	for j, piece := range pieces {
		for q, a := range places[j] {
			m.Coef.Set(a, j, piece.Coef[q])
			if piece.Fitted != nil {
				fitted.Set(a, j, piece.Fitted[q])
			}
		}
		known = known && piece.Fitted != nil && len(places[j]) == len(rows)
		if offset {
			m.Offset[j] = piece.Offset
		}
		m.Certificate.Join(piece.Certificate)
	}
	if known {
		m.Fitted = fitted
	}
	return m
}

// part returns the problem of output j over the rows, and where its rows stand
// among them.
func (p *Problem) part(rows []int, j int, warm *Machine) (part Part, place []int) {
	part.Output = j
	place = make([]int, 0, len(rows))
	part.Rows, part.Y = make([]int, 0, len(rows)), make([]float64, 0, len(rows))
	for a, i := range rows {
		y := p.Y.At(i, j)
		if y == 0 && p.Class != nil {
			continue // of a class that has no part in this pair
		}
		place = append(place, a)
		part.Rows = append(part.Rows, i)
		part.Y = append(part.Y, y)
		if p.Weight != nil {
			part.Weight = append(part.Weight, p.Weight[i])
		}
		if warm != nil {
			part.Start = append(part.Start, warm.Coef.At(a, j))
		}
	}
	if warm != nil && warm.Offset != nil {
		part.Offset = warm.Offset[j]
	}
	return part, place
}

// twoSided says whether output j has rows of both classes.
func (p *Problem) twoSided(j int) bool {
	var minus, plus bool
	for i := range p.Class {
		minus = minus || p.Y.At(i, j) < 0
		plus = plus || p.Y.At(i, j) > 0
	}
	return minus && plus
}

// only returns the target that all rows have, 0 if they differ, 1 without rows.
func (p Part) only() float64 {
	if len(p.Y) == 0 {
		return 1
	}
	for _, v := range p.Y {
		if v != p.Y[0] {
			return 0
		}
	}
	return p.Y[0]
}

// Sparse returns the machine without the rows whose coefficients are all zero.
// Fitted is that of all rows still.
func (m *Machine) Sparse() *Machine {
	if m.Coef == nil {
		return m
	}
	_, c := m.Coef.Dims()
	var keep []int
	for a := range m.Rows {
		for _, v := range m.Coef.RawRowView(a) {
			if v != 0 {
				keep = append(keep, a)
				break
			}
		}
	}
	if len(keep) == len(m.Rows) {
		return m
	}
	coef := mat.NewDense(max(len(keep), 1), c, nil)
	rows := make([]int, len(keep))
	for q, a := range keep {
		rows[q] = m.Rows[a]
		coef.SetRow(q, m.Coef.RawRowView(a))
	}
	s := *m
	s.Rows, s.Coef = rows, coef
	return &s
}

// Spread is the coefficients of all n rows of the problem (n x c), zero where a row has none.
func (m *Machine) Spread(n int) *mat.Dense {
	_, c := m.Coef.Dims()
	all := mat.NewDense(n, c, nil)
	for a, i := range m.Rows {
		all.SetRow(i, m.Coef.RawRowView(a))
	}
	return all
}
