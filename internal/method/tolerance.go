package method

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// What --tol is of.
const (
	ofDual     = "at which the solver stops: the largest violation of the dual's conditions, LIBSVM's meaning"
	ofGradient = "at which the solver stops: the largest entry of the gradient, relative to the largest of its parts"
	ofDescent  = "at which the last descent stops: the largest derivative, relative to the length of w"
	ofSystems  = "at which the last systems of least squares and the margins stop"
)

// tolerance is --tol of a method: its default, and what it is of.
func tolerance(def, about string) setting.Setting {
	s := task.Tol
	s.Default, s.About = def, about
	return s
}

// tolerance is --tol of a machine with settings of its own.
func (k machine) tolerance(own ...setting.Setting) setting.Setting {
	iterated := slices.ContainsFunc(own, func(s setting.Setting) bool { return slices.Contains(s.Words, conjugate) })
	kinked := slices.ContainsFunc(k.losses, func(l string) bool { return slices.Contains([]string{"hinge", "epsilon", "absolute"}, l) })
	def, about := []string{"1e-8"}, ofGradient
	switch {
	case k.family == WarpedLinear:
		return tolerance("1e-4", ofGradient)
	case k.family.Linear():
		return tolerance("3e-4", ofGradient)
	case k.closed():
		def, about = nil, "systems are solved directly and meet any"
	case kinked && len(k.losses) == 1:
		def, about = []string{"1e-3"}, ofDual
	case kinked:
		def, about = []string{"1e-3", "1e-8 of smooth losses"},
			ofDual+", and of smooth losses the largest entry of the gradient, relative to "+
				"the largest of its parts"
	}
	if kinked && slices.Contains(k.losses, "epsilon") {
		def[0] = "1e-3 times the spread of the targets where that is below 1"
	}
	if iterated {
		def, about = append(def, "1e-6 of solver=cg"), about+"; of solver=cg the certified gap"
	}
	return tolerance(strings.Join(def, "; "), about)
}
