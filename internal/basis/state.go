package basis

// What a greedy search knows of the functions chosen, J in the order of joining, and of candidates.
//
//	L L' = H_J,   w = L^-1 b_J,   beta = L'^-1 w,   R = Constant - |w|^2/2
//	z_j = L^-1 v_j,   v_j = GammaA K_Jj + K_JN Q K_Nj,   s_j = h_j - |z_j|^2,   h_j = GammaA k_jj + K_jN Q K_Nj
//	r_j = b_j - H_jJ beta = K_jN (T - Q o) - GammaA o_j
//
// j joins by the row (z_j, sqrt s_j) of L and r_j/sqrt s_j of w, so R falls by |r_j|^2/(2 s_j): the gain of a whole
// refit. z_j is carried on from where it was when j was last looked at. The residual T - Q o moves along
// Q K_NJ L'^-1 e_d alone. Where a function leaves, L loses it by rotations; z_j keeps what stands before it.
// Cost      a function that joins 2 n d + d^2; a candidate n c for r_j, once a product with Q for h_j, and for s_j n and d flops
//           a function that joined since. Memory n d, and d for each candidate that was looked at.
// Source    Sindhwani 2007, section 5.1.1; the scores are exact, which he replaces by approximate ones.

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dependent is the part of h_j below which s_j is rounding, and j as good as a sum of the functions chosen.
const dependent = 1e-12

type state struct {
	p    Problem
	dict *dictionary

	chosen []int
	chol   blas.Growing
	b, w   [][]float64 // b_j and w of the chosen, c numbers each
	q      table       // Q K_Nj of the chosen, n numbers each
	beta   *mat.Dense  // d x c
	rest   *mat.Dense  // (T - Q o)', c x n

	out []bool      // chosen, or dependent on those
	h   []float64   // 0: not yet looked at
	z   [][]float64 // as far as known

	work []float64
}

func newState(p Problem, dict *dictionary) *state {
	m := dict.len()
	return &state{p: p, dict: dict, q: table{n: dict.n}, rest: mat.DenseCopyOf(p.Target.T()),
		out: make([]bool, m), h: make([]float64, m), z: make([][]float64, m)}
}

// look computes |r_j|^2 of the candidates in list, whose values are the rows of x, into score.
func (s *state) look(list []int, x *mat.Dense, score []float64) {
	s.first(list, x)
	r := blas.Product(blas.N(x), blas.T(s.rest))
	for q := range list {
		row := r.RawRowView(q)
		if !s.dict.plain {
			values := x.RawRowView(q)
			for t, a := range s.chosen {
				floats.AddScaled(row, -s.dict.penalty(values, list[q], a), s.beta.RawRowView(t))
			}
		}
		score[q] = floats.Dot(row, row)
	}
}

// first computes h of those that are new.
func (s *state) first(list []int, x *mat.Dense) {
	var fresh []int
	for q, a := range list {
		if s.h[a] == 0 {
			fresh = append(fresh, q)
		}
	}
	if fresh == nil {
		return
	}
	in, out := s.space(len(fresh))
	for i, q := range fresh {
		in.SetCol(i, x.RawRowView(q))
	}
	s.p.Q.MulTo(out, in)
	sums := make([]float64, len(fresh))
	for r := range s.dict.n {
		values, images := in.RawRowView(r), out.RawRowView(r)
		for i, v := range values {
			sums[i] += v * images[i]
		}
	}
	for i, q := range fresh {
		s.h[list[q]] = s.dict.penalty(x.RawRowView(q), list[q], list[q]) + sums[i]
	}
}

// space is that of k functions and of their images, n x k each, until the next call.
func (s *state) space(k int) (in, out *mat.Dense) {
	size := s.dict.n * k
	s.work = slices.Grow(s.work[:0], 2*size)[:2*size]
	return mat.NewDense(s.dict.n, k, s.work[:size]), mat.NewDense(s.dict.n, k, s.work[size:])
}

// follow brings z of the candidates up to the functions chosen.
func (s *state) follow(list []int, x *mat.Dense) {
	d, from := len(s.chosen), len(s.chosen)
	for _, a := range list {
		if !s.out[a] {
			from = min(from, len(s.z[a]))
		}
	}
	if from == d {
		return
	}
	v := blas.Product(blas.N(x), blas.T(s.q.rows(from, d)))
	parallel.Pieces(len(list), 16, func(lo, hi int) {
		for q := lo; q < hi; q++ {
			a, values := list[q], x.RawRowView(q)
			if s.out[a] {
				continue
			}
			z := s.z[a]
			for t := len(z); t < d; t++ {
				row := s.chol.Row(t)
				e := v.At(q, t-from) + s.dict.penalty(values, a, s.chosen[t]) - floats.Dot(row[:t], z)
				z = append(z, e/row[t])
			}
			s.z[a] = z
		}
	})
}

// schur is s_j of a candidate whose z is up to date; at most 0 where it depends on the functions chosen.
func (s *state) schur(a int) float64 {
	left := s.h[a] - floats.Dot(s.z[a], s.z[a])
	if left <= dependent*s.h[a] {
		return 0
	}
	return left
}

// join adds function a, with values x, unless it depends on those chosen; it is then set aside.
func (s *state) join(a int, values []float64) bool {
	x := mat.NewDense(1, s.dict.n, values)
	s.first([]int{a}, x)
	s.follow([]int{a}, x)
	s.out[a] = true
	left := s.schur(a)
	if left == 0 {
		return false
	}
	c, _ := s.rest.Dims()
	d := len(s.chosen)
	copy(s.chol.Next(), s.z[a])
	b := make([]float64, c)
	for i, v := range values {
		floats.AddScaled(b, v, s.p.Target.RawRowView(i))
	}
	s.chol.Append(left)
	w := make([]float64, c)
	copy(w, b)
	for t, z := range s.z[a] {
		floats.AddScaled(w, -z, s.w[t])
	}
	floats.Scale(1/s.chol.Row(d)[d], w)
	s.chosen, s.b, s.w = append(s.chosen, a), append(s.b, b), append(s.w, w)
	s.q.append(formed(s.p.Q, x).RawRowView(0))
	s.z[a] = nil
	s.move(w)
	return true
}

// move adds what the last function brings to beta and takes it from the residual.
func (s *state) move(w []float64) {
	d, c := len(s.chosen), len(w)
	e := make([]float64, d)
	e[d-1] = 1
	s.chol.Backward(e)
	beta := mat.NewDense(d, c, nil)
	for t, v := range e {
		to := beta.RawRowView(t)
		if t < d-1 {
			copy(to, s.beta.RawRowView(t))
		}
		floats.AddScaled(to, v, w)
	}
	s.beta = beta
	along := make([]float64, s.dict.n)
	parallel.Pieces(len(along), 1024, func(lo, hi int) {
		for t, v := range e {
			floats.AddScaled(along[lo:hi], v, s.q.row(t)[lo:hi])
		}
	})
	for q, v := range w {
		floats.AddScaled(s.rest.RawRowView(q), -v, along)
	}
}

// leave takes the function at place t out of J; it is a candidate again, and so are those that depended on J.
func (s *state) leave(t int) {
	s.chol.Remove(t)
	s.chosen = append(s.chosen[:t:t], s.chosen[t+1:]...)
	s.b = append(s.b[:t:t], s.b[t+1:]...)
	s.q.remove(t)
	for a, z := range s.z {
		s.z[a] = z[:min(len(z), t)]
		s.out[a] = false
	}
	for _, a := range s.chosen {
		s.out[a] = true
	}
	s.restore()
}

// restore computes w, beta and the residual anew from L and b.
func (s *state) restore() {
	d := len(s.chosen)
	c, _ := s.rest.Dims()
	s.w, s.beta = make([][]float64, d), mat.NewDense(max(d, 1), c, nil)
	for t := range s.w {
		s.w[t] = make([]float64, c)
	}
	x := make([]float64, d)
	s.rest.Copy(s.p.Target.T())
	for q := range c {
		for t := range x {
			x[t] = s.b[t][q]
		}
		s.chol.Forward(x)
		for t, v := range x {
			s.w[t][q] = v
		}
		s.chol.Backward(x)
		to := s.rest.RawRowView(q)
		for t, v := range x {
			s.beta.Set(t, q, v)
			floats.AddScaled(to, -v, s.q.row(t))
		}
	}
}

// objective is R.
func (s *state) objective() float64 {
	r := s.p.Constant
	for _, w := range s.w {
		r -= floats.Dot(w, w) / 2
	}
	return r
}

// least is the place of the function whose loss raises R least, by |beta_t|^2/(2 [H_J^-1]_tt).
func (s *state) least() int {
	d := len(s.chosen)
	best, at := 0.0, -1
	x := make([]float64, d)
	for t := range d {
		clear(x)
		x[t] = 1
		s.chol.Forward(x)
		beta := s.beta.RawRowView(t)
		if loss := floats.Dot(beta, beta) / floats.Dot(x, x); at < 0 || loss < best {
			best, at = loss, t
		}
	}
	return at
}

// path is what was found.
func (s *state) path() Path {
	d, n := len(s.chosen), s.dict.n
	c, _ := s.rest.Dims()
	p := Path{Centres: make([]int, d), Objective: make([]float64, d), factor: s.chol, half: mat.NewDense(max(d, 1), c, nil)}
	if len(s.dict.grams) > 1 {
		p.Scales = make([]int, d)
	}
	r := s.p.Constant
	for t, a := range s.chosen {
		p.Centres[t] = a % n
		if p.Scales != nil {
			p.Scales[t] = a / n
		}
		r -= floats.Dot(s.w[t], s.w[t]) / 2
		p.Objective[t] = r
		p.half.SetRow(t, s.w[t])
	}
	return p
}

// Along is the path on centres in a given order: the objective and the coefficients of each size. A centre that depends
// on those before it, within rounding, adds nothing and is passed over, as in a greedy search. Cost: Chooser's, without candidates.
func Along(ctx context.Context, p Problem, centres []int) (Path, error) {
	if err := p.check(len(centres)); err != nil {
		return Path{}, err
	}
	if err := distinct(centres, p.Gram.Len()); err != nil {
		return Path{}, err
	}
	s := newState(p, p.dictionary())
	for _, j := range centres {
		x, err := s.dict.columns(ctx, []int{j})
		if err != nil {
			return Path{}, err
		}
		s.join(j, x.RawRowView(0))
	}
	return s.path(), nil
}
