package kernel

// Problem   a block of thousands of rows takes seconds or minutes, and a Gram object knows no context.
// Method    Blocks and pulls in bands of rows, between which the context is asked. A Gram object whose
//           work is not in proportion to the block asks itself (Within).
// Cost      that of one call; a band below the diagonal has the columns up to its own, so that symmetry
//           still saves half.

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/indices"
)

const (
	// wholeBlock is the number of values up to which a block is not cut.
	wholeBlock = 1 << 22
	// A band has some 2 million values, and at least so many rows.
	bandSize, bandRows = 1 << 21, 256
)

// Within returns a Gram object for work that ends soon after the context does: the one given, or a view of
// it that asks the context where its methods take long. What a method has stored when the context has
// ended is arbitrary, so whoever uses the view asks the context before the results.
func Within(ctx context.Context, g Gram) Gram {
	if w, ok := g.(asking); ok {
		return w.Within(ctx)
	}
	return g
}

// asking is a Gram object with a view that asks a context by itself.
type asking interface {
	Within(ctx context.Context) Gram
}

// Fill is Block within a context, whose error it returns; dst is then arbitrary.
func Fill(ctx context.Context, dst *mat.Dense, g Gram, i, j []int) error {
	if w, ok := g.(asking); ok {
		w.Within(ctx).Block(dst, i, j)
		return ctx.Err()
	}
	return fill(ctx, dst, g, i, j, wholeBlock)
}

func fill(ctx context.Context, dst *mat.Dense, g Gram, i, j []int, whole int) error {
	if err := prepare(ctx, g, whole); err != nil {
		return err
	}
	r, m := checkBlock(dst, g.Len(), i, j)
	if r*m <= whole {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.Block(dst, i, j)
		return nil
	}
	same := i == nil && j == nil || i != nil && slices.Equal(i, j)
	if i == nil {
		i = indices.To(g.Len())
	}
	for lo, hi := 0, 0; lo < r; lo = hi {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi = min(lo+bandOf(m, whole), r)
		if !same {
			g.Block(dst.Slice(lo, hi, 0, m).(*mat.Dense), i[lo:hi], j)
			continue
		}
		if lo > 0 {
			g.Block(dst.Slice(lo, hi, 0, lo).(*mat.Dense), i[lo:hi], i[:lo])
		}
		g.Block(dst.Slice(lo, hi, lo, hi).(*mat.Dense), i[lo:hi], i[lo:hi])
		mirrorBand(dst, lo, hi)
	}
	return nil
}

// bandOf is the number of rows of width m in a band. Tests have narrower ones.
func bandOf(m, whole int) int {
	if whole < wholeBlock {
		return chunk
	}
	return max(bandRows, bandSize/m/chunk*chunk)
}

// PullWithin is Pull within a context, whose error it returns; grad is then arbitrary.
func PullWithin(ctx context.Context, g Gram, grad []float64, bar Cotangent) error {
	if w, ok := g.(asking); ok {
		if err := w.Within(ctx).Pull(grad, bar); err != nil {
			return err
		}
		return ctx.Err()
	}
	return pullWithin(ctx, g, grad, bar, wholeBlock)
}

func pullWithin(ctx context.Context, g Gram, grad []float64, bar Cotangent, whole int) error {
	if err := prepare(ctx, g, whole); err != nil {
		return err
	}
	r, m := bar.dims(g.Len())
	if r*m <= whole {
		if err := ctx.Err(); err != nil {
			return err
		}
		return g.Pull(grad, bar)
	}
	i := bar.I
	if i == nil {
		i = indices.To(g.Len())
	}
	// The bands are whole panels, whose sums are then those of one call.
	size := bandOf(m, whole)
	if p := panelRows(m); size > p {
		size -= size % p
	}
	for lo := 0; lo < r; lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+size, r)
		band := Cotangent{I: i[lo:hi], J: bar.J, V: bar.V}
		if bar.U != nil {
			band.U = bar.U.Slice(lo, hi, 0, bar.U.RawMatrix().Cols).(*mat.Dense)
		}
		if bar.D != nil {
			band.D = bar.D.Slice(lo, hi, 0, m).(*mat.Dense)
		}
		if err := g.Pull(grad, band); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the table of all pairs that the Gram object takes its values from, where a Work keeps one.
func prepare(ctx context.Context, g Gram, whole int) error {
	switch g := g.(type) {
	case *shapeGram:
		_, err := g.table(ctx, whole)
		return err
	case made:
		for _, t := range g.inside() {
			if err := prepare(ctx, t, whole); err != nil {
				return err
			}
		}
	}
	return nil
}
