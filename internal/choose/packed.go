package choose

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Packed is a machine that can travel by encoding/gob between processes that have the same rows.
type Packed struct {
	Machine Machine  // without kernels, and without the centres of an expansion over all rows
	Kernels [][]byte // of the expansions, as kernel.Marshal writes them
	Whole   []bool   // the expansion is over all rows
	// Kernel, if not nil, is the one that it was trained on, which else stays behind.
	Kernel []byte
}

// Pack packs a machine of a fit on rows. The kernel that it was trained on stays behind.
func Pack(m *Machine, rows data.Rows) (*Packed, error) {
	p := &Packed{Machine: *m}
	p.Machine.Kernel, p.Machine.Expansions = nil, slices.Clone(m.Expansions)
	for i, e := range m.Expansions {
		text, err := kernel.Marshal(e.Kernel)
		if err != nil {
			return nil, err
		}
		whole := e.Centres.Dense == rows.Dense && e.Centres.Sparse == rows.Sparse
		p.Kernels, p.Whole = append(p.Kernels, text), append(p.Whole, whole)
		one := &p.Machine.Expansions[i]
		if one.Kernel = nil; whole {
			one.Centres = data.Rows{}
		}
	}
	return p, nil
}

// Unpack is the machine, on the kernel that it was trained on.
func (p *Packed) Unpack(k kernel.Kernel, rows data.Rows) (*Machine, error) {
	m := p.Machine
	m.Kernel, m.Expansions = k, slices.Clone(m.Expansions)
	if p.Kernel != nil {
		var err error
		if m.Kernel, err = kernel.Unmarshal(p.Kernel, k); err != nil {
			return nil, err
		}
	}
	for i := range m.Expansions {
		e := &m.Expansions[i]
		var err error
		if e.Kernel, err = kernel.Unmarshal(p.Kernels[i], k); err != nil {
			return nil, err
		}
		if p.Whole[i] {
			e.Centres = rows
		}
	}
	return &m, nil
}
