package reproduce

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
)

// caltech are the galleries of section 6.1: 30 pictures of a class to tune, 15 to test, 400 words.
func caltech(classes int) gallery { return gallery{classes: classes, tune: 30, test: 15, words: 400} }

// klatzerF61 compares two kernels on histograms of words.
func klatzerF61(ctx context.Context, l *lab) error {
	g := caltech(5)
	var names []string
	err := l.overSplits(ctx, g, []klatzerSet{fashionSet, coilSet}, func(name string, p *pictures) error {
		chi, err := l.learned(ctx, name+", exp-chi2", p, chiSquareModel(), p.start(kernel.ExpChi2{}))
		if err != nil {
			return err
		}
		gauss, err := l.learned(ctx, name+", Gaussian", p, gaussianModel(), p.start(kernel.Gaussian{}))
		if err != nil {
			return err
		}
		l.add(name+", exp-chi2 less Gaussian", meanClass, chi-gauss)
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range []klatzerSet{fashionSet, coilSet} {
		names = append(names, d.name+", exp-chi2", d.name+", Gaussian")
	}
	l.perClass(g.classes, names...)
	return nil
}

// start is c = 10 and the gamma of the library's default width, the median distance, of the rows to tune.
func (p *pictures) start(k kernel.Kernel) []float64 {
	sigma := k.Adapt(p.rows.Select(numbersTo(p.tune))).Space()[0].Default
	return []float64{10, 1 / (2 * sigma * sigma)}
}

// klatzerF62 compares learned parameters with a grid.
func klatzerF62(ctx context.Context, l *lab) error {
	values := []float64{0.5, 1, 1.5, 2}
	s := againstGrid{caltech(10), []klatzerSet{fashionSet, coilSet}, chiSquareModel(), []float64{0.5, 1}, pairs(values, values)}
	if err := s.run(ctx, l); err != nil {
		return err
	}
	return nil
}

// againstGrid is an experiment that learns the parameters of a model for each class, and takes them of a grid.
type againstGrid struct {
	gallery gallery
	sets    []klatzerSet
	model   model
	start   []float64
	grid    [][]float64
}

func (s againstGrid) run(ctx context.Context, l *lab) error {
	const learned, grid = ", learned", ", grid"
	points := thin(ctx, "points of the grid", 3, s.grid)
	err := l.overSplits(ctx, s.gallery, s.sets, func(name string, p *pictures) error {
		own, err := l.learned(ctx, name+learned, p, s.model, s.start)
		if err != nil {
			return err
		}
		theirs, err := l.gridded(ctx, name+grid, p, s.model, points)
		if err != nil {
			return err
		}
		l.add(name+learned+" less grid by H", meanClass, own-theirs)
		return nil
	})
	if err != nil {
		return err
	}
	var names []string
	for _, d := range s.sets {
		names = append(names, d.name+learned, d.name+grid+" by H")
	}
	l.perClass(s.gallery.classes, names...)
	return nil
}
