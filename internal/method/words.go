package method

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// graphOfWords is what a graph loses of its prior in a table of words alone, in logarithms: two rows are near by how many words they share,
// which says less of their classes than distances of numbers do. Of cmc, credit_g, eucalyptus, kr_vs_kp and splice with 20 labels a class
// 2 and 4 did alike.
const graphOfWords = 3

// wordShare is the share of the columns of a table, of those that have features, whose cells are words; 0 without a table.
func wordShare(table *data.Table) float64 {
	if table == nil {
		return 0
	}
	words, all := 0, featured(table)
	for _, c := range all {
		if c.Kind == data.KindCategory || c.Kind == data.KindYesNo {
			words++
		}
	}
	return float64(words) / float64(max(len(all), 1))
}

// featured are the columns of a table that have features, in their order: that of the widths of task.ByColumnOfTable.
func featured(table *data.Table) (list []*data.Column) {
	for i := range table.Columns {
		if c := &table.Columns[i]; len(c.Features()) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// wordCandidates are supervised machines on the kernels with a width for each column, of which few labels cannot say more than one factor:
// words are compared whole, and single columns may decide.
func wordCandidates(t *task.Task) (list []*choose.Candidate) {
	if wordShare(t.Input.Set.Table) == 0 || t.Recipe.Kernel != "" || len(t.Request.Kernel) > 0 {
		return nil
	}
	for _, k := range columnKernels(t) {
		for _, by := range []float64{0.25, 0.5, 1, 2} {
			if wide, err := design.Widened(k, by); err == nil {
				list = append(list, &choose.Candidate{Method: "rls", Own: wide, Width: by})
			}
		}
	}
	if len(t.Problem.Labelled) <= design.ScreenedRows {
		for _, k := range columnKernels(t) {
			for _, by := range []float64{0.5, 1, 2} {
				maker := design.Screened{Start: k.(kernel.ARDRational), Factor: by, Seed: t.Recipe.Drawn()}
				list = append(list, &choose.Candidate{Method: "rls", Own: k, Width: by, Maker: maker})
			}
		}
	}
	return list
}
