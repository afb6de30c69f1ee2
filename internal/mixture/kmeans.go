package mixture

// K-means: minimise sum_i |x_i - c_{a(i)}|^2 over centres c and assignments a, by
// Lloyd's iteration from k-means++ starts (Arthur and Vassilvitskii, SODA 2007:
// each next centre a row drawn with probability proportional to its squared
// distance from those drawn), the best of several starts. A centre that loses its
// rows moves to the row farthest from its own. Ties: lower centre, earlier
// start. Cost: n m k flops an iteration, at most 300 a start.

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const lloydLimit = 300

// KMeans returns the centres (k x m), the centre of every row and the objective.
func KMeans(ctx context.Context, x *mat.Dense, k, starts int, seed uint64) (*mat.Dense, []int, float64, error) {
	n, m := x.Dims()
	best := math.Inf(1)
	var centres *mat.Dense
	of := make([]int, n)
	at, dist := make([]int, n), make([]float64, n)
	for start := range starts {
		rng := rand.New(rand.NewPCG(seed, uint64(start)))
		c := plusPlus(x, k, dist, rng)
		value := math.Inf(1)
		for range lloydLimit {
			if err := ctx.Err(); err != nil {
				return nil, nil, 0, err
			}
			Nearest(x, c, at, dist)
			now := floats.Sum(dist)
			if !(now < value) {
				break
			}
			value = now
			update(x, c, at, dist)
		}
		if Nearest(x, c, at, dist); floats.Sum(dist) < best {
			best = floats.Sum(dist)
			centres = mat.NewDense(k, m, nil)
			centres.Copy(c)
			copy(of, at)
		}
	}
	return centres, of, best, nil
}

// plusPlus draws k rows as centres.
func plusPlus(x *mat.Dense, k int, dist []float64, rng *rand.Rand) *mat.Dense {
	n, m := x.Dims()
	c := mat.NewDense(k, m, nil)
	c.SetRow(0, x.RawRowView(rng.IntN(n)))
	for i := range dist {
		dist[i] = vec.SquaredDistance(x.RawRowView(i), c.RawRowView(0))
	}
	for j := 1; j < k; j++ {
		at := rng.Float64() * floats.Sum(dist)
		chosen := n - 1
		for i, d := range dist {
			if at -= d; at < 0 {
				chosen = i
				break
			}
		}
		c.SetRow(j, x.RawRowView(chosen))
		for i := range dist {
			dist[i] = min(dist[i], vec.SquaredDistance(x.RawRowView(i), c.RawRowView(j)))
		}
	}
	return c
}

// pieceRows are worth a goroutine.
const pieceRows = 2048 // no result depends on it

// Nearest sets the nearest centre of every row and its squared distance.
func Nearest(x, c *mat.Dense, at []int, dist []float64) {
	k, _ := c.Dims()
	parallel.Pieces(len(at), pieceRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at[i], dist[i] = 0, math.Inf(1)
			for j := range k {
				if d := vec.SquaredDistance(x.RawRowView(i), c.RawRowView(j)); d < dist[i] {
					at[i], dist[i] = j, d
				}
			}
		}
	})
}

// update moves the centres to the means of their rows.
func update(x, c *mat.Dense, at []int, dist []float64) {
	k, _ := c.Dims()
	c.Zero()
	count := make([]float64, k)
	for i, j := range at {
		row := c.RawRowView(j)
		for q, v := range x.RawRowView(i) {
			row[q] += v
		}
		count[j]++
	}
	for j, v := range count {
		row := c.RawRowView(j)
		if v == 0 {
			far := 0
			for i, d := range dist {
				if d > dist[far] {
					far = i
				}
			}
			dist[far] = 0 // the next such centre takes another row
			copy(row, x.RawRowView(far))
			continue
		}
		for q := range row {
			row[q] /= v
		}
	}
}
