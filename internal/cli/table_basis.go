package cli

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/report"
	"github.com/mercer-ml/mercer/result"
)

// basis says how few centres the machine has, and what other numbers were tried: those that no other is better than in both.
func (s *sheet) basis(b *result.BasisState) {
	if b == nil {
		return
	}
	s.line("centres", fmt.Sprintf("%d, chosen by %s", b.Centres, b.Choose))
	if len(b.Sizes) > 0 {
		s.line("", "of those that decide nearly as the full model the fewest within a standard error of the least:")
	}
	for _, p := range b.Sizes {
		if !p.Front && !p.Chosen {
			continue
		}
		text := fmt.Sprintf("left-out error %s +- %s", short(p.Error), short(p.Spread))
		switch {
		case p.Distilled:
			text = "distilled" // the error is bounded by what is apart
		case p.Reduced:
			text = "reduced"
		}
		text = fmt.Sprintf("%6d: %s", p.Centres, text)
		if p.Apart > 0 {
			text += fmt.Sprintf(", %s %% apart", short(100*p.Apart))
		}
		if p.Chosen {
			text += ", chosen"
		}
		s.line("", text)
	}
}

// basisFront is the front of the sizes that were tried, for the page; nil where there are none.
func basisFront(b *result.BasisState) *report.Front {
	if b == nil || len(b.Sizes) == 0 {
		return nil
	}
	f := &report.Front{
		Risk: "error on rows left out", Complexity: "centres", Chosen: -1,
		Decision: "Among those that decide nearly all rows as the full model does, it has the fewest centres whose error is " +
			"within a standard error of the least.",
	}
	for _, p := range b.Sizes {
		if !p.Front {
			continue
		}
		if p.Chosen {
			f.Chosen = len(f.Members)
		}
		f.Members = append(f.Members, report.Member{Risk: p.Error, Complexity: float64(p.Centres), Support: p.Centres,
			Params: fmt.Sprintf("standard error %s", short(p.Spread))})
	}
	return f
}
