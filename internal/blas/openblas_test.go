//go:build (linux || darwin) && (amd64 || arm64) && !android && !nodlopen

package blas

import (
	"os"
	"testing"

	"github.com/ebitengine/purego"
)

// OpenBLAS is told how long its threads wait, where C reads it, unless the user has said so.
func TestWaitsAreShortened(t *testing.T) {
	const name = "OPENBLAS_THREAD_TIMEOUT"
	if _, given := os.LookupEnv(name); given {
		t.Skip("the user has said so")
	}
	shortenWaits()
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "getenv")
	if err != nil {
		t.Skip(err)
	}
	var getenv func(string) string
	purego.RegisterFunc(&getenv, address)
	if got := getenv(name); got != waitCycles {
		t.Errorf("C reads %q, want %q", got, waitCycles)
	}
}
