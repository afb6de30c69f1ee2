package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pairs makes probabilities of one-versus-one outputs: a sigmoid for each pair of
// classes a < b, in the order (0,1), (0,2), ..., (1,2), ..., coupled. With
// r_ab = P(a | a or b), the probability by the pair's sigmoid, they are those of Coupling.Solve.
//
// Coupling counts the pairs of which a row is neither, so that what it is sure of is
// diluted; Power, fitted to the held-out outputs as a temperature, makes up for it: the
// probabilities are in proportion to p_a^Power.
//
// The class with the most votes need not be the most probable then; Agree makes it.
// Held-out log loss, mean of 9 sets x 3 machines (BenchmarkLogLoss/many): 0.423 of
// svm-predict -b 1, which is against 0.4 to 31 % of the votes; 0.421 coupled, 0.423
// with agreement, 0.378 with the power too, in each of the 27 below LIBSVM's. Making the
// pairs agree with their votes before coupling: 0.425 without power.
type Pairs struct {
	Classes int       `json:"classes"`
	Pair    []Sigmoid `json:"pair"`
	Power   float64   `json:"power,omitempty"` // default 1
}

// FitPairs fits a sigmoid for each pair of classes to the held-out outputs (one
// column a pair) of the rows of the two, weighted if weight is not nil. A pair without any row is an error, as is
// an output of its rows that is not finite; what rows have in columns of other
// pairs is not looked at. Cost: k-1 times that of a sigmoid over all rows.
func FitPairs(scores *mat.Dense, class []int, classes int, weight []float64) (Pairs, error) {
	if classes < 2 {
		panic(fmt.Sprintf("calibrate: %d classes have no pair", classes))
	}
	p := Pairs{Classes: classes, Pair: make([]Sigmoid, 0, classes*(classes-1)/2)}
	if len(class) > 0 {
		if n, c := scores.Dims(); n != len(class) || c != cap(p.Pair) {
			panic(fmt.Sprintf("calibrate: %d x %d outputs for %d rows and %d pairs", n, c, len(class), cap(p.Pair)))
		}
	}
	var f, w []float64 // w is nil without weights
	var second []bool
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			f, second, w = f[:0], second[:0], w[:0]
			for i, y := range class {
				if y == a || y == b {
					v := scores.At(i, len(p.Pair))
					if v-v != 0 {
						return Pairs{}, fmt.Errorf("calibrate: row %d: output %d is %g; outputs must be finite numbers", i, len(p.Pair), v)
					}
					f, second = append(f, v), append(second, y == b)
					if weight != nil {
						w = append(w, weight[i])
					}
				}
			}
			if len(f) == 0 {
				return Pairs{}, fmt.Errorf("calibrate: no held-out row of class %d or %d; hold some of every class out", a, b)
			}
			s, err := FitSigmoid(f, second, w)
			if err != nil {
				return Pairs{}, err
			}
			p.Pair = append(p.Pair, s)
		}
	}
	err := p.FitPower(scores, class, weight)
	return p, err
}

// FitPower fits the power alone, as FitSoftmax its temperature, to the probabilities that
// the pairs, coupled, give held-out outputs. Of two classes nothing is coupled, and rows
// that lack outputs of other pairs say nothing of the whole: the power is then 1.
func (p *Pairs) FitPower(scores *mat.Dense, class []int, weight []float64) error {
	p.Power = 0
	if p.Classes == 2 {
		return nil
	}
	log := mat.NewDense(len(class), p.Classes, nil)
	err := p.each(log, scores, func(_ int, row []float64) error {
		for j, v := range row {
			row[j] = math.Log(max(v, least))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	s, err := FitSoftmax(log, class, weight)
	if s.Temperature > 0 {
		p.Power = s.Temperature
	}
	return err
}

// Check implements Calibration.
func (p Pairs) Check() error {
	if p.Classes < 2 || len(p.Pair) != p.Classes*(p.Classes-1)/2 {
		return fmt.Errorf("pairs: %d sigmoids for %d classes", len(p.Pair), p.Classes)
	}
	if !(p.Power >= 0) || math.IsInf(p.Power, 1) {
		return fmt.Errorf("pairs: power %g; it must be finite and not negative", p.Power)
	}
	for i, s := range p.Pair {
		if err := s.Check(); err != nil {
			return fmt.Errorf("pairs: pair %d: %w", i, err)
		}
	}
	return nil
}

// Probabilities implements Calibration: one output a pair. Cost: k^3/3
// multiplications a row.
func (p Pairs) Probabilities(dst, scores *mat.Dense, winner []int) error {
	mustFit(dst, scores, winner, len(p.Pair), p.Classes)
	return p.each(dst, scores, func(i int, row []float64) error {
		if p.Power > 0 && p.Power != 1 {
			for j, v := range row {
				row[j] = math.Pow(max(v, least), p.Power)
			}
		}
		return agreeRow(i, row, winner[i])
	})
}

// each stores in the rows of dst what the pairs say of those of scores, coupled, and calls
// then with each.
func (p Pairs) each(dst, scores *mat.Dense, then func(row int, p []float64) error) error {
	k := p.Classes
	pairs := NewCoupling(k)
	n, _ := scores.Dims()
	for i := range n {
		f := scores.RawRowView(i)
		if err := finiteRow(i, f); err != nil {
			return err
		}
		o := 0
		for a := range k {
			for b := a + 1; b < k; b++ {
				pairs.Set(b, a, p.Pair[o].Probability(f[o]))
				o++
			}
		}
		pairs.Solve(dst.RawRowView(i))
		if err := then(i, dst.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}
