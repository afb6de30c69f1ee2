package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// fault is one change of one file.
type fault struct {
	kind     kind
	file     string // on disk
	at, end  int    // bytes that are replaced
	with     string
	line     int
	what     string // that was turned into what
	pack     string // its import path
	shown    string // the file by its path in the module
	by       string // the package whose tests found it; "" if none did
	took     time.Duration
	position int // in the order of the draw
}

func (f *fault) place() string { return fmt.Sprintf("%s:%d", f.shown, f.line) }

// zero is a function in faulty files: the zero of its argument's type.
const zero = "mutantZero"

// lab puts faults in and watches the tests.
type lab struct {
	tree    *tree
	dir     string // of overlays
	timeout time.Duration
}

// draw takes n faults that compile, the kinds in turn, each kind's places by chance.
func (l *lab) draw(ctx context.Context, n int, seed uint64) ([]*fault, error) {
	sites, err := l.tree.sites()
	if err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		rng := rand.New(rand.NewPCG(seed, uint64(k))) // of its own, so that kinds do not move each other's draws
		rng.Shuffle(len(sites[k]), func(i, j int) { sites[k][i], sites[k][j] = sites[k][j], sites[k][i] })
	}
	var drawn []*fault
	for left := true; left && len(drawn) < n; {
		left = false
		for _, k := range kinds() {
			f, rest, err := l.next(ctx, sites[k])
			if err != nil {
				return nil, err
			}
			if sites[k] = rest; f == nil || len(drawn) == n {
				continue
			}
			f.position = len(drawn)
			drawn, left = append(drawn, f), true
		}
	}
	return drawn, nil
}

// next is the first of the faults that compiles, and those behind it.
func (l *lab) next(ctx context.Context, list []*fault) (*fault, []*fault, error) {
	for i, f := range list {
		overlay, err := l.overlay(f)
		if err != nil {
			return nil, nil, err
		}
		if l.command(ctx, overlay, "build", f.pack).Run() == nil {
			return f, list[i+1:], nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return nil, nil, nil
}

// overlay writes the faulty file and the overlay that puts it in the place of the true one.
func (l *lab) overlay(f *fault) (string, error) {
	text, err := os.ReadFile(f.file)
	if err != nil {
		return "", err
	}
	faulty := filepath.Join(l.dir, fmt.Sprintf("%d-%d.go", f.kind, f.position))
	changed := string(text[:f.at]) + f.with + string(text[f.end:])
	if f.kind == ignored {
		changed += "\n\nfunc " + zero + "[T any](T) (z T) { return }\n"
	}
	if err := os.WriteFile(faulty, []byte(changed), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {f.file: faulty}})
	if err != nil {
		return "", err
	}
	name := faulty + ".json"
	return name, os.WriteFile(name, overlay, 0o600)
}

// command is a run of go in which the overlay holds, also for programs that tests build.
func (l *lab) command(ctx context.Context, overlay string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay)
	c.WaitDelay = time.Second // children may hold the pipes of one that was killed
	return c
}

// tryAll tries all faults, several at once, and tells of each on standard error.
func (l *lab) tryAll(ctx context.Context, drawn []*fault, parallel int) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	var failed error
	queue, done := make(chan *fault), 0
	for range max(parallel, 1) {
		group.Go(func() {
			for f := range queue {
				err := l.try(ctx, f)
				mu.Lock()
				if done++; err != nil {
					failed = err
				} else {
					fmt.Fprintf(os.Stderr, "%d of %d, %s, %s: %s: %s\n", done, len(drawn), outcome(f), f.place(), f.what, f.took.Round(time.Second))
				}
				mu.Unlock()
			}
		})
	}
	for _, f := range drawn {
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break // the tree or the disk is gone, and nothing more can be found
		}
		queue <- f
	}
	close(queue)
	group.Wait()
	return failed
}

// sound makes sure that the tests pass without a fault: otherwise they would find everything.
func (l *lab) sound(ctx context.Context, drawn []*fault) error {
	var names []string
	for _, f := range drawn {
		names = append(names, l.tree.watchers(f.pack)...)
	}
	slices.Sort(names)
	text, err := exec.CommandContext(ctx, "go", append([]string{"test", "-vet=off", "-timeout", l.timeout.String()}, slices.Compact(names)...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the tests fail before any fault is put in: %w\n%s", err, text)
	}
	return nil
}

// outcome says what became of a fault.
func outcome(f *fault) string {
	if f.by == "" {
		return "not found"
	}
	return "found"
}

// try runs the tests of the package and, while they pass, of those that show it.
func (l *lab) try(ctx context.Context, f *fault) error {
	start := time.Now()
	overlay, err := l.overlay(f)
	if err != nil {
		return err
	}
	for _, name := range l.tree.watchers(f.pack) {
		if l.command(ctx, overlay, "test", "-vet=off", "-failfast", "-timeout", l.timeout.String(), name).Run() != nil {
			f.by = name
			break
		}
	}
	f.took = time.Since(start)
	return ctx.Err()
}
