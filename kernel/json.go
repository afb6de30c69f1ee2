package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/internal/mixture"
	"gonum.org/v1/gonum/mat"
)

// JSON form: {"type": NAME, ...} with the fields of the kernel in lower case; the
// parts of composites are nested the same way. Zero parameters are left out:
//
//	{"type":"gaussian","sigma":1.5}
//	{"type":"sum","terms":[{"type":"linear"},{"type":"scaled","weight":2,"base":{"type":"gaussian"}}]}

// maxDepth bounds the nesting of kernels that are read.
const maxDepth = 32

// ErrForeign is wrapped by Marshal for kernels that this package does not know.
var ErrForeign = errors.New("not a kernel of package kernel")

// Names lists the plain kernels by the names that Parse and the JSON form use.
func Names() []string {
	return []string{"gaussian", "ard-gaussian", "linear", "polynomial", "laplacian", "sigmoid",
		"exp-chi2", "add-chi2", "chi2-map", "ard-linear", "constant", "clusters", "components", "precomputed"}
}

// typeName is the type's name in JSON; false for kernels of other packages, also
// for those that embed one of ours.
func typeName(k Kernel) (string, bool) {
	switch k.(type) {
	case Gaussian:
		return "gaussian", true
	case ARDGaussian:
		return "ard-gaussian", true
	case Linear:
		return "linear", true
	case Polynomial:
		return "polynomial", true
	case Laplacian:
		return "laplacian", true
	case Sigmoid:
		return "sigmoid", true
	case ExpChi2:
		return "exp-chi2", true
	case AddChi2:
		return "add-chi2", true
	case Chi2Map:
		return "chi2-map", true
	case Constant:
		return "constant", true
	case ARDLinear:
		return "ard-linear", true
	case Precomputed:
		return "precomputed", true
	case Clusters:
		return "clusters", true
	case Components:
		return "components", true
	case Scaled:
		return "scaled", true
	case Sum:
		return "sum", true
	case Product:
		return "product", true
	case Normalised:
		return "normalised", true
	case Columns:
		return "columns", true
	}
	return fmt.Sprintf("%T", k), false
}

// envelope has the fields of all kernels.
type envelope struct {
	Type      string            `json:"type"`
	Sigma     json.RawMessage   `json:"sigma,omitempty"`
	C         json.RawMessage   `json:"c,omitempty"`
	Degree    int               `json:"degree,omitempty"`
	Harmonics int               `json:"harmonics,omitempty"`
	Step      float64           `json:"step,omitempty"`
	Scale     float64           `json:"scale,omitempty"`
	Offset    float64           `json:"offset,omitempty"`
	Weight    float64           `json:"weight,omitempty"`
	Columns   []int             `json:"columns,omitempty"`
	Names     []string          `json:"names,omitempty"`
	Matrix    [][]float64       `json:"matrix,omitempty"`
	Fit       json.RawMessage   `json:"fit,omitempty"`
	Base      json.RawMessage   `json:"base,omitempty"`
	Terms     []json.RawMessage `json:"terms,omitempty"`
}

// Marshal writes a kernel as JSON. Kernels of other packages are ErrForeign;
// values that make no kernel are errors too.
func Marshal(k Kernel) ([]byte, error) {
	if err := check(k, false); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return marshal(k)
}

func marshal(k Kernel) (b []byte, err error) {
	name, ours := typeName(k)
	if !ours {
		return nil, fmt.Errorf("kernel: %s is %w and cannot be written", name, ErrForeign)
	}
	e := envelope{Type: name}
	switch k := k.(type) {
	case Gaussian:
		err = put(&e.Sigma, k.Sigma, k.Sigma != 0)
	case Laplacian:
		err = put(&e.Sigma, k.Sigma, k.Sigma != 0)
	case ExpChi2:
		err = put(&e.Sigma, k.Sigma, k.Sigma != 0)
	case ARDGaussian:
		err = put(&e.Sigma, k.Sigma, len(k.Sigma) != 0)
	case ARDLinear:
		err = put(&e.C, k.C, len(k.C) != 0)
	case Chi2Map:
		e.Harmonics, e.Step = k.Harmonics, k.Step
	case Clusters:
		err = put(&e.Fit, k.Fit, k.Fit != nil)
	case Components:
		err = put(&e.Fit, k.Fit, k.Fit != nil)
	case Linear, AddChi2, Constant:
	case Polynomial:
		e.Degree, e.Scale, e.Offset = k.Degree, k.Scale, k.Offset
	case Sigmoid:
		e.Scale, e.Offset = k.Scale, k.Offset
	case Precomputed:
		if k.K != nil {
			n, _ := k.K.Dims()
			for i := range n {
				e.Matrix = append(e.Matrix, row(k.K, i))
			}
		}
	case Scaled:
		e.Weight = k.Weight
		e.Base, err = marshal(k.Base)
	case Normalised:
		e.Base, err = marshal(k.Base)
	case Columns:
		e.Columns, e.Names = k.Columns, k.Names
		e.Base, err = marshal(k.Base)
	case Sum:
		e.Terms, err = marshalTerms(k.Terms)
	case Product:
		e.Terms, err = marshalTerms(k.Terms)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

// put stores a number or a list of them in a field.
func put(field *json.RawMessage, v any, set bool) (err error) {
	if set {
		*field, err = json.Marshal(v)
	}
	return err
}

func marshalTerms(terms []Kernel) ([]json.RawMessage, error) {
	var out []json.RawMessage
	for _, t := range terms {
		b, err := marshal(t)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// Unmarshal reads a kernel that Marshal wrote. Unknown types and fields, fields
// of another type of kernel and values out of range are errors.
func Unmarshal(b []byte) (Kernel, error) {
	k, err := unmarshal(b, maxDepth)
	if err == nil {
		err = check(k, false)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

func unmarshal(b []byte, depth int) (Kernel, error) {
	if depth == 0 {
		return nil, fmt.Errorf("more than %d kernels inside each other", maxDepth)
	}
	var e envelope
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return e.kernel(depth)
}

// kernel takes the fields of e's type; any that are left over are errors.
func (e envelope) kernel(depth int) (k Kernel, err error) {
	name := e.Type
	switch name {
	case "scaled", "normalised", "columns":
		k, err = e.around(depth)
	case "sum", "product":
		k, err = e.combined(depth)
	default:
		if k, err = e.plain(); k == nil {
			return nil, fmt.Errorf("unknown type %q; known are %s, scaled, sum, product, normalised, columns", name, strings.Join(Names(), ", "))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e.Type = ""
	if left, _ := json.Marshal(e); string(left) != `{"type":""}` { // e came from JSON, so it can go back
		return nil, fmt.Errorf("%s: fields that it does not have: %s", name, strings.TrimPrefix(string(left), `{"type":"",`))
	}
	return k, nil
}

// plain takes a kernel without others inside, nil if the type is none.
func (e *envelope) plain() (k Kernel, err error) {
	switch e.Type {
	case "gaussian":
		var g Gaussian
		err = take(&e.Sigma, &g.Sigma)
		k = g
	case "laplacian":
		var g Laplacian
		err = take(&e.Sigma, &g.Sigma)
		k = g
	case "ard-gaussian":
		var g ARDGaussian
		err = take(&e.Sigma, &g.Sigma)
		k = g
	case "exp-chi2":
		var g ExpChi2
		err = take(&e.Sigma, &g.Sigma)
		k = g
	case "ard-linear":
		var g ARDLinear
		err = take(&e.C, &g.C)
		k = g
	case "chi2-map":
		k = Chi2Map{Harmonics: e.Harmonics, Step: e.Step}
		e.Harmonics, e.Step = 0, 0
	case "clusters":
		k, err = fitted[mixture.Clusters](e, func(f Fitted) Kernel { return Clusters{f} })
	case "components":
		k, err = fitted[mixture.Components](e, func(f Fitted) Kernel { return Components{f} })
	case "add-chi2":
		k = AddChi2{}
	case "linear":
		k = Linear{}
	case "constant":
		k = Constant{}
	case "polynomial":
		k = Polynomial{Degree: e.Degree, Scale: e.Scale, Offset: e.Offset}
		e.Degree, e.Scale, e.Offset = 0, 0, 0
	case "sigmoid":
		k = Sigmoid{Scale: e.Scale, Offset: e.Offset}
		e.Scale, e.Offset = 0, 0
	case "precomputed":
		k, err = e.precomputed()
		e.Matrix = nil
	}
	return k, err
}

// around takes a kernel with one inside.
func (e *envelope) around(depth int) (Kernel, error) {
	if e.Base == nil {
		return nil, errors.New("no base kernel")
	}
	base, err := unmarshal(e.Base, depth-1)
	if err != nil {
		return nil, err
	}
	e.Base = nil
	switch e.Type {
	case "scaled":
		k := Scaled{Weight: e.Weight, Base: base}
		e.Weight = 0
		return k, nil
	case "normalised":
		return Normalised{Base: base}, nil
	}
	k := Columns{Base: base, Columns: e.Columns, Names: e.Names}
	e.Columns, e.Names = nil, nil
	return k, nil
}

// combined takes a sum or product.
func (e *envelope) combined(depth int) (Kernel, error) {
	var terms []Kernel
	for _, t := range e.Terms {
		term, err := unmarshal(t, depth-1)
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
	}
	e.Terms = nil
	if e.Type == "product" {
		return Product{Terms: terms}, nil
	}
	return Sum{Terms: terms}, nil
}

// take reads and removes a field.
func take(field *json.RawMessage, to any) error {
	b := *field
	*field = nil
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, to)
}

// fitted is the kernel of a fitted map, which may be absent.
func fitted[T any, P interface {
	*T
	Fitted
}](e *envelope, of func(Fitted) Kernel) (Kernel, error) {
	var fit P
	if err := take(&e.Fit, &fit); err != nil || fit == nil {
		return of(nil), err
	}
	return of(fit), nil
}

func (e *envelope) precomputed() (Precomputed, error) {
	n := len(e.Matrix)
	if n == 0 {
		return Precomputed{}, nil
	}
	k := mat.NewDense(n, n, nil)
	for i, r := range e.Matrix {
		if len(r) != n {
			return Precomputed{}, fmt.Errorf("row %d of the matrix has %d values, expected %d", i, len(r), n)
		}
		k.SetRow(i, r)
	}
	return Precomputed{K: k}, nil
}
