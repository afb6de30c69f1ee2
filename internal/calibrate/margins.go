package calibrate

import (
	"maps"
	"math"
	"slices"
)

// Margins are a summary of the margins m_i = y_i o_i of any number of rows of two classes, from which LogLoss and its
// temperature follow without the rows: counts and five moments of what falls into intervals whose width is 1/256 of the margin or
// less, and no more than 1/128. Within an interval the loss is a polynomial of degree 5 about its middle; that leaves out some
// (t m/512)^6/6!, 1e-13 of the loss where t m is 10, so that the unit of the outputs is of no account.
//
// The zero value is that of no row. Summaries of parts are joined; encoding/gob carries them. Cost: one entry for every
// interval that some row falls into.
type Margins struct {
	Rows    int
	Largest float64 // |m|
	Cells   map[int32]*MarginCell
}

// MarginCell has sum (m - middle)^k of the rows of an interval for k from 0.
type MarginCell [6]float64

// Margins below marginEven are in intervals by their sign, exponent and eight digits of their mantissa, from there on in those of the
// width of the last.
const (
	marginBits  = 44 // of a float that are left out
	marginEven  = 4
	marginWidth = 1.0 / 128
	firstEven   = 1025 << 8 // the number of the interval from marginEven on
)

// intervalOf numbers the intervals in the order of their margins; false of a margin that has none.
func intervalOf(m float64) (at int32, ok bool) {
	size := math.Abs(m)
	n := float64(firstEven) + math.Floor((size-marginEven)/marginWidth)
	switch {
	case size < marginEven:
		at = int32(math.Float64bits(size) >> marginBits)
	case n < math.MaxInt32:
		at = int32(n)
	default:
		return 0, false
	}
	if m < 0 {
		at = -1 - at
	}
	return at, true
}

// middleOf is the middle of an interval.
func middleOf(at int32) float64 {
	switch {
	case at < 0:
		return -middleOf(-1 - at)
	case at >= firstEven:
		return marginEven + (float64(at-firstEven)+0.5)*marginWidth
	}
	return (math.Float64frombits(uint64(at)<<marginBits) + math.Float64frombits(uint64(at+1)<<marginBits)) / 2
}

// Add takes a row in.
func (s *Margins) Add(m float64) {
	if s.Cells == nil {
		s.Cells = map[int32]*MarginCell{}
	}
	s.Rows++
	s.Largest = max(s.Largest, math.Abs(m)) // NaN stays
	at, ok := intervalOf(m)
	if !ok {
		s.Largest = math.Inf(1) // such outputs have no temperature
		return
	}
	c := s.Cells[at]
	if c == nil {
		c = new(MarginCell)
		s.Cells[at] = c
	}
	d, p := m-middleOf(at), 1.0
	for k := range c {
		c[k] += p
		p *= d
	}
}

// Join takes in the rows of o.
func (s *Margins) Join(o *Margins) {
	if s.Cells == nil {
		s.Cells = map[int32]*MarginCell{}
	}
	s.Rows += o.Rows
	s.Largest = max(s.Largest, o.Largest)
	for at, c := range o.Cells {
		if s.Cells[at] == nil {
			s.Cells[at] = new(MarginCell)
		}
		for k, v := range c {
			s.Cells[at][k] += v
		}
	}
}

// LogLoss returns what LogLoss.Eval and Temperature do for outputs with these margins.
func (s *Margins) LogLoss() (loss, temperature float64) {
	if s.Largest > 0 && !math.IsInf(s.Largest, 0) && !math.IsNaN(s.Largest) {
		order := slices.Sorted(maps.Keys(s.Cells))
		slope := func(x float64) (value, derivative float64) {
			_, d, dd := s.at(order, x/s.Largest)
			return d, dd / s.Largest
		}
		temperature = Root(slope, LeastSharp) / s.Largest
		loss, _, _ = s.at(order, temperature)
		return loss, temperature
	}
	return math.Ln2, 0
}

// at returns F(t), t above 0, and its two derivatives by t. With u = t m and s(u) = 1/(1 + e^u) the terms are
// log(1 + e^-u) + e u, u (e - s)/t and -u^2 s'/t^2.
func (s *Margins) at(order []int32, t float64) (f, d, dd float64) {
	e := Unseen(s.Rows)
	var of [8]float64 // s and its derivatives by u
	for _, at := range order {
		cell := s.Cells[at]
		u := t * middleOf(at)
		declines(&of, logistic(-u))
		step := 1.0 // t^k/k!
		for k, moment := range cell {
			kk := float64(k)
			part := moment * step
			step *= t / (kk + 1)
			switch k {
			case 0:
				f += part * (Softplus(-u) + e*u)
				d += part * u * (e - of[0])
				dd -= part * u * u * of[1]
				continue
			case 1:
				f += part * (e - of[0])
				d += part * (e - of[0] - u*of[1])
			default:
				f -= part * of[k-1]
				d -= part * (u*of[k] + kk*of[k-1])
			}
			dd -= part * (u*u*of[k+1] + 2*kk*u*of[k] + kk*(kk-1)*of[k-1])
		}
	}
	n := float64(s.Rows)
	return f / n, d / t / n, dd / (t * t) / n
}

// declines stores s(u) = 1/(1 + e^u) and its derivatives: each is a polynomial p in s, and the next p'(s) times -s(1-s).
func declines(of *[8]float64, s float64) {
	var p, next [9]float64
	p[1] = 1
	for k := range of {
		var v float64
		for j := min(k+1, 8); j >= 1; j-- {
			v = (v + p[j]) * s
		}
		of[k] = v
		next = [9]float64{}
		for j := 1; j <= k+1 && j < 8; j++ {
			next[j] -= float64(j) * p[j]
			next[j+1] += float64(j) * p[j]
		}
		p = next
	}
}

// Outputs are summaries of the outputs y m of rows whose target y is 1, or -1.
func (s *Margins) Outputs(y float64) []Cell {
	list := make([]Cell, 0, len(s.Cells))
	for _, at := range slices.Sorted(maps.Keys(s.Cells)) {
		c := Cell{Middle: y * middleOf(at), Moments: *s.Cells[at]}
		for k := 1; k < len(c.Moments); k += 2 {
			c.Moments[k] *= y
		}
		list = append(list, c)
	}
	return list
}

// Softplus is log(1 + e^x) without overflow.
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
