package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	long     bool   // only tests in their whole length found it
	took     time.Duration
	tried    bool
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
	own     bool                     // only the tests of the package itself
	long    bool                     // tests in their whole length
	usual   map[string]time.Duration // that the tests of a package take without a fault
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
	c.Env = append(l.environment(), "GOFLAGS=-overlay="+overlay)
	c.WaitDelay = 10 * time.Second // children may hold the pipes of one that was killed
	return c
}

// environment is that of tests.
func (l *lab) environment() []string {
	if l.long {
		return append(os.Environ(), "MERCER_TESTS=all")
	}
	return os.Environ()
}

// judge tries all faults, by tests that pass without them, before and afterwards: what broke on the way has found everything since.
func (l *lab) judge(ctx context.Context, drawn []*fault, parallel int) error {
	if err := l.sound(ctx, drawn); err != nil {
		return err
	}
	err := l.tryAll(ctx, drawn, parallel)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(err, l.sound(context.WithoutCancel(ctx), drawn))
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
					f.tried = true
					fmt.Fprintf(os.Stderr, "%d of %d, %s, %s: %s: %s\n", done, len(drawn), outcome(f), f.place(), f.what,
						f.took.Round(time.Second))
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

// sound makes sure that the tests pass without a fault, as otherwise they would find everything, and sees
// how long they take.
func (l *lab) sound(ctx context.Context, drawn []*fault) error {
	var names []string
	for _, f := range drawn {
		for _, w := range l.watchers(f) {
			names = append(names, w.names...)
		}
	}
	slices.Sort(names)
	if names == nil {
		return nil
	}
	args := []string{"test", "-count=1", "-vet=off", "-timeout", l.timeout.String()}
	tests := exec.CommandContext(ctx, "go", append(args, slices.Compact(names)...)...)
	tests.Env = l.environment()
	text, err := tests.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the tests fail before any fault is put in: %w\n%s", err, text)
	}
	l.usual = map[string]time.Duration{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "ok" {
			l.usual[words[1]], _ = time.ParseDuration(words[2])
		}
	}
	return nil
}

// patience is how long a run of tests may take: a fault that makes a loop endless is found soon.
func (l *lab) patience(w watch) time.Duration {
	usual := time.Duration(0)
	for _, name := range w.names {
		usual = max(usual, l.usual[name])
	}
	const least, times = 20 * time.Second, 6
	return min(least+times*usual, l.timeout)
}

// outcome says what became of a fault.
func outcome(f *fault) string {
	if f.by == "" {
		return "not found"
	}
	return "found"
}

// watchers are the runs of tests that may find a fault.
func (l *lab) watchers(f *fault) []watch {
	runs := l.tree.watchers(f.pack)
	if l.own {
		return slices.DeleteFunc(runs, func(w watch) bool { return !w.own })
	}
	return runs
}

// try runs the tests of the package and, while they pass, of those that import it and those that show it.
func (l *lab) try(ctx context.Context, f *fault) error {
	start := time.Now()
	overlay, err := l.overlay(f)
	if err != nil {
		return err
	}
	for _, w := range l.watchers(f) {
		if f.by, err = l.watch(ctx, overlay, w); f.by != "" || err != nil {
			break
		}
	}
	f.took, f.long = time.Since(start), l.long && f.by != ""
	return errors.Join(err, ctx.Err())
}

// watch is the first of some packages whose tests fail, "" if none does. The others are stopped then.
func (l *lab) watch(ctx context.Context, overlay string, w watch) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := l.command(
		ctx,
		overlay,
		append(
			[]string{"test", "-vet=" + w.vet, "-failfast", "-short=" + strconv.FormatBool(w.short), "-timeout", l.patience(w).String()},
			w.names...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // go ends the tests that it runs
	told, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	by := ""
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); by == "" && len(words) > 1 && words[0] == "FAIL" {
			by = words[1]
			stop()
		}
	}
	if err := c.Wait(); by == "" && err != nil {
		by = w.names[0]
	}
	return by, nil
}
