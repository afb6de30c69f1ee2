package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
)

const (
	// racedRows is the number of labelled rows above which auto is a race. With fewer the closed
	// scores of all labels cost less than a minute.
	racedRows = 2000
	// firstRows is the number of labelled rows of the first round.
	firstRows = 1000
	// fewClasses is the number of classes up to which machines are trained for pairs and for each: beyond, least
	// squares, which factor one matrix for all classes, do in seconds what these do in minutes.
	fewClasses = 32
	// mostOutputs is the number of targets, rows times classes or pairs of them, up to which machines in the dual take
	// part: three such tables are 5 GB.
	mostOutputs = 2e8
)

// raceForm chooses among the methods for many labelled rows.
func raceForm() Form {
	dual := machine{id: svmID, losses: hinges()}
	return Form{
		Name:  "race",
		Suits: races,
		Bytes: func(s task.Size, r task.Request) float64 {
			// The rows of a round, targets and left-out outputs of all; the search for widths; tables of exact least
			// squares; the kernel rows of the machine before, not yet collected; sums over rows of features of landmarks,
			// of each of up to three folds and three more, and their rows.
			at := raced(s, r)
			outputs := float64(s.Labelled * s.Outputs)
			bytes := 8 * (at.Stored + 3*outputs + 6*firstRows*firstRows)
			if !tooMany(s.Outputs, s.Labelled) { // else least squares are alone
				outputs = float64(s.Labelled * dual.outputs(s, r))
				bytes = dual.learnerBytes(at, r) + 8*(at.Stored+3*outputs+6*firstRows*firstRows)
			}
			if s.Labelled > design.ExactSquare {
				m := float64(effortOf(r).marks().Of(s.Labelled))
				bytes = max(bytes, 8*(at.Stored+3*outputs+8*m*m))
			}
			if stackedBeside(s, r) {
				bytes = max(bytes, stackBytes(s, r)/uncollected)
			}
			q := float64(exactRound(s, r))
			return max(uncollected*bytes+float64(dual.kernelRows(at, r)), uncollected*8*(at.Stored+3*outputs+exactTables*q*q))
		},
		Cache:   func(s task.Size, r task.Request) int64 { return dual.kernelRows(raced(s, r), r) },
		Work:    raceWork,
		Produce: race,
	}
}

const (
	// uncollected is the share of tables of machines before that the collector has not yet taken, and exactTables how many
	// tables of its rows by its rows an exact machine of least squares has. With 3 of these, and without the kernel rows
	// of the machine before, fits of 3000 and 4177 rows took 1.1 times what was announced, and a9a 1.27 times; with a share of
	// 1.3 a9a took 1.05 times and 4177 rows 1.01 times, with 1.4 a9a 1.00 and 1.03 times on a machine whose collector had to wait for
	// other programs (tools/lab/forecast, 2026-11-23 to 2026-11-25).
	uncollected = 1.6
	exactTables = 3.6
)

// exactRound is the number of rows of the last round in which least squares are exact.
func exactRound(s task.Size, r task.Request) int {
	rows := 0
	for _, n := range design.Rounds(s.Labelled, firstRows, effortOf(r).longest) {
		if n <= design.ExactSquare {
			rows = n
		}
	}
	return rows
}

// races says whether a race decides: many labels, few rows without, and nothing set that only
// machines with a graph have, or that asks for another search or score.
func races(s task.Size, r task.Request) bool {
	if s.Grouped && strings.HasPrefix(r.Recipe.Tune, "kfold:") { // their usual score; a race keeps groups whole in its own folds
		r.Recipe.Tune = ""
	}
	return freely(forward(s, r)) && s.Labelled > racedRows && s.Rows <= 2*s.Labelled
}

// forward is a request without the score of rows in order, whose last rows races and stacks hold out too.
func forward(s task.Size, r task.Request) task.Request {
	if s.Ordered && strings.HasPrefix(r.Recipe.Tune, "holdout:") {
		r.Recipe.Tune = ""
	}
	return r
}

// freely says whether nothing is set that only machines with a graph have, or that asks for another search or score.
func freely(r task.Request) bool {
	c := r.Recipe
	free := r.Search() == "auto" && c.Budget == 0 && slices.Contains([]string{"", "auto"}, c.Tune) && c.Groups == "" && len(c.Views) == 0
	return free && !slices.ContainsFunc(setByUser(), r.Values.Given)
}

// setByUser are the settings that a race leaves no room for.
func setByUser() []setting.Setting {
	return append(task.NeighbourSettings(), task.Lambda, task.GammaA, task.GammaI, task.Scaled, balanced, exact, task.Outer)
}

// raced is the size of the last round.
func raced(s task.Size, r task.Request) task.Size {
	if longest := effortOf(r).longest; s.Labelled > longest {
		share := float64(longest) / float64(s.Labelled)
		s.Pair = int(float64(s.Pair) * share)
		s.Labelled = longest
	}
	return s
}

// raceWork is that of the rounds: machines in the dual on a share of the rows, with a C of 10 in the mean, least
// squares beside them, and the search for a width of each column. A quarter of the machines goes on: what errs by
// three standard errors more than the best leaves.
func raceWork(s task.Size, r task.Request) Work {
	z, at := sizeOf(s), s
	dual := machine{id: svmID, losses: hinges()}
	if s.Task == data.Regression {
		dual = machine{id: "svr", losses: tubes()}
	}
	w, one := z.rowWork(), r
	one.Scoring = task.Scoring{Name: "none", None: true}
	field, squares, sizes := 60.0, 12.0, design.Rounds(s.Labelled, firstRows, effortOf(r).longest)
	if s.Outputs > fewClasses {
		field = 0
	}
	for i, n := range sizes {
		folds, judged := roundFolds(s, n)
		share := float64(n) / z.l * (1 - 1/float64(folds))
		at.Rows, at.Labelled = int(share*z.l), int(share*z.l)
		at.Stored, at.Pair = s.Stored*share, int(share*float64(s.Pair))
		w = w.Plus(dual.learnerWork(at, one).Times(field * float64(judged) * math.Sqrt(10)))
		square := z.squareRound(float64(n), folds, judged, r)
		if i == 0 { // a path of ridges
			one := z
			one.n, one.l = float64(n), float64(n)
			square = one.squareMachine(r)
		}
		w = w.Plus(square.Times(squares))
		field, squares = max(min(field, 3), field/4), 3
	}
	if last := sizes[len(sizes)-1]; last < s.Labelled {
		m := float64(effortOf(r).marks().Of(s.Labelled))
		w = w.Plus(z.onLandmarks(5*m, m, 3).Times(4), z.onLandmarks(z.l, m, 1))
	}
	if !s.Sparse && s.Features <= widthColumns && len(sizes) > 1 {
		w = w.Plus(z.widthWork(float64(sizes[0])).Times(2))
	}
	if stackedBeside(s, r) {
		w = w.Plus(stackWork(s, r))
	}
	return w
}

// roundFolds is into how many folds a round is cut, and how many are judged; of rows in order a fifth is, or about so many.
func roundFolds(s task.Size, n int) (folds, judged int) {
	if s.Ordered {
		return 5, 1
	}
	return design.Folds(n)
}

// squareRound is one machine of least squares in a round of n rows after the first: three ridges without each
// fold, and sums on landmarks where the rows are many.
func (z size) squareRound(n float64, folds, judged int, r task.Request) Work {
	if n > design.ExactSquare {
		return z.onLandmarks(n, float64(effortOf(r).marks().Of(int(n))), judged)
	}
	z.n, z.l = n, n
	rest := n * (1 - 1/float64(folds))
	each := cost.Cholesky(rest).Times(float64(judged)).Plus(cost.Product(n, n, z.c), z.judgeWork())
	return cost.Gram(n, n, z.d).Plus(each.Times(3))
}

// onLandmarks is one machine of least squares on m landmarks of n rows: the landmarks, which are means; features of an eighth of them, for
// the others are made of the sums; the sums; and five ridges for every fold.
func (z size) onLandmarks(n, m float64, folds int) Work {
	means := cost.Product(n, m, z.d).Times(11)
	if 10*z.d > m {
		means = cost.Gram(n, m, z.d)
	}
	return means.Plus(cost.Gram(n, m, z.d), cost.Product(n, m, 5*m/8), cost.Cholesky(m).Times(5*float64(folds+1)))
}

// race compares the machines of all methods that enter, and makes the task that of the winner.
func race(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	size := task.Size{Task: t.Labels.Task, Rows: t.Problem.Rows.Len(), Labelled: t.Labelled(), Features: t.Problem.Rows.Dim(),
		Sparse: t.Problem.Rows.IsSparse(), Grouped: t.Problem.Group != nil, Ordered: t.Labels.Order != nil}
	beside := stackedBeside(size, t.Request)
	if beside && namesStack(t) {
		return stack(ctx, t)
	}
	list := kernels(t)
	field := chosenEntrants(t, list, entrants(t, list))
	if len(field) == 0 {
		return nil, fmt.Errorf("%s: no method takes part in a race with --kernel %s; add --method", t.Input.Set.Source, t.Recipe.Kernel)
	}
	e := effortOf(t.Request)
	r := design.Race{
		Problem: t.Problem, Seed: t.Recipe.Drawn(), First: firstRows, Last: e.longest,
		Landmarks: e.marks(),
		Held:      held(t),
		Crew:      t.Options.Share,
		Progress:  func(done, total int, best float64) { t.Progressed("choosing", done, total, best) },
	}
	if len(t.Request.Kernel) == 0 {
		r.Widths = []float64{0.5, math.Sqrt2 / 2, math.Sqrt2, 2}
	}
	if late, ok := lateEntrants(t); ok {
		r.Late = late
	}
	w, err := r.Run(ctx, field)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Input.Set.Source, err)
	}
	if beside && t.Recipe.Candidates == nil && w.Status == search.Complete {
		own, s, err := withStack(ctx, t, w)
		if err != nil {
			return nil, err
		}
		if s != nil {
			*t = *own
			s.Raced = ranking(w)
			s.Tuning.Evaluations += w.Judged
			return s, nil
		}
	}
	s, err := ofWinner(t, w)
	if err != nil {
		return nil, err
	}
	s.Raced, s.Tuning.Evaluations = ranking(w), w.Judged
	return s, nil
}

// held are the labelled rows that are held out where rows are in order, ascending; nil where they are not.
func held(t *task.Task) []int {
	if t.Labels.Order == nil {
		return nil
	}
	return score.Judged(t.Folds)
}

// ranking lists the winner and the rest of the field in the order of how far entrants came.
func ranking(w *design.Winner) []result.Raced {
	field := slices.Clone(w.Field)
	second := func(e *design.Entrant) int {
		if e == w.Entrant {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(field, func(a, b *design.Entrant) int {
		return cmp.Or(cmp.Compare(second(a), second(b)), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Score, b.Score))
	})
	var list []result.Raced
	for _, e := range field {
		list = append(list, result.Raced{
			Method: e.Method, Kernel: KernelName(e.Kernel), Params: e.Theta, Rows: e.Rows, Score: e.Score, Left: e.Left,
		})
	}
	return list
}

// KernelName is the specification of a kernel, without what it has for each column, which would fill a table.
func KernelName(k kernel.Kernel) string {
	switch own := k.(type) {
	case kernel.ARDRational:
		return fmt.Sprintf("ard-rational(power=%d)", own.Power)
	case kernel.ANOVA, kernel.MetricLaplacian:
		return kernel.NameOf(k)
	}
	return kernel.Format(k, nil)
}

// ofWinner makes the task that of the method which won, and its machine the only candidate.
func ofWinner(t *task.Task, w *design.Winner) (*choose.Candidates, error) {
	m, ok := Find(w.Method)
	if !ok {
		return nil, errors.New("method: a race was won by " + w.Method)
	}
	t.Problem, t.Folds, t.Coding, t.Base = w.Problem, w.Folds, m.Coding, w.Kernel
	t.Offset = offset(t, m, w.Kernel)
	t.Scoring.Criterion = score.LogLoss{}
	switch {
	case t.Labels.Order != nil: // as it is
	case len(w.Folds) == 1:
		t.Scoring.Name, t.Scoring.Folds, t.Scoring.Share = "holdout:0.25", 0, 0.25
	default:
		t.Scoring.Name, t.Scoring.Folds = fmt.Sprintf("kfold:%d", len(w.Folds)), len(w.Folds)
	}
	judged := "error of "
	switch {
	case t.Labels.Task == data.Regression:
		t.Scoring.Criterion, judged = score.Press{}, "rmse of "
	case design.Rare(w.Problem):
		judged = "log loss of "
	}
	s := choose.Alone(w.Machine)
	s.Members[0].Method, s.Members[0].Name = w.Method, cmp.Or(w.Name, lateName)
	s.Problem, s.Criterion, s.Judged, s.Safe = t.Problem, t.Scoring.Criterion, score.Judged(t.Folds), true
	s.Members[0].Machine.Score = w.Score
	s.Tuning = result.Tuning{Score: judged + t.Scoring.Name, Value: w.Score, Search: "auto", Status: string(w.Status)}
	if w.Trained < t.Labelled() {
		said := fmt.Sprintf("the model learned from %d of %d labelled rows", w.Trained, t.Labelled())
		if w.Status != search.Complete {
			said += ", for it was ended before it had taken more"
		}
		s.Warnings = append(s.Warnings, said)
	}
	return s, nil
}

// offset says whether a method's machines on a kernel have one, as task.Prepare does.
func offset(t *task.Task, m Method, k kernel.Kernel) bool {
	one := *t
	one.Coding, one.Base = m.Coding, k
	return one.HasOffset()
}

// entrants are those of all methods for the labels.
func entrants(t *task.Task, list []kernel.Kernel) []*design.Entrant {
	var field []*design.Entrant
	for _, m := range All() {
		if m.Race != nil && (m.For == 0 || m.For == t.Labels.Task) {
			field = append(field, m.Race(t, list)...)
		}
	}
	return field
}

// kernels are those that machines of a race are tried on: multiples of the median distance, or the one that
// the recipe names.
func kernels(t *task.Task) []kernel.Kernel {
	widths := func(k kernel.Kernel, by ...float64) (list []kernel.Kernel) {
		for _, w := range by {
			if wide, err := design.Widened(k, w); err == nil {
				list = append(list, wide)
			}
		}
		return list
	}
	switch {
	case len(t.Request.Kernel) > 0 || !design.HasWidth(t.Base):
		return []kernel.Kernel{t.Base}
	case t.Recipe.Kernel != "":
		return widths(t.Base, 0.125, 0.25, 0.5, 1, 2)
	case t.Problem.Rows.IsSparse():
		return append(widths(t.Base, 0.5, 1, 2), kernel.Linear{})
	}
	list := widths(t.Base, 0.125, 0.25, 0.5, 1, 2)
	list = append(list, widths(kernel.Laplacian{}.Adapt(t.Problem.Rows), 0.5, 1, 2, 4)...)
	return append(list, kernel.Linear{})
}

// strengthsOfData are values of C, in units of a kernel whose mean diagonal is one and of the targets' standard
// deviation.
func strengthsOfData() []float64 { return []float64{0.1, 1, 10, 100, 1000} }

// entrants are machines in the dual.
func (k machine) entrants(t *task.Task, list []kernel.Kernel) []*design.Entrant {
	return k.entrantsOn(t, list, func(base kernel.Kernel) bool { return !design.IsLinear(base) || t.Recipe.Kernel != "" })
}

// linearEntrants are machines in the primal on the linear kernel.
func (k machine) linearEntrants(t *task.Task, list []kernel.Kernel) []*design.Entrant {
	return k.entrantsOn(t, list, design.IsLinear)
}

// entrantsOn are machines on the kernels that suit.
func (k machine) entrantsOn(t *task.Task, list []kernel.Kernel, suits func(kernel.Kernel) bool) []*design.Entrant {
	var field []*design.Entrant
	if manyOutputs(t.Problem) {
		return nil
	}
	for _, base := range list {
		if suits(base) {
			field = append(field, k.strong(t, base)...)
		}
	}
	return field
}

// rareEntrants are linearEntrants where a class is rare, for these are judged by their probabilities.
func (k machine) rareEntrants(t *task.Task, list []kernel.Kernel) []*design.Entrant {
	if !design.Rare(t.Problem) {
		return nil
	}
	return k.linearEntrants(t, append(slices.Clone(list), kernel.Linear{}))
}

// manyOutputs says whether a machine for each class or pair of classes would take too long, or too much memory.
func manyOutputs(p *learn.Problem) bool { return tooMany(len(p.Classes), len(p.Labelled)) }

func tooMany(classes, labelled int) bool {
	return classes > fewClasses || float64(labelled)*float64(classes*(classes-1)/2) > mostOutputs
}

// strong are machines of all strengths on one kernel.
func (k machine) strong(t *task.Task, base kernel.Kernel) []*design.Entrant {
	m, _ := Find(k.id)
	one := *t
	one.Coding, one.Base, one.Offset = m.Coding, base, offset(t, m, base)
	learner := k.learner(&one)
	scale, scheme := diagonal(t, base), t.Values.Word(task.Scheme)
	pairs := scheme == "one-vs-one" || m.Coding.Pairs && scheme == ""
	var field []*design.Entrant
	for _, c := range strengthsOfData() {
		theta := learner.Space(scale, t.Problem.Spread()).Defaults()
		theta[0] = c * t.Problem.Spread() / scale
		field = append(field, &design.Entrant{Method: k.id, Kernel: base, Learner: learner, Pairs: pairs, Theta: theta})
	}
	return field
}

// diagonal is the mean of k(x, x) over the first rows.
func diagonal(t *task.Task, k kernel.Kernel) float64 {
	n := min(t.Problem.Rows.Len(), 1000)
	rows := indices.To(n)
	g, err := k.Bind(context.Background(), t.Problem.Rows.Select(rows), nil)
	if err != nil {
		return 1
	}
	return score.MeanDiagonal(g, nil)
}

// squareEntrants are regularised least squares.
func (k machine) squareEntrants(t *task.Task, list []kernel.Kernel) []*design.Entrant {
	m, _ := Find(k.id)
	var field []*design.Entrant
	for _, base := range list {
		field = append(field, &design.Entrant{Method: k.id, Kernel: base, Offset: offset(t, m, base)})
	}
	return field
}
