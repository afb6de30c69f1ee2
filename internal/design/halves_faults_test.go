package design

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// breakingLearner learns nothing: its kernels, and itself, fail at one of their calls.
type breakingLearner struct{ calls *calls }

func (b breakingLearner) Learn(_ context.Context, own, other *learn.Problem) (relevance.Learned, error) {
	if len(own.Labelled) == 0 || len(other.Labelled) == 0 {
		return relevance.Learned{}, errors.New("a half of no rows")
	}
	return b.Mean(nil)
}

func (b breakingLearner) Mean([]relevance.Learned) (relevance.Learned, error) {
	return relevance.Learned{Kernel: breaking{kernel.Gaussian{Sigma: 1}, b.calls, false}, Lambda: 0.1}, b.calls.next()
}

// Whatever fails of a kernel that halves learned, or of their learning, is the failure of the machine, by every way that it is made.
func TestFailuresOfHalves(t *testing.T) {
	const n, k = 60, 12
	for name, c := range map[string]struct {
		exact int
		held  []int
	}{
		"exact": {1000, nil}, "landmarks": {10, nil}, "forward": {1000, lastRows(n, k)}, "forward on landmarks": {10, lastRows(n, k)},
	} {
		p := waves(n)
		s := score.LeaveOut{Problem: p, Criterion: score.Press{}, Offset: true}
		if c.held != nil {
			s.Folds = [][]int{c.held}
		}
		run := func(ctx context.Context, calls *calls) error {
			h := Halves{Learner: breakingLearner{calls}, Rows: 20, Exact: c.exact, Marks: Landmarks{30, 1e9}, Seed: 4, Held: c.held}
			_, err := h.Make(ctx, &s)
			return err
		}
		whole := &calls{}
		if err := run(t.Context(), whole); err != nil || whole.n < 5 {
			t.Errorf("%s: %d calls, %v", name, whole.n, err)
			continue
		}
		for i := range whole.n {
			if err := run(t.Context(), &calls{fails: i + 1}); !errors.Is(err, errOther) {
				t.Errorf("%s: a failure at call %d of %d gives %v", name, i+1, whole.n, err)
			}
		}
		stoptest.Everywhere(t, func(ctx context.Context) error { return run(ctx, &calls{}) })
	}
}

// Kernels of ranks that judge as those of the rows before take their ranks among all rows, and end with their context on the way.
func TestRankedHalvesStop(t *testing.T) {
	const n, k = 60, 12
	p := waves(n)
	for _, exact := range []int{1000, 10} {
		h := halvesOf(p, exact)
		h.Learner, h.Held = relevance.Widths{Start: kernel.ANOVA{}.Adapt(p.Rows), Steps: 2}, lastRows(n, k)
		s := score.LeaveOut{Problem: p, Folds: [][]int{h.Held}, Criterion: score.Press{}, Offset: true}
		stoptest.Everywhere(t, func(ctx context.Context) error { _, err := h.Make(ctx, &s); return err })
	}
}

// Rows of one group teach together or not at all, a row of no group by itself; they are no more than asked for, but for a first group that
// is larger. Rows held out are the only fold.
func TestTeachersOfGroups(t *testing.T) {
	p := &learn.Problem{}
	for i := range 120 {
		p.Labelled = append(p.Labelled, i)
		name := ""
		if i < 90 {
			name = fmt.Sprint("group ", i/6)
		}
		p.Group = append(p.Group, name)
	}
	rows, alone := lastRows(120, 120), 0
	for seed := range uint64(20) {
		taken := someGroups(p, rows, 25, rand.New(rand.NewPCG(seed, 1)))
		count := map[string]int{}
		for _, i := range taken {
			count[p.Group[i]]++
		}
		for name, n := range count {
			if name != "" && n != 6 {
				t.Errorf("seed %d: %d rows of %s", seed, n, name)
			}
		}
		alone += count[""]
		if len(taken) > 25 || len(taken) < 20 || !slices.IsSorted(taken) || len(slices.Compact(slices.Clone(taken))) != len(taken) {
			t.Errorf("seed %d: rows %v", seed, taken)
		}
	}
	if alone == 0 {
		t.Error("rows of no group never teach")
	}
	if taken := someGroups(p, rows[:90], 2, rand.New(rand.NewPCG(1, 1))); len(taken) != 6 {
		t.Errorf("%d rows of the first group", len(taken))
	}
	for _, half := range (Halves{Rows: 25, Exact: 1000, Seed: 2}).draw(p) {
		count := map[string]int{}
		for _, i := range half {
			count[p.Group[i]]++
		}
		for name, n := range count {
			if name != "" && n != 6 {
				t.Errorf("%d rows of %s teach", n, name)
			}
		}
	}
	held := []int{7, 9}
	if folds := (Halves{Held: held, Exact: 1000}).Folds(p); len(folds) != 1 || !slices.Equal(folds[0], held) {
		t.Errorf("folds %v", folds)
	}
}

// TestHalvesOfTwoGroups: where each half teaches with the only group that it has no row is left to be judged by, which is refused.
func TestHalvesOfTwoGroups(t *testing.T) {
	p := waves(60)
	for i := range p.Labelled {
		p.Group = append(p.Group, string("ab"[i%2]))
	}
	h := halvesOf(p, 10)
	_, err := h.Make(t.Context(), &score.LeaveOut{Problem: p, Folds: h.Folds(p), Criterion: score.Press{}, Offset: true})
	if err == nil || !strings.Contains(err.Error(), "so few groups that all of them teach widths") {
		t.Error(err)
	}
}

// ranksOf learns nothing: its kernels are of the ranks of all rows.
type ranksOf struct{ p *learn.Problem }

func (r ranksOf) Learn(context.Context, *learn.Problem, *learn.Problem) (relevance.Learned, error) {
	return r.Mean(nil)
}

func (r ranksOf) Mean([]relevance.Learned) (relevance.Learned, error) {
	return relevance.Learned{Kernel: kernel.ANOVA{}.Adapt(r.p.Rows), Lambda: 0.1}, nil
}

// Machines that make their kernels in the training are whole, or the error of a context that ends at any look at it: when ranks are taken
// once more, or widths, as in the first training.
func TestMadeMachinesAreWhole(t *testing.T) {
	const n, k = 60, 12
	p, few := waves(n), waves(24)
	ranked := func(exact int) choose.Maker {
		return Halves{Learner: ranksOf{p}, Rows: 20, Exact: exact, Marks: Landmarks{30, 1e9}, Seed: 4, Held: lastRows(n, k)}
	}
	ahead := score.LeaveOut{Problem: p, Folds: [][]int{lastRows(n, k)}, Criterion: score.Press{}, Offset: true}
	for name, c := range map[string]struct {
		maker choose.Maker
		by    score.LeaveOut
	}{
		"ranks": {ranked(1000), ahead}, "ranks on landmarks": {ranked(10), ahead},
		"screened": {Screened{Start: kernel.ARDRational{Power: 1}.Adapt(few.Rows).(kernel.ARDRational), Factor: 0.5, Seed: 3},
			score.LeaveOut{Problem: few, Criterion: score.Press{}, Offset: true}},
	} {
		same := func(a, b *choose.Machine) bool {
			return a.Score == b.Score && mat.Equal(a.LeftOut, b.LeftOut) && mat.Equal(a.Expansions[0].Coef, b.Expansions[0].Coef)
		}
		t.Run(name, func(t *testing.T) {
			stoptest.Whole(t, same, func(ctx context.Context) (*choose.Machine, error) { return c.maker.Make(ctx, &c.by) })
		})
	}
}
