package answer

import (
	"cmp"
	"context"
	"github.com/mercer-ml/mercer/kernel"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

const (
	// relevanceRows is how many rows, evenly spaced, have their columns changed, and leastRelevanceRows how many at least.
	relevanceRows, leastRelevanceRows = 64, 8
	// relevanceAnswers is how many rows are predicted: fewer rows of more columns.
	relevanceAnswers = 2000
	// relevanceColumns is the number of columns up to which they are compared.
	relevanceColumns = 500
)

// describeRelevance says how much each column of the file counts: by how much the outputs change, in the mean of the squares, where its
// cell is that of another row (permutation importance; Breiman, Machine Learning 45, 2001, of outputs in the place of errors). The
// model's speed is measured by the way.
func (a *Answer) describeRelevance(ctx context.Context, res *result.Result, m *model.Model) {
	rows, n := a.Task.Input.Set.Rows, a.Task.Input.Set.Rows.Len()
	parts := columns.Parts(m.Table, m.Columns, m.Features)
	if rows.IsSparse() || len(a.Task.Recipe.Views) > 0 || len(parts) < 2 || len(parts) > relevanceColumns || n < 2 {
		return
	}
	taken := min(n, relevanceRows, max(leastRelevanceRows, relevanceAnswers/len(parts)))
	idx := make([]int, taken)
	for q := range idx {
		idx[q] = q * n / taken
	}
	x := rows.Select(idx).Dense
	rng := rand.New(rand.NewPCG(1, 0x7265)) // whatever the seed of the recipe, which may draw nothing
	order := rng.Perm(taken)                // each row takes the cell of the next in this order, which is another row
	changed := mat.NewDense((1+len(parts))*taken, m.Columns, nil)
	for block := range 1 + len(parts) {
		for i := range taken {
			copy(changed.RawRowView(block*taken+i), x.RawRowView(i))
		}
	}
	for c, part := range parts {
		for q, i := range order {
			to, from := changed.RawRowView((1+c)*taken+i), x.RawRowView(order[(q+1)%taken])
			for _, j := range part.At {
				to[j] = from[j]
			}
		}
	}
	began := time.Now()
	out, err := m.Predict(context.WithoutCancel(ctx), data.Rows{Dense: changed})
	if err != nil { // of a cell that no row has beside these others
		return
	}
	if spent := time.Since(began).Seconds(); spent > 0 {
		a.speed = float64((1+len(parts))*taken) / spent
	}
	res.Relevance = shares(parts, out, taken)
}

// shares are those of columns in the change of outputs: first the rows as they are, then those of each column changed. Columns that
// change nothing are left out.
func shares(parts []columns.Part, out *mat.Dense, rows int) (list []kernel.Relevance) {
	var total float64
	for c, part := range parts {
		var sum float64
		for i := range rows {
			before, after := out.RawRowView(i), out.RawRowView((1+c)*rows+i)
			for k, v := range after {
				sum += (v - before[k]) * (v - before[k])
			}
		}
		if total += sum; sum > 0 {
			list = append(list, kernel.Relevance{Name: part.Name, Share: sum})
		}
	}
	if !(total > 0) || total-total != 0 {
		return nil
	}
	for i := range list {
		list[i].Share /= total
	}
	slices.SortStableFunc(list, func(a, b kernel.Relevance) int { return cmp.Compare(b.Share, a.Share) })
	return list
}
