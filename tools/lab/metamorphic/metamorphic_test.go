// Package metamorphic fits random recipes to random small sets, changes recipe or set in ways whose effect is known, and compares. The
// relations stand in relations_test.go and invariances_test.go, with the reason why each must hold.
//
//	go -C tools/lab test ./metamorphic                                             forty trials
//	go -C tools/lab run . metamorphic -for 1h -seed 1125                          as many as an hour allows
//	go -C tools/lab test ./metamorphic -args -seed SEED -trial NUMBER              one of them again
package metamorphic

import (
	"encoding/json"
	"flag"
	"maps"
	"slices"
	"testing"
	"time"
)

var (
	length = flag.Duration("for", 0, "how long trials are drawn; 0: a few of them")
	seed   = flag.Uint64("seed", 1, "of recipes and sets")
	only   = flag.Int64("trial", -1, "the number of a single trial to repeat")
)

// TestTrials runs random trials: each relation that must hold does.
func TestTrials(t *testing.T) {
	trials := uint64(40)
	if testing.Short() {
		trials = 10
	}
	begun, refused, late, held := time.Now(), 0, 0, map[string]int{}
	number := uint64(0)
	for ; number < trials && *length == 0 || time.Since(begun) < *length; number++ {
		if *only >= 0 {
			number = uint64(*only) //nolint:gosec // not negative
		}
		one := drawTrial(*seed, number)
		o := one.run(t.Context())
		for _, finding := range o.Findings {
			recipe, _ := json.Marshal(one.recipe) // a recipe is plain
			t.Errorf("seed %d, trial %d: %s\n%d rows, %d columns, sparse %v, pinned %v: %s", *seed, number, finding,
				one.input.Set.Rows.Len(), one.input.Set.Rows.Dim(), one.input.Set.Rows.IsSparse(), one.pinned, recipe)
		}
		if o.Refused != "" {
			refused++
		}
		if o.Late {
			late++
		}
		for _, relation := range o.Held {
			held[relation]++
		}
		if *only >= 0 {
			break
		}
	}
	t.Logf("%d trials, %d recipes refused, %d trials ended by their time", number, refused, late)
	for _, relation := range slices.Sorted(maps.Keys(held)) {
		t.Logf("%s: compared %d times", relation, held[relation])
	}
}
