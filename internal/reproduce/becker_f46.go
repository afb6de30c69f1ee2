package reproduce

import (
	"context"
	"slices"
)

// beckerF46 draws the box plots of a row of table 4.2: the spread of the test error over
// the splits, method by method.
func beckerF46(r row42) protocol {
	return func(ctx context.Context, l *lab) error {
		g, err := l.load(ctx, r.data)
		if err != nil {
			return err
		}
		if err := r.fill(ctx, l, g); err != nil {
			return err
		}
		picture := Figure{Name: "spread", Title: "Test error of every split by method",
			X: Axis{Name: "method, in the order of the legend"}, Y: Axis{Name: testError}}
		for q, method := range r.methods() {
			name := r.name() + " " + method
			values := l.cell(name, testError).values
			picture.Curves = append(picture.Curves,
				Curve{Name: method, X: slices.Repeat([]float64{float64(q + 1)}, len(values)), Y: values, Loose: true})
			five := fiveNumbers(values)
			for q, what := range [...]string{"least", "lower quartile", "median", "upper quartile", "largest"} {
				l.add(name, testError+", "+what, five[q])
			}
		}
		l.draw(picture)
		return nil
	}
}

// fiveNumbers are least, lower quartile, median, upper quartile and largest value.
func fiveNumbers(values []float64) (five [5]float64) {
	v := slices.Sorted(slices.Values(values))
	for q := range five {
		at := float64(q) / 4 * float64(len(v)-1)
		i := min(int(at), max(len(v)-2, 0))
		five[q] = v[i]
		if i+1 < len(v) {
			five[q] += (at - float64(i)) * (v[i+1] - v[i])
		}
	}
	return five
}
