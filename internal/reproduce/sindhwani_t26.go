package reproduce

import "context"

// sindhwaniT26 is the transductive comparison: few labels, all rows in the graph,
// errors on the rows without a label.
func sindhwaniT26(ctx context.Context, l *lab) error {
	declare(ctx, "printed", printed26)
	for q, c := range thin(ctx, "sets", 1, collections[:]) {
		if !l.wants(c.name) {
			continue
		}
		cl, err := l.drawn(ctx, c)
		if err != nil {
			return err
		}
		if err := cl.tune(ctx, sourceGrid, []weights{sourceWeights}); err != nil {
			return err
		}
		for m := range collectionMethods {
			of := ""
			if m == lapRLSMethod || m == lapSVMMethod {
				of = sourceWeights.name()
			}
			name := c.name + " " + collectionNames[m]
			l.printed(name, unlabelledError, printed26[q][m])
			for _, d := range cl.draws {
				l.add(name, unlabelledError, d.best[key(m, of)].unlabelled)
			}
			l.interim(name, unlabelledError)
		}
	}
	return nil
}

// printed26 are the errors of table 2.6 in the order of the methods: RLS, SVM, LapRLS, LapSVM.
var printed26 = [len(collections)][collectionMethods]float64{
	{8.5, 9.7, 5.2, 5.4},
	{26.0, 24.6, 4.3, 4.0},
	{23.6, 23.6, 12.7, 12.7},
	{18.8, 18.9, 10.0, 10.4},
}
