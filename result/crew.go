package result

import (
	"context"
)

// Piece does the piece of a stage that has the number, and returns what it gave.
type Piece func(ctx context.Context, number int) ([]byte, error)

// Crew does pieces of a fit.
type Crew interface {
	// Begin begins a stage of n pieces, each done by do, and returns what gives the result of one, in any order; a piece may be done
	// more than once. A fit calls it for one stage after the other, never for two at a time, and for the same stages whenever it
	// is run. An error of a piece ends the fit.
	Begin(ctx context.Context, stage string, n int, do Piece) (Piece, error)
	// Apart says that pieces are done where nothing is known of other pieces, so that work which several have in common is worth
	// making one piece of them.
	Apart() bool
}
