// Package work is what one worker does with one element, a shard or a candidate, and how the answers of several are joined.
// It knows nothing of Beam: package pipeline carries elements and answers.
//
// A new kind of work is a case in Do and, if its answers are not a list, in Join. Answers must depend on the element alone, so that
// doing it twice is harmless.
package work

import (
	"context"
	"fmt"
	"os"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/rls"
)

// Kinds of work.
const (
	Sum      = "sum"      // a squares.Part of a shard
	Pick     = "pick"     // a squares.Picked of a shard: the centres that lie there
	Products = "products" // a rls.Sums of a shard: of the features that centres give
	LeftOut  = "left out" // a squares.Left of a shard
	Predict  = "predict"  // predictions of a shard, written to a file
	Evaluate = "evaluate" // measures of a shard
	Train    = "train"    // a fit by one candidate's recipe
	Fold     = "fold"     // an outer fold of a candidate, before Train
	Split    = "split"    // a split of a candidate
)

// Spec says what is to be done with the elements of a pipeline, which are numbers from 0. It travels as JSON.
type Spec struct {
	Kind   string        `json:"kind"`
	Shards []string      `json:"shards,omitempty"`
	Read   shard.Options `json:"read"`
	Ask    squares.Ask   `json:"ask"`
	Plan   string        `json:"plan,omitempty"` // file of a squares.Plan, which may be large
	Model  string        `json:"model,omitempty"`
	// Outputs are where predictions of each shard go.
	Outputs     []string `json:"outputs,omitempty"`
	Probability bool     `json:"probability,omitempty"`
	ID          string   `json:"id,omitempty"`
	Candidates  []string `json:"candidates,omitempty"` // recipes as JSON
	Pieces      []Piece  `json:"pieces,omitempty"`     // of candidates: their folds or splits
	Splits      string   `json:"splits,omitempty"`     // file of splits
	AtOnce      int      `json:"at_once,omitempty"`    // elements that one machine may work on at a time, and share its memory
	Folder      string   `json:"folder,omitempty"`     // of what workers leave for each other
}

// Elements is how many there are.
func (s Spec) Elements() int {
	switch s.Kind {
	case Train:
		return len(s.Candidates)
	case Fold, Split:
		return len(s.Pieces)
	}
	return len(s.Shards)
}

// Answer is what became of an element. A fault of the data is an answer, because trying again would not mend it.
type Answer struct {
	Fault string
	Usage bool
	Data  []byte
}

// Do works on one element. An error is one that another try may mend.
func Do(ctx context.Context, s Spec, element int) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = Answer{Fault: fmt.Sprintf("internal error: %v; please report it with the command and, if you can, the data", p)}, nil
		}
	}()
	v, err := s.do(ctx, element)
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if err != nil {
		return failed(err), nil
	}
	a.Data, err = squares.Encode(v)
	return a, err
}

// do returns the answer's value.
func (s Spec) do(ctx context.Context, element int) (any, error) {
	switch s.Kind {
	case Sum:
		return squares.Sum(ctx, s.Shards[element], element, s.Read, s.Ask)
	case Pick:
		return planned(ctx, s, element, squares.Pick)
	case Products:
		return planned(ctx, s, element, squares.Products)
	case LeftOut:
		return planned(ctx, s, element, squares.LeftOut)
	case Predict:
		return predict(ctx, s, element)
	case Evaluate:
		return evaluate(ctx, s, element)
	case Train:
		return doneOnce(ctx, s, element, train)
	case Fold:
		return doneOnce(ctx, s, element, foldOf)
	case Split:
		return doneOnce(ctx, s, element, split)
	}
	return nil, fmt.Errorf("no work is called %q", s.Kind)
}

// planned goes over a shard by the plan in the file.
func planned[T any](
	ctx context.Context, s Spec, element int, pass func(context.Context, string, int, shard.Options, *squares.Plan) (*T, error),
) (any, error) {
	text, err := os.ReadFile(s.Plan)
	if err != nil {
		return nil, err
	}
	var plan squares.Plan
	if err := squares.Decode(text, &plan); err != nil {
		return nil, err
	}
	return pass(ctx, s.Shards[element], element, s.Read, &plan)
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
	var v any
	var err error
	switch s.Kind {
	case Sum:
		v, err = joined(answers, (*squares.Part).Join)
	case Pick:
		v, err = joined(answers, (*squares.Picked).Join)
	case Products:
		v, err = joined(answers, (*rls.Sums).Join)
	case LeftOut:
		v, err = joined(answers, (*squares.Left).Join)
	case Evaluate:
		v, err = joined(answers, (*Measures).Join)
	default:
		v, err = joined(answers, func(a, b *[]Done) { *a = append(*a, *b...) })
	}
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
		if err := squares.Decode(a.Data, one); err != nil {
			return nil, err
		}
		if i > 0 {
			join(all, one)
		}
	}
	return all, nil
}
