package sparsemanifold

// Problem   greedy selection for the slack machine as published. Of a candidate j at the best (beta, f) on J, the source sets
//
//	t = [nu K_jN (f - o) - gammaA o_j]/[gammaA k_jj + nu |K_Nj|^2]     f held
//
//           then solves for f again at o + t K_Nj by 50 steps of conjugate gradients, and takes the j of the least objective.
// Method    with f solved for exactly the objective is quadratic in t: with g = gammaA o_j + K_jN (Q o - T), which is
//           gammaA o_j + nu K_jN (o - f), h = gammaA k_jj + K_jN Q K_Nj and h' = gammaA k_jj + nu |K_Nj|^2,
//
//	t = -g/h',   fall of the objective = (g^2/h') (1 - h/(2 h'))
//
//           where the exact score of basis.Greedy is g^2/(2h), its maximum over t. No f is made for a candidate.
// Cost      a system of the graph once a candidate; a refit a step (basis.Fit).
// Source    Sindhwani 2007, section 5.3.2; the closed form is ours.

import (
	"context"
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/basis"
	"github.com/mercer-ml/mercer/kernel"
)

// Published chooses centres of a slack machine (Slack.Basis) by the source's score.
type Published struct {
	Candidates int // drawn anew for each step; 0: all
	Seed       uint64
}

var _ basis.Chooser = Published{}

// candidate is what is kept of a row that was judged.
type candidate struct {
	column *mat.Dense // K_Nj, n x 1
	h, h1  float64    // h and h' above
}

// Choose implements basis.Chooser. A problem without slack is an error.
func (c Published) Choose(ctx context.Context, p basis.Problem, size int) (basis.Path, error) {
	s, ok := p.Q.(*Slack)
	if !ok {
		return basis.Path{}, errors.New("sparsemanifold: the published score is of slack machines; choose another chooser")
	}
	n := p.Gram.Len()
	if size < 1 || size > n {
		return basis.Path{}, errors.New("sparsemanifold: ask for at least one basis function, and at most as many as there are rows")
	}
	diag, rng := kernel.Diagonal(p.Gram, nil), rand.New(rand.NewPCG(c.Seed, 0x51ac))
	known, taken := map[int]*candidate{}, make([]bool, n)
	_, outputs := p.Target.Dims()
	o := mat.NewDense(n, outputs, nil)
	var path basis.Path
	for len(path.Centres) < size {
		slope := mat.NewDense(n, outputs, nil) // Q o - T
		s.MulTo(slope, o)
		slope.Sub(slope, p.Target)
		best, most := -1, 0.0
		for _, j := range c.drawn(rng, taken) {
			if err := ctx.Err(); err != nil {
				return path, err
			}
			if known[j] == nil {
				known[j] = judged(p, s, j, diag[j])
			}
			k, square := known[j], 0.0
			for q := range outputs {
				g := p.GammaA*o.At(j, q) + mat.Dot(k.column.ColView(0), slope.ColView(q))
				square += g * g
			}
			if fall := square / k.h1 * (1 - k.h/(2*k.h1)); fall > most {
				best, most = j, fall
			}
		}
		if best < 0 {
			break // nothing adds anything
		}
		taken[best] = true
		path.Centres = append(path.Centres, best)
		f, err := basis.Fit(ctx, p, path.Centres)
		if err == nil {
			err = s.Err()
		}
		if err != nil {
			return path, err
		}
		o = f.Outputs
	}
	return path, nil
}

// judged computes what does not depend on the centres chosen.
func judged(p basis.Problem, s *Slack, j int, diagonal float64) *candidate {
	n := p.Gram.Len()
	k := &candidate{column: mat.NewDense(n, 1, nil)}
	p.Gram.Block(k.column, nil, []int{j})
	qk := mat.NewDense(n, 1, nil)
	s.MulTo(qk, k.column)
	k.h = p.GammaA*diagonal + mat.Dot(k.column.ColView(0), qk.ColView(0))
	k.h1 = p.GammaA*diagonal + s.Nu*mat.Dot(k.column.ColView(0), k.column.ColView(0))
	return k
}

// drawn are the candidates of a step.
func (c Published) drawn(rng *rand.Rand, taken []bool) []int {
	var rest []int
	for i, is := range taken {
		if !is {
			rest = append(rest, i)
		}
	}
	if c.Candidates <= 0 || c.Candidates >= len(rest) {
		return rest
	}
	for q := range c.Candidates {
		p := q + rng.IntN(len(rest)-q)
		rest[q], rest[p] = rest[p], rest[q]
	}
	return rest[:c.Candidates]
}
