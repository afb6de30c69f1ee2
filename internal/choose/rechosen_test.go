package choose

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/score"
)

// TestRechosenIsNotFlattered: of fifty machines that guess, and one that tries fifty strengths, the best errs on clearly
// fewer than half of the rows, and what is chosen anew for each part on about half.
func TestRechosenIsNotFlattered(t *testing.T) {
	const l, machines, draws = 40, 50, 30
	rng := rand.New(rand.NewPCG(1, 2))
	guess := func() *mat.Dense {
		o := mat.NewDense(l, 1, nil)
		for i := range l {
			o.Set(i, 0, rng.NormFloat64())
		}
		return o
	}
	for name, members := range map[string]func() []*Candidate{
		"machines": func() (list []*Candidate) {
			for range machines {
				list = append(list, &Candidate{Machine: &Machine{LeftOut: guess()}})
			}
			return list
		},
		"strengths": func() []*Candidate {
			m := &Machine{}
			for range machines {
				m.Tried = append(m.Tried, guess())
			}
			m.LeftOut = m.Tried[0]
			return []*Candidate{{Machine: m}}
		},
	} {
		var best, again float64
		for range draws {
			s := candidates(l, l)
			s.Members = members()
			whole := s.on(s.judged())
			c, err := Least{}.Choose(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			best += score.Error{}.Eval(s.Problem, nil, LeftOut(s.Problem, c.Members), nil) / draws
			out, err := Rechosen(t.Context(), Least{}, s)
			if err != nil {
				t.Fatal(err)
			}
			again += score.Error{}.Eval(s.Problem, nil, out, nil) / draws
		}
		if best > 0.4 || again < 0.46 || again > 0.56 {
			t.Errorf("%s: the best errs on %.3f, what is chosen anew on %.3f", name, best, again)
		}
	}
}

// TestRechosenWithoutAChoice: one machine at one strength, and machines that were not scored so, have nothing to correct.
func TestRechosenWithoutAChoice(t *testing.T) {
	one := candidates(10, 10)
	one.Members = []*Candidate{{Machine: &Machine{LeftOut: mat.NewDense(10, 1, nil)}}}
	squared := candidates(10, 10)
	squared.Squared, squared.Members = true, []*Candidate{one.Members[0], one.Members[0]}
	bare := candidates(10, 10)
	bare.Members = []*Candidate{{Machine: &Machine{}}, one.Members[0]}
	for name, s := range map[string]*Candidates{"one": one, "squared": squared, "without outputs": bare} {
		if out, err := Rechosen(t.Context(), Least{}, s); out != nil || err != nil {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

// TestRechosenInShares: outputs of what is chosen anew have the offset with which unlabelled rows are decided in the shares asked for, as
// those of the choice have.
func TestRechosenInShares(t *testing.T) {
	s := candidates(14, 10)
	all := mat.NewDense(14, 1, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4})
	left := mat.DenseCopyOf(s.Problem.Y)
	other := mat.NewDense(10, 1, nil)
	for _, out := range []*mat.Dense{other, left} {
		s.Members = append(s.Members, &Candidate{Machine: &Machine{LeftOut: out, Outputs: all}})
	}
	rule := Balanced{Rule: Least{}, Problem: s.Problem, Shares: []float64{0.25, 0.75}}
	c, err := rule.Choose(t.Context(), s.on(s.judged()))
	if err != nil || len(c.Offset) != 1 || c.Offset[0] != -1.5 || c.Members[0].Candidate.LeftOut != left {
		t.Fatalf("%+v, %v", c, err)
	}
	out, err := Rechosen(t.Context(), rule, s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if got, want := out.At(i, 0), left.At(i, 0)-1.5; got != want {
			t.Errorf("row %d: %g, want %g", i, got, want)
		}
	}
	none := Balanced{Rule: Least{}, Problem: candidates(4, 4).Problem, Shares: []float64{0, 1}}
	if c, err = none.Choose(t.Context(), &Candidates{}); err == nil {
		t.Errorf("of nothing %+v was chosen", c)
	}
}

// seen is a rule that notes by which rows it chooses.
type seen struct {
	Rule
	rows *[][]int
}

func (r seen) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	*r.rows = append(*r.rows, s.Judged)
	return r.Rule.Choose(ctx, s)
}

// TestPartsOfRechosen: judged rows are dealt out to five parts, or to as many as there are rows, and each choice is by the other parts.
func TestPartsOfRechosen(t *testing.T) {
	for l, want := range map[int]int{3: 3, 5: 5, 6: 5, 13: 5} {
		s := candidates(l, l)
		for _, size := range []float64{1, 2} {
			o := mat.DenseCopyOf(s.Problem.Y)
			o.Scale(size, o)
			s.Members = append(s.Members, &Candidate{Machine: &Machine{LeftOut: o}})
		}
		var rows [][]int
		out, err := Rechosen(t.Context(), seen{Least{}, &rows}, s)
		if err != nil || out == nil || len(rows) != want {
			t.Fatalf("%d rows: %d choices, %v", l, len(rows), err)
		}
		times := make([]int, l)
		for _, part := range rows {
			for _, i := range part {
				times[i]++
			}
		}
		for i, n := range times {
			if n != want-1 {
				t.Errorf("%d rows: row %d is in %d of %d choices", l, i, n, want)
			}
		}
	}
}

// TestRechosenInGroups: of machines that guess by groups of four rows, whose answers are alike, what is chosen anew errs on about half only
// where groups are kept whole.
func TestRechosenInGroups(t *testing.T) {
	const l, machines, draws, size = 60, 50, 60, 4
	rng := rand.New(rand.NewPCG(6, 2))
	group := make([]string, l)
	for i := range group {
		group[i] = string(rune('a' + i/size))
	}
	var whole, apart float64
	for range draws {
		s := candidates(l, l)
		for i := range l {
			if i%size == 0 {
				s.Problem.Y.Set(i, 0, float64(1-2*rng.IntN(2)))
			}
			s.Problem.Y.Set(i, 0, s.Problem.Y.At(i-i%size, 0))
			s.Problem.Class[i] = int(s.Problem.Y.At(i, 0)+1) / 2
		}
		s.Members = nil
		for range machines {
			o := mat.NewDense(l, 1, nil)
			for i := range l {
				v := rng.NormFloat64()
				if i%size > 0 {
					v = o.At(i-i%size, 0)
				}
				o.Set(i, 0, v)
			}
			s.Members = append(s.Members, &Candidate{Machine: &Machine{LeftOut: o}})
		}
		for _, c := range []struct {
			group []string
			to    *float64
		}{{nil, &apart}, {group, &whole}} {
			s.Group = c.group
			out, err := Rechosen(t.Context(), Least{}, s)
			if err != nil {
				t.Fatal(err)
			}
			*c.to += score.Error{}.Eval(s.Problem, nil, out, nil) / draws
		}
	}
	if apart > 0.4 || whole < 0.44 || whole > 0.58 {
		t.Errorf("by rows %.3f, by groups %.3f", apart, whole)
	}
	s := candidates(l, l)
	s.Group = make([]string, l)
	for i := range l {
		s.Group[i] = []string{"a", "b"}[i%2]
	}
	s.Members = []*Candidate{{Machine: &Machine{LeftOut: mat.NewDense(l, 1, nil)}}, {Machine: &Machine{LeftOut: mat.NewDense(l, 1, nil)}}}
	if out, err := Rechosen(t.Context(), Least{}, s); out != nil || err != nil {
		t.Errorf("of two groups something is chosen anew: %v, %v", out, err)
	}
}
