package dual

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/internal/blas"
)

// One-versus-one machines of C classes are C(C-1)/2 problems on the same rows. With the
// rows in the order of their classes, the kernel matrix falls into blocks K[a,b], and the
// problem of the pair (a, b) has the matrix
//
//	K[a,a]  K[a,b]
//	K[b,a]  K[b,b]
//
// so that C-1 problems share K[a,a], and K[a,b] serves one problem and afterwards the
// outputs of all pairs on all rows. classes computes every block on or above the diagonal
// once, for all problems, all folds and all strengths C: (n^2 + sum_a n_a^2)/2 kernel
// values in single precision. Beyond the limit of the store (see Options.Cache) it keeps
// the diagonal blocks alone, sum_a n_a^2 values, and K[a,b] is computed for its problem and
// again for the outputs.
//
// A problem then reads rows from blocks; only those of variables that move are put
// together, some hundreds. K[b,a] is K[a,b] transposed, once a problem.
type classes struct {
	k     Matrix  // of the labelled rows
	rows  [][]int // of each class, ascending
	place []int   // of a row in its class
	class []int   // of a row
	start []int   // place of each class among all, and their number
	whole bool    // all blocks are kept, else those on the diagonal

	mu       sync.Mutex
	panel    [][]float32 // of class a: K[a, a..], or K[a,a] alone
	diagonal []float64

	pool sync.Pool // *pairRoom
}

// pairRows is the number of rows of a pair up to which its whole matrix is made: that
// of a working set, so that it takes no more memory.
const pairRows = 4096 // no result depends on it

// newClasses returns nil where the blocks do not fit the limit (in bytes), or a pair is
// too large.
func newClasses(k Matrix, class []int, count int, limit int64) *classes {
	c := &classes{k: k, class: class, rows: make([][]int, count), place: make([]int, len(class)), start: make([]int, count+1)}
	for i, a := range class {
		c.place[i] = len(c.rows[a])
		c.rows[a] = append(c.rows[a], i)
	}
	var squares, first, second int64
	for a, r := range c.rows {
		n := int64(len(r))
		c.start[a+1] = c.start[a] + len(r)
		squares += n * n
		first, second = max(first, n), max(second, min(first, n))
	}
	n := int64(len(class))
	c.whole = 4*(n*n+squares)/2 <= limit
	if first+second > pairRows || 4*squares > limit {
		return nil
	}
	return c
}

// sort lists the places of rows of class first, then the others.
func (c *classes) sort(rows []int, first int) []int {
	order := make([]int, 0, len(rows))
	for q, r := range rows {
		if c.class[r] == first {
			order = append(order, q)
		}
	}
	for q, r := range rows {
		if c.class[r] != first {
			order = append(order, q)
		}
	}
	return order
}

// width is the number of columns of the panel of class a.
func (c *classes) width(a int) int {
	if c.whole {
		return c.start[len(c.rows)] - c.start[a]
	}
	return len(c.rows[a])
}

// fill computes the blocks that are not there yet.
func (c *classes) fill(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.diagonal == nil {
		c.diagonal = make([]float64, len(c.class))
		c.k.Diagonal(c.diagonal)
	}
	order := c.order()
	for a := len(c.panel); a < len(c.rows); a++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := c.width(a)
		panel := make([]float32, len(c.rows[a])*w)
		c.k.Block(panel, c.rows[a], order[c.start[a]:c.start[a]+w])
		c.panel = append(c.panel, panel)
	}
	return nil
}

// order lists the rows by classes.
func (c *classes) order() []int {
	order := make([]int, 0, len(c.class))
	for _, r := range c.rows {
		order = append(order, r...)
	}
	return order
}

// block returns K[a,b], a < b, and its stride, computed into room unless it is kept.
func (c *classes) block(a, b int, room *[]float32) (k []float32, stride int) {
	if c.whole {
		return c.panel[a][c.start[b]-c.start[a]:], c.width(a)
	}
	*room = grown(*room, len(c.rows[a])*len(c.rows[b]))
	c.k.Block(*room, c.rows[a], c.rows[b])
	return *room, len(c.rows[b])
}

// grown returns room for n numbers.
func grown(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}

// pairRoom is the memory of one problem.
type pairRoom struct {
	ab, ba []float32
	slabs  [][]float32
}

// slabSize is the number of floats that rows are given memory for at a time: 1 MB.
const slabSize = 1 << 18

// pair is the matrix of the rows of two classes, those of a before those of b.
type pair struct {
	c        *classes
	a, b     int
	list     []int // rows of the matrix
	na       int   // how many are of a
	all      bool  // they are all of both
	ab, ba   []float32
	strideAB int
	room     *pairRoom
	used     int // slabs in use
	left     []float32
	have     [][]float32
}

// newPair returns the matrix of some rows of a and b, in this order. release gives its
// memory back.
func (c *classes) newPair(a, b int, list []int) *pair {
	room, _ := c.pool.Get().(*pairRoom)
	if room == nil {
		room = new(pairRoom)
	}
	p := &pair{c: c, a: a, b: b, list: list, room: room, have: make([][]float32, len(list))}
	for p.na < len(list) && c.class[list[p.na]] == a {
		p.na++
	}
	p.all = len(list) == len(c.rows[a])+len(c.rows[b])
	p.ab, p.strideAB = c.block(a, b, &room.ab)
	room.ba = grown(room.ba, len(c.rows[a])*len(c.rows[b]))
	p.ba = room.ba
	blas.Transpose32(p.ba, p.ab, len(c.rows[a]), len(c.rows[b]), p.strideAB)
	return p
}

func (p *pair) release() { p.c.pool.Put(p.room) }

// Len is the number of rows.
func (p *pair) Len() int { return len(p.list) }

// Diagonal stores K_ii.
func (p *pair) Diagonal(dst []float64) {
	for q, i := range p.list {
		dst[q] = p.c.diagonal[i]
	}
}

// Block stores K[i,j] in dst.
func (p *pair) Block(dst []float32, i, j []int) {
	n, m := len(p.list), len(p.list)
	if i != nil {
		n = len(i)
	}
	if j != nil {
		m = len(j)
	}
	for q := range n {
		row := p.Row(at(i, q))
		for e := range m {
			dst[q*m+e] = row[at(j, e)]
		}
	}
}

// Row returns row i, followed by zeros up to a multiple of 8.
func (p *pair) Row(i int) []float32 {
	if r := p.have[i]; r != nil {
		return r
	}
	c, n := p.c, (len(p.list)+7)&^7
	if len(p.left) < n {
		if p.used == len(p.room.slabs) {
			p.room.slabs = append(p.room.slabs, make([]float32, max(slabSize, pairRows)))
		}
		p.left = p.room.slabs[p.used]
		p.used++
	}
	row := p.left[:n:n]
	p.left = p.left[n:]
	p.have[i] = row
	clear(row[len(p.list):])
	place := c.place[p.list[i]]
	na, nb := len(c.rows[p.a]), len(c.rows[p.b])
	var left, right []float32
	if i < p.na {
		left, right = c.panel[p.a][place*c.width(p.a):][:na], p.ab[place*p.strideAB:][:nb]
	} else {
		left, right = p.ba[place*na:][:na], c.panel[p.b][place*c.width(p.b):][:nb]
	}
	if p.all {
		copy(row, left)
		copy(row[na:], right)
		return row
	}
	for q, r := range p.list[:p.na] {
		row[q] = left[c.place[r]]
	}
	for q, r := range p.list[p.na:] {
		row[p.na+q] = right[c.place[r]]
	}
	return row
}
