package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
	"github.com/mercer-ml/mercer/kernel"
)

const matchingError = "error % after the best naming"

// sindhwaniClusters parts two classes in the plane by the sign of the smoothest function of a
// kernel space, for several gamma = gamma_A/gamma_I.
func sindhwaniClusters(id, figure, set string, neighbours int, sigmas, gammas []float64) experiment {
	return experiment{
		Experiment: Experiment{ID: id, Title: "regularised spectral clustering for several gamma, " + set,
			Source: "Sindhwani 2007, fig. " + figure + ", section 2.8.1", Data: "built in", Expected: "2 s"},
		runs: 1,
		run: func(ctx context.Context, l *lab) error {
			points, err := data.Builtin(set)
			if err != nil {
				return err
			}
			labels, err := data.Interpret(points.Answers, points.LabelName, data.LabelOptions{})
			if err != nil {
				return err
			}
			g, err := graph.Recipe{Neighbours: neighbours, Laplacian: graph.Combinatorial}.Build(ctx, points.Rows, nil)
			if err != nil {
				return err
			}
			picture := Figure{
				Name:  "gamma",
				Title: "Error of the clusters as gamma grows, " + set,
				X:     Axis{"gamma", true},
				Y:     Axis{Name: matchingError},
			}
			sigmas, gammas := thin(ctx, "sigma", 1, sigmas), thin(ctx, "gamma", 3, gammas)
			for _, sigma := range sigmas {
				for _, gamma := range gammas {
					e, err := spectral.Regularised{Kernel: kernel.Gaussian{Sigma: sigma}, Gamma: gamma}.Fit(ctx, g, points.Rows, 1)
					if err != nil {
						return err
					}
					part := make([]int, points.Rows.Len())
					for i := range part {
						if e.Coordinates.At(i, 0) < 0 {
							part[i] = 1
						}
					}
					l.add(fmt.Sprintf("sigma %g, gamma %g", sigma, gamma), matchingError, 100*spectral.Matching(part, labels.Class))
				}
			}
			for _, sigma := range sigmas {
				picture.Curves = append(
					picture.Curves,
					l.means(fmt.Sprintf("sigma %g", sigma), matchingError, gammas, func(gamma float64) string {
						return fmt.Sprintf("sigma %g, gamma %g", sigma, gamma)
					}),
				)
			}
			l.draw(picture)
			l.note(
				"the figure shows surfaces and its values of gamma are lost with its image; %s, %d neighbours, weights 1, Laplacian D - W as in eq. "+
					"2.26",
				set,
				neighbours,
			)
			return nil
		},
	}
}

func sindhwaniF210() experiment {
	return sindhwaniClusters("sindhwani-f2.10", "2.10", "moons-det", 6, []float64{0.25, 0.5}, []float64{1e-6, 1e-4, 1e-2, 1, 100})
}

func sindhwaniF211() experiment {
	return sindhwaniClusters(
		"sindhwani-f2.11",
		"2.11",
		"two-spirals:n=600",
		2,
		[]float64{0.25, 0.5, 1},
		[]float64{1e-6, 1e-4, 1e-2, 1, 100},
	)
}
