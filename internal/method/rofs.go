package method

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// rofs is regularised orthogonal forward selection.
func rofs() Method {
	return frontMethod(NetworkFront, Method{
		ID: "rofs", Title: "regularised orthogonal forward selection",
		Formula: "units one by one by the largest (y'h)^2/(lambda + h'h), h orthogonal to those chosen, until generalised " +
			"cross-validation " +
			"rises",
		About:    "the network that mobj-rbf is compared with",
		Cost:     "rows x units x candidates a width and lambda",
		Source:   cite.Kokshenev + ", section 4.5.2; Orr 1999",
		Example:  "mercer fit breast-cancer --labels 100 --method rofs",
		Settings: []setting.Setting{lambdas("10^-8 to 10^2", "weight of the squared coefficients"), task.Offset, rofsDecision},
		Rules:    []rule{gaussianOnly},
		Forms: netForm(selectedNetworks, func(s task.Size, _ task.Request) float64 {
			l := float64(s.Labelled)
			return 12 * l * l // the candidates, and those orthogonal to the units chosen, as measured
		}, rofsWork),
	})
}

// rofsDecision is the criterion by which units are selected.
var rofsDecision = setting.Setting{
	Name:    task.Decide.Name,
	Flag:    true,
	Words:   []string{"gcv", "bic"},
	Default: "gcv",
	About:   "the criterion that ends the selection, and chooses width and lambda",
}

// selectedNetworks selects the units of every output by the criterion asked for.
func selectedNetworks(ctx context.Context, t *task.Task, rows data.Rows) (networks, error) {
	word, by := "gcv", rbf.GCV
	if t.Values.Is(rofsDecision, "bic") {
		word, by = "bic", rbf.BIC
	}
	list, err := rbf.ROFS{
		Widths:   widthsOf(t),
		Lambdas:  t.Values.Numbers(task.Lambda),
		NoOffset: t.Recipe.Offset == "no",
		Criteria: []rbf.Criterion{by},
	}.Fit(
		ctx,
		rows,
		t.Problem.Y,
	)
	if err != nil {
		return networks{}, err
	}
	s, _, err := networks{list: list[0].Fronts}.candidates(ctx, t, rows)
	if err != nil {
		return networks{}, err
	}
	total := 0.0
	for _, v := range list[0].Score {
		total += v
	}
	s.Front.Decided = &choose.Choice{Rule: word, Assumed: list[0].Assumed, Scores: []float64{total}}
	return networks{made: s}, nil
}

// rofsWork is 40 units at most, each a pass over the candidates of every width and lambda.
func rofsWork(s task.Size, _ task.Request) Work {
	z := sizeOf(s)
	return Work{Passes: 8 * 4 * z.l * z.l * min(z.l/2, 40) * 60}
}
