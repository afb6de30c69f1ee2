package reproduce

// Bags of visual words of square grey pictures, the features of Klatzer 2014, chapter 6:
//
//	descriptor  of a patch of 4 x 4 cells: in every cell the lengths of the gradients by eight directions,
//	            each shared by the two nearest; length one, no entry above 0.2, length one again (Lowe,
//	            Distinctive image features from scale-invariant keypoints, 2004)
//	where       everywhere: patches of three sizes on a grid (dense descriptors at several scales)
//	words       k-means centres of descriptors of the pictures to tune on (kernel.Centres)
//	histogram   of the nearest words in each of 2 x 2 and of 4 x 4 parts of the picture (Lazebnik, Schmid and
//	            Ponce, Beyond bags of features, 2006), both of sum 1/2
//
// Cost: for p patches a picture 2 p w d flops of w words of d = 128 numbers.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/kernel"
)

const (
	patchCells      = 4 // along a side of a patch
	patchDirections = 8
	patchNumbers    = patchCells * patchCells * patchDirections
	patchClip       = 0.2 // of a descriptor of length one: Lowe's
	// patchSteps is the number of steps of the grid of patches along a side of a picture: two pixels of 28 and 32,
	// one of 16.
	patchSteps = 14
	// patchContrast is the mean length of a patch's gradients, as a part of the largest grey value of the picture,
	// below which the patch is flat: its descriptor is zero, as that of a patch of one grey.
	patchContrast = 0.005
	// wordSample is the number of descriptors of which words are made, fifty a word of four hundred.
	wordSample = 20000
)

// cellSizes are the pixels of a side of a cell; patches are of 8, 12 and 16 pixels.
var cellSizes = [...]int{2, 3, 4}

// wordParts are the parts of a picture along a side, each level a histogram.
var wordParts = [...]int{2, 4}

// patch is a square of cells by its upper left corner; cell is the pixels of a side of a cell.
type patch struct{ x, y, cell int }

// patchesOf lists the patches of a square picture.
func patchesOf(side int) []patch {
	var list []patch
	step := max(1, side/patchSteps)
	for _, cell := range cellSizes {
		for y := 0; y+patchCells*cell <= side; y += step {
			for x := 0; x+patchCells*cell <= side; x += step {
				list = append(list, patch{x, y, cell})
			}
		}
	}
	return list
}

// gradients are the sums of the lengths of gradients, by direction, over all pixels above and to the left.
type gradients struct {
	side  int
	sum   []float64 // (side + 1) x (side + 1) x patchDirections
	white float64   // the largest grey value
}

// look takes the gradients of a picture, whose rows follow one another, by central differences.
func (g *gradients) look(grey []float64) {
	n := g.side
	at := func(x, y int) float64 { return grey[min(max(y, 0), n-1)*n+min(max(x, 0), n-1)] }
	if g.sum == nil {
		g.sum = make([]float64, (n+1)*(n+1)*patchDirections)
	}
	g.white = 0
	for y := range n {
		var row [patchDirections]float64 // of this row so far
		for x := range n {
			g.white = max(g.white, at(x, y))
			dx, dy := (at(x+1, y)-at(x-1, y))/2, (at(x, y+1)-at(x, y-1))/2
			turn := patchDirections * (math.Atan2(dy, dx)/(2*math.Pi) + 1)
			first, share := math.Modf(turn)
			length := math.Hypot(dx, dy)
			row[int(first)%patchDirections] += (1 - share) * length
			row[int(first+1)%patchDirections] += share * length
			to, above := g.corner(x+1, y+1), g.corner(x+1, y)
			for d, v := range row {
				to[d] = above[d] + v
			}
		}
	}
}

func (g *gradients) corner(x, y int) []float64 {
	i := (y*(g.side+1) + x) * patchDirections
	return g.sum[i : i+patchDirections]
}

// describe stores the descriptor of a patch.
func (g *gradients) describe(to []float64, p patch) {
	sum := 0.0
	for cy := range patchCells {
		for cx := range patchCells {
			x, y := p.x+cx*p.cell, p.y+cy*p.cell
			a, b := g.corner(x, y), g.corner(x+p.cell, y)
			c, d := g.corner(x, y+p.cell), g.corner(x+p.cell, y+p.cell)
			own := to[(cy*patchCells+cx)*patchDirections:]
			for k := range patchDirections {
				own[k] = max(0, d[k]-b[k]-c[k]+a[k])
				sum += own[k]
			}
		}
	}
	pixels := float64(patchCells * patchCells * p.cell * p.cell)
	if !(sum > patchContrast*g.white*pixels) {
		clear(to)
		return
	}
	unitLength(to)
	for k, v := range to {
		to[k] = min(v, patchClip)
	}
	unitLength(to)
}

// unitLength divides numbers, not all zero, by their length.
func unitLength(v []float64) {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	s = math.Sqrt(s)
	for k := range v {
		v[k] /= s
	}
}

// visualWords returns the histograms of the pictures in the rows of x, whose words are of the first `tune` of them.
func visualWords(ctx context.Context, x *mat.Dense, tune, words int, rng *rand.Rand) (data.Rows, error) {
	n, d := x.Dims()
	side := int(math.Round(math.Sqrt(float64(d))))
	if side*side != d {
		return data.Rows{}, fmt.Errorf("pictures of %d pixels are not square", d)
	}
	patches, g := patchesOf(side), &gradients{side: side}
	some := min(len(patches), (wordSample+tune-1)/tune) // of a picture
	sample := mat.NewDense(tune*some, patchNumbers, nil)
	for i := range tune {
		g.look(x.RawRowView(i))
		for q, p := range rng.Perm(len(patches))[:some] {
			g.describe(sample.RawRowView(i*some+q), patches[p])
		}
	}
	centres, err := kernel.Centres(ctx, data.Rows{Dense: sample}, words, rng.Uint64())
	if err != nil {
		return data.Rows{}, err
	}
	b := newBags(side, patches, centres)
	rows := mat.NewDense(n, b.columns(), nil)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return data.Rows{}, err
		}
		g.look(x.RawRowView(i))
		for q, p := range patches {
			g.describe(b.found.RawRowView(q), p)
		}
		b.count(rows.RawRowView(i))
	}
	return data.Rows{Sparse: data.CSRFromDense(rows)}, nil
}

// bags counts words.
type bags struct {
	side    int
	patches []patch
	words   *mat.Dense
	half    []float64  // of the squared lengths of the words
	found   *mat.Dense // descriptors of a picture
	inner   *mat.Dense // their products with the words
}

func newBags(side int, patches []patch, words *mat.Dense) *bags {
	w, _ := words.Dims()
	b := &bags{side: side, patches: patches, words: words, half: make([]float64, w),
		found: mat.NewDense(len(patches), patchNumbers, nil), inner: mat.NewDense(len(patches), w, nil)}
	for k := range w {
		for _, v := range words.RawRowView(k) {
			b.half[k] += v * v / 2
		}
	}
	return b
}

func (b *bags) columns() int {
	parts := 0
	for _, p := range wordParts {
		parts += p * p
	}
	return parts * len(b.half)
}

// count adds the histogram of the descriptors found to zeros. A patch is in the part that has its centre.
func (b *bags) count(to []float64) {
	blas.Gemm(1, blas.N(b.found), blas.T(b.words), 0, b.inner)
	each := 1 / float64(len(wordParts)*len(b.patches))
	for q, p := range b.patches {
		word, most := 0, math.Inf(-1)
		for k, v := range b.inner.RawRowView(q) {
			if v -= b.half[k]; v > most {
				word, most = k, v
			}
		}
		x, y := p.x+patchCells*p.cell/2, p.y+patchCells*p.cell/2
		before := 0
		for _, parts := range wordParts {
			part := (y*parts/b.side)*parts + x*parts/b.side
			to[(before+part)*len(b.half)+word] += each
			before += parts * parts
		}
	}
}
