package reproduce

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/parallel"
)

// A protocol has hundreds of steps, and where one fails the next has nothing to go on with. So a failed step ends the
// experiment, as t.Fatal ends a test: check, must and fail panic with the error, which caught returns to Run.

// failure is the error of a step.
type failure struct{ error }

// check ends the experiment if there is an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// fail ends the experiment with an error.
func fail(format string, args ...any) { check(fmt.Errorf(format, args...)) }

// must is the value of a step, which ends the experiment if it fails.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// must2 is must for a step of two values.
func must2[T, U any](v T, w U, err error) (T, U) {
	check(err)
	return v, w
}

// caught is the error of the step of f that failed, if one did.
func caught(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// during does some steps; the error of one that fails says where that was.
func during(where string, f func()) {
	if err := caught(f); err != nil {
		fail("%s: %w", where, err)
	}
}

// each does steps for the numbers up to n, several at a time.
func each(n int, f func(i int)) {
	check(parallel.Each(0, n, func(i int) error { return caught(func() { f(i) }) }))
}
