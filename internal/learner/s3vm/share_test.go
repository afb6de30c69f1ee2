package s3vm

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// A search for the mean output that is stopped does not say that there is none with the share.
func TestStoppedSearchIsNoProof(t *testing.T) {
	p := clouds(20, 5, 41, true)
	p.C = 20
	stopped := 0
	for _, s := range []Solver{Gradient{Decisions: true}, Continuation{Decisions: true}} {
		for looks := 150; looks < 1000; looks += 25 {
			c := stoptest.After(t.Context(), looks)
			a, err := s.Solve(c, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Ended() {
				stopped++
				if !strings.Contains(a.Certificate.Limited, "stopped") {
					t.Errorf("%T after %d looks: %s", s, looks, a.Certificate.Limited)
				}
			}
		}
	}
	if stopped < 10 {
		t.Errorf("only %d searches were stopped", stopped)
	}
}
