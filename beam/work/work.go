// Package work is what one worker does with one element, a shard or a candidate, and how the answers of several are joined.
// It knows nothing of Beam: package pipeline carries elements and answers.
//
// A new kind of work is a line in kinds. Answers must depend on the element alone, so that doing it twice is harmless.
package work

import (
	"context"
	"fmt"
	"os"

	"github.com/mercer-ml/mercer/beam/neighbours"
	"github.com/mercer-ml/mercer/beam/newton"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/model"
)

// Kinds of work.
const (
	Look     = "look"     // a squares.Looked of a shard
	Sample   = "sample"   // a squares.Picked of a shard: rows evenly spaced
	Sum      = "sum"      // a squares.Part of a shard
	Pick     = "pick"     // a squares.Picked of a shard: the centres that lie there
	Products = "products" // a squares.Summed of a shard: sums of features, of each fold
	LeftOut  = "left out" // a squares.Left of a shard
	Slopes   = "slopes"   // a newton.All of a shard: sums at points
	Leave    = "leave"    // a newton.Left of a shard
	Decide   = "decide"   // a newton.AllBoth of a shard: sums with labels that are decided
	Predict  = "predict"  // predictions of a shard, written to a file
	Evaluate = "evaluate" // measures of a shard
	Train    = "train"    // a fit by one candidate's recipe
	Fold     = "fold"     // an outer fold of a candidate, before Train
	Split    = "split"    // a split of a candidate
	Part     = "part"     // a piece of the fit of a candidate

	// The passes of package neighbours, by a neighbours.Plan in the file Plan.
	Draw   = "draw"   // a neighbours.Drawn of a shard
	Route  = "route"  // a neighbours.Routed of a shard
	Search = "search" // a neighbours.Found of a group of buckets
	Merge  = "merge"  // a neighbours.Merged of a shard, whose lists are written to a file
)

// kind is how an element is worked on and how the answers of several become one.
type kind struct {
	do   func(ctx context.Context, w *Worker, element int) (any, error)
	join func(answers []Answer) (any, error)
}

// kinds are all of them.
func kinds() map[string]kind {
	list := func(a, b *[]Done) { *a = append(*a, *b...) }
	return map[string]kind{
		Look:     of(asked(squares.Look), (*squares.Looked).Join),
		Sum:      of(asked(squares.Sum), (*squares.Part).Join),
		Sample:   planned(squares.Sample, (*squares.Picked).Join),
		Pick:     planned(squares.Pick, (*squares.Picked).Join),
		Products: planned(squares.Products, (*squares.Summed).Join),
		LeftOut:  planned(squares.LeftOut, (*squares.Left).Join),
		Slopes:   planned(newton.Evaluate, (*newton.All).Join),
		Leave:    planned(newton.LeftOut, (*newton.Left).Join),
		Decide:   planned(newton.Transduce, (*newton.AllBoth).Join),
		Predict:  of(predict, list),
		Evaluate: of(evaluate, (*Measures).Join),
		Train:    of(doneOnce(train), list),
		Fold:     of(doneOnce(foldOf), list),
		Split:    of(doneOnce(split), list),
		Part:     of(part, list),
		Draw:     planned(neighbours.Draw, (*neighbours.Drawn).Join),
		Route: of(func(ctx context.Context, w *Worker, element int) (*neighbours.Routed, error) {
			p, err := planOf[neighbours.Plan](w)
			if err != nil {
				return nil, err
			}
			return neighbours.Route(ctx, w.Shards[element], element, w.Read, p, w.Folder)
		}, (*neighbours.Routed).Join),
		Search: of(func(ctx context.Context, w *Worker, element int) (*neighbours.Found, error) {
			p, err := planOf[neighbours.Plan](w)
			if err != nil {
				return nil, err
			}
			return neighbours.Search(ctx, element, p, w.Folder)
		}, (*neighbours.Found).Join),
		Merge: of(func(ctx context.Context, w *Worker, element int) (*neighbours.Merged, error) {
			p, err := planOf[neighbours.Plan](w)
			if err != nil {
				return nil, err
			}
			return neighbours.Merge(ctx, element, p, w.Folder, w.Outputs[element])
		}, (*neighbours.Merged).Join),
	}
}

// of makes a kind of what one element gives and how two of these become one.
func of[T any](do func(ctx context.Context, w *Worker, element int) (*T, error), join func(a, b *T)) kind {
	return kind{
		do:   func(ctx context.Context, w *Worker, element int) (any, error) { return do(ctx, w, element) },
		join: func(answers []Answer) (any, error) { return joined(answers, join) },
	}
}

// asked goes over a shard before there is a plan.
func asked[T any](
	pass func(context.Context, string, int, shard.Options, squares.Ask) (*T, error),
) func(context.Context, *Worker, int) (*T, error) {
	return func(ctx context.Context, w *Worker, element int) (*T, error) {
		return pass(ctx, w.Shards[element], element, w.Read, w.Ask)
	}
}

// planned goes over the shards of a run by a plan, and joins what they give.
func planned[P, T any](pass func(context.Context, string, int, shard.Options, *P) (*T, error), join func(a, b *T)) kind {
	return of(func(ctx context.Context, w *Worker, element int) (*T, error) {
		plan, err := planOf[P](w)
		if err != nil {
			return nil, err
		}
		var all *T
		for k, end := w.run(element); k < end; k++ {
			one, err := pass(ctx, w.Shards[k], k, w.Read, plan)
			switch {
			case err != nil:
				return nil, err
			case all == nil:
				all = one
			default:
				join(all, one)
			}
		}
		return all, nil
	}, join)
}

// Spec says what is to be done with the elements of a pipeline, which are numbers from 0. It travels as JSON.
type Spec struct {
	Kind   string        `json:"kind"`
	Shards []string      `json:"shards,omitempty"`
	Read   shard.Options `json:"read"`
	Ask    squares.Ask   `json:"ask"`
	Plan   string        `json:"plan,omitempty"` // file of a plan of the kind, which may be large
	// Runs are the first shards of runs of neighbours, from 0 on, each of which is an element of a pass by a plan; nil: each shard is.
	Runs  []int  `json:"runs,omitempty"`
	Model string `json:"model,omitempty"`
	// Outputs are where predictions of each shard go.
	Outputs     []string `json:"outputs,omitempty"`
	Probability bool     `json:"probability,omitempty"`
	ID          string   `json:"id,omitempty"`
	Candidates  []string `json:"candidates,omitempty"` // recipes as JSON
	Pieces      []Piece  `json:"pieces,omitempty"`     // of candidates: the whole, folds or splits
	Candidate   int      `json:"candidate,omitempty"`  // whose fit has pieces
	Stage       int      `json:"stage,omitempty"`      // of the fit
	Count       int      `json:"count,omitempty"`      // of pieces of the stage
	Splits      string   `json:"splits,omitempty"`     // file of splits
	Groups      int      `json:"groups,omitempty"`     // of buckets
	AtOnce      int      `json:"at_once,omitempty"`    // elements that one machine may work on at a time, and share its memory
	Folder      string   `json:"folder,omitempty"`     // of what workers leave for each other
	Keep        int64    `json:"keep,omitempty"`       // bytes of features that passes may keep there for later ones; 0: none
}

// Elements is how many there are.
func (s Spec) Elements() int {
	switch s.Kind {
	case Train, Fold, Split:
		return len(s.Pieces)
	case Part:
		return s.Count
	case Search:
		return s.Groups
	}
	if s.Runs != nil {
		return len(s.Runs)
	}
	return len(s.Shards)
}

// run is the first shard of an element and the one after its last.
func (s Spec) run(element int) (first, end int) {
	switch {
	case s.Runs == nil:
		return element, element + 1
	case element+1 == len(s.Runs):
		return s.Runs[element], len(s.Shards)
	}
	return s.Runs[element], s.Runs[element+1]
}

// Answer is what became of an element. A fault of the data is an answer, because trying again would not mend it.
type Answer struct {
	Fault string
	Usage bool
	Words bool // the fault is a cell that is no number (read.Error.Words)
	Data  []byte
	Path  string // of a file with Data, if that is not here
}

// Bytes are those of the answer, wherever they are.
func (a Answer) Bytes() ([]byte, error) {
	if a.Path == "" {
		return a.Data, nil
	}
	return os.ReadFile(a.Path)
}

// Worker works on one element after another, and keeps what they have in common. One goroutine uses it at a time.
type Worker struct {
	Spec
	plan any // of the kind of work
	use  *model.Model
	fit  *running
}

// NewWorker does work of one kind.
func NewWorker(s Spec) *Worker { return &Worker{Spec: s} }

// Do works on one element. An error is one that another try may mend.
func (w *Worker) Do(ctx context.Context, element int) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Failed(panicked(p)), nil
		}
	}()
	of, ok := kinds()[w.Kind]
	if !ok {
		return Answer{}, fmt.Errorf("no work is called %q", w.Kind)
	}
	v, err := of.do(ctx, w, element)
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if err != nil {
		return Failed(err), nil
	}
	a.Data, err = squares.Encode(v)
	return a, err
}

// panicked is the error of a panic.
func panicked(p any) error {
	return fmt.Errorf("internal error: %v; please report it with the command and, if you can, the data", p)
}

// planOf is the plan of a worker's kind, which is read from its file once.
func planOf[P any](w *Worker) (*P, error) {
	if w.plan == nil {
		text, err := os.ReadFile(w.Plan)
		if err != nil {
			return nil, err
		}
		plan := new(P)
		if err := squares.Decode(text, plan); err != nil {
			return nil, err
		}
		if of, ok := any(plan).(interface{ KeepIn(string, int64) }); ok && w.Keep > 0 {
			of.KeepIn(w.Folder, w.Keep)
		}
		w.plan = plan
	}
	return w.plan.(*P), nil
}

// model is the one that is used.
func (w *Worker) model(ctx context.Context) (m *model.Model, err error) {
	if w.use == nil {
		w.use, err = model.Load(ctx, w.Model)
	}
	return w.use, err
}

// Join makes one answer of those of elements in their order. The first fault is that of all.
func Join(s Spec, answers []Answer) (Answer, error) {
	for _, a := range answers {
		if a.Fault != "" {
			return a, nil
		}
	}
	if len(answers) == 1 {
		return answers[0], nil
	}
	of, ok := kinds()[s.Kind]
	if !ok {
		return Answer{}, fmt.Errorf("no work is called %q", s.Kind)
	}
	v, err := of.join(answers)
	if err != nil {
		return Answer{}, err
	}
	out, err := squares.Encode(v)
	return Answer{Data: out}, err
}

// joined joins values one after the other.
func joined[T any](answers []Answer, join func(a, b *T)) (*T, error) {
	all := new(T)
	for i, a := range answers {
		one := new(T)
		if i == 0 {
			one = all
		}
		text, err := a.Bytes()
		if err != nil {
			return nil, err
		}
		if err := squares.Decode(text, one); err != nil {
			return nil, err
		}
		if i > 0 {
			join(all, one)
		}
	}
	return all, nil
}
