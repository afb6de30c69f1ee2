package auto

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
)

// sharpness is the beta of the weights exp(-beta score/log C + log prior); 12 to
// 25 do alike on the design sets.
const sharpness = 15

// leastWeight drops members that change no printed digit.
const leastWeight = 1e-4

// logPrior is the prior of a candidate against a supervised machine with a
// width: for a graph under such a kernel, normal in log neighbours around 5 (8 for
// mutual ones, of which fewer become edges) and in log ratio around 1e6, and a
// nat more if its weights fall off fast or its edges are mutual; on sparse rows,
// which are mostly texts, normal around 20 neighbours whatever the graph (the
// literature on texts has 10 to 50); one nat for a linear machine with or without
// a graph, for its few parameters (a prior against over-fitting the score, Cawley
// & Talbot 2007).
func (t Task) logPrior(c *Candidate) float64 {
	switch {
	case c.Linear:
		return 1
	case c.Supervised():
		return 0
	}
	mean, bonus := 5.0, 0.0
	switch {
	case t.Score.Problem.Rows.IsSparse():
		mean = 20
	case c.Graph.Symmetry == graph.Mutual:
		mean, bonus = 8, 1
	case c.Graph.Weights == graph.SelfTuned && c.Graph.Width < 1:
		bonus = 1
	}
	k := math.Log(float64(c.Graph.Neighbours)/mean) / math.Log(2.5)
	strength := 6.0
	if t.Landmarks != nil {
		strength = 2
	}
	r := (math.Log10(c.Ratio) - strength) / 2
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
	if t.Score.GCV || t.Score.Penalty > 0 || t.Score.Criterion == (score.Press{}) {
		return t.logPrior(c) - rows/2*math.Log(c.Score)
	}
	return t.logPrior(c) - rows*c.Score
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
// are log-odds). It falls back to the baseline if one machine has less merit or a
// worse score, or if the average is clearly worse; on landmarks, which blur a graph, unless
// the average is clearly better.
func (t Task) decide(c *Choice) error {
	one := func(m *Candidate) { c.Members, c.Score, c.Offset = []Member{{m, 1}}, m.Score, nil }
	c.Baseline = t.best(c.Trained, (*Candidate).Supervised)
	semi := t.best(c.Trained, func(m *Candidate) bool { return !m.Supervised() })
	safe := t.Supervised && c.Baseline != nil
	switch {
	case semi == nil && c.Baseline == nil:
		return ErrNothing
	case semi == nil:
		one(c.Baseline)
	case t.Average && t.Score.Criterion == (score.LogLoss{}):
		left := t.average(c)
		if safe && (t.clearlyWorse(left, c.Baseline.LeftOut) || t.Landmarks != nil && !t.clearlyWorse(c.Baseline.LeftOut, left)) {
			one(c.Baseline)
		}
	default:
		one(semi)
		if safe && (semi.Score > c.Baseline.Score || t.merit(semi) < t.merit(c.Baseline)) {
			one(c.Baseline)
		}
	}
	return nil
}

// clearlyWorse says whether the log losses of left-out outputs a are worse than
// those of b by more than a standard error of their mean difference: b is the best
// of several, so its score is flattered, and so few rows are judged that a smaller
// difference means nothing.
func (t Task) clearlyWorse(a, b *mat.Dense) bool {
	p, judged := t.Score.Problem, t.Score.Judged()
	d := score.LogLoss{}.Losses(p, judged, a)
	for q, v := range (score.LogLoss{}).Losses(p, judged, b) {
		d[q] -= v
	}
	if len(d) < 2 {
		return d[0] > 0
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return mean > stat.StdErr(sd, float64(len(d)))
}

// average joins the candidates: log-odds of the left-out predictions, weighted,
// then the class masses of unlabelled rows (massOffsets). It returns the average
// of the left-out outputs.
func (t Task) average(c *Choice) *mat.Dense {
	p := t.Score.Problem
	beta := sharpness / math.Log(float64(len(p.Classes)))
	logWeight := func(m *Candidate) float64 { return t.logPrior(m) - beta*m.Score }
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
		c.Members = append(c.Members, Member{m, w * score.Temperature(p, t.Score.Judged(), m.LeftOut)})
	}
	judged := t.Score.Judged()
	left, out := sums(p, c.Members)
	// With the average's own temperature the outputs are log-odds.
	temperature := score.Temperature(p, judged, left)
	for i := range c.Members {
		c.Members[i].Weight *= temperature
	}
	c.Score = t.Score.Criterion.Eval(p, judged, left, nil)
	if c.Score < informed*math.Log(float64(len(p.Classes))) {
		out.Scale(temperature, out)
		c.Offset = massOffsets(p, out)
	}
	return left
}

// Outputs are the summed outputs of the members on all rows, without their offsets and the
// choice's.
func Outputs(p *learn.Problem, members []Member) *mat.Dense {
	return sum(p.Rows.Len(), p.Outputs(), members, func(m Member) *mat.Dense { return m.Machine.Outputs })
}

// sum adds the weighted tables of the members.
func sum(rows, columns int, members []Member, table func(Member) *mat.Dense) *mat.Dense {
	out := mat.NewDense(rows, columns, nil)
	for _, m := range members {
		var part mat.Dense
		part.Scale(m.Weight, table(m))
		out.Add(out, &part)
	}
	return out
}

// sums returns the weighted sums of the members' left-out outputs and outputs.
func sums(p *learn.Problem, members []Member) (left, out *mat.Dense) {
	left = sum(len(p.Labelled), p.Outputs(), members, func(m Member) *mat.Dense { return m.LeftOut })
	return left, Outputs(p, members)
}
