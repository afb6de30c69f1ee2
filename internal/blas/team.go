package blas

import (
	"runtime"
	"sync/atomic"
)

// team is the threads of one operation: the caller, who does all work by himself where no other comes in time,
// and helpers, which start with the first work that is shared and stay until the operation ends. Between two
// works they look for the next one for a tenth of a millisecond before they sleep: to start a goroutine for each would cost
// more than many of the works. A team is used by one goroutine; nil is the caller alone.
type team struct {
	stop    *stop         // of the context of the operation; nil if it has none
	others  *atomic.Int32 // operations at work, this one among them; nil if nobody counts them
	work    func(task int)
	state   atomic.Uint64 // number of the work, end and begin of the tasks that nobody has claimed
	pending atomic.Int64  // tasks of the work that are not done
	ended   atomic.Bool
	caller  sleeper
	helpers []sleeper
}

// sleeper is a thread that may have run out of patience.
type sleeper struct {
	asleep atomic.Bool
	wake   chan struct{} // nil before the first work
}

// rouse wakes the thread if it sleeps.
func (s *sleeper) rouse() {
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}

// await returns when there is a reason to, after a while of looking for it asleep until it is roused.
func (s *sleeper) await(reason func() bool) {
	for {
		for range patience {
			for range looks {
				if reason() {
					return
				}
			}
			runtime.Gosched()
		}
		s.asleep.Store(true)
		if !reason() || !s.asleep.CompareAndSwap(true, false) {
			<-s.wake
		}
	}
}

const (
	// A thread looks for work so often before it lets other goroutines run, and so often again before it sleeps:
	// 0.1 ms, as long as the work between two pieces that are shared in the factorisation of 500 rows.
	looks    = 1 << 10 // no result depends on it
	patience = 1 << 6  // no result depends on it
	// claimBits is the length of begin and end in a team's state.
	claimBits = 20
	claimMask = 1<<claimBits - 1
)

// newTeam is a team of so many threads.
func newTeam(threads int) *team {
	if threads <= 1 {
		return nil
	}
	return &team{helpers: make([]sleeper, threads-1)}
}

// part is a team of so many threads for a part of the operation.
func (t *team) part(threads int) *team {
	if t == nil || t.stop == nil {
		return newTeam(threads)
	}
	return &team{stop: t.stop, helpers: make([]sleeper, max(threads, 1)-1)}
}

// size is the number of threads.
func (t *team) size() int {
	if t == nil {
		return 1
	}
	return len(t.helpers) + 1
}

// end lets the helpers go. They touch nothing of the caller's from then on.
func (t *team) end() {
	if t == nil {
		return
	}
	if t.others != nil {
		t.others.Add(-1)
	}
	if t.caller.wake != nil {
		t.ended.Store(true)
		t.announce(0)
	}
}

// stopped says whether the operation is to end, as one found that asked its context.
func (t *team) stopped() bool { return t != nil && t.stop.reason() != nil }

// asked asks the context of the operation, and says whether it has ended.
func (t *team) asked() bool { return t != nil && t.stop.asked() }

// run calls f(0..n-1), each once, or none where the context of the operation has ended. The caller takes
// tasks from the first on and helpers from the last on, so that a thread meets in its cache what it had the time before.
func (t *team) run(n int, f func(task int)) {
	if t.asked() {
		return
	}
	if t.size() == 1 || n <= 1 || n > claimMask {
		for i := range n {
			f(i)
		}
		return
	}
	if t.caller.wake == nil {
		t.caller.wake = make(chan struct{}, 1)
		for i := range t.helpers {
			t.helpers[i].wake = make(chan struct{}, 1)
			go t.help(&t.helpers[i])
		}
	}
	t.work = f
	t.pending.Store(int64(n))
	number := t.announce(n)
	for {
		s := t.state.Load()
		begin, end := s&claimMask, s>>claimBits&claimMask
		if s>>(2*claimBits) != number || begin == end {
			break
		}
		if t.state.CompareAndSwap(s, s+1) {
			f(int(begin))
			t.pending.Add(-1)
		}
	}
	if t.pending.Load() > 0 {
		t.caller.await(func() bool { return t.pending.Load() == 0 })
	}
}

// announce begins a work of n tasks, wakes who sleeps, and returns its number.
func (t *team) announce(n int) uint64 {
	number := (t.state.Load()>>(2*claimBits) + 1) & (1<<(64-2*claimBits) - 1)
	t.state.Store(number<<(2*claimBits) | uint64(n)<<claimBits)
	for i := range t.helpers {
		t.helpers[i].rouse()
	}
	return number
}

// help does tasks of every work.
func (t *team) help(me *sleeper) {
	var seen uint64
	other := func() bool { return t.state.Load()>>(2*claimBits) != seen }
	for {
		me.await(other)
		seen = t.state.Load() >> (2 * claimBits)
		if t.ended.Load() {
			return
		}
		for {
			s := t.state.Load()
			begin, end := s&claimMask, s>>claimBits&claimMask
			if s>>(2*claimBits) != seen || begin == end {
				break
			}
			if t.state.CompareAndSwap(s, s-1<<claimBits) {
				t.work(int(end - 1))
				if t.pending.Add(-1) == 0 {
					t.caller.rouse()
				}
			}
		}
	}
}

// tasks calls f(0..n-1), each once, on at most so many threads.
func tasks(n, threads int, f func(task int)) {
	t := newTeam(min(n, threads))
	t.run(n, f)
	t.end()
}
