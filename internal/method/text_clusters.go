package method

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/linear"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/score"
)

// The transductive machine for text that auto tries, as chosen on generated text (docs/automatic-choice.md).
const (
	// textPrior is the logarithm of its prior.
	textPrior = 3
	// textFolds is by how many folds it is judged, or by leaving each label out where there are fewer.
	textFolds = 10
	// textOutputs is up to how many machines of two classes it is tried: each is trained for every fold.
	textOutputs = 5
)

// textLambdas are the strengths of its penalty against the mean loss of the labels: those of the literature (Sindhwani
// 2007, section 6.5: 0.001), for rows of length 1.
func textLambdas() []float64 { return []float64{0.01, 0.001} }

// textClusters proposes a linear machine that decides the unlabelled rows while it learns, where the rows are sparse:
// topics of text are clusters along few directions among thousands of columns, in which no neighbour is near.
func textClusters(t *task.Task, d design.Design) []*choose.Candidate {
	p := t.Problem
	if !d.Sparse || t.Labels.Task != data.Classification || t.Labelled() == p.Rows.Len() || p.Outputs() > textOutputs {
		return nil
	}
	folds := t.Folds // of rows in order, as all candidates
	if t.Labels.Order == nil {
		most := t.Labelled()
		if t.Labels.Group != nil {
			most = t.Labels.Groups()
		}
		part, err := data.Folds(t.Labels, min(textFolds, most), t.Recipe.Drawn())
		if err != nil {
			return nil // too few labels to leave one out
		}
		folds = t.Places(part)
	}
	trial := &choose.Trial{
		Learner: s3vm.Learner{Solver: linear.Annealing{}, Offset: true, Shares: s3vm.Shares(p), Unlabelled: 1},
		Folds:   folds,
	}
	for _, lambda := range textLambdas() {
		trial.Strengths = append(trial.Strengths, score.Strength(lambda*float64(t.Labelled())))
	}
	return []*choose.Candidate{{Method: "linear-da", Width: 1, Linear: true, Transductive: true, Trial: trial, Prior: textPrior}}
}
