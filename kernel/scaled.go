package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Scaled is weight times the Base kernel. A zero Weight means 1. The parameters
// are "weight" and then those of the base; where the base has a "weight" of its
// own, the base's names are prefixed by "base.". dk/dweight is the base.
type Scaled struct {
	Weight float64
	Base   Kernel
}

var scaledKind = kindOf(param.Words{
	ID: "scaled",
}, func(k *Scaled) []field {
	return []field{{name: "weight", value: &k.Weight}, {name: "base", value: &k.Base}}
})

// Space is "weight", within a factor 64 of its present value, and the base's.
func (k Scaled) Space() param.Space {
	base := k.Base.Space()
	clash := slices.ContainsFunc(base, func(d param.Dim) bool { return d.Name == "weight" })
	s := param.Space{logDim("weight", k.Weight)}
	for _, d := range base {
		if clash {
			d.Name = "base." + d.Name
		}
		s = append(s, d)
	}
	return s
}

// With returns the kernel of weight theta[0] > 0 with the rest handed to the base.
func (k Scaled) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	base, err := k.Base.With(theta[1:])
	if err != nil {
		return nil, err
	}
	return valid(Scaled{Weight: theta[0], Base: base})
}

// Adapt replaces a zero weight by 1 and adapts the base.
func (k Scaled) Adapt(rows data.Rows) Kernel {
	if k.Weight == 0 {
		k.Weight = 1
	}
	k.Base = k.Base.Adapt(rows)
	return k
}

// Bind binds the base.
func (k Scaled) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	base, err := k.Base.Bind(ctx, train, w)
	if err != nil {
		return nil, err
	}
	return &scaledGram{k: k, train: train, base: base}, nil
}

func (k Scaled) check(at stage) error {
	if err := positive("scaled", "weight", k.Weight, at); err != nil {
		return err
	}
	if err := check(k.Base, at); err != nil {
		return fmt.Errorf("scaled: %w", err)
	}
	return nil
}

type scaledGram struct {
	k     Scaled
	train data.Rows
	base  Gram
}

func (g *scaledGram) Len() int { return g.base.Len() }

func (g *scaledGram) Block(dst *mat.Dense, i, j []int) {
	g.base.Block(dst, i, j)
	g.scale(dst)
}

func (g *scaledGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if err := g.base.Cross(dst, x, j); err != nil {
		return err
	}
	g.scale(dst)
	return nil
}

func (g *scaledGram) scale(dst *mat.Dense) {
	r, _ := dst.Dims()
	parallel.Pieces(r, chunk, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			d := row(dst, a)
			for q := range d {
				d[q] *= g.k.Weight
			}
		}
	})
}

// Pull costs a block of the base besides the base's own Pull.
func (g *scaledGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	grad[0] += contract(g.base, bar)
	if len(grad) == 1 {
		return nil
	}
	base := make([]float64, len(grad)-1)
	if err := g.base.Pull(base, bar); err != nil {
		return err
	}
	for q, v := range base {
		grad[1+q] += g.k.Weight * v
	}
	return nil
}

func (g *scaledGram) features() (data.Rows, bool) {
	x, ok := Features(g.base)
	if !ok {
		return data.Rows{}, false
	}
	return times(x, math.Sqrt(g.k.Weight)), true
}

// Expand is the kernel's own expansion, or the base's with alpha times weight.
func (g *scaledGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	if plain(g.k) {
		return expand(g.k, g.train, alpha, j), nil
	}
	scaled := mat.DenseCopyOf(alpha)
	g.scale(scaled)
	return g.base.Expand(scaled, j)
}
