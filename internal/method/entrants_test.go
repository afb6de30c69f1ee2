package method

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/result"
)

// TestEntrantsAreAsTheyWere: which machines take part in the race of a set, on which kernels and with which parameters.
func TestEntrantsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	sets := inputs()
	rare := sets["two"]
	set := *rare.Set
	set.Answers = append(set.Answers[:0:0], set.Answers...)
	for i := range set.Answers {
		if set.Answers[i] == "yes" && i > 3 {
			set.Answers[i] = "no"
		}
	}
	rare.Set = &set
	sets["rare"] = rare
	for _, name := range []string{"two", "three", "numbers", "sparse", "rare"} {
		for _, text := range []string{"auto", "auto --kernel laplacian", "auto --kernel linear", "auto --scale none --offset no",
			"auto --multiclass one-vs-rest", "auto --class-weight balanced"} {
			in := sets[name]
			m, q, err := Read(asked(t, text))
			if err != nil {
				p.Add(name+", "+text, err)
				continue
			}
			one, err := task.Prepare(t.Context(), in, q, result.Options{}, m.Coding, 0)
			if err != nil {
				p.Add(name+", "+text, err)
				continue
			}
			list := kernels(one)
			field := entrants(one, list)
			p.Add(name+", "+text, len(list), len(field))
			for i, e := range field { // those of one kernel and several strengths share a line
				said := func(e *design.Entrant) string {
					return fmt.Sprintf("  %s %s %v %v %T %+v", e.Method, KernelName(e.Kernel), e.Kernel.Space().Defaults(), e.Pairs, e.Learner, e.Learner)
				}
				if i > 0 && said(field[i-1]) == said(e) {
					continue
				}
				var theta []float64
				for _, other := range field[i:] {
					if said(other) == said(e) {
						theta = append(theta, other.Theta...)
					}
				}
				learner, _, _ := strings.Cut(fmt.Sprintf("%T%+v", e.Learner, e.Learner), "0x")
				p.Add("  "+e.Method, fmt.Sprintf("%T", e.Kernel), e.Kernel.Space().Defaults(), e.Pairs, e.Offset, theta, learner)
			}
		}
	}
	p.Compare(t, "entrants")
}

// TestTooManyOutputs: machines for pairs of classes are left out beyond 32 classes, or 2e8 targets.
func TestTooManyOutputs(t *testing.T) {
	for _, c := range []struct {
		classes, labelled int
		want              bool
	}{
		{2, 2e8, false}, {2, 2e8 + 1, true}, {3, 66_666_666, false}, {3, 66_666_667, true}, {32, 1000, false}, {33, 1000, true},
	} {
		if tooMany(c.classes, c.labelled) != c.want {
			t.Errorf("%d classes, %d rows: %v", c.classes, c.labelled, !c.want)
		}
	}
}
