package model

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// LinearWeights are those of a model all of whose functions are linear, and its offset:
//
//	f_c(x') = sum_j w[j][c] x'_j + offset[c],   x' the scaled features
//
// columns x outputs. A model with another kernel is an error, and so is one whose weights memory has no room for. Cost: as one
// prediction of its centres; memory: twice that of the weights.
func (m *Model) LinearWeights() (w *mat.Dense, offset []float64, err error) {
	if err := m.HoldsColumns(2 * 8 * m.Outputs()); err != nil {
		return nil, nil, err
	}
	w, offset = mat.NewDense(m.Columns, m.Outputs(), nil), make([]float64, m.Outputs())
	for _, p := range m.Parts {
		for c, b := range p.Offset {
			offset[c] += b
		}
		for _, f := range p.Functions {
			var own *mat.Dense
			switch f := f.(type) {
			case Linear:
				own = f.Weights
			case Expansion:
				own = f.Plain().Weights()
			}
			if own == nil {
				return nil, nil, errors.New("this model has a kernel that is not linear; fit with --kernel linear")
			}
			d, _ := own.Dims()
			for j := range d {
				to := j
				if p.Columns != nil {
					to = p.Columns[j]
				}
				row := w.RawRowView(to)
				for c, v := range own.RawRowView(j) {
					row[c] += v
				}
			}
		}
	}
	return w, offset, nil
}
