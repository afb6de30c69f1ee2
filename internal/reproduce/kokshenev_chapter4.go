package reproduce

// Protocol of Kokshenev 2010. Chapter 4: the front of Gaussian networks of one width in (SSE, Q = |alpha|_1/sigma^2), from
// which a decisor chooses afterwards: AIC and BIC on the training rows (eqs 4.29, 4.30 with 4.33), a validation set (MVE,
// 2.47) or folds (CV, 4.26). Chapter 5: kernel machines over a grid of kernel and C, chosen by folds among all (GS) or
// among those nondominated in (hinge loss, Q_norm or Q_ref).

import (
	"cmp"
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
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/kernel"
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

var (
	sincSizes  = [...]int{50, 100, 200}
	sincNoises = [...]float64{0.1, 0.2, 0.4}
)

// The methods of table 4.2 and, after them, ours.
var sincMethods = [...]string{
	"MOBJ-AIC",
	"MOBJ-BIC",
	"MOBJ-MVE",
	"ROFS-GCV",
	"ROFS-BIC",
	"ROFS-GCV with the cost of choosing",
	"ROFS-BIC with the cost of choosing",
	"joint-AIC",
	"joint-BIC",
	"joint-MVE",
}

// printed42 is printed: test NRMSE x 100 by noise, method and size.
var printed42 = [3][5][3]float64{
	{{2.76, 1.84, 1.29}, {2.72, 1.86, 1.32}, {2.51, 1.78, 1.2}, {8.97, 5.97, 3.87}, {9.79, 4.46, 1.41}},
	{{4.25, 2.81, 1.97}, {4.09, 2.77, 1.98}, {3.89, 2.64, 1.8}, {11.6, 9.1, 6.75}, {11.5, 6.66, 2.51}},
	{{5.49, 3.54, 2.53}, {5.4, 3.53, 2.44}, {5.11, 3.51, 2.28}, {12.3, 10.5, 8.54}, {12.2, 8.66, 3.95}},
}

// sincDraw is a noise realisation: sin(x)/x on a regular grid of (0, 4 pi] with noise of standard deviation sd. Sets of n
// rows are nested: that of 2n is that of n with its validation rows, which lie between.
type sincDraw struct {
	x data.Rows
	y []float64
}

const sincEnd = 4 * math.Pi

func sinc(x float64) float64 { return math.Sin(x) / x }

func newSincDraw(rng *rand.Rand, sd float64) *sincDraw {
	n := 2 * sincSizes[len(sincSizes)-1]
	d := &sincDraw{x: data.Rows{Dense: mat.NewDense(n, 1, nil)}}
	for i := range n {
		x := sincEnd * float64(i+1) / float64(n)
		d.x.Dense.Set(i, 0, x)
		d.y = append(d.y, sinc(x)+sd*rng.NormFloat64())
	}
	return d
}

// part returns the n training rows or, those between them, the n validation rows.
func (d *sincDraw) part(n int, validate bool) (data.Rows, []float64) {
	step := len(d.y) / n
	var idx []int
	for i := step - 1; i < len(d.y); i += step {
		if validate {
			idx = append(idx, i-step/2)
		} else {
			idx = append(idx, i)
		}
	}
	return d.x.Select(idx), pickOf(d.y, idx)
}

// sincGrid are the widths of all methods, and of the front its complexities.
var sincGrid = rbf.MOBJ{Widths: rbf.Widths{Lo: 0.05, Hi: 6, Steps: 100}, MaxQ: 150, Steps: 1000}

// errors returns the test NRMSE x 100 of the methods for n training rows.
func (d *sincDraw) errors(ctx context.Context, n int, grid rbf.MOBJ) []float64 {
	x, y := d.part(n, false)
	vx, vy := d.part(n, true)
	tx, ty := data.Rows{Dense: mat.NewDense(1000, 1, nil)}, make([]float64, 1000)
	for i := range ty {
		v := sincEnd * float64(i+1) / float64(len(ty))
		tx.Dense.Set(i, 0, v)
		ty[i] = sinc(v)
	}
	var errs []float64
	test := func(f *rbf.Front, i int) {
		mse := meanSquare(mat.Col(nil, 0, must(f.Predict(ctx, tx, []int{i}))), ty)
		errs = append(errs, 100*math.Sqrt(mse)/(slices.Max(y)-slices.Min(y)))
	}
	front := func(f *rbf.Front) {
		v := must(f.Validate(ctx, vx, vy))
		for _, decisor := range []choose.Decisor{choose.AIC{}, choose.BIC{}, held("mve", v)} {
			i, _ := decide(members(f, nil), decisor)
			test(f, i)
		}
	}
	front(must(grid.Fit(ctx, x, target(y)))[0])
	for _, cost := range [2]float64{-1, 0} { // the criteria of the source, then with the cost of choosing a unit
		chosen := must(rbf.ROFS{Widths: grid.Widths, Criteria: []rbf.Criterion{rbf.GCV, rbf.BIC}, Cost: cost}.Fit(ctx, x, target(y)))
		for _, s := range chosen {
			test(s.Fronts[0], 0)
		}
	}
	widths := grid.Widths
	widths.Steps = 0
	front(must(rbf.Joint{Widths: widths, MaxQ: grid.MaxQ}.Fit(ctx, x, target(y)))[0])
	return errs
}

func sincCase(sd float64, n int, method string) string {
	return fmt.Sprintf("noise %g, N = %d, %s", sd, n, method)
}

const nrmse = "test NRMSE x 100"

// sincCells runs all realisations of all cells.
func (l *lab) sincCells(ctx context.Context, sizes []int, grid rbf.MOBJ) {
	for _, sd := range thin(ctx, "noises", 1, sincNoises[:]) {
		for _, n := range sizes {
			l.say("noise %g, N = %d", sd, n)
			all := make([][]float64, l.runs)
			each(l.runs, func(run int) { all[run] = newSincDraw(l.stream(run), sd).errors(ctx, n, grid) })
			for _, errs := range all {
				for k, e := range errs {
					l.add(sincCase(sd, n, sincMethods[k]), nrmse, e)
				}
			}
		}
	}
}

// kokshenevT42 compares fronts with forward selection on sinc with noise.
func kokshenevT42(ctx context.Context, l *lab) {
	l.sincCells(ctx, thin(ctx, "sizes", 1, sincSizes[:]), brief(ctx, sincGrid))
	declare(ctx, "printed", printed42)
	for s, sd := range sincNoises {
		for m := range printed42[s] {
			for k, n := range sincSizes {
				l.printed(sincCase(sd, n, sincMethods[m]), nrmse, printed42[s][m][k])
			}
		}
	}
}

// The metrics of table 4.3 that the other tables of the source do not have.
const falsePositive, falseNegative = "false positives", "false negatives"

// cancerGrid is the recipe of section 4.5.3: sigma from d_5/3 to 3 d_95.
var cancerGrid = rbf.MOBJ{Widths: rbf.Widths{Steps: 50}, MaxQ: 100, Steps: 250}

const cancerFolds = 10

// kokshenevT43 compares decisors and an SVM on breast cancer.
func kokshenevT43(ctx context.Context, l *lab) {
	set := l.classified(ctx, wdbcSet)
	set.span(0, 1)
	for run := range l.runs {
		l.say("partition %d of %d", run+1, l.runs)
		perm := l.stream(run).Perm(wdbcSet.n)
		half, quarter := wdbcSet.n/2+1, wdbcSet.n/4
		l.cancer(ctx, cancerParts(set, perm[:half], perm[half:half+quarter], perm[half+quarter:]), brief(ctx, cancerGrid),
			thin(ctx, "strengths", 2, halvingSteps(-8, 12, 50)))
	}
}

// halvingSteps are 2^lo to 2^hi in so many steps of equal ratio.
func halvingSteps(lo, hi float64, steps int) []float64 {
	v := make([]float64, steps+1)
	for i := range v {
		v[i] = math.Exp2(lo + (hi-lo)*float64(i)/float64(steps))
	}
	return v
}

// valued are rows with their targets.
type valued struct {
	x data.Rows
	y []float64
}

// cancerParts are the training, validation and test rows of a partition; malignant is 1.
func cancerParts(set *classified, rows ...[]int) (parts [3]valued) {
	y := signs(set.against(1))
	for k, part := range rows {
		parts[k] = valued{data.Rows{Dense: set.x.Select(part).Dense}, pickOf(y, part)}
	}
	return parts
}

// cancer is one partition.
func (l *lab) cancer(ctx context.Context, parts [3]valued, grid rbf.MOBJ, strengths []float64) {
	train, validate, test := parts[0], parts[1], parts[2]
	judged := func(name string, out *mat.Dense) {
		var fp, fn float64
		for i, y := range test.y {
			switch v := out.At(i, 0); {
			case v >= 0 && y < 0:
				fp++
			case v < 0 && y > 0:
				fn++
			}
		}
		l.add(name, falsePositive, fp)
		l.add(name, falseNegative, fn)
		l.add(name, testRight, 100*(1-(fp+fn)/float64(len(test.y))))
	}
	fronts := must(grid.Fit(ctx, train.x, target(train.y)))
	joint := must(rbf.Joint{MaxQ: grid.MaxQ, Steps: grid.Steps}.Fit(ctx, train.x, target(train.y)))
	for k, f := range []*rbf.Front{fronts[0], joint[0]} {
		v := must(f.Validate(ctx, validate.x, validate.y))
		folds := l.folded(ctx, f, train.x, train.y, labelsOf(train.y), atMost(ctx, "folds", 3, cancerFolds))
		for _, d := range []namedDecisor{{"AIC", choose.AIC{}}, {"BIC", choose.BIC{}}, {"MVE", held("mve", v)}, {"CV", held("cv", folds)}} {
			name := [...]string{"MOBJ-", "joint-"}[k] + d.name
			i, _ := decide(members(f, nil), d.decisor)
			l.network(name, f, i)
			judged(name, must(f.Predict(ctx, test.x, []int{i})))
		}
	}
	g, m := l.cancerSVM(ctx, fronts[0].Widths, train, strengths)
	judged(cancerMachine, predicted(ctx, g, m, test.x, 1))
}

const cancerMachine = "SVM-CV"

// cancerSVM is the grid search for a machine of the same widths.
func (l *lab) cancerSVM(ctx context.Context, widths []float64, train valued, strengths []float64) (kernel.Gram, *learn.Machine) {
	labels := labelsOf(train.y)
	parts := must(data.Folds(labels, atMost(ctx, "folds of the machines", 3, cancerFolds), l.seed))
	s := mobj.Machines{Learner: kokshenevMachine(), Strengths: strengths, Problem: learn.NewProblem(train.x, labels)}
	for _, sigma := range widths {
		s.Kernels = append(s.Kernels, kernel.Gaussian{Sigma: sigma})
	}
	all := must(s.Train(ctx, parts.Groups()))
	check(ctx.Err())
	best := all.Least()
	if best == nil {
		fail("every machine of the grid was ended by its limit of %d steps; scale the features", machineSteps)
	}
	m, width := best.Machine, widths[best.Kernel]
	var sum float64
	for i := range m.Rows {
		sum += math.Abs(m.Coef.At(i, 0))
	}
	l.add(cancerMachine, unitCount, float64(len(m.Rows)))
	l.add(cancerMachine, qRBF, sum/(width*width))
	l.add(cancerMachine, widthRBF, width)
	l.add(cancerMachine, sumCoef, sum)
	return must(s.Kernels[best.Kernel].Bind(ctx, train.x, nil)), m
}

var abaloneSet = dataset{name: "abalone", file: "abalone.csv.gz", n: 4177}

// abaloneGrid is the recipe of section 4.5.4.
var abaloneGrid = rbf.MOBJ{Widths: rbf.Widths{Steps: 50}, MaxQ: 6000, Steps: 250}

const (
	abaloneFolds = 3  // of the decisor
	outerFolds   = 10 // of each permutation
	testMSE      = "test MSE, median"
	trainMSE     = "training MSE, median"
)

// outerFold cuts n rows, permuted by the run's permutation, into ten parts: run r tests on part r mod 10 of permutation r/10.
func (l *lab) outerFold(n, run int) (train, test []int) {
	perm := l.stream(run / outerFolds).Perm(n)
	k := run % outerFolds
	lo, hi := k*n/outerFolds, (k+1)*n/outerFolds
	test = perm[lo:hi]
	return slices.Concat(perm[:lo], perm[hi:]), test
}

// kokshenevT44 is the age of abalones.
func kokshenevT44(ctx context.Context, l *lab) {
	set := l.open(ctx, abaloneSet)
	labels := must(data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Regression}))
	n := atMost(ctx, "rows", 300, abaloneSet.n)
	l.abalone(ctx, set.Rows.Select(numbersTo(n)), labels.Value[:n], brief(ctx, abaloneGrid))
}

// abalonePartition adds what the decisors choose of the front of some rows, and how that does on the others.
func (l *lab) abalonePartition(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ, train, test []int) {
	x, ty := data.Rows{Dense: rows.Select(train).Dense}, pickOf(y, train)
	f := must(grid.Fit(ctx, x, target(ty)))[0]
	folds := l.folded(ctx, f, x, ty, data.Labels{Task: data.Regression, Value: ty}, abaloneFolds)
	for _, d := range []namedDecisor{{"MOBJ-AIC", choose.AIC{}}, {"MOBJ-BIC", choose.BIC{}}, {"MOBJ-CV", held("cv", folds)}} {
		i, _ := decide(members(f, nil), d.decisor)
		got := must(f.Predict(ctx, rows.Select(test), []int{i}))
		e := &f.Elements[i]
		l.network(d.name, f, i)
		l.add(d.name, trainMSE, e.SSE/float64(len(ty)))
		mse := meanSquare(mat.Col(nil, 0, got), pickOf(y, test))
		l.add(d.name, testMSE, mse)
		l.say("%s: %d units, Q %.4g, sigma %.3g, test MSE %.3f", d.name, len(e.Units), e.Q, f.Sigma(i), mse)
	}
	l.add("front", "candidate centres", float64(f.Centres.Len()))
}

// abalone runs the partitions and adds medians. An interrupt keeps those that are done.
func (l *lab) abalone(ctx context.Context, rows data.Rows, y []float64, grid rbf.MOBJ) {
	all := l.aside()
	done := 0
	for ; done < l.runs; done++ {
		l.say("partition %d of %d", done+1, l.runs)
		train, test := l.outerFold(rows.Len(), done)
		one := l.aside()
		err := caught(func() { one.abalonePartition(ctx, rows, y, grid, train, test) })
		if ctx.Err() != nil && done > 0 {
			l.note("interrupted after %d partitions", done)
			break
		}
		check(cmp.Or(err, ctx.Err()))
		for _, c := range one.cells {
			all.add(c.Case, c.Metric, c.values[0])
		}
	}
	for _, c := range all.cells {
		l.add(c.Case, c.Metric, quantile(c.values, 0.5))
		if c.Metric == testMSE {
			mean, std := meanStd(c.values)
			l.add(c.Case, "test MSE, mean", mean)
			l.add(c.Case, "test MSE, standard deviation", std)
		}
	}
	l.note("rows are medians of the partitions (10 permutations in 10 parts; %d run), so that each counts as one run. The printed "+
		"columns called RMSE are mean squared errors; the SVM of Meyer et al. 2003, quoted there, has 4.48", done)
}

func meanSquare(got, want []float64) float64 {
	var s float64
	for i, v := range got {
		s += (v - want[i]) * (v - want[i])
	}
	return s / float64(len(got))
}
