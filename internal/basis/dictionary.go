package basis

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// dictionary are the functions to choose from: function a is row a%n of kernel a/n.
type dictionary struct {
	grams []kernel.Gram
	n     int
	gamma float64
	plain bool // the penalty is gamma |beta|^2, else gamma beta'K beta of the only kernel

	kept  *mat.Dense // columns computed so far, one a row; nil: too many to keep
	known []bool
	buf   *mat.Dense
}

// Kept is the size up to which all columns are kept: 256 MB.
const Kept = 1 << 25

// newDictionary has the penalty gamma beta'K beta of the only kernel.
func newDictionary(grams []kernel.Gram, gamma float64) *dictionary {
	n := grams[0].Len()
	d := &dictionary{grams: grams, n: n, gamma: gamma}
	if m := d.len(); m*n <= Kept {
		d.kept, d.known = mat.NewDense(m, n, nil), make([]bool, m)
	}
	return d
}

// newPlainDictionary has the penalty gamma |beta|^2.
func newPlainDictionary(grams []kernel.Gram, gamma float64) *dictionary {
	d := newDictionary(grams, gamma)
	d.plain = true
	return d
}

func (d *dictionary) len() int { return len(d.grams) * d.n }

// columns returns the values of the functions on all rows, one a row, len(list) x n: to be read before the next call. The list ascends.
func (d *dictionary) columns(ctx context.Context, list []int) (*mat.Dense, error) {
	if d.kept == nil {
		dst := d.panel(len(list))
		return dst, d.fill(ctx, dst, list)
	}
	var fresh []int
	for _, a := range list {
		if !d.known[a] {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) > 0 {
		dst, beside := d.run(fresh), false
		if dst == nil {
			dst, beside = d.panel(len(fresh)), true
		}
		if err := d.fill(ctx, dst, fresh); err != nil {
			return nil, err
		}
		for q, a := range fresh {
			d.known[a] = true
			if beside {
				d.kept.SetRow(a, dst.RawRowView(q))
			}
		}
		if len(fresh) == len(list) {
			return dst, nil
		}
	}
	if dst := d.run(list); dst != nil {
		return dst, nil
	}
	dst := d.panel(len(list))
	for q, a := range list {
		dst.SetRow(q, d.kept.RawRowView(a))
	}
	return dst, nil
}

// run is the place of a list among the columns that are kept, if it is one; nil: other columns lie between.
func (d *dictionary) run(list []int) *mat.Dense {
	k := len(list)
	if list[k-1]-list[0] != k-1 {
		return nil
	}
	return d.kept.Slice(list[0], list[0]+k, 0, d.n).(*mat.Dense)
}

// fill computes functions, those of each kernel together.
func (d *dictionary) fill(ctx context.Context, dst *mat.Dense, list []int) error {
	rows := make([]int, len(list))
	for q, a := range list {
		rows[q] = a % d.n
	}
	for lo := 0; lo < len(list); {
		of, hi := list[lo]/d.n, lo+1
		for hi < len(list) && list[hi]/d.n == of {
			hi++
		}
		if err := kernel.Fill(ctx, dst.Slice(lo, hi, 0, d.n).(*mat.Dense), d.grams[of], rows[lo:hi], nil); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

func (d *dictionary) panel(k int) *mat.Dense {
	if d.buf == nil || d.buf.RawMatrix().Rows < k {
		d.buf = mat.NewDense(k, d.n, nil)
	}
	return d.buf.Slice(0, k, 0, d.n).(*mat.Dense)
}

// penalty is the entry of the penalty's matrix for two functions, one given by its values.
func (d *dictionary) penalty(values []float64, a, b int) float64 {
	switch {
	case !d.plain:
		return d.gamma * values[b]
	case a == b:
		return d.gamma
	}
	return 0
}

// formed returns rows x Q, the images of the functions in the rows of x, with the work space of one product.
func formed(q Form, x *mat.Dense) *mat.Dense {
	k, n := x.Dims()
	in, out := mat.DenseCopyOf(x.T()), mat.NewDense(n, k, nil)
	q.MulTo(out, in)
	back := mat.NewDense(k, n, in.RawMatrix().Data)
	back.Copy(out.T())
	return back
}

// table is a matrix that gains rows of n numbers at its end.
type table struct {
	n    int
	data []float64
}

func (t *table) row(i int) []float64 { return t.data[i*t.n : (i+1)*t.n] }

// rows is a view of the rows from lo to hi-1.
func (t *table) rows(lo, hi int) *mat.Dense { return mat.NewDense(hi-lo, t.n, t.data[lo*t.n:hi*t.n]) }

func (t *table) append(row []float64) { t.data = append(t.data, row...) }

func (t *table) remove(i int) { t.data = append(t.data[:i*t.n], t.data[(i+1)*t.n:]...) }
