package libsvm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// methods are this program's names of the types.
var methods = map[Type]string{CSVC: "svm", NuSVC: "svm", OneClass: "one-class", EpsilonSVR: "svr", NuSVR: "svr"}

// ToModel returns the model as one of this program: sparse rows, classes in sorted
// order (see Expansion for what that changes at ties), probA and probB as a
// calibration. A precomputed kernel is an error.
func (m *Model) ToModel() (*model.Model, error) {
	if m.Kernel == Precomputed {
		return nil, errors.New("libsvm: a model of a precomputed kernel has no features; it cannot be converted")
	}
	e, err := m.Expansion()
	if err != nil {
		return nil, err
	}
	if e.Centres.Dim() == 0 { // no support vector has a feature
		e.Centres.Sparse = &data.CSR{R: m.Len(), C: 1, Start: e.Centres.Sparse.Start}
	}
	e, place := e.Sort()
	out := &model.Model{
		Method: methods[m.Type], Task: data.Classification, Classes: e.Classes(), Label: "label", Columns: e.Centres.Dim(), Sparse: true,
		Parts: model.Single([]kernel.Expansion{{Kernel: e.Kernel, Centres: e.Centres, Coef: e.Coef}}, e.Offset),
	}
	out.Scaling.Kind = data.ScaleNone
	switch {
	case m.Type == OneClass:
		out.Classes = []string{"-1", "1"}
		return out, nil
	case !m.Type.Classifies():
		out.Task, out.Classes = data.Regression, nil
		return out, nil
	}
	out.Pairs = m.Classes > 2
	if m.ProbA != nil && m.ProbB != nil {
		out.Calibration = m.sigmoids(place)
	}
	return out, nil
}

// sigmoids turns P(first) = 1/(1 + exp(A f + B)) of each pair in the file into the
// sigmoid of the second class of the sorted pair.
func (m *Model) sigmoids(place []int) calibrate.Calibration {
	list := make([]calibrate.Sigmoid, m.Pairs())
	for a := range m.Classes {
		for b := a + 1; b < m.Classes; b++ {
			i, j, sign := place[a], place[b], 1.0
			if i > j {
				i, j, sign = j, i, -1
			}
			o := pair(m.Classes, i, j)
			// The output of the sorted pair is -sign f; P(b) = P(j) if sign is 1, else P(i).
			list[pair(m.Classes, a, b)] = calibrate.Sigmoid{Slope: max(-m.ProbA[o], 0), Offset: sign * m.ProbB[o]}
		}
	}
	if m.Classes == 2 {
		return list[0]
	}
	return calibrate.Pairs{Classes: m.Classes, Pair: list}
}

// FromModel returns the model as LIBSVM's, and the ranges with which svm-scale does
// to rows what the model's scaling does, nil if it does nothing. Classes that are no
// whole numbers become 0, 1, ... in their order. Probabilities of pairs lose their power
// (calibrate.Pairs), for which the format has no place. Errors: more than one machine,
// more than two classes one-versus-rest, a kernel or a scaling that LIBSVM does not
// have, words, and a rule of decisions.
func FromModel(m *model.Model) (*Model, *Ranges, error) {
	x, err := machine(m)
	if err != nil {
		return nil, nil, err
	}
	if len(m.Classes) > 2 && !m.Pairs {
		return nil, nil, errors.New(
			"LIBSVM's format holds more than two classes one-versus-one, this model has them one-versus-rest; fit with " +
				"--multiclass one-vs-one",
		)
	}
	ranges, err := rangesOf(m.Scaling, m.Columns)
	if err != nil {
		return nil, nil, err
	}
	if err := plain(m); err != nil {
		return nil, nil, err
	}
	e := &Expansion{Kernel: x.Kernel, Centres: x.Centres, Coef: x.Coef, Offset: m.Parts[0].Offset}
	if e.Centres.Sparse == nil {
		e.Centres = data.Rows{Sparse: data.CSRFromDense(e.Centres.Dense)}
	}
	if e.Offset == nil {
		e.Offset = make([]float64, m.Outputs())
	}
	t := EpsilonSVR
	if m.Task == data.Classification {
		if t = CSVC; m.Method == methods[OneClass] {
			t = OneClass
		} else {
			e.Labels, e.Class = labels(m.Classes), sides(x.Coef, len(m.Classes))
		}
	}
	out, err := FromExpansion(t, e)
	if err != nil {
		return nil, nil, err
	}
	if t == CSVC {
		out.ProbA, out.ProbB = parameters(m.Calibration)
	}
	return out, ranges, nil
}

// plain refuses what a model does beyond its machine and its scaling, which none of the formats can say.
func plain(m *model.Model) error {
	switch {
	case !m.Table.Numeric():
		return errors.New("the model makes numbers of words, dates or missing cells, which that format has no place for; fit it on numbers")
	case m.Text != nil:
		return errors.New("the model counts words of text, of which that format has no list; fit LIBSVM text that mercer convert " +
			"--text wrote")
	case sharesDecide(m):
		return errors.New("the model decides by its probabilities, as one chosen among several does, which that format has no place for; " +
			"export it as onnx or sklearn, or fit one machine, as by --method rls or svm")
	case m.Decision != nil:
		return fmt.Errorf("the model decides by --decide %s, which that format has no place for; export it as onnx or sklearn, or fit it "+
			"without --decide", m.Decision.Rule)
	}
	return nil
}

// sharesDecide says whether a calibration decides in the place of the outputs.
func sharesDecide(m *model.Model) bool {
	_, ok := m.Calibration.(calibrate.Shares)
	return ok
}

// machine is the one expansion of a model; of linear weights one support vector an output.
func machine(m *model.Model) (kernel.Expansion, error) {
	if len(m.Parts) != 1 || len(m.Parts[0].Functions) > 1 {
		return kernel.Expansion{}, errors.New(
			"LIBSVM's format holds one machine, this model is the sum of several; fit with --method svm or svr",
		)
	}
	if len(m.Parts[0].Functions) == 0 {
		return kernel.Expansion{}, errors.New("this model has no support vector")
	}
	if m.Parts[0].Columns != nil {
		return kernel.Expansion{}, errors.New(
			"this model looks at some of its columns only, which LIBSVM's format cannot say; fit it on those columns",
		)
	}
	switch f := m.Parts[0].Functions[0].(type) {
	case model.Expansion:
		return f.Plain(), nil
	case model.Linear:
		_, c := f.Weights.Dims()
		coef := mat.NewDense(c, c, nil)
		for o := range c {
			coef.Set(o, o, 1)
		}
		return kernel.Expansion{Kernel: kernel.Linear{}, Centres: data.Rows{Dense: mat.DenseCopyOf(f.Weights.T())}, Coef: coef}, nil
	}
	return kernel.Expansion{}, errors.New("this model is a weighted mean, which LIBSVM's format cannot hold; fit with --method svm or svr")
}

// labels are the classes as the whole numbers that they are, or all as numbers from 0, where read.WriteLIBSVM does so too. It leaves
// fractions, for which models have no place.
func labels(classes []string) []int {
	list := make([]int, len(classes))
	for k, c := range classes {
		v, err := strconv.Atoi(c)
		if err != nil || columns.Numbered(c) {
			return indices.To(len(classes))
		}
		list[k] = v
	}
	return list
}

// sides returns the class of each centre: in a pair, a support vector's
// coefficient is positive in the second class.
func sides(coef *mat.Dense, classes int) []int {
	n, _ := coef.Dims()
	class := make([]int, n)
	for s := range n {
		row := coef.RawRowView(s)
		o := slices.IndexFunc(row, func(v float64) bool { return v != 0 })
		if o < 0 {
			continue
		}
		for a := range classes {
			for b := a + 1; b < classes; b++ {
				if pair(classes, a, b) == o {
					if class[s] = a; row[o] > 0 {
						class[s] = b
					}
				}
			}
		}
	}
	return class
}

// parameters are probA and probB of a calibration, nil where it is no sigmoid.
func parameters(c calibrate.Calibration) (a, b []float64) {
	var list []calibrate.Sigmoid
	switch c := c.(type) {
	case calibrate.Sigmoid:
		list = []calibrate.Sigmoid{c}
	case calibrate.Pairs:
		list = c.Pair
	}
	for _, s := range list {
		a, b = append(a, -s.Slope), append(b, s.Offset)
	}
	return a, b
}

// rangesOf writes x' = (x - shift)/scale as the range [shift - scale, shift + scale]
// taken to [-1, 1], and the range [shift, shift + scale] taken to [0, 1] for minmax.
func rangesOf(s data.Scaling, columns int) (*Ranges, error) {
	switch s.Kind {
	case "", data.ScaleNone:
		return nil, nil
	case data.ScaleUnit:
		return nil, fmt.Errorf("svm-scale cannot scale rows to length 1, which this model does to its rows; fit with another --scale")
	case data.ScaleTFIDF:
		return nil, fmt.Errorf("svm-scale cannot weigh words by TF-IDF, as this model does; fit with another --scale")
	}
	g := &Ranges{Lower: -1, Upper: 1}
	if s.Kind == data.ScaleMinMax {
		g.Lower = 0
	}
	for j := range columns {
		shift := 0.0
		if s.Shift != nil {
			shift = s.Shift[j]
		}
		lo := shift - s.Scale[j]
		if g.Lower == 0 {
			lo = shift
		}
		g.Columns = append(g.Columns, Range{j, lo, shift + s.Scale[j]})
	}
	return g, nil
}

// ToModel returns the model as one of this program: sparse rows, classes in sorted
// order, each output the linear kernel with its weight vector. Two classes of Crammer
// and Singer (MCSVM_CS) are an error.
func (m *LinearModel) ToModel() (*model.Model, error) {
	out := &model.Model{Task: data.Classification, Label: "label", Columns: max(m.Features, 1), Sparse: true, Method: "linear-svm"}
	out.Scaling.Kind = data.ScaleNone
	// column[o] is the output of the file that output o is, sign[o] its factor.
	outputs := m.Outputs()
	column, sign := make([]int, outputs), make([]float64, outputs)
	for o := range column {
		column[o], sign[o] = o, 1
	}
	switch solver := solvers[m.Solver]; {
	case m.Solver == linearOneClass:
		out.Method, out.Classes = methods[OneClass], []string{"-1", "1"}
	case !solver.classifies:
		out.Method, out.Task = "linear-rls", data.Regression
	default:
		if solver.logistic {
			out.Method = "logistic"
		}
		place := indices.To(len(m.Labels))
		slices.SortFunc(place, func(a, b int) int { return m.Labels[a] - m.Labels[b] })
		for _, c := range place {
			out.Classes = append(out.Classes, strconv.Itoa(m.Labels[c]))
		}
		switch {
		case len(place) == 2 && outputs == 2:
			return nil, fmt.Errorf("libsvm: a model of %s with two classes has two outputs; train it with another solver", m.Solver)
		case outputs == 1 && place[0] == 0: // LIBLINEAR's is positive for its first label
			sign[0] = -1
		case outputs > 1:
			copy(column, place)
		}
		if solver.logistic && outputs == 1 {
			out.Calibration = calibrate.Sigmoid{Slope: 1}
		}
	}
	w := mat.NewDense(outputs, out.Columns, nil)
	coef := mat.NewDense(outputs, outputs, nil)
	offset := make([]float64, outputs)
	for o, c := range column {
		coef.Set(o, o, 1)
		for j := range m.Features {
			w.Set(o, j, sign[o]*m.W[j][c])
		}
		if m.Bias >= 0 {
			offset[o] = sign[o] * m.Bias * m.W[m.Features][c]
		}
		offset[o] -= m.Rho
	}
	out.Parts = model.Single(
		[]kernel.Expansion{{Kernel: kernel.Linear{}, Centres: data.Rows{Sparse: data.CSRFromDense(w)}, Coef: coef}},
		offset,
	)
	return out, nil
}
