// Package onecore runs the tests of a package on one processor. The go command tests as many packages at
// a time as there are processors, and their threads would only wait for each other. Tests of threads
// set their own number; with -short, as under the race detector, all processors work.
package onecore

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/mercer-ml/mercer/internal/blas"
)

// Main is the TestMain of such a package.
func Main(m *testing.M) {
	flag.Parse()
	if !testing.Short() {
		runtime.GOMAXPROCS(1)
		blas.SetThreads(1)
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(400) // heaps of a few MB would be collected all the time, which is a sixth of the processor time
		}
	}
	os.Exit(m.Run())
}
