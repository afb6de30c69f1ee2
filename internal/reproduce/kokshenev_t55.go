package reproduce

import (
	"context"

	"github.com/mercer-ml/mercer/internal/metric"
)

// printed55 is tables 5.5 (Gaussian) and 5.6 (polynomial): the mean ranks of GS, Q_norm
// and Q_ref, chi2 and F by mean, median, standard deviation and inter-quartile range.
var printed55 = [2][4][5]float64{
	{
		{1.909, 2.682, 1.409, 9.045, 6.982},
		{1.818, 2.545, 1.636, 5.091, 3.011},
		{1.864, 2.000, 2.136, 0.409, 0.189},
		{2.045, 2.000, 1.955, 5.091, 0.021},
	},
	{
		{1.909, 2.909, 1.182, 16.545, 30.333},
		{1.909, 2.818, 1.273, 13.273, 15.208},
		{1.773, 2.727, 1.500, 9.136, 7.102},
		{1.727, 2.545, 1.727, 13.273, 2.872},
	},
}

// printedTests recomputes the tests of the printed errors, those of Gaussian or of polynomial machines.
func printedTests(which int) protocol {
	return func(_ context.Context, l *lab) error {
		for k, figure := range errorFigures {
			var scores [][]float64
			for _, p := range printed53 {
				t := [2]methodTable{p.rbf, p.poly}[which]
				scores = append(scores, []float64{t[0][k], t[1][k], t[2][k]})
			}
			c, err := metric.Friedman(scores)
			if err != nil {
				return err
			}
			name := "printed errors, by " + figure
			l.friedman(name, c)
			p := printed55[which][k]
			for m, method := range searchMethods {
				l.printed(name, "mean rank of "+method, p[m])
			}
			l.printed(name, "chi2", p[3])
			l.printed(name, "F", p[4])
			l.printed(name, "critical difference of ranks", 0.9991)
			for _, pair := range [...][2]int{{2, 1}, {2, 0}, {0, 1}} {
				differ := 0.0
				if c.Differ(pair[0], pair[1]) {
					differ = 1
				}
				l.add(name, searchMethods[pair[0]]+" and "+searchMethods[pair[1]]+" differ", differ)
			}
		}
		return nil
	}
}
