package libsvm

import (
	"errors"
	"io"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// maxClasses keeps the number of pairs below 2^31.
const maxClasses = 1 << 16

// Read reads a model called name from r:
//
//	svm_type c_svc                    fields, in any order, but nr_class before
//	kernel_type rbf                   those with a value a class or a pair
//	gamma 0.5
//	...
//	SV
//	0.25 1:0.708333 3:1               Classes-1 coefficients, then index:value
//
// The memory used is in proportion to what was read, whatever numbers the file
// announces.
func Read(r io.Reader, name string) (*Model, error) {
	t := newText(r, name)
	m := &Model{}
	total, err := readFields(t, m)
	if err != nil {
		return nil, err
	}
	if err := readVectors(t, m, total); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, &read.Error{File: name, What: err.Error(), Remedy: damaged}
	}
	return m, nil
}

// perClass are the fields whose length nr_class tells.
var perClass = []string{"rho", "label", "probA", "probB", "nr_sv"}

// readFields reads all before and with the line SV and returns total_sv.
func readFields(t *text, m *Model) (total int, err error) {
	seen := map[string]bool{}
	for !seen["SV"] {
		token, err := t.token()
		if errors.Is(err, io.EOF) {
			if t.n == 0 {
				return 0, t.fault("give a file that svm-train wrote", "the file is empty")
			}
			return 0, t.fault(damaged, "the file ends before the line SV")
		}
		if err != nil {
			return 0, err
		}
		field := string(token[:min(len(token), 32)])
		if seen[field] {
			return 0, t.fault(damaged, "%s stands twice", field)
		}
		if slices.Contains(perClass, field) && !seen["nr_class"] {
			return 0, t.fault("write nr_class first", "%s before nr_class", field)
		}
		seen[field] = true
		switch field {
		case "svm_type":
			err = word(t, field, &m.Type, types)
		case "kernel_type":
			err = word(t, field, &m.Kernel, kernelTypes)
		case "degree":
			m.Degree, err = t.integer(field, 0)
		case "gamma":
			m.Gamma, err = t.number(field)
		case "coef0":
			m.Coef0, err = t.number(field)
		case "nr_class":
			if m.Classes, err = t.integer(field, 1); err == nil && m.Classes > maxClasses {
				err = t.fault(damaged, "%d classes; at most %d are supported", m.Classes, maxClasses)
			}
		case "total_sv":
			total, err = t.integer(field, 0)
		case "rho":
			m.Rho, err = t.numbers(field, m.Pairs())
		case "label":
			m.Labels, err = t.integers(field, m.Classes, math.MinInt32)
		case "probA":
			m.ProbA, err = t.numbers(field, m.Pairs())
		case "probB":
			m.ProbB, err = t.numbers(field, m.Pairs())
		case "prob_density_marks":
			m.DensityMarks, err = t.numbers(field, densityMarks)
		case "nr_sv":
			m.Counts, err = t.integers(field, m.Classes, 0)
		case "SV":
		default:
			return 0, t.fault("give a file that svm-train wrote", "unknown field %s", quote(token))
		}
		if err != nil {
			return 0, err
		}
	}
	need := []string{"svm_type", "kernel_type", "nr_class", "total_sv", "rho"}
	if m.Type.Classifies() {
		need = append(need, "label", "nr_sv")
	}
	switch m.Kernel {
	case Polynomial:
		need = append(need, "degree", "gamma", "coef0")
	case RBF:
		need = append(need, "gamma")
	case Sigmoid:
		need = append(need, "gamma", "coef0")
	}
	for _, field := range need {
		if !seen[field] {
			return 0, t.fault(damaged, "no %s before the line SV", field)
		}
	}
	return total, nil
}

// word reads one of the given words.
func word[T ~string](t *text, field string, to *T, words []T) error {
	token, err := t.value(field)
	if err != nil {
		return err
	}
	i := slices.Index(words, T(token))
	if i < 0 {
		return t.fault("give a file that svm-train wrote", "%s %s is unknown", field, quote(token))
	}
	*to = words[i]
	return nil
}

// readVectors reads the total lines after the line SV.
func readVectors(t *text, m *Model, total int) error {
	// The values of rho bound the number of classes by what was read.
	m.Coef = make([][]float64, m.Classes-1)
	for k := range m.Coef {
		m.Coef[k] = []float64{}
	}
	start, index, value := []int{0}, []int32{}, []float64{}
	width := 0
	for i := range total {
		if err := t.advance(); err != nil {
			if errors.Is(err, io.EOF) {
				return t.fault(damaged, "the file ends after %d of %d support vectors", i, total)
			}
			return err
		}
		for k := range m.Coef {
			token := t.onLine()
			if token == nil {
				return t.fault(damaged, "%d coefficients; %d classes need %d", k, m.Classes, m.Classes-1)
			}
			v, err := t.float("coefficient", token)
			if err != nil {
				return err
			}
			m.Coef[k] = append(m.Coef[k], v)
		}
		if m.Kernel == Precomputed {
			s, err := readSerial(t)
			if err != nil {
				return err
			}
			m.Serial = append(m.Serial, s)
			continue
		}
		last := 0
		for token := t.onLine(); token != nil; token = t.onLine() {
			j, text, err := t.entry(token)
			if err != nil {
				return err
			}
			switch {
			case j == 0:
				return t.fault("number the features from 1 and train again", "index 0")
			case j <= last:
				return t.fault("sort each row by index, each index once, and train again", "index %d after %d", j, last)
			}
			v, err := t.float("feature", text)
			if err != nil {
				return err
			}
			last, width = j, max(width, j)
			index, value = append(index, int32(j-1)), append(value, v)
		}
		start = append(start, len(index))
	}
	if _, err := t.token(); err == nil {
		return t.fault(damaged, "more than total_sv = %d support vectors", total)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	if m.Kernel != Precomputed {
		m.SV = &data.CSR{R: total, C: width, Start: start, Index: index, Value: value}
	}
	return nil
}

// readSerial reads the 0:serial of a support vector of a precomputed kernel.
func readSerial(t *text) (int, error) {
	const remedy = "begin each training row with 0:serial, serial from 1, and train again"
	token := t.onLine()
	if token == nil {
		return 0, t.fault(remedy, "no serial number; a precomputed kernel has 0:serial")
	}
	j, text, err := t.entry(token)
	if err != nil {
		return 0, err
	}
	v, err := t.float("serial number", text)
	if err != nil {
		return 0, err
	}
	if j != 0 || v < 1 || v > math.MaxInt32 || v != math.Trunc(v) {
		return 0, t.fault(remedy, "%s is no 0:serial", quote(token))
	}
	if extra := t.onLine(); extra != nil {
		return 0, t.fault(remedy, "%s after the serial number", quote(extra))
	}
	return int(v), nil
}
