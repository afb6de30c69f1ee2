package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/learn"
)

// Size of a plot in characters, and the margins it covers: half a unit beyond where the
// surrogates differ from the hinge (Klatzer 2014, figures 2.3 to 2.5 and 5.1).
const (
	plotWidth, plotHeight = 61, 16
	plotFrom, plotTo      = -1.0, 2.0
)

// plotLoss draws V, V' and V” over the margin t = y f for y = 1 (over f - y with y = 0
// where targets are numbers), and prints their values.
func plotLoss(b *strings.Builder, l learn.Loss) {
	y, from, to, axis := 1.0, plotFrom, plotTo, "t = y f"
	if !l.Classes() {
		y, from, to, axis = 0, -1.5, 1.5, "f - y"
	}
	curves := [3][]float64{}
	hi, lo := 0.0, 0.0
	at := func(k int) float64 { return from + (to-from)*float64(k)/(plotWidth-1) }
	for k := range plotWidth {
		d1, d2 := l.Derivatives(y, at(k))
		for c, v := range [3]float64{l.Value(y, at(k)), d1, d2} {
			curves[c] = append(curves[c], v)
			hi, lo = max(hi, v), min(lo, v)
		}
	}
	if hi == lo {
		hi = lo + 1
	}
	field := make([][]byte, plotHeight+1)
	row := func(v float64) int { return int(math.Round((hi - v) / (hi - lo) * plotHeight)) }
	for r := range field {
		field[r] = []byte(strings.Repeat(" ", plotWidth))
		if r == row(0) {
			field[r] = []byte(strings.Repeat("-", plotWidth))
		}
	}
	for c, mark := range []byte("2'v") { // v last: it is what the loss is
		for k, v := range curves[2-c] {
			field[row(v)][k] = mark
		}
	}
	b.WriteString("\n")
	for r, line := range field {
		label := ""
		switch r {
		case 0:
			label = short(hi)
		case row(0):
			label = "0"
		case plotHeight:
			label = short(lo)
		}
		fmt.Fprintf(b, "  %8s %s\n", label, strings.TrimRight(string(line), " "))
	}
	fmt.Fprintf(
		b,
		"  %8s %-*s%s\n  %8s v value, ' first derivative, 2 second derivative by f\n\n",
		"",
		plotWidth-3,
		short(from),
		short(to),
		axis,
	)
	fmt.Fprintf(b, "  %8s %10s %10s %10s\n", axis, "V", "V'", "V''")
	for k := 0; k < plotWidth; k += 5 {
		fmt.Fprintf(b, "  %8.3g %10.5f %10.5f %10.5f\n", at(k), curves[0][k], curves[1][k], curves[2][k])
	}
}
