package model

import (
	"fmt"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// body reads the blocks: centres, then coefficients.
func (s *stream) body(h *header, m *Model, own []kernel.Kernel) error {
	b := &body{stream: s, m: m, own: own}
	for i, c := range h.Centres {
		if err := b.rows(c); err != nil {
			return in(h.owner(i)+", centres", err)
		}
	}
	var err error
	if m.Parts, err = b.parts(h.Parts); err != nil || h.Front == nil {
		return err
	}
	for _, c := range h.Front.centres {
		if err := b.rows(c); err != nil {
			return in("front, centres", err)
		}
	}
	m.Front = &Front{Chosen: h.Front.Chosen}
	for i, one := range h.Front.Members {
		parts, err := b.parts(one.Parts)
		if err != nil {
			return in(fmt.Sprintf("member %d", i+1), err)
		}
		m.Front.Members = append(m.Front.Members, Member{Risk: one.Risk, Complexity: one.Complexity, Parts: parts})
	}
	if k := m.Front.Chosen; k < 0 || k >= len(m.Front.Members) {
		return corrupt("front: member %d chosen of %d", k+1, len(m.Front.Members))
	}
	return nil
}

// owner names the first part that uses centres i.
func (h *header) owner(i int) string {
	uses := func(parts []partHeader) string {
		for k, p := range parts {
			for _, f := range p.Functions {
				if f.Kind != kindLinear && f.Centres == i {
					return fmt.Sprintf("part %d", k+1)
				}
			}
		}
		return ""
	}
	if name := uses(h.Parts); name != "" {
		return name
	}
	if h.Front != nil {
		for k, m := range h.Front.Members {
			if name := uses(m.Parts); name != "" {
				return fmt.Sprintf("member %d, %s", k+1, name)
			}
		}
	}
	return "no part"
}

// body reads the blocks of a model.
type body struct {
	*stream
	m       *Model
	centres []data.Rows
	seen    [][]int // the function that last had each centre, numbered from 1
	made    int     // functions
	own     []kernel.Kernel
}

// rows reads a block of centres.
func (b *body) rows(c centres) error {
	rows, err := b.stream.rows(c)
	b.centres = append(b.centres, rows)
	b.seen = append(b.seen, nil)
	return err
}

func (b *body) parts(headers []partHeader) (parts []Part, err error) {
	if len(headers) == 0 {
		return nil, corrupt("has no part")
	}
	for i, h := range headers {
		p, err := b.part(h)
		if err != nil {
			return nil, in(fmt.Sprintf("part %d", i+1), err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func (b *body) part(h partHeader) (Part, error) {
	p := Part{View: h.View, Columns: h.Columns, Offset: h.Offset}
	if p.Columns != nil && len(p.Columns) == 0 {
		return p, corrupt("looks at no column")
	}
	last := -1
	for _, c := range p.Columns {
		if c <= last || c >= b.m.Columns {
			return p, corrupt("columns: number %d after %d of %d", c, last, b.m.Columns)
		}
		last = c
	}
	if p.Offset != nil && len(p.Offset) != b.m.Outputs() {
		return p, corrupt("%d offsets for %d outputs", len(p.Offset), b.m.Outputs())
	}
	for i, f := range h.Functions {
		one, err := b.function(f, p.width(b.m.Columns))
		if err != nil {
			return p, in(fmt.Sprintf("function %d", i+1), err)
		}
		p.Functions = append(p.Functions, one)
	}
	return p, nil
}

// function reads the block of a function of rows of some width.
func (b *body) function(h functionHeader, width int) (Function, error) {
	b.made++
	if h.Kind == kindLinear {
		w, err := b.dense(width, b.m.Outputs())
		return Linear{w}, in("weights", err)
	}
	if h.Kind != kindExpansion && h.Kind != kindMean {
		return nil, corrupt("kind %q; %s, %s and %s are known", h.Kind, kindExpansion, kindLinear, kindMean)
	}
	k, err := kernel.Unmarshal(h.Kernel, b.own...)
	if err != nil {
		return nil, corrupt("kernel: %v", err)
	}
	if _, gaussian := k.(kernel.Gaussian); h.Kind == kindMean && !gaussian {
		return nil, corrupt("a mean weighted by another kernel than the Gaussian")
	}
	if h.Centres < 0 || h.Centres >= len(b.centres) {
		return nil, corrupt("centres %d of %d", h.Centres+1, len(b.centres))
	}
	e := Expansion{Kernel: k, Centres: b.centres[h.Centres], Rows: h.Rows}
	if d := e.Centres.Dim(); d != width {
		return nil, corrupt("centres of %d columns for %d features", d, width)
	}
	if err := b.distinct(h); err != nil {
		return nil, err
	}
	n := e.Centres.Len()
	if e.Rows != nil {
		n = len(e.Rows)
	}
	if e.Coef, err = b.dense(n, b.m.Outputs()); err != nil {
		return nil, in("coefficients", err)
	}
	if h.Kind == kindMean {
		return Mean{Expansion: e, Known: h.Known}, nil
	}
	return e, nil
}

// distinct refuses rows that are no centres, or one centre twice: what a function selects is then
// never larger than what it selects from.
func (b *body) distinct(h functionHeader) error {
	n := b.centres[h.Centres].Len()
	if h.Rows != nil && b.seen[h.Centres] == nil {
		b.seen[h.Centres] = make([]int, n)
	}
	for _, row := range h.Rows {
		if row < 0 || row >= n {
			return corrupt("rows: number %d of %d centres", row, n)
		}
		if b.seen[h.Centres][row] == b.made {
			return corrupt("rows: number %d twice", row)
		}
		b.seen[h.Centres][row] = b.made
	}
	return nil
}
