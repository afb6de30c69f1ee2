package reproduce

// Protocol of Kokshenev 2010. Chapter 4: the front of Gaussian networks of one width in (SSE, Q = |alpha|_1/sigma^2), from
// which a decisor chooses afterwards: AIC and BIC on the training rows (eqs 4.29, 4.30 with 4.33), a validation set (MVE,
// 2.47) or folds (CV, 4.26). Chapter 5: kernel machines over a grid of kernel and C, chosen by folds among all (GS) or
// among those nondominated in (hinge loss, Q_norm or Q_ref).

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/learn"
	learned "github.com/mercer-ml/mercer/model"
)

// Metrics that several tables have.
const (
	unitCount = "units"
	qRBF      = "Q"
	widthRBF  = "sigma"
	sumCoef   = "|alpha|_1"
	trainRMSE = "training RMSE"
)

// target is the column of targets y as a matrix.
func target(y []float64) *mat.Dense { return mat.NewDense(len(y), 1, slices.Clone(y)) }

// network adds the rows that describe element i of a front.
func (l *lab) network(name string, f *rbf.Front, i int) {
	e := &f.Elements[i]
	l.add(name, unitCount, float64(len(e.Units)))
	l.add(name, qRBF, e.Q)
	if s := f.Sigma(i); !math.IsNaN(s) { // the constant network and joint ones have none
		l.add(name, widthRBF, s)
	}
	l.add(name, sumCoef, e.L1())
}

// members is a front as decisors see it; errors is nil for regressions.
func members(f *rbf.Front, errors []int) choose.Front {
	out := choose.Front{N: f.Rows}
	for i := range f.Elements {
		e := &f.Elements[i]
		m := choose.Member{SSE: e.SSE, Complexity: e.Q, DF: float64(len(e.Units)), Errors: -1}
		if errors != nil {
			m.Errors = errors[i]
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// decide returns the element that the decisor chooses and all scores.
func decide(f choose.Front, d choose.Decisor) (int, []float64) {
	got := must(d.Decide(f))
	if got.Chosen < 0 {
		fail("%s: no member of the front has a finite score", d.Name())
	}
	return got.Chosen, got.Score
}

// namedDecisor is a decisor as the source calls it.
type namedDecisor struct {
	name    string
	decisor choose.Decisor
}

// held is the decisor of a validation.
func held(word string, v *rbf.Validation) choose.Decisor { return choose.Held{Word: word, Loss: v.SSE} }

// folded validates a front in k shuffled folds, in which classes keep their shares. y are the labels as numbers.
func (l *lab) folded(ctx context.Context, f *rbf.Front, x data.Rows, y []float64, labels data.Labels, k int) *rbf.Validation {
	return must(f.CrossValidate(ctx, x, y, must(data.Folds(labels, k, l.seed)).Groups()))
}

// at is the element of complexity nearest to q.
func at(f *rbf.Front, q float64) int {
	best := 0
	for i := range f.Elements {
		if math.Abs(f.Elements[i].Q-q) < math.Abs(f.Elements[best].Q-q) {
			best = i
		}
	}
	return best
}

// quantile is the p-quantile, linear between order statistics: 0 and 1 are the ends.
func quantile(v []float64, p float64) float64 {
	s := slices.Sorted(slices.Values(v))
	at := p * float64(len(s)-1)
	k := min(int(at), len(s)-1)
	return s[k] + (at-float64(k))*(s[min(k+1, len(s)-1)]-s[k])
}

// spread are the standard deviation and the inter-quartile range, 0 for one value.
func spread(v []float64) (std, iqr float64) {
	if len(v) < 2 {
		return 0, 0
	}
	return stat.StdDev(v, nil), quantile(v, 0.75) - quantile(v, 0.25)
}

const (
	spiralTurns = 97 // points a class (Lang and Witbrock 1988)
	// spiralNoise is the standard deviation of the noise of the second experiment, which the
	// source does not give: with it the printed training errors come out.
	spiralNoise = 0.3
	spiralFolds = 10
)

// spiral is `copies` times the twin spiral with noise of standard deviation sd on both inputs: point i has angle i pi/16
// and radius 6.5 (104-i)/104, (r sin, r cos) of class 1 and its negative of class -1.
func spiral(rng *rand.Rand, copies int, sd float64) (data.Rows, []float64) {
	x := mat.NewDense(2*spiralTurns*copies, 2, nil)
	var y []float64
	for range copies {
		for _, class := range [...]float64{1, -1} {
			for i := range spiralTurns {
				sin, cos := math.Sincos(float64(i) * math.Pi / 16)
				r := class * 6.5 * float64(104-i) / 104
				row := x.RawRowView(len(y))
				row[0], row[1] = r*sin, r*cos
				if sd > 0 {
					row[0] += sd * rng.NormFloat64()
					row[1] += sd * rng.NormFloat64()
				}
				y = append(y, class)
			}
		}
	}
	return data.Rows{Dense: x}, y
}

// spiralTrial is an experiment of section 4.5.1 with its front.
type spiralTrial struct {
	name   string
	x      data.Rows
	y      []float64
	front  *rbf.Front
	errors []int // training rows classified wrongly, by element
	folds  *rbf.Validation
}

// validation is the front's in the folds.
func (t *spiralTrial) validation(ctx context.Context, l *lab) *rbf.Validation {
	if t.folds == nil {
		l.say("%s: folds", t.name)
		t.folds = l.folded(ctx, t.front, t.x, t.y, labelsOf(t.y), atMost(ctx, "folds", 3, spiralFolds))
	}
	return t.folds
}

var spiralRecipe = rbf.MOBJ{Widths: rbf.Widths{Lo: 0.2, Hi: 2, Steps: 100}, MaxQ: 1000, Steps: 500}

// spirals makes both experiments and their fronts.
func (l *lab) spirals(ctx context.Context, recipe rbf.MOBJ) []*spiralTrial {
	first := l.spiralTrial(ctx, "experiment 1", recipe, 1, 0)
	second := l.spiralTrial(ctx, "experiment 2", recipe, atMost(ctx, "copies of the spiral", 1, 3), spiralNoise)
	return []*spiralTrial{first, second}
}

func (l *lab) spiralTrial(ctx context.Context, name string, recipe rbf.MOBJ, copies int, sd float64) *spiralTrial {
	l.say("%s: front", name)
	t := &spiralTrial{name: name}
	t.x, t.y = spiral(l.stream(0), copies, sd)
	t.front = must(brief(ctx, recipe).Fit(ctx, t.x, target(t.y)))[0]
	t.errors = must(t.front.Misclassified(ctx, t.x, t.y))
	return t
}

// show adds the rows of element i.
func (t *spiralTrial) show(l *lab, name string, i int) {
	name = t.name + ", " + name
	l.network(name, t.front, i)
	l.add(name, trainRMSE, math.Sqrt(t.front.Elements[i].SSE/float64(len(t.y))))
	l.add(name, "training rows wrong", float64(t.errors[i]))
}

// compare sets what the source prints of an element.
func (t *spiralTrial) compare(l *lab, name string, v [5]float64) {
	for m, metric := range [...]string{unitCount, qRBF, widthRBF, sumCoef, trainRMSE} {
		if _, ok := l.at[[2]string{t.name + ", " + name, metric}]; ok {
			l.printed(t.name+", "+name, metric, v[m])
		}
	}
}

// table41 is printed: units, Q, sigma, |alpha|_1, training RMSE of elements chosen by decisors or, without, picked by the author.
var table41 = []struct {
	experiment int
	name       string
	by         []string
	v          [5]float64
}{
	{0, "overfitting", nil, [5]float64{183, 997.04, 0.50, 244.71, 0.0005}},
	{0, "AIC and BIC", []string{"AIC", "BIC"}, [5]float64{153, 413.09, 0.67, 185.61, 0.0335}},
	{0, "10-fold CV", []string{"10-fold CV"}, [5]float64{14, 0.09, 2.00, 0.37, 0.9967}},
	{0, "underfitting", nil, [5]float64{145, 101.18, 0.67, 45.46, 0.7064}},
	{1, "overfitting", nil, [5]float64{261, 996.60, 0.51, 256.25, 0.4201}},
	{1, "AIC and BIC", []string{"AIC", "BIC"}, [5]float64{165, 473.58, 0.63, 185.08, 0.4917}},
	{1, "10-fold CV", []string{"10-fold CV"}, [5]float64{176, 508.46, 0.61, 189.68, 0.4828}},
	{1, "underfitting", nil, [5]float64{101, 100.29, 0.70, 49.46, 0.7774}},
}

// kokshenevT41 is the front of the twin spiral, without and with noise, and what is chosen.
func kokshenevT41(ctx context.Context, l *lab) {
	trials := l.spirals(ctx, spiralRecipe)
	declare(ctx, "printed", table41)
	for k, t := range trials {
		for _, row := range table41 {
			if row.experiment != k {
				continue
			}
			i := at(t.front, row.v[1])
			if len(t.front.Elements[i].Units) == 0 {
				continue // the printed Q = 0.09 is below the first step of the front
			}
			name := fmt.Sprintf("the element at the Q printed for %s", row.name)
			t.show(l, name, i)
			t.compare(l, name, row.v)
		}
		if k == 0 { // the other has noise
			for _, q := range []float64{20, 60, 100, 120, 200, 300, 400, 500} {
				t.show(l, fmt.Sprintf("front at Q = %g", q), at(t.front, q))
			}
		}
		t.decisions(ctx, l)
		for _, row := range table41 {
			if row.experiment != k {
				continue
			}
			for _, decisor := range row.by {
				t.compare(l, "chosen by "+decisor, row.v)
			}
		}
		t.joint(ctx, l)
		course := Curve{Name: "front"}
		for _, e := range t.front.Elements {
			course.X, course.Y = append(course.X, e.Q), append(course.Y, math.Sqrt(e.SSE/float64(len(t.y))))
		}
		l.draw(Figure{Name: strings.ReplaceAll(t.name, " ", "-"), Title: "The front of the twin spiral, " + t.name,
			X: Axis{Name: qRBF}, Y: Axis{trainRMSE, true}, Curves: []Curve{course}})
	}
}

// decisions adds what the decisors choose.
func (t *spiralTrial) decisions(ctx context.Context, l *lab) {
	f := members(t.front, t.errors)
	v := t.validation(ctx, l)
	for _, d := range []namedDecisor{
		{"AIC", choose.AIC{}}, {"BIC", choose.BIC{}},
		{"10-fold CV", held("cv", v)}, {"10-fold CV of errors", choose.Held{Word: "cv", Loss: v.Errors}},
		{"AIC (4.34) as printed", choose.AIC{Form: choose.Printed}}, {"AIC (4.34) corrected", choose.AIC{Form: choose.Classes}},
	} {
		i, _ := decide(f, d.decisor)
		t.show(l, "chosen by "+d.name, i)
		l.add(t.name+", chosen by "+d.name, "wrong in the folds, %", 100*v.Errors[i]/float64(v.Rows))
	}
}

// joint compares the joint front with that of one width at some complexities.
func (t *spiralTrial) joint(ctx context.Context, l *lab) {
	l.say("%s: joint front", t.name)
	fronts := must(rbf.Joint{Widths: rbf.Widths{Lo: 0.2, Hi: 2}, MaxQ: 500}.Fit(ctx, t.x, target(t.y)))
	for _, q := range []float64{100, 300} {
		name := fmt.Sprintf("%s, joint front at Q = %g", t.name, q)
		i := at(fronts[0], q)
		l.network(name, fronts[0], i)
		l.add(name, trainRMSE, math.Sqrt(fronts[0].Elements[i].SSE/float64(len(t.y))))
	}
}

// kokshenevF44 is the course of the scores along both fronts.
func kokshenevF44(ctx context.Context, l *lab) {
	for _, t := range l.spirals(ctx, spiralRecipe) {
		t.scores(ctx, l)
	}
}

// scores adds the scores at complexities of the front and draws their course.
func (t *spiralTrial) scores(ctx context.Context, l *lab) {
	f := members(t.front, t.errors)
	v := t.validation(ctx, l)
	decisors := []choose.Decisor{choose.AIC{}, choose.BIC{}, held("cv", v)}
	scored := make([][]float64, len(decisors))
	for k, d := range decisors {
		_, scored[k] = decide(f, d)
	}
	picture := Figure{Name: strings.ReplaceAll(t.name, " ", "-"), Title: "Scores along the front, " + t.name, X: Axis{Name: qRBF},
		Y: Axis{"score a row", true}}
	for k, d := range decisors {
		c := Curve{Name: d.Name()}
		for i, s := range scored[k] {
			if s > 0 {
				c.X, c.Y = append(c.X, t.front.Elements[i].Q), append(c.Y, s/float64(len(t.y)))
			}
		}
		picture.Curves = append(picture.Curves, c)
	}
	l.draw(picture)
	for q := 100.0; q <= 1000; q += 100 {
		i := at(t.front, q)
		for k, d := range decisors {
			if s := scored[k][i]; !math.IsInf(s, 0) {
				l.add(fmt.Sprintf("%s, Q = %g", t.name, q), d.Name()+" a row", s/float64(len(t.y)))
			}
		}
	}
}

// fitSpiral is the grid of table 4.1 as the front door has it: 250 steps of Q, as many widths as it takes by itself.
var fitSpiral = rbf.MOBJ{Widths: rbf.Widths{Lo: 0.2, Hi: 2, Seed: 1}, MaxQ: 1000}

// kokshenevFit is the choice by AIC and BIC on the twin spiral.
func kokshenevFit(ctx context.Context, l *lab) {
	grid := brief(ctx, fitSpiral)
	trials := l.spirals(ctx, grid)
	for k, t := range trials[:atMost(ctx, "experiments", 1, len(trials))] {
		for _, d := range []choose.Decisor{choose.AIC{}, choose.BIC{}} {
			l.decidedTwice(ctx, t, d, grid)
		}
		for _, row := range table41 {
			if row.experiment != k || len(row.by) != 2 {
				continue
			}
			for _, d := range []string{"aic", "bic"} {
				name := t.name + ", chosen by " + d
				for m, metric := range map[int]string{0: unitCount, 1: qRBF, 4: trainRMSE} {
					l.printedBoth(name, metric, row.v[m])
				}
			}
		}
	}
}

// decidedTwice chooses from the front of a spiral both ways.
func (l *lab) decidedTwice(ctx context.Context, t *spiralTrial, d choose.Decisor, grid rbf.MOBJ) {
	i, _ := decide(members(t.front, t.errors), d)
	e := &t.front.Elements[i]
	in := inputOf(learn.NewProblem(t.x, labelsOf(t.y)), data.Rows{}, nil)
	r := mercer.Recipe{Method: "mobj-rbf", Decision: d.Name(), Scale: "none", Seed: 1,
		Set: map[string]string{"joint": "no", "sigma": text(grid.Widths.Lo) + "," + text(grid.Widths.Hi), "max_q": text(grid.MaxQ)}}
	m, res := fit(ctx, in, r)
	mse := meanSquare(mat.Col(nil, 0, must(m.Predict(ctx, t.x))), t.y)
	var q float64
	// Q is read off the model itself: |alpha|_1/sigma^2 of its expansion.
	for _, f := range m.Parts[0].Functions {
		x, ok := f.(learned.Expansion)
		if !ok {
			fail("mercer.Fit, %s: a model of %T", r.Method, f)
		}
		sigma := x.Kernel.Space()[0].Default
		n, _ := x.Coef.Dims()
		for k := range n {
			q += math.Abs(x.Coef.At(k, 0)) / (sigma * sigma)
		}
	}
	name := t.name + ", chosen by " + d.Name()
	l.both(name, unitCount, float64(len(e.Units)), float64(res.Support))
	l.both(name, qRBF, e.Q, q)
	l.both(name, trainRMSE, math.Sqrt(e.SSE/float64(len(t.y))), math.Sqrt(mse))
}
