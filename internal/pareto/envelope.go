package pareto

// Problem   The lower envelope of curves of risk over complexity q. A curve is a chain
//           of segments on which, for beta in [0, 1],
//             q    = (1-beta) Q0 + beta Q1
//             risk = (1-beta) R0 + beta R1 - beta (1-beta) Bend,   Bend >= 0,
//           so that risk is a parabola in q: what the path of a quadratic risk under an
//           l1 bound consists of (Kokshenev 2010, eqs 4.18 to 4.22, corrected).
//           Beyond its last point a curve goes on at its last risk, which nothing
//           attains but the point itself; before its first it is infinite.
// Method    Two envelopes are merged at a time: between neighbouring breakpoints their
//           difference is one parabola, known from three values, so its roots there
//           are exact.
// Cost      linear in segments for each merge, so O(curves x segments) in all at worst.

import (
	"fmt"
	"math"
	"slices"
)

// Segment is a piece of a curve, Q0 < Q1.
type Segment struct{ Q0, Q1, R0, R1, Bend float64 }

// At returns q and risk at beta.
func (s Segment) At(beta float64) (q, risk float64) {
	return (1-beta)*s.Q0 + beta*s.Q1, (1-beta)*s.R0 + beta*s.R1 - beta*(1-beta)*s.Bend
}

// Curve is a chain of segments by increasing q, each starting where the one before
// ends.
type Curve []Segment

// Piece is a part of an envelope: curve Curve from q From to q To, From < To, all on
// segment Segment. Past is set where the curve has ended before: the risk is its
// last, at a greater complexity than needed, so nothing there is nondominated.
type Piece struct {
	Curve, Segment int
	From, To       float64
	Past           bool
}

// risk of curve c at q, with the number of the segment.
func (c Curve) risk(q float64) (float64, int, bool) {
	n := len(c)
	if n == 0 || q < c[0].Q0 {
		return math.Inf(1), 0, false
	}
	if q >= c[n-1].Q1 {
		return c[n-1].R1, n - 1, q > c[n-1].Q1
	}
	k, found := slices.BinarySearchFunc(c, q, func(s Segment, q float64) int {
		switch {
		case s.Q1 <= q:
			return -1
		case s.Q0 > q:
			return 1
		}
		return 0
	})
	if !found {
		panic(fmt.Sprintf("pareto: curve has a gap at complexity %g", q))
	}
	_, r := c[k].At((q - c[k].Q0) / (c[k].Q1 - c[k].Q0))
	return r, k, false
}

// Sampled is the envelope at one complexity asked for. Complexity is what the curve
// has there: less than asked for beyond its end.
type Sampled struct {
	Curve, Segment   int
	Beta             float64
	Complexity, Risk float64
}

// Sample evaluates the envelope at each q; ties go to the first curve. A q before all
// curves has Curve -1 and infinite risk.
func Sample(curves []Curve, q []float64) []Sampled {
	out := make([]Sampled, len(q))
	for i, at := range q {
		out[i] = Sampled{Curve: -1, Complexity: at, Risk: math.Inf(1)}
		for j, c := range curves {
			r, k, past := c.risk(at)
			if r >= out[i].Risk {
				continue
			}
			s := Sampled{Curve: j, Segment: k, Beta: 1, Complexity: c[k].Q1, Risk: r}
			if !past {
				s.Beta, s.Complexity = (at-c[k].Q0)/(c[k].Q1-c[k].Q0), at
			}
			out[i] = s
		}
	}
	return out
}

// Envelope returns the lower envelope as pieces by increasing complexity, the last
// one ending where the last curve ends. Where curves tie, within 1e-12 of the range
// of risks, the earlier one stays.
func Envelope(curves []Curve) []Piece {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, s := range c {
			lo, hi = min(lo, s.R0, s.R1), max(hi, s.R0, s.R1)
		}
	}
	e := envelope{curves: curves, tie: 1e-12 * max(hi-lo, 0)}
	var out []Piece
	for j, c := range curves {
		var own []Piece
		for k, s := range c {
			if s.Q1 > s.Q0 {
				own = append(own, Piece{Curve: j, Segment: k, From: s.Q0, To: s.Q1})
			}
		}
		out = e.merge(out, own)
	}
	return out
}

type envelope struct {
	curves []Curve
	tie    float64
}

// value is the risk of piece p at q.
func (e *envelope) value(p Piece, q float64) float64 {
	s := e.curves[p.Curve][p.Segment]
	if p.Past {
		return s.R1
	}
	_, r := s.At((q - s.Q0) / (s.Q1 - s.Q0))
	return r
}

// merge joins two envelopes; a stays where they tie.
func (e *envelope) merge(a, b []Piece) []Piece {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	end := max(a[len(a)-1].To, b[len(b)-1].To)
	a, b = e.extend(a, end), e.extend(b, end)
	var out []Piece
	add := func(p Piece, from, to float64) {
		if !(to > from) {
			return
		}
		if n := len(out); n > 0 && out[n-1].To == from && out[n-1].Curve == p.Curve && out[n-1].Segment == p.Segment && out[n-1].Past == p.Past {
			out[n-1].To = to
			return
		}
		p.From, p.To = from, to
		out = append(out, p)
	}
	at := min(a[0].From, b[0].From)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case at < a[i].From:
			next := min(b[j].To, a[i].From)
			add(b[j], at, next)
			at = next
		case at < b[j].From:
			next := min(a[i].To, b[j].From)
			add(a[i], at, next)
			at = next
		default:
			next := min(a[i].To, b[j].To)
			cuts := append(e.roots(a[i], b[j], at, next), next)
			for _, cut := range cuts {
				mid := at + (cut-at)/2
				p := a[i]
				if e.value(b[j], mid) < e.value(a[i], mid)-e.tie {
					p = b[j]
				}
				add(p, at, cut)
				at = cut
			}
		}
		if at >= a[i].To {
			i++
		}
		if at >= b[j].To {
			j++
		}
	}
	return out
}

// extend adds the constant continuation of the last piece up to end.
func (e *envelope) extend(p []Piece, end float64) []Piece {
	last := p[len(p)-1]
	if last.To >= end {
		return p
	}
	return append(p[:len(p):len(p)], Piece{Curve: last.Curve, Segment: last.Segment, From: last.To, To: end, Past: true})
}

// roots returns where a - b changes sign inside (u, v), increasing. With x in [0, 1]
// from u to v the difference is d0 (1-x) + d1 x - bend x (1-x).
func (e *envelope) roots(a, b Piece, u, v float64) []float64 {
	diff := func(q float64) float64 { return e.value(a, q) - e.value(b, q) }
	d0, dm, d1 := diff(u), diff(u+(v-u)/2), diff(v)
	if max(math.Abs(d0), math.Abs(dm), math.Abs(d1)) <= e.tie {
		return nil
	}
	// bend x^2 + (d1 - d0 - bend) x + d0 = 0, by the form that does not cancel.
	bend := 2*(d0+d1) - 4*dm
	lin := d1 - d0 - bend
	disc := lin*lin - 4*bend*d0
	if disc < 0 {
		return nil
	}
	t := -(lin + math.Copysign(math.Sqrt(disc), lin)) / 2
	var out []float64
	for _, x := range [2]float64{t / bend, d0 / t} {
		if x > 1e-15 && x < 1-1e-15 {
			out = append(out, u+x*(v-u))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
