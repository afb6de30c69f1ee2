package model

import "encoding/json"

// old is a header of version 1 or 2, whose one part is spread over the header: its offset, its expansions, and of version 2 whether it is a
// mean. Blocks are the centres, then rows x outputs for each expansion. A front (version 2) has centres of its own; its blocks follow:
// its centres, then the coefficients of each part, none for one without rows.
type old struct {
	header
	Offset     []float64          `json:"offset"`
	Expansions list[oldExpansion] `json:"expansions"`
	Normalised bool               `json:"normalised"`
	Front      *oldFront          `json:"front"`
}

type oldExpansion struct {
	Kernel  json.RawMessage `json:"kernel"`
	Centres int             `json:"centres"`
	Rows    []int           `json:"rows"` // in fronts
}

func (e oldExpansion) lacks() string {
	if e.Kernel == nil {
		return "kernel"
	}
	return ""
}

type oldFront struct {
	Chosen  int             `json:"chosen"`
	Centres centres         `json:"centres"`
	Members list[oldMember] `json:"members"`
}

type oldMember struct {
	Risk       *float64           `json:"risk"`
	Complexity float64            `json:"complexity"`
	Offset     []float64          `json:"offset"`
	Parts      list[oldExpansion] `json:"parts"`
}

func (m oldMember) lacks() string {
	if m.Risk == nil {
		return "risk"
	}
	return ""
}

// renewed is the header in version 3.
func (o *old) renewed() *header {
	h := &o.header
	kind := kindExpansion
	if o.Normalised {
		kind = kindMean
	}
	p := partHeader{Functions: list[functionHeader]{}, Offset: o.Offset}
	for _, e := range o.Expansions {
		p.Functions = append(p.Functions, functionHeader{Kind: kind, Kernel: e.Kernel, Centres: e.Centres})
	}
	h.Parts = list[partHeader]{p}
	if o.Front == nil {
		return h
	}
	h.Front = &frontHeader{Chosen: o.Front.Chosen, centres: []centres{o.Front.Centres}}
	for _, m := range o.Front.Members {
		p := partHeader{Functions: list[functionHeader]{}, Offset: m.Offset}
		for _, e := range m.Parts {
			if len(e.Rows) > 0 {
				p.Functions = append(p.Functions, functionHeader{Kind: kindExpansion, Kernel: e.Kernel, Centres: len(h.Centres),
					Rows: e.Rows})
			}
		}
		h.Front.Members = append(h.Front.Members, memberHeader{Risk: *m.Risk, Complexity: m.Complexity, Parts: list[partHeader]{p}})
	}
	return h
}
