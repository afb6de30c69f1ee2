package method

import (
	"cmp"

	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
)

// effort is how much the automatic choice tries. It counts rows and machines and reads no clock, so that the same file
// gives the same model on any machine.
type effort struct {
	name      string
	machines  int     // of a design, the likeliest first; 0: all
	sampled   int     // rows that machines with a graph learn from where there are too many for tables
	longest   int     // labelled rows of the last round of a race
	landmarks int     // of least squares in a race, at most
	teachers  int     // rows of each half that widths of columns are learned from, at most
	rounds    int     // of a learned metric; 0: none is learned
	flops     float64 // of n rows and m landmarks, n m^2 at most: 4e12 is a minute of two processors at 30 billion a second
}

// efforts are from low to high.
func efforts() []effort {
	return []effort{
		{name: "low", machines: 12, sampled: sampledRows / 2, longest: 6000, landmarks: 1000, teachers: 375, flops: 1e12},
		{name: "normal", sampled: sampledRows, longest: 40000, landmarks: 2000, teachers: 750, flops: 4e12},
		{name: "high", sampled: 2 * sampledRows, longest: 100000, landmarks: 4000, teachers: 1500, rounds: 3, flops: 1.6e13},
	}
}

// effortOf is normal for methods without the setting.
func effortOf(r task.Request) effort {
	name := cmp.Or(r.Values.Word(task.Effort), task.Effort.Default)
	for _, e := range efforts() {
		if e.name == name {
			return e
		}
	}
	panic("method: effort " + name)
}

// marks are the landmarks of least squares in a race.
func (e effort) marks() design.Landmarks { return design.Landmarks{Most: e.landmarks, Flops: e.flops} }

// sampled is the number of rows of a sample.
func sampled(r task.Request) int { return effortOf(r).sampled }

// budget is the number of machines of a design; 0: all.
func budget(r task.Request) int { return cmp.Or(r.Recipe.Budget, effortOf(r).machines) }
