package dual

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Cross-validation by alpha seeding (DeCoste and Wagstaff, KDD 2000; Wen et al., AAAI
// 2017): the machine on all rows is trained first, and every fold starts from it.
//
//	beta   without the coefficients of the fold's rows; what the sum of all then lacks is
//	       taken from the free variables (inside their bounds), by Problem.project
//	f      that of all rows, less K (beta of all - beta of the start): as many kernel
//	       rows as the fold has support vectors, where starting afresh, or from any beta
//	       without its f, takes a row for every support vector
//
// Rows of the fold stay in the problem as variables with bound 0, so that f on them,
// the left-out outputs, is kept up to date with all others and costs no product of
// its own. Rows of free variables, which change in every fold, are computed once: the folds
// share one store over all columns, and nothing is set aside (see shrink.go).

// seedFolds is the number of folds from which the machine on all rows is worth its training.
const seedFolds = 3

// seed is what is known before a problem is solved: f = K beta of its start at all kernel
// rows, and a store shared with other problems on the same rows, nil until it is made.
type seed struct {
	f     []float64
	store *store
}

var _ learn.Folder = (*trainer)(nil)

// Folds trains the folds. Not ok are small problems of pairs of classes, for which each
// is a matter of microseconds, and large ones that start from other machines.
func (t *trainer) Folds(
	ctx context.Context,
	folds [][]int,
	theta []float64,
	warm []*learn.Machine,
) (out *mat.Dense, machines []*learn.Machine, ok bool, err error) {
	l, c := len(t.problem.Labelled), t.problem.Outputs()
	if t.undivided() {
		out, machines, err = t.smallFolds(ctx, folds, theta, warm)
		return out, machines, true, err
	}
	if t.classes == nil && (warm != nil || len(folds) < seedFolds || l <= tableRows || t.problem.Coding.Pairs) {
		return nil, nil, false, nil
	}
	out = mat.NewDense(l, c, nil)
	all, err := t.seedMachine(ctx, theta)
	if err != nil {
		return nil, nil, true, err
	}
	one := foldTraining{trainer: t, work: &solver{k: t.matrix}, shared: &seed{}, all: all, theta: theta}
	for q, fold := range folds {
		rows := learn.Others(l, fold)
		o := t.foldOptions(len(rows))
		var m *learn.Machine
		if t.classes != nil {
			var start *learn.Machine
			if warm != nil {
				start = warm[q]
			}
			var outputs *mat.Dense
			if m, outputs, err = t.pairs(ctx, rows, theta, start, o); err == nil {
				for _, i := range fold {
					out.SetRow(i, outputs.RawRowView(i))
				}
			}
		} else {
			solved := make([]bool, c)
			one.o = o
			m, err = learn.Reduce(ctx, t.problem, rows, t.offset, false, nil,
				func(ctx context.Context, part learn.Part) (learn.Piece, error) {
					solved[part.Output] = true
					return one.output(ctx, part, fold, out)
				})
			if err == nil {
				constants(out, fold, m, solved)
			}
		}
		if err != nil {
			return nil, nil, true, err
		}
		machines = append(machines, m)
	}
	return out, machines, true, nil
}

// undivided says whether every fold is one working set on the table of all labelled rows.
func (t *trainer) undivided() bool {
	most := directSize // variables
	if t.problem.Class == nil {
		most /= 2 // two a row
	}
	return len(t.problem.Labelled) <= most && !t.problem.Coding.Pairs
}

// smallFolds is Folds on the table: a training on all rows where those of the fold have
// weight 0. So no part of the table is copied, and the outputs on the fold are among those
// that the solver keeps up to date.
func (t *trainer) smallFolds(
	ctx context.Context,
	folds [][]int,
	theta []float64,
	warm []*learn.Machine,
) (*mat.Dense, []*learn.Machine, error) {
	p, l := t.problem, len(t.problem.Labelled)
	out := mat.NewDense(l, p.Outputs(), nil)
	machines := make([]*learn.Machine, len(folds))
	for q, fold := range folds {
		rows := learn.Others(l, fold)
		o := t.foldOptions(len(rows))
		solved := make([]bool, p.Outputs())
		var start *learn.Machine
		if warm != nil {
			start = warm[q]
		}
		var err error
		if machines[q], err = learn.Reduce(ctx, p, rows, t.offset, true, start, func(ctx context.Context, part learn.Part) (learn.Piece, error) {
			whole := learn.Part{Output: part.Output, Offset: part.Offset, Rows: learn.Others(l, nil), Y: mat.Col(nil, part.Output, p.Y)[:l],
				Weight: make([]float64, l)}
			if part.Start != nil {
				whole.Start = make([]float64, l)
			}
			for a, i := range part.Rows {
				whole.Weight[i] = 1
				if part.Weight != nil {
					whole.Weight[i] = part.Weight[a]
				}
				if part.Start != nil {
					whole.Start[i] = part.Start[a]
				}
			}
			piece, err := t.output(ctx, t.matrix, whole, theta, o)
			if err != nil {
				return piece, err
			}
			for _, i := range fold {
				out.Set(i, part.Output, piece.Fitted[i])
			}
			solved[part.Output] = true
			piece.Coef, piece.Fitted = taken(piece.Coef, part.Rows), taken(piece.Fitted, part.Rows)
			return piece, nil
		}); err != nil {
			return nil, nil, err
		}
		constants(out, fold, machines[q], solved)
	}
	return out, machines, nil
}

// constants stores the outputs that were not solved: rows of one class, without the fold's,
// give that class everywhere.
func constants(out *mat.Dense, fold []int, m *learn.Machine, solved []bool) {
	for j, done := range solved {
		for _, i := range fold {
			if !done && m.Offset != nil {
				out.Set(i, j, m.Offset[j])
			}
		}
	}
}

// seedMachine is the machine on all rows that folds start from, nil for pairs of classes
// and where it has no outputs. It takes as many steps as that of a fold may; if no limit
// ended it, Train returns it too.
func (t *trainer) seedMachine(ctx context.Context, theta []float64) (*learn.Machine, error) {
	if t.classes != nil {
		return nil, nil
	}
	if m := t.remembered(theta); m != nil {
		return m, nil
	}
	m, _, err := t.train(ctx, nil, theta, nil, t.foldOptions(len(t.problem.Labelled)))
	if err != nil || m.Fitted == nil {
		return nil, err
	}
	if m.Certificate.Limited == "" {
		t.mu.Lock()
		t.last, t.lastTheta = m, slices.Clone(theta)
		t.mu.Unlock()
	}
	return m, nil
}

// remembered is the machine on all rows that folds started from, nil without one of theta.
func (t *trainer) remembered(theta []float64) *learn.Machine {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || !slices.Equal(t.lastTheta, theta) {
		return nil
	}
	return t.last
}

// foldTraining trains without the rows of one fold after another, from the machine on all rows, if there is one.
type foldTraining struct {
	*trainer
	work   *solver
	shared *seed // what folds share
	all    *learn.Machine
	theta  []float64
	o      Options
}

// output trains one output without the rows of the fold and stores its outputs on them in out.
func (t *foldTraining) output(ctx context.Context, part learn.Part, fold []int, out *mat.Dense) (learn.Piece, error) {
	p, err := t.dualProblem(part, t.theta)
	if err != nil {
		return learn.Piece{}, err
	}
	own := len(p.Row)
	for _, i := range fold {
		p.Row, p.Sign = append(p.Row, i), append(p.Sign, 1)
		p.Linear, p.Upper = append(p.Linear, 0), append(p.Upper, 0)
		if p.Start != nil {
			p.Start = append(p.Start, 0)
		}
	}
	var s *Solution
	if t.all == nil || p.Start != nil {
		s, err = Solve(ctx, t.matrix, p, t.o)
	} else if err = t.seed(ctx, part, &p, own); err == nil {
		s, err = run(ctx, t.matrix, p, t.o, 0, t.shared)
	}
	if err != nil {
		return learn.Piece{}, err
	}
	out1, err := t.piece(ctx, p, s, part, t.matrix.Len())
	if err != nil {
		return out1, err
	}
	for q, i := range fold {
		out.Set(i, part.Output, fitted(p, s, own+q)+out1.Offset)
	}
	return out1, nil
}

// seed sets the start of p, of whose variables the first own are not the fold's, and its
// f in what folds share.
func (t *foldTraining) seed(ctx context.Context, part learn.Part, p *Problem, own int) error {
	all, l, o := t.all, len(t.problem.Labelled), part.Output
	coef := make([]float64, len(part.Rows))
	for q, i := range part.Rows {
		coef[q] = all.Coef.At(i, o)
	}
	start := make([]float64, len(p.Row))
	sub := Problem{Sign: p.Sign[:own], Upper: p.Upper[:own]}
	for u, a := range dualOf(Problem{Row: p.Row[:own], Sign: sub.Sign}, coef) {
		start[u] = min(a, p.Upper[u])
	}
	if t.offset {
		if err := sub.balance(start[:own]); err != nil {
			return err
		}
	}
	p.Start = start
	// What changed of each row.
	delta := make([]float64, l)
	for i := range l {
		delta[i] = -all.Coef.At(i, o)
	}
	for u, a := range start {
		delta[p.Row[u]] += p.Sign[u] * a
	}
	var rows []int
	var change []float64
	for i, d := range delta {
		if d != 0 {
			rows, change = append(rows, i), append(change, d)
		}
	}
	f := make([]float64, l)
	for i := range l {
		f[i] = all.Fitted.At(i, o)
		if all.Offset != nil {
			f[i] -= all.Offset[o]
		}
	}
	t.shared.f = f
	return t.work.accumulate(context.WithoutCancel(ctx), f, nil, rows, change)
}

// balance moves x, within the box, to s'x = 0: the free variables if they suffice, then
// all that are not 0, then all.
func (p Problem) balance(x []float64) error {
	var lack float64
	for u, s := range p.Sign {
		lack -= s * x[u]
	}
	var err error
	for _, belongs := range []func(u int) bool{
		func(u int) bool { return x[u] > 0 && x[u] < p.Upper[u] },
		func(u int) bool { return x[u] > 0 },
		func(int) bool { return true },
	} {
		// The sum they are to have: what they have and what is lacking.
		p.Start = slices.Clone(x)
		first := slices.IndexFunc(p.index(), belongs)
		if first < 0 {
			continue
		}
		p.Start[first] += p.Sign[first] * lack
		moved := slices.Clone(x)
		if err = p.project(moved, belongs); err == nil {
			copy(x, moved)
			return nil
		}
	}
	return err
}

// index lists the variables.
func (p Problem) index() []int {
	return indices.To(len(p.Sign))
}
