package propagate

// Problem   precondition a system A on many rows of a graph. Its small eigenvalues belong to functions that
//           hardly vary over many neighbours, which the diagonal of A knows nothing of: conjugate gradients
//           would take as many steps as a walk needs from label to label, more where weights differ much.
// Method    aggregates of up to eight rows that strong edges join become the rows of a smaller system P'A P,
//           column k of P being v on aggregate k and 0 elsewhere; and so on, down to at most
//           coarsest rows. v is what A leaves nearly at zero, 1 or, of a normalised Laplacian, sqrt d; on the
//           smaller systems it is 1. With D the diagonals,
//
//	          M = D_0^-1 + P_1 (D_1^-1 + P_2 (D_2^-1 + .. P_q A_q^-1 P_q' ..) P_2') P_1'
//
//           An edge of row i is strong if its weight is a quarter of the largest of i, or more. Aggregates of
//           less than two rows join one beside them.
// Cost      O(nnz) once; a step some 5 n a column more, and 2 coarsest^2; memory as that of A. On 5000 rows in
//           the plane with weights that fall off steeply 148 steps, 978 without (go test ./propagate -run
//           Aggregates -v).
// Source    Braess, Computing 55 (1995) (aggregates); Bramble, Pasciak & Xu, Math. Comp. 55 (1990) (the sum
//           over the levels).

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
)

const (
	coarseRows    = 4000 // unknowns from which levels pay
	aggregateSize = 8    // of 4, 8, 16 and 32 the size with the fewest steps on the rows of TestAggregates
	coarsest      = 300
	strong        = 0.25 // the usual threshold of algebraic multigrid
)

// levels are the smaller systems, the largest first.
type levels struct {
	list    []level
	inverse *mat.Dense // of the smallest; nil where it is still too large
}

// level is a smaller system, without its matrix.
type level struct {
	of        []int32   // aggregate of each row of the larger one
	v         []float64 // of each row of the larger one
	diagonal  []float64
	part, out *mat.Dense // scratch
}

// newLevels makes the smaller systems of A with entries a; nil where the smallest is not positive definite.
func newLevels(ctx context.Context, a *data.CSR, v []float64) (*levels, error) {
	s := &levels{}
	for a.R > coarsest {
		of, count := aggregate(a)
		if 10*count > 9*a.R { // hardly an edge
			break
		}
		a = smaller(a, of, count, v)
		s.list = append(s.list, level{of: of, v: v, diagonal: diagonalOf(a)})
		v = slices.Repeat([]float64{1}, count)
	}
	if len(s.list) == 0 || a.R > 4*coarsest {
		return s, ctx.Err()
	}
	s.inverse = a.ToDense()
	f := blas.Cholesky{Backend: blas.Within(ctx)}
	switch err := f.Factor(s.inverse); {
	case errors.As(err, new(*blas.NotPositiveDefinite)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	f.Inverse() // triangular solutions for a few columns are slow
	return s, f.Backend.Stopped()
}

// diagonalOf is the diagonal of a, 1 where it is not positive.
func diagonalOf(a *data.CSR) []float64 {
	d := slices.Repeat([]float64{1}, a.R)
	for i := range d {
		idx, val := a.Row(i)
		for q, j := range idx {
			if int(j) == i && val[q] > 0 {
				d[i] = val[q]
			}
		}
	}
	return d
}

// smaller is P'A P.
func smaller(a *data.CSR, of []int32, count int, v []float64) *data.CSR {
	p := &data.CSR{R: a.R, C: count, Start: make([]int, a.R+1), Index: of, Value: v}
	for i := range p.Start {
		p.Start[i] = i
	}
	members := p.T()
	out := &data.CSR{R: count, C: count, Start: make([]int, count+1)}
	place := make([]int, count) // of an entry of the present row, or before it
	for k := range count {
		first := len(out.Index)
		rows, vk := members.Row(k)
		for q, i := range rows {
			idx, val := a.Row(int(i))
			for e, j := range idx {
				m := of[j]
				if at := place[m]; at < first || at >= len(out.Index) || out.Index[at] != m {
					place[m] = len(out.Index)
					out.Index, out.Value = append(out.Index, m), append(out.Value, 0)
				}
				out.Value[place[m]] += vk[q] * val[e] * v[j]
			}
		}
		out.Start[k+1] = len(out.Index)
	}
	return out
}

// aggregate joins rows along strong edges, the nearest of a first row at a time.
func aggregate(a *data.CSR) (of []int32, count int) {
	of = make([]int32, a.R)
	for i := range of {
		of[i] = -1
	}
	var queue []int32
	for i := range of {
		if of[i] >= 0 {
			continue
		}
		own, beside := int32(count), int32(-1)          //nolint:gosec // rows are counted in 32 bits
		queue, of[i] = append(queue[:0], int32(i)), own //nolint:gosec // as above
		for at := 0; at < len(queue); at++ {
			idx, val := a.Row(int(queue[at]))
			var least float64
			for _, v := range val {
				least = min(least, v)
			}
			for q, j := range idx {
				switch {
				case val[q] >= 0 || val[q] > strong*least:
				case of[j] < 0 && len(queue) < aggregateSize:
					of[j], queue = own, append(queue, j)
				case of[j] >= 0 && of[j] != own:
					beside = of[j]
				}
			}
		}
		if beside >= 0 && len(queue) < 2 {
			of[i] = beside
			continue
		}
		count++
	}
	return of, count
}

// add adds M x, but for the diagonal of A, to dst; at is the level to begin with.
func (s *levels) add(at int, dst, x *mat.Dense) {
	if at == len(s.list) {
		return
	}
	l := &s.list[at]
	_, k := x.Dims()
	if l.part == nil || l.part.RawMatrix().Cols != k {
		l.part, l.out = mat.NewDense(len(l.diagonal), k, nil), mat.NewDense(len(l.diagonal), k, nil)
	}
	l.part.Zero()
	for i, of := range l.of {
		addTo(l.part.RawRowView(int(of)), l.v[i], x.RawRowView(i))
	}
	if at == len(s.list)-1 && s.inverse != nil {
		blas.Gemm(1, blas.N(s.inverse), blas.N(l.part), 0, l.out)
	} else {
		divide(l.out, l.part, l.diagonal)
		s.add(at+1, l.out, l.part)
	}
	for i, of := range l.of {
		addTo(dst.RawRowView(i), l.v[i], l.out.RawRowView(int(of)))
	}
}

// addTo adds a x to y.
func addTo(y []float64, a float64, x []float64) {
	for j, v := range x {
		y[j] += a * v
	}
}

// divide stores the rows of x, each divided by its number of d, in dst.
func divide(dst, x *mat.Dense, d []float64) {
	for i, by := range d {
		to := dst.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			to[j] = v / by
		}
	}
}
