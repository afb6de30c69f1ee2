package method

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// tunable is a set of machines that differ in their hyper-parameters. It has the score that a search
// minimises, in the parameters that the method shows to users, and trains the machine at one point.
type tunable interface {
	param.Objective
	Train(ctx context.Context, theta []float64) (*choose.Candidates, error)
}

// refolded is one whose score can be taken on other folds.
type refolded interface {
	OnFolds(folds [][]int) param.Objective
}

// placed is one some of whose parameters are fixed.
type placed struct {
	tunable
	space param.Space
}

func (p placed) Space() param.Space { return p.space }

// tunable is that of the machine for a task.
func (k machine) tunable(t *task.Task, landmarks *kernel.Landmarks) (tunable, error) {
	work := new(kernel.Work)
	closed := t.LeaveOut(work)
	learner := k.learner(t)
	if !k.family.warped() {
		if learner == nil {
			return &leastSquares{LeaveOut: closed, terms: t.Terms(), total: k.total}, nil
		}
		r := &score.Refit{
			Kernel:    t.Base,
			Learner:   learner,
			Problem:   t.Problem,
			Work:      work,
			Criterion: closed.Criterion,
			Folds:     t.Folds,
			Spread:    t.Problem.Spread(),
		}
		if b, ok := learner.(score.Bounded); ok {
			return &boundedTraining{score.Bound{Kernel: t.Base, Learner: b, Problem: t.Problem, Work: work}, r}, nil
		}
		return &trained{r}, nil
	}
	norm, err := k.norm(t)
	if err != nil {
		return nil, err
	}
	lap := laplacian{score.Laplacian{
		Learner: learner, Base: t.Base, Graph: t.Graph(), Norm: norm, Problem: t.Problem, Work: work, Criterion: closed.Criterion,
		Folds: t.Folds, GCV: closed.GCV, Penalty: closed.Penalty, Offset: t.Offset, Terms: t.Terms(), Views: t.ViewColumns(),
	}, t}
	switch {
	case t.Scoring.Inductive:
		return unseenRows(lap)
	case landmarks != nil:
		return onLandmarks(lap, *landmarks), nil
	}
	return &lap, nil
}

// leastSquares are the machines of regularised least squares, scored in closed form. Its last
// parameter is the lambda of the averaged objective or, if total is set, that of the sum of
// squares, which is the ridge.
type leastSquares struct {
	score.LeaveOut
	terms score.Averaged
	total bool
}

func (f *leastSquares) ridge() float64 {
	if f.total {
		return 1
	}
	return f.terms.Ridge(1)
}

// Space lists the kernel's parameters and lambda.
func (f *leastSquares) Space() param.Space {
	space := f.LeaveOut.Space()
	d, by := &space[len(space)-1], f.ridge()
	d.Lo, d.Hi, d.Default = d.Lo/by, d.Hi/by, d.Default/by
	return space
}

// inner are the score's own parameters.
func (f *leastSquares) inner(theta []float64) []float64 {
	inner := slices.Clone(theta)
	inner[len(inner)-1] *= f.ridge()
	return inner
}

// Eval implements param.Objective.
func (f *leastSquares) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	v, err := f.LeaveOut.Eval(ctx, f.inner(theta), want)
	if v.Grad != nil {
		v.Grad[len(v.Grad)-1] *= f.ridge()
	}
	return v, err
}

// Train implements tunable.
func (f *leastSquares) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	return design.Fixed(ctx, &f.LeaveOut, f.inner(theta))
}

// OnFolds implements refolded.
func (f *leastSquares) OnFolds(folds [][]int) param.Objective {
	other := *f
	other.Folds = folds
	return &other
}

// trained are a learner's machines, scored by training again for every fold.
type trained struct{ *score.Refit }

// Train implements tunable.
func (f *trained) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	return design.FixedLearner(ctx, f.Refit, theta)
}

// OnFolds implements refolded.
func (f *trained) OnFolds(folds [][]int) param.Objective {
	return &score.Refit{
		Kernel:    f.Kernel,
		Learner:   f.Learner,
		Problem:   f.Problem,
		Work:      f.Work,
		Criterion: f.Criterion,
		Folds:     folds,
		Spread:    f.Spread,
		Warm:      true,
	}
}

// boundedTraining are a learner's machines, scored by a bound of their leave-one-out
// error.
type boundedTraining struct {
	score.Bound
	refit *score.Refit
}

// Train implements tunable.
func (f *boundedTraining) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	return design.FixedLearner(ctx, f.refit, theta)
}

// laplacian are the machines with a graph of all rows.
type laplacian struct {
	score.Laplacian
	t *task.Task
}

// Train implements tunable.
func (f *laplacian) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	m, inner, err := f.Machine(theta)
	if err != nil {
		return nil, err
	}
	return f.train(ctx, m, inner)
}

// train trains the machine of a score at its own parameters, and the baseline.
func (f *laplacian) train(ctx context.Context, m *score.LeaveOut, inner []float64) (s *choose.Candidates, err error) {
	if f.Learner == nil {
		s, err = design.Fixed(ctx, m, inner)
	} else {
		r := score.Refit{Kernel: m.Kernel, Learner: f.Learner, Problem: f.Problem, Work: f.Work, Criterion: f.Criterion, Folds: f.Folds,
			Spread: f.Problem.Spread()}
		s, err = design.FixedLearner(ctx, &r, f.Learned(inner))
	}
	if err != nil {
		return nil, err
	}
	s.Baseline, err = baseline(ctx, f.t, f.Learner)
	return s, err
}

// baseline trains the supervised machine over the widths and the strengths of the data; nil
// if none can be trained.
func baseline(ctx context.Context, t *task.Task, learner learn.Learner) (*choose.Candidate, error) {
	b := &design.Bench{Score: t.LeaveOut(nil), Learner: learner}
	return beside(ctx, func(ctx context.Context) (*choose.Candidates, error) {
		s, err := b.Run(ctx, design.Design{Rows: t.Problem.Rows.Len(), Base: t.Base}.Supervised(""))
		if err == nil {
			s.Tuning.Score = t.Scoring.Name
		}
		return s, err
	})
}

// comparing is how long a baseline may still be trained after an interrupt, of the 2 s within which an answer is to be there
// (tables-interrupt in docs/results/README.md).
const comparing = time.Second

// beside trains supervised candidates and returns the best of them, the baseline. It is nil where none can be trained, and where an
// interrupt comes before all are: the method's own model is kept without one, and the user does not wait.
func beside(ctx context.Context, train func(context.Context) (*choose.Candidates, error)) (*choose.Candidate, error) {
	ctx, cancel := await.Linger(ctx, comparing)
	defer cancel()
	s, err := train(ctx)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := choose.Least{}.Choose(ctx, s)
	if errors.Is(err, choose.ErrNothing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.Baseline, nil
}

// landmarked are the machines whose graph is reduced to landmarks.
type landmarked struct {
	score.Reduced
	whole laplacian
}

// onLandmarks is the score of a search on landmarks. It looks at smaller ratios than the exact
// score does, because the best ratio falls as the number of rows in the graph grows.
func onLandmarks(lap laplacian, l kernel.Landmarks) *landmarked {
	r := &landmarked{score.Reduced{Laplacian: lap.Laplacian, Landmarks: l, Longest: min(50, lap.Problem.Rows.Len()-1)}, lap}
	// The whole numbers are fixed here: each other graph would cost another search.
	if r.Graph.Neighbours == 0 {
		r.Graph.Neighbours = 10
	}
	if r.Graph.Degree == 0 {
		r.Graph.Degree = 2
	}
	if r.Ratio == (param.Dim{}) {
		r.Ratio = param.Dim{Name: "ratio", Kind: param.Log, Lo: 0x1p-10, Hi: 0x1p20, Default: 1}
	}
	return r
}

// Train implements tunable.
func (f *landmarked) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	f.Release()
	m, inner, err := f.Machine(ctx, theta)
	if err != nil {
		return nil, err
	}
	return f.whole.train(ctx, m, inner)
}

// unseen are machines with a graph judged by folds whose rows leave the graph
// (score.Refit, Inductive): the unlabelled rows and the labels of the other folds
// train, the fold's rows are predicted as new ones. It estimates the error on rows that
// were not there at training; leaving out labels alone estimates that on the unlabelled
// rows of the file. The ratio gamma_I s/gamma_A and the ridge l gamma_A are held while
// rows are left out. Cost: a graph and a factored n x n system for each fold. Machines
// without a graph have the same score either way.
type unseen struct {
	laplacian
	rows   int           // number of rows in the smallest training set
	square learn.Learner // learner that trains again if the machine is of least squares
}

// unseenRows returns the machines, and an error where a training set is smaller than
// the neighbours that are set.
func unseenRows(lap laplacian) (*unseen, error) {
	t := lap.t
	f := &unseen{laplacian: lap, rows: t.Problem.Rows.Len(), square: rls.Learner{Offset: t.Offset}}
	largest := 0
	for _, fold := range t.Folds {
		largest = max(largest, len(fold))
	}
	f.rows -= largest
	if k := int(t.Values.Number(task.Neighbours)); k >= f.rows {
		return f, fmt.Errorf(
			"%s: --set neighbours=%d of the %d rows that --tune %s leaves; ask for at most %d",
			t.Input.Set.Source,
			k,
			f.rows,
			t.Scoring.Name,
			f.rows-1,
		)
	}
	if f.rows < 4 { // two neighbours to choose, and two rows to be chosen from
		return f, fmt.Errorf(
			"%s: --tune %s leaves %d rows for a graph; give more rows or folds",
			t.Input.Set.Source,
			t.Scoring.Name,
			f.rows,
		)
	}
	return f, nil
}

// Space is that of the machine, with no more neighbours than a training set has.
func (f *unseen) Space() param.Space {
	s := f.laplacian.Space()
	i := s.Index(task.Neighbours.Name)
	if i < 0 {
		return s // combined graphs, whose neighbours are checked before
	}
	s[i].Hi = min(s[i].Hi, float64(f.rows-1))
	s[i].Default = min(s[i].Default, s[i].Hi)
	return s
}

// Eval implements param.Objective. It has no gradient.
func (f *unseen) Eval(ctx context.Context, theta []float64, _ param.Want) (param.Value, error) {
	r, inner, err := f.refit(theta)
	if err != nil {
		return param.Value{}, err
	}
	return r.Eval(ctx, inner, param.ValueOnly)
}

// refit returns the machine at theta as one that is trained again, and its parameters.
func (f *unseen) refit(theta []float64) (*score.Refit, []float64, error) {
	m, inner, err := f.Machine(theta)
	if err != nil {
		return nil, nil, err
	}
	w := m.Kernel.(manifold.Warp)
	w.Norm = manifold.Unshared(w.Norm) // lists of neighbours are made anew for every fold
	r := &score.Refit{Kernel: w, Learner: f.square, Problem: f.Problem, Criterion: f.Criterion, Folds: f.Folds, Inductive: true}
	if f.Learner != nil {
		r.Learner = f.Learner
		inner = f.Learned(inner)
	}
	return r, inner, nil
}

// Train implements tunable: the machine of all rows, with the left-out outputs, which
// probabilities are fitted to, of rows that were not in the graph.
func (f *unseen) Train(ctx context.Context, theta []float64) (*choose.Candidates, error) {
	s, err := f.laplacian.Train(ctx, theta)
	if err != nil {
		return nil, err
	}
	r, inner, err := f.refit(theta)
	if err != nil {
		return nil, err
	}
	s.Members[0].Machine.LeftOut, err = r.Outputs(ctx, inner)
	return s, err
}
