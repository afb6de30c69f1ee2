package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lattice is a function on a rectangular grid: Z at column c, row r is its value at X(c), Y(r).
type lattice interface {
	Dims() (columns, rows int)
	X(c int) float64
	Y(r int) float64
	Z(c, r int) float64
}

// contours draws the lines on which a function on a grid has given levels, by marching
// squares: a line enters and leaves a cell where the level lies between the values at two
// neighbouring corners, at their linear interpolation in the scale of the axes; of the two
// ways through a saddle the mean of its corners decides. Segments are joined to
// chains in the order of the cells, so that equal input gives equal bytes. Cost: the cells
// times the levels.
type contours struct {
	lattice
	levels []float64
	styles []draw.LineStyle
}

// Plot implements plot.Plotter.
func (k contours) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	for i, level := range k.levels {
		for _, chain := range chains(k.lattice, level) {
			points := make([]vg.Point, len(chain))
			for q, e := range chain {
				points[q] = e.point(k.lattice, level, trX, trY)
			}
			c.StrokeLines(k.styles[i], points)
		}
	}
}

// DataRange implements plot.DataRanger.
func (k contours) DataRange() (xmin, xmax, ymin, ymax float64) {
	c, r := k.Dims()
	return k.X(0), k.X(c - 1), k.Y(0), k.Y(r - 1)
}

// edge joins a point of the grid to its right neighbour, or to the one above.
type edge struct {
	c, r int
	up   bool
}

// far is the other end.
func (e edge) far() (c, r int) {
	if e.up {
		return e.c, e.r + 1
	}
	return e.c + 1, e.r
}

// point is where the level lies on the edge.
func (e edge) point(l lattice, level float64, trX, trY func(float64) vg.Length) vg.Point {
	c, r := e.far()
	a, b := l.Z(e.c, e.r), l.Z(c, r)
	f := vg.Length((level - a) / (b - a))
	x, y := trX(l.X(e.c)), trY(l.Y(e.r))
	return vg.Point{X: x + f*(trX(l.X(c))-x), Y: y + f*(trY(l.Y(r))-y)}
}

// chains lists the contour of a level as edges in their order along each line; a closed line
// ends with its first edge.
func chains(l lattice, level float64) [][]edge {
	var order []edge
	next := map[edge][]edge{}
	join := func(a, b edge) {
		for _, e := range []edge{a, b} {
			if next[e] == nil {
				order = append(order, e)
			}
		}
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	columns, rows := l.Dims()
	for r := range rows - 1 {
		for c := range columns - 1 {
			through(l, level, c, r, join)
		}
	}
	var out [][]edge
	used := map[edge]bool{}
	follow := func(from edge) {
		chain := []edge{from}
		used[from] = true
		for at := from; ; {
			on := false
			for _, e := range next[at] {
				if !used[e] {
					chain, used[e], at, on = append(chain, e), true, e, true
					break
				}
			}
			if !on {
				break
			}
		}
		if last := chain[len(chain)-1]; len(next[from]) == 2 && len(chain) > 2 && (next[last][0] == from || next[last][1] == from) {
			chain = append(chain, from)
		}
		out = append(out, chain)
	}
	for _, e := range order { // lines that end at the border, from their end
		if len(next[e]) == 1 && !used[e] {
			follow(e)
		}
	}
	for _, e := range order {
		if !used[e] {
			follow(e)
		}
	}
	return out
}

// through joins the edges by which a level passes the cell above and to the right of (c, r).
func through(l lattice, level float64, c, r int, join func(a, b edge)) {
	// Corners and edges counter-clockwise from below left.
	z := [4]float64{l.Z(c, r), l.Z(c+1, r), l.Z(c+1, r+1), l.Z(c, r+1)}
	edges := [4]edge{{c, r, false}, {c + 1, r, true}, {c, r + 1, false}, {c, r, true}}
	var crossed []edge
	mean := 0.0
	for i := range 4 {
		mean += z[i] / 4
		if (z[i] < level) != (z[(i+1)%4] < level) {
			crossed = append(crossed, edges[i])
		}
	}
	switch len(crossed) {
	case 2:
		join(crossed[0], crossed[1])
	case 4:
		// The corner below left is cut off unless it belongs to the middle.
		if (z[0] < level) != (mean < level) {
			join(crossed[0], crossed[3])
			join(crossed[1], crossed[2])
		} else {
			join(crossed[0], crossed[1])
			join(crossed[2], crossed[3])
		}
	}
}
