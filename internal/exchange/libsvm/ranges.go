package libsvm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"gonum.org/v1/gonum/mat"
)

// Ranges are the scaling of svm-scale, file section "x": feature j from its range
// [Min, Max] to [Lower, Upper],
//
//	x'_j = Lower + (Upper - Lower) (x_j - Min_j) / (Max_j - Min_j)
//
// and, section "y" where it is present, the same for targets. A feature that the
// file does not have, or with Min = Max, becomes 0.
type Ranges struct {
	Lower, Upper float64
	Columns      []Range // by increasing Column
	Target       *Target // nil: targets are not scaled
}

// Range is that of one feature, numbered from 0.
type Range struct {
	Column   int
	Min, Max float64
}

// Target is the scaling of targets from [Min, Max] to [Lower, Upper].
type Target struct{ Lower, Upper, Min, Max float64 }

// ReadRanges reads a file of svm-scale -s called name from r.
func ReadRanges(r io.Reader, name string) (*Ranges, error) {
	t := newText(r, name)
	g := &Ranges{}
	token, err := t.token()
	if errors.Is(err, io.EOF) {
		return nil, t.fault("give a file that svm-scale -s wrote", "the file is empty")
	}
	if err == nil && string(token) == "y" {
		var v []float64
		if v, err = t.numbers("y", 4); err == nil {
			g.Target = &Target{v[0], v[1], v[2], v[3]}
			token, err = t.value("x")
		}
	}
	if err != nil {
		return nil, err
	}
	if string(token) != "x" {
		return nil, t.fault("give a file that svm-scale -s wrote", "%s where the line x should be", quote(token))
	}
	limits, err := t.numbers("x", 2)
	if err != nil {
		return nil, err
	}
	g.Lower, g.Upper = limits[0], limits[1]
	last := -1
	for {
		token, err := t.token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		j, err := strconv.ParseInt(string(token), 10, 32)
		if err != nil || j < 1 {
			return nil, t.fault("number the features from 1", "index %s is no whole number from 1 to 2^31-1", quote(token))
		}
		if int(j)-1 <= last {
			return nil, t.fault("sort the features by index, each index once", "index %d after %d", j, last+1)
		}
		last = int(j) - 1
		v, err := t.numbers("range", 2)
		if err != nil {
			return nil, err
		}
		g.Columns = append(g.Columns, Range{last, v[0], v[1]})
	}
	if err := g.Check(); err != nil {
		return nil, &read.Error{File: name, What: err.Error(), Remedy: "make the file again with svm-scale -s"}
	}
	return g, nil
}

// Check returns what makes the ranges inconsistent, or nil.
func (g *Ranges) Check() error {
	if y := g.Target; y != nil {
		if slices.ContainsFunc([]float64{y.Lower, y.Upper, y.Min, y.Max}, notFinite) || !(y.Min <= y.Max) || !(y.Lower < y.Upper) {
			return fmt.Errorf("targets from %g..%g to %g..%g", y.Min, y.Max, y.Lower, y.Upper)
		}
	}
	if notFinite(g.Lower) || notFinite(g.Upper) || !(g.Lower < g.Upper) {
		return fmt.Errorf("features are scaled to %g..%g", g.Lower, g.Upper)
	}
	last := -1
	for _, c := range g.Columns {
		if c.Column <= last || c.Column >= math.MaxInt32 {
			return fmt.Errorf("feature %d after %d", c.Column+1, last+1)
		}
		if notFinite(c.Min) || notFinite(c.Max) || !(c.Min <= c.Max) {
			return fmt.Errorf("feature %d ranges from %g to %g", c.Column+1, c.Min, c.Max)
		}
		last = c.Column
	}
	return nil
}

// WriteTo writes the file, all numbers so that they read back exactly.
func (g *Ranges) WriteTo(w io.Writer) (int64, error) {
	if err := g.Check(); err != nil {
		return 0, err
	}
	c := &counter{w: w}
	out := bufio.NewWriterSize(c, 1<<16)
	var b []byte
	line := func(values ...float64) {
		for i, v := range values {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendNumber(b, v)
		}
		_, _ = out.Write(append(b, '\n')) // Flush returns the first error
		b = b[:0]
	}
	if y := g.Target; y != nil {
		b = append(b, "y\n"...)
		line(y.Lower, y.Upper)
		line(y.Min, y.Max)
	}
	b = append(b, "x\n"...)
	line(g.Lower, g.Upper)
	for _, r := range g.Columns {
		b = append(strconv.AppendInt(b, int64(r.Column)+1, 10), ' ')
		line(r.Min, r.Max)
	}
	err := out.Flush()
	return c.n, err
}

// FitRanges returns the ranges of the columns of rows; like svm-scale it leaves
// those with one value only out.
func FitRanges(rows data.Rows, lower, upper float64) *Ranges {
	g := &Ranges{Lower: lower, Upper: upper}
	s := rows.ColumnStats()
	for j := range s.Mean {
		if !s.Constant(j) {
			g.Columns = append(g.Columns, Range{j, s.Min[j], s.Max[j]})
		}
	}
	return g
}

// scale maps v from [lo, hi] to [lower, upper], the ends exactly.
func scale(v, lo, hi, lower, upper float64) float64 {
	switch v {
	case lo:
		return lower
	case hi:
		return upper
	}
	return lower + (upper-lower)*(v-lo)/(hi-lo)
}

// Apply returns the scaled rows: dense rows dense, sparse rows sparse, with an
// entry wherever the scaled value is not 0, as in the output of svm-scale. An
// absent feature is 0 and is scaled too, so where Lower + ... is not 0 for it,
// every row gets that entry: memory then grows to rows x columns of the file.
// Columns beyond the rows' width count as absent ones of sparse rows and are not
// made up in dense ones.
func (g *Ranges) Apply(rows data.Rows) data.Rows {
	out := data.Rows{ID: rows.ID}
	if rows.Sparse == nil {
		n, d := rows.Len(), rows.Dim()
		if n == 0 {
			return rows
		}
		out.Dense = mat.NewDense(n, d, nil)
		for i := range n {
			from, to := rows.Dense.RawRowView(i), out.Dense.RawRowView(i)
			for _, c := range g.Columns {
				if c.Column < d && c.Min < c.Max {
					to[c.Column] = scale(from[c.Column], c.Min, c.Max, g.Lower, g.Upper)
				}
			}
		}
		return out
	}
	width := rows.Dim()
	// Only columns whose zero moves need a look in every row.
	var moved []int
	for q, c := range g.Columns {
		if c.Min < c.Max && scale(0, c.Min, c.Max, g.Lower, g.Upper) != 0 {
			moved = append(moved, q)
			width = max(width, c.Column+1)
		}
	}
	s := &data.CSR{R: rows.Len(), C: width, Start: make([]int, 1, rows.Len()+1)}
	add := func(q int, v float64) {
		c := g.Columns[q]
		if v = scale(v, c.Min, c.Max, g.Lower, g.Upper); v != 0 {
			s.Index, s.Value = append(s.Index, int32(c.Column)), append(s.Value, v)
		}
	}
	for i := range rows.Len() {
		idx, val := rows.Sparse.Row(i)
		m := 0 // next of moved
		for p, j := range idx {
			for m < len(moved) && g.Columns[moved[m]].Column < int(j) {
				add(moved[m], 0)
				m++
			}
			if m < len(moved) && g.Columns[moved[m]].Column == int(j) {
				m++
			}
			q, ok := slices.BinarySearchFunc(g.Columns, int(j), func(c Range, j int) int { return c.Column - j })
			if ok && g.Columns[q].Min < g.Columns[q].Max {
				add(q, val[p])
			}
		}
		for ; m < len(moved); m++ {
			add(moved[m], 0)
		}
		s.Start = append(s.Start, len(s.Index))
	}
	out.Sparse = s
	return out
}

// Scale maps a target to the scaled one. All targets equal, svm-scale writes a
// number that is none; here they become Lower.
func (y *Target) Scale(v float64) float64 {
	if y.Min == y.Max {
		return y.Lower
	}
	return scale(v, y.Min, y.Max, y.Lower, y.Upper)
}
