//go:build !windows

package machine

import "time"

// clock begins to measure a time, and returns what tells the seconds since.
func clock() func() float64 {
	start := time.Now()
	return func() float64 { return time.Since(start).Seconds() }
}
