package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// kind is a generated set: rows with an answer, and sometimes rows without.
type kind struct {
	name                 string
	columns              int
	labelled, unlabelled int
	// row fills in the features and returns the answer.
	row func(x []float64, rng *rand.Rand) string
}

// kinds are small sets with classes that overlap, or numbers with noise, so that there is an error to estimate.
func kinds() []kind {
	return []kind{
		{"two normal classes", 5, 50, 0, func(x []float64, rng *rand.Rand) string { return shifted(x, rng, 2, 1, 0.5) }},
		{"two of twenty columns", 20, 40, 0, func(x []float64, rng *rand.Rand) string { return shifted(x, rng, 2, 2, 0.5) }},
		{"one row in five positive", 5, 80, 0, func(x []float64, rng *rand.Rand) string { return shifted(x, rng, 3, 1, 0.2) }},
		{"three classes", 2, 60, 0, three},
		{"ring", 2, 60, 0, ring},
		{"two normal classes, 200 unlabelled", 5, 20, 200, func(x []float64, rng *rand.Rand) string { return shifted(x, rng, 5, 1, 0.5) }},
		{"waves", 4, 60, 0, waves},
		{"a plane", 8, 40, 0, plane},
	}
}

// shifted is a row of one of two normal classes whose means differ by distance in each of the first columns.
func shifted(x []float64, rng *rand.Rand, columns int, distance, positives float64) string {
	class, mean := "no", 0.0
	if rng.Float64() < positives {
		class, mean = "yes", distance
	}
	for j := range x {
		x[j] = rng.NormFloat64()
		if j < columns {
			x[j] += mean
		}
	}
	return class
}

// three classes have their means on a circle.
func three(x []float64, rng *rand.Rand) string {
	k := rng.IntN(3)
	angle := 2 * math.Pi * float64(k) / 3
	x[0], x[1] = 1.5*math.Cos(angle)+rng.NormFloat64(), 1.5*math.Sin(angle)+rng.NormFloat64()
	return strconv.Itoa(k)
}

// ring is a disc within a ring, with noise.
func ring(x []float64, rng *rand.Rand) string {
	class, radius := "disc", rng.Float64()
	if rng.IntN(2) == 1 {
		class, radius = "ring", 1+rng.Float64()
	}
	angle := 2 * math.Pi * rng.Float64()
	x[0], x[1] = radius*math.Cos(angle)+0.3*rng.NormFloat64(), radius*math.Sin(angle)+0.3*rng.NormFloat64()
	return class
}

// waves is a smooth function of three columns of four, and noise.
func waves(x []float64, rng *rand.Rand) string {
	for j := range x {
		x[j] = rng.Float64()
	}
	y := math.Sin(math.Pi*x[0]*x[1]) + 2*(x[2]-0.5)*(x[2]-0.5) + 0.2*rng.NormFloat64()
	return strconv.FormatFloat(y, 'g', -1, 64)
}

// plane is linear in three columns of eight, and noise.
func plane(x []float64, rng *rand.Rand) string {
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	return strconv.FormatFloat(x[0]+0.5*x[1]-x[2]+rng.NormFloat64(), 'g', -1, 64)
}

// draw makes n rows, of which the first labelled have their answers.
func (k kind) draw(n, labelled int, rng *rand.Rand) *data.Set {
	x, answers := mat.NewDense(n, k.columns, nil), make(data.Answers, n)
	for i := range n {
		if answer := k.row(x.RawRowView(i), rng); i < labelled {
			answers[i] = answer
		}
	}
	return &data.Set{Rows: data.Rows{Dense: x}, Answers: answers, LabelName: "y", Source: k.name}
}
