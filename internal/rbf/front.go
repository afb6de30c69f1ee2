// Package rbf learns networks of Gaussian units by two objectives, the sum of squared
// errors and the complexity Q = sum_j |alpha_j| / sigma_j^q: not one network but the
// front of all that trade one for the other, of which a decisor (package choose) chooses
// afterwards. Beside them the networks they are compared with: regularisation
// networks, generalised ones, forward selection, Nadaraya-Watson.
//
// Source: Kokshenev, doctoral thesis, UFMG 2010, chapters 2 and 4; equations that are
// misprinted there are corrected at their place.
//
// A new family of networks is a file here, which makes a front or one network; package method
// offers it to users.
package rbf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/pareto"
	"github.com/mercer-ml/mercer/kernel"
)

// Unit is a Gaussian exp(-|x-c|^2/(2 sigma^2)): the numbers of its centre and width.
type Unit struct {
	Centre int32 `json:"c"`
	Width  int32 `json:"w"`
}

// Element is one network of a front, f(x) = sum_j Coef_j k_j(x) + Offset, non-zero
// units only. It minimises SSE + Lambda Q among the networks of its hypothesis set.
type Element struct {
	SSE    float64   `json:"sse"` // a sum, no mean
	Q      float64   `json:"q"`
	Lambda float64   `json:"lambda"`
	Units  []Unit    `json:"units"`
	Coef   []float64 `json:"coef"`
	Offset float64   `json:"offset"`
}

// L1 is the sum of |Coef_j|.
func (e *Element) L1() float64 {
	var s float64
	for _, a := range e.Coef {
		s += math.Abs(a)
	}
	return s
}

// Front is the nondominated networks of one output by increasing complexity. It is what
// a file stores: the centres once, each element sparse.
type Front struct {
	Centres  data.Rows `json:"-"`
	Widths   []float64 `json:"widths"` // increasing
	Order    float64   `json:"order"`  // q of the complexity
	Joint    bool      `json:"joint"`  // units of several widths in one network
	NoOffset bool      `json:"no_offset,omitempty"`
	Rows     int       `json:"rows"`  // N, rows trained on
	MaxQ     float64   `json:"max_q"` // complexity up to which the front was followed; 0: it has no end
	Elements []Element `json:"elements"`
	// Violation is the certificate: by how much the SSE of an element is at most above the least that
	// its widths allow at its Q, as a share of the SSE of the network without units (certificate.go).
	Violation float64 `json:"violation"`
	Partial   bool    `json:"partial,omitempty"` // the context ended: nondominated until then
	Parts     []Part  `json:"-"`                 // the fronts of single widths it was merged from
}

// Part is the front of one width, some of its points. It ends where another width is better
// whatever comes.
type Part struct {
	Sigma  float64
	Q, SSE []float64
}

// Objectives returns SSE and Q of all elements.
func (f *Front) Objectives() (sse, q []float64) {
	for i := range f.Elements {
		sse, q = append(sse, f.Elements[i].SSE), append(q, f.Elements[i].Q)
	}
	return sse, q
}

// Sigma is the width of element i if all its units have one, else NaN. The constant
// network has none.
func (f *Front) Sigma(i int) float64 {
	sigma := math.NaN()
	for k, u := range f.Elements[i].Units {
		if k > 0 && f.Widths[u.Width] != sigma {
			return math.NaN()
		}
		sigma = f.Widths[u.Width]
	}
	return sigma
}

// panelRows are the rows predicted at once.
const panelRows = 512

// Predict returns the outputs of the elements which (nil: all) for every row, rows by
// elements. Each width's kernel values are computed once for all of them.
func (f *Front) Predict(ctx context.Context, rows data.Rows, which []int) (*mat.Dense, error) {
	if which == nil {
		which = indices.To(len(f.Elements))
	}
	n := rows.Len()
	if n == 0 || len(which) == 0 {
		return nil, fmt.Errorf("rbf: %d rows to predict by %d networks", n, len(which))
	}
	out := mat.NewDense(n, len(which), nil)
	for i := range n {
		for k, e := range which {
			out.Set(i, k, f.Elements[e].Offset)
		}
	}
	for w, sigma := range f.Widths {
		place, used := map[int32]int{}, []int(nil)
		for _, e := range which {
			for _, u := range f.Elements[e].Units {
				if _, ok := place[u.Centre]; !ok && int(u.Width) == w {
					place[u.Centre] = len(used)
					used = append(used, int(u.Centre))
				}
			}
		}
		if len(used) == 0 {
			continue
		}
		g, err := kernel.Gaussian{Sigma: sigma}.Bind(ctx, f.Centres.Select(used), nil)
		if err != nil {
			return nil, err
		}
		k := mat.NewDense(min(n, panelRows), len(used), nil)
		for lo := 0; lo < n; lo += panelRows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			idx := indices.To(min(panelRows, n-lo))
			for a := range idx {
				idx[a] += lo
			}
			block := k.Slice(0, len(idx), 0, len(used)).(*mat.Dense)
			if err := g.Cross(block, rows.Select(idx), nil); err != nil {
				return nil, err
			}
			for a, i := range idx {
				values, row := block.RawRowView(a), out.RawRowView(i)
				for q, e := range which {
					el := &f.Elements[e]
					for p, u := range el.Units {
						if int(u.Width) == w {
							row[q] += el.Coef[p] * values[place[u.Centre]]
						}
					}
				}
			}
		}
	}
	return out, nil
}

// filter keeps the nondominated elements, by increasing complexity.
func (f *Front) filter() {
	sse, q := f.Objectives()
	keep := pareto.Front(sse, q, pareto.Options{})
	out := make([]Element, len(keep))
	for k, i := range keep {
		out[k] = f.Elements[i]
	}
	f.Elements = out
}
