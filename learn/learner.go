package learn

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// Learner is a family of machines on a Gram matrix: a loss, its solver and the
// hyper-parameters of its own, such as C. A recipe: a plain struct.
type Learner interface {
	// Space lists the learner's own hyper-parameters for a Gram matrix whose
	// labelled block has mean diagonal `diagonal` and targets of spread `spread`
	// (standard deviation; 1 for classes), which set their ranges and defaults.
	Space(diagonal, spread float64) param.Space
	// Bind prepares many trainings on the labelled rows of a bound kernel: what
	// they share (blocks of the matrix, kernel rows) is kept in the Trainer.
	Bind(ctx context.Context, g kernel.Gram, p *Problem) (Trainer, error)
}

// Trainer trains machines on labelled rows of one bound kernel. Its methods may be
// called concurrently.
type Trainer interface {
	// Train fits the labelled rows numbered by `rows` among the labelled (nil:
	// all) with the hyper-parameters theta. warm, if not nil, is a machine of
	// nearby parameters on the same rows to start from.
	Train(ctx context.Context, rows []int, theta []float64, warm *Machine) (*Machine, error)
}

// Anytime is a Learner whose trainers give, where their context ends, the best machine that they know, with what ended
// them in its certificate, and an error only where they know none: what is left of the time buys a better machine, and
// not the machine.
type Anytime interface {
	Learner
	// Anytime does nothing.
	Anytime()
}

// Machine is f(x) = sum_j k(x, row Rows[j]) Coef[j,:] + Offset.
type Machine struct {
	Rows        []int      // rows of the problem
	Coef        *mat.Dense // |Rows| x c; nil where Rows is empty
	Offset      []float64  // c values, or nil
	Fitted      *mat.Dense // |rows trained on| x c: the outputs there, where the solver has them; else nil
	Certificate Certificate
}

// Certificate says how exactly a machine solves its problem. What does not apply
// is zero.
type Certificate struct {
	Objective float64 // of the primal problem, summed over outputs
	Dual      float64 // of solvers of the dual its objective with LIBSVM's sign, summed over outputs
	Residual  float64 // largest violation of the optimality conditions, in their own units
	Gap       float64 // relative duality gap, the largest of all outputs
	Steps     int     // of the solver, summed over outputs
	Limited   string  // the limit that ended a solver early; "" if none did
	// Least is the smallest eigenvalue of an indefinite kernel on the rows trained on: the
	// machine is then a stationary point of its problem, not known to be the best one, and
	// there is no Gap.
	Least float64
}

// Indefinite says in a sentence that the kernel is indefinite, "" if it is not.
func (c Certificate) Indefinite() string {
	if c.Least == 0 {
		return ""
	}
	return fmt.Sprintf(
		"the kernel is indefinite: its smallest eigenvalue on the rows trained on is %.3g, so the machine satisfies the optimality "+
			"conditions "+
			"but need not be the best; choose a positive definite kernel, such as gaussian, unless this one is meant",
		c.Least,
	)
}

// Join adds the certificate of one more output.
func (c *Certificate) Join(d Certificate) {
	c.Objective += d.Objective
	c.Dual += d.Dual
	c.Residual = max(c.Residual, d.Residual)
	c.Gap = max(c.Gap, d.Gap)
	c.Steps += d.Steps
	c.Least = min(c.Least, d.Least)
	if c.Limited == "" {
		c.Limited = d.Limited
	}
}

// panel is the number of rows whose kernel values are in memory at once.
const panel = 512

// manyValues is the number of kernel values from which Evaluate takes them in single
// precision: 16 million, which take seconds in double.
const manyValues = 1 << 24

// Evaluate stores the machine's outputs on the rows idx (nil: all) of the bound
// kernel in dst (|idx| x c), by panels of rows. Cost: |idx| |Rows| kernel values, of a kernel with features two products with these;
// many of them (manyValues) have single precision, their sums double. The error is that of the context.
func (m *Machine) Evaluate(ctx context.Context, dst *mat.Dense, g kernel.Gram, idx []int) error {
	g = kernel.Within(ctx, g)
	// A warped kernel has no rows at hand, but all values of an expansion.
	if v, ok := g.(interface {
		Values(dst, alpha *mat.Dense, j []int)
	}); ok && idx == nil && len(m.Rows) > 0 {
		v.Values(dst, m.Coef, m.Rows)
		m.shift(dst)
		return ctx.Err()
	}
	if x, ok := kernel.Features(g); ok && len(m.Rows) > 0 {
		kernel.MulFeatures(dst, x, idx, m.Rows, m.Coef)
		m.shift(dst)
		return ctx.Err()
	}
	if n, _ := dst.Dims(); n*len(m.Rows) >= manyValues {
		err := kernel.MulSingle(ctx, dst, kernel.NewSingle(g), idx, m.Rows, m.Coef)
		m.shift(dst)
		return err
	}
	return m.evaluate(ctx, dst, func(k *mat.Dense, lo, hi int) error {
		if idx == nil {
			g.Block(k, numbers(lo, hi), m.Rows)
		} else {
			g.Block(k, idx[lo:hi], m.Rows)
		}
		return nil
	})
}

// Predict stores the machine's outputs on new rows in dst (x.Len() x c).
func (m *Machine) Predict(ctx context.Context, dst *mat.Dense, g kernel.Gram, x data.Rows) error {
	g = kernel.Within(ctx, g)
	return m.evaluate(ctx, dst, func(k *mat.Dense, lo, hi int) error {
		return g.Cross(k, x.Select(numbers(lo, hi)), m.Rows)
	})
}

func (m *Machine) evaluate(ctx context.Context, dst *mat.Dense, kernel func(k *mat.Dense, lo, hi int) error) error {
	n, c := dst.Dims()
	dst.Zero()
	if len(m.Rows) > 0 {
		k := mat.NewDense(min(n, panel), len(m.Rows), nil)
		for lo := 0; lo < n; lo += panel {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+panel, n)
			part := k.Slice(0, hi-lo, 0, len(m.Rows)).(*mat.Dense)
			if err := kernel(part, lo, hi); err != nil {
				return err
			}
			blas.Gemm(1, blas.N(part), blas.N(m.Coef), 0, dst.Slice(lo, hi, 0, c).(*mat.Dense))
		}
	}
	m.shift(dst)
	return ctx.Err() // which ends blocks of a view without an error
}

// shift adds the offset to every row.
func (m *Machine) shift(dst *mat.Dense) {
	if m.Offset == nil {
		return
	}
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		for j, b := range m.Offset {
			row[j] += b
		}
	}
}

func numbers(lo, hi int) []int {
	list := make([]int, hi-lo)
	for i := range list {
		list[i] = lo + i
	}
	return list
}

// Strength is the parameter C of machines that minimise 1/2 ||f||^2 + C sum loss:
// in [1e-2, 1e4] over the mean diagonal of the Gram matrix, default 1 over it, as SVMlight has
// it: k and a k, with C and C/a, make the same machines, so a search of one is that of the
// other. For a kernel of scale one that is LIBSVM's default. Of a loss in units of the targets, as the absolute one is, C has these
// units: its diagonal is that over their spread.
func Strength(diagonal float64) param.Dim {
	return param.Dim{Name: "C", Kind: param.Log, Lo: 1e-2 / diagonal, Hi: 1e4 / diagonal, Default: 1 / diagonal}
}

// Tube is the parameter epsilon of losses that let small errors pass: in [1e-3, 1]
// of the targets' spread, default 0.1 of it; a positive value fixes it.
func Tube(value, spread float64) param.Dim {
	d := param.Dim{Name: "epsilon", Kind: param.Log, Lo: 1e-3 * spread, Hi: spread, Default: 0.1 * spread}
	if value > 0 {
		d.Default, d.Fixed = value, true
	}
	return d
}
