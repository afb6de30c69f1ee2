package basis

// Problem   J, size functions of m, with a small min R on them; the best J is a search over subsets.
// Method    One function a step. Of the candidates, kappa drawn anew from those not chosen or all, the one that promises the
//           greatest fall of R joins, and all coefficients are solved for again:
//             Post   |r_j|^2/(2 h_j): the others stay as they are while j is judged ("post-backfitting")
//             Pre    |r_j|^2/(2 s_j): the fall itself, of a refit with j, without the refit ("pre-backfitting")
//           summed over the outputs, which share J. A function within rounding of those chosen is passed over. Then, as often as
//           asked, the function whose loss costs least is exchanged for the best candidate while that lowers R.
// Cost      state.go; n m kernel values where all columns can be kept (256 MB), else kappa n a step.
// Source    Sindhwani 2007, section 5.1.1, after Keerthi, Chapelle and DeCoste, JMLR 7 (2006), and Vincent and
//           Bengio, Machine Learning 48 (2002). The exchange is ours.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Score is how a greedy search judges candidates.
type Score int

const (
	// Post judges a candidate with the coefficients of the others held: n flops a candidate and output.
	Post Score = iota
	// Pre judges it by the exact fall of R: n flops more for each function that joined since it was last judged.
	Pre
)

// Greedy is matching pursuit over the kernel columns.
type Greedy struct {
	Candidates int // kappa, drawn anew each step; 0: all
	Seed       uint64
	Score      Score
	// Plain is the gamma of a penalty (gamma/2) |beta|^2 that replaces (GammaA/2) beta'K_JJ beta while centres are chosen; 0: it
	// does not. PlainGamma keeps the ratio of the terms.
	Plain float64
	// Scales are kernels bound to the same rows, such as those of several widths, from which functions are taken in the place of
	// the problem's. It needs Plain: functions of different spaces have no norm together.
	Scales    []kernel.Gram
	Exchanges int // at most so many after the last step
}

// panel is the number of candidates that are judged by one matrix product.
const panel = 256 // no result depends on it

// Choose implements Chooser. With Scales, several functions may have one row as their centre.
func (g Greedy) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	if err := p.check(size); err != nil {
		return Path{}, err
	}
	if g.Candidates < 0 || g.Exchanges < 0 || g.Plain < 0 {
		panic(fmt.Sprintf("basis: %d candidates, %d exchanges, gamma %g", g.Candidates, g.Exchanges, g.Plain))
	}
	dict := p.dictionary()
	switch {
	case len(g.Scales) > 0 && g.Plain == 0:
		panic("basis: several scales without a penalty of the coefficients themselves")
	case len(g.Scales) > 0:
		dict = newPlainDictionary(g.Scales, g.Plain)
	case g.Plain > 0:
		dict = newPlainDictionary([]kernel.Gram{p.Gram}, g.Plain)
	}
	s := &greedy{Greedy: g, state: newState(p, dict), rng: rand.New(rand.NewPCG(g.Seed, 0xba515))}
	for len(s.chosen) < size {
		if joined, err := s.step(ctx); err != nil {
			return Path{}, err
		} else if !joined {
			break
		}
	}
	for range g.Exchanges {
		if better, err := s.exchange(ctx); err != nil {
			return Path{}, err
		} else if !better {
			break
		}
	}
	return s.path(), nil
}

func (p Problem) dictionary() *dictionary {
	return newDictionary([]kernel.Gram{p.Gram}, p.GammaA)
}

// greedy is a search under way.
type greedy struct {
	Greedy
	*state
	rng  *rand.Rand
	pool []int
	gain []float64
}

// everything is all functions, as candidates.
func (s *greedy) everything() []int {
	s.pool = s.pool[:0]
	for a := range s.dict.len() {
		s.pool = append(s.pool, a)
	}
	return s.pool
}

// draw returns candidates in ascending order: kappa of the functions that are not out.
func (s *greedy) draw() []int {
	s.pool = s.pool[:0]
	for a := range s.dict.len() {
		if !s.out[a] {
			s.pool = append(s.pool, a)
		}
	}
	if k := s.Candidates; k < len(s.pool) {
		for q := range k {
			p := q + s.rng.IntN(len(s.pool)-q)
			s.pool[q], s.pool[p] = s.pool[p], s.pool[q]
		}
		s.pool = s.pool[:k]
		slices.Sort(s.pool)
	}
	return s.pool
}

// judge fills gain for the candidates; 0 for those that are out, or depend on the functions chosen.
func (s *greedy) judge(ctx context.Context, list []int) error {
	s.gain = slices.Grow(s.gain[:0], len(list))[:len(list)]
	for lo := 0; lo < len(list); lo += panel {
		hi := min(lo+panel, len(list))
		x, err := s.dict.columns(ctx, list[lo:hi])
		if err != nil {
			return err
		}
		s.look(list[lo:hi], x, s.gain[lo:hi])
		if s.Score == Pre {
			s.follow(list[lo:hi], x)
		}
		for q := lo; q < hi; q++ {
			a := list[q]
			by := s.h[a]
			if s.Score == Pre && !s.out[a] {
				by = s.schur(a)
			}
			if s.out[a] || by <= 0 {
				s.gain[q] = 0
			} else {
				s.gain[q] /= 2 * by
			}
		}
	}
	return nil
}

// step adds the best candidate, of all functions where those drawn depend on J or lower R by nothing; false: no function
// lowers R.
func (s *greedy) step(ctx context.Context) (bool, error) {
	if s.Candidates > 0 {
		if joined, err := s.joinBest(ctx, s.draw()); joined || err != nil {
			return joined, err
		}
	}
	return s.joinBest(ctx, s.everything())
}

// joinBest adds the best of the candidates that lowers R; false: none does.
func (s *greedy) joinBest(ctx context.Context, list []int) (bool, error) {
	if err := s.judge(ctx, list); err != nil {
		return false, err
	}
	for q := best(s.gain); q >= 0; q = best(s.gain) {
		x, err := s.dict.columns(ctx, list[q:q+1])
		if err != nil {
			return false, err
		}
		if s.join(list[q], x.RawRowView(0)) {
			return true, nil
		}
		s.gain[q] = 0
	}
	return false, nil
}

// best is the place of the greatest positive value, the first of equal ones; -1: there is none.
func best(x []float64) int {
	at, most := -1, 0.0
	for q, v := range x {
		if v > most {
			at, most = q, v
		}
	}
	return at
}

// exchange replaces the function that is missed least by the best candidate; false: that does not lower R.
func (s *greedy) exchange(ctx context.Context) (bool, error) {
	if len(s.chosen) < 2 {
		return false, nil
	}
	before, at := s.objective(), s.least()
	old := s.chosen[at]
	s.leave(at)
	joined, err := s.step(ctx)
	if err != nil {
		return false, err
	}
	if joined && s.objective() < before-1e-12*s.p.scale() {
		return true, nil
	}
	if joined {
		s.leave(len(s.chosen) - 1)
	}
	x, err := s.dict.columns(ctx, []int{old})
	if err != nil {
		return false, err
	}
	s.out[old] = false
	s.join(old, x.RawRowView(0))
	return false, nil
}

// scale is the size of an objective beside which rounding is counted.
func (p Problem) scale() float64 { return max(p.Constant, mat.Norm(p.Target, 2)) }

// PlainGamma is the gamma of Greedy.Plain that gives coefficients beta on a basis the penalty that GammaA beta'K_JJ beta has:
// GammaA (beta'K_JJ beta)/(beta'beta), summed over the outputs.
func PlainGamma(p Problem, centres []int, beta *mat.Dense) float64 {
	d := len(centres)
	k := mat.NewDense(d, d, nil)
	p.Gram.Block(k, centres, centres)
	_, c := beta.Dims()
	kb := mat.NewDense(d, c, nil)
	kb.Mul(k, beta)
	return p.GammaA * dot(kb, beta) / dot(beta, beta)
}

// GreedyRidge is a greedy search that keeps the penalty of the coefficients themselves in the place of the kernel's, with the gamma that
// gives both the same size on the centres of a search with the kernel's: two searches. With Scales, as Octaves makes them, it is the
// multi-scale search. The objective and the coefficients of its path are those of that penalty.
type GreedyRidge struct{ Greedy }

// Choose implements Chooser.
func (g GreedyRidge) Choose(ctx context.Context, p Problem, size int) (Path, error) {
	one := g.Greedy
	one.Scales = nil
	first, err := one.Choose(ctx, p, size)
	if err != nil || len(first.Centres) == 0 {
		return first, err
	}
	if g.Plain = PlainGamma(p, first.Centres, first.Beta(len(first.Centres))); !(g.Plain > 0) {
		return Path{}, errors.New("the kernel is indefinite, and greedy-ridge takes the size of its penalty from the norm of a function, " +
			"which is not positive here; take choose=greedy, or a positive definite kernel, as gaussian")
	}
	return g.Greedy.Choose(ctx, p, size)
}

// Octaves binds Gaussian kernels of the widths 2^i sigma, i = -3..3, to the rows (Sindhwani 2007, section 5.2.2).
func Octaves(ctx context.Context, k kernel.Gaussian, rows data.Rows) ([]kernel.Gram, error) {
	var grams []kernel.Gram
	for i := -3; i <= 3; i++ {
		g, err := kernel.Gaussian{Sigma: math.Ldexp(k.Sigma, i)}.Bind(ctx, rows, nil)
		if err != nil {
			return nil, err
		}
		grams = append(grams, g)
	}
	return grams, nil
}
