package method

import (
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
)

// graphOfWords is what a graph loses of its prior in a table of words alone, in logarithms: two rows are near by how many words they share,
// which says less of their classes than distances of numbers do. Of cmc, credit_g, eucalyptus, kr_vs_kp and splice with 20 labels a class
// 2 and 4 did alike, with widths that labels suggest 3 and 5.
const graphOfWords = 5

// wordFactors and screenedFactors are those of the widths of such machines.
func wordFactors() []float64     { return []float64{0.25, 0.5, 1, 2} }
func screenedFactors() []float64 { return []float64{0.5, 1, 2} }

// wordCandidates are supervised machines on the kernels with a width for each column, of which few labels cannot say more than one factor:
// words are compared whole, and single columns may decide. Of the same kernels others have the widths that the labels suggest.
func wordCandidates(t *task.Task) (list []*choose.Candidate) {
	if task.WordShare(t.Input.Set.Table) == 0 || t.Recipe.Kernel != "" || len(t.Request.Kernel) > 0 {
		return nil
	}
	kernels := columnKernels(t)
	for _, k := range kernels {
		for _, by := range wordFactors() {
			if wide, err := design.Widened(k, by); err == nil {
				list = append(list, &choose.Candidate{Method: "rls", Own: wide, Width: by})
			}
		}
	}
	if t.Labelled() > design.ScreenedRows {
		return list
	}
	for _, k := range kernels {
		for _, by := range screenedFactors() {
			maker := design.Screened{Start: k.(kernel.ARDRational), Factor: by, Seed: t.Recipe.Drawn()}
			list = append(list, &choose.Candidate{Method: "rls", Own: k, Width: by, Maker: maker})
		}
	}
	return list
}

// wordWork is that of these machines.
func wordWork(s task.Size, r task.Request) Work {
	if !s.Words || r.Recipe.Kernel != "" || len(r.Kernel) > 0 {
		return Work{}
	}
	z, kernels := sizeOf(s), 2.0
	work := z.squareMachine(r).Times(kernels * float64(len(wordFactors())))
	if s.Labelled <= design.ScreenedRows {
		paths := float64(design.ScreenedFolds(s.Labelled) + 1)
		work = work.Plus(z.pathWork(r).Plus(cost.Gram(z.l, z.l, z.d).Times(2)).Times(paths * kernels * float64(len(screenedFactors()))))
	}
	return work
}
