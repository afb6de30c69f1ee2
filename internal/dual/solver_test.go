package dual

import (
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// Every form is solved on the way it was: steps, working sets, rows kept and read, values computed, whether as one
// working set or by small ones, with a store that is too small, without setting variables aside.
func TestWay(t *testing.T) {
	var path pathtest.Path
	k, problems := forms(t, source(5), 110)
	hard, soft := problems["svc"], problems["svc"]
	hard.Upper, soft.Upper = constant(110, 1e3), constant(110, 0.05)
	for _, p := range []struct {
		name string
		Problem
	}{
		{"svc", problems["svc"]}, {"svc without offset", problems["svc without offset"]}, {"svr", problems["svr"]},
		{"svr without offset", problems["svr without offset"]}, {"nu-svc", problems["nu-svc"]}, {"nu-svr", problems["nu-svr"]},
		{"one-class", problems["one-class"]}, {"hard", hard}, {"soft", soft},
	} {
		for _, c := range []struct {
			name   string
			o      Options
			direct int
		}{
			{"whole", Options{}, directSize},
			{"exact", Options{Tolerance: 1e-6}, directSize},
			{"sets", Options{WorkingSet: 24}, 0},
			{"exact sets", Options{WorkingSet: 16, Tolerance: 1e-5}, 0},
			{"small store", Options{WorkingSet: 16, Cache: 1}, 0},
			{"all the time", Options{WorkingSet: 16, NoShrink: true}, 0},
			{"few steps", Options{WorkingSet: 16, MaxIterations: 50}, 0},
		} {
			least, sum := math.MaxInt, 0.0
			c.o.Progress = func(p Progress) { least, sum = min(least, p.Active), sum+math.Log(p.Violation+1e-12) }
			s, err := run(t.Context(), k, p.Problem, c.o, c.direct, nil)
			if err != nil {
				t.Fatal(err)
			}
			path.Add(
				p.name+", "+c.name,
				s.Status,
				s.Iterations,
				s.Sets,
				s.RowsRead,
				s.RowsKept,
				s.Entries,
				least,
				s.Objective,
				fmt.Sprintf("%.2f", sum/float64(max(s.Sets, 1))),
			)
		}
	}
	path.Compare(t, "way")
}
