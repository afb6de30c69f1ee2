package reproduce

import (
	"context"
	"fmt"
)

// printed61 is table 6.1: columns, mean number of entries of a row, rows learned from and of the test, share of positive
// rows. Where the source has no test rows there is 0.
var printed61 = map[string][5]float64{
	"aut-avn": {20707, 51.32, 35588, 35587, 0.65}, "real-sim": {20958, 51.32, 36155, 36154, 0.31},
	"ccat": {47236, 75.93, 17332, 5787, 0.46}, "gcat": {47236, 75.93, 17332, 5787, 0.30},
	"full-ccat": {47236, 76.7, 804414, 0, 0.47}, "full-gcat": {47236, 76.7, 804414, 0, 0.30},
}

// metrics61 are the columns of the table.
var metrics61 = [5]string{"columns", "entries of a row", "labelled and unlabelled rows", "test rows", "share of positive rows"}

// sindhwaniT61 describes the sets.
func sindhwaniT61(ctx context.Context, l *lab) error {
	declare(ctx, "printed", printed61)
	for _, s := range append(mediumSets(), fullSets()...) {
		c, err := s.rows(ctx, l)
		if err != nil {
			return err
		}
		n, up := len(c.class), 0
		for _, k := range c.class {
			up += k
		}
		test := 0
		if printed61[s.source][3] > 0 {
			test = n / testPart
		}
		ours := [5]float64{float64(c.x.Dim()), float64(c.x.Sparse.NNZ()) / float64(n), float64(n - test), float64(test),
			float64(up) / float64(n)}
		name := s.title()
		for k, metric := range metrics61 {
			if printed61[s.source][k] > 0 {
				l.printed(name, metric, printed61[s.source][k])
				l.add(name, metric, ours[k])
			}
		}
		l.interim(name, metrics61[0], metrics61[1], metrics61[2])
	}
	return nil
}

// title is the name of the set in tables.
func (s textSet) title() string { return fmt.Sprintf("%s in the place of %s", s.name, s.source) }
