package task

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
)

// Request is a recipe that has been read. Its values stand under the keys of the settings that
// declare them. What is set of the kernel stands apart, because the parameters of a kernel are known
// only when the rows are.
type Request struct {
	Recipe  result.Recipe
	Values  setting.Values
	Kernel  map[string][]float64 // parameters of the kernel by name
	Gamma   []float64            // as given: factor of an inner product; in Kernel sigma = 1/sqrt(2 gamma)
	Scoring Scoring
	// Scale is how the features are scaled where that was chosen by labels, and ScaleReason why; "": as the recipe asks.
	Scale, ScaleReason string
	// Trial says that the number of centres is one of several that are tried, and that nobody has asked for it.
	Trial bool
}

// Search is the word of --search.
func (r Request) Search() string {
	if r.Recipe.Search == "" {
		return "auto"
	}
	return r.Recipe.Search
}

// Coding is how a method wants rows and labels to be made into a problem.
type Coding struct {
	Method   string
	OneClass bool // one class is learned, from all rows but those labelled -1
	Pairs    bool // more than two classes are one-versus-one unless asked otherwise
	Offset   bool // machines for classes have an offset unless asked otherwise; those for numbers always have
	Dense    bool // sparse rows are refused
	Classes  bool // machines are judged by folds where there are many labels; see Request.Scored
	// FewLabels is the number of labelled rows above which machines are judged by folds, if Classes; 0: ManyLabels.
	FewLabels int
	// Grid says that several values of a kernel's width are a grid, and not a width for each column.
	Grid  bool
	Views bool // there is one function a view, with a kernel of its own
}

// Task is a request together with the rows that it is about, after Prepare: scaled, coded, with
// kernel and folds.
type Task struct {
	Request
	Coding  Coding
	Input   result.Input // what is learned from, which may be a sample
	Whole   result.Input // what the caller gave
	Options result.Options

	Labels   data.Labels
	Scaling  data.Scaling
	Scaled   string // what the scaling did
	Problem  *learn.Problem
	Base     kernel.Kernel // the base kernel, with every parameter filled in
	Fixed    []int         // numbers of the parameters of Base that the request fixes
	Folds    [][]int       // numbers of rows among the labelled; nil: leave-one-out
	Offset   bool
	Selected bool // Base is on the features that a selection has kept
	Warnings []string

	// Of a method of views, the rows of all views, and, of a task on these (OnViews), the problem of the things
	// that they describe.
	Stacked *multiview.Stacked
	Things  *learn.Problem

	heard heard
}

// mostValue is the largest value of a regression: sums of squares of larger ones overflow.
const mostValue = 1e150

// moderate refuses values whose squares overflow.
func (t *Task) moderate() error {
	for i, v := range t.Labels.Value {
		if math.Abs(v) > mostValue { // NaN: unlabelled
			return &data.LabelError{
				Row:    i,
				What:   fmt.Sprintf("the value %g of %q is so large that its square overflows", v, t.Input.Set.LabelName),
				Remedy: "measure it in a larger unit",
			}
		}
	}
	return nil
}

// Prepare scales the rows, codes the labels, makes the kernel and draws the folds. What is
// learned from is a sample of in.Set's rows where sample is above zero.
func Prepare(ctx context.Context, in result.Input, r Request, o result.Options, c Coding, sample int) (*Task, error) {
	t := &Task{Request: r, Coding: c, Input: in, Whole: in, Options: o}
	if sample > 0 {
		t.Input = Sample(in, sample, r.Recipe.Drawn())
	}
	var err error
	if t.Labels, err = Interpret(t.Input.Set, r.Recipe, c.OneClass); err != nil {
		return nil, err
	}
	if err := t.moderate(); err != nil {
		return nil, err
	}
	if err := t.decides(); err != nil {
		return nil, err
	}
	t.uneven()
	if err := t.scale(); err != nil {
		return nil, err
	}
	t.Problem = learn.NewProblem(t.scaledRows(), t.Labels)
	if scheme := r.Values.Word(Scheme); scheme == "one-vs-one" || c.Pairs && scheme == "" {
		t.Problem = t.Problem.OneVersusOne()
	}
	if t.Problem.Weight, err = classWeights(r.Recipe.ClassWeight, t.Problem, t.ClassTotals()); err != nil {
		return nil, err
	}
	if err := weighRows(t.Problem, t.Input.Set.Weight); err != nil {
		return nil, err
	}
	if err := t.inside(); err != nil {
		return nil, err
	}
	if c.Views {
		err = t.stack(ctx)
	} else if err = t.missing(); err == nil {
		err = t.kernel()
	}
	if err != nil {
		return nil, err
	}
	if err := t.fits(); err != nil {
		return nil, err
	}
	t.Offset = t.HasOffset()
	if err := t.scoring(ctx); err != nil {
		return nil, err
	}
	return t, t.validation()
}

// HasOffset says whether functions have a constant, by the recipe, the coding and the base kernel: without one
// a linear function is zero at the origin, wherever the classes are.
func (t *Task) HasOffset() bool {
	usual := t.Labels.Task == data.Regression || t.Coding.Offset || plain(t.Base)
	return t.Recipe.Offset == "yes" || t.Recipe.Offset != "no" && usual
}

// scale fits the scaling of the features.
func (t *Task) scale() error {
	var err error
	set := t.Input.Set
	if t.Scaling, t.Scaled, err = set.FitScaling(cmp.Or(t.Scale, t.Recipe.ScaleKind())); err != nil {
		return err
	}
	t.Scaled = cmp.Or(t.ScaleReason, t.Scaled)
	if set.Text == nil && t.Scaling.Kind != data.ScaleTFIDF {
		return nil
	}
	if empty := set.Rows.Zero(); empty > 0 {
		t.Warn("%d of %d documents are empty, without a word that is counted; they are learned from as rows of zeros", empty,
			set.Rows.Len())
	}
	return nil
}

// scaledRows applies the scaling. Rows that overflow are found by fits.
func (t *Task) scaledRows() data.Rows { return t.Scaling.Apply(t.Input.Set.Rows) }

// inside refuses views of columns that are not there.
func (t *Task) inside() error {
	for _, v := range t.Recipe.Views {
		if d := t.Problem.Rows.Dim(); v.Last > d {
			return fmt.Errorf(
				"%s: --view %s=%d..%d of %d columns; give columns that are there", t.Input.Set.Source, v.Name, v.First, v.Last, d,
			)
		}
	}
	return nil
}

// fits refuses rows that do not fit the request: features that overflow, more neighbours than rows, sparse rows for a
// method that needs dense ones.
func (t *Task) fits() error {
	source, rows := t.Input.Set.Source, t.Problem.Rows
	checked := rows
	if t.Stacked != nil {
		checked = t.Stacked.Rows // without the cells of views that rows lack
	}
	if checked.Check() != nil {
		if err := t.missing(); err != nil {
			return err
		}
		return fmt.Errorf("%s: the features are so large that their scaling overflows; measure them in larger units", source)
	}
	if uneven := data.Uneven(rows); uneven != "" && t.Scaling.Kind == data.ScaleNone {
		t.Warn("the features are on different scales, %s, and are left so; --scale standard makes them count alike", uneven)
	}
	if k := t.Values.Numbers(Neighbours); len(k) > 0 {
		if most := int(slices.Max(k)); most >= rows.Len() {
			return fmt.Errorf("%s: --set neighbours=%d of %d rows; ask for at most %d", source, most, rows.Len(), rows.Len()-1)
		}
	}
	if t.Coding.Dense && rows.IsSparse() {
		return fmt.Errorf("%s: method %s is for dense rows; choose --method mobj-svm, or rls with --kernel linear", source, t.Coding.Method)
	}
	return nil
}

// Decides says whether classes are decided otherwise than for the most probable one.
func (t *Task) Decides() bool { return t.Recipe.Decide != "" && t.Recipe.Decide != "default" }

// Warn adds a warning to the result.
func (t *Task) Warn(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// Labelled is the number of labelled rows.
func (t *Task) Labelled() int { return len(t.Problem.Labelled) }

// Described is the problem of what the rows describe: of the rows of views the things, else of the rows themselves.
func (t *Task) Described() *learn.Problem {
	if t.Things != nil {
		return t.Things
	}
	return t.Problem
}

// Terms converts between the weights of the averaged objective and the machine's own, in the
// convention that the recipe sets.
func (t *Task) Terms() score.Averaged {
	p := t.Described() // l and u count things, not the rows of their views
	a := score.Averaged{Labelled: float64(len(p.Labelled)), Scale: 1}
	if !t.Values.Is(Scaled, "none") {
		n := float64(p.Rows.Len())
		a.Scale = 1 / (n * n)
	}
	return a
}

// LeaveOut is the closed score of the task, for its base kernel.
func (t *Task) LeaveOut(work *kernel.Work) score.LeaveOut {
	c := t.Scoring.Criterion
	if c == nil {
		c = score.Press{} // with gcv or none: for the record only
	}
	return score.LeaveOut{
		Kernel: t.Base, Problem: t.Problem, Work: work, Criterion: c,
		Folds: t.Folds, GCV: t.Scoring.GCV, Penalty: t.Scoring.charge, Offset: t.Offset,
	}
}

// plain says whether a kernel is linear in the features, so that its functions have no constant.
func plain(k kernel.Kernel) bool {
	switch k := k.(type) {
	case kernel.Columns:
		return plain(k.Base)
	case multiview.Coupled:
		return !slices.ContainsFunc(k.Kernels, func(one kernel.Kernel) bool { return !plain(one.(kernel.Scaled).Base) })
	}
	return kernel.Weighs(k)
}

// Usage returns the error of a request that has no meaning for its method.
func Usage(format string, args ...any) error {
	return &result.UsageError{Problems: []string{fmt.Sprintf(format, args...)}}
}

// Interpret turns the visible answers of a set into labels, as a fit does. If one class is to be
// learned, every row is of class "1" except those labelled -1, which are left out of training.
func Interpret(set *data.Set, r result.Recipe, oneClass bool) (data.Labels, error) {
	if !oneClass {
		var kind data.Task
		if r.Task != "" {
			_ = kind.UnmarshalText([]byte(r.Task)) // a wrong word was refused before this
		}
		l, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: kind, Declared: set.Declared})
		l.Group, l.Order = set.Group, set.Order
		return l, err
	}
	l := data.Labels{Task: data.Classification, Classes: []string{"-1", "1"}, Class: make([]int, set.Rows.Len())}
	kept := 0
	for i := range l.Class {
		l.Class[i] = 1
		if set.Answers != nil && data.ClassName(set.Answers[i]) == "-1" {
			l.Class[i] = data.Unlabelled
		} else {
			kept++
		}
	}
	if kept == 0 {
		return data.Labels{}, &data.LabelError{
			Row:    -1,
			What:   "every row is labelled -1, which one-class leaves out",
			Remedy: "blank the labels of the rows to learn from",
		}
	}
	return l, nil
}
