package label

// Learner: ridge regression of the classes in the features, with one more label, or one less, in closed form.
//
// Problem   minimise over W (m x c)  sum_L |Z_i W - e_{k(i)}|^2 + noise |W|^2,  e_k the k-th unit vector.
// Solution  P = (Z_L'Z_L + noise I)^-1,  W = P Z_L'Y,  outputs F = Z W of all n rows,  h_i = z_i'P z_i.
// One more  label k of row i, with u = P z_i, v = Z u, d = 1 + h_i:
//
//	P - u u'/d,   F + v (e_k - F_i)/d,   h - v^2/d.
//
// One less  the same with d = h_i - 1.
// Left out  what row i would be given without its own label: (F_i - h_i e_k)/(1 - h_i).
// Cost      m^2 + n (m + c) for a label; n m^2 + m^3 for any number at once (Learn).
// Source    Sherman and Morrison 1950; Zhu, Lafferty and Ghahramani, ICML workshop 2003, eq. 10 (one more label).

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
)

// Learner learns classes of rows from the labels of some.
type Learner struct {
	Z     *mat.Dense // n x m
	Noise float64
	Class []int // of each row, -1 without a label

	classes int
	p       *mat.Dense // m x m
	out     *mat.Dense // n x c
	lever   []float64  // h
	u, v    []float64  // scratch, m and n
}

// noise is the ridge of a Learner: rows have length 1, so an answer alone is believed to 1/(1 + noise).
const noise = 0.05

// NewLearner learns the labels class, -1 for none, of so many classes. class becomes the learner's own.
func NewLearner(z *mat.Dense, class []int, classes int) *Learner {
	n, m := z.Dims()
	if len(class) != n {
		panic("label: not one class a row")
	}
	l := &Learner{Z: z, Noise: noise, Class: class, classes: classes, lever: make([]float64, n), u: make([]float64, m),
		v: make([]float64, n)}
	l.learn()
	return l
}

// learn makes all anew from the labels.
func (l *Learner) learn() {
	n, m := l.Z.Dims()
	l.p, l.out = mat.NewDense(m, m, nil), mat.NewDense(n, max(l.classes, 1), nil)
	a, b := mat.NewSymDense(m, nil), mat.NewDense(m, max(l.classes, 1), nil)
	for i, k := range l.Class {
		if k >= 0 {
			z := mat.NewVecDense(m, l.Z.RawRowView(i))
			a.SymRankOne(a, 1, z)
			for j := range m {
				b.Set(j, k, b.At(j, k)+z.AtVec(j))
			}
		}
	}
	for j := range m {
		a.SetSym(j, j, a.At(j, j)+l.Noise)
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		panic("label: a matrix with a ridge is not positive definite") // Z is finite, of rows of length 1
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		panic("label: " + err.Error())
	}
	l.p.Copy(&inverse)
	var w, zp mat.Dense
	w.Mul(l.p, b)
	blas.Gemm(1, blas.N(l.Z), blas.N(&w), 0, l.out)
	zp.ReuseAs(n, m)
	blas.Gemm(1, blas.N(l.Z), blas.N(l.p), 0, &zp)
	for i := range n {
		l.lever[i] = dot(zp.RawRowView(i), l.Z.RawRowView(i))
	}
}

// Set gives row i the class k, or none for -1, in the place of what it has.
func (l *Learner) Set(i, k int) {
	if l.Class[i] == k {
		return
	}
	if l.Class[i] >= 0 {
		l.change(i, l.Class[i], l.lever[i]-1)
		l.Class[i] = -1
	}
	if k >= 0 {
		l.change(i, k, 1+l.lever[i])
		l.Class[i] = k
	}
}

// change adds a label of row i with d = 1 + h_i, and takes it away with d = h_i - 1.
func (l *Learner) change(i, k int, d float64) {
	l.reach(l.v, i)
	m := len(l.u)
	for a, s := range l.u {
		row := l.p.RawRowView(a)
		for b := range m {
			row[b] -= s * l.u[b] / d
		}
	}
	step := make([]float64, l.classes)
	copy(step, l.out.RawRowView(i))
	for q := range step {
		step[q] /= -d
	}
	step[k] += 1 / d
	for r, s := range l.v {
		out := l.out.RawRowView(r)
		for q, t := range step {
			out[q] += s * t
		}
		l.lever[r] -= s * s / d
	}
}

// reach sets u = P z_i and v = Z u.
func (l *Learner) reach(v []float64, i int) {
	z := l.Z.RawRowView(i)
	for a := range l.u {
		l.u[a] = dot(l.p.RawRowView(a), z)
	}
	for r := range v {
		v[r] = dot(l.Z.RawRowView(r), l.u)
	}
}

// Belief sets b (c) to the probabilities of the classes of row i: what the outputs say, and the rest, of which no label
// says anything, to each class alike.
func (l *Learner) Belief(b []float64, i int) { believe(b, l.out.RawRowView(i)[:l.classes]) }

// LeftOut sets b to the probabilities of the classes of a labelled row without its own label.
func (l *Learner) LeftOut(b []float64, i int) {
	h := l.lever[i]
	f := make([]float64, l.classes)
	for k, v := range l.out.RawRowView(i)[:l.classes] {
		if k == l.Class[i] {
			v -= h
		}
		f[k] = v / (1 - h)
	}
	believe(b, f)
}

// believe makes outputs probabilities.
func believe(b, f []float64) {
	sum := 0.0
	for k, v := range f {
		b[k] = max(v, 0)
		sum += b[k]
	}
	rest := max(0, 1-sum) / float64(len(f))
	if sum < 1 {
		sum = 1
	}
	for k := range b {
		b[k] = b[k]/sum + rest
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// Classes makes room for more classes.
func (l *Learner) Classes(count int) {
	if count <= l.classes {
		return
	}
	n, _ := l.Z.Dims()
	out := mat.NewDense(n, count, nil)
	out.Slice(0, n, 0, l.classes).(*mat.Dense).Copy(l.out)
	l.out, l.classes = out, count
}
