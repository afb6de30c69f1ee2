package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/search/param"
)

// A search may change a positive parameter by this factor either way: a width
// 64 times the median distance is nearly linear, one 64 times less nearly the
// identity.
const reach = 64

// stage says what a kernel is wanted for.
type stage int

const (
	described stage = iota // zeros are left to Adapt
	bound                  // all values must be there
)

// checker is a kernel that has parameters, or terms, that make none.
type checker interface {
	// check reports them. A zero that Adapt replaces is let through where the kernel is only described.
	check(at stage) error
}

// plain says whether k(x, z) is a function of the two rows alone, so that the kernel itself is what a model stores. It is
// false for the kernels of other packages, such as warped ones.
func plain(k Kernel) bool {
	_, _, ours := known(k)
	return ours && !slices.ContainsFunc(parts(k), func(t Kernel) bool { return !plain(t) })
}

func check(k Kernel, at stage) error {
	if k == nil {
		return errors.New("a kernel is missing")
	}
	if own, ours := as[checker](k); ours {
		return own.check(at)
	}
	return nil
}

func ready(ctx context.Context, k Kernel) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := valid(k)
	return err
}

// logDim is a positive parameter with bounds relative to its present value.
func logDim(name string, v float64) param.Dim {
	return param.Dim{Name: name, Kind: param.Log, Lo: v / reach, Hi: v * reach, Default: v}
}

// offsetDim is an additive constant. The inner products beside it are about one
// after Adapt, so constants beyond 8 (8 times the present one) make the kernel
// nearly flat.
func offsetDim(lo, v float64) param.Dim {
	hi := 8 * max(1, math.Abs(v))
	return param.Dim{Name: "offset", Kind: param.Real, Lo: lo * hi, Hi: hi, Default: v}
}

// finite reports a value below lo, infinite or NaN.
func finite(kernel, name string, v, lo float64) error {
	if !(v >= lo) || math.IsInf(v, 0) {
		if math.IsInf(lo, -1) {
			return fmt.Errorf("%s: %s is %g; it must be finite", kernel, name, v)
		}
		return fmt.Errorf("%s: %s is %g; it must be at least %g and finite", kernel, name, v, lo)
	}
	return nil
}

// positive reports a value that is not positive and finite; zero passes as "not
// yet adapted" where the kernel is only described.
func positive(kernel, name string, v float64, at stage) error {
	switch {
	case v == 0 && at == bound:
		return fmt.Errorf("%s: %s is not set; give it or take it from the rows with Adapt", kernel, name)
	case !(v >= 0) || math.IsInf(v, 1):
		return fmt.Errorf("%s: %s is %g; it must be positive and finite", kernel, name, v)
	}
	return nil
}

func checkTheta(k Kernel, theta []float64) {
	if n := len(k.Space()); n != len(theta) {
		panic(fmt.Sprintf("kernel: %d values for %d parameters", len(theta), n))
	}
}

// valid returns the kernel unless a value of it is out of range.
func valid(k Kernel) (Kernel, error) {
	if err := check(k, bound); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	return k, nil
}

// Definite says whether the kernel claims positive semi-definite matrices: all
// but Sigmoid and what is made of it do.
func Definite(k Kernel) bool {
	_, indefinite := as[interface{ indefinite() }](k)
	return !indefinite && !slices.ContainsFunc(parts(k), func(t Kernel) bool { return !Definite(t) })
}
