package method

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/graph"
)

// TestCompleted: of the graphs that are tried each is there once, with what was asked in the place of its own, and with no more
// neighbours than there are other rows.
func TestCompleted(t *testing.T) {
	tried := []graph.Recipe{{Neighbours: 50, Degree: 2}, {Neighbours: 16, Degree: 1}}
	for _, c := range []struct {
		asked graph.Recipe
		most  int
		want  []graph.Recipe
	}{
		{graph.Recipe{}, 100, tried},
		{graph.Recipe{}, 20, []graph.Recipe{{Neighbours: 20, Degree: 2}, {Neighbours: 16, Degree: 1}}},
		{graph.Recipe{Neighbours: 7}, 100, []graph.Recipe{{Neighbours: 7, Degree: 2}, {Neighbours: 7, Degree: 1}}},
		{graph.Recipe{Neighbours: 7, Degree: 3}, 100, []graph.Recipe{{Neighbours: 7, Degree: 3}}},
		{graph.Recipe{Neighbours: 7, Degree: 3, Weights: graph.SelfTuned}, 100,
			[]graph.Recipe{{Neighbours: 7, Degree: 3, Weights: graph.SelfTuned, Width: 1}}},
	} {
		if got := completed(c.asked, tried, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %d: %+v, want %+v", c.asked, c.most, got, c.want)
		}
	}
}
