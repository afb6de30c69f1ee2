package methodtest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/result"
)

// ofFront are recipes of fronts whose complexity has a short formula: one width, so that the units
// are the rows, and alpha'G alpha where there is a choice.
var ofFront = map[string]given{
	"grn":      {"sigma": "0.6"},
	"mobj-grn": {"sigma": "0.6", "complexity": "q-norm"},
	"mobj-rbf": {"sigma": "0.6", "joint": "no"},
	"rofs":     {"sigma": "0.6"},
	"mobj-svm": {"sigma": "0.6", "C": "0.1,1,10", "complexity": "q-rkhs"},
}

// member is one function of a front, or a model without a certificate, on labelled rows alone.
type member struct {
	said     result.FrontMember
	k        *mat.Dense
	alpha, y []float64
	offset   float64
	left     []float64 // y - f
}

// members reads the members of a front.
func members(t *testing.T, in mercer.Input, f fitted, sigma float64) []member {
	t.Helper()
	y, labelled := targets(f, in.Set.Answers)
	x := f.model.Scaling.Apply(in.Set.Rows).Select(labelled)
	k := gaussian(x, sigma)
	var list []member
	for q, said := range f.front.Front {
		one, err := f.model.Member(q)
		if err != nil {
			t.Fatal(err)
		}
		m := member{said: said, k: k, y: y, alpha: coefficients(t, one.Parts[0], x), left: make([]float64, len(y))}
		if b := one.Parts[0].Offset; b != nil {
			m.offset = b[0]
		}
		for i, v := range times(k, m.alpha) {
			m.left[i] = y[i] - v - m.offset
		}
		list = append(list, m)
	}
	return list
}

// fronts is the check that the members of a front have the risk and the complexity that are said,
// none is worse than another in both, and each is the minimum that it is said to be.
func fronts(t *testing.T, m method.Method) {
	recipe := with(mercer.Recipe{Method: m.ID}, ofFront[m.ID])
	in := sample(t, moons)
	f := one(t, in, recipe)
	list := members(t, in, f, 0.6)
	for q, v := range list {
		risk, complexity := v.objectives(m.ID)
		if !near(risk, v.said.Risk, 1e-8) || !near(complexity, v.said.Complexity, 1e-6) {
			t.Errorf("member %d: risk %g and complexity %g, printed as %g and %g", q+1, risk, complexity, v.said.Risk, v.said.Complexity)
		}
		if q > 0 && (v.said.Risk >= list[q-1].said.Risk || v.said.Complexity <= list[q-1].said.Complexity) {
			t.Errorf("member %d is no better than the one before it", q+1)
		}
		if fault := v.optimal(m.ID); fault > 1e-6 {
			t.Errorf("member %d: the conditions of its minimum are violated by %g", q+1, fault)
		}
	}
	without := one(t, in, with(recipe, given{"--offset": "no"}))
	for q, v := range members(t, in, without, 0.6) {
		if v.offset != 0 {
			t.Errorf("without an offset, member %d has %g", q+1, v.offset)
		}
	}
}

// objectives are the two of a member.
func (m member) objectives(id string) (risk, complexity float64) {
	l := float64(len(m.y))
	for i, r := range m.left {
		if id == "mobj-svm" {
			risk += max(0, m.y[i]*r) / l // 1 - y f = y (y - f)
		} else {
			risk += r * r / l
		}
	}
	norm := times(m.k, m.alpha)
	for i, a := range m.alpha {
		if id == "mobj-rbf" || id == "rofs" {
			complexity += math.Abs(a) / (0.6 * 0.6)
		} else {
			complexity += a * norm[i]
		}
	}
	return risk, complexity
}

// optimal is the largest relative violation of the conditions of the member's minimum; 0 of
// selections, which have none.
func (m member) optimal(id string) float64 {
	pull := times(m.k, m.left) // H'(y - f)
	mean := 0.0                // the residuals sum to zero: a free offset
	for _, r := range m.left {
		mean += r / float64(len(m.y))
	}
	size := mat.Norm(m.k, 1) * slices.Max(m.y)
	switch id {
	case "grn", "mobj-grn": // H'(y - f) = lambda G alpha
		worst := math.Abs(mean)
		lambda, _ := m.said.Params["lambda"].(float64)
		for i, v := range times(m.k, m.alpha) {
			worst = max(worst, math.Abs(pull[i]-lambda*v)/size)
		}
		return worst
	case "mobj-rbf": // |H'(y - f)| is the same for all units in use, and not larger for others
		worst, most := math.Abs(mean), 0.0
		for _, v := range pull {
			most = max(most, math.Abs(v))
		}
		for i, a := range m.alpha {
			if a != 0 {
				worst = max(worst, math.Abs(pull[i]-math.Copysign(most, a))/size)
			}
		}
		return worst
	case "mobj-svm":
		return m.margin()
	}
	return 0
}

// margin is the relative duality gap of a support vector machine, beyond the 1e-3 that its solver
// stops at: sum_i max(0, 1 - y f) - y a (1 - y f)/C is its Fenchel gap, with 0 <= y a <= C.
func (m member) margin() float64 {
	c, _ := m.said.Params["C"].(float64)
	gap, risk, sum := 0.0, 0.0, 0.0
	for i, a := range m.alpha {
		slack := m.y[i] * m.left[i] // 1 - y f
		risk += max(0, slack)
		gap += max(0, slack) - m.y[i]*a*slack/c
		sum += a
		if v := m.y[i] * a; v < -1e-9*c || v > c*(1+1e-9) {
			return math.Inf(1)
		}
	}
	for i, v := range times(m.k, m.alpha) {
		risk += m.alpha[i] * v / (2 * c)
	}
	return max(0, gap/risk-1e-2, math.Abs(sum)/c-1e-9)
}

// near says whether two numbers agree, to a relative error.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*(math.Abs(a)+math.Abs(b))+1e-12
}

// weightedMean is the check of a mean of the targets: it is that, by its formula.
func weightedMean(t *testing.T, m method.Method) {
	in := sample(t, widths)
	f := one(t, in, mercer.Recipe{Method: m.ID})
	sigma, _ := f.result.Params["sigma"].(float64)
	y, labelled := targets(f, in.Set.Answers)
	k := gaussian(f.model.Scaling.Apply(in.Set.Rows), sigma)
	got, err := f.model.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Set.Rows.Len() {
		var sum, of float64
		for q, j := range labelled {
			sum += k.At(i, j) * y[q]
			of += k.At(i, j)
		}
		if !near(got.At(i, 0), sum/of, 1e-9) {
			t.Errorf("row %d: %g, the formula gives %g", i, got.At(i, 0), sum/of)
		}
	}
}

// oneClass is the check of a machine of one class: coefficients in [0, 1/(nu n)] times their sum,
// zero for rows inside and at the bound for rows outside.
func oneClass(t *testing.T, m method.Method) {
	const nu, tolerance = 0.2, 1e-6
	in := sample(t, moons)
	f := one(t, in, with(mercer.Recipe{Method: m.ID, Tolerance: tolerance}, given{"nu": fmt.Sprint(nu)}))
	x := f.model.Scaling.Apply(in.Set.Rows)
	sigma, _ := f.result.Params["sigma"].(float64)
	alpha := coefficients(t, f.model.Parts[0], x)
	total, rows := 0.0, 0.0 // of those that are learned from: all but the others of its kind, labelled -1
	for i, a := range alpha {
		if total += a; in.Set.Answers[i] != "-1" {
			rows++
		}
	}
	bound := total / (nu * rows)
	objective := 0.0
	for i, v := range times(gaussian(x, sigma), alpha) {
		objective += alpha[i] * v / 2
		out := v + f.model.Parts[0].Offset[0]
		if in.Set.Answers[i] == "-1" {
			continue
		}
		if alpha[i] < 0 || alpha[i] > bound*(1+1e-9) || alpha[i] > 0 && out > 10*tolerance*total ||
			alpha[i] < bound*(1-1e-9) && out < -10*tolerance*total {
			t.Errorf("row %d: coefficient %g of at most %g, output %g", i, alpha[i], bound, out)
		}
	}
	if !near(objective, f.result.Certificate.Objective, 1e-9) {
		t.Errorf("the objective is %g, printed as %g", objective, f.result.Certificate.Objective)
	}
}
