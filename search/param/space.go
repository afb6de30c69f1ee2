package param

import (
	"fmt"
	"math"
	"strings"
)

// simplexTolerance bounds |sum of a group's weights - 1| in Check.
const simplexTolerance = 1e-10

// Defaults returns the Default of every dimension.
func (s Space) Defaults() []float64 {
	theta := make([]float64, len(s))
	for i, d := range s {
		theta[i] = d.Default
	}
	return theta
}

// Index returns the position of the dimension called name, or -1.
func (s Space) Index(name string) int {
	for i, d := range s {
		if d.Name == name {
			return i
		}
	}
	return -1
}

// Names returns the names in order.
func (s Space) Names() []string {
	names := make([]string, len(s))
	for i, d := range s {
		names[i] = d.Name
	}
	return names
}

// Free returns the indices of the dimensions that a search moves: those that
// are not Fixed and have more than one value. A weight is free when its group
// has at least two weights that are not Fixed; a lone one is what the fixed
// weights leave over.
func (s Space) Free() []int {
	loose := map[int]int{}
	for _, d := range s {
		if d.Kind == Simplex && !d.Fixed {
			loose[d.Group]++
		}
	}
	var free []int
	for i, d := range s {
		switch {
		case d.Fixed:
		case d.Kind == Simplex:
			if loose[d.Group] > 1 {
				free = append(free, i)
			}
		case d.Lo < d.Hi:
			free = append(free, i)
		}
	}
	return free
}

// FreeDiscrete returns the indices of the free Integer and Choice dimensions:
// those that no gradient can move.
func (s Space) FreeDiscrete() []int {
	var at []int
	for _, i := range s.Free() {
		if s[i].Kind.discrete() {
			at = append(at, i)
		}
	}
	return at
}

// Round returns the value of d nearest to v: clipped to Lo..Hi and, for Integer
// and Choice, whole (halves away from zero). Weights are only clipped at 0.
func (d Dim) Round(v float64) float64 {
	switch {
	case d.Kind == Simplex:
		return max(v, 0)
	case d.Kind.discrete():
		v = math.Round(v)
	}
	return min(max(v, d.Lo), d.Hi)
}

// Check tests the space itself and theta in it and reports every fault at once:
// name, value and range. Lo..Hi bound the search: a Fixed value may lie outside
// as long as its kind allows it (Log positive, Integer whole, Choice in its
// list). The weights of a group must be non-negative with
// |sum - 1| <= simplexTolerance; their Lo and Hi are not used.
// It panics if len(theta) != len(s).
func (s Space) Check(theta []float64) error {
	if len(theta) != len(s) {
		panic(fmt.Sprintf("param: theta has %d values, the space %d dimensions", len(theta), len(s)))
	}
	var faults []string
	bad := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	seen := make(map[string]bool, len(s))
	var groups []int // in order of appearance, so that the message is stable
	sum := map[int]float64{}
	for i, d := range s {
		if seen[d.Name] {
			bad("%s: name used twice", d.Name)
		}
		seen[d.Name] = true
		v := theta[i]
		finite := !math.IsNaN(v) && !math.IsInf(v, 0)
		if d.Kind == Simplex {
			if _, ok := sum[d.Group]; !ok {
				groups = append(groups, d.Group)
			}
			sum[d.Group] += v
			if !finite || v < 0 {
				bad("%s = %g: a weight must be in 0..1", d.Name, v)
			}
			continue
		}
		if fault := d.boundsFault(); fault != "" {
			bad("%s: %s", d.Name, fault)
			continue
		}
		what := ""
		if d.Kind.discrete() {
			what = "a whole number "
		}
		inside := v >= d.Lo && v <= d.Hi || d.Fixed && d.Kind != Choice
		switch {
		case !finite, !inside, d.Kind.discrete() && v != math.Trunc(v):
			bad("%s = %g: must be %sin %g..%g", d.Name, v, what, d.Lo, d.Hi)
		case d.Kind == Log && v <= 0:
			bad("%s = %g: must be positive", d.Name, v)
		}
	}
	for _, g := range groups {
		if r := sum[g] - 1; math.Abs(r) > simplexTolerance {
			bad("weights of group %d (%s): sum to %g, must be 1", g, strings.Join(s.members(g), ", "), sum[g])
		}
	}
	if faults != nil {
		return fmt.Errorf("hyper-parameters: %s", strings.Join(faults, "; "))
	}
	return nil
}

// boundsFault says what is wrong with Lo and Hi; "" when nothing is.
func (d Dim) boundsFault() string {
	finite := !math.IsNaN(d.Lo+d.Hi) && !math.IsInf(d.Lo, 0) && !math.IsInf(d.Hi, 0)
	switch {
	case !finite || d.Lo > d.Hi:
		return fmt.Sprintf("bounds %g..%g are not an interval", d.Lo, d.Hi)
	case d.Kind == Log && d.Lo <= 0:
		return fmt.Sprintf("bounds %g..%g of a log scale must be positive", d.Lo, d.Hi)
	case d.Kind.discrete() && (d.Lo != math.Trunc(d.Lo) || d.Hi != math.Trunc(d.Hi)):
		return fmt.Sprintf("bounds %g..%g must be whole numbers", d.Lo, d.Hi)
	case d.Kind == Choice && d.Lo != 0:
		return fmt.Sprintf("bounds %g..%g of a choice must begin at 0", d.Lo, d.Hi)
	}
	return ""
}

func (s Space) members(group int) []string {
	var names []string
	for _, d := range s {
		if d.Kind == Simplex && d.Group == group {
			names = append(names, d.Name)
		}
	}
	return names
}

// Set returns a copy of s in which the dimension called name has the Default
// value, and is Fixed if fixed. The other weights of a simplex that are not
// Fixed are rescaled so that the group still sums to one. The error names an
// unknown name's alternatives, or what Check finds wrong with the new value.
func (s Space) Set(name string, value float64, fixed bool) (Space, error) {
	at := s.Index(name)
	if at < 0 {
		return nil, fmt.Errorf("unknown hyper-parameter %q (known: %s)", name, strings.Join(s.Names(), ", "))
	}
	t := append(Space(nil), s...)
	t[at].Default, t[at].Fixed = value, fixed
	if d := t[at]; d.Kind == Simplex {
		t.fill(at)
		if err := t.group(d.Group).Check(t.group(d.Group).Defaults()); err != nil {
			return nil, err
		}
		return t, nil
	}
	one := Space{t[at]}
	if err := one.Check(one.Defaults()); err != nil {
		return nil, err
	}
	return t, nil
}

// fill rescales the loose weights of at's group, other than at, to the mass
// that the rest leaves; equally when they are all zero.
func (s Space) fill(at int) {
	rest, old, loose := 1.0, 0.0, 0
	for i, d := range s {
		switch {
		case d.Kind != Simplex || d.Group != s[at].Group:
		case i == at || d.Fixed:
			rest -= d.Default
		default:
			old += d.Default
			loose++
		}
	}
	rest = left(rest)
	for i, d := range s {
		if d.Kind != Simplex || d.Group != s[at].Group || i == at || d.Fixed {
			continue
		}
		if old > 0 {
			s[i].Default = d.Default / old * rest
		} else {
			s[i].Default = rest / float64(loose)
		}
	}
}

// left is what fixed weights leave of one: nothing where rounding alone makes it negative.
func left(rest float64) float64 {
	if rest < 0 && rest >= -simplexTolerance {
		return 0
	}
	return rest
}

func (s Space) group(g int) Space {
	var t Space
	for _, d := range s {
		if d.Kind == Simplex && d.Group == g {
			t = append(t, d)
		}
	}
	return t
}
