package onnx

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/exchange/libsvm"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// machines are the operators that Read makes models of.
var machines = map[string]func(*node) (*model.Model, error){
	"SVMClassifier": svmClassifier, "SVMRegressor": svmRegressor,
	"LinearClassifier": linearClassifier, "LinearRegressor": linearRegressor,
}

// Operators that may stand before the machine, or behind it where they change the form of answers alone.
var (
	before = []string{"Scaler", "Cast", "Identity"}
	behind = []string{"Cast", "Identity", "ZipMap", "Normalizer", "Reshape"}
)

// Read reads a model of one support vector machine or linear machine of ONNX's operators for machine learning, with a
// Scaler before it or without, as scikit-learn's models become. Other operators are an error that names them. Labels and numbers
// are those of the operator, whose parameters are in single precision; labels of support vector machines are by votes,
// also where the operator has probabilities, and equal votes go to the first class in sorted order. Memory: in proportion to the file.
func Read(r io.Reader) (*model.Model, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	nodes, err := decoded(file)
	if err != nil {
		return nil, err
	}
	var machine *node
	for _, n := range nodes {
		if machines[n.kind] == nil {
			continue
		}
		if machine != nil {
			return nil, fmt.Errorf("it has the machines %s and %s; one is converted", machine.kind, n.kind)
		}
		machine = n
	}
	if machine == nil {
		return nil, foreign(nodes)
	}
	m, err := machines[machine.kind](machine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", machine.kind, err)
	}
	if m.Scaling.Kind == "" {
		m.Scaling.Kind = data.ScaleNone
	}
	return m, surroundings(nodes, machine, m)
}

// foreign refuses a graph without a machine by its operators.
func foreign(nodes []*node) error {
	var kinds []string
	for _, n := range nodes {
		if !slices.Contains(kinds, n.kind) {
			kinds = append(kinds, n.kind)
		}
	}
	if len(kinds) > 5 {
		kinds = append(kinds[:5], "...")
	}
	return fmt.Errorf("it has the operators %s; of ONNX, SVMClassifier, SVMRegressor, LinearClassifier and LinearRegressor are converted",
		strings.Join(kinds, ", "))
}

// surroundings looks at what stands before and behind the machine.
func surroundings(nodes []*node, machine *node, m *model.Model) error {
	if len(machine.in) == 0 {
		return errDamaged
	}
	seen := map[*node]bool{machine: true}
	for at, steps := machine.in[0], 0; steps <= len(nodes); steps++ {
		i := slices.IndexFunc(nodes, func(n *node) bool { return slices.Contains(n.out, at) })
		if i < 0 {
			break
		}
		n := nodes[i]
		if seen[n] || !slices.Contains(before, n.kind) || len(n.in) == 0 {
			return fmt.Errorf("it has the operator %s before its %s, which cannot be converted", n.kind, machine.kind)
		}
		if n.kind == "Scaler" {
			if err := scaler(n, m); err != nil {
				return err
			}
		}
		seen[n], at = true, n.in[0]
	}
	for _, n := range nodes {
		if !seen[n] && !slices.Contains(behind, n.kind) {
			return fmt.Errorf("it has the operator %s beside its %s, which cannot be converted", n.kind, machine.kind)
		}
	}
	return nil
}

// scaler is x' = (x - offset) scale.
func scaler(n *node, m *model.Model) error {
	offset, scale := n.list["offset"].numbers, n.list["scale"].numbers
	if m.Scaling.Kind != data.ScaleNone || len(offset) == 0 || len(scale) == 0 {
		return errors.New("it has a Scaler without offset and scale, or two, which cannot be converted")
	}
	s := data.Scaling{Kind: data.ScaleStandard, Shift: make([]float64, m.Columns), Scale: make([]float64, m.Columns)}
	for j := range m.Columns {
		s.Shift[j], s.Scale[j] = offset[j%len(offset)], 1/scale[j%len(scale)]
	}
	if len(offset) != 1 && len(offset) != m.Columns || len(scale) != 1 && len(scale) != m.Columns {
		return errDamaged
	}
	m.Scaling = s
	return s.Check(m.Columns)
}

// labels are the classes in the order of the operator, as numbers that sort as their names do, and the sorted names.
func labels(n *node, count int) (order []int, names []string, err error) {
	if words := n.list["classlabels_strings"].words; len(words) > 0 {
		names = words
	} else {
		ints := n.list["classlabels_ints"].integers
		if len(ints) == 0 {
			ints = n.list["classlabels_int64s"].integers
		}
		for _, v := range slices.Sorted(slices.Values(ints)) {
			names = append(names, strconv.FormatInt(v, 10))
		}
		for _, v := range ints {
			order = append(order, slices.Index(names, strconv.FormatInt(v, 10)))
		}
	}
	if order == nil {
		sorted := slices.Sorted(slices.Values(names))
		for _, w := range names {
			order = append(order, slices.Index(sorted, w))
		}
		names = sorted
	}
	if len(names) < 2 || count > 0 && len(names) != count || len(slices.Compact(slices.Clone(names))) < len(names) {
		return nil, nil, fmt.Errorf("%d classes, of which some may be equal: %w", len(names), errDamaged)
	}
	return order, names, nil
}

// vectors are the support vectors and the kernel of an operator.
func vectors(n *node, count int) (*libsvm.Model, error) {
	flat := n.list["support_vectors"].numbers
	params := append(slices.Clone(n.list["kernel_params"].numbers), 0, 0, 0)
	if count < 1 || len(flat)%count != 0 || len(flat) == 0 {
		return nil, errDamaged
	}
	if post := n.word("post_transform", "NONE"); post != "NONE" {
		return nil, fmt.Errorf("the post_transform %s is not converted", post)
	}
	kernels := map[string]libsvm.KernelType{
		"LINEAR": libsvm.Linear, "POLY": libsvm.Polynomial, "RBF": libsvm.RBF, "SIGMOID": libsvm.Sigmoid,
	}
	k, ok := kernels[n.word("kernel_type", "LINEAR")]
	if !ok || k == libsvm.Polynomial && params[2] != float64(int(params[2])) {
		return nil, fmt.Errorf("the kernel %s of degree %g is not converted", n.word("kernel_type", ""), params[2])
	}
	return &libsvm.Model{
		Kernel: k, Gamma: params[0], Coef0: params[1], Degree: int(params[2]), Classes: 2,
		SV: data.CSRFromDense(mat.NewDense(count, len(flat)/count, flat)),
	}, nil
}

// negated are the constants of decision values, which ONNX adds and LIBSVM subtracts.
func negated(v []float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}

func svmClassifier(n *node) (*model.Model, error) {
	per := n.list["vectors_per_class"].integers
	if len(per) == 0 {
		return nil, errors.New("it has no support vectors; a linear one is LinearClassifier")
	}
	order, names, err := labels(n, len(per))
	if err != nil {
		return nil, err
	}
	count := 0
	for _, v := range per {
		if v < 0 || v > 1<<31 {
			return nil, errDamaged
		}
		count += int(v)
	}
	m, err := vectors(n, count)
	if err != nil {
		return nil, err
	}
	coef := n.list["coefficients"].numbers
	m.Type, m.Classes, m.Labels, m.Rho = libsvm.CSVC, len(per), order, negated(n.list["rho"].numbers)
	for _, v := range per {
		m.Counts = append(m.Counts, int(v))
	}
	if len(coef) != (m.Classes-1)*count {
		return nil, errDamaged
	}
	for row := range m.Classes - 1 {
		m.Coef = append(m.Coef, coef[row*count:(row+1)*count])
	}
	if a, b := n.list["prob_a"].numbers, n.list["prob_b"].numbers; len(a) > 0 {
		m.ProbA, m.ProbB = a, b
	}
	return converted(m, names)
}

func svmRegressor(n *node) (*model.Model, error) {
	count := n.list["n_supports"].integers
	if len(count) != 1 || count[0] < 1 {
		return nil, errors.New("it has no support vectors; a linear one is LinearRegressor")
	}
	m, err := vectors(n, int(count[0]))
	if err != nil {
		return nil, err
	}
	m.Type, m.Rho, m.Coef = libsvm.EpsilonSVR, negated(n.list["rho"].numbers), [][]float64{n.list["coefficients"].numbers}
	if one := n.list["one_class"].integers; len(one) > 0 && one[0] != 0 {
		m.Type = libsvm.OneClass
	}
	return converted(m, nil)
}

// converted is the model of LIBSVM's, with dense rows, under the names of its classes.
func converted(m *libsvm.Model, names []string) (*model.Model, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	out, err := m.ToModel()
	if err != nil {
		return nil, err
	}
	if names != nil {
		out.Classes = names
	}
	return out, nil
}

// weights are the rows of a linear operator and their constants, outputs of them, 0 for as many as there are constants.
func weights(n *node, outputs int) (w *mat.Dense, offset []float64, err error) {
	coef, offset := n.list["coefficients"].numbers, n.list["intercepts"].numbers
	if len(offset) > 0 {
		outputs = len(offset)
	} else {
		offset = make([]float64, outputs)
	}
	if outputs == 0 || len(coef) == 0 || len(coef)%outputs != 0 {
		return nil, nil, errDamaged
	}
	return mat.NewDense(outputs, len(coef)/outputs, coef), offset, nil
}

// linear is a model of the rows of w, an output each.
func linear(method string, w *mat.Dense, offset []float64) *model.Model {
	_, d := w.Dims()
	return &model.Model{
		Method: method, Label: "label", Columns: d, Task: data.Regression,
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.DenseCopyOf(w.T())}}, Offset: offset}},
	}
}

func linearRegressor(n *node) (*model.Model, error) {
	if t := n.list["targets"].integers; len(t) > 0 && t[0] != 1 {
		return nil, fmt.Errorf("it has %d targets; one is converted", t[0])
	}
	if post := n.word("post_transform", "NONE"); post != "NONE" {
		return nil, fmt.Errorf("the post_transform %s is not converted", post)
	}
	w, offset, err := weights(n, 1)
	if err != nil || len(offset) != 1 {
		return nil, errDamaged
	}
	return linear("linear-rls", w, offset), nil
}

// linearClassifier has an output a class, or of two classes one for the second. Of two, f_1 - f_0 decides: half of it, where one
// is the other's negative, as scikit-learn's are.
func linearClassifier(n *node) (*model.Model, error) {
	order, names, err := labels(n, 0)
	if err != nil {
		return nil, err
	}
	w, offset, err := weights(n, len(names))
	if err != nil {
		return nil, err
	}
	if rows := len(offset); rows != len(names) && (rows != 1 || len(names) != 2) {
		return nil, fmt.Errorf("%d outputs for %d classes: %w", rows, len(names), errDamaged)
	}
	post := n.word("post_transform", "NONE")
	if len(names) == 2 {
		return two(order, names, w, offset, post), nil
	}
	sorted, constants := mat.DenseCopyOf(w), make([]float64, len(offset))
	for k, at := range order {
		sorted.SetRow(at, w.RawRowView(k))
		constants[at] = offset[k]
	}
	m := linear("linear-logistic", sorted, constants)
	m.Task, m.Classes = data.Classification, names
	if post == "SOFTMAX" {
		m.Calibration = calibrate.Softmax{Temperature: 1}
	}
	return m, nil
}

// two is the model of two classes.
func two(order []int, names []string, w *mat.Dense, offset []float64, post string) *model.Model {
	row, constant, slope := slices.Clone(w.RawRowView(len(offset)-1)), offset[len(offset)-1], map[string]float64{"LOGISTIC": 1}
	if len(offset) == 2 {
		slope["SOFTMAX"] = 2
		opposite := offset[0] == -offset[1]
		for j, v := range w.RawRowView(0) {
			opposite = opposite && v == -row[j]
		}
		if !opposite {
			slope = map[string]float64{"SOFTMAX": 1}
			constant -= offset[0]
			for j, v := range w.RawRowView(0) {
				row[j] -= v
			}
		}
	}
	if order[0] > order[1] {
		constant = -constant
		for j := range row {
			row[j] = -row[j]
		}
	}
	m := linear("linear-logistic", mat.NewDense(1, len(row), row), []float64{constant})
	m.Task, m.Classes = data.Classification, names
	if s := slope[post]; s > 0 {
		m.Calibration = calibrate.Sigmoid{Slope: s}
	}
	return m
}
