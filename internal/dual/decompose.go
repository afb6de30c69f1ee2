package dual

// Decomposition (Osuna, Freund and Girosi 1997) with large working sets W (Wen et al.
// 2018) and second-order steps inside:
//
//	1. scan: F, the extremes and the worst violating variables, O(active)
//	2. W: quota violating variables, then free ones (inside their bounds)
//	3. K[W,W], |W|^2 kernel values; steps on W until its violation is a tenth
//	4. f += K[active, changed] (beta change), |changed| x active kernel values or
//	   stored rows: rows of free variables are kept, as they will change again
//	5. shrink; at the end all f are brought up to date and looked at once more
//
// Kernel values bound the cost: at least support vectors x rows of them are needed to
// know that a solution is one, and a step costs only O(|W|). So sets are large
// (steps then are about as many as LIBSVM's, which chooses from all variables), and
// only rows that changed are computed over all columns. The quota follows what the
// last set made use of: where few of its violating variables moved, as when
// each step of a wide kernel changes all residuals, W is halved, where many did doubled.

import "context"

// decomposition is the state of the method of working sets.
type decomposition struct {
	*solver
	// The active columns (places in rows, ascending), their f, and the place of
	// each row among them, -1 when set aside.
	active []int32
	fa     []float64
	place  []int32
	vars   []int32 // active variables, ascending
	aside  []group // what was set aside, and when

	block   *block[float32]
	set     []int32 // working set, -1 is padding
	in      []int32 // of a variable: its round as a member of a working set
	round   int32
	tops    [4]top    // best of U and of L of each part
	mark    []int32   // of a row: round in which it changed
	change  []float64 // of a row: by how much its coefficient did
	wanted  []bool    // of a row: a variable of it is free
	touched []int32   // rows that changed
	kept    []int32   // of these, those in the store
	passing []int     // kernel rows of the others
	delta   []float64
	ptrs    [][]float32
	stall   int
	renewed int        // how often f was computed anew
	quota   int        // violating variables to take into the next set
	fresh   int        // how many were taken
	first   float64    // violation of the start
	mid     [2]float64 // threshold of each part by which sides are told
}

const (
	// innerRelative is the fraction of its violation down to which a working set is
	// optimised: less would be undone by the next one.
	innerRelative = 0.1
	// firstQuota and leastQuota are the violating variables that the first set takes
	// and every set may take.
	firstQuota, leastQuota = 1024, 64
	// stallLimit is the number of working sets without a step after which nothing is
	// expected of further ones.
	stallLimit = 3
	// refreshLimit is how often f is computed anew because of its drift.
	refreshLimit = 5
)

func (s *solver) decompose(ctx context.Context) error {
	ctxEnd := context.WithoutCancel(ctx)
	d, err := s.newDecomposition(ctxEnd)
	if err != nil {
		return err
	}
	defer d.leave()
	for {
		most, least, bad := d.scan()
		if bad >= 0 {
			return d.fault(bad)
		}
		s.violation = s.measure(most, least)
		if s.sets == 0 {
			d.first = s.violation
		}
		s.report(len(d.vars))
		if d.ended(ctx) {
			if again, err := d.finish(ctxEnd); err != nil || !again {
				return err
			}
			continue
		}
		if !s.o.NoShrink && s.sets > 0 && d.shrink(most, least, shrinkShare) {
			most, least, _ = d.scan()
		}
		if err := d.step(ctx, most, least); err != nil {
			return err
		}
	}
}

// newDecomposition has the residuals of the start and all variables active.
func (s *solver) newDecomposition(ctx context.Context) (*decomposition, error) {
	d := &decomposition{
		solver: s, block: &block[float32]{take: s.o.spare.take, pairwise: s.p.Offset || s.p.Nu},
		in: make([]int32, s.m), mark: make([]int32, s.n), change: make([]float64, s.n), wanted: make([]bool, s.n),
		place: make([]int32, s.n),
	}
	s.f = make([]float64, s.n)
	switch {
	case s.seed != nil:
		for i, r := range s.rows {
			s.f[i] = s.seed.f[r]
		}
	case s.p.Start != nil:
		rows, beta := s.support(func(t int) float64 { return s.beta[t] })
		if err := s.accumulate(ctx, s.f, s.whole(), rows, beta); err != nil {
			return nil, err
		}
	}
	d.block.most = min(d.o.WorkingSet, d.m) + 8*d.parts // padding included
	d.quota = min(firstQuota, d.o.WorkingSet/2)
	d.everything()
	s.store = s.kernelStore()
	return d, nil
}

// leave gives the tables of a decomposition that has ended to the next one. A store that a seed holds stays with it.
func (d *decomposition) leave() {
	to := d.o.spare
	to.give(d.panel)
	to.give(d.block.k)
	d.panel, d.block.k = nil, nil
	if d.seed == nil || d.seed.store != d.store {
		to.give(d.store.buf)
		to.give(d.store.tmp)
		d.store.buf, d.store.tmp = nil, nil
	}
}

// ended says whether the active variables are at their optimum or, with the status that says
// why, no further step is to be made.
func (d *decomposition) ended(ctx context.Context) bool {
	switch {
	case d.violation <= d.o.Tolerance:
		return true
	case ctx.Err() != nil:
		d.status = Cancelled
	case d.iterations >= d.o.MaxIterations:
		d.status = LimitReached
	case d.stall >= stallLimit:
		d.status = Stalled
	}
	return d.status != Unfinished
}

// finish looks at all variables, with residuals that have not drifted. again says that the
// solution is not one yet.
func (d *decomposition) finish(ctx context.Context) (again bool, err error) {
	if len(d.aside) > 0 {
		if again, err := d.unshrink(ctx); again || err != nil {
			return again, err
		}
	}
	copy(d.f, d.fa)
	fresh, err := d.verify(ctx)
	if err != nil {
		return false, err
	}
	if fresh && d.status == Unfinished {
		copy(d.fa, d.f)
		d.violation, _, _ = d.extremes()
		d.renewed++
		switch {
		case d.violation <= d.o.Tolerance:
		case d.renewed < refreshLimit:
			return true, nil
		default:
			d.status = Stalled
		}
	}
	if d.status == Unfinished {
		d.status = Optimal
	}
	return false, nil
}

// unshrink makes all variables active. again says that some of those set aside violate.
func (d *decomposition) unshrink(ctx context.Context) (again bool, err error) {
	if err := d.restore(ctx); err != nil {
		return false, err
	}
	d.everything()
	most, least, bad := d.scan()
	if bad >= 0 {
		return false, d.fault(bad)
	}
	d.violation = d.measure(most, least)
	if !(d.violation > d.o.Tolerance) || d.status != Unfinished {
		return false, nil
	}
	if !d.shrink(most, least, 0) {
		d.store.reset(d.whole(), d.n)
	}
	return true, nil
}

// kernelStore is the seed's store, where it is of the same rows, or a new one.
func (s *solver) kernelStore() *store {
	if s.seed == nil || s.n < s.k.Len() {
		return newStore(s.k, s.rows, s.whole(), s.n, s.o.Cache, s.o.spare)
	}
	if s.seed.store == nil {
		s.seed.store = newStore(s.k, s.rows, s.whole(), s.n, s.o.Cache, s.o.spare)
	}
	return s.seed.store
}

// whole is nil when the rows are all rows of the matrix, else their list.
func (s *solver) whole() []int {
	if s.n == s.k.Len() {
		return nil
	}
	return s.rows
}

// everything makes all variables active; f must be up to date.
func (d *decomposition) everything() {
	d.active, d.vars, d.aside = d.active[:0], d.vars[:0], nil
	for i := range d.n {
		d.active = append(d.active, int32(i))
		d.place[i] = int32(i)
	}
	for t := range d.m {
		d.vars = append(d.vars, int32(t))
	}
	d.fa = append(d.fa[:0], d.f...)
}

// step chooses a working set, optimises it and brings the residuals up to date.
func (d *decomposition) step(ctx context.Context, most, least [2]float64) error {
	for part := range d.parts {
		d.mid[part] = d.middle(most[part], least[part])
	}
	d.choose()
	d.load()
	b := d.block
	limit := min(d.o.MaxIterations-d.iterations, 100*b.n)
	steps, _ := b.run(ctx, d.o.Tolerance/2, innerRelative, limit)
	d.iterations += steps
	d.sets++
	return d.update(ctx)
}

// load fills the block.
func (d *decomposition) load() {
	b := d.block
	b.grow(len(d.set))
	list := d.list[:0]
	for a, t := range d.set {
		if t < 0 {
			list = append(list, list[a-1])
			b.fix(a)
			continue
		}
		c := d.col[t]
		list = append(list, d.rows[c])
		b.beta[a], b.lo[a], b.hi[a], b.diag[a] = d.beta[t], d.lo[t], d.hi[t], d.diag[c]
		b.f[a] = d.h[t] - d.fa[d.place[c]]
		if !d.p.Offset && !d.p.Nu {
			b.diag[a] = max(b.diag[a], tau)
		}
		b.bound(a)
	}
	d.list = list
	d.k.Block(b.k, list, list)
	d.entries += int64(len(b.k))
}

// update takes over the betas of the block and adds what changed to the residuals
// of all active rows. Rows of free variables, which will change again, come from
// the store; those of variables that went to a bound are computed and forgotten.
func (d *decomposition) update(ctx context.Context) error {
	moved := d.takeOver()
	switch {
	case 8*moved < d.fresh:
		d.quota = max(d.quota/2, min(leastQuota, d.o.WorkingSet/2))
	case 3*moved > d.fresh:
		d.quota = min(2*d.quota, d.o.WorkingSet/2)
	}
	if len(d.touched) == 0 {
		d.stall++
		return d.checkBlock()
	}
	d.stall = 0
	d.part()
	if err := d.accumulate(context.WithoutCancel(ctx), d.fa, d.store.cols, d.passing, d.delta); err != nil {
		return err
	}
	d.store.fetch(d.kept)
	d.ptrs, d.delta = d.ptrs[:0], d.delta[:0]
	for _, c := range d.kept {
		d.ptrs = append(d.ptrs, d.store.row(c))
		d.delta = append(d.delta, d.change[c])
	}
	addAll(d.fa, d.ptrs, d.delta)
	return nil
}

// takeOver takes the betas of the block, notes the rows that changed and by how much, and
// returns the number of variables that left a bound.
func (d *decomposition) takeOver() (moved int) {
	b := d.block
	d.touched = d.touched[:0]
	for a, t := range d.set {
		if t < 0 || b.beta[a] == d.beta[t] {
			continue
		}
		if d.beta[t] == d.lo[t] || d.beta[t] == d.hi[t] {
			moved++
		}
		c := d.col[t]
		if d.mark[c] != d.round {
			d.mark[c] = d.round
			d.change[c] = 0
			d.wanted[c] = false
			d.touched = append(d.touched, c)
		}
		d.change[c] += b.beta[a] - d.beta[t]
		d.beta[t] = b.beta[a]
		if d.beta[t] > d.lo[t] && d.beta[t] < d.hi[t] {
			d.wanted[c] = true
		}
	}
	return moved
}

// part parts the rows that changed into those of the store, kept, and the others, passing,
// with their changes, delta.
func (d *decomposition) part() {
	d.kept, d.passing, d.delta = d.kept[:0], d.passing[:0], d.delta[:0]
	room := d.store.capacity()
	for _, c := range d.touched {
		if d.store.slotOf[c] >= 0 {
			d.kept = append(d.kept, c)
		}
	}
	for _, c := range d.touched {
		switch {
		case d.store.slotOf[c] >= 0:
		case d.wanted[c] && len(d.kept) < room:
			d.kept = append(d.kept, c)
		default:
			d.passing = append(d.passing, d.rows[c])
			d.delta = append(d.delta, d.change[c])
		}
	}
}
