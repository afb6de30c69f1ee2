package reproduce

import "context"

// metrics51 are the columns of table 5.1.
var metrics51 = [5]string{"columns", "labels", "rows of the graph", "rows of validation", "basis functions"}

// sindhwaniT51 describes the sets.
func sindhwaniT51(ctx context.Context, l *lab) error {
	g := grid5().thinned(ctx)
	for _, s := range sparseSets() {
		c, err := l.sparseRows(ctx, s)
		if err != nil {
			return err
		}
		d, err := s.draw(ctx, c, nil, sparseGrid{widths: g.widths}, l.seed, 0)
		if err != nil {
			return err
		}
		ours := [5]float64{float64(c.x.Dim()), float64(len(d.labelled)), float64(len(d.y)), float64(len(d.validY)), float64(d.size)}
		for q, metric := range metrics51 {
			l.printed(s.name, metric, s.printed[q])
			l.add(s.name, metric, ours[q])
		}
	}
	return nil
}
