//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPeerLivesOn: one process answers all requests in their order, and ends with its input.
func TestPeerLivesOn(t *testing.T) {
	const answer = `echo ready; n=0; while read -r line; do n=$((n+1)); echo "$n.5 ${line##*	}"; done`
	p, err := startPeer(exec.Command("sh", "-c", answer))
	if err != nil {
		t.Fatal(err)
	}
	for seed := 1; seed <= 3; seed++ {
		s, e, err := p.ask("a file.csv", "splits/x", seed)
		if err != nil || s != float64(seed)+0.5 || e != float64(seed) {
			t.Errorf("request %d is answered %g, %g (%v)", seed, s, e, err)
		}
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if _, err := startPeer(exec.Command("sh", "-c", "echo no module")); err == nil || !strings.Contains(err.Error(), "did not get ready") {
		t.Errorf("a peer that is not ready: %v", err)
	}
}
