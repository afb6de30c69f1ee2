package task

import (
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/setting"
)

// unrelated is the least cosine distance, but for rounding, of rows without a column in common.
const unrelated = 1 - 1e-9

// Graph is the recipe of the settings: Neighbours, Degree and Width 0 where they are free. Sparse
// rows, mostly texts, are joined by the cosine unless another metric is set, and only where they
// have a column in common. Rows that have none are all equally far apart, so the nearest among them
// would be chance, or the order of the file.
func (r Request) Graph(sparse bool) graph.Recipe {
	g := graph.Recipe{Weights: graph.SelfTuned} // the best on the design sets, docs/automatic-choice.md
	for _, s := range []setting.Setting{Metric, Weights, Symmetry, Laplacian, Kind} {
		if w := r.Values.Words(s); len(w) > 0 {
			SetWord(&g, s, w[0])
		}
	}
	if k := r.Values.Numbers(Neighbours); len(k) == 1 {
		g.Neighbours = int(k[0])
	}
	if d := r.Values.Numbers(Degree); len(d) == 1 && !RealDegree(r.Values) {
		g.Degree = int(d[0])
	}
	if w := r.Values.Numbers(Width); len(w) == 1 {
		g.Width = w[0]
	}
	g.Radius = r.Values.Number(Epsilon)
	if sparse && !r.Values.Given(Metric) {
		g.Metric = graph.Cosine
	}
	return related(g, sparse)
}

// Graph is that of the request for the task's rows.
func (t *Task) Graph() graph.Recipe { return t.Request.Graph(t.Problem.Rows.IsSparse()) }

// Related limits the edges of sparse rows to those that have something in common.
func (t *Task) Related(g graph.Recipe) graph.Recipe { return related(g, t.Problem.Rows.IsSparse()) }

func related(g graph.Recipe, sparse bool) graph.Recipe {
	if g.Kind == graph.NearestNeighbours {
		g.Radius = 0
	}
	if g.Kind == graph.NearestNeighbours && g.Metric == graph.Cosine && sparse {
		g.Radius = unrelated
	}
	return g
}

// SetWord gives a recipe one of the words of its settings.
func SetWord(g *graph.Recipe, s setting.Setting, word string) {
	var err error
	switch s.Name {
	case Metric.Name:
		err = g.Metric.UnmarshalText([]byte(word))
	case Weights.Name:
		err = g.Weights.UnmarshalText([]byte(word))
	case Symmetry.Name:
		err = g.Symmetry.UnmarshalText([]byte(word))
	case Kind.Name:
		err = g.Kind.UnmarshalText([]byte(word))
	case Laplacian.Name:
		err = g.Laplacian.UnmarshalText([]byte(word))
	}
	if err != nil {
		panic(err) // of the setting's words
	}
}

// ViewColumns are the recipe's views as ranges of columns from 0, the end not included.
func (t *Task) ViewColumns() [][2]int {
	var list [][2]int
	for _, v := range t.Recipe.Views {
		list = append(list, [2]int{v.First - 1, v.Last})
	}
	return list
}
