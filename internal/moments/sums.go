// Package moments has least squares of features from sums over rows, which join, so that the rows may lie in many files.
package moments

// Problem   the machine of package rls on the linear kernel of features x_i (rows of X, n x d), from sums over rows:
//
//	minimise over w (d x c), b (c):  ||Y - X w - 1 b'||^2 + lambda ||w||^2
//
// Sums      n, the means of x and y, and S = sum (x - mean)(x - mean)', P = sum (x - mean)(y - mean)', so that nothing
//           cancels where means are large. Two such sums make that of both (Chan, Golub and LeVeque, The American
//           Statistician 37, 1983): with e = mean_2 - mean_1,
//             S = S_1 + S_2 + n_1 n_2/(n_1 + n_2) e e'.
//           Rows that lie in many files, or on many machines, are summed where they lie, and the sums are joined.
// Cost      n d^2 flops and d^2 + d c numbers; a join d^2.

import (
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sums are those of rows of features and targets. The zero value is that of no row. All fields are exported so that
// encoding/gob carries sums from one process to another.
type Sums struct {
	N    int
	X, Y []float64  // the means of the d features and of the c targets
	S    *mat.Dense // d x d, both triangles
	P    *mat.Dense // d x c
	YY   []float64  // sum (y - mean)^2 of each target
}

// New sums over rows of features x (n x d) and targets y (n x c), which are not changed. Where class is not nil it
// has a number below classes, or -1, for each row, and there are so many further targets, 1 in the rows of the class and 0 in
// others: of their linear combinations every coding of classes can be made (Coded). It panics if rows differ in number.
func New(x, y *mat.Dense, class []int, classes int) *Sums {
	n, d := x.Dims()
	ny, c := y.Dims()
	if n != ny || class != nil && len(class) != n {
		panic("rls: features and targets of different numbers of rows")
	}
	q := c + classes
	s := &Sums{N: n, S: mat.NewDense(d, d, nil), P: mat.NewDense(d, q, nil), YY: make([]float64, q)}
	x, y = mat.DenseCopyOf(x), mat.DenseCopyOf(y)
	s.X, s.Y = Centre(x), append(Centre(y), make([]float64, classes)...)
	blas.Syrk(1, blas.T(x), 0, s.S)
	blas.Gemm(1, blas.T(x), blas.N(y), 0, s.P.Slice(0, d, 0, c).(*mat.Dense))
	for i := range n {
		for j, v := range y.RawRowView(i) {
			s.YY[j] += v * v
		}
	}
	each := mat.NewDense(max(classes, 1), d, nil) // sums of x of each class
	for i, k := range class {
		if k >= 0 {
			s.Y[c+k]++
			floats.Add(each.RawRowView(k), x.RawRowView(i))
		}
	}
	for k := range classes {
		rows := s.Y[c+k]
		s.Y[c+k] = rows / float64(n)
		s.YY[c+k] = rows - rows*s.Y[c+k]
		s.P.SetCol(c+k, each.RawRowView(k))
	}
	return s
}

// Retarget moves target j to place at[j] of c; targets at places that none moves to are zero, and those with a negative
// place are left out.
func (s *Sums) Retarget(at []int, c int) {
	d, _ := s.P.Dims()
	p, y, yy := mat.NewDense(d, c, nil), make([]float64, c), make([]float64, c)
	for j, to := range at {
		if to < 0 {
			continue
		}
		y[to], yy[to] = s.Y[j], s.YY[j]
		for k := range d {
			p.Set(k, to, s.P.At(k, j))
		}
	}
	s.P, s.Y, s.YY = p, y, yy
}

// Join takes in the rows of o. Features that one of them lacks, as sparse rows may, are zero in its rows. o may be kept by s.
// It panics if the targets differ in number.
func (s *Sums) Join(o *Sums) {
	switch {
	case o.N == 0:
		return
	case s.N == 0:
		*s = *o
		return
	case len(s.Y) != len(o.Y):
		panic("rls: sums of different numbers of targets")
	}
	d := max(len(s.X), len(o.X))
	s.widen(d)
	o.widen(d)
	n, share := float64(s.N), float64(o.N)/float64(s.N+o.N)
	ex, ey := make([]float64, d), make([]float64, len(s.Y))
	floats.SubTo(ex, o.X, s.X)
	floats.SubTo(ey, o.Y, s.Y)
	for j, e := range ex {
		to := s.S.RawRowView(j)
		floats.Add(to, o.S.RawRowView(j))
		floats.AddScaled(to, n*share*e, ex)
		to = s.P.RawRowView(j)
		floats.Add(to, o.P.RawRowView(j))
		floats.AddScaled(to, n*share*e, ey)
	}
	floats.Add(s.YY, o.YY)
	for j, e := range ey {
		s.YY[j] += n * share * e * e
	}
	floats.AddScaled(s.X, share, ex)
	floats.AddScaled(s.Y, share, ey)
	s.N += o.N
}

// widen adds features that are zero.
func (s *Sums) widen(d int) {
	was := len(s.X)
	if was == d {
		return
	}
	_, c := s.P.Dims()
	s.X = append(s.X[:was:was], make([]float64, d-was)...)
	wide, p := mat.NewDense(d, d, nil), mat.NewDense(d, c, nil)
	for j := range was {
		copy(wide.RawRowView(j), s.S.RawRowView(j))
		copy(p.RawRowView(j), s.P.RawRowView(j))
	}
	s.S, s.P = wide, p
}

// Scaled are the sums of the features (x - shift)/scale; a nil shift is zero, a nil scale one.
func (s *Sums) Scaled(shift, scale []float64) *Sums {
	out := *s
	out.X, out.S, out.P = append([]float64(nil), s.X...), mat.DenseCopyOf(s.S), mat.DenseCopyOf(s.P)
	if shift != nil {
		floats.Sub(out.X, shift)
	}
	if scale == nil {
		return &out
	}
	floats.Div(out.X, scale)
	for j, by := range scale {
		floats.Scale(1/by, out.P.RawRowView(j))
		row := out.S.RawRowView(j)
		floats.Scale(1/by, row)
		floats.Div(row, scale)
	}
	return &out
}

// Coded are the sums of the targets y'M, M of as many rows as there are targets.
func (s *Sums) Coded(m *mat.Dense, squares []float64) *Sums {
	d, _ := s.P.Dims()
	_, c := m.Dims()
	out := *s
	out.Y, out.P, out.YY = make([]float64, c), mat.NewDense(d, c, nil), squares
	blas.Gemm(1, blas.N(s.P), blas.N(m), 0, out.P)
	for k, mean := range s.Y {
		floats.AddScaled(out.Y, mean, m.RawRowView(k))
	}
	return &out
}

// MeanSquare is the mean over rows of ||x||^2, by which strengths of the ridge are measured; 1 where it is zero or not finite.
func (s *Sums) MeanSquare() float64 {
	v := 0.0
	for j, mean := range s.X {
		v += s.S.At(j, j)/float64(s.N) + mean*mean
	}
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	return v
}

// Centre takes the mean of every column off.
func Centre(a *mat.Dense) (mean []float64) {
	n, d := a.Dims()
	mean = make([]float64, d)
	for i := range n {
		floats.Add(mean, a.RawRowView(i))
	}
	floats.Scale(1/float64(n), mean)
	for i := range n {
		floats.Sub(a.RawRowView(i), mean)
	}
	return mean
}
