package libsvm

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// Rescale makes the ranges the scaling of a model that ToModel returned: it then predicts for rows
// as they are what it did for those that Apply returned. The columns that Apply leaves out, which
// have one value only or are not listed, are columns that the model does not look at. A shift makes
// absent features present, so the model becomes one of dense rows; a limit of bytes bounds them.
func Rescale(m *model.Model, g *Ranges, limit int64) error {
	if g.Target != nil {
		return errors.New("the targets were scaled too, which a model here cannot undo; train on targets as they are")
	}
	p := &m.Parts[0] // of ToModel there is no other, and it looks at all columns
	centres := 0
	for _, f := range p.Functions {
		if e, ok := f.(model.Expansion); ok {
			centres += e.Centres.Len()
		}
	}
	if need := float64(m.Columns) * 8 * float64(2+centres); need > float64(limit) {
		return fmt.Errorf(
			"%d columns need %.3g bytes of memory once they are shifted, %d are allowed; number the features without gaps, or "+
				"raise --memory",
			m.Columns,
			need,
			limit,
		)
	}
	s := data.Scaling{Kind: data.ScaleMinMax, Shift: make([]float64, m.Columns), Scale: make([]float64, m.Columns)}
	for j := range s.Scale {
		s.Scale[j] = 1
	}
	var listed []int
	for _, r := range g.Columns {
		if r.Column >= m.Columns || r.Max == r.Min {
			continue
		}
		// lower + (upper - lower)(x - min)/(max - min) = (x - shift)/scale
		listed = append(listed, r.Column)
		s.Scale[r.Column] = (r.Max - r.Min) / (g.Upper - g.Lower)
		s.Shift[r.Column] = r.Min - g.Lower*s.Scale[r.Column]
	}
	if err := finiteScaling(s); err != nil {
		return err
	}
	if len(listed) == 0 {
		return errors.New(
			"no column of the model has a range of more than one value; give the ranges that svm-scale -s wrote for its training rows",
		)
	}
	m.Scaling, m.Sparse = s, false
	if len(listed) < m.Columns {
		p.Columns = listed
	}
	for i, f := range p.Functions {
		p.Functions[i] = over(f, listed)
	}
	return nil
}

// over is the function of the listed columns alone, over dense rows.
func over(f model.Function, listed []int) model.Function {
	switch f := f.(type) {
	case model.Expansion:
		f.Centres = f.Centres.SelectColumns(listed)
		if f.Centres.IsSparse() {
			f.Centres = data.Rows{Dense: f.Centres.Sparse.ToDense(), ID: f.Centres.ID}
		}
		return f
	case model.Linear:
		_, c := f.Weights.Dims()
		w := mat.NewDense(len(listed), c, nil)
		for k, j := range listed {
			w.SetRow(k, f.Weights.RawRowView(j))
		}
		return model.Linear{Weights: w}
	}
	return f
}

// finiteScaling refuses ranges so wide that they overflow.
func finiteScaling(s data.Scaling) error {
	for j, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 1) || notFinite(s.Shift[j]) {
			return fmt.Errorf("the range of feature %d cannot be told in 64 bits; scale the features nearer to 1", j+1)
		}
	}
	return nil
}
