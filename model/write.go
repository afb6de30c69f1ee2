package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Save writes the model to path, beside first and then renamed.
func (m *Model) Save(path string) error {
	return replace.File(path, m.Write)
}

// Write writes the model in the oldest version that has all that is in it.
func (m *Model) Write(w io.Writer) error {
	h, blocks, err := m.outline()
	if err != nil {
		return err
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("model: header: %w", err)
	}
	sum := sha256.New()
	out := io.MultiWriter(w, sum)
	if _, err := fmt.Fprintf(out, "%s%d\n", magic, m.version()); err != nil {
		return err
	}
	if err := binary.Write(out, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	for _, b := range blocks {
		if err := writeRows(out, b); err != nil {
			return err
		}
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// version is that of the model's file.
func (m *Model) version() int {
	if _, decides := m.Calibration.(calibrate.Shares); m.Table != nil || m.Decision != nil || decides {
		return version
	}
	if m.Text != nil || m.Scaling.Kind == data.ScaleTFIDF {
		return words
	}
	for _, p := range m.Parts {
		for _, f := range p.Functions {
			if mean, ok := f.(Mean); ok && mean.Known {
				return known
			}
		}
	}
	return plain
}

// outline is the header and the blocks behind it.
func (m *Model) outline() (*header, []data.Rows, error) {
	o := outline{outputs: m.Outputs(), shared: map[rows]*shared{}}
	o.look(m.Parts)
	if m.Front != nil {
		for _, one := range m.Front.Members {
			o.look(one.Parts)
		}
	}
	h := headerOf(m)
	for _, s := range o.order {
		c := s.used()
		h.Centres = append(h.Centres, describe(c))
		o.blocks = append(o.blocks, c)
	}
	var err error
	if h.Parts, err = o.parts(m.Parts); err != nil || m.Front == nil {
		return h, o.blocks, err
	}
	h.Front = &frontHeader{Chosen: m.Front.Chosen, Members: list[memberHeader]{}}
	for _, one := range m.Front.Members {
		parts, err := o.parts(one.Parts)
		if err != nil {
			return nil, nil, err
		}
		h.Front.Members = append(h.Front.Members, memberHeader{Risk: one.Risk, Complexity: one.Complexity, Parts: parts})
	}
	return h, o.blocks, nil
}

// rows are centres by identity.
type rows struct {
	dense  *mat.Dense
	sparse *data.CSR
}

// shared are centres of one or several functions.
type shared struct {
	number int
	rows   data.Rows
	place  []int // of each row among those that a function uses, -1 of others; nil: all are used
	count  int
}

// used are the rows that some function uses.
func (s *shared) used() data.Rows {
	if s.place == nil {
		return s.rows
	}
	var keep []int
	for i, at := range s.place {
		if at >= 0 {
			s.place[i] = len(keep)
			keep = append(keep, i)
		}
	}
	if s.count = len(keep); s.count == len(s.place) {
		s.place = nil
		return s.rows
	}
	return s.rows.Select(keep)
}

// outline collects the centres of functions, each once, and then describes the functions.
type outline struct {
	outputs int
	shared  map[rows]*shared
	order   []*shared
	blocks  []data.Rows
}

// look takes note of the centres of parts.
func (o *outline) look(parts []Part) {
	for _, p := range parts {
		for _, f := range p.Functions {
			if e, ok := expansionOf(f); ok {
				o.note(e)
			}
		}
	}
}

func (o *outline) note(e Expansion) {
	key := rows{e.Centres.Dense, e.Centres.Sparse}
	s, known := o.shared[key]
	if !known {
		s = &shared{number: len(o.order), rows: e.Centres}
		o.shared[key], o.order = s, append(o.order, s)
		if e.Rows != nil {
			s.place = make([]int, e.Centres.Len())
			for i := range s.place {
				s.place[i] = -1
			}
		}
	}
	if e.Rows == nil {
		s.place = nil
	}
	if s.place != nil {
		for _, i := range e.Rows {
			s.place[i] = 0
		}
	}
}

// expansionOf is the expansion in a function that has centres.
func expansionOf(f Function) (Expansion, bool) {
	switch f := f.(type) {
	case Expansion:
		return f, true
	case Mean:
		return f.Expansion, true
	}
	return Expansion{}, false
}

// parts describes parts, whose coefficients become blocks.
func (o *outline) parts(parts []Part) (list[partHeader], error) {
	l := list[partHeader]{}
	for _, p := range parts {
		h := partHeader{View: p.View, Columns: p.Columns, Functions: list[functionHeader]{}, Offset: p.Offset}
		if len(p.Functions) == 0 && p.Offset == nil {
			h.Offset = make([]float64, o.outputs)
		}
		for _, f := range p.Functions {
			one, err := o.function(f)
			if err != nil {
				return nil, err
			}
			h.Functions = append(h.Functions, one)
		}
		l = append(l, h)
	}
	return l, nil
}

func (o *outline) function(f Function) (functionHeader, error) {
	if w, ok := f.(Linear); ok {
		o.blocks = append(o.blocks, data.Rows{Dense: w.Weights})
		return functionHeader{Kind: kindLinear}, nil
	}
	h := functionHeader{Kind: kindExpansion}
	if mean, ok := f.(Mean); ok {
		h.Kind, h.Known = kindMean, mean.Known
	}
	e, _ := expansionOf(f)
	var err error
	if h.Kernel, err = kernel.Marshal(e.Kernel); err != nil {
		return h, err
	}
	s := o.shared[rows{e.Centres.Dense, e.Centres.Sparse}]
	h.Centres, h.Rows = s.number, e.Rows
	if s.place != nil {
		h.Rows = chosen(s.place, e.Rows)
	}
	o.blocks = append(o.blocks, data.Rows{Dense: e.Coef})
	return h, nil
}

// writeRows writes a block.
func writeRows(w io.Writer, r data.Rows) error {
	if r.Sparse == nil {
		n, _ := r.Dense.Dims()
		for i := range n {
			if err := binary.Write(w, binary.LittleEndian, r.Dense.RawRowView(i)); err != nil {
				return err
			}
		}
		return nil
	}
	start := make([]int64, len(r.Sparse.Start))
	for i, s := range r.Sparse.Start {
		start[i] = int64(s)
	}
	for _, v := range []any{start, r.Sparse.Index, r.Sparse.Value} {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}
