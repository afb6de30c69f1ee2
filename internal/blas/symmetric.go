package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Problem   y = A x for one symmetric matrix after another, each a little smaller: the part of the
//           tridiagonalisation that memory binds.
// Method    Only the lower triangle is read, once: four rows at a time give four sums and their share of y to the
//           columns. Rows are cut into slabs of equal area, each with a y of its own, which are added in
//           order: the bits do not depend on who computes a slab.
// Cost      2n^2 flops, n^2/2 numbers read.

const (
	slabArea  = 1 << 15 // entries of a slab, a quarter of a megabyte
	mostSlabs = 16      // the slabs of large matrices are larger
)

// symmetricProduct has the memory of products.
type symmetricProduct struct {
	g      *engine
	team   *team
	a      blas64.General
	x      []float64
	sums   []float64 // a row of stride numbers for each slab
	stride int
	bounds [mostSlabs + 1]int
	slab   func(s int) // computeSlab
}

// slabsOf is the number of slabs of a matrix of order n.
func slabsOf(n int) int { return max(1, min(mostSlabs, n*n/2/slabArea&^1)) }

// prepare makes room for matrices of order n.
func (p *symmetricProduct) prepare(g *engine, team *team, n int) {
	p.g, p.team, p.stride = g, team, n
	p.sums = make([]float64, slabsOf(n)*n)
	p.slab = p.computeSlab
}

// multiply stores A x in y.
func (p *symmetricProduct) multiply(a blas64.General, x, y []float64) {
	n := a.Rows
	p.a, p.x = a, x
	slabs := slabsOf(n)
	for s := range slabs {
		p.bounds[s+1] = int(float64(n)*math.Sqrt(float64(s+1)/float64(slabs))) &^ 7
	}
	p.bounds[slabs] = n
	p.team.run(slabs, p.slab)
	last := slabs - 1
	copy(y, p.sums[last*p.stride:last*p.stride+n])
	for s := range last {
		p.g.rowSub(y[:p.bounds[s+1]], p.sums[s*p.stride:], 0, []float64{-1}, 0, 1)
	}
}

// computeSlab computes what the rows of slab s give.
func (p *symmetricProduct) computeSlab(s int) {
	from, to := p.bounds[s], p.bounds[s+1]
	y := p.sums[s*p.stride : s*p.stride+to]
	clear(y)
	r := from
	for ; r+4 <= to; r += 4 {
		p.fourRows(r, y)
	}
	for ; r < to; r++ {
		row, x := p.a.Data[r*p.a.Stride:r*p.a.Stride+r+1], p.x[:r+1]
		xr, sum := x[r], 0.0
		for j, v := range row[:r] {
			sum += v * x[j]
			y[j] += v * xr
		}
		y[r] += sum + row[r]*xr
	}
}

// fourRows does rows r to r+3, r a multiple of 4.
func (p *symmetricProduct) fourRows(r int, y []float64) {
	ld := p.a.Stride
	x := p.x[:r+4]
	var sum [4]float64
	if r > 0 {
		if p.g.plain || !hasKernels {
			for q := range 4 {
				row, xq, s := p.a.Data[(r+q)*ld:(r+q)*ld+r], x[r+q], 0.0
				for j, v := range row {
					s += v * x[j]
					y[j] += v * xq
				}
				sum[q] = s
			}
		} else {
			symv4(&p.a.Data[r*ld], ld, r, &x[0], &y[0], &x[r], &sum[0])
		}
	}
	for q := range 4 {
		row := p.a.Data[(r+q)*ld+r : (r+q)*ld+r+q+1]
		xq, s := x[r+q], sum[q]
		for t, v := range row[:q] {
			s += v * x[r+t]
			y[r+t] += v * xq
		}
		y[r+q] += s + row[q]*xq
	}
}
