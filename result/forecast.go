package result

import (
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/internal/brief"
)

// Forecast is what a fit will cost, said before it starts.
type Forecast struct {
	Rows, Labelled, Features int
	Form                     string  // name of the form of the method: how it will be computed
	Evaluations              int     // machines to be trained at most; 0: not known beforehand
	Memory                   int64   // bytes by which the process grows at most: the fit's own tables and the engine's buffers
	Seconds                  float64 // on this machine, as measured just now, of all fits that Recipe.CV asks for
	Cache                    int64   // how many of these bytes kernel rows may take; 0 if none are kept
	BLAS                     string
}

// leastGarbage is what a small fit may let lie: to collect it earlier takes longer than it is worth.
const leastGarbage = 40 << 20

// Limit is the memory limit of the runtime (debug.SetMemoryLimit) under which the process grows by no more
// than Memory from what it has in use now: the collector works earlier than it would by itself.
func (f Forecast) Limit() int64 {
	runtime.GC() // what reading has left
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	// Buffers of the engine are no part of the runtime's; and a collector that works while others do oversteps its limit by some percent.
	own := max((f.Memory-brief.EngineBytes)/10*9, leastGarbage)
	if used := int64(now.Sys - now.HeapIdle); own < math.MaxInt64-used { //nolint:gosec // bytes of a process
		return used + own
	}
	return math.MaxInt64
}

// String is the line printed before a fit.
func (f Forecast) String() string {
	s := fmt.Sprintf(
		"%s (%d labelled) x %s; %s, up to %s",
		brief.Count(f.Rows, "row"),
		f.Labelled,
		brief.Count(f.Features, "feature"),
		brief.Duration(f.Seconds),
		brief.Bytes(f.Memory),
	)
	if f.Cache > 0 {
		s += fmt.Sprintf(", %s of them kernel rows (--cache)", brief.Bytes(f.Cache))
	}
	s += "; " + f.BLAS
	if f.Evaluations > 0 {
		s += "; at most " + brief.Count(f.Evaluations, "evaluation")
	}
	return s
}
