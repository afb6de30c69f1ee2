package mercer

import (
	"fmt"

	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/param"
)

// exactRows is the number of rows up to which machines with a graph have n x n tables: at 8000
// rows they take 1 GB, and a machine of the design some seconds.
const exactRows = 8000

// reducing says whether the machines with a graph are reduced to landmarks, and to how many.
func reducing(n, labelled int, r Recipe) (landmarks int, ok bool) {
	m, known := methodOf(r.Method)
	if n <= exactRows || labelled == n || known && !m.semi || r.Set["exact"] == "true" || r.byGradients() {
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
func reducedSearch(lap *hyper.LapRLS, l kernel.Landmarks) *hyper.Reduced {
	r := &hyper.Reduced{LapRLS: *lap, Landmarks: l, Longest: min(50, lap.Problem.Rows.Len()-1)}
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
