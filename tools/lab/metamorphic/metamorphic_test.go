package metamorphic

import (
	"testing"
)

// TestTrials runs some random trials: each relation that must hold does.
func TestTrials(t *testing.T) {
	trials := uint64(40)
	if testing.Short() {
		trials = 10
	}
	for number := range trials {
		for _, finding := range drawTrial(1, number).run(t.Context()).Findings {
			t.Errorf("trial %d: %s", number, finding)
		}
	}
}
