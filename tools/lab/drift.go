package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// movedRows counts how often evaluate says that rows have moved: of halves of a set drawn at random, where it should not, and of the
// same halves changed on purpose.
func movedRows(f *measure.Flags) func() measure.Page {
	draws := f.Int("draws", 40, "random halves of each set")
	return func() measure.Page {
		return measure.Page{Title: "Rows that have moved, and rows that have not", Write: func(ctx context.Context, w io.Writer) error {
			fmt.Fprint(w, "| set | labels | told to have moved, % | columns | distance | output | "+
				"moved by half a deviation, found % | half a class gone, found % |\n|---|---|---|---|---|---|---|---|\n")
			for _, s := range []driftTrial{
				{"iris", mercer.Recipe{}, 0}, {"wine", mercer.Recipe{}, 0}, {"breast-cancer", mercer.Recipe{}, 0},
				{"digits", mercer.Recipe{}, 0}, {"breast-cancer", mercer.Recipe{Method: "svm"}, 0}, {"sinc:n=800", mercer.Recipe{}, 0},
				{"two-moons:n=800", mercer.Recipe{}, 10}, {"g50c", mercer.Recipe{}, 20}, {"digits", mercer.Recipe{}, 2},
				{"two-topics", mercer.Recipe{}, 20},
			} {
				if err := s.line(ctx, w, *draws); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
			_, err := fmt.Fprintf(w, "\nA model learns from one half of the set and is asked about the other, in %d draws. Labels: all of "+
				"the half, or so many a class. Columns, distance, output: which of these were among what was said to have moved, %% of "+
				"draws. Of sparse rows no column is remembered.\n", *draws)
			return err
		}}
	}
}

// driftTrial is a set, a recipe and the labels a class; 0: all.
type driftTrial struct {
	name   string
	recipe mercer.Recipe
	labels int
}

// driftCount counts draws.
type driftCount struct{ any, columns, distance, output int }

func (t *driftCount) add(d *result.DriftState) {
	has := func(what string) int {
		if slices.ContainsFunc(d.Moved, func(m result.Moved) bool { return m.What == what }) {
			return 1
		}
		return 0
	}
	t.any += min(1, len(d.Moved))
	t.columns += has("column")
	t.distance += has("distance")
	t.output += has("output")
}

func (t driftTrial) line(ctx context.Context, w io.Writer, draws int) error {
	set, err := data.Builtin(t.name)
	if err != nil {
		return err
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		return err
	}
	var still, shifted, fewer driftCount
	for seed := range uint64(draws) {
		rng := rand.New(rand.NewPCG(seed, 0xd1f7))
		order := rng.Perm(set.Rows.Len())
		half := len(order) / 2
		in := mercer.Input{Set: set.Select(order[:half])}
		if t.labels > 0 {
			own, err := data.Interpret(in.Set.Answers, set.LabelName, data.LabelOptions{})
			if err != nil {
				return err
			}
			keep, err := data.DrawPerClass(own, t.labels, seed)
			if err != nil {
				return err
			}
			in.Set.Answers, _ = data.Hide(in.Set.Answers, keep)
		}
		m, _, err := mercer.Fit(ctx, in, t.recipe, mercer.Options{})
		if err != nil {
			return err
		}
		other := order[half:]
		for _, c := range []struct {
			to   *driftCount
			rows data.Rows
		}{
			{&still, set.Rows.Select(other)}, {&shifted, withMovedColumn(set.Rows.Select(other), rng)},
			{&fewer, set.Rows.Select(withFewer(labels, other))},
		} {
			d, err := m.Drift(ctx, c.rows)
			if err != nil {
				return err
			}
			c.to.add(d)
		}
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(draws) }
	found := func(n int, there bool) string {
		if !there {
			return "-"
		}
		return fmt.Sprintf("%.0f", percent(n))
	}
	name, all := t.name, "all"
	if t.labels > 0 {
		all = fmt.Sprint(t.labels, " a class")
	}
	if t.recipe.Method != "" {
		name += ", " + strings.ToUpper(t.recipe.Method)
	}
	fmt.Fprintf(w, "| %s | %s | %.1f | %.1f | %.1f | %.1f | %s | %s |\n", name, all, percent(still.any), percent(still.columns),
		percent(still.distance), percent(still.output), found(shifted.any, set.Rows.Dense != nil),
		found(fewer.any, labels.Task == data.Classification))
	return nil
}

// withMovedColumn adds half a standard deviation to a column that varies; sparse rows stay as they are.
func withMovedColumn(rows data.Rows, rng *rand.Rand) data.Rows {
	if rows.Dense == nil {
		return rows
	}
	n, d := rows.Dense.Dims()
	out := mat.DenseCopyOf(rows.Dense)
	for {
		j := rng.IntN(d)
		by := stat.StdDev(mat.Col(nil, j, out), nil) / 2
		if by == 0 {
			continue
		}
		for i := range n {
			out.Set(i, j, out.At(i, j)+by)
		}
		return data.Rows{Dense: out}
	}
}

// withFewer leaves out every other row of the first class.
func withFewer(labels data.Labels, rows []int) (kept []int) {
	first := 0
	for _, i := range rows {
		if labels.Task == data.Classification && labels.Class[i] == 0 {
			if first++; first%2 == 0 {
				continue
			}
		}
		kept = append(kept, i)
	}
	return kept
}
