package share_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/test/sharetest"
	"github.com/mercer-ml/mercer/result"
)

// sum is a fit of two stages after one of a single piece, each of which needs the one before.
func sum(ctx context.Context, crew result.Crew) (int, error) {
	total, err := share.One(ctx, crew, "start", func(context.Context) (int, error) { return 10, nil })
	if err != nil {
		return 0, err
	}
	for _, n := range []int{3, 4} {
		list, err := share.Do(ctx, crew, fmt.Sprintf("times %d", total), n, func(_ context.Context, piece int) (int, error) {
			return total * piece, nil
		})
		if err != nil {
			return 0, err
		}
		for _, v := range list {
			total += v
		}
	}
	return total, nil
}

func TestPiecesApartAreTheWhole(t *testing.T) {
	ctx := t.Context()
	want, err := sum(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	crew := &sharetest.Apart{Fit: func(ctx context.Context, crew result.Crew) error { _, err := sum(ctx, crew); return err }}
	got, err := sum(ctx, crew)
	if err != nil || got != want || want != (10+30)+40*6 {
		t.Errorf("%d in pieces (%v), %d here", got, err, want)
	}
	if want := []string{"start: 1", "times 10: 3", "times 40: 4"}; !slices.Equal(crew.Stages, want) {
		t.Errorf("stages %q, want %q", crew.Stages, want)
	}
}

func TestAnErrorOfAPieceEndsTheFit(t *testing.T) {
	broken := errors.New("broken")
	fit := func(ctx context.Context, crew result.Crew) error {
		_, err := share.Do(ctx, crew, "stage", 2, func(_ context.Context, piece int) (int, error) {
			if piece == 1 {
				return 0, broken
			}
			return piece, nil
		})
		return err
	}
	for _, crew := range []result.Crew{nil, &sharetest.Apart{Fit: fit}} {
		if err := fit(t.Context(), crew); !errors.Is(err, broken) {
			t.Errorf("%T: %v", crew, err)
		}
	}
}

func TestAMemberIsToldOfAPieceThatIsNot(t *testing.T) {
	m := &share.Member{Next: func(context.Context) (int, bool) { return 4, true }}
	if _, err := sum(t.Context(), m); err == nil || errors.Is(err, share.ErrDone) {
		t.Errorf("piece 4 of 1: %v", err)
	}
}
