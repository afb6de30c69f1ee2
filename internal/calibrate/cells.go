package calibrate

import (
	"errors"
	"math"
	"slices"
)

// Cell summarises outputs f that lie within an interval: sum (f - Middle)^k for k from 0, so Moments[0] counts them.
type Cell struct {
	Middle  float64
	Moments [6]float64
}

// FitSigmoidCells is FitSigmoid for rows of the first and of the second class whose outputs are known by summaries, as where they lie
// in many files. Within a cell of width h the losses are polynomials of degree 5 about its middle, which leaves out some
// (Slope h/2)^6/6! of them. No row is an error. Cost: a pass over the cells a step.
func FitSigmoidCells(first, second []Cell) (Sigmoid, error) {
	n := [2]float64{}
	for class, cells := range [][]Cell{first, second} {
		for _, c := range cells {
			n[class] += c.Moments[0]
		}
	}
	if n[0]+n[1] == 0 {
		return Sigmoid{}, errors.New("calibrate: no held-out row to fit probabilities on; hold some out")
	}
	unit := 0.0
	for _, c := range slices.Concat(first, second) {
		unit = max(unit, math.Abs(c.Middle))
	}
	if unit == 0 {
		unit = 1
	}
	p := summaries{{inUnits(first, unit), 1 / (n[0] + 2)}, {inUnits(second, unit), (n[1] + 1) / (n[1] + 2)}}
	mean := (n[0]*p[0].target + n[1]*p[1].target) / (n[0] + n[1])
	return leastSigmoid(p, int(n[0]+n[1]), mean, unit), nil
}

// inUnits are the cells of outputs divided by a unit.
func inUnits(cells []Cell, unit float64) []Cell {
	list := slices.Clone(cells)
	for i := range list {
		list[i].Middle /= unit
		by := 1.0
		for k := range list[i].Moments {
			list[i].Moments[k] *= by
			by /= unit
		}
	}
	return list
}

// summaries are those of two classes with their targets: what platt is of rows.
type summaries [2]struct {
	cells  []Cell
	target float64
}

// value returns F.
func (s summaries) value(a, b float64) (f float64) {
	var g [8]float64
	for _, class := range s {
		for _, c := range class.cells {
			taylor(&g, a*c.Middle+b, class.target)
			step := 1.0 // a^k/k!
			for k, m := range c.Moments {
				f += g[k] * step * m
				step *= a / float64(k+1)
			}
		}
	}
	return f
}

// derivatives returns gradient and Hessian of F. With x = Middle + e, sum x e^k is Middle M_k + M_{k+1}.
func (s summaries) derivatives(a, b float64) (ga, gb, haa, hab, hbb float64) {
	var g [8]float64
	for _, class := range s {
		for _, c := range class.cells {
			taylor(&g, a*c.Middle+b, class.target)
			at := func(k int) float64 { // M_k, of the highest none
				if k < len(c.Moments) {
					return c.Moments[k]
				}
				return 0
			}
			step := 1.0
			for k, m := range c.Moments {
				once := c.Middle*m + at(k+1)
				twice := c.Middle*once + c.Middle*at(k+1) + at(k+2)
				ga, gb = ga+g[k+1]*step*once, gb+g[k+1]*step*m
				haa, hab, hbb = haa+g[k+2]*step*twice, hab+g[k+2]*step*once, hbb+g[k+2]*step*m
				step *= a / float64(k+1)
			}
		}
	}
	return ga, gb, haa, hab, hbb
}

// taylor stores softplus(z) - t z and its derivatives by z. Those of q(z) = 1/(1 + e^-z) are polynomials in q, each q(1 - q)
// times the derivative of the one before.
func taylor(g *[8]float64, z, t float64) {
	q := logistic(z)
	if z >= 0 {
		g[0] = math.Log1p(math.Exp(-z)) + (1-t)*z
	} else {
		g[0] = math.Log1p(math.Exp(z)) - t*z
	}
	var p [9]float64 // coefficients of q^j
	p[1] = 1
	for k := 1; k < len(g); k++ {
		var v float64
		for j := k; j >= 1; j-- {
			v = (v + p[j]) * q
		}
		g[k] = v
		for j := k; j >= 1; j-- { // q^j becomes j q^j - j q^(j+1)
			p[j+1] -= float64(j) * p[j]
			p[j] *= float64(j)
		}
	}
	g[1] -= t
}
