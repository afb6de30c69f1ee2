package cli

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"

	"github.com/mercer-ml/mercer/internal/blas"
)

// talk are the flags of verbs that print a result.
type talk struct {
	JSON  bool `name:"json" help:"Print one JSON object, numbers in full."`
	Quiet bool `help:"Say nothing but errors beside the result."`
}

// threads is the flag of verbs that compute.
type threads struct {
	Threads int `help:"Cores to use; results do not depend on it (default: all)." placeholder:"N"`
}

// use caps the threads of Go and of BLAS.
func (t threads) use() error {
	switch {
	case t.Threads < 0:
		return usage("--threads %d: must not be negative", t.Threads)
	case t.Threads > 0:
		n := min(t.Threads, runtime.NumCPU()) // more would only wait for each other
		runtime.GOMAXPROCS(n)
		blas.SetThreads(n)
	}
	return nil
}

// limits is the flag of verbs that may take long.
type limits struct {
	TimeLimit limit `help:"After this time, of all fits together, keep the best (90s, 10m)." placeholder:"DUR"`
}

// memory is the flag of verbs that read data.
type memory struct {
	Memory byteCount `help:"Refuse to use more (4Gi, 500M; default 80 % of the computer's)." placeholder:"BYTES"`
}

// printJSON writes v as one object in one line.
func (e *env) printJSON(v any) error {
	j := json.NewEncoder(e.stdout)
	j.SetEscapeHTML(false)
	return j.Encode(v)
}

// warn says what a person should know, once for each text.
func (e *env) warn(t talk, texts ...string) {
	if t.Quiet {
		return
	}
	for _, text := range texts {
		e.say("warning: %s", text)
	}
}

// settings reads the values of --set.
func settings(pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	set := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, usage("--set %s: write NAME=VALUE, as in --set sigma=5", pair)
		}
		if old, twice := set[name]; twice && old != value {
			return nil, usage("--set %s: given twice, as %s and %s; keep one", name, old, value)
		}
		set[name] = value
	}
	return set, nil
}

// stopped says whether the caller's context ended, as by an interrupt.
func (e *env) stopped() bool { return e.ctx.Err() == context.Canceled }
