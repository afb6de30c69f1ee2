package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/search/param"
)

// Laplacian is the score of Laplacian RLS, in closed form, or of another Laplacian
// machine, by training again, in the sources' hyper-parameters: gamma_I and gamma_A, which
// Averaged turns into the ratio of the warped kernel and the ridge.
//
// Parameters: those of the base kernel, `neighbours`, `degree`, the width of heat
// weights if the recipe sets one, `gamma_i`, `gamma_a`. The two whole numbers have
// no derivative: a gradient search needs them fixed or enumerated. With a Norm in the place
// of the Graph, its parameters take theirs: the weights of C-Laplacian, manifold.Combined, which
// have derivatives.
//
// A learner with C (learn.Learner) has C = 1/(2 l gamma_A), whatever its loss.
type Laplacian struct {
	Learner   learn.Learner // nil: regularised least squares
	Base      kernel.Kernel
	Graph     graph.Recipe
	Norm      manifold.Norm // nil: the Graph's
	Views     [][2]int      // of the Graph, see manifold.Joint
	Problem   *learn.Problem
	Work      *kernel.Work
	Criterion Criterion
	Folds     [][]int
	GCV       bool
	Penalty   float64 // see LeaveOut
	Offset    bool
	Terms     Averaged  // zero value: all labelled rows, s = 1/n^2
	Lambda    param.Dim // range of lambda = l gamma_A; zero value: defaultLambda in the units that C of the Learner has
	Ratio     param.Dim // range of the ratio; zero value: defaultRatio
}

var _ param.Objective = (*Laplacian)(nil)

// defaultRatio is the range of gamma_I s / gamma_A, [1, 2^30], for kernels of
// order one and normalised Laplacians: below, the graph hardly matters; above,
// the machine is the graph's alone to working precision.
func defaultRatio() param.Dim {
	return param.Dim{Name: "ratio", Kind: param.Log, Lo: 1, Hi: 0x1p30, Default: 0x1p14}
}

func (o *Laplacian) ranges() (lambda, ratio param.Dim) {
	lambda, ratio = o.Lambda, o.Ratio
	if lambda == (param.Dim{}) {
		lambda = defaultLambda()
		if o.Learner != nil { // C, and so 1/lambda, may be in units of the targets
			unit := o.Learner.Space(1, o.Problem.Spread())[0].Default
			lambda.Lo, lambda.Hi, lambda.Default = lambda.Lo/unit, lambda.Hi/unit, lambda.Default/unit
		}
	}
	if ratio == (param.Dim{}) {
		ratio = defaultRatio()
	}
	return lambda, ratio
}

// terms are those of the averaged objective.
func (o *Laplacian) terms() Averaged {
	if o.Terms != (Averaged{}) {
		return o.Terms
	}
	n := float64(o.Problem.Rows.Len())
	return Averaged{Labelled: float64(len(o.Problem.Labelled)), Scale: 1 / (n * n)}
}

// Space lists the parameters.
func (o *Laplacian) Space() param.Space {
	lambda, ratio := o.ranges()
	terms := o.terms()
	n := o.Problem.Rows.Len()
	space := slices.Clone(o.Base.Space())
	if o.Norm != nil {
		space = append(space, o.Norm.Space()...)
	} else {
		k := max(o.Graph.Neighbours, 1)
		space = append(space,
			// Becker's table 4.1 has 2 to 50 neighbours and powers 1 to 5.
			param.Dim{Name: "neighbours", Kind: param.Integer, Lo: 2, Hi: float64(min(50, n-1)), Default: float64(k)},
			param.Dim{Name: "degree", Kind: param.Integer, Lo: 1, Hi: 5, Default: float64(max(o.Graph.Degree, 1))})
		space = append(space, o.graph(o.Graph).Space()...)
	}
	ga := param.Dim{
		Name:    "gamma_a",
		Kind:    param.Log,
		Lo:      terms.Weight(lambda.Lo),
		Hi:      terms.Weight(lambda.Hi),
		Default: terms.Weight(lambda.Default),
	}
	gi := param.Dim{Name: "gamma_i", Kind: param.Log, Default: terms.Intrinsic(ratio.Default, ga.Default),
		Lo: terms.Intrinsic(ratio.Lo, ga.Lo), Hi: terms.Intrinsic(ratio.Hi, ga.Hi)}
	return append(space, gi, ga)
}

// graph is the norm of one recipe.
func (o *Laplacian) graph(r graph.Recipe) manifold.Norm {
	g := manifold.Graph{Recipe: r, Longest: max(r.Neighbours, min(50, o.Problem.Rows.Len()-1))}
	if o.Views != nil {
		return manifold.Joint{Graph: g, Views: o.Views}
	}
	return g
}

// whole is the number of whole numbers among the parameters, behind the base kernel's.
func (o *Laplacian) whole() int {
	if o.Norm != nil {
		return 0
	}
	return 2
}

// Machine returns the score in the machine's own parameters and their values at
// theta: base kernel, width, ratio, lambda.
func (o *Laplacian) Machine(theta []float64) (*LeaveOut, []float64, error) {
	nb, whole := len(o.Base.Space()), o.whole()
	norm := o.Norm
	if norm == nil {
		g := o.Graph
		for i, v := range theta[nb : nb+2] {
			if v != math.Trunc(v) || v < 1 {
				return nil, nil, fmt.Errorf("score: %s = %g; it must be a whole number from 1", []string{"neighbours", "degree"}[i], v)
			}
		}
		g.Neighbours, g.Degree = int(theta[nb]), int(theta[nb+1])
		norm = o.graph(g)
	}
	n := len(theta)
	gi, ga := theta[n-2], theta[n-1]
	terms := o.terms()
	ratio := terms.Ratio(gi, ga)
	m := &LeaveOut{
		Kernel:    manifold.Warp{Base: o.Base, Norm: norm, Ratio: ratio},
		Problem:   o.Problem,
		Work:      o.Work,
		Criterion: o.Criterion,
		Folds:     o.Folds,
		GCV:       o.GCV,
		Penalty:   o.Penalty,
		Offset:    o.Offset,
		Lambda:    o.Lambda,
	}
	inner := slices.Concat(theta[:nb], theta[nb+whole:n-2], []float64{ratio, terms.Ridge(ga)})
	return m, inner, nil
}

// Learned turns the values that Machine returns into those of Refit: lambda into
// C, the learner's other parameters at their defaults.
func (o *Laplacian) Learned(inner []float64) []float64 {
	k := len(inner) - 1
	own := o.Learner.Space(1, o.Problem.Spread()).Defaults()
	own[0] = Strength(inner[k])
	return append(slices.Clone(inner[:k]), own...)
}

// Eval implements Objective. The derivatives by neighbours and degree are NaN.
func (o *Laplacian) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	m, inner, err := o.Machine(theta)
	if err != nil {
		return param.Value{}, err
	}
	var v param.Value
	if o.Learner != nil {
		r := Refit{Kernel: m.Kernel, Learner: o.Learner, Problem: o.Problem, Work: o.Work, Criterion: o.Criterion, Folds: o.Folds}
		learned := o.Learned(inner)
		v, err = r.Eval(ctx, learned, want)
		if k := len(inner) - 1; v.Grad != nil { // C = 1/(2 lambda)
			v.Grad = append(v.Grad[:k:k], -v.Grad[k]*learned[k]/inner[k])
		}
	} else {
		v, err = m.Eval(ctx, inner, want)
	}
	if err != nil || v.Grad == nil {
		return v, err
	}
	nb, whole, n := len(o.Base.Space()), o.whole(), len(theta)
	k := len(inner)
	g := make([]float64, n)
	copy(g, v.Grad[:nb])
	for i := range whole {
		g[nb+i] = math.NaN()
	}
	copy(g[nb+whole:], v.Grad[nb:k-2])
	g[n-2], g[n-1] = o.terms().Pull(theta[n-2], theta[n-1], v.Grad[k-2], v.Grad[k-1])
	v.Grad = g
	return v, nil
}
