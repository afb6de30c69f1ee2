package blas

import (
	"sync/atomic"
	"testing"
	"time"
)

// Every task of every work is done once, whether helpers look for it or sleep.
func TestTeam(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 6} {
		team := newTeam(threads)
		if team.size() != threads {
			t.Errorf("a team of %d has %d threads", threads, team.size())
		}
		for work := range 300 {
			n := work % 17
			done := make([]atomic.Int32, n)
			team.run(n, func(i int) { done[i].Add(1) })
			for i := range done {
				if k := done[i].Load(); k != 1 {
					t.Fatalf("work %d of %d threads: task %d was done %d times", work, threads, i, k)
				}
			}
			if work%100 == 50 {
				time.Sleep(2 * time.Millisecond)
			}
		}
		team.end()
	}
}

// A caller that waits for a slow helper sleeps, and is woken.
func TestTeamSlow(t *testing.T) {
	team := newTeam(2)
	defer team.end()
	for range 5 {
		both := make(chan bool) // both tasks run at once
		var after atomic.Bool
		team.run(2, func(i int) {
			if i == 0 {
				<-both
				return
			}
			both <- true
			time.Sleep(3 * time.Millisecond)
			after.Store(true)
		})
		if !after.Load() {
			t.Fatal("the caller did not wait")
		}
	}
}

// Teams may work inside the work of another.
func TestTeamNested(t *testing.T) {
	var sum atomic.Int64
	tasks(4, 3, func(i int) {
		tasks(5, 2, func(j int) { sum.Add(int64(10*i + j)) })
	})
	if got := sum.Load(); got != 340 {
		t.Errorf("the sum is %d", got)
	}
}
