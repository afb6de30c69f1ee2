package method

import (
	"context"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

var (
	joint = setting.Setting{
		Name:    "joint",
		Words:   []string{"yes", "no"},
		Default: "yes where the columns fit in 1 GiB",
		About:   "widths mixed in one network",
	}
	order = setting.Setting{Name: "order", Range: setting.Positive(), Default: "2", About: "q of the complexity"}
	maxQ  = setting.Setting{
		Name:    "max_q",
		Range:   setting.Positive(),
		Default: "from the targets",
		About:   "complexity up to which the front goes",
	}
)

// mobjRBF is the front of RBF networks.
func mobjRBF() Method {
	return frontMethod(NetworkFront, Method{
		ID: "mobj-rbf", Title: "multi-objective RBF networks",
		Formula: lines(
			"minimise (SSE, Q) over f(x) = sum_j alpha_j exp(-|x - c_j|^2/(2 sigma_j^2)) + b,   Q = sum_j |alpha_j|/sigma_j^q",
			"joint: one LASSO path over all centres and widths, columns sigma^q k; joint=no: a path a width and the envelope of the fronts",
		),
		About: "the whole front of risk against smoothness, of which a decision chooses one network: weights, widths, centres and their " +
			"number",
		Cost:     "rows x candidate units a step of the path; joint with 30 widths up to about 2000 rows, else one width a network",
		Source:   cite.Kokshenev + ", chapter 4, eqs 4.8 and 4.16 to 4.25 as corrected; the joint path is ours",
		SciKit:   "lars_path(method='lasso') on the centred design of one width",
		Example:  "mercer pareto breast-cancer --labels 100",
		Settings: []setting.Setting{joint, order, maxQ, task.Offset},
		Rules:    []rule{gaussianOnly},
		Forms:    netForm(lassoFronts, lassoNumbers, lassoWork),
	})
}

// lassoNumbers are those of the columns of all widths, as far as they are kept, and of the paths: those
// of the folds have columns of their own.
func lassoNumbers(s task.Size, r task.Request) float64 {
	l := float64(s.Labelled)
	columns := min(jointWidths*l*l, jointBytes/8)
	if byFolds(r) {
		return 4 * columns
	}
	return 2.5 * columns
}

// lassoWork is a path over the columns of all widths: 250 knots, in batches.
func lassoWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	columns := jointWidths * z.l
	path := cost.Gram(z.l, columns, z.d).Plus(Work{Products: 2 * z.l * columns * 250, Passes: 8 * 20 * z.l * columns})
	if byFolds(r) {
		return path.Times(24)
	}
	return path.Times(8) // ranges grow, and every growth has a path of its own
}

// byFolds says whether folds decide between the members of a front.
func byFolds(r task.Request) bool {
	word := r.Recipe.Decision
	return word == "" || strings.HasPrefix(word, "cv") || strings.HasPrefix(word, "validation")
}

// jointWidths is rbf.Joint's own number.
const jointWidths = 30

// lassoFronts makes the fronts by LASSO paths.
func lassoFronts(ctx context.Context, t *task.Task, rows data.Rows) (networks, error) {
	mixed := !t.Values.Is(joint, "no")
	if n := int64(rows.Len()); n*n*8*jointWidths > jointBytes {
		if mixed = t.Values.Is(joint, "yes"); mixed {
			t.Warn("--set joint=yes: %d rows have %d candidate units, whose columns are computed again at every step", n, n*jointWidths)
		}
	}
	var recipe rbf.Enlargeable = rbf.MOBJ{Widths: widthsOf(t), Order: t.Values.Number(order), MaxQ: t.Values.Number(maxQ),
		NoOffset: t.Recipe.Offset == "no"}
	if mixed {
		recipe = rbf.Joint{
			Widths:   widthsOf(t),
			Order:    t.Values.Number(order),
			MaxQ:     t.Values.Number(maxQ),
			NoOffset: t.Recipe.Offset == "no",
			Steps:    250,
		}
	}
	return enlarged(ctx, t, rows, recipe)
}

// enlargements is how often ranges grow that the user did not give.
const enlargements = 3

// enlarged makes fronts and decides until the network chosen lies inside their ranges.
func enlarged(ctx context.Context, t *task.Task, rows data.Rows, recipe rbf.Enlargeable) (networks, error) {
	times := enlargements
	if t.Values.Given(maxQ) {
		times = 0 // the ranges asked for
	}
	var made *choose.Candidates
	c, err := rbf.Inside(ctx, recipe, rows, t.Problem.Y, times, func(list []*rbf.Front) ([]int, error) {
		s, combos, err := lassoNetworks(t, rows, list).candidates(ctx, t, rows)
		if err != nil {
			return nil, err
		}
		choice, err := decision{t}.choose(ctx, s)
		if err != nil {
			return nil, err
		}
		s.Front.Decided, made = choice, s
		return combos[choice.Point], nil
	})
	if err != nil {
		return networks{}, err
	}
	if ctx.Err() != nil && c.Border != "" && len(c.Enlarged) < times {
		made.Front.Partial = true // larger ranges were still to come
	}
	if len(c.Enlarged) > 0 {
		made.Front.Decided.Assumed += "; ranges were enlarged, for " + strings.Join(c.Enlarged, ", then ")
	}
	return networks{made: made}, nil
}

// lassoNetworks are fronts by LASSO paths, with their folds.
func lassoNetworks(t *task.Task, rows data.Rows, list []*rbf.Front) networks {
	return networks{list: list, quick: true, leftOut: func(ctx context.Context, folds [][]int) ([]*rbf.Validation, string, error) {
		var all []*rbf.Validation
		for o, f := range list {
			v, err := f.CrossValidate(ctx, rows, mat.Col(nil, o, t.Problem.Y), folds)
			if err != nil {
				return nil, "", err
			}
			all = append(all, v)
		}
		return all, "one LASSO path a width and fold at the members' complexities,", nil
	}}
}
