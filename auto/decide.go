package auto

import (
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/hyper"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// sharpness is the beta of the weights exp(-beta score/log C + log prior); 12 to
// 25 do alike on the design sets.
const sharpness = 15

// leastWeight drops members that change no printed digit.
const leastWeight = 1e-4

// logPrior is the prior of a candidate against a supervised machine with a
// width: for a graph under such a kernel, normal in log neighbours around 5 (8 for
// mutual ones, of which fewer become edges) and in log ratio around 1e6, and a
// nat more if its weights fall off fast or its edges are mutual; flat for a graph
// under the linear kernel, which for its few parameters has one nat more without
// (a prior against over-fitting the score, Cawley & Talbot 2007).
func logPrior(c *Candidate) float64 {
	switch {
	case c.Linear && c.Supervised():
		return 1
	case c.Linear || c.Supervised():
		return 0
	}
	mean, bonus := 5.0, 0.0
	if c.Graph.Symmetry == graph.Mutual {
		mean, bonus = 8, 1
	}
	if c.Graph.Weights == graph.SelfTuned && c.Graph.Width < 1 {
		bonus = 1
	}
	k := math.Log(float64(c.Graph.Neighbours)/mean) / math.Log(2.5)
	r := (math.Log10(c.Ratio) - 6) / 2
	return bonus - (k*k+r*r)/2
}

// merit is what a single machine is chosen by: the pseudo-log-posterior of the
// judged rows. Squared errors, of a regression or of PRESS or GCV on classes, are
// taken for normal noise of unknown variance, log-likelihood -(l/2) log score.
func (t Task) merit(c *Candidate) float64 {
	rows := float64(len(t.Score.Problem.Labelled))
	if j := t.Score.Judged(); j != nil {
		rows = float64(len(j))
	}
	if t.Score.GCV || t.Score.Criterion == (hyper.Press{}) {
		return logPrior(c) - rows/2*math.Log(c.Score)
	}
	return logPrior(c) - rows*c.Score
}

// best returns the kept candidate of most merit, the first on ties.
func (t Task) best(cs []*Candidate, keep func(*Candidate) bool) *Candidate {
	var b *Candidate
	for _, c := range cs {
		if keep(c) && (b == nil || t.merit(c) > t.merit(b)) {
			b = c
		}
	}
	return b
}

// decide fills in Baseline, Members and Score: one machine, or with Average the
// weighted sum of all (each multiplied by its own temperature, so that outputs
// are log-odds). It falls back to the baseline if the score of what was chosen is
// worse.
func (t Task) decide(c *Choice) error {
	one := func(m *Candidate) { c.Members, c.Score, c.Offset = []Member{{m, 1}}, m.Score, nil }
	c.Baseline = t.best(c.Trained, (*Candidate).Supervised)
	semi := t.best(c.Trained, func(m *Candidate) bool { return !m.Supervised() })
	switch {
	case semi == nil && c.Baseline == nil:
		return ErrNothing
	case semi == nil:
		one(c.Baseline)
		return nil
	case t.Average && t.Score.Criterion == (hyper.LogLoss{}):
		t.average(c)
	default:
		one(semi)
	}
	worse := c.Baseline != nil && (c.Score > c.Baseline.Score || len(c.Members) == 1 && t.merit(semi) < t.merit(c.Baseline))
	if t.Supervised && worse {
		one(c.Baseline)
	}
	return nil
}

// average joins the candidates: log-odds of the left-out predictions, weighted,
// then the class masses of unlabelled rows (massOffsets).
func (t Task) average(c *Choice) {
	p := t.Score.Problem
	beta := sharpness / math.Log(float64(len(p.Classes)))
	logWeight := func(m *Candidate) float64 { return logPrior(m) - beta*m.Score }
	top := math.Inf(-1)
	for _, m := range c.Trained {
		if t.Supervised || !m.Supervised() {
			top = max(top, logWeight(m))
		}
	}
	for _, m := range c.Trained {
		w := math.Exp(logWeight(m) - top)
		if w < leastWeight || m.Supervised() && !t.Supervised {
			continue
		}
		c.Members = append(c.Members, Member{m, w * hyper.Temperature(p, t.Score.Judged(), m.LeftOut)})
	}
	judged := t.Score.Judged()
	left, out := sums(p, c.Members)
	// With the average's own temperature the outputs are log-odds.
	temperature := hyper.Temperature(p, judged, left)
	for i := range c.Members {
		c.Members[i].Weight *= temperature
	}
	c.Score = t.Score.Criterion.Eval(p, judged, left, nil)
	if c.Score < informed*math.Log(float64(len(p.Classes))) {
		out.Scale(temperature, out)
		c.Offset = massOffsets(p, out)
	}
}

// sums returns the weighted sums of the members' left-out outputs and outputs.
func sums(p *learn.Problem, members []Member) (left, out *mat.Dense) {
	left = mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	out = mat.NewDense(p.Rows.Len(), p.Outputs(), nil)
	for _, m := range members {
		var part mat.Dense
		part.Scale(m.Weight, m.LeftOut)
		left.Add(left, &part)
		part.Reset()
		part.Scale(m.Weight, m.Outputs)
		out.Add(out, &part)
	}
	return left, out
}
