package mercer

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
)

// exactRows is the number of rows up to which machines with a graph have n x n tables: at 8000
// rows they take 1 GB, and a machine of the design half a minute of processor.
const exactRows = 8000

// sampledRows is the number of rows that machines with a graph learn from where there are more: the whole
// design takes a minute or two on two cores.
const sampledRows = 4000

// large says whether a fit has a graph of more rows than tables hold.
func large(n, labelled int, r Recipe) bool {
	m, known := methodOf(r.Method)
	return n > exactRows && labelled < n && (!known || m.semi) && r.Set["exact"] != "true" && !r.byGradients()
}

// sampling says whether a fit learns from a sample of the unlabelled rows. A function of few
// landmarks cannot follow a fine structure that a sample still shows: on ten manifolds in 50 dimensions,
// 20 000 rows, 10 labels each, docs/automatic-choice.md compares them.
func sampling(n, labelled int, r Recipe) bool {
	return large(n, labelled, r) && 2*labelled <= sampledRows
}

// sampled replaces the rows of an input by the labelled ones and a sample of the others, in their order.
// The other rows are met again when the metrics of hidden rows are taken.
func sampled(in Input, r Recipe) (Input, bool) {
	n, labelled := in.Set.Rows.Len(), 0
	rows := make([]int, 0, n)
	for i, a := range in.Set.Answers {
		if !data.IsUnlabelled(a) {
			labelled++
		} else {
			rows = append(rows, i)
		}
	}
	if in.Set.Answers == nil || !sampling(n, labelled, r) {
		return in, false
	}
	draw := rand.New(rand.NewPCG(r.seed(), 0))
	draw.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	rows = rows[:sampledRows-labelled]
	for i, a := range in.Set.Answers {
		if !data.IsUnlabelled(a) {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	part := in
	part.Set, part.whole = in.Set.Select(rows), &in
	if in.Hidden != nil {
		part.Hidden = in.Hidden.Select(rows)
	}
	return part, true
}

// saidSampled is the warning of a sample.
func saidSampled(n int) string {
	return fmt.Sprintf("%d rows: machines with a graph learn from the labelled ones and a sample, %d in all, and decide the others as new rows; --set exact=true takes all, with tables of %s", n, sampledRows, Bytes(16*int64(n)*int64(n)))
}

// reducing says whether the machines with a graph are reduced to landmarks, and to how many: where
// the labelled rows alone are too many for a sample.
func reducing(n, labelled int, r Recipe) (landmarks int, ok bool) {
	if !large(n, labelled, r) || sampling(n, labelled, r) {
		return 0, false
	}
	// 1000 landmarks keep the score of a search within a minute of 100 000 rows.
	return min(max(n/5, 500), 1000), true
}

// landmarks is the recipe of a reduction, nil where tables are exact.
func (j *job) landmarks() *kernel.Landmarks {
	m, ok := reducing(j.problem.Rows.Len(), len(j.problem.Labelled), j.recipe)
	if !ok {
		return nil
	}
	return &kernel.Landmarks{Count: m, Seed: j.seed()}
}

// saidReduced is the warning of a reduction.
func saidReduced(n, landmarks int) string {
	return fmt.Sprintf("%d rows: machines with a graph are reduced to %d landmarks; --set exact=true has the exact ones, with tables of %s", n, landmarks, Bytes(16*int64(n)*int64(n)))
}

// reducedSearch is the score of a search on landmarks. Its box of ratios is lower than the exact
// one's: the best ratio falls with the rows a graph joins.
func reducedSearch(lap *score.Laplacian, l kernel.Landmarks) *score.Reduced {
	r := &score.Reduced{Laplacian: *lap, Landmarks: l, Longest: min(50, lap.Problem.Rows.Len()-1)}
	// The whole numbers are fixed here: each other graph would cost another search.
	if r.Graph.Neighbours == 0 {
		r.Graph.Neighbours = 10
	}
	if r.Graph.Degree == 0 {
		r.Graph.Degree = 2
	}
	if r.Ratio == (param.Dim{}) {
		r.Ratio = param.Dim{Name: "ratio", Kind: param.Log, Lo: 0x1p-10, Hi: 0x1p20, Default: 1}
	}
	return r
}
