package learntest

import (
	"fmt"
	"strings"
)

// Literal is a value as %#v writes it, with losses by the names that kept files have for them.
func Literal(v any) string {
	return strings.NewReplacer(
		"learn.square{}", "learn.Square{}",
		"learn.squaredHinge{}", "learn.SquaredHinge{}",
		"learn.logistic{}", "learn.Logistic{}",
		"learn.huberHinge{h:0.5}", "learn.HuberHinge{H:0}",
		"learn.huberHinge{h:", "learn.HuberHinge{H:",
		"learn.squaredEpsilon{eps:0.1}", "learn.SquaredEpsilon{Eps:0}",
		"learn.squaredEpsilon{eps:", "learn.SquaredEpsilon{Eps:",
		"learn.quartic{eps:0.125}", "learn.Quartic{Eps:0}",
		"learn.quartic{eps:", "learn.Quartic{Eps:",
	).Replace(fmt.Sprintf("%#v", v))
}
