package method

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/rbf"
	"github.com/mercer-ml/mercer/setting"
	"github.com/mercer-ml/mercer/task"
)

// rofs is regularised orthogonal forward selection.
func rofs() Method {
	m := frontMethod(Method{
		ID: "rofs", Title: "regularised orthogonal forward selection",
		Formula:  "units one by one by the largest (y'h)^2/(lambda + h'h), h orthogonal to those chosen, until generalised cross-validation rises",
		About:    "the network that mobj-rbf is compared with",
		Cost:     "rows x units x candidates a width and lambda",
		Source:   cite.Kokshenev + ", section 4.5.2; Orr 1999",
		Example:  "mercer fit breast-cancer --labels 100 --method rofs",
		Settings: []setting.Setting{lambdas("weight of the squared coefficients")},
		Rules:    []rule{gaussianOnly},
		Forms: netForm(func(ctx context.Context, t *task.Task, rows data.Rows) (networks, error) {
			list, _, err := rbf.ROFS{Widths: widthsOf(t), Lambdas: t.Values.Numbers(task.Lambda)}.Fit(ctx, rows, t.Problem.Y)
			return networks{list: list}, err
		}, func(s task.Size) float64 {
			l := float64(s.Labelled)
			return 30 * 10 * l * l * l
		}),
	})
	m.Coding.Dense = true
	return m
}
