// Package share has the independent pieces of a fit done by others, on other machines if they like.
//
// A fit comes to stages, such as the candidates of a design or a heat of a race, whose pieces need nothing of each other. It has a Crew
// do them. Without one they are done here, one after the other, and the result is the same.
//
// A member of a crew needs no state of the fit: it begins the same fit again on the same rows, with a Member for a crew. The fit then
// runs through the stages before, whose pieces are known, and does pieces of its stage until there are no more. So fits do nothing
// costly between stages that is not a stage too, of one piece (One).
package share

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
)

// Crew does pieces of a fit.
type Crew interface {
	// Do has n pieces of a stage done, each by do, and returns what they gave in their order. A piece may be done more than once.
	// A fit calls it for one stage after the other, never for two at a time, and for the same stages whenever it is run. An error of
	// a piece ends the fit.
	Do(ctx context.Context, stage string, n int, do func(ctx context.Context, piece int) ([]byte, error)) ([][]byte, error)
}

// Do does n pieces of a stage by a crew, or here in their order if that is nil. Results of a crew travel by encoding/gob.
func Do[T any](ctx context.Context, crew Crew, stage string, n int, do func(ctx context.Context, piece int) (T, error)) ([]T, error) {
	all := make([]T, n)
	if n == 0 {
		return all, nil
	}
	if crew == nil {
		for i := range all {
			var err error
			if all[i], err = do(ctx, i); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	texts, err := crew.Do(ctx, stage, n, func(ctx context.Context, piece int) ([]byte, error) {
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
	if len(texts) != n {
		return nil, fmt.Errorf("share: %d of %d pieces of %s", len(texts), n, stage)
	}
	for i, text := range texts {
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&all[i]); err != nil {
			return nil, fmt.Errorf("share: piece %d of %s: %w", i+1, stage, err)
		}
	}
	return all, nil
}

// One does what is a single piece: what the members of a crew need and should not find again.
func One[T any](ctx context.Context, crew Crew, stage string, do func(ctx context.Context) (T, error)) (T, error) {
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

// Do implements Crew.
func (m *Member) Do(ctx context.Context, _ string, n int, do func(ctx context.Context, piece int) ([]byte, error)) ([][]byte, error) {
	stage := m.before
	m.before++
	if stage < m.Stage {
		return m.Known(ctx, stage, n)
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
