package libsvm

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// LinearFromModel returns a linear model as LIBLINEAR's, with a bias of 1, and the ranges with which svm-scale does to
// rows what the model's scaling does, nil if it does nothing. Classes that are no whole numbers become 0, 1, ... in their
// order. Logistic machines become L2R_LR, whose probabilities are those of the outputs as they are. Errors: a kernel that
// is not linear, classes one-versus-one, a scaling that svm-scale does not have.
func LinearFromModel(m *model.Model) (*LinearModel, *Ranges, error) {
	if m.Pairs && len(m.Classes) > 2 {
		return nil, nil, errors.New("LIBLINEAR's format holds more than two classes one-versus-rest; fit with --multiclass one-vs-rest")
	}
	w, offset, ranges, err := weightsOf(m)
	if err != nil {
		return nil, nil, err
	}
	out := &LinearModel{Solver: "L2R_L2LOSS_SVR", Classes: 2, Features: m.Columns, Bias: 1}
	if m.Task == data.Classification {
		out.Solver, out.Classes, out.Labels = "L2R_L2LOSS_SVC", len(m.Classes), labels(m.Classes)
		if m.Method == "linear-logistic" || m.Method == "logistic" {
			out.Solver = "L2R_LR"
		}
		if len(m.Classes) == 2 { // the output is positive for the first label
			slices.Reverse(out.Labels)
		}
	}
	for j := range m.Columns {
		out.W = append(out.W, slices.Clone(w.RawRowView(j)))
	}
	out.W = append(out.W, offset)
	return out, ranges, out.Check()
}

// weightsOf are the weights and offset of a linear model, and the ranges of its scaling.
func weightsOf(m *model.Model) (w *mat.Dense, offset []float64, ranges *Ranges, err error) {
	if err := m.HoldsColumns(3*8*m.Outputs() + 24); err != nil { // the weights twice, and a list of them for each column
		return nil, nil, nil, err
	}
	if w, offset, err = m.LinearWeights(); err != nil {
		return nil, nil, nil, err
	}
	if err := plain(m); err != nil {
		return nil, nil, nil, err
	}
	ranges, err = rangesOf(m.Scaling, m.Columns)
	return w, offset, ranges, err
}
