package brief

import (
	"fmt"
	"strconv"
)

// EngineBytes are those that a process takes for any fit, beside the rows and the fit's own tables:
// the code that it runs, buffers of the engine of linear algebra, panels.
const EngineBytes = 16 << 20

// Bytes prints a number of bytes in the unit that suits it.
func Bytes(b int64) string {
	const unit = 1024
	v, i := float64(b), 0
	for (v >= unit || i > 0 && v >= 999.5) && i < 4 { // three digits, never 1.01e+03
		v /= unit
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", b)
	}
	return fmt.Sprintf("%.3g %ciB", v, "KMGT"[i-1])
}

// Duration prints a forecast of seconds no finer than it is known.
func Duration(seconds float64) string {
	switch {
	case seconds < 0.1:
		return "less than 0.1 s"
	case seconds < 99.5:
		return fmt.Sprintf("about %.2g s", seconds)
	case seconds < 99.5*60:
		return fmt.Sprintf("about %.2g min", seconds/60)
	case seconds < 99.5*3600:
		return fmt.Sprintf("about %.2g h", seconds/3600)
	}
	return fmt.Sprintf("about %.3g days", seconds/86400)
}

// Count prints a number with its noun, which takes an s for all but one.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
