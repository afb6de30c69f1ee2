package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// mobjGRN is the front of generalised networks by comparable complexities.
func mobjGRN() Method {
	// q-rkhs does not compare widths, and q-ref-sv is q-ref where every row has a coefficient.
	measure := setting.Setting{
		Name:    "complexity",
		Words:   []string{string(mobj.QRef), string(mobj.QNorm)},
		Default: string(mobj.QRef),
		About:   "the second objective",
	}
	return generalised(Method{
		ID: "mobj-grn", Title: "generalised networks with comparable complexity",
		Formula: "minimise SSE + lambda alpha'P alpha,   P = diag(1/d) (q-ref) or G_nu (q-norm); nondominated in (SSE, alpha'P " +
			"alpha) over " +
			"widths and lambdas",
		About:    "all centres as units; Pareto optimal for each width; --set sigma=A,B is the range of the widths, one value is the width",
		Cost:     "one singular value decomposition a width",
		Source:   cite.Kokshenev + ", section 5.5.1",
		Example:  "mercer pareto breast-cancer --labels 100 --method mobj-grn --decision bic",
		Settings: []setting.Setting{lambdas(ofEachWidth, "weights of the complexity"), measure},
	}, func(t *task.Task) rbf.GRN {
		if t.Values.Is(measure, string(mobj.QNorm)) {
			return rbf.GRN{Stabiliser: rbf.Norm}
		}
		return rbf.GRN{Stabiliser: rbf.Reference}
	})
}
