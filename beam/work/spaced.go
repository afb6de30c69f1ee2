package work

// Spaced are rows of some shards, evenly spaced: at the distance Stride within each shard. The distance doubles when they become too
// many, so that how many rows there will be need not be known.
type Spaced struct {
	Stride, Seen int
	Rows         [][]float64
	Ends         []int // of the rows of each shard among Rows
}

// mostSpaced is some four times what answer.Drift looks at, so that its own choice among them is even. Rows are fewer if they have more
// values than 8 MB in all.
const mostSpaced, spacedValues = 8192, 1 << 20

// many says whether there are too many rows.
func (s *Spaced) many() bool {
	n := len(s.Rows)
	return n > len(s.Ends) && (n > mostSpaced || n*len(s.Rows[0]) > spacedValues)
}

// Add takes the next row of a shard in, which is copied.
func (s *Spaced) Add(row []float64) {
	s.Stride = max(s.Stride, 1)
	if s.Seen%s.Stride == 0 {
		s.Rows = append(s.Rows, append([]float64(nil), row...))
		s.Ends = []int{len(s.Rows)}
	}
	s.Seen++
	s.thin(s.Stride)
}

// Join takes in the rows of later shards.
func (s *Spaced) Join(o *Spaced) {
	if o.Seen == 0 {
		return
	}
	stride := max(s.Stride, o.Stride)
	s.thin(stride)
	o.thin(stride)
	n := len(s.Rows)
	for _, end := range o.Ends {
		s.Ends = append(s.Ends, n+end)
	}
	s.Rows, s.Seen = append(s.Rows, o.Rows...), s.Seen+o.Seen
	s.thin(stride)
}

// thin leaves out every second row of each shard until the distance is at least so large and the rows are few.
func (s *Spaced) thin(stride int) {
	for ; s.Stride > 0 && (s.Stride < stride || s.many()); s.Stride *= 2 {
		n, from := 0, 0
		for k, end := range s.Ends {
			for i := from; i < end; i += 2 {
				s.Rows[n] = s.Rows[i]
				n++
			}
			from, s.Ends[k] = end, n
		}
		clear(s.Rows[n:])
		s.Rows = s.Rows[:n]
	}
	s.Stride = max(s.Stride, stride)
}
