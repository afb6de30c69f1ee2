package model

import (
	"encoding/json"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Front is what a model was chosen from: members by increasing complexity that no other
// member is better than in both risk and complexity. All are expansions over the same rows.
type Front struct {
	Chosen  int
	Centres data.Rows
	Members []Member
}

// Member is one function of a front.
type Member struct {
	Risk, Complexity float64
	Offset           []float64
	Parts            []Part
}

// Part is sum_j k(., centre Rows[j]) Coef[j,:].
type Part struct {
	Kernel kernel.Kernel
	Rows   []int
	Coef   *mat.Dense
}

// Support is the number of units of a member: rows with a coefficient, counted for each kernel.
func (m *Member) Support() int {
	n := 0
	for _, p := range m.Parts {
		n += len(p.Rows)
	}
	return n
}

// Expansions are the member's expansions, over the centres it uses.
func (f *Front) Expansions(k int) []kernel.Expansion {
	var list []kernel.Expansion
	for _, p := range f.Members[k].Parts {
		if len(p.Rows) > 0 {
			list = append(list, kernel.Expansion{Kernel: p.Kernel, Centres: f.Centres.Select(p.Rows), Coef: p.Coef})
		}
	}
	return list
}

// Member is the model that member k of the front is, k from 0. Probabilities belong to the
// chosen member alone.
func (m *Model) Member(k int) (*Model, error) {
	if m.Front == nil {
		return nil, fmt.Errorf("the model is not a front; it has one member")
	}
	if k < 0 || k >= len(m.Front.Members) {
		return nil, fmt.Errorf("the front has %d members; give a number from 1 to %d", len(m.Front.Members), len(m.Front.Members))
	}
	one := *m
	one.Front = nil
	if k != m.Front.Chosen {
		one.Expansions, one.Offset, one.Calibration = m.Front.Expansions(k), m.Front.Members[k].Offset, nil
	}
	return &one, nil
}

// frontHeader is the front in a file's header; its coefficients are blocks behind the model's.
type frontHeader struct {
	Chosen  int            `json:"chosen"`
	Centres centres        `json:"centres"`
	Members []memberHeader `json:"members"`
}

type memberHeader struct {
	Risk       float64      `json:"risk"`
	Complexity float64      `json:"complexity"`
	Offset     []float64    `json:"offset,omitempty"`
	Parts      []partHeader `json:"parts,omitempty"`
}

type partHeader struct {
	Kernel json.RawMessage `json:"kernel"`
	Rows   []int           `json:"rows"`
}

// header describes the front.
func (f *Front) header() (*frontHeader, error) {
	h := &frontHeader{Chosen: f.Chosen, Centres: describe(f.Centres)}
	for _, m := range f.Members {
		one := memberHeader{Risk: m.Risk, Complexity: m.Complexity, Offset: m.Offset}
		for _, p := range m.Parts {
			k, err := kernel.Marshal(p.Kernel)
			if err != nil {
				return nil, err
			}
			one.Parts = append(one.Parts, partHeader{Kernel: k, Rows: p.Rows})
		}
		h.Members = append(h.Members, one)
	}
	return h, nil
}

// describe is the header of rows.
func describe(rows data.Rows) centres {
	c := centres{Rows: rows.Len(), Columns: rows.Dim()}
	if rows.Sparse != nil {
		c.Sparse, c.Nonzeros = true, rows.Sparse.NNZ()
	}
	return c
}

// front reads the blocks of a front.
func (b *blocks) front(h *frontHeader, outputs int) (*Front, error) {
	f := &Front{Chosen: h.Chosen}
	var err error
	if f.Centres, err = b.centres(h.Centres); err != nil {
		return nil, err
	}
	n := f.Centres.Len()
	for i, m := range h.Members {
		one := Member{Risk: m.Risk, Complexity: m.Complexity, Offset: m.Offset}
		if m.Offset != nil && len(m.Offset) != outputs {
			return nil, corrupt("%d offsets of member %d for %d outputs", len(m.Offset), i+1, outputs)
		}
		for _, p := range m.Parts {
			k, err := kernel.Unmarshal(p.Kernel)
			if err != nil {
				return nil, corrupt("kernel of member %d: %v", i+1, err)
			}
			for _, row := range p.Rows {
				if row < 0 || row >= n {
					return nil, corrupt("member %d has a centre %d of %d", i+1, row, n)
				}
			}
			if len(p.Rows) == 0 {
				continue
			}
			coef, err := b.dense(len(p.Rows), outputs)
			if err != nil {
				return nil, err
			}
			one.Parts = append(one.Parts, Part{Kernel: k, Rows: p.Rows, Coef: coef})
		}
		f.Members = append(f.Members, one)
	}
	if f.Chosen < 0 || f.Chosen >= len(f.Members) {
		return nil, corrupt("member %d chosen of %d", f.Chosen+1, len(f.Members))
	}
	return f, nil
}
