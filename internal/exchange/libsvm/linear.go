package libsvm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"gonum.org/v1/gonum/mat"
)

// LinearModel is a LIBLINEAR model as its file has it:
//
//	f_c(x) = sum_j W[j][c] x_j + Bias W[Features][c]   (- Rho for a one-class machine)
//
// with the last row of W there only if Bias >= 0. Two classes have one output,
// positive for Labels[0], except those of MCSVM_CS, which has one a class.
type LinearModel struct {
	Solver   string // solver_type, as L2R_LR
	Classes  int    // nr_class; 2 for regressions and one-class machines
	Labels   []int  // in the order of the file; nil unless classes
	Features int    // nr_feature
	Bias     float64
	Rho      float64     // of ONECLASS_SVM
	W        [][]float64 // a row a feature
}

const (
	crammerSinger  = "MCSVM_CS"
	linearOneClass = "ONECLASS_SVM"
)

// solvers are LIBLINEAR's, and whether they classify, with probabilities.
var solvers = map[string]struct{ classifies, logistic bool }{
	"L2R_LR": {true, true}, "L2R_LR_DUAL": {true, true}, "L1R_LR": {true, true},
	"L2R_L2LOSS_SVC_DUAL": {true, false}, "L2R_L2LOSS_SVC": {true, false}, "L2R_L1LOSS_SVC_DUAL": {true, false},
	"L1R_L2LOSS_SVC": {true, false}, crammerSinger: {true, false},
	"L2R_L2LOSS_SVR": {}, "L2R_L2LOSS_SVR_DUAL": {}, "L2R_L1LOSS_SVR_DUAL": {}, linearOneClass: {},
}

// Outputs is the number of columns of W.
func (m *LinearModel) Outputs() int {
	if m.Classes == 2 && m.Solver != crammerSinger {
		return 1
	}
	return m.Classes
}

// ReadLinear reads a LIBLINEAR model called name from r. Memory is used in
// proportion to what was read.
func ReadLinear(r io.Reader, name string) (*LinearModel, error) {
	const remedy = "give a file that LIBLINEAR's train wrote"
	t := newText(r, name)
	m := &LinearModel{Bias: -1}
	seen := map[string]bool{}
	for !seen["w"] {
		token, err := t.token()
		if errors.Is(err, io.EOF) {
			return nil, t.fault(remedy, "the file ends before the line w")
		}
		if err != nil {
			return nil, err
		}
		field := string(token[:min(len(token), 32)])
		if seen[field] {
			return nil, t.fault(damaged, "%s stands twice", field)
		}
		seen[field] = true
		switch field {
		case "solver_type":
			var name []byte
			if name, err = t.value(field); err == nil {
				if _, ok := solvers[string(name)]; !ok {
					return nil, t.fault(remedy, "solver_type %s is unknown", quote(name))
				}
				m.Solver = string(name)
			}
		case "nr_class":
			m.Classes, err = t.integer(field, 1)
		case "label":
			if !seen["nr_class"] {
				return nil, t.fault("write nr_class first", "label before nr_class")
			}
			m.Labels, err = t.integers(field, m.Classes, math.MinInt32)
		case "nr_feature":
			m.Features, err = t.integer(field, 0)
		case "bias":
			m.Bias, err = t.number(field)
		case "rho":
			m.Rho, err = t.number(field)
		case "w":
		default:
			return nil, t.fault(remedy, "unknown field %s", quote(token))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, field := range strings.Fields("solver_type nr_class nr_feature bias") {
		if !seen[field] {
			return nil, t.fault(damaged, "no %s before the line w", field)
		}
	}
	for range m.rows() {
		v, err := t.numbers("w", m.Outputs())
		if err != nil {
			return nil, err
		}
		m.W = append(m.W, v)
	}
	if _, err := t.token(); err == nil {
		return nil, t.fault(damaged, "more than the %d x %d numbers of w", m.rows(), m.Outputs())
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, &read.Error{File: name, What: err.Error(), Remedy: damaged}
	}
	return m, nil
}

// rows is the number of rows of W.
func (m *LinearModel) rows() int {
	if m.Bias >= 0 {
		return m.Features + 1
	}
	return m.Features
}

// Check returns what makes the model inconsistent, or nil.
func (m *LinearModel) Check() error {
	kind, ok := solvers[m.Solver]
	switch {
	case !ok:
		return fmt.Errorf("solver_type %q is unknown", m.Solver)
	case m.Classes < 1 || !kind.classifies && m.Classes != 2:
		return fmt.Errorf("nr_class is %d for solver_type %s", m.Classes, m.Solver)
	case kind.classifies && len(m.Labels) != m.Classes || !kind.classifies && m.Labels != nil:
		return fmt.Errorf("%d labels for %d classes of solver_type %s", len(m.Labels), m.Classes, m.Solver)
	case m.Features < 0 || len(m.W) != m.rows():
		return fmt.Errorf("%d rows of w for %d features and a bias of %g", len(m.W), m.Features, m.Bias)
	case notFinite(m.Bias) || notFinite(m.Rho):
		return fmt.Errorf("bias is %g, rho %g; they must be finite", m.Bias, m.Rho)
	}
	for i, l := range m.Labels {
		if slices.Contains(m.Labels[:i], l) {
			return fmt.Errorf("label %d stands for two classes", l)
		}
	}
	for j, w := range m.W {
		if len(w) != m.Outputs() || slices.ContainsFunc(w, notFinite) {
			return fmt.Errorf("row %d of w has %d numbers for %d outputs, or one is not finite", j+1, len(w), m.Outputs())
		}
	}
	return nil
}

// WriteTo writes the model as LIBLINEAR does, all numbers so that they read back
// exactly.
func (m *LinearModel) WriteTo(w io.Writer) (int64, error) {
	if err := m.Check(); err != nil {
		return 0, err
	}
	c := &counter{w: w}
	out := bufio.NewWriterSize(c, 1<<16)
	b := append([]byte("solver_type "), m.Solver...)
	b = strconv.AppendInt(append(b, "\nnr_class "...), int64(m.Classes), 10)
	if m.Labels != nil {
		b = appendIntegers(append(b, "\nlabel"...), m.Labels)
	}
	b = strconv.AppendInt(append(b, "\nnr_feature "...), int64(m.Features), 10)
	b = appendNumber(append(b, "\nbias "...), m.Bias)
	if m.Solver == linearOneClass {
		b = appendNumber(append(b, "\nrho "...), m.Rho)
	}
	_, _ = out.Write(append(b, "\nw\n"...)) // Flush returns the first error
	for _, row := range m.W {
		b = b[:0]
		for _, v := range row {
			b = append(appendNumber(b, v), ' ')
		}
		_, _ = out.Write(append(b, '\n'))
	}
	err := out.Flush()
	return c.n, err
}

// Decision returns the outputs of LIBLINEAR, one row a row of rows. Absent features
// are zero and, as LIBLINEAR's predict does, features beyond the model's are
// ignored. Cost: one multiplication an entry and output.
func (m *LinearModel) Decision(rows data.Rows) (*mat.Dense, error) {
	n, c := rows.Len(), m.Outputs()
	if n == 0 {
		return nil, errors.New("libsvm: no row to predict")
	}
	if err := rows.Check(); err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	out := mat.NewDense(n, c, nil)
	for i := range n {
		f := out.RawRowView(i)
		add := func(j int, x float64) {
			if j < m.Features {
				for o, w := range m.W[j] {
					f[o] += w * x
				}
			}
		}
		if rows.Sparse != nil {
			idx, val := rows.Sparse.Row(i)
			for p, j := range idx {
				add(int(j), val[p])
			}
		} else {
			for j, x := range rows.Dense.RawRowView(i) {
				add(j, x)
			}
		}
		for o := range f {
			if m.Bias >= 0 {
				f[o] += m.W[m.Features][o] * m.Bias
			}
			if m.Solver == linearOneClass {
				f[o] -= m.Rho
			}
		}
	}
	return out, nil
}

// Decide turns outputs into what LIBLINEAR's predict prints: labels (two classes:
// the first if the output is positive; more: the largest, the first on ties),
// values of a regression, +1 and -1 of a one-class machine.
func (m *LinearModel) Decide(f *mat.Dense) []float64 {
	n, c := f.Dims()
	if c != m.Outputs() {
		panic(fmt.Sprintf("libsvm: %d outputs for a model of %d", c, m.Outputs()))
	}
	out := make([]float64, n)
	for i := range out {
		v := f.RawRowView(i)
		switch {
		case m.Labels == nil && m.Solver != linearOneClass:
			out[i] = v[0]
		case m.Labels == nil:
			out[i] = -1
			if v[0] > 0 {
				out[i] = 1
			}
		case len(v) == 1 && m.Classes == 2:
			out[i] = float64(m.Labels[1])
			if v[0] > 0 {
				out[i] = float64(m.Labels[0])
			}
		default:
			best := 0
			for o := range v {
				if v[o] > v[best] {
					best = o
				}
			}
			out[i] = float64(m.Labels[best])
		}
	}
	return out
}

// Predict returns what LIBLINEAR's predict prints for each row.
func (m *LinearModel) Predict(rows data.Rows) ([]float64, error) {
	f, err := m.Decision(rows)
	if err != nil {
		return nil, err
	}
	return m.Decide(f), nil
}

// Probabilities returns those of LIBLINEAR's predict -b 1, one column a class in
// the order of the file: 1/(1 + exp(-f)), for more than two classes divided by
// their sum. Only logistic regressions have them.
func (m *LinearModel) Probabilities(rows data.Rows) (*mat.Dense, error) {
	if !solvers[m.Solver].logistic {
		return nil, fmt.Errorf("libsvm: solver_type %s has no probabilities; train a logistic regression, -s 0, 6 or 7", m.Solver)
	}
	f, err := m.Decision(rows)
	if err != nil {
		return nil, err
	}
	n, c := f.Dims()
	p := mat.NewDense(n, m.Classes, nil)
	for i := range n {
		row, v := p.RawRowView(i), f.RawRowView(i)
		var sum float64
		for o := range v {
			row[o] = 1 / (1 + math.Exp(-v[o]))
			sum += row[o]
		}
		if c == 1 && m.Classes == 2 {
			row[1] = 1 / (1 + math.Exp(v[0]))
			continue
		}
		for o := range row {
			row[o] /= sum
		}
	}
	return p, nil
}
