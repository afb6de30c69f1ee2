package reproduce

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/learn"
)

// A mapped grid has the strengths of machines to the right and a parameter of their kernels upwards.
type mapped struct {
	name     string
	machines func(machineSet, float64) mobj.Machines
	axis     Axis
	values   func(machineSet) []float64 // of the kernels
}

// mappedGrids are those of table 5.2 in whole powers of two, where the source's have halves.
var mappedGrids = []mapped{
	{"Gaussian", machineSet.gaussians, Axis{"gamma", true}, func(s machineSet) []float64 { return gridOf(s.gamma, 1) }},
	{"polynomial", machineSet.polynomials, Axis{"degree", false}, func(machineSet) []float64 { return reals(indices.To(11)[1:]) }},
}

// kokshenevMaps are figures C.1 to C.22: the error of the folds over the grids of kernels and strengths, and the fronts of both
// complexities in them.
func kokshenevMaps(ctx context.Context, l *lab) {
	sets := slices.DeleteFunc(machineSets(), func(s machineSet) bool { return !l.wants(s.name) })
	for _, s := range thin(ctx, "sets", 1, sets) {
		x, positive := s.load(ctx, l)
		for _, m := range mappedGrids {
			name := s.name + ", " + m.name
			l.say("%s", name)
			g := shortened(ctx, m.machines(s, 1))
			labels := labelsOf(signs(positive))
			g.Problem = learn.NewProblem(x, labels)
			during(name, func() {
				all := must(g.Train(ctx, must(data.Folds(labels, innerFolds, l.seed)).Groups(), mobj.QNorm, mobj.QRef))
				check(ctx.Err())
				l.mapOf(name, m, m.values(s), g, all)
			})
		}
	}
}

// shortened is a grid: in a rehearsal one of few kernels and strengths.
func shortened(ctx context.Context, g mobj.Machines) mobj.Machines {
	g.Kernels, g.Strengths = thin(ctx, "kernels", 3, g.Kernels), thin(ctx, "strengths", 3, g.Strengths)
	g.Factors = thin(ctx, "factors", len(g.Kernels), g.Factors)
	return g
}

// mapOf draws a trained grid and adds what the searches find in it.
func (l *lab) mapOf(name string, m mapped, values []float64, g mobj.Machines, all *mobj.MachineGrid) {
	errors := Level{Name: "error % of 5 folds", X: g.Strengths, Y: values[:len(g.Kernels)]}
	for k := range g.Kernels {
		row := make([]float64, len(g.Strengths))
		for j := range row {
			row[j] = 100 * all.Error(k, j)
		}
		errors.Z = append(errors.Z, row)
	}
	picture := Figure{Name: name, Title: "Errors of the folds and fronts, " + name, X: Axis{"C", true}, Y: m.axis, Levels: []Level{errors}}
	mark := func(curve string, list ...mobj.Trained) {
		c := Curve{Name: curve, Loose: true}
		for _, t := range list {
			c.X, c.Y = append(c.X, g.Strengths[t.Step]), append(c.Y, values[t.Kernel])
		}
		picture.Curves = append(picture.Curves, c)
	}
	for q, measure := range []mobj.Measure{mobj.QNorm, mobj.QRef} {
		front, method := all.Front(measure).Members, searchMethods[q+1]
		mark("front of "+method, front...)
		l.add(name+", "+method, "members of the front", float64(len(front)))
		if best := leastOf(len(front), func(i int) float64 { return all.Error(front[i].Kernel, front[i].Step) }); best >= 0 {
			mark("solution of "+method, front[best])
			l.add(name+", "+method, "least error % of 5 folds", 100*all.Error(front[best].Kernel, front[best].Step))
		}
	}
	if least := all.Least(); least != nil {
		mark("solution of GS", *least)
		l.add(name+", GS", "least error % of 5 folds", 100*all.Error(least.Kernel, least.Step))
	}
	l.draw(picture)
}
