package solve

// Problem   min over alpha of |y - H alpha|^2 + lambda |alpha|_1 for every lambda at
//           once; H is n x m, its columns h_j are taken as they are: the caller
//           centres them, nobody rescales them. No factor 1/2 and no 1/n, so that
//           lambda = 2 C with C = max_j |h_j'r|, r = y - H alpha, and along the path
//           d SSE / d |alpha|_1 = -lambda. scikit-learn's alpha is lambda/(2n).
// Method    LARS with drops (homotopy). On a segment the active set A and its signs s
//           stay; alpha_A moves along d = (H_A'H_A)^-1 s, which lowers all active
//           |h_j'r| at unit rate, for the smallest g among
//             C - C_end                           the end of the path,
//             (C -+ c_j)/(1 -+ v_j), j not in A   j enters, v = H'H_A d,
//             -alpha_j/d_j > 0, j in A            j leaves.
// Departures from the textbook algorithm, all for accuracy:
//           c = H'r and r are computed anew at each knot; where c_A - C s or v_A - s
//           exceed rounding, alpha or d is refined, so that errors neither stay nor
//           add up;
//           the Cholesky diagonal of an entering column is its distance from the span
//           of the active ones, computed from the vector itself where the difference
//           of squares has cancelled; a column nearer than 1e-7 of its own length is
//           set aside until the active set shrinks; a column that has left, at the
//           bound on its way inside, is not taken for one that arrives.
// Cost      a step: two products H'x of n m multiplications in one pass over H, some
//           5 n|A| + 3 |A|^2. Memory: H once more (n m numbers, in tiles), n|A| + |A|^2.
//           For an H that no cache holds see lars_gram.go, for more than Working columns
//           lars_screen.go.
// Source    Osborne, Presnell and Turlach, IMA J. Numer. Anal. 20 (2000); Efron et al.,
//           Annals of Statistics 32 (2004), section 3.1.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/mat"
)

// Columns are the m columns of a matrix, of n values each, read by blocks. They may
// be stored or computed when asked for. Block may be called concurrently, with
// different buffers.
type Columns interface {
	Dims() (n, m int)
	// Block returns columns lo to hi-1 as the rows of a (hi-lo) x n matrix: a view
	// that is only read, or buf (at least that large) filled.
	Block(lo, hi int, buf *mat.Dense) *mat.Dense
}

// StoredColumns are columns held as the rows of an m x n matrix.
type StoredColumns struct{ T *mat.Dense }

// Dims returns the length of a column and their number.
func (c StoredColumns) Dims() (n, m int) {
	m, n = c.T.Dims()
	return n, m
}

// Block returns a view.
func (c StoredColumns) Block(lo, hi int, _ *mat.Dense) *mat.Dense {
	_, n := c.T.Dims()
	return c.T.Slice(lo, hi, 0, n).(*mat.Dense)
}

// LassoOptions bounds the path. The zero value follows it to the end.
type LassoOptions struct {
	MaxL1    float64 // stop where |alpha|_1 reaches this: the last segment is shortened; 0 = no limit
	MinSSE   float64 // stop at the first knot whose SSE is at most this
	MinShare float64 // stop at this share of the greatest lambda; default 1e-10
	MaxSteps int     // positive steps; default 8 min(n, m) + 8
	Working  int     // columns above which a working set is followed instead of all; default 4096
	Batch    int     // knots between checks of all columns by a working set; default 64
	Workers  int     // goroutines; default GOMAXPROCS. Results do not depend on it
	// Stop, if not nil, is asked at every knot; true ends the path there. As SSE is
	// convex in |alpha|_1 with slope -lambda, SSE - lambda (t - l1) bounds it from below at t.
	Stop func(l1, sse, lambda float64) bool
}

// LassoEnd says why a path stopped. Its String is the sentence to print.
type LassoEnd int

const (
	// LassoUnfinished means: an error or the context stopped the path.
	LassoUnfinished LassoEnd = iota
	// LassoComplete means: the least lambda asked for is reached.
	LassoComplete
	// LassoL1 means: the limit on |alpha|_1 is reached.
	LassoL1
	// LassoSSE means: the limit on SSE is reached.
	LassoSSE
	// LassoSteps means: the limit on steps is spent.
	LassoSteps
	// LassoStopped means: Stop said so.
	LassoStopped
	// LassoSaturated means: rounding errors allow no further step.
	LassoSaturated
)

// String is the reason in words.
func (e LassoEnd) String() string {
	return [...]string{"unfinished", "complete", "limit of |alpha|_1 reached", "limit of SSE reached",
		"limit of steps spent", "stopped: the rest is of no use", "stopped: no further step at working precision"}[e]
}

// LassoNode is one solution of the path: the exact non-zeros of alpha, increasing.
type LassoNode struct {
	Lambda, L1, SSE float64
	Index           []int32
	Coef            []float64
}

// LassoPath is the path as its knots, |alpha|_1 strictly increasing, SSE and lambda
// not; in between alpha is linear. The first knot is alpha = 0.
type LassoPath struct {
	Nodes []LassoNode
	End   LassoEnd
	Steps int // positive steps, repeated ones of working sets included
	Drops int // columns that left
	// Aside counts columns that were set aside as nearly dependent, each time.
	Aside int
	// Violation is the certificate: the greatest (|h_j'r| - C)/C over all columns and
	// all knots where C was above 1e-9 of its start, active columns by their
	// deviation from s C.
	Violation float64
}

// Lasso follows the path of y on the columns. It panics on a length that does not
// fit; a value that is not finite is an error. With an error of the context the
// knots found so far are returned.
func Lasso(ctx context.Context, x Columns, y []float64, o LassoOptions) (*LassoPath, error) {
	n, m := x.Dims()
	if len(y) != n || m == 0 {
		panic(fmt.Sprintf("solve: %d targets for %d columns of %d values", len(y), m, n))
	}
	for i, v := range y {
		if v-v != 0 {
			return nil, fmt.Errorf("solve: target %d is %g; it must be finite", i, v)
		}
	}
	o.MinShare = cmp.Or(o.MinShare, 1e-10)
	o.MaxSteps = orLimit(o.MaxSteps, 8*min(n, m)+8)
	o.Working = orLimit(o.Working, 4096)
	o.Batch = orLimit(o.Batch, 64)
	o.Workers = orLimit(o.Workers, runtime.GOMAXPROCS(0))
	if o.MaxL1 <= 0 {
		o.MaxL1 = math.Inf(1)
	}
	h := newHomotopy(x, y, o)
	if m > o.Working {
		return h.screened(ctx)
	}
	if n*m >= gramSize {
		h.gram = newLassoGram(h)
	}
	return h.whole(ctx)
}

// whole follows the path of all columns.
func (h *homotopy) whole(ctx context.Context) (*LassoPath, error) {
	o := h.o
	all := make([]int32, h.m)
	for j := range all {
		all[j] = int32(j)
	}
	h.load(all)
	p := &LassoPath{}
	if err := h.start(p); err != nil {
		return nil, err
	}
	for p.End == LassoUnfinished {
		if err := ctx.Err(); err != nil {
			p.Drops, p.Aside, p.Violation = h.drops, h.aside, h.violation
			return p, err
		}
		if p.Steps >= o.MaxSteps {
			p.End = LassoSteps
			break
		}
		p.End = h.advance()
		if h.stalled == 0 {
			p.Steps++
		} else if p.End == LassoUnfinished && h.stuck() {
			p.End = LassoSaturated
		}
		if h.moved {
			p.Nodes = append(p.Nodes, h.node())
			if p.End == LassoUnfinished && o.Stop != nil && o.Stop(h.l1, h.sse, 2*h.bound) {
				p.End = LassoStopped
			}
		}
	}
	h.products(false)
	h.certify()
	p.Drops, p.Aside, p.Violation = h.drops, h.aside, h.violation
	return p, nil
}
