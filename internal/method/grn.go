package method

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// grn is the generalised regularisation network.
func grn() Method {
	return generalised(Method{
		ID: "grn", Title: "generalised regularisation network",
		Formula:  "alpha = (H'H + lambda G_0)^-1 H'y,   G_0 the kernel matrix of the centres",
		About:    "a regularisation network whose centres need not be the rows",
		Cost:     "one singular value decomposition a width",
		Source:   cite.Kokshenev + ", eqs 2.19 to 2.21",
		Example:  "mercer fit breast-cancer --labels 100 --method grn",
		Settings: []setting.Setting{lambdas(ofEachWidth, "weight of alpha'G_0 alpha")},
	}, func(*task.Task) rbf.GRN { return rbf.GRN{} })
}

// generalised fills in what all networks with a unit at every labelled row have in common. The
// function recipe gives the stabiliser.
func generalised(m Method, recipe func(*task.Task) rbf.GRN) Method {
	m.Settings = append(m.Settings, task.Offset)
	m.Rules = append(m.Rules, gaussianOnly)
	m.Forms = netForm(func(ctx context.Context, t *task.Task, rows data.Rows) (networks, error) {
		g := recipe(t)
		g.Widths, g.Lambdas, g.NoOffset = widthsOf(t), t.Values.Numbers(task.Lambda), t.Recipe.Offset == "no"
		list, df, err := g.Fit(ctx, rows, t.Problem.Y)
		return networks{
			list: list,
			df:   df,
			bias: !g.NoOffset,
			leftOut: func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error) {
				v, err := g.CrossValidate(ctx, list, rows, t.Problem.Y, folds)
				return v, "in closed form at the members' widths and lambdas,", err
			},
		}, err
	}, func(s task.Size, _ task.Request) float64 {
		l := float64(s.Labelled)
		return 16 * l * l // design, factors and vectors of the decomposition, as measured
	}, stabilisedWork)
	return frontMethod(NetworkFront, m)
}

// stabilisedWork is a decomposition of every width, and networks of every lambda on it.
func stabilisedWork(s task.Size, r task.Request) Work {
	z, widths := sizeOf(s), 300.0
	if byFolds(r) {
		widths = 450
	}
	return cost.Gram(z.l, z.l, z.d).Plus(cost.Eigen(z.l).Times(2), Work{Passes: 50 * 16 * z.l * z.l}).Times(widths)
}
