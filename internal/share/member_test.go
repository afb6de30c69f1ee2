package share_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/result"
)

// TestMember: a member takes earlier stages as known, does the pieces that it is told to, of which an error is given on and ends
// nothing, and ends when there are no more or its context does.
func TestMember(t *testing.T) {
	broken := errors.New("broken")
	todo := []int{3, 0, 2}
	var asked, gave []string
	m := &share.Member{
		Stage: 2,
		Known: func(_ context.Context, stage, n int) ([][]byte, error) {
			asked = append(asked, fmt.Sprint(stage, " of ", n))
			return [][]byte{[]byte("a"), []byte("b")}[:n], nil
		},
		Next: func(context.Context) (int, bool) {
			if len(todo) == 0 {
				return 0, false
			}
			piece := todo[0]
			todo = todo[1:]
			return piece, true
		},
		Give: func(piece int, result []byte, err error) {
			gave = append(gave, fmt.Sprintf("%d %s %v", piece, result, err))
		},
	}
	do := func(_ context.Context, piece int) ([]byte, error) {
		if piece == 0 {
			return nil, broken
		}
		return fmt.Append(nil, piece*piece), nil
	}
	for n := 1; n <= 2; n++ {
		give, err := m.Begin(t.Context(), "x", n, do)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := give(t.Context(), n-1); err != nil || string(text) != "ab"[n-1:n] {
			t.Errorf("%s, %v", text, err)
		}
		_, err = give(t.Context(), n)
		failtest.Refused(t, err, fmt.Sprintf("share: piece %d of %d", n+1, n))
	}
	if _, err := m.Begin(t.Context(), "x", 4, do); !errors.Is(err, share.ErrDone) {
		t.Error(err)
	}
	if !slices.Equal(asked, []string{"0 of 1", "1 of 2"}) || !slices.Equal(gave, []string{"3 9 <nil>", "0  broken", "2 4 <nil>"}) {
		t.Errorf("%q, %q", asked, gave)
	}
	m = &share.Member{Next: func(context.Context) (int, bool) { return 4, true }}
	_, err := m.Begin(t.Context(), "x", 4, do)
	failtest.Refused(t, err, "share: there are 4 pieces and none has the number 4")
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := m.Begin(ended, "x", 5, do); !errors.Is(err, context.Canceled) {
		t.Errorf("ended, the error is %v", err)
	}
	m = &share.Member{Stage: 1, Known: func(context.Context, int, int) ([][]byte, error) { return nil, broken }}
	if _, err := sum(t.Context(), m); !errors.Is(err, broken) {
		t.Errorf("of stages that are not known: %v", err)
	}
}

// crew notes the stages that it begins, whose results are texts.
type crew struct {
	stages []string
	gives  string
	err    error
}

func (c *crew) Apart() bool { return true }

func (c *crew) Begin(_ context.Context, stage string, n int, do result.Piece) (result.Piece, error) {
	c.stages = append(c.stages, fmt.Sprintf("%s: %d", stage, n))
	if c.gives == "" {
		return do, c.err
	}
	return share.Known(slices.Repeat([][]byte{[]byte(c.gives)}, n)), c.err
}

// TestCrews: a fit within a fit has stages of other names; a stage of no pieces is none; a crew that does not begin, or gives what is no
// result, ends the fit; a journal has its pieces done here, and members are elsewhere.
func TestCrews(t *testing.T) {
	if share.Within(nil, "fold 1") != nil {
		t.Error("nobody is a crew")
	}
	c := &crew{}
	got, err := sum(t.Context(), share.Within(c, "fold 1"))
	want, _ := sum(t.Context(), nil)
	if err != nil || got != want || !slices.Equal(c.stages, []string{"fold 1: start: 1", "fold 1: times 10: 3", "fold 1: times 40: 4"}) {
		t.Errorf("%d, %v, stages %q", got, err, c.stages)
	}
	if !share.Within(c, "x").Apart() || !(&share.Member{}).Apart() || opened(t, filepath.Join(t.TempDir(), "trace")).Apart() {
		t.Error("who is apart is not")
	}
	c.stages = nil
	if list, err := share.Do(t.Context(), c, "none", 0, func(context.Context, int) (int, error) { return 0, nil }); err != nil ||
		len(list) > 0 || c.stages != nil {
		t.Errorf("of no pieces %v, %v, stages %q", list, err, c.stages)
	}
	c.gives = "no gob"
	if _, err := sum(t.Context(), c); err == nil || err.Error()[:len("share: piece 1 of start: ")] != "share: piece 1 of start: " {
		t.Errorf("of what is no result: %v", err)
	}
	c.err = errors.New("broken")
	if _, err := sum(t.Context(), c); !errors.Is(err, c.err) {
		t.Errorf("of a crew that does not begin: %v", err)
	}
	if _, err := share.Do(t.Context(), &crew{}, "x", 1, func(context.Context, int) (func(), error) { return nil, nil }); err == nil {
		t.Error("a function travels")
	}
}
