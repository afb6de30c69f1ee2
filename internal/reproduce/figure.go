package reproduce

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// Figure is a picture of the source drawn with our numbers: curves, points and lines of equal value
// over one pair of axes. Numbers are kept to six digits.
type Figure struct {
	Name   string  `json:"name"` // unique within its table
	Title  string  `json:"title"`
	X      Axis    `json:"x"`
	Y      Axis    `json:"y"`
	Curves []Curve `json:"curves,omitempty"`
	Levels []Level `json:"levels,omitempty"`
}

// Axis is the name of an axis and whether it is logarithmic.
type Axis struct {
	Name string `json:"name"`
	Log  bool   `json:"log,omitempty"`
}

// Curve is points in their order, joined by a line unless they are Loose.
type Curve struct {
	Name  string    `json:"name"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Loose bool      `json:"loose,omitempty"`
}

// Level is a function on a grid, Z[i][j] its value at X[j], Y[i], and the values whose lines are
// drawn; without any they are spread over those of the function.
type Level struct {
	Name string      `json:"name"`
	X    []float64   `json:"x"`
	Y    []float64   `json:"y"`
	Z    [][]float64 `json:"z"`
	At   []float64   `json:"at,omitempty"`
}

// draw adds a figure. Points that are no numbers, as scores of machines that cannot be computed,
// are left out of curves and are at the top of functions.
func (l *lab) draw(f Figure) {
	for c := range f.Curves {
		own := &f.Curves[c]
		var x, y []float64
		for k := range own.X {
			if finite(own.X[k]) && finite(own.Y[k]) {
				x, y = append(x, digits6(own.X[k])), append(y, digits6(own.Y[k]))
			}
		}
		own.X, own.Y = x, y
	}
	for _, v := range f.Levels {
		top := math.Inf(-1)
		for _, row := range v.Z {
			for _, z := range row {
				if finite(z) {
					top = max(top, z)
				}
			}
		}
		for _, row := range v.Z {
			for j, z := range row {
				if !finite(z) {
					z = top
				}
				row[j] = digits6(z)
			}
		}
	}
	l.figures = append(l.figures, f)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// digits6 is a number to six digits, which no picture shows more of.
func digits6(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// means is a curve through the means of rows of the table: row names that of the k-th x.
func (l *lab) means(name, metric string, x []float64, row func(k int) string) Curve {
	c := Curve{Name: name}
	for k, v := range x {
		if own, ok := l.at[[2]string{row(k), metric}]; ok {
			c.X, c.Y = append(c.X, v), append(c.Y, mean(own.values))
		}
	}
	return c
}

// reals are whole numbers on an axis.
func reals(n []int) []float64 {
	x := make([]float64, len(n))
	for k, v := range n {
		x[k] = float64(v)
	}
	return x
}

// plane is a grid of points in the plane: every place of a picture.
type plane struct {
	x, y []float64
	rows data.Rows
}

// planePoints is the number of points of a plane across and up.
const planePoints = 60

// around is the plane about some rows of two columns, with a margin.
func around(rows data.Rows) plane {
	var p plane
	var axes [2][]float64
	for c := range axes {
		v := mat.Col(nil, c, rows.Dense)
		lo, hi := quantile(v, 0), quantile(v, 1)
		beyond := 0.15 * (hi - lo)
		for k := range planePoints {
			axes[c] = append(axes[c], lo-beyond+(hi-lo+2*beyond)*float64(k)/(planePoints-1))
		}
	}
	p.x, p.y = axes[0], axes[1]
	at := mat.NewDense(planePoints*planePoints, 2, nil)
	for i, y := range p.y {
		for j, x := range p.x {
			at.SetRow(i*planePoints+j, []float64{x, y})
		}
	}
	p.rows = data.Rows{Dense: at}
	return p
}

// level is a function of the plane by its values at all points.
func (p plane) level(name string, out *mat.Dense, at ...float64) Level {
	v := Level{Name: name, X: p.x, Y: p.y, At: at}
	for i := range p.y {
		row := make([]float64, len(p.x))
		for j := range row {
			row[j] = out.At(i*len(p.x)+j, 0)
		}
		v.Z = append(v.Z, row)
	}
	return v
}

// dots are rows in the plane, a curve a class.
func dots(rows data.Rows, class []int, names ...string) []Curve {
	list := make([]Curve, len(names))
	for k, name := range names {
		list[k] = Curve{Name: name, Loose: true}
	}
	for i, k := range class {
		list[k].X, list[k].Y = append(list[k].X, rows.Dense.At(i, 0)), append(list[k].Y, rows.Dense.At(i, 1))
	}
	return list
}

// selectedDots are some of the rows, as those with a label.
func selectedDots(name string, rows data.Rows, at []int) Curve {
	c := Curve{Name: name, Loose: true}
	for _, i := range at {
		c.X, c.Y = append(c.X, rows.Dense.At(i, 0)), append(c.Y, rows.Dense.At(i, 1))
	}
	return c
}
