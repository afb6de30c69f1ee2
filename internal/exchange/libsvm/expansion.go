package libsvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Expansion is a machine as functions over one set of centres, in the coding of
// package learn:
//
//	f_o(x) = sum_s k(x, Centres[s]) Coef[s,o] + Offset[o]
//
// one output o for regressions, one-class machines and two classes, else one a pair
// a < b of classes numbered as in Labels, in the order (0,1), (0,2), ..., (1,2),
// ... . Outputs of pairs are positive for the SECOND class b, and zero is b's:
// LIBSVM's decision values with their sign turned (Coef = -its, Offset = +rho). So
// the votes are LIBSVM's exactly, and so are ties, as long as Labels are in the
// order of its file.
//
// After Sort two things differ from svm-predict: a tie of votes goes to the least
// label instead of the first in the file, and an output of exactly zero of a pair
// whose order was reversed goes to its other class. To keep svm-predict's labels,
// decide before sorting.
type Expansion struct {
	Kernel  kernel.Kernel
	Centres data.Rows
	Coef    *mat.Dense // centres x outputs
	Offset  []float64
	Labels  []int // nil unless classes
	Class   []int // of each centre: its place in Labels; nil unless classes
}

// Classes returns the names of the classes, as package data prints them.
func (e *Expansion) Classes() []string {
	names := make([]string, len(e.Labels))
	for c, l := range e.Labels {
		names[c] = strconv.Itoa(l)
	}
	return names
}

// Expansion returns the model as kernel expansions. gamma becomes sigma =
// 1/sqrt(2 gamma). A precomputed kernel becomes the linear one over unit vectors,
// to be applied to rows of kernel values with the training rows. It is an error if
// package kernel does not have the kernel (gamma = 0, degree = 0, negative coef0
// of a polynomial), or if there is nothing to expand: no support vector, one class.
// Memory: centres x pairs.
func (m *Model) Expansion() (*Expansion, error) {
	if m.Classes < 2 || m.Len() == 0 {
		return nil, fmt.Errorf(
			"libsvm: a model of %d classes and %d support vectors has no expansion; it predicts a constant",
			m.Classes,
			m.Len(),
		)
	}
	k, _ := m.plainKernel()
	if _, linear := k.(kernel.Linear); linear && m.Kernel != Linear && m.Kernel != Precomputed {
		return nil, fmt.Errorf(
			"libsvm: %s with gamma %g, coef0 %g and degree %d is no kernel of this program; gamma must be positive, and of a "+
				"polynomial coef0 "+
				"not negative, degree positive",
			m.Kernel,
			m.Gamma,
			m.Coef0,
			m.Degree,
		)
	}
	e := &Expansion{Kernel: k, Centres: data.Rows{Sparse: m.SV}, Labels: slices.Clone(m.Labels), Offset: slices.Clone(m.Rho)}
	if m.Kernel == Precomputed {
		e.Centres.Sparse = units(m.Serial, slices.Max(m.Serial))
	}
	total := m.Len()
	e.Coef = mat.NewDense(total, m.Pairs(), nil)
	if !m.Type.Classifies() {
		e.Coef.SetCol(0, m.Coef[0])
		e.Offset[0] = -m.Rho[0]
		return e, nil
	}
	for c, count := range m.Counts {
		for range count {
			s := len(e.Class)
			e.Class = append(e.Class, c)
			for r, row := range m.Coef {
				e.Coef.Set(s, pair(m.Classes, min(c, r), max(c, r+1)), -row[s])
			}
		}
	}
	return e, nil
}

// Sort returns the expansion with its labels increasing, the order of classes in
// the rest of this program, and place, where place[c] is what class c was before.
// A pair whose two classes change order has its output's sign turned.
func (e *Expansion) Sort() (sorted *Expansion, place []int) {
	k := len(e.Labels)
	place = indices.To(k)
	slices.SortFunc(place, func(a, b int) int { return cmp.Compare(e.Labels[a], e.Labels[b]) })
	if k == 0 || slices.IsSorted(place) {
		return e, place
	}
	s := &Expansion{
		Kernel:  e.Kernel,
		Centres: e.Centres,
		Labels:  make([]int, k),
		Class:   make([]int, len(e.Class)),
		Offset:  make([]float64, len(e.Offset)),
	}
	now := make([]int, k) // the inverse of place
	for c, p := range place {
		now[p], s.Labels[c] = c, e.Labels[p]
	}
	for i, c := range e.Class {
		s.Class[i] = now[c]
	}
	n, outputs := e.Coef.Dims()
	s.Coef = mat.NewDense(n, outputs, nil)
	for a := range k {
		for b := a + 1; b < k; b++ {
			sign, o := 1.0, pair(k, a, b)
			i, j := place[a], place[b]
			if i > j {
				sign, i, j = -1, j, i
			}
			from := pair(k, i, j)
			s.Offset[o] = sign * e.Offset[from]
			for r := range n {
				s.Coef.Set(r, o, sign*e.Coef.At(r, from))
			}
		}
	}
	return s, place
}

// FromExpansion returns the model of the given type with these functions, the
// inverse of Expansion. Centres are grouped by class, in their order within one,
// and those whose coefficients are all zero are left out. Class may be nil for two
// classes: the sign of the coefficient then says, as it does in a support vector
// machine. A centre with a coefficient in a pair that its class is no part of has
// no place in LIBSVM's format and is an error, as is a kernel that LIBSVM lacks.
// The centres of a precomputed kernel are known by their numbers (Rows.ID), whose
// serial numbers are one more.
func FromExpansion(t Type, e *Expansion) (*Model, error) {
	n, outputs := e.Coef.Dims()
	m := &Model{Type: t, Classes: 2, Labels: slices.Clone(e.Labels), Rho: slices.Clone(e.Offset)}
	if t.Classifies() {
		m.Classes = len(e.Labels)
	}
	if m.Classes < 2 || outputs != m.Pairs() || len(e.Offset) != outputs || e.Centres.Len() != n || e.Class != nil && len(e.Class) != n {
		panic(
			fmt.Sprintf(
				"libsvm: %d outputs and %d offsets for %d labels, %d coefficients and %d classes for %d centres",
				outputs,
				len(e.Offset),
				len(e.Labels),
				n,
				len(e.Class),
				e.Centres.Len(),
			),
		)
	}
	if err := m.setKernel(e.Kernel); err != nil {
		return nil, err
	}
	runs, err := e.runs(t)
	if err != nil {
		return nil, err
	}
	if t.Classifies() {
		m.Counts = make([]int, m.Classes)
	} else {
		m.Rho[0] = -e.Offset[0]
	}
	var order []int
	for c, run := range runs {
		if m.Counts != nil {
			m.Counts[c] = len(run)
		}
		order = append(order, run...)
	}
	m.Coef = make([][]float64, m.Classes-1)
	for r := range m.Coef {
		m.Coef[r] = make([]float64, 0, len(order))
		for c, run := range runs {
			o, sign := 0, 1.0
			if t.Classifies() {
				o, sign = pair(m.Classes, min(c, r), max(c, r+1)), -1
			}
			for _, s := range run {
				m.Coef[r] = append(m.Coef[r], sign*e.Coef.At(s, o))
			}
		}
	}
	m.setCentres(e.Centres.Select(order))
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	return m, nil
}

// runs returns the centres of each class that have a coefficient, or all of them
// as one run where there are no classes.
func (e *Expansion) runs(t Type) ([][]int, error) {
	k := max(len(e.Labels), 1)
	if !t.Classifies() {
		k = 1
	}
	if k > 2 && e.Class == nil {
		panic("libsvm: the classes of the centres are needed")
	}
	runs := make([][]int, k)
	for s := range e.Centres.Len() {
		row := e.Coef.RawRowView(s)
		if !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			continue
		}
		c := 0
		switch {
		case k == 1:
		case e.Class != nil:
			if c = e.Class[s]; c < 0 || c >= k {
				panic(fmt.Sprintf("libsvm: centre %d has class %d of %d", s, c, k))
			}
		case row[0] > 0:
			c = 1
		}
		for a := range k {
			for b := a + 1; b < k; b++ {
				if v := row[pair(k, a, b)]; v != 0 && a != c && b != c {
					return nil, fmt.Errorf(
						"libsvm: centre %d is of label %d but has the coefficient %g in the pair of %d and %d; LIBSVM's format has no "+
							"place for it",
						s,
						e.Labels[c],
						v,
						e.Labels[a],
						e.Labels[b],
					)
				}
			}
		}
		runs[c] = append(runs[c], s)
	}
	return runs, nil
}

// setKernel stores the kernel in LIBSVM's terms.
func (m *Model) setKernel(k kernel.Kernel) error {
	switch k := k.(type) {
	case kernel.Linear:
		m.Kernel = Linear
	case kernel.Gaussian:
		m.Kernel, m.Gamma = RBF, 0.5/(k.Sigma*k.Sigma)
	case kernel.Polynomial:
		m.Kernel, m.Degree, m.Gamma, m.Coef0 = Polynomial, k.Degree, k.Scale, k.Offset
	case kernel.Sigmoid:
		m.Kernel, m.Gamma, m.Coef0 = Sigmoid, k.Scale, k.Offset
	case kernel.Precomputed:
		m.Kernel = Precomputed
	default:
		return fmt.Errorf("libsvm: LIBSVM has no kernel like %T; it has linear, polynomial, gaussian, sigmoid and precomputed", k)
	}
	// A parameter of 0 means "from the data" in package kernel: not yet adapted.
	if g := m.Gamma; m.Kernel != Linear && m.Kernel != Precomputed && (!(g > 0) || math.IsInf(g, 1)) ||
		m.Kernel == Polynomial && m.Degree < 1 {
		return fmt.Errorf("libsvm: gamma is %g, degree %d; adapt the kernel to the rows first", g, m.Degree)
	}
	return nil
}

// setCentres stores the support vectors.
func (m *Model) setCentres(rows data.Rows) {
	switch {
	case m.Kernel == Precomputed:
		m.Serial = make([]int, rows.Len())
		for i := range m.Serial {
			m.Serial[i] = rows.RowID(i) + 1
		}
	case rows.Len() == 0:
		m.SV = &data.CSR{C: rows.Dim(), Start: []int{0}}
	case rows.Sparse != nil:
		m.SV = rows.Sparse
	default:
		m.SV = data.CSRFromDense(rows.Dense)
	}
}
