package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/rbf"
)

// rehearsal goes through an experiment once, on its own data, in about a second: one split, searches of a few evaluations,
// grids of a few values. What an experiment shortens then it has asked for by the functions of this file, which write down
// what it would be in earnest, so that no number of a protocol can change unseen (rehearsal_test.go).
type rehearsal struct {
	plan []string // what was asked for, in full, each line once
}

// rehearsing is where a context keeps its rehearsal.
type rehearsing struct{}

// declare writes a part of the protocol down, and says whether this is a rehearsal.
func declare(ctx context.Context, what string, v any) bool {
	r, ok := ctx.Value(rehearsing{}).(*rehearsal)
	if !ok {
		return false
	}
	line := fmt.Sprintf("%s: %+v", what, v)
	for _, said := range r.plan {
		if said == line {
			return true
		}
	}
	r.plan = append(r.plan, line)
	return true
}

// thin are the values of a list: in a rehearsal the first so many.
func thin[T any](ctx context.Context, what string, most int, list []T) []T {
	if declare(ctx, what, list) && len(list) > most {
		return list[:most]
	}
	return list
}

// atMost is a number: in a rehearsal the lesser of it and most.
func atMost(ctx context.Context, what string, most, n int) int {
	if declare(ctx, what, n) {
		return min(most, n)
	}
	return n
}

// thinned are the rows of a set: in a rehearsal one of every so many.
func thinned(ctx context.Context, what string, every int, rows []int) []int {
	if !declare(ctx, what, len(rows)) {
		return rows
	}
	var few []int
	for q := 0; q < len(rows); q += every {
		few = append(few, rows[q])
	}
	return few
}

// brief is the recipe of a front: in a rehearsal one of few widths and steps.
func brief(ctx context.Context, recipe rbf.MOBJ) rbf.MOBJ {
	if declare(ctx, "front", recipe) {
		recipe.Widths.Steps, recipe.Steps, recipe.MaxQ = 3, 20, recipe.MaxQ/4
	}
	return recipe
}
