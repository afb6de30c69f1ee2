package reproduce

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
)

// graz is the gallery of section 6.2: three classes and one of all others, 60 pictures to tune, 30 to test, 300 words.
var graz = gallery{classes: 4, rest: true, tune: 60, test: 30, words: 300}

// chiSquareMapModel is a linear machine with a bias on the map of the additive chi-square kernel.
func chiSquareMapModel() model {
	m := linearModel()
	m.kernel = kernel.Chi2Map{}
	return m
}

// klatzerF63 learns the penalty of linear machines on the map of the additive chi-square kernel.
func klatzerF63(ctx context.Context, l *lab) error {
	s := againstGrid{graz, []klatzerSet{fashionSet, uspsSet}, chiSquareMapModel(), []float64{10}, [][]float64{{1}, {10}, {100}, {1000}}}
	return s.run(ctx, l)
}

// klatzerF64 learns both parameters of the exponential chi-square kernel on the same pictures.
func klatzerF64(ctx context.Context, l *lab) error {
	s := againstGrid{graz, []klatzerSet{fashionSet, uspsSet}, chiSquareModel(), []float64{0.5, 1},
		pairs([]float64{1, 10, 100, 1000}, []float64{0.5, 1, 1.5, 2})}
	return s.run(ctx, l)
}
