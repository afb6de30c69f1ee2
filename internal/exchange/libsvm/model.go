// Package libsvm reads, writes and applies the text files of LIBSVM and
// LIBLINEAR: models, and the ranges of svm-scale. Predictions are those of
// svm-predict; a model becomes kernel expansions and back.
//
// What svm-train writes is read, and so is what svm-predict reads, unless it
// would misread it without a word: numbers that are not finite, indices that do
// not increase or begin at 0, fewer or more lines than announced, fields that the
// kind of model needs and the file lacks. Every fault is a *read.Error with file
// and line.
//
// Change here how files of these programs are read and written; a new format of another
// program is a package beside this one.
package libsvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// Type is the kind of machine, as the file spells it.
type Type string

// Kinds of machines.
const (
	CSVC       Type = "c_svc"
	NuSVC      Type = "nu_svc"
	OneClass   Type = "one_class"
	EpsilonSVR Type = "epsilon_svr"
	NuSVR      Type = "nu_svr"
)

var types = []Type{CSVC, NuSVC, OneClass, EpsilonSVR, NuSVR}

// Classifies says whether the machine decides between labelled classes.
func (t Type) Classifies() bool { return t == CSVC || t == NuSVC }

// KernelType is the kind of kernel, as the file spells it:
//
//	linear       <x, z>
//	polynomial   (gamma <x, z> + coef0)^degree
//	rbf          exp(-gamma |x-z|^2)
//	sigmoid      tanh(gamma <x, z> + coef0)
//	precomputed  x[serial of z], x being a row of kernel values
type KernelType string

// Kinds of kernels.
const (
	Linear      KernelType = "linear"
	Polynomial  KernelType = "polynomial"
	RBF         KernelType = "rbf"
	Sigmoid     KernelType = "sigmoid"
	Precomputed KernelType = "precomputed"
)

var kernelTypes = []KernelType{Linear, Polynomial, RBF, Sigmoid, Precomputed}

// Model is a LIBSVM model as its file has it. With k classes and the pairs (i, j),
// i < j, of classes in the order of the file, (0,1), (0,2), ..., (1,2), ..., the
// decision value of a pair is, over the support vectors z of the two classes,
//
//	f_ij(x) = sum_{z of i} Coef[j-1][z] k(x, z) + sum_{z of j} Coef[i][z] k(x, z) - Rho[ij]
//
// positive for class i. One-class machines and regressions have Classes = 2, one
// decision value over all support vectors, and neither Labels nor Counts.
type Model struct {
	Type   Type
	Kernel KernelType
	Degree int     // of polynomial
	Gamma  float64 // of polynomial, rbf and sigmoid
	Coef0  float64 // of polynomial and sigmoid

	Classes int       // nr_class
	Rho     []float64 // one a pair
	Labels  []int     // of the classes, in the order of the file
	Counts  []int     // nr_sv: support vectors of each class

	// ProbA and ProbB, one a pair, or one for a regression (ProbA only, the scale
	// of its Laplace noise), make probabilities; nil for none. DensityMarks are the
	// ten decision values that a one-class machine of LIBSVM 3.3 has for them.
	ProbA, ProbB, DensityMarks []float64

	Coef   [][]float64 // (Classes-1) x total_sv
	SV     *data.CSR   // support vectors, grouped by class; nil for precomputed
	Serial []int       // precomputed: number of each support vector's training row, from 1
}

// densityMarks is the number of DensityMarks.
const densityMarks = 10

// Len is the number of support vectors, total_sv.
func (m *Model) Len() int {
	if m.SV != nil {
		return m.SV.R
	}
	return len(m.Serial)
}

// Pairs is the number of decision values.
func (m *Model) Pairs() int { return m.Classes * (m.Classes - 1) / 2 }

// Check returns what makes the model inconsistent, or nil.
func (m *Model) Check() error {
	n := m.Len()
	switch {
	case !slices.Contains(types, m.Type):
		return fmt.Errorf("svm_type %q is unknown", m.Type)
	case !slices.Contains(kernelTypes, m.Kernel):
		return fmt.Errorf("kernel_type %q is unknown", m.Kernel)
	case m.Classes < 1 || m.Classes == 1 && (n > 0 || !m.Type.Classifies()):
		return fmt.Errorf("nr_class is %d for svm_type %s with %d support vectors", m.Classes, m.Type, n)
	case !m.Type.Classifies() && m.Classes != 2:
		return fmt.Errorf("nr_class is %d; svm_type %s has 2", m.Classes, m.Type)
	case m.Kernel == Polynomial && m.Degree < 0:
		return fmt.Errorf("degree is %d; it must not be negative", m.Degree)
	case m.Kernel == RBF && m.Gamma < 0:
		return fmt.Errorf("gamma is %g; it must not be negative", m.Gamma)
	case (m.Kernel == Precomputed) != (m.SV == nil) || m.SV != nil && m.Serial != nil:
		return fmt.Errorf("kernel_type %s has either serial numbers or support vectors", m.Kernel)
	case len(m.Rho) != m.Pairs():
		return fmt.Errorf("%d values of rho for %d pairs of classes", len(m.Rho), m.Pairs())
	case m.Type.Classifies() && (len(m.Labels) != m.Classes || len(m.Counts) != m.Classes):
		return fmt.Errorf("%d labels and %d values of nr_sv for %d classes", len(m.Labels), len(m.Counts), m.Classes)
	case !m.Type.Classifies() && (m.Labels != nil || m.Counts != nil):
		return fmt.Errorf("svm_type %s has neither label nor nr_sv", m.Type)
	case m.ProbA != nil && len(m.ProbA) != m.Pairs() || m.ProbB != nil && len(m.ProbB) != m.Pairs():
		return fmt.Errorf("%d values of probA, %d of probB, for %d pairs of classes", len(m.ProbA), len(m.ProbB), m.Pairs())
	case m.DensityMarks != nil && len(m.DensityMarks) != densityMarks:
		return fmt.Errorf("%d prob_density_marks; there are %d", len(m.DensityMarks), densityMarks)
	case len(m.Coef) != m.Classes-1:
		return fmt.Errorf("%d rows of coefficients for %d classes", len(m.Coef), m.Classes)
	}
	sum := 0
	for c, v := range m.Counts {
		if v < 0 || v > n-sum {
			return fmt.Errorf("nr_sv of class %d is %d; all classes together have %d", c, v, n)
		}
		sum += v
	}
	if m.Counts != nil && sum != n {
		return fmt.Errorf("the nr_sv add up to %d, total_sv is %d", sum, n)
	}
	for i, l := range m.Labels {
		if slices.Contains(m.Labels[:i], l) {
			return fmt.Errorf("label %d stands for two classes", l)
		}
	}
	for i, s := range m.Serial {
		if s < 1 || s > math.MaxInt32 {
			return fmt.Errorf("support vector %d has the serial number %d; they count from 1", i, s)
		}
	}
	values := [][]float64{{m.Gamma, m.Coef0}, m.Rho, m.ProbA, m.ProbB, m.DensityMarks}
	if m.SV != nil {
		values = append(values, m.SV.Value)
	}
	for _, c := range m.Coef {
		if len(c) != n {
			return fmt.Errorf("%d coefficients for %d support vectors", len(c), n)
		}
		values = append(values, c)
	}
	for _, v := range values {
		if i := slices.IndexFunc(v, notFinite); i >= 0 {
			return fmt.Errorf("the number %g is not finite", v[i])
		}
	}
	return nil
}

func notFinite(v float64) bool { return v-v != 0 }
