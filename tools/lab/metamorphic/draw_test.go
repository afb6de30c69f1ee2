package metamorphic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/internal/setting"
)

// trial is a random set and a random recipe. The same seed and number draw the same trial.
type trial struct {
	seed, number uint64
	method       method.Method
	recipe       mercer.Recipe
	input        mercer.Input
	distinct     bool // no two rows are alike, and the rows are dense: neighbours have no ties
	// pinned says that nothing is tuned or drawn, and that every number that would depend on the rows is fixed.
	pinned bool
}

// drawTrial draws the trial of this number. Of every three two have a recipe whose objective is known (pins), where the method
// has such recipes.
func drawTrial(seed, number uint64) *trial {
	rng := rand.New(rand.NewPCG(seed, number))
	all := method.All()
	t := &trial{seed: seed, number: number, method: all[rng.IntN(len(all))]}
	kind := rng.IntN(3)
	switch {
	case rng.IntN(20) == 0: // whether or not the method is for it
	case t.method.For == data.Regression:
		kind = numbers
	case t.method.For == data.Classification:
		kind = rng.IntN(2)
	}
	if pin, ok := pins[t.method.ID]; ok && rng.IntN(3) > 0 {
		t.pinned, t.recipe = true, pin.draw(t.method.ID, rng)
	} else {
		t.recipe = drawRecipe(t.method, rng)
	}
	t.drawSet(rng, kind)
	return t
}

// The answers of a set.
const (
	two = iota
	many
	numbers
)

// drawSet draws 20 to 150 rows of 2 to 6 columns, of which labels decide the means.
func (t *trial) drawSet(rng *rand.Rand, kind int) {
	n, d := 20+rng.IntN(131), 2+rng.IntN(5)
	classes := 2
	if kind == many {
		classes = 3 + rng.IntN(3)
	}
	x := mat.NewDense(n, d, nil)
	answers := make(data.Answers, n)
	seen, most := map[int]int{}, 2+rng.IntN(1+n/classes)
	for i := range n {
		class, sum := rng.IntN(classes), 0.0
		for j := range d {
			v := rng.NormFloat64() + 1.5*float64((class>>(j%3))&1)
			x.Set(i, j, v)
			sum += v * math.Cos(float64(j))
		}
		if seen[class]++; seen[class] > most {
			continue
		}
		if answers[i] = "class" + strconv.Itoa(class); kind == numbers {
			answers[i] = fmt.Sprint(sum + 0.1*rng.NormFloat64())
		}
	}
	t.distinct = true
	if rng.IntN(6) == 0 {
		for i := range n {
			x.Set(i, d-1, 3)
		}
	}
	if rng.IntN(6) == 0 {
		t.distinct = false
		for range 1 + n/5 {
			from, to := rng.IntN(n), rng.IntN(n)
			x.SetRow(to, x.RawRowView(from))
		}
	}
	set := &data.Set{Source: "drawn", LabelName: "label", Answers: answers, Rows: data.Rows{Dense: x}}
	for j := range d {
		set.Features = append(set.Features, "x"+strconv.Itoa(j))
	}
	if rng.IntN(5) == 0 {
		t.distinct = false
		x.Apply(func(_, _ int, v float64) float64 {
			if rng.IntN(2) == 0 {
				return 0
			}
			return math.Abs(v)
		}, x)
		set.Rows, set.Features = data.Rows{Sparse: data.CSRFromDense(x)}, nil
	}
	t.input = mercer.Input{Set: set}
}

// drawRecipe draws settings of a method by their declarations, most of the time such as go together.
func drawRecipe(m method.Method, rng *rand.Rand) mercer.Recipe {
	refused := rng.IntN(10) == 0
	var r mercer.Recipe
	for range 40 {
		r = methodtest.Plain(m)
		values := map[string]string{}
		switch {
		case m.Has("--tune") && rng.IntN(2) == 0:
			values["--tune"] = "none"
		case m.Has("--budget"):
			values["--budget"] = strconv.Itoa(1 + rng.IntN(3))
		}
		if m.Has("--effort") {
			values["--effort"] = "low"
		}
		list := m.All()
		for range rng.IntN(5) {
			s := list[rng.IntN(len(list))]
			switch s.Key() {
			case "--view", "--task", "--budget", "--effort", "nodes": // drawn elsewhere, or bounded
				continue
			}
			if v := drawValue(s, rng); v != "" {
				values[s.Key()] = v
			}
		}
		if r = methodtest.With(r, values); refused || mercer.Check(r) == nil {
			return r
		}
	}
	return methodtest.Plain(m)
}

// drawValue is a word or a number of what a setting declares; of text with a form of its own one that the conformance suite
// tries; "" where there is none.
func drawValue(s setting.Setting, rng *rand.Rand) string {
	if s.Form != nil || s.Range == nil && len(s.Words) == 0 {
		tried := methodtest.Tried(s.Key())
		if len(tried) == 0 {
			return ""
		}
		return tried[rng.IntN(len(tried))]
	}
	if k := rng.IntN(len(s.Words) + 2); s.Range == nil || k < len(s.Words) {
		return s.Words[k%len(s.Words)]
	}
	return strconv.FormatFloat(drawNumber(s.Range, rng), 'g', 4, 64)
}

// drawNumber is a number of a range: of an open one between a thousandth and a hundred.
func drawNumber(r *setting.Range, rng *rand.Rand) float64 {
	switch {
	case r.Whole:
		return r.Lo + float64(rng.IntN(8))
	case r.Bounded == setting.Both:
		return r.Lo + (r.Hi-r.Lo)*(0.01+0.98*rng.Float64())
	case r.Bounded == setting.Below:
		return r.Lo + decades(rng, -3, 2)
	}
	return rng.NormFloat64()
}

// decades is a number whose logarithm is uniform.
func decades(rng *rand.Rand, from, to float64) float64 {
	return math.Pow(10, from+(to-from)*rng.Float64())
}
