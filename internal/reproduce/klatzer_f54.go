package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/search"
)

// klatzerF54 is the valley of H(c, gamma) on fourclass and the ways into it.
func klatzerF54(ctx context.Context, l *lab) error {
	t, err := l.fourclassTask(ctx)
	if err != nil {
		return err
	}
	for _, v := range klatzerLosses {
		b := gaussianModel().outer(t, v.loss)
		grid, err := b.grid(ctx, fourclassGrid())
		if err != nil {
			return err
		}
		picture := Figure{
			Name:   strings.ReplaceAll(v.name, " ", "-"),
			Title:  "H(c, gamma) on fourclass and the ways down, " + v.name,
			X:      Axis{Name: "c"},
			Y:      Axis{Name: "gamma"},
			Levels: []Level{levelOf(grid.Trace)},
		}
		low := 0.0
		for _, r := range grid.Trace {
			if r.F <= 2*grid.F {
				low += 100 / float64(len(grid.Trace))
			}
		}
		name := v.name + ", grid of c 0.1 to 4.1, gamma 0.2 to 4.2"
		l.add(name, "least H", grid.F)
		l.add(name, "cells with H up to twice the least, %", low)
		for _, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
			for _, start := range fourclassStarts {
				res, err := b.tune(ctx, s, start)
				if err != nil {
					return err
				}
				name := v.name + ", " + s.name
				if s.name != logName {
					picture.Curves = append(picture.Curves, visited(fmt.Sprintf("%s from %v", s.name, start), res.Trace, 0, 1))
				}
				l.add(name, "evaluations until H is within 10 % of its end", float64(reached(res.Trace, 1.1*res.F)))
				l.add(name, "turns of c and gamma on the way", float64(turns(res.Trace)))
			}
		}
		l.draw(picture)
	}
	return nil
}

// levelOf is the function that a grid search over two parameters has visited.
func levelOf(trace []search.Record) Level {
	v := Level{Name: "H"}
	for _, r := range trace {
		v.X, v.Y = append(v.X, r.Theta[0]), append(v.Y, r.Theta[1])
	}
	for _, axis := range []*[]float64{&v.X, &v.Y} {
		slices.Sort(*axis)
		*axis = slices.Compact(*axis)
	}
	v.Z = make([][]float64, len(v.Y))
	for i := range v.Z {
		v.Z[i] = make([]float64, len(v.X))
	}
	for _, r := range trace {
		i, _ := slices.BinarySearch(v.Y, r.Theta[1])
		j, _ := slices.BinarySearch(v.X, r.Theta[0])
		v.Z[i][j] = r.F
	}
	return v
}

// reached is the number of the first evaluation with F up to h.
func reached(trace []search.Record, h float64) int {
	for _, r := range trace {
		if r.F <= h {
			return r.N
		}
	}
	return len(trace)
}

// turns counts the changes of direction in all coordinates.
func turns(trace []search.Record) int {
	n := 0
	for k := 2; k < len(trace); k++ {
		for i, x := range trace[k].Theta {
			if (x-trace[k-1].Theta[i])*(trace[k-1].Theta[i]-trace[k-2].Theta[i]) < 0 {
				n++
			}
		}
	}
	return n
}
