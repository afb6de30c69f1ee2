package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/search/param"
)

// Gradient is the quasi-Newton search with bounds, solve.LBFGSB in search
// coordinates (log2, softmax weights in -12..12; for weights as they are see Simplex).
// It ends at a projected gradient of 1e-5, a relative decrease of 1e-9 (see Decrease), a
// step of 1e-6, or where less is left to gain than the noise of the score. Value and gradient are one
// evaluation. It returns errNoGradient for a score without
// gradient; a free Integer or Choice is refused: fix it, or wrap the search in
// Enumerate.
type Gradient struct {
	Start  []float64 // theta; default the midpoint of the box in search coordinates
	Starts int       // runs, one after another within the budget; default 1; the later begin at random points
	Seed   uint64    // of the random points
	// Decrease ends a run of which the last step gained, and the next promises, at most this
	// share of the score; default 1e-9.
	Decrease float64
	Raw      bool // search Log dimensions as they are, as the publications do, not their log2
	// SQP searches weights (param.Simplex) themselves, by sequential quadratic programs under their sum, so that those
	// that do not serve end at exactly zero. Its quadratic model is dense: for at most 200 free dimensions. Without it they
	// are mu = softmax(z), searched in z: any number of dimensions, and no weight is ever zero.
	SQP bool
}

// retries is how many random points replace an infeasible start.
const retries = 20

// Run implements Search.
func (g Gradient) Run(ctx context.Context, s param.Space, eval Evaluate) error {
	if at := s.FreeDiscrete(); len(at) > 0 {
		name := "gradient"
		if g.SQP {
			name = "sqp"
		}
		return unmovable(name, s[at[0]], "has no derivative")
	}
	if g.Raw {
		s = raw(s)
	}
	t, z, err := start(s, g.Start)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0))
	middle := t.FromSearch(t.Midpoint())
	var c coordinates = t
	var f smoothly
	minimise := func() (solve.Status, error) {
		lo, hi := t.Bounds()
		res, err := solve.LBFGSB(
			ctx,
			f.eval,
			z,
			lo,
			hi,
			solve.LBFGSBOptions{MaxEvaluations: math.MaxInt, Decrease: g.Decrease, Noise: f.last},
		) // the driver's budget ends it
		return res.Status, err
	}
	if g.SQP {
		own, err := newSimplices(s, t)
		if err != nil {
			return err
		}
		first := middle
		if g.Start != nil {
			first = g.Start
		}
		c, z = own, own.ToSearch(first)
		minimise = func() (solve.Status, error) { return own.sqp(ctx, &f, z, g.Decrease) }
	}
	f = smoothly{coordinates: c, evaluate: eval}
	for run, failed := 0, 0; run < max(g.Starts, 1) && failed <= retries; {
		status, err := minimise()
		if err != nil {
			return err
		}
		if status == solve.Infeasible {
			failed++
		} else {
			run++
		}
		z = c.ToSearch(draw(rng, s, middle))
	}
	return nil
}

// raw returns the space with its Log dimensions searched as they are.
func raw(s param.Space) param.Space {
	s = slices.Clone(s)
	for i := range s {
		if s[i].Kind == param.Log {
			s[i].Kind = param.Real
		}
	}
	return s
}

// smoothly is the score with its gradient in search coordinates, and the noise of the value
// it gave last.
type smoothly struct {
	coordinates
	evaluate Evaluate
	noise    float64
}

func (s *smoothly) last() float64 { return s.noise }

// eval implements solve.Func.
func (s *smoothly) eval(ctx context.Context, z, gz []float64) (float64, error) {
	theta := s.FromSearch(z)
	v, err := s.evaluate(ctx, [][]float64{theta}, param.WithGradient)
	switch {
	case err != nil:
		return math.Inf(1), err
	case math.IsInf(v[0].F, 0) || math.IsNaN(v[0].F):
		return v[0].F, nil
	case v[0].Grad == nil:
		return math.Inf(1), errNoGradient
	}
	s.noise = v[0].Noise
	copy(gz, s.Gradient(theta, v[0].Grad))
	return v[0].F, nil
}
