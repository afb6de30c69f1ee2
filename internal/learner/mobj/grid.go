package mobj

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// Grid is the kernels that a front is made over.
type Grid struct {
	Kernels []kernel.Kernel
	// Factors multiply the strengths for each kernel; nil: 1.
	Factors []float64
	// Params are what tells each kernel from the others, by name; nil where nobody asks.
	Params []map[string]float64
}

// Widths are base at several widths, increasing. Moving are the places of its widths in base.Space() that
// move together; values are those of the last of them, of which the others keep their ratio. Values nil
// are six octaves about its default: beyond them a Gaussian kernel is the identity or, after centring, linear.
// Without anything that moves it is base alone.
func Widths(base kernel.Kernel, moving []int, values []float64) (Grid, error) {
	if len(moving) == 0 {
		return Grid{Kernels: []kernel.Kernel{base}, Params: []map[string]float64{{}}}, nil
	}
	space := base.Space()
	of := space[moving[len(moving)-1]]
	if values == nil {
		for e := -3.0; e <= 3; e += 0.75 {
			values = append(values, math.Exp2(e)*of.Default)
		}
	}
	var g Grid
	for _, v := range slices.Sorted(slices.Values(values)) {
		theta := space.Defaults()
		for _, i := range moving {
			theta[i] *= v / of.Default
		}
		k, err := base.With(theta)
		if err != nil {
			return Grid{}, err
		}
		g.Kernels, g.Params = append(g.Kernels, k), append(g.Params, map[string]float64{of.Name: v})
	}
	return g, nil
}

// Degrees are base at several degrees, increasing; nil: 1 to 10. Degree p has strengths times 2^-2p, which
// keeps the interesting ones in one place (Kokshenev 2010, section 5.6.2).
func Degrees(base kernel.Polynomial, degrees []int) (Grid, error) {
	if degrees == nil {
		degrees = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	}
	var g Grid
	for _, p := range slices.Sorted(slices.Values(degrees)) {
		if p < 1 {
			return Grid{}, fmt.Errorf("mobj: polynomial of degree %d; give whole numbers from 1", p)
		}
		base.Degree = p
		g.Kernels = append(g.Kernels, base)
		g.Factors = append(g.Factors, math.Exp2(-2*float64(p)))
		g.Params = append(g.Params, map[string]float64{"degree": float64(p)})
	}
	return g, nil
}

// Name is what kernel k is called.
func (g Grid) Name(k int) string {
	if g.Params == nil || len(g.Params[k]) == 0 {
		return fmt.Sprintf("kernel %d", k+1)
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(g.Params[k])) {
		words = append(words, fmt.Sprintf("%s %.4g", name, g.Params[k][name]))
	}
	return strings.Join(words, ", ")
}

// Border says in words where a machine lies at an end of the strengths, which better ones may lie beyond;
// "" where it does not. Beyond strengths that no coefficient feels there is nothing, nor beyond the
// widths of Widths, where a Gaussian kernel is the identity or linear.
func (m Machines) Border(t *Trained) string {
	if n := len(m.Strengths); n > 1 && (t.Step == 0 || t.Step == n-1 && !t.Free) {
		return fmt.Sprintf("strength %.4g is at the end of the list, of %d", t.Strength, n)
	}
	return ""
}
