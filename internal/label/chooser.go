package label

// Which row to ask about: the one after whose answer the expected number of mistakes is least.
//
// Criterion  With beliefs b_r of row r (Learner.Belief), R = sum_r (1 - max_k b_rk) is the number of mistakes to expect. For a
//
//	row i whose answer would be y with probability b_iy, the learner with this answer has closed-form outputs, and
//
//	gain(i) = R - sum_y b_iy R(+ (i, y)).
//
//	The largest gain wins. A region without an answer has beliefs of 1/c, so a row in its middle, which says
//	something of many others, gains most: exploration, and the balance over the components of the graph (each is worth
//	its rows), come of the same formula.
// Checks     The formula trusts the beliefs, and is wrong where a class has a part that looks like another. Every
//	CheckEvery-th question is a row drawn at random. Such rows find what nothing pointed to, and they are what the
//	estimate of the error rests on (Estimate).
// Short cuts Classes without an answer yet are alike: one of them is worked out. Of many rows, Candidates drawn at random
//	are compared by what they do to Judges others. Answers of a belief below 1 % are left out.
// Cost       candidates x judges x (m + c^2) at most.
// Source     Zhu, Lafferty and Ghahramani, "Combining active learning and semi-supervised learning using Gaussian fields and
//	harmonic functions", ICML workshop 2003, eq. 8 to 12, with these features in the place of the harmonic function.

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
)

// Reasons of questions, as the log has them.
const (
	WhyRisk  = "risk"  // the answer helps most
	WhyCheck = "check" // drawn at random
	WhyAgain = "again" // a person wanted this row
)

// Chooser chooses questions. The zero value is what mercer label uses.
type Chooser struct {
	Candidates int    // rows compared; 0 means 200
	Judges     int    // rows by which they are; 0 means 500
	CheckEvery int    // every so many questions a check; 0 means 5, negative none
	Seed       uint64 // of what is drawn
}

// Next chooses one of the rows listed, of which there is one at least. asked is the number of questions so far: the same
// seed, number and answers have the same next question.
func (c Chooser) Next(l *Learner, free []int, asked int) (row int, why string) {
	rng := rand.New(rand.NewPCG(c.Seed, uint64(asked))) //nolint:gosec // a count
	if every := cmp.Or(c.CheckEvery, 5); every > 0 && asked%every == every-1 {
		return free[rng.IntN(len(free))], WhyCheck
	}
	candidates := draw(free, cmp.Or(c.Candidates, 200), rng)
	all := indices.To(len(l.Class))
	judges := draw(all, cmp.Or(c.Judges, 500), rng)
	gain := l.gains(candidates, judges)
	best := 0
	for q, g := range gain {
		if g > gain[best] {
			best = q
		}
	}
	return candidates[best], WhyRisk
}

// draw are at most so many of the rows, ascending.
func draw(rows []int, most int, rng *rand.Rand) []int {
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for q, at := range rng.Perm(len(rows))[:most] {
		some[q] = rows[at]
	}
	slices.Sort(some)
	return some
}

// gains are those of candidates, summed over judges.
func (l *Learner) gains(candidates, judges []int) []float64 {
	_, m := l.Z.Dims()
	pz, v := mat.NewDense(len(candidates), m, nil), mat.NewDense(len(candidates), len(judges), nil)
	blas.Gemm(1, blas.N(l.features(candidates)), blas.N(l.p), 0, pz)
	blas.Gemm(1, blas.N(pz), blas.T(l.features(judges)), 0, v)
	now, b := make([]float64, len(judges)), make([]float64, l.classes)
	for q, r := range judges {
		l.Belief(b, r)
		now[q] = slices.Max(b)
	}
	known := make([]bool, l.classes)
	for _, k := range l.Class {
		if k >= 0 {
			known[k] = true
		}
	}
	gain := make([]float64, len(candidates))
	const piece = 8 // candidates a worker takes at a time; no result depends on it
	parallel.Pieces(len(candidates), piece, func(lo, hi int) {
		for q := lo; q < hi; q++ {
			gain[q] = l.gain(candidates[q], judges, v.RawRowView(q), now, known)
		}
	})
	return gain
}

// features are those of some rows.
func (l *Learner) features(rows []int) *mat.Dense {
	_, m := l.Z.Dims()
	z := mat.NewDense(len(rows), m, nil)
	for q, i := range rows {
		copy(z.RawRowView(q), l.Z.RawRowView(i))
	}
	return z
}

// gain is that of row i. v has z_r'P z_i of the judges, now the beliefs in their decisions.
func (l *Learner) gain(i int, judges []int, v, now []float64, known []bool) float64 {
	d, at := 1+l.lever[i], l.out.RawRowView(i)
	p := make([]float64, l.classes)
	l.Belief(p, i)
	first := slices.Index(known, false) // stands for all classes without an answer
	for k := range p {
		if !known[k] && k != first {
			p[first] += p[k]
			p[k] = 0
		}
	}
	rare := min(0.01, slices.Max(p)/2) // answers of less belief are left out
	gain, total := 0.0, 0.0
	for y, w := range p {
		if w < rare {
			continue
		}
		total += w
		for q, r := range judges {
			gain += w * (l.after(r, v[q]/d, at, y) - now[q])
		}
	}
	return gain / total
}

// after is the belief in the decision of row r once a row with the outputs at has the class y, which reaches r by s: the
// largest number that believe would make.
func (l *Learner) after(r int, s float64, at []float64, y int) float64 {
	sum, top := 0.0, 0.0
	for k, o := range l.out.RawRowView(r)[:l.classes] {
		v := o - s*at[k]
		if k == y {
			v += s
		}
		if v > 0 {
			sum += v
			if v > top {
				top = v
			}
		}
	}
	if sum >= 1 {
		return top / sum
	}
	return top + (1-sum)/float64(l.classes)
}
