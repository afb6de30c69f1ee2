package rbf

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
)

// Of one selection each criterion takes what it takes alone; GCV is the default.
func TestROFSCriteriaShareSelections(t *testing.T) {
	rows, y := regression(50, 2, 24)
	r := ROFS{Widths: Widths{Lo: 0.3, Hi: 2, Steps: 5}, Lambdas: []float64{1e-6, 1e-2}, Criteria: []Criterion{BIC, GCV}}
	both, err := r.Fit(ctx, rows, y)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range both {
		r.Criteria = []Criterion{s.Criterion}
		alone, err := r.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, alone[0]) {
			t.Errorf("%v: scores %v, alone %v", s.Criterion, s.Score, alone[0].Score)
		}
	}
	r.Criteria = nil
	if s, err := r.Fit(ctx, rows, y); err != nil || len(s) != 1 || !reflect.DeepEqual(s[0], both[1]) {
		t.Errorf("by default not GCV: %v", err)
	}
}

// Without a ridge the selection is greedy least squares, each step by brute force, and the
// scores are the formulas of N, SSE and the number of units, whose choice costs two degrees more.
func TestROFSIsGreedyLeastSquares(t *testing.T) {
	rows, y := regression(24, 1, 25)
	k := gauss(t, rows, 0.8)
	const n = 24.0
	sse := func(units []int) float64 {
		h := mat.NewDense(24, len(units), nil)
		for q, j := range units {
			h.SetCol(q, mat.Col(nil, j, k))
		}
		s, err := NewStabilised(ctx, h, nil, y, true)
		if err != nil {
			t.Fatal(err)
		}
		return s.At(0).SSE[0]
	}
	score := map[Criterion]func(units int, sse float64) float64{
		GCV: func(m int, sse float64) float64 { return n * sse / math.Pow(n-3*float64(m), 2) },
		BIC: func(m int, sse float64) float64 {
			g := 3 * float64(m)
			return (n + (math.Log(n)-1)*g) / (n * (n - g)) * sse
		},
	}
	chosen, err := ROFS{
		Widths:   Widths{Hi: 0.8, Steps: -1},
		Centres:  Centres{Overlap: -1},
		Lambdas:  []float64{1e-13},
		Criteria: []Criterion{GCV, BIC},
		Ahead:    20,
	}.Fit(
		ctx,
		rows,
		y,
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range chosen {
		bar, _ := new(points).centred(mat.Col(nil, 0, y))
		least, at, units := score[s.Criterion](0, constant(bar, 0).SSE), 0, []int(nil)
		for len(units) < 7 { // 3 x 8 degrees of freedom are all
			best, pick := math.Inf(1), -1
			for j := range 24 {
				if v := sse(append(units[:len(units):len(units)], j)); v < best {
					best, pick = v, j
				}
			}
			units = append(units, pick)
			if v := score[s.Criterion](len(units), best); v < least {
				least, at = v, len(units)
			}
		}
		if got := len(s.Fronts[0].Elements[0].Units); got != at || math.Abs(s.Score[0]-least) > 1e-8*least {
			t.Errorf("%v: %g of %d units, greedily %g of %d", s.Criterion, s.Score[0], got, least, at)
		}
	}
}

// A selection goes on past units that do not lower the score: twelve alike, of which seven do so only together, are found by looking six
// units ahead, and not by five, the usual number.
func TestUnitsAhead(t *testing.T) {
	const n = 60
	h, y := mat.NewDense(12, n, nil), make([]float64, n)
	for j := range 12 {
		h.Set(j, j, 1)
		y[j] = 1
	}
	for ahead, want := range map[int]int{0: 0, 5: 0, 6: 12} {
		r := ROFS{Criteria: []Criterion{GCV}, Ahead: ahead}
		if got := len(r.selectUnits(t.Context(), h, y, 1e-12)[0].index); got != want {
			t.Errorf("%d ahead: %d units, want %d", ahead, got, want)
		}
	}
}

// A selection ends with the context, after one unit at least, and what is made of it says so.
func TestSelectionEnds(t *testing.T) {
	rows, y := regression(40, 2, 5)
	r := ROFS{Widths: Widths{Lo: 0.5, Hi: 1, Steps: 2}, Lambdas: []float64{1e-6, 1e-2}}
	whole, err := r.Fit(t.Context(), rows, y)
	if err != nil {
		t.Fatal(err)
	}
	partial, single := 0, false
	for looks := 0; ; looks++ {
		c := stoptest.After(t.Context(), looks)
		s, err := r.Fit(c, rows, y)
		if !c.Ended() {
			if err != nil || !reflect.DeepEqual(s, whole) {
				t.Errorf("not ended: %v", err)
			}
			break
		}
		switch {
		case err != nil:
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case !s[0].Fronts[0].Partial:
			t.Errorf("the context ended at look %d without a word", looks)
		default:
			partial++
			units := len(s[0].Fronts[1].Elements[0].Units) // of the output that is selected for last
			single = single || units == 1
			if units == 0 || s[0].Score[1] < whole[0].Score[1] {
				t.Errorf("look %d: %d units, score %g, whole %g", looks, units, s[0].Score[1], whole[0].Score[1])
			}
		}
	}
	if partial < 10 || !single {
		t.Errorf("%d were partial, one of a single unit: %v", partial, single)
	}
}

// Designs of one width end with the context, wherever they ask it.
func TestDesignsEnd(t *testing.T) {
	rows, y := regression(30, 1, 5)
	fresh := func() *points { // without a table of distances
		p, _, _, err := start(t.Context(), rows, y, Widths{Lo: 1, Hi: 2, Steps: 2}, Centres{}, false)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := fresh().newDictionary(ctx, []float64{1, 2}, 0, nil, true)
		return err
	})
	for _, s := range []Stabiliser{Ridge, Norm, Reference} {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := GRN{Stabiliser: s}.width(ctx, fresh(), 1, y)
			return err
		})
	}
}
