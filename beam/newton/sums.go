// Package newton fits machines with a smooth loss of classes over shards, by Newton's method:
//
//	minimise over w (and b):  1/2 w'w (+ 1/2 b^2) + C sum_i V(y_i, x_i'w + b)
//
// x being the scaled columns of a row or what few centres give of a kernel. Every pass over the shards returns, for a point (w, b) of
// each machine, the loss, its gradient and its d x d Hessian (Sums), of which the caller makes the next points; several C and several
// classes are points of the same passes. The mathematics is that of package smooth, the minimum that of mercer fit on one file.
//
// The transductive machine (switching.go) is a sequence of such machines, whose unlabelled rows have labels that their outputs decide.
//
// Cost of a pass for n rows of d columns, G values of C (7, or 1 that is set) and c outputs: G c n d (d + 8) flops
// at the workers, G c d^3 at the caller, and 4 G c d^2 bytes a run. Of a kernel d is the number m of centres;
// features, n m (D + m), are made once where workers are on one computer, and kept in files of a quarter of its
// memory at most. A pass is a full step of Newton's method wherever that lowers the objective enough; else the next
// pass tries the least of the cubic through both values and slopes. As many C are trained in the same passes as
// have Hessians of 8 MB together: 50 columns take some ten passes in all, the transductive machine 40 to 90 in the
// tests.
//
// Change here how such machines are trained over shards; labels, scaling and features are those of package squares.
package newton

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/learn"
)

// Plan is what the passes are asked.
type Plan struct {
	squares.Plan
	Loss   string     // as loss.Parse reads it
	Points []Point    // of Evaluate
	Left   []Leave    // machines of LeftOut
	Labels *Labelling // of unlabelled rows, by Transduce; nil: none
}

// Point is where the loss of one output is evaluated: w'x + B, for targets that are those of the output.
type Point struct {
	Output int
	W      []float64
	B      float64
}

// Sums are those of one point over rows with targets -1 and +1, which have index 0 and 1. C is no part of them. The zero value is
// that of no row. All fields are exported so that encoding/gob carries sums from one process to another.
type Sums struct {
	Value [2]float64   // sum V
	Slope [2]float64   // sum V'
	Grad  [2][]float64 // sum V' x
	// Sums with the curvatures V'' as weights: their sum, the mean of x, and the lower triangle of
	// sum V'' (x - mean)(x - mean)' by rows. Nothing cancels where means are large.
	Weight  float64
	Mean    []float64
	Scatter Numbers
	Squares float64 // sum of f^2
	Rows    int
	Active  int // rows with V' other than 0
}

// All are sums of several points.
type All struct{ Points []Sums }

// newSums are those of no row, of d features.
func newSums(d int) Sums {
	return Sums{Grad: [2][]float64{make([]float64, d), make([]float64, d)}, Mean: make([]float64, d), Scatter: make([]float64, d*(d+1)/2)}
}

// Join takes in the sums of later rows.
func (a *All) Join(o *All) {
	for q := range a.Points {
		a.Points[q].join(&o.Points[q])
	}
}

// join takes in the sums of later rows. Two sums about means make that of both as in package rls: with e = mean_2 - mean_1,
// S = S_1 + S_2 + W_1 W_2/(W_1 + W_2) e e'.
func (s *Sums) join(o *Sums) {
	s.Rows += o.Rows
	s.Active += o.Active
	s.Squares += o.Squares
	for k := range s.Value {
		s.Value[k] += o.Value[k]
		s.Slope[k] += o.Slope[k]
		floats.Add(s.Grad[k], o.Grad[k])
	}
	if o.Weight == 0 {
		return
	}
	share := o.Weight / (s.Weight + o.Weight)
	e := make([]float64, len(s.Mean))
	floats.SubTo(e, o.Mean, s.Mean)
	floats.Add(s.Scatter, o.Scatter)
	at := 0
	for j, v := range e {
		floats.AddScaled(s.Scatter[at:at+j+1], s.Weight*share*v, e[:j+1])
		at += j + 1
	}
	floats.AddScaled(s.Mean, share, e)
	s.Weight += o.Weight
}

// zero are the sums at w = 0, b = 0 for output j, which those of least squares determine: there V' is y V'(1, 0) and V” is the same for
// all rows.
func zero(v learn.Loss, s *moments.Sums, j int) Sums {
	n, d := float64(s.N), len(s.X)
	out := newSums(d)
	d1, d2 := v.Derivatives(1, 0)
	out.Rows = s.N
	for k, y := range []float64{-1, 1} {
		rows := n * (1 + y*s.Y[j]) / 2 // of the class, whose sum of x is half that of all and of those times y
		out.Value[k], out.Slope[k] = rows*v.Value(1, 0), y*rows*d1
		for i, mean := range s.X {
			signed := s.P.At(i, j) + n*mean*s.Y[j] // sum of y x
			out.Grad[k][i] = y * d1 * (n*mean + y*signed) / 2
		}
	}
	out.Weight = n * d2
	copy(out.Mean, s.X)
	at := 0
	for i := range d {
		floats.AddScaled(out.Scatter[at:at+i+1], d2, s.S.RawRowView(i)[:i+1])
		at += i + 1
	}
	return out
}

// Evaluate sums over one shard at the points of the plan.
func Evaluate(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*All, error) {
	v, err := learn.ParseLoss(plan.Loss)
	if err != nil {
		return nil, err
	}
	var all *All
	d := len(plan.Points[0].W)
	work := &evaluation{loss: v, points: plan.Points}
	err = plan.EachKnown(ctx, file, number, o, squares.Pass{Begin: func() {
		all = &All{Points: make([]Sums, len(plan.Points))}
	}, Labelled: func(k squares.Known) error {
		work.outputs(k.X)
		for q := range all.Points {
			if one := work.sums(k, q); all.Points[q].Rows == 0 {
				all.Points[q] = one
			} else {
				all.Points[q].join(&one)
			}
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	for q := range all.Points {
		if all.Points[q].Rows == 0 {
			all.Points[q] = newSums(d)
		}
	}
	return all, nil
}

// evaluation has room for a batch.
type evaluation struct {
	loss   learn.Loss
	points []Point
	f      *mat.Dense // outputs of all points
	curve  []float64
	bent   []float64 // scaled rows
	square *mat.Dense
}

// outputs fills f: x'w + b of all points, n x their number.
func (e *evaluation) outputs(x *mat.Dense) {
	n, d := x.Dims()
	w := mat.NewDense(d, len(e.points), nil)
	for q, p := range e.points {
		w.SetCol(q, p.W)
	}
	e.f = blas.Product(blas.N(x), blas.N(w))
	for i := range n {
		row := e.f.RawRowView(i)
		for q, p := range e.points {
			row[q] += p.B
		}
	}
}

// sums are those of a batch at point q.
func (e *evaluation) sums(k squares.Known, q int) Sums {
	n, d := k.X.Dims()
	s := newSums(d)
	s.Rows = n
	slope := mat.NewDense(n, 2, nil)
	if cap(e.curve) < n {
		e.curve = make([]float64, n)
	}
	curve, bent := e.curve[:n], 0
	for i := range n {
		y, f := k.Y.At(i, e.points[q].Output), e.f.At(i, q)
		class := 0
		if y > 0 {
			class = 1
		}
		d1, d2 := e.loss.Derivatives(y, f)
		s.Value[class] += e.loss.Value(y, f)
		s.Slope[class] += d1
		s.Squares += f * f
		if d1 != 0 {
			s.Active++
		}
		slope.Set(i, class, d1)
		if curve[i] = d2; d2 > 0 {
			s.Weight += d2
			bent++
		}
	}
	grad := blas.Product(blas.T(k.X), blas.N(slope))
	mat.Col(s.Grad[0], 0, grad)
	mat.Col(s.Grad[1], 1, grad)
	if bent == 0 {
		return s
	}
	total := mat.NewDense(1, d, s.Mean)
	blas.Gemm(1/s.Weight, blas.N(mat.NewDense(1, n, curve)), blas.N(k.X), 0, total)
	e.scatter(s, k.X, curve, bent)
	return s
}

// scatter fills that of a batch, of which so many rows have curvature.
func (e *evaluation) scatter(s Sums, x *mat.Dense, curve []float64, bent int) {
	_, d := x.Dims()
	if cap(e.bent) < bent*d {
		e.bent = make([]float64, bent*d)
	}
	rows, at := mat.NewDense(bent, d, e.bent[:bent*d]), 0
	for i, c := range curve {
		if c > 0 {
			row := rows.RawRowView(at)
			floats.SubTo(row, x.RawRowView(i), s.Mean)
			floats.Scale(math.Sqrt(c), row)
			at++
		}
	}
	if e.square == nil {
		e.square = mat.NewDense(d, d, nil)
	}
	blas.SyrkLower(1, blas.T(rows), 0, e.square)
	at = 0
	for j := range d {
		copy(s.Scatter[at:at+j+1], e.square.RawRowView(j)[:j+1])
		at += j + 1
	}
}
