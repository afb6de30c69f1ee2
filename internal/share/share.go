// Package share has the independent pieces of a fit done by others, on other machines if they like.
//
// A fit comes to stages, such as the candidates of a design or a heat of a race, whose pieces need nothing of each other. It has a Crew
// do them. Without one they are done here, one after the other, and the result is the same.
//
// A member of a crew needs no state of the fit: it begins the same fit again on the same rows, with a Member for a crew. The fit then
// runs through the stages before, whose pieces are known, and does pieces of its stage until there are no more. So fits do nothing
// costly between stages that is not a stage too, of one piece (One). So kernels, graphs and folds need no form in which they travel.
package share

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"github.com/mercer-ml/mercer/result"
)

// Begin begins a stage of n pieces, done by a crew, or here if that is nil, and returns what gives the result of one. Results of a
// crew travel by encoding/gob.
func Begin[T any](
	ctx context.Context, crew result.Crew, stage string, n int, do func(ctx context.Context, piece int) (T, error),
) (func(ctx context.Context, piece int) (T, error), error) {
	if crew == nil || n == 0 {
		return do, nil
	}
	give, err := crew.Begin(ctx, stage, n, func(ctx context.Context, piece int) ([]byte, error) {
		one, err := do(ctx, piece)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = gob.NewEncoder(&b).Encode(&one)
		return b.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, piece int) (one T, err error) {
		text, err := give(ctx, piece)
		if err != nil {
			return one, err
		}
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&one); err != nil {
			return one, fmt.Errorf("share: piece %d of %s: %w", piece+1, stage, err)
		}
		return one, nil
	}, nil
}

// Do does all pieces of a stage in their order.
func Do[T any](
	ctx context.Context, crew result.Crew, stage string, n int, do func(ctx context.Context, piece int) (T, error),
) ([]T, error) {
	all := make([]T, n)
	give, err := Begin(ctx, crew, stage, n, do)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i], err = give(ctx, i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// One does what is a single piece: what the members of a crew need and should not find again.
func One[T any](ctx context.Context, crew result.Crew, stage string, do func(ctx context.Context) (T, error)) (T, error) {
	all, err := Do(ctx, crew, stage, 1, func(ctx context.Context, _ int) (T, error) { return do(ctx) })
	if err != nil {
		var none T
		return none, err
	}
	return all[0], nil
}

// ErrDone ends a fit that was begun for a Member.
var ErrDone = errors.New("share: the pieces are done, and the fit was begun for nothing else")

// Member is the crew of a fit that is begun for pieces of one stage, numbered from 0 among the stages of the fit.
type Member struct {
	Stage int
	// Known are the pieces of an earlier stage.
	Known func(ctx context.Context, stage, n int) ([][]byte, error)
	// Next is the number of a piece to do; it may wait for one. False: there are no more.
	Next func(ctx context.Context) (piece int, more bool)
	// Give takes what a piece gave.
	Give func(piece int, result []byte, err error)

	before int // stages
}

// Apart implements Crew.
func (m *Member) Apart() bool { return true }

// Begin implements Crew.
func (m *Member) Begin(ctx context.Context, _ string, n int, do result.Piece) (result.Piece, error) {
	stage := m.before
	m.before++
	if stage < m.Stage {
		known, err := m.Known(ctx, stage, n)
		return Known(known), err
	}
	for {
		piece, more := m.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !more:
			return nil, ErrDone
		case piece >= n:
			return nil, fmt.Errorf("share: there are %d pieces and none has the number %d", n, piece)
		}
		result, err := do(ctx, piece)
		m.Give(piece, result, err)
	}
}

// Known gives results that are all there.
func Known(results [][]byte) result.Piece {
	return func(_ context.Context, number int) ([]byte, error) {
		if number >= len(results) {
			return nil, fmt.Errorf("share: piece %d of %d", number+1, len(results))
		}
		return results[number], nil
	}
}

// Within is the crew for a fit within a fit, whose stages have names of their own; nil for nil.
func Within(crew result.Crew, fit string) result.Crew {
	if crew == nil {
		return nil
	}
	return within{crew, fit}
}

type within struct {
	result.Crew
	fit string
}

// Begin implements Crew.
func (w within) Begin(ctx context.Context, stage string, n int, do result.Piece) (result.Piece, error) {
	return w.Crew.Begin(ctx, w.fit+": "+stage, n, do)
}
