package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/result"
)

// drifting are rows in order, whose answers rise and fall with where they stand: numbers, or whether these are above 0.5. Rows beside
// one another tell of each other, rows of the past do not tell of later ones.
func drifting(n int, classes bool) *data.Set {
	draw := rand.New(rand.NewPCG(8, 5))
	s := &data.Set{Source: "drifting", Features: []string{"t", "a", "b", "c"}, Rows: data.Rows{Dense: mat.NewDense(n, 4, nil)}}
	for i := range n {
		u := float64(i) / float64(n)
		a, b, c := draw.NormFloat64(), draw.NormFloat64(), draw.NormFloat64()
		s.Rows.Dense.SetRow(i, []float64{10 * u, a, b, c})
		y := 2*math.Sin(20*math.Pi*u) + (1-u)*a + 0.5*b*b + 0.3*draw.NormFloat64()
		s.Order = append(s.Order, u)
		s.Answers = append(s.Answers, strconv.FormatFloat(y, 'g', -1, 64))
		if classes {
			s.Answers[i] = map[bool]string{true: "high", false: "low"}[y > 0.5]
		}
	}
	return s
}

// Where rows drift, folds at random promise far less error than the next rows have; what --order promises is near it. Both are a stack.
func TestForwardFoldsForeseeDrift(t *testing.T) {
	for _, classes := range []bool{false, true} {
		all := drifting(600, classes)
		first := slices.Repeat([]int{0}, 500)
		for i := range first {
			first[i] = i
		}
		later := []int{}
		for i := 500; i < 600; i++ {
			later = append(later, i)
		}
		train, next := all.Select(first), all.Select(later)
		promised, found := map[bool]float64{}, map[bool]float64{}
		for _, ordered := range []bool{false, true} {
			one := *train
			if !ordered {
				one.Order = nil
			}
			m, res, err := Fit(context.Background(), result.Input{Set: &one}, result.Recipe{}, result.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Members) < 2 && res.Kernel == "gaussian" {
				t.Errorf("classes %t, in order %t: no stack: %s with %s", classes, ordered, res.Method, res.Kernel)
			}
			losses, err := answer.LossesOn(context.Background(), m, next)
			if err != nil {
				t.Fatal(err)
			}
			var sum float64
			for _, v := range losses {
				sum += v
			}
			found[ordered], promised[ordered] = sum/float64(len(losses)), res.Estimate.Error
			if !classes {
				found[ordered] = math.Sqrt(found[ordered])
			}
			if ordered && (res.Estimate.Rows != 100 || res.Estimate.From != "forward hold-out") {
				t.Errorf("estimate %+v", res.Estimate)
			}
			if sec := res.Forecast.Seconds; sec <= 0 {
				t.Errorf("no forecast: %+v", res.Forecast)
			}
		}
		t.Logf("classes %t: at random %.3g promised, %.3g found; in order %.3g promised, %.3g found", classes, promised[false], found[false],
			promised[true], found[true])
		if promised[false] > 0.7*found[false] {
			t.Errorf("classes %t: at random %.3g promised, %.3g found", classes, promised[false], found[false])
		}
		if r := promised[true] / found[true]; r < 0.6 || r > 1.7 {
			t.Errorf("classes %t: in order %.3g promised, %.3g found", classes, promised[true], found[true])
		}
	}
}
