package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A runner need not notice that a worker process has died: Prism waits for it for ever. So a worker leaves a file in the shared
// folder while it is at an element, and changes it every second; the caller gives a try up when such a file stays as it is for
// longer than Options.Lost, and begins another.

// beatTime is how often a worker shows that it is there.
const beatTime = time.Second

// errLost says that a worker has gone silent.
var errLost = errors.New("a worker was lost")

// errAbsent says that no worker has begun.
var errAbsent = errors.New("no worker began; look whether the program that should start as one is mercer-beam")

// begun is a file that the first worker leaves in the folder.
const begun = "begun"

// beating shows that an element is worked on until end is called. That it cannot be shown is left to the work to find out.
func beating(folder string, element int) (end func()) {
	path := filepath.Join(folder, fmt.Sprintf("beat-%d", element))
	_ = os.WriteFile(filepath.Join(folder, begun), nil, 0o666)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beatTime)
		defer tick.Stop()
		for n := 0; ; n++ {
			_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+" "+strconv.Itoa(n)), 0o666)
			select {
			case <-done:
				_ = os.Remove(path)
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done); <-ended }
}

// beats are the files of workers in a folder, what is in each.
func beats(folder string) map[string]string {
	files, _ := filepath.Glob(filepath.Join(folder, "beat-*")) // the pattern is well formed
	found := map[string]string{}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			found[f] = string(text)
		}
	}
	return found
}

// startTime is how long the first worker may take to begin at least, where workers are started at once.
const startTime = 30 * time.Second

// watched is a context that ends with errLost when a worker has been silent for as long as lost, and with errAbsent when none has begun
// before start, 0: at any time. It counts its own beats, not the time by the clock, which goes on while a machine sleeps with
// all that is on it.
func watched(ctx context.Context, folder string, lost, start time.Duration) (context.Context, func()) {
	first := filepath.Join(folder, begun)
	_ = os.Remove(first)
	for f := range beats(folder) {
		_ = os.Remove(f) // of an earlier try
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(beatTime)
		defer tick.Stop()
		seen, silent := map[string]string{}, map[string]int{}
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if n == int(start/beatTime) {
				if _, err := os.Stat(first); err != nil {
					cancel(errAbsent)
					return
				}
			}
			found := beats(folder)
			for f, text := range found {
				if silent[f]++; seen[f] != text {
					seen[f], silent[f] = text, 0
				}
				if silent[f] > int(lost/beatTime) {
					cancel(errLost)
					return
				}
			}
			for f := range seen {
				if _, there := found[f]; !there {
					delete(seen, f)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
