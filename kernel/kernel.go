// Package kernel holds positive definite kernels as values. A kernel is a
// recipe; binding it to rows makes a Gram object, which computes blocks of the
// Gram matrix, crosses with new rows, pulls a cotangent back to the kernel's
// parameters and says what a fitted model has to store.
//
// A new kernel is a file here and a line of table.go, tested by package kerneltest.
package kernel

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Kernel is a recipe for k(x, z): a plain struct that prints, compares and
// serialises. The zero value of a parameter means "take it from the data", see
// Adapt.
type Kernel interface {
	// Space lists the parameters; Default is the present value, the bounds are
	// those a search should respect.
	Space() param.Space
	// With returns the kernel with its parameters replaced, in the order of
	// Space. Values that make no kernel are an error that names them.
	With(theta []float64) (Kernel, error)
	// Adapt returns the kernel with every zero parameter replaced by a default
	// computed from the features of the rows (labels play no part).
	Adapt(rows data.Rows) Kernel
	// Bind joins the kernel with training rows. Work may be nil; given, it
	// carries what bindings to the same rows share, such as distances.
	Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error)
}

// Gram is a kernel bound to n training rows. Its methods may be called
// concurrently. Index lists number the training rows; nil means all of them.
type Gram interface {
	// Len is the number n of training rows.
	Len() int
	// Block stores K[i,j] in dst, which is |i| x |j|.
	Block(dst *mat.Dense, i, j []int)
	// Cross stores k(x, train[j]) in dst, one row a row of x.
	Cross(dst *mat.Dense, x data.Rows, j []int) error
	// Pull adds to grad, for each parameter k of the kernel's Space,
	// sum_ij bar_ij dK_ij/dtheta_k: all parameters in one pass.
	Pull(grad []float64, bar Cotangent) error
	// Expand writes f = sum_j k~(., train[j]) alpha_j, alpha |j| x c, as a sum
	// of plain kernel expansions, the form that a model stores.
	Expand(alpha *mat.Dense, j []int) ([]Expansion, error)
}

// Cotangent is dJ/dK on rows I and columns J of the Gram matrix (nil = all):
// U V' + D with U |I| x r, V |J| x r, D |I| x |J|; either part may be nil. It is
// read by blocks, so the n x n sum is never formed.
type Cotangent struct {
	I, J []int
	U, V *mat.Dense
	D    *mat.Dense
}

// Expansion is f(x) = sum_j k(x, Centres[j]) Coef[j,:].
type Expansion struct {
	Kernel  Kernel
	Centres data.Rows
	Coef    *mat.Dense
}

// Work keeps what bindings to the same rows share: distances, inner products
// (n x n tables, for at most 16384 rows), neighbour lists. It is for one
// data.Rows only and safe for concurrent use. The zero value is ready; a nil
// Work shares nothing.
type Work struct {
	mu     sync.Mutex
	values map[string]*shared
	free   []*mat.Dense // given back by Return

	root   *Work // where a scope keeps its values
	prefix string
}

// shared is one value of a Work; its lock makes others wait for that value only,
// so making one value may ask for another.
type shared struct {
	mu    sync.Mutex
	made  bool
	value any
}

// Shared returns the value kept under key, making it at the first call. Values
// are read-only once made. With a nil Work every call makes a new one.
func Shared[T any](w *Work, key string, make func() (T, error)) (T, error) {
	if w == nil {
		return make()
	}
	if w.root != nil {
		return Shared(w.root, w.prefix+key, make)
	}
	w.mu.Lock()
	s, ok := w.values[key]
	if !ok {
		if w.values == nil {
			w.values = map[string]*shared{}
		}
		s = new(shared)
		w.values[key] = s
	}
	w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made {
		return s.value.(T), nil
	}
	v, err := make()
	if err == nil {
		s.made, s.value = true, v
	}
	return v, err
}

// Borrow returns an r x c matrix of arbitrary content: one that was given back
// by Return if its size fits, else a new one. With a nil Work it is always new.
func (w *Work) Borrow(r, c int) *mat.Dense {
	if w == nil {
		return mat.NewDense(r, c, nil)
	}
	if w.root != nil {
		w = w.root
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.free {
		if mr, mc := m.Dims(); mr == r && mc == c {
			w.free = append(w.free[:i], w.free[i+1:]...)
			return m
		}
	}
	return mat.NewDense(r, c, nil)
}

// Return gives a borrowed matrix back; it must not be used afterwards. With a nil
// Work it does nothing.
func (w *Work) Return(m *mat.Dense) {
	if w == nil || m == nil {
		return
	}
	if w.root != nil {
		w = w.root
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, m)
}

// Scope returns a Work for rows derived from w's, such as a choice of columns:
// its tables are kept in w under a prefix. The scope of nil is nil.
func (w *Work) Scope(prefix string) *Work {
	if w == nil {
		return nil
	}
	root := w
	if w.root != nil {
		root = w.root
	}
	return &Work{root: root, prefix: w.prefix + prefix}
}
