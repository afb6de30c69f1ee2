package task

import (
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// Sample replaces the rows of an input by the labelled ones and a sample of the others, `rows`
// in all, in their order. The other rows are met again when the metrics of hidden rows are taken.
func Sample(in result.Input, rows int, seed uint64) result.Input {
	var kept, others []int
	for i, a := range in.Set.Answers {
		if data.IsUnlabelled(a) {
			others = append(others, i)
		} else {
			kept = append(kept, i)
		}
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	kept = append(kept, others[:max(rows-len(kept), 0)]...)
	slices.Sort(kept)
	part := in
	part.Set = in.Set.Select(kept)
	if in.Hidden != nil {
		part.Hidden = in.Hidden.Select(kept)
	}
	return part
}

// Sampled says whether the task learns from a sample of what was given.
func (t *Task) Sampled() bool { return t.Input.Set != t.Whole.Set }
