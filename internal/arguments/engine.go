package arguments

import (
	"fmt"
	"os"
)

// CheckEngine refuses a MERCER_BLAS that asks for another engine of linear algebra than the one that there is. Earlier programs took
// the system's OpenBLAS for it, and who asks for that should hear that it does not compute.
func CheckEngine() error {
	switch asked := os.Getenv("MERCER_BLAS"); asked {
	case "", "go":
		return nil
	default:
		return fmt.Errorf("MERCER_BLAS=%s: there is one engine of linear algebra now, in Go; unset the variable", asked)
	}
}
