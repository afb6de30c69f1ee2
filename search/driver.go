package search

// The loop around every search: one evaluation is one theta asked for, whether
// by value or with its gradient (gradients are marked in the trace); the budget
// is exact; the answer is the best point visited, the first on ties. A value of the answer
// that an inner solver left too rough to be shown is replaced by the exact one (settle.go).

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/search/param"
)

// DefaultBudget is the number of evaluations of the published comparison,
// 3^5 (Becker 2013, section 4.3.4).
const DefaultBudget = 243

var (
	// errBudget is what a Search receives when the budget is spent. Values of
	// the part of the batch that still fitted come with it.
	errBudget = errors.New("budget spent")
	// errTime is what a Search receives when the time limit has passed.
	errTime = errors.New("time limit reached")
	// errNoGradient is what a search by gradients returns for an objective that
	// has none.
	errNoGradient = errors.New("this score has no gradient: choose a search without derivatives (random, nelder-mead, grid)")
	// ErrInfeasible is returned when no point visited has a finite score.
	ErrInfeasible = errors.New("no feasible point")
)

// Status says why a run ended.
type Status string

// The ends of a run.
const (
	Converged   Status = "converged"    // the search ended by its own rule
	Complete    Status = "complete"     // all points that the search planned are evaluated
	Budget      Status = "budget spent" // Driver.Budget evaluations were made and more were asked for
	TimeLimit   Status = "time limit"
	Interrupted Status = "interrupted" // the context was cancelled
	Failed      Status = "failed"      // an error ended it; it is returned too
)

// forker is an objective that gives each worker of a parallel run a workspace
// of its own. Others are called concurrently as they are.
type forker interface{ Fork() param.Objective }

// Driver runs searches. The zero value makes at most DefaultBudget evaluations,
// one at a time.
type Driver struct {
	Budget    int           // evaluations; default DefaultBudget
	TimeLimit time.Duration // default none
	Parallel  int           // evaluations of one batch at a time; default 1, since one evaluation may fill the cores
	OnEval    func(Record)  // called from one goroutine, in the order of the trace; nil for none
	Replay    []Record      // an earlier trace: what it knows is not computed again
}

// Ended is the status of a context that has ended: by its deadline, or by an interrupt.
func Ended(ctx context.Context) Status {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Interrupted
}

// Result is the answer of a run.
type Result struct {
	Theta       []float64 // best point visited, the first on ties
	F           float64
	Noise       float64  // of F, see param.Value; small unless the run was cut off
	OnBound     []string // free parameters that Theta has on a bound of their range
	Status      Status
	Evaluations int // thetas asked for, replayed ones included
	Gradients   int // of them with gradient
	Replayed    int // of them answered without computing
	Seconds     float64
	Trace       []Record
}

// Run searches for the theta with the smallest objective. A journal in the context
// (WithJournal) is replayed too, and keeps what is computed.
//
// The objective is not called for a theta, equal in every bit, that the Replay
// or the run itself has already evaluated (with gradient, if that is asked): the
// answer is repeated, counted, and marked Replayed. So a run on its own trace
// ends alike without computing, and a longer budget goes on where it stopped.
// The result does not depend on Parallel, unless time or an interrupt cuts a
// batch.
//
// When the context or the time limit ends the run after at least one evaluation
// the best so far is returned without error. Other errors are returned beside
// the best so far; so is ErrInfeasible.
func (d Driver) Run(ctx context.Context, o param.Objective, s Search) (Result, error) {
	r, err := d.begin(ctx, o)
	if err != nil {
		return Result{}, err
	}
	inner := ctx
	if d.TimeLimit > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeoutCause(ctx, d.TimeLimit, errTime)
		defer cancel()
	}
	start := time.Now()
	err = s.Run(inner, r.space, r.eval)
	if err == nil || errors.Is(err, errBudget) {
		if fault := r.settle(inner); fault != nil {
			err = fault
		}
	}
	out := r.out
	out.OnBound = onBound(r.space, out.Theta)
	out.Seconds = time.Since(start).Seconds()
	switch {
	case err == nil:
		out.Status = Converged
		if p, ok := s.(planner); ok && p.planned() {
			out.Status = Complete
		}
	case errors.Is(err, errBudget):
		out.Status, err = Budget, nil
	case ctx.Err() != nil:
		out.Status, err = Interrupted, ctx.Err()
	case inner.Err() != nil:
		out.Status, err = TimeLimit, errTime
	default:
		out.Status = Failed
		return out, err
	}
	switch {
	case out.Evaluations == 0 && err == nil:
		return out, errors.New("the search proposed no point")
	case out.Evaluations == 0:
		return out, err
	case math.IsInf(out.F, 1):
		return out, fmt.Errorf("%w among %d evaluations", ErrInfeasible, out.Evaluations)
	}
	return out, nil
}

// begin prepares a run: its workers, and what is known already.
func (d Driver) begin(ctx context.Context, o param.Objective) (*run, error) {
	r := &run{
		driver:  d,
		space:   o.Space(),
		workers: make([]param.Objective, max(d.Parallel, 1)),
		known:   map[string]Record{},
		exact:   map[string]Record{},
	}
	if r.driver.Budget == 0 {
		r.driver.Budget = DefaultBudget
	}
	if r.driver.Budget < 0 {
		return nil, fmt.Errorf("budget %d: must be positive", d.Budget)
	}
	for i := range r.workers {
		r.workers[i] = o
		if f, ok := o.(forker); ok && i > 0 {
			r.workers[i] = f.Fork()
		}
	}
	r.journal = journalOf(ctx)
	replay := d.Replay
	if r.journal != nil {
		replay = slices.Concat(replay, r.journal.known)
	}
	for i, rec := range replay {
		if len(rec.Theta) != len(r.space) {
			return nil, fmt.Errorf(
				"replay: record %d has %d hyper-parameters, this problem %d: the trace is of another problem",
				i+1,
				len(rec.Theta),
				len(r.space),
			)
		}
		r.learn(rec)
	}
	return r, nil
}

type run struct {
	driver  Driver
	space   param.Space
	workers []param.Objective
	known   map[string]Record
	exact   map[string]Record // of settle
	journal *Journal          // nil: none
	out     Result
}

// eval is the Evaluate of the run.
func (r *run) eval(ctx context.Context, theta [][]float64, want param.Want) ([]param.Value, error) {
	if err := cause(ctx); err != nil {
		return nil, err
	}
	left := r.driver.Budget - r.out.Evaluations
	if r.rough() { // the last is for settle
		left--
	}
	batch := theta[:min(len(theta), max(left, 0))]
	for _, t := range batch {
		if err := r.space.Check(t); err != nil {
			return nil, err
		}
	}
	records, err := r.batch(ctx, batch, want)
	if r.journal != nil && r.journal.Err() != nil {
		return nil, r.journal.Err() // what cannot be kept is not worth going on for: it could not be resumed
	}
	values := make([]param.Value, len(records))
	for i, rec := range records {
		values[i] = param.Value{F: rec.F, Noise: rec.Noise}
		if want == param.WithGradient && rec.Grad != nil {
			values[i].Grad = append([]float64(nil), rec.Grad...)
		}
	}
	if err == nil && len(batch) < len(theta) {
		err = errBudget
	}
	return values, err
}

// job is one evaluation of a batch.
type job struct {
	record Record
	same   int // index of an equal theta earlier in the batch, or -1
	err    error
	done   bool
}

// batch evaluates all points and adds them to the trace in order. On an error
// it returns the records before the first missing one; completed later ones
// still enter the trace.
func (r *run) batch(ctx context.Context, theta [][]float64, want param.Want) ([]Record, error) {
	jobs, todo := r.plan(theta, want)
	stop, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	finished := r.compute(stop, halt, jobs, todo, want)
	// Records enter the trace in the order of the batch, as early as that allows.
	next := r.enter(jobs, 0, want)
	for i := range finished {
		jobs[i].done = jobs[i].err == nil
		next = r.enter(jobs, next, want)
	}
	records := make([]Record, 0, next)
	for i := range next {
		records = append(records, jobs[i].record)
	}
	if next == len(jobs) {
		return records, nil
	}
	for i := next; i < len(jobs); i++ {
		if jobs[i].done {
			r.add(jobs[i].record, want)
		}
	}
	return records, context.Cause(stop)
}

// plan makes the jobs, and the list of those whose answer is neither known nor another's.
func (r *run) plan(theta [][]float64, want param.Want) ([]job, []int) {
	jobs := make([]job, len(theta))
	var todo []int
	first := map[string]int{}
	for i, t := range theta {
		j := &jobs[i]
		j.same = -1
		k := key(t)
		if rec, ok := r.known[k]; ok && (rec.GradAsked || want == param.ValueOnly) {
			j.record, j.done = rec, true
			j.record.Replayed = true
		} else if e, ok := first[k]; ok {
			j.same = e
		} else {
			first[k] = i
			j.record = Record{Theta: append([]float64(nil), t...)}
			todo = append(todo, i)
		}
		j.record.GradAsked = want == param.WithGradient
	}
	return jobs, todo
}

// compute evaluates the jobs todo on the workers and sends their numbers as they end; an
// error halts the others.
func (r *run) compute(ctx context.Context, halt context.CancelCauseFunc, jobs []job, todo []int, want param.Want) <-chan int {
	queue, finished := make(chan int, len(todo)), make(chan int, len(todo))
	for _, i := range todo {
		queue <- i
	}
	close(queue)
	var group sync.WaitGroup
	for w := range min(len(r.workers), len(todo)) {
		group.Go(func() {
			for i := range queue {
				if jobs[i].err = jobs[i].eval(ctx, r.workers[w], want); jobs[i].err != nil {
					halt(jobs[i].err)
				}
				finished <- i
			}
		})
	}
	go func() {
		group.Wait()
		close(finished)
	}()
	return finished
}

func (j *job) eval(ctx context.Context, o param.Objective, want param.Want) error {
	if err := cause(ctx); err != nil {
		return err
	}
	began := time.Now()
	v, err := o.Eval(ctx, append([]float64(nil), j.record.Theta...), want)
	j.record.Seconds = time.Since(began).Seconds()
	j.record.F, j.record.Grad, j.record.Noise = v.F, v.Grad, v.Noise
	return err
}

// enter adds the jobs from next on to the trace, up to the first that is not done, which it returns.
func (r *run) enter(jobs []job, next int, want param.Want) int {
	for ; next < len(jobs); next++ {
		j := &jobs[next]
		if j.same >= 0 {
			j.record, j.done = jobs[j.same].record, jobs[j.same].done
			j.record.Replayed = true
		}
		if !j.done {
			break
		}
		j.record = r.add(j.record, want)
	}
	return next
}

// add numbers a record, adds it to the trace and keeps the best.
func (r *run) add(rec Record, want param.Want) Record {
	if math.IsNaN(rec.F) {
		rec.F = math.Inf(1)
	}
	if rec.GradAsked = want == param.WithGradient; want == param.ValueOnly {
		rec.Grad = nil
	}
	if rec.Replayed {
		rec.Seconds = 0
		r.out.Replayed++
	}
	if want == param.WithGradient {
		r.out.Gradients++
	}
	r.out.Evaluations++
	rec.N = r.out.Evaluations
	r.out.Trace = append(r.out.Trace, rec)
	r.learn(rec)
	if r.journal != nil && !rec.Replayed {
		_ = r.journal.keep(rec) // eval looks for its error after the batch
	}
	if r.out.Theta == nil || rec.F < r.out.F {
		r.answer(rec)
	}
	if r.driver.OnEval != nil {
		r.driver.OnEval(rec)
	}
	return rec
}

// answer makes a record that of the result.
func (r *run) answer(rec Record) {
	r.out.F, r.out.Noise = rec.F, rec.Noise
	r.out.Theta = append([]float64(nil), rec.Theta...)
}

// learn remembers a record; one with gradient is not forgotten for one without.
func (r *run) learn(rec Record) {
	k := key(rec.Theta)
	if rec.Exact {
		r.exact[k] = rec
	} else if old, ok := r.known[k]; !ok || rec.GradAsked && !old.GradAsked {
		r.known[k] = rec
	}
}

// key is theta's bits.
func key(theta []float64) string {
	b := make([]byte, 0, 8*len(theta))
	for _, v := range theta {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}

func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
