package data

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// values are the parameters of a generator, checked.
type values map[string]float64

func (v values) int(name string) int { return int(v[name]) }

// maxRows bounds generated sets; 10^7 rows of two columns are 160 MB.
const maxRows = 1e7

func nParam(def float64) param {
	return param{name: "n", about: "rows", usual: def, least: 2, most: maxRows, whole: true}
}

func noiseParam(def float64) param {
	return param{name: "noise", about: "standard deviation of the Gaussian noise on every coordinate", usual: def, least: 0, most: 1e6}
}

func seedParam() param {
	return param{name: "seed", about: "of the random numbers", usual: 1, least: 0, most: 1 << 53, whole: true}
}

func labelledParam() param {
	return param{name: "labelled", about: "labels of each class, the others blank; 0 = all", least: 0, most: maxRows, whole: true}
}

// generators lists the sets that are computed. Classes are 1 and -1, those of
// class 1 first.
func generators() []Entry {
	return slices.Concat(randomPlanes(), spaces(), exactPlanes())
}

// plane is an entry of a set in the plane.
func plane(name, about string, p []param, f func(v values) (*Set, error)) Entry {
	return Entry{Name: name, About: about, Rows: int(p[0].usual), Features: 2, Classes: 2, parameters: p, generate: atOnce(f)}
}

// randomPlanes are the sets in the plane with random numbers.
func randomPlanes() []Entry {
	random := func(n, noise float64) []param {
		return []param{nParam(n), noiseParam(noise), seedParam(), labelledParam()}
	}
	return []Entry{
		plane("two-moons", "two interleaved half circles, noisy", random(400, 0.1), func(v values) (*Set, error) {
			return randomPlane(v, func(i, _ int, class float64, rng *rand.Rand) (x, y float64) {
				sin, cos := math.Sincos(math.Pi * rng.Float64())
				if class > 0 {
					return cos, sin
				}
				return 1 - cos, 0.5 - sin
			})
		}),
		plane("two-circles", "circles of radius 1 and 2, noisy", random(400, 0.1), func(v values) (*Set, error) {
			return randomPlane(v, func(i, _ int, class float64, rng *rand.Rand) (x, y float64) {
				sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
				r := 1.5 - class/2
				return r * cos, r * sin
			})
		}),
		plane("two-spirals", "the twin spiral of Lang and Witbrock, three turns", random(194, 0), func(v values) (*Set, error) {
			return randomPlane(v, func(i, m int, class float64, _ *rand.Rand) (x, y float64) {
				// 97 points a class in the original: i = 0..96, angle i pi/16,
				// radius 6.5 (104-i)/104; other sizes divide the same curve evenly.
				s := 96 * float64(i) / float64(max(m-1, 1))
				sin, cos := math.Sincos(s * math.Pi / 16)
				r := class * 6.5 * (104 - s) / 104
				return r * sin, r * cos
			})
		}),
	}
}

// spaces are the sets of other dimensions.
func spaces() []Entry {
	return []Entry{
		{Name: "g50c", About: "two Gaussians in 50 dimensions, Bayes error 5 %", Rows: 550, Features: 50, Classes: 2,
			parameters: []param{nParam(550), seedParam(), labelledParam()}, generate: atOnce(g50c)},
		{Name: "manifolds", About: "ten curved surfaces in 50 dimensions, noisy", Rows: 5000, Features: 50, Classes: 10,
			parameters: []param{nParam(5000), noiseParam(0.1), seedParam(), labelledParam()}, generate: atOnce(manifolds)},
		{Name: "moons-lines", About: "two views: two moons, and two lines of the same classes", Rows: 200, Features: 4, Classes: 2,
			parameters: []param{nParam(200), noiseParam(0.1), {name: "blur", about: "further noise of the moons", least: 0, most: 1e6}, seedParam(),
				labelledParam()}, generate: moonsLines},
		{Name: "sinc", About: "regression: sin(x)/x on [-10, 10], noisy", Rows: 200, Features: 1,
			parameters: []param{nParam(200), noiseParam(0.1), seedParam()}, generate: atOnce(sinc)},
	}
}

// exactPlanes are the sets in the plane without random numbers.
func exactPlanes() []Entry {
	exact := func(n float64) []param { return []param{nParam(n), labelledParam()} }
	return []Entry{
		plane("moons-det", "two moons by formula, widths varied, no random numbers", exact(200), func(v values) (*Set, error) {
			return exactPlane(v, func(i, m int, class float64) (x, y float64) {
				const phi = 0.6180339887498949
				sin, cos := math.Sincos(math.Pi * (float64(i) + 0.5) / float64(m))
				if class > 0 {
					a := 1 + 0.3*(frac(float64(i+1)*phi)-0.5)
					return a * cos, a * sin
				}
				b := 1 + 0.3*(frac(float64(i+1)*phi+0.5)-0.5)
				return 1 - b*cos, 0.5 - b*sin
			})
		}),
		plane("circles-det", "circles of radius 1 and 2 by formula", exact(300), func(v values) (*Set, error) {
			return exactPlane(v, func(i, m int, class float64) (x, y float64) {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(m))
				r := 1.5 - class/2
				return r * cos, r * sin
			})
		}),
		plane("moons-even", "two moons by formula, evenly spaced", exact(200), func(v values) (*Set, error) {
			return exactPlane(v, func(i, m int, class float64) (x, y float64) {
				sin, cos := math.Sincos(math.Pi * float64(i) / float64(max(m-1, 1)))
				if class > 0 {
					return cos, sin
				}
				return 1 - cos, 0.5 - sin
			})
		}),
		plane("circles-even", "circles of radius 1 and 0.5 by formula", exact(200), func(v values) (*Set, error) {
			return exactPlane(v, func(i, m int, class float64) (x, y float64) {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(m))
				r := 0.75 + class/4
				return r * cos, r * sin
			})
		}),
	}
}

// atOnce is a generator that is done before a context matters.
func atOnce(f func(v values) (*Set, error)) func(context.Context, values) (*Set, error) {
	return func(_ context.Context, v values) (*Set, error) { return f(v) }
}

func frac(x float64) float64 { return x - math.Floor(x) }

// twoClasses builds the set of n rows of d columns, the first half (the larger,
// if n is odd) of class 1, the others of class -1; fill writes row i of the m of
// its class.
func twoClasses(n, d int, fill func(row []float64, i, m int, class float64)) *Set {
	x := mat.NewDense(n, d, nil)
	s := &Set{Rows: Rows{Dense: x}, Features: numbered(d), LabelName: "label", Answers: make(Answers, n)}
	half := (n + 1) / 2
	for i := range n {
		if i < half {
			s.Answers[i] = "1"
			fill(x.RawRowView(i), i, half, 1)
		} else {
			s.Answers[i] = "-1"
			fill(x.RawRowView(i), i-half, n-half, -1)
		}
	}
	return s
}

// randomPlane draws n points in the plane from point, with noise added; the
// labelled rows are drawn too.
func randomPlane(v values, point func(i, m int, class float64, rng *rand.Rand) (x, y float64)) (*Set, error) {
	rng := rand.New(rand.NewPCG(uint64(v["seed"]), 0))
	noise := v["noise"]
	s := twoClasses(v.int("n"), 2, func(row []float64, i, m int, class float64) {
		row[0], row[1] = point(i, m, class, rng)
		row[0] += noise * rng.NormFloat64()
		row[1] += noise * rng.NormFloat64()
	})
	return s, keepDrawn(s, v)
}

// exactPlane computes n points in the plane. With k labels a class, its rows
// floor((i + 1/2) m/k), i = 0..k-1, keep theirs: the middle one for k = 1.
func exactPlane(v values, point func(i, m int, class float64) (x, y float64)) (*Set, error) {
	n, k := v.int("n"), v.int("labelled")
	s := twoClasses(n, 2, func(row []float64, i, m int, class float64) {
		row[0], row[1] = point(i, m, class)
	})
	if k == 0 {
		return s, nil
	}
	half := (n + 1) / 2
	if k > n-half {
		return nil, fmt.Errorf("%d labels of each class asked for, a class has %d rows; raise n or lower labelled", k, n-half)
	}
	var keep []int
	for i := range k {
		keep = append(keep, (2*i+1)*half/(2*k), half+(2*i+1)*(n-half)/(2*k))
	}
	s.Answers, _ = Hide(s.Answers, keep)
	return s, nil
}

// keepDrawn blanks the answers of all rows but labelled of each class, drawn at
// random.
func keepDrawn(s *Set, v values) error {
	k := v.int("labelled")
	if k == 0 {
		return nil
	}
	l, err := Interpret(s.Answers, s.LabelName, LabelOptions{Task: Classification})
	if err != nil {
		return err
	}
	keep, err := DrawPerClass(l, k, uint64(v["seed"]))
	if err != nil {
		return err
	}
	s.Answers, _ = Hide(s.Answers, keep)
	return nil
}

// g50c is the set of Chapelle and Zien 2005: two Gaussians of unit covariance in
// R^50 with means +-m, ||m|| = Phi^-1(0.95) = 1.6448536, so that the best possible
// classifier errs on 5 %. The direction of m is not given; all coordinates alike.
func g50c(v values) (*Set, error) {
	const d, norm = 50, 1.6448536269514722
	rng := rand.New(rand.NewPCG(uint64(v["seed"]), 0))
	mean := norm / math.Sqrt(d)
	s := twoClasses(v.int("n"), d, func(row []float64, _, _ int, class float64) {
		for j := range row {
			row[j] = class*mean + rng.NormFloat64()
		}
	})
	return s, keepDrawn(s, v)
}

// sinc is y = sin(x)/x + noise N(0, 1), x uniform on [-10, 10].
func sinc(v values) (*Set, error) {
	n := v.int("n")
	rng := rand.New(rand.NewPCG(uint64(v["seed"]), 0))
	s := &Set{Rows: Rows{Dense: mat.NewDense(n, 1, nil)}, Features: numbered(1), LabelName: "target", Answers: make(Answers, n)}
	for i := range n {
		x := 20*rng.Float64() - 10
		y := 1.0
		if x != 0 {
			y = math.Sin(x) / x
		}
		s.Rows.Dense.Set(i, 0, x)
		s.Answers[i] = strconv.FormatFloat(y+v["noise"]*rng.NormFloat64(), 'g', -1, 64)
	}
	return s, nil
}
