package result

import (
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// UsageError is a request that cannot be met whatever the data: a wrong word, a
// combination without meaning. The program exits with 2.
type UsageError struct{ Problems []string }

func (e *UsageError) Error() string { return strings.Join(e.Problems, "; ") }

// SetError is a fault of another set than the one learned from, Input.Test: rows that the
// error names are rows of Set.
type SetError struct {
	Set *data.Set
	Err error
}

func (e *SetError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SetError) Unwrap() error { return e.Err }
