package kernel

// The choice of landmarks, m of n rows, seeded. (Means of rows: nystrom_centres.go.)
//
//	plus-plus   with probability proportional to the squared distance to the nearest landmark,
//	            D_i = min_z k(x_i,x_i) + k(z,z) - 2 k(x_i,z)     (k-means++)
//	pivoted     with probability proportional to the diagonal of the residual,
//	            D_i = k(x_i,x_i) - |Phi_i|^2                     (pivoted Cholesky, random pivots)
//	uniform     without replacement, each row alike: no kernel value
//
// Sources   Arthur and Vassilvitskii, SODA 2007, for D^2 sampling; Chen, Epperly, Tropp and
//           Webber, arXiv 2207.06503, for random pivots: the expected trace of the
//           residual is near that of the best approximation, where the largest pivot first
//           collects outliers. Both draw one row at a time; here a batch of up to 64 rows is
//           drawn from the same D, so that kernel values come by blocks, and a row of the batch
//           is then kept with probability (its D after the rows before it)/(its D when drawn),
//           which gives the distribution of one at a time (Epperly, Tropp and Webber,
//           arXiv 2410.03969).
// Cost      plus-plus some n m values; pivoted as many and n m^2 flops, memory n m numbers;
//           uniform none.
//
// Landmarks that follow the parameters of the kernel would make a score jump: choose
// them once, for kernel parameters as they are before a search.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// LandmarkChoice is a rule for choosing landmarks.
type LandmarkChoice int

const (
	// Means are means of rows (Centres), which stand outside the problem; Choose, which draws rows, and
	// sparse rows have PlusPlus instead.
	Means LandmarkChoice = iota
	// PlusPlus draws rows far from those drawn before (k-means++).
	PlusPlus
	// Pivoted draws rows that those drawn before explain least (pivoted Cholesky).
	Pivoted
	// Uniform draws rows at random.
	Uniform
)

var landmarkChoices = [...]string{Means: "means", PlusPlus: "plus-plus", Pivoted: "pivoted", Uniform: "uniform"}

// String returns means, plus-plus, pivoted or uniform.
func (c LandmarkChoice) String() string {
	if c < 0 || int(c) >= len(landmarkChoices) {
		return fmt.Sprintf("LandmarkChoice(%d)", int(c))
	}
	return landmarkChoices[c]
}

// MarshalText writes the name.
func (c LandmarkChoice) MarshalText() ([]byte, error) {
	if c < 0 || int(c) >= len(landmarkChoices) {
		return nil, fmt.Errorf("kernel: unknown choice of landmarks %d", int(c))
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads a name that MarshalText wrote.
func (c *LandmarkChoice) UnmarshalText(b []byte) error {
	i := slices.Index(landmarkChoices[:], string(b))
	if i < 0 {
		return fmt.Errorf("kernel: unknown choice of landmarks %q (means, plus-plus, pivoted or uniform)", b)
	}
	*c = LandmarkChoice(i)
	return nil
}

// Landmarks is the recipe of a choice of landmarks.
type Landmarks struct {
	Count  int            `json:"count,omitempty"` // m; 0 means 1000, and never more than n
	Choice LandmarkChoice `json:"choice"`
	Seed   uint64         `json:"seed,omitempty"`
	// Rows, if not nil, are the landmarks, chosen already: nothing else is chosen.
	Rows []int `json:"rows,omitempty"`
}

// defaultLandmarks is m where the recipe says nothing.
const defaultLandmarks = 1000

// Of is the number of landmarks for n rows.
func (l Landmarks) Of(n int) int {
	if l.Rows != nil {
		return len(l.Rows)
	}
	if l.Count == 0 {
		return min(defaultLandmarks, n)
	}
	return min(l.Count, n)
}

// Choose returns the landmarks of a bound kernel in ascending order. The rows of always,
// distinct, are among them, which may make them more than the recipe's number. They are fewer where the rows
// chosen already leave nothing to explain.
func (l Landmarks) Choose(ctx context.Context, g Gram, always []int) ([]int, error) {
	n := g.Len()
	if l.Rows != nil {
		z := slices.Clone(l.Rows)
		slices.Sort(z)
		return z, nil
	}
	if l.Count < 0 {
		return nil, fmt.Errorf("kernel: %d landmarks; give at least 1 (0 for %d)", l.Count, defaultLandmarks)
	}
	if n == 0 {
		return nil, fmt.Errorf("kernel: landmarks among no rows")
	}
	c := &chooser{ctx: ctx, g: g, n: n, m: max(l.Of(n), len(always)), rng: rand.New(rand.NewPCG(l.Seed, 0x1a7d)), is: make([]bool, n)}
	for _, i := range always {
		if i < 0 || i >= n || c.is[i] {
			panic(fmt.Sprintf("kernel: landmark %d of %d rows, or listed twice", i, n))
		}
		c.is[i] = true
	}
	c.z = append(make([]int, 0, c.m), always...)
	var err error
	switch l.Choice {
	case Uniform:
		c.uniform()
	case PlusPlus, Means:
		err = c.plusPlus()
	case Pivoted:
		err = c.pivoted()
	default:
		err = fmt.Errorf("kernel: unknown choice of landmarks %d", int(l.Choice))
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(c.z)
	return c.z, nil
}

// chooser is a choice under way.
type chooser struct {
	ctx  context.Context
	g    Gram
	n, m int
	rng  *rand.Rand
	z    []int
	is   []bool // a landmark already

	d      []float64 // D, zero for landmarks
	sum    []float64 // its running sums
	values *mat.Dense
}

const (
	// landmarkBatch bounds a batch: wide enough for a matrix product. A batch is no more than
	// an eighth of the landmarks so far, so that few of its rows are sent back.
	landmarkBatch = 64
	// explained is the part of the first D below which a row is as good as explained: the
	// square root of rounding errors would be noise.
	explained = 1e-12
)

func (c *chooser) take(i int) {
	c.is[i] = true
	c.z = append(c.z, i)
}

// uniform is the first part of a shuffle of the rows that are no landmarks yet.
func (c *chooser) uniform() {
	rest := make([]int, 0, c.n)
	for i := range c.n {
		if !c.is[i] {
			rest = append(rest, i)
		}
	}
	for q := 0; len(c.z) < c.m; q++ {
		p := q + c.rng.IntN(len(rest)-q)
		rest[q], rest[p] = rest[p], rest[q]
		c.z = append(c.z, rest[q])
	}
}

// batch draws rows for D, at most landmarkBatch, which may repeat; none when all D are 0. Sums that overflow are an error.
func (c *chooser) batch() ([]int, error) {
	var total float64
	for i, v := range c.d {
		total += v
		c.sum[i] = total
		if math.IsInf(total, 0) || math.IsNaN(total) {
			return nil, fmt.Errorf("kernel: the squared distances of row %d are beyond the largest number; scale the features", i)
		}
	}
	if total == 0 {
		return nil, nil
	}
	drawn := make([]int, min(c.m-len(c.z), landmarkBatch, 1+len(c.z)/8))
	for q := range drawn {
		u := c.rng.Float64() * total
		i := sort.Search(c.n-1, func(i int) bool { return c.sum[i] > u })
		for c.d[i] == 0 && i > 0 { // u rounded up to total
			i--
		}
		drawn[q] = i
	}
	return drawn, nil
}

// block returns the kernel values of all rows and the rows j, in storage that the
// next call uses again.
func (c *chooser) block(j []int) *mat.Dense {
	if c.values == nil {
		c.values = mat.NewDense(c.n, landmarkBatch, nil)
	}
	v := c.values.Slice(0, c.n, 0, len(j)).(*mat.Dense)
	c.g.Block(v, nil, j)
	return v
}

// begin makes D the diagonal and returns it and the size below which D counts as zero.
func (c *chooser) begin() (diag []float64, zero float64) {
	diag = Diagonal(c.g, nil)
	c.d, c.sum = slices.Clone(diag), make([]float64, c.n)
	for _, v := range diag {
		zero = max(zero, explained*min(v, math.MaxFloat64))
	}
	return diag, zero
}

// plusPlus draws by the distance in the feature space of the kernel.
func (c *chooser) plusPlus() error {
	diag, zero := c.begin()
	for i := range c.d {
		c.d[i] = 1 // the first row: each alike
	}
	update := func(j []int, first bool) {
		v := c.block(j)
		parallel.Pieces(c.n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				for q, k := range row(v, i) {
					if d := max(diag[i]+diag[j[q]]-2*k, 0); d < c.d[i] || first && q == 0 {
						c.d[i] = d
					}
				}
				if c.is[i] || c.d[i] <= zero {
					c.d[i] = 0
				}
			}
		})
	}
	for lo := 0; lo < len(c.z); lo += landmarkBatch {
		update(c.z[lo:min(lo+landmarkBatch, len(c.z))], lo == 0)
	}
	for len(c.z) < c.m {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		drawn, err := c.batch()
		if drawn == nil {
			return err
		}
		first := len(c.z) == 0
		within := mat.NewDense(len(drawn), len(drawn), nil)
		c.g.Block(within, drawn, drawn)
		kept := make([]int, 0, len(drawn))
		var places []int
		for q, i := range drawn {
			now := c.d[i]
			for _, p := range places {
				now = min(now, max(diag[i]+diag[drawn[p]]-2*within.At(q, p), 0))
			}
			if !c.is[i] && now > 0 && c.rng.Float64()*c.d[i] < now {
				c.take(i)
				kept, places = append(kept, i), append(places, q)
			}
		}
		if len(kept) > 0 {
			update(kept, first)
		}
	}
	return nil
}

// pivoted is the Cholesky factorisation of K with pivots drawn from the diagonal of what
// is left; F (n x m) is its factor.
func (c *chooser) pivoted() error {
	_, zero := c.begin()
	f := mat.NewDense(c.n, c.m, nil)
	rank := 0
	always := slices.Clone(c.z)
	c.z = c.z[:0]
	for len(c.z) < c.m {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		var drawn []int
		given := len(always) > 0
		if given {
			drawn = always[:min(landmarkBatch, len(always))]
			always = always[len(drawn):]
		} else {
			var err error
			if drawn, err = c.batch(); drawn == nil {
				return err
			}
		}
		// The residual's columns of the batch, K_B - F F_B'.
		g := c.block(drawn)
		if rank > 0 {
			done := f.Slice(0, c.n, 0, rank).(*mat.Dense)
			blas.Gemm(-1, blas.N(done), blas.T(chosen(f, drawn).Slice(0, len(drawn), 0, rank).(*mat.Dense)), 1, g)
		}
		pivots, l := c.accept(g, drawn, zero, given)
		k := len(pivots)
		to := f.Slice(0, c.n, rank, min(rank+max(k, 1), c.m)).(*mat.Dense)
		parallel.Pieces(c.n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				from, x := row(g, i), row(to, i)
				for p := range k {
					v := from[pivots[p]]
					for t := range p {
						v -= l.At(p, t) * x[t]
					}
					x[p] = v / l.At(p, p)
					c.d[i] -= x[p] * x[p]
				}
				if c.is[i] || c.d[i] <= zero {
					c.d[i] = 0
				}
			}
		})
		rank += k
	}
	return nil
}

// accept factors the batch's own block of the residual g, row by row, and takes rows by
// what is left of their D; rows that are given are taken in any case, but are no
// pivots where nothing is left. It returns the pivots' places in the batch and their factor.
func (c *chooser) accept(g *mat.Dense, drawn []int, zero float64, given bool) (pivots []int, l *mat.Dense) {
	b := len(drawn)
	l = mat.NewDense(b, b, nil)
	x := make([]float64, b)
	for q, i := range drawn {
		left := g.At(i, q)
		for p, at := range pivots {
			v := g.At(i, at)
			for t := range p {
				v -= x[t] * l.At(p, t)
			}
			x[p] = v / l.At(p, p)
			left -= x[p] * x[p]
		}
		useful := left > zero
		if !useful {
			c.d[i] = 0
		}
		if given {
			c.take(i)
		} else if useful = useful && !c.is[i] && c.rng.Float64()*c.d[i] < left; useful {
			c.take(i)
		}
		if useful {
			p := len(pivots)
			copy(l.RawRowView(p)[:p], x[:p])
			l.Set(p, p, math.Sqrt(left))
			pivots = append(pivots, q)
		}
	}
	return pivots, l
}
