package metamorphic

import (
	"math/rand/v2"
	"strconv"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/methodtest"
)

// pin says how the recipes of a method are fixed so that its objective is known: it is convex and has one minimum, so that
// whatever keeps the objective keeps the outputs. Kernel machines have a Gaussian kernel of a drawn width.
type pin struct {
	strength string // the setting that weighs the regulariser or the loss
	kernel   bool   // it has a kernel of a width, sigma
	graph    bool   // neighbours decide, so that ties of distances and rows twice change the objective
	// flat says that the minimum in the outputs is not unique (the offset of a hinge or a tube may lie in an interval),
	// or that it is met in the dual to a gap: objectives are compared and not outputs.
	flat bool
	// twice is what the strength is multiplied by when every row is there twice: 1 of an averaged loss, 1/2 of a summed
	// one, whose weights are thus halved; 0: the relation is not asked.
	twice float64
	more  map[string]string
}

// pins are the methods whose objective is convex with one minimum, and how its terms count rows (docs/notation.md):
//
//	lambda, gamma_a: (1/l) sum_i V(y_i, f_i) + lambda ||f||^2, the same for rows twice;
//	C:               1/2 ||f||^2 + C sum_i V(y_i, f_i), the same for rows twice at C/2.
//
// A graph joins each row with its nearest ones, which are others when every row is there twice.
var pins = map[string]pin{
	"rls":             {strength: "lambda", kernel: true, twice: 1},
	"ls-svm":          {strength: "lambda", kernel: true, twice: 1},
	"logistic":        {strength: "C", kernel: true, twice: 0.5},
	"l2-svm":          {strength: "C", kernel: true, twice: 0.5},
	"svm":             {strength: "C", kernel: true, twice: 0.5, flat: true},
	"svr":             {strength: "C", kernel: true, twice: 0.5, flat: true, more: map[string]string{"epsilon": "0.1"}},
	"rn":              {strength: "lambda"},
	"lap-rls":         {strength: "gamma_a", kernel: true, graph: true, more: alongGraph},
	"lap-logistic":    {strength: "gamma_a", kernel: true, graph: true, more: alongGraph},
	"lap-svm":         {strength: "gamma_a", kernel: true, graph: true, flat: true, more: alongGraph},
	"lap-svr":         {strength: "gamma_a", kernel: true, graph: true, flat: true, more: alongGraph},
	"linear-svm":      {strength: "C", twice: 0.5},
	"linear-logistic": {strength: "C", twice: 0.5},
	"linear-rls":      {strength: "lambda", twice: 1},
	"harmonic":        {graph: true, more: map[string]string{"neighbours": "7", "width": "1"}},
	"lgc":             {graph: true, more: map[string]string{"neighbours": "7", "width": "1", "alpha": "0.9"}},
	"graph-reg":       {graph: true, more: map[string]string{"neighbours": "7", "width": "1", "penalty": "0.3", "degree": "1"}},
}

// alongGraph fixes the graph of a machine.
var alongGraph = map[string]string{"gamma_i": "3", "neighbours": "6", "degree": "1", "width": "1"}

// draw draws a recipe with everything fixed.
func (p pin) draw(id string, rng *rand.Rand) mercer.Recipe {
	set := map[string]string{"--scale": []string{"none", "standard"}[rng.IntN(2)]}
	for k, v := range p.more {
		set[k] = v
	}
	if p.strength != "" {
		set[p.strength] = format(decades(rng, -2, 1))
	}
	if p.kernel {
		set["sigma"] = format(decades(rng, -0.5, 0.7))
		set["--kernel"] = []string{"gaussian", "laplacian"}[rng.IntN(2)]
	}
	r := methodtest.With(mercer.Recipe{Method: id, Tune: "none", Tolerance: 1e-9}, set)
	if mercer.Check(r) != nil {
		r.Tolerance = 0
	}
	return r
}

// twiceRecipe is the recipe whose objective on every row twice is that of r on every row.
func (p pin) twiceRecipe(r mercer.Recipe) mercer.Recipe {
	v, err := strconv.ParseFloat(r.Set[p.strength], 64)
	if err != nil {
		panic(err) // it was drawn as a number
	}
	return methodtest.With(r, map[string]string{p.strength: strconv.FormatFloat(v*p.twice, 'g', -1, 64)})
}

func format(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// scaledText is a number, as text, times a power of two, to the bit.
func scaledText(text string, by float64) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err) // it was drawn as a number
	}
	return strconv.FormatFloat(v*by, 'g', -1, 64)
}
