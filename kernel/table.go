package kernel

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// kinds lists every kernel, in the order in which they are described. A new one is a line here; all else that is known of it
// stands in its own file.
var kinds = []kind{
	gaussianKind, ardGaussianKind, linearKind, polynomialKind, laplacianKind, l1LaplacianKind, ardL1LaplacianKind, ardRationalKind, anovaKind,
	metricLaplacianKind,
	sigmoidKind, expChi2Kind, addChi2Kind,
	constantKind, chi2MapKind, ardLinearKind, clustersKind, componentsKind,
	sumKind, productKind, columnsKind, normalisedKind, scaledKind, precomputedKind,
}

// kind is a type of kernels: what people call it and its parameters, in words and as values that are read and written.
type kind struct {
	param.Words
	// fields are the parameters of a kernel, which they point into; ours is false for a kernel of another type.
	fields func(k Kernel) (list []field, ours bool)
	// fresh is a kernel whose parameters are all zero, taken when they have been set.
	fresh func() (list []field, taken func() Kernel)
}

// field is a parameter in the JSON form and, where it is a number or a list of numbers, in specifications.
type field struct {
	name  string
	value any     // a pointer
	usual float64 // what a specification means that does not name it; zero is as a rule taken from the rows
	// spelled says that a specification alone gives it.
	spelled bool
}

// kindOf is the kind of the kernels K. A kernel that embeds a K is of another kind.
func kindOf[K Kernel](w param.Words, fields func(k *K) []field) kind {
	if fields == nil {
		fields = func(*K) []field { return nil }
	}
	return kind{
		Words: w,
		fields: func(k Kernel) ([]field, bool) {
			own, ours := k.(K)
			if !ours {
				return nil, false
			}
			return fields(&own), true
		},
		fresh: func() ([]field, func() Kernel) {
			k := new(K)
			return fields(k), func() Kernel { return *k }
		},
	}
}

// Kinds describes the kernels that a recipe can name, in words.
func Kinds() []param.Words {
	var list []param.Words
	for _, k := range kinds {
		if k.Title != "" {
			list = append(list, k.Words)
		}
	}
	return list
}

// Names lists the plain kernels by the names that Parse and the JSON form use.
func Names() []string {
	var list []string
	for _, k := range kinds {
		switch fields, _ := k.fresh(); {
		case k.ID == "constant": // named behind ard-linear
		case len(fields) == 0 || !composed(fields[len(fields)-1]):
			list = append(list, k.ID)
		}
		if k.ID == "ard-linear" {
			list = append(list, "constant")
		}
	}
	return list
}

// ByColumn lists the kernels with a parameter for each column, in which a column may have no part: see Relevances.
func ByColumn() []string {
	var list []string
	for _, k := range kinds {
		_, taken := k.fresh()
		if _, ok := taken().(byColumn); ok {
			list = append(list, k.ID)
		}
	}
	return list
}

// Settable lists the names of parameters that are numbers and may be set beside a specification, each once.
func Settable() []string {
	var list []string
	for _, k := range kinds {
		fields, _ := k.fresh()
		for _, f := range fields {
			switch f.value.(type) {
			case *float64, *[]float64, *int:
				if !f.spelled && !slices.Contains(list, f.name) {
					list = append(list, f.name)
				}
			}
		}
	}
	return list
}

// NameOf returns the name of a kernel, as the JSON form and specifications have it; of a kernel of another package it is its Go type.
func NameOf(k Kernel) string {
	name, _, _ := known(k)
	return name
}

// composed says whether a field holds kernels.
func composed(f field) bool {
	switch f.value.(type) {
	case *Kernel, *[]Kernel:
		return true
	}
	return false
}

// known finds the kind and the parameters of a kernel; false for kernels of other packages.
func known(k Kernel) (name string, fields []field, ours bool) {
	for _, of := range kinds {
		if fields, ours := of.fields(k); ours {
			return of.ID, fields, true
		}
	}
	return fmt.Sprintf("%T", k), nil, false
}

// as is what a kernel says by methods that only some have. One of another package says nothing, even if it embeds one of ours.
func as[T any](k Kernel) (own T, ok bool) {
	if _, _, ours := known(k); ours {
		own, ok = k.(T)
	}
	return own, ok
}

// parts are the kernels that a kernel is made of, none of a plain one.
func parts(k Kernel) []Kernel {
	_, fields, _ := known(k)
	var list []Kernel
	for _, f := range fields {
		switch v := f.value.(type) {
		case *Kernel:
			list = append(list, *v)
		case *[]Kernel:
			list = append(list, *v...)
		}
	}
	return list
}

// Numbered says whether a kernel knows columns or rows by their numbers, so that neither may be left out. It is true of kernels
// that do not say the contrary: those of one distance or inner product, and what is made of them but by choosing columns.
func Numbered(k Kernel) bool {
	if _, ok := as[shape](k); ok {
		return false
	}
	list := parts(k)
	_, columns := k.(Columns)
	_, without := as[interface{ unnumbered() }](k)
	return !without && (columns || len(list) == 0 || slices.ContainsFunc(list, Numbered))
}

// fitting is the field of a fitted map, which may be absent.
type fitting struct {
	to    *fitted
	fresh fitted // to read into
}

// MarshalJSON writes the map.
func (f *fitting) MarshalJSON() ([]byte, error) { return json.Marshal(*f.to) }

// UnmarshalJSON reads it; null is none.
func (f *fitting) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	*f.to = f.fresh
	return json.Unmarshal(b, f.fresh)
}

// matrix is the field of a square matrix, as the list of its rows.
type matrix struct{ to **mat.Dense }

// MarshalJSON writes the rows.
func (m *matrix) MarshalJSON() ([]byte, error) {
	var rows [][]float64
	if *m.to != nil {
		n, _ := (*m.to).Dims()
		for i := range n {
			rows = append(rows, row(*m.to, i))
		}
	}
	return json.Marshal(rows)
}

// UnmarshalJSON reads them.
func (m *matrix) UnmarshalJSON(b []byte) error {
	var rows [][]float64
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) == 0 {
		return err
	}
	*m.to = mat.NewDense(len(rows), len(rows), nil)
	for i, r := range rows {
		if len(r) != len(rows) {
			return fmt.Errorf("row %d of the matrix has %d values, expected %d", i, len(r), len(rows))
		}
		(*m.to).SetRow(i, r)
	}
	return nil
}

func meaning(name, values, usual, about string) param.Meaning {
	return param.Meaning{Name: name, Range: values, Default: usual, About: about}
}

// widthMeaning is the parameter of kernels of the distance.
func widthMeaning() param.Meaning {
	return meaning("sigma", "> 0", "tuned, from the median distance of the rows",
		"width, in the units of the features (scaled ones if they are scaled)")
}

// factorMeaning is that of kernels of the inner product.
func factorMeaning() param.Meaning {
	return meaning("scale", "> 0", "tuned, from 1 / mean squared norm", "factor of the inner product; --set gamma= is the same")
}
