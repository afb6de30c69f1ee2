package columns

// Profiles of parts of a table, joined in the order of the rows.

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mercer-ml/mercer/internal/indices"
)

// Merge adds the cells of a part that follows.
func (p *Profile) Merge(o *Profile) {
	p.Rows += o.Rows
	for c := range p.Columns {
		p.Columns[c].merge(&o.Columns[c], p.Most)
	}
}

func (s *seen) merge(o *seen, most int) {
	s.mergeNumbers(o)
	s.mergeDates(o) // before the first cells
	s.mergeOthers(o)
	s.mergeWords(o, most)
	if o.Overflow > 0 && s.Overflow == 0 {
		s.Overflow = s.Cells + o.Overflow
	}
	if s.First.Line == 0 {
		s.First = o.First
	}
	s.Texts += o.Texts
	s.Missing, s.Blank, s.Cells = s.Missing+o.Missing, s.Blank+o.Blank, s.Cells+o.Cells
}

// mergeWords adds words. If there are too many then, the first in the order of the alphabet are kept, so that what is left out does not
// depend on where parts begin within a block of rows.
func (s *seen) mergeWords(o *seen, most int) {
	s.mergeRuns(o)
	if s.Overflow > 0 {
		for _, i := range o.hits {
			s.Words.list[i].cells++
		}
		for i := range o.Words.list {
			w := &o.Words.list[i]
			if at := s.Words.find(o.Words.of(i), w.hash); at >= 0 {
				s.Words.list[at].cells += w.cells
			}
		}
		return
	}
	further := 0
	for i := range o.Words.list {
		if s.Words.find(o.Words.of(i), o.Words.list[i].hash) < 0 {
			further++
		}
	}
	if s.Words.len()+further <= most {
		tail := -1
		for i := range o.Words.list {
			if at := s.Words.count(o.Words.of(i), o.Words.list[i].hash, o.Words.list[i].cells); i == o.Tail {
				tail = at
			}
		}
		if o.Runs > 0 {
			s.Tail = tail
		}
		return
	}
	s.Broken = true // the last word may be left out
	order := indices.To(o.Words.len())
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(o.Words.of(a), o.Words.of(b)) })
	of := cmp.Or(o.Overflow, o.Cells)
	for q, i := range order {
		w, text := &o.Words.list[i], o.Words.of(i)
		if at := s.Words.find(text, w.hash); at >= 0 {
			s.Words.list[at].cells += w.cells
		} else if s.Overflow == 0 && s.Words.len() < most {
			s.Words.add(text, w.hash, w.cells)
		} else if s.Overflow == 0 {
			s.Overflow = s.Cells + of*q/len(order) + 1
		}
	}
}

// mergeRuns adds runs of equal words; that which goes on is one.
func (s *seen) mergeRuns(o *seen) {
	s.Broken = s.Broken || o.Broken
	if s.Broken {
		return // they are no longer counted
	}
	goesOn := s.Runs > 0 && o.Runs > 0 && bytes.Equal(s.Words.of(s.Tail), o.Words.of(0))
	if s.Runs += o.Runs; goesOn {
		s.Runs--
	}
}

func (s *seen) mergeOthers(o *seen) {
	order := indices.To(o.Others.len())
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(o.Others.of(a), o.Others.of(b)) }) // as words
	for _, i := range order {
		w, text := &o.Others.list[i], o.Others.of(i)
		if s.Others.find(text, w.hash) < 0 && s.Others.len() >= mostOthers {
			s.More = true
			continue
		}
		s.Others.count(text, w.hash, w.cells)
	}
	s.More = s.More || o.More
	s.Shares += o.Shares
	s.Digits, s.Codes, s.Zeros, s.Round = s.Digits+o.Digits, s.Codes+o.Codes, s.Zeros+o.Zeros, s.Round+o.Round
	if s.Length != o.Length && s.Length != 0 && o.Length != 0 {
		s.Length = -1
	}
	s.Length = cmp.Or(s.Length, o.Length)
}

func (s *seen) mergeDates(o *seen) {
	for q, k := range o.Layouts {
		at, known := slices.BinarySearch(s.Layouts, k)
		if !known {
			d := dates{Out: s.First}
			s.Layouts, s.Dates = slices.Insert(s.Layouts, at, k), slices.Insert(s.Dates, at, d)
		}
		s.Dates[at].merge(&o.Dates[q])
	}
	for q, k := range s.Layouts {
		if !slices.Contains(o.Layouts, k) && s.Dates[q].Out.Line == 0 {
			s.Dates[q].Out = o.First
		}
	}
}

func (s *seen) mergeNumbers(o *seen) {
	switch {
	case o.Numbers == 0:
	case s.Numbers == 0:
		s.From, s.To, s.Least, s.Most, s.Steps = o.From, o.To, o.Least, o.Most, o.Steps
	default:
		s.Steps = s.Steps && o.Steps && o.From == s.To+1
		s.To = o.To
		for k := range s.Least {
			s.Least[k], s.Most[k] = min(s.Least[k], o.Least[k]), max(s.Most[k], o.Most[k])
		}
	}
	s.Whole = s.Whole && o.Whole
	s.Numbers, s.Point, s.Comma, s.Unlike = s.Numbers+o.Numbers, s.Point+o.Point, s.Comma+o.Comma, s.Unlike+o.Unlike
	s.Groups[0], s.Groups[1] = s.Groups[0]+o.Groups[0], s.Groups[1]+o.Groups[1]
	switch {
	case o.Unitless == 0:
	case s.Unitless == 0:
		s.Plain = o.Plain
	default:
		s.Plain = [2]float64{min(s.Plain[0], o.Plain[0]), max(s.Plain[1], o.Plain[1])}
	}
	s.Long, s.Dotted, s.Unitless, s.Ledger = s.Long+o.Long, s.Dotted+o.Dotted, s.Unitless+o.Unitless, s.Ledger+o.Ledger
	for _, u := range o.Units {
		s.addUnit(u)
	}
	for _, both := range []struct{ to, of *Place }{{&s.Other, &o.Other}, {&s.Both, &o.Both}, {&s.Infinite, &o.Infinite},
		{&s.Points, &o.Points}, {&s.Commas, &o.Commas}, {&s.Zero, &o.Zero}} {
		if both.to.Line == 0 {
			*both.to = *both.of
		}
	}
}
