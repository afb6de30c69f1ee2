package method

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/internal/test/learntest"
	"github.com/mercer-ml/mercer/result"
)

// inputs are small sets of every kind that a method can be asked about.
func inputs() map[string]result.Input {
	x := mat.NewDense(24, 3, nil)
	csr := &data.CSR{R: 24, C: 3, Start: []int{0}}
	two, three, numbers := make(data.Answers, 24), make(data.Answers, 24), make(data.Answers, 24)
	for i := range 24 {
		x.SetRow(i, []float64{math.Sin(float64(i)), 100 * math.Cos(2*float64(i)), float64(i%5) + 0.1*float64(i)})
		csr.Index, csr.Value, csr.Start = append(csr.Index, int32(i%3)), append(csr.Value, 1+float64(i%4)), append(csr.Start, i+1)
		if i%6 != 5 { // the others have no label
			two[i], three[i], numbers[i] = []string{"no", "yes", "no"}[i%3], string(rune('a'+i%4%3)), fmt.Sprint(float64(i*i%11)/4)
		}
	}
	of := func(rows data.Rows, answers data.Answers) result.Input {
		return result.Input{
			Set: &data.Set{Source: "set", Name: "set", LabelName: "label", Features: []string{"a", "b", "c"}, Rows: rows, Answers: answers},
		}
	}
	return map[string]result.Input{
		"two":     of(data.Rows{Dense: x}, two),
		"three":   of(data.Rows{Dense: x}, three),
		"numbers": of(data.Rows{Dense: x}, numbers),
		"sparse":  of(data.Rows{Sparse: csr}, two),
	}
}

// TestPrepared: what recipes make of rows before anything is learned, or what they are refused with, is
// what testdata/prepared.txt keeps.
func TestPrepared(t *testing.T) {
	var now []string
	for _, text := range strings.Split(`auto
auto --kernel linear
auto --scale minmax
rls
rls --scale none sigma=2
rls --scale unit --kernel linear --offset no
rls --scale standard --kernel polynomial(degree=2) --offset yes
rls --kernel ard-gaussian sigma=1,2,3
rls --kernel ard-gaussian sigma=1,2
rls --groups auto
rls --tune loo:smooth-error rho=3
rls --tune loo:smooth-wer eta=2 rho=3
rls --tune loo:smooth-wer
rls --tune loo:smooth-f
rls --tune gcv
rls --tune cp
rls --tune aic
rls --tune bic
rls --tune kfold:4
rls --tune kfold:21
rls --tune holdout:0.3
rls --tune holdout:0.3 outer=logistic
rls --tune kfold:3 outer=mse
rls --tune kfold:3 outer=error
rls outer=quartic
rls --task regression
rls --task classification
rls lambda=0.1 --tune none
rls gamma=0.5
rls balance=0.4
svm
svm --class-weight balanced
svm --class-weight yes=2,no=0.5
svm --class-weight c=3
svm --class-weight nobody=3
svm --multiclass one-vs-rest
svm --multiclass one-vs-one
svm nu=0.3 --tune none
l2-svm offset=augmented
svr epsilon=0.2
logistic
one-class nu=0.2
lap-rls
lap-rls neighbours=3 degree=2 metric=cosine weights=heat width=2 symmetry=mutual laplacian=combinatorial
lap-rls neighbours=24
lap-rls graph=epsilon epsilon_graph=0.5
lap-rls graph=full weights=binary
lap-rls degree=1.5
lap-rls intrinsic_scale=none
lap-rls within=yes --tune kfold:3:inductive --search random
lap-rls --view a=1..2 --view b=3..3
lap-rls --view a=1..4
lap-svm --tune kfold:3:inductive --search random
da-s3vm
da-s3vm positive=0.4
da-s3vm positive=0.2,0.3,0.5 --tune kfold:3
grad-tsvm share_of=decisions
lds softness=0 neighbours=5
graph-density sigma=2
c-lap-rls neighbours=3,6
mobj-rbf --decision bic
mobj-rbf --decision nosuch
mobj-svm --decision cv:1
mobj-svm --decision validation:3
mobj-svm sigma=1,2
rofs
grn
nadaraya-watson`, "\n") {
		for _, on := range []string{"two", "three", "numbers", "sparse"} {
			line := text + ", " + on + ": "
			m, r, err := Read(asked(t, text))
			if err != nil {
				now = append(now, line+err.Error())
				continue
			}
			p, err := task.Prepare(t.Context(), inputs()[on], r, result.Options{}, m.Coding, 0)
			if err != nil {
				now = append(now, line+err.Error())
				continue
			}
			s, g := p.Scoring, "none"
			if m.Supports(r.Values).Graph {
				g = fmt.Sprintf("%+v", p.Graph())
			}
			now = append(
				now,
				line+fmt.Sprintf(
					"%s %s none %v folds %d share %g bound %v penalty %q inductive %v, folds %v, offset %v, %s %.4g fixed %v, %s, "+
						"%v pairs %v, "+
						"weights %.4g, terms %.4g, graph %s, views %v, warnings %q",
					s.Name,
					learntest.Literal(s.Criterion),
					s.None,
					s.Folds,
					s.Share,
					s.Bound,
					s.Penalty,
					s.Inductive,
					p.Folds,
					p.Offset,
					p.KernelSpec(),
					p.Base.Space().Defaults(),
					p.Fixed,
					p.Scaled,
					p.Problem.Classes,
					p.Problem.Coding.Pairs,
					p.Problem.Weight,
					p.Terms(),
					g,
					p.ViewColumns(),
					p.Warnings,
				),
			)
		}
	}
	kept.Text(t, "testdata/prepared.txt", strings.Join(now, "\n"))
}
