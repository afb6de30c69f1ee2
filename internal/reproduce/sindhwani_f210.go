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
func sindhwaniClusters(set string, neighbours int, sigmas ...float64) protocol {
	return func(ctx context.Context, l *lab) error {
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
		picture := Figure{Name: "gamma", Title: "Error of the clusters as gamma grows, " + set, X: Axis{"gamma", true},
			Y: Axis{Name: matchingError}}
		sigmas, gammas := thin(ctx, "sigma", 1, sigmas), thin(ctx, "gamma", 3, []float64{1e-6, 1e-4, 1e-2, 1, 100})
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
		return nil
	}
}
