// Package sharetest has fits done in pieces, as members of a crew do them.
package sharetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/result"
)

// Apart is a crew each of whose members begins the fit again and does some pieces of a stage: one the even ones from the last
// to the first, another the odd ones, and a third the first piece once more.
type Apart struct {
	Fit    func(ctx context.Context, crew result.Crew) error
	Stages []string // done, and how many pieces each had

	known [][][]byte
}

// Apart implements result.Crew.
func (a *Apart) Apart() bool { return true }

// Begin implements result.Crew.
func (a *Apart) Begin(ctx context.Context, stage string, n int, _ result.Piece) (result.Piece, error) {
	var even, odd []int
	for i := n - 1; i >= 0; i-- {
		if i%2 == 0 {
			even = append(even, i)
		} else {
			odd = append(odd, i)
		}
	}
	all := make([][]byte, n)
	for _, pieces := range [][]int{even, odd, {0}} {
		if err := a.member(ctx, pieces, all); err != nil {
			return nil, err
		}
	}
	a.known = append(a.known, all)
	a.Stages = append(a.Stages, fmt.Sprintf("%s: %d", stage, n))
	return share.Known(all), nil
}

// member does pieces of the next stage.
func (a *Apart) member(ctx context.Context, pieces []int, all [][]byte) error {
	var failed error
	left := slices.Clone(pieces)
	m := &share.Member{
		Stage: len(a.known),
		Known: func(_ context.Context, stage, n int) ([][]byte, error) {
			if len(a.known[stage]) != n {
				return nil, fmt.Errorf("stage %d has %d pieces and had %d before", stage, n, len(a.known[stage]))
			}
			return a.known[stage], nil
		},
		Next: func(context.Context) (int, bool) {
			if len(left) == 0 || failed != nil {
				return 0, false
			}
			piece := left[0]
			left = left[1:]
			return piece, true
		},
		Give: func(piece int, result []byte, err error) { all[piece], failed = result, errors.Join(failed, err) },
	}
	if err := a.Fit(ctx, m); !errors.Is(err, share.ErrDone) {
		return fmt.Errorf("a fit begun for pieces ended by itself: %w", err)
	}
	return failed
}
