package blas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Op is op(X) in the formulas: a stored matrix, or its transpose, which is not formed.
type Op struct {
	blas64.General // X itself
	trans          transposed
}

// transposed says whether op(X) = X'.
type transposed bool

// word is that of BLAS.
func (t transposed) word() gblas.Transpose {
	if t {
		return gblas.Trans
	}
	return gblas.NoTrans
}

// N is op(X) = X.
func N(x *mat.Dense) Op { return Op{x.RawMatrix(), false} }

// T is op(X) = X'.
func T(x *mat.Dense) Op { return Op{x.RawMatrix(), true} }

// t is op(X)'.
func (x Op) t() Op { return Op{x.General, !x.trans} }

// dims is the size of op(X).
func (x Op) dims() (rows, cols int) {
	if x.trans {
		return x.Cols, x.Rows
	}
	return x.Rows, x.Cols
}

// part is n rows of op(X) from row i on.
func (x Op) part(i, n int) Op {
	if x.trans {
		return Op{block(x.General, 0, i, x.Rows, n), true}
	}
	return Op{block(x.General, i, 0, n, x.Cols), false}
}

// Op32 is Op in single precision.
type Op32 struct {
	blas32.General
	trans transposed
}

// N32 is op(X) = X.
func N32(x blas32.General) Op32 { return Op32{x, false} }

// T32 is op(X) = X'.
func T32(x blas32.General) Op32 { return Op32{x, true} }

func (x Op32) t() Op32 { return Op32{x.General, !x.trans} }

func (x Op32) dims() (rows, cols int) {
	if x.trans {
		return x.Cols, x.Rows
	}
	return x.Rows, x.Cols
}

// triangle is op(T) of a triangular matrix T, whose other triangle is not read.
type triangle struct {
	Op
	upper bool
	unit  bool // the diagonal is 1, and not read either
}

// lowerOf is L and lowerOf(l).t() is L'.
func lowerOf(l blas64.General) triangle { return triangle{Op: Op{General: l}} }

// upperUnit is U, whose diagonal is 1.
func upperUnit(u blas64.General) triangle {
	return triangle{Op: Op{General: u}, upper: true, unit: true}
}

// t is op(T)'.
func (t triangle) t() triangle {
	t.trans = !t.trans
	return t
}

// halves are T11, T22 and op of the block beside them that is not zero, T11 of h rows.
func (t triangle) halves(h int) (one, two triangle, off Op) {
	n := t.Rows
	one, two = t, t
	one.General, two.General = block(t.General, 0, 0, h, h), block(t.General, h, h, n-h, n-h)
	if t.upper {
		return one, two, Op{block(t.General, 0, h, h, n-h), t.trans}
	}
	return one, two, Op{block(t.General, h, 0, n-h, h), t.trans}
}

// forward says whether the first unknowns of op(T) X = B, or of X op(T) = B, depend on T11 alone.
func (t triangle) forward(side gblas.Side) bool {
	return (t.upper == bool(t.trans)) == (side == gblas.Left)
}

// uplo and diag are the words of BLAS.
func (t triangle) uplo() gblas.Uplo {
	if t.upper {
		return gblas.Upper
	}
	return gblas.Lower
}

func (t triangle) diag() gblas.Diag {
	if t.unit {
		return gblas.Unit
	}
	return gblas.NonUnit
}

// unknowns is B with the unknowns of one equation in its rows: B itself of op(T) X = B, B' of X op(T) = B.
func unknowns(side gblas.Side, b blas64.General) Op { return Op{b, side == gblas.Right} }
