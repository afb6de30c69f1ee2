package squares

// runWidth is the rows of a run by the number of features m: its sums take runWidth m^3 flops, and the m^2/2 numbers that travel from
// it to the caller take the time of a tenth of them.
const runWidth = 4

// Runs are the first shards of runs of neighbours, whose rows, if there are so many, are runWidth times the features at least: passes
// that sum products of features make one answer of a run. They depend on the shards alone, as results may not depend on the workers.
func (p *Plan) Runs() []int {
	var runs []int
	for k, row := range p.First {
		if k == 0 || row-p.First[runs[len(runs)-1]] >= runWidth*p.Features.count(p.Columns) {
			runs = append(runs, k)
		}
	}
	return runs
}

// count is the number of features of so many columns.
func (f *Features) count(columns int) int {
	if f.Kernel == nil {
		return columns
	}
	return f.Centres.Len()
}
