package kernel

import (
	"cmp"
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Relevance is the share of one column, or one group of features: of Relevances in a kernel's variation, what a large width or penalty,
// or a small weight, has taken from the others; of a result in the change of the outputs.
type Relevance struct {
	Columns []int   `json:"-"`
	Name    string  `json:"column"`
	Share   float64 `json:"share"`
}

// relevanceRows bounds the rows that a term's variation is estimated from.
const relevanceRows = 512

// Relevances lists the shares, largest first, of a kernel with one parameter a feature or
// a group, nil for others. Units of the features play no part:
//
//	ARDGaussian   var_k / sigma_k^2
//	ARDLinear     var_k / c_k   (a small penalty is a relevant feature; Klatzer 2014, chapter
//	              7, has it the wrong way round)
//	ARDL1Laplacian, ARDRational  the sum of (sd_k / sigma_g)^power over the columns of the group g
//	ANOVA         weight_g / (1 + weight_g)
//	Sum of terms on columns, weights included: the variance of the term's features,
//	              mean k(x, x) - mean k(x, z), over at most 512 rows, evenly spaced
//
// names are those of the columns; nil numbers them from 1.
func Relevances(ctx context.Context, k Kernel, rows data.Rows, names []string) ([]Relevance, error) {
	var list []Relevance
	if own, ok := as[byColumn](k); ok {
		list = shares(own, k.Space().Defaults(), rows, names)
	}
	if k, ok := k.(Sum); ok {
		sample := spaced(rows)
		for _, t := range k.Terms {
			c, ok := columnsOf(t)
			if !ok {
				return nil, nil
			}
			v, err := variation(ctx, t, sample)
			if err != nil {
				return nil, err
			}
			list = append(list, Relevance{Columns: c.Columns, Name: c.list(names), Share: v})
		}
	}
	var total float64
	for _, r := range list {
		total += r.Share
	}
	if !(total > 0) {
		return nil, nil
	}
	for i := range list {
		list[i].Share /= total
	}
	slices.SortStableFunc(list, func(a, b Relevance) int { return cmp.Compare(b.Share, a.Share) })
	return list, nil
}

// shares are those of the columns, or of the groups that share a parameter, not yet of one in all.
func shares(k byColumn, parameters []float64, rows data.Rows, names []string) []Relevance {
	groups, grouped := k.(interface{ widths() columnWidths })
	if grouped {
		parameters = groups.widths().sigma
	}
	if len(parameters) == 0 || !grouped && len(parameters) != rows.Dim() {
		return nil
	}
	_, once := k.(interface{ shareOnce() }) // a group varies as one, not as the sum of its columns
	list := make([]Relevance, len(parameters))
	stats := rows.ColumnStats()
	for j := range rows.Dim() {
		at, name := j, columnName(j, names)
		if grouped && groups.widths().group != nil {
			at = groups.widths().of(j)
			name = groups.widths().named(at)
		}
		sd, one := stats.SD(j), &list[at]
		one.Columns, one.Name = append(one.Columns, j), name
		if share := k.share(sd*sd, parameters[at]); once {
			one.Share = max(one.Share, share)
		} else {
			one.Share += share
		}
	}
	return list
}

// byColumn is a kernel with one parameter for each column, or group of columns.
type byColumn interface {
	// share is what a parameter leaves of its column's variance.
	share(variance, p float64) float64
	// on is the kernel of some of the columns.
	on(columns []int) Kernel
}

// OnColumns is a kernel with one parameter for each column, on some of the columns, of which names, if given, are those
// of all; false for other kernels.
func OnColumns(k Kernel, columns []int, names []string) (Columns, bool) {
	own, ok := as[byColumn](k)
	if !ok {
		return Columns{}, false
	}
	part := Columns{Base: own.on(columns), Columns: columns}
	if len(names) > 0 {
		for _, c := range columns {
			part.Names = append(part.Names, names[c])
		}
	}
	return part, true
}

// columnsOf returns the columns of a term on columns, scaled or not.
func columnsOf(k Kernel) (Columns, bool) {
	if s, ok := k.(Scaled); ok {
		k = s.Base
	}
	c, ok := k.(Columns)
	return c, ok
}

// spaced returns at most relevanceRows rows, evenly spaced.
func spaced(rows data.Rows) data.Rows {
	n := rows.Len()
	if n <= relevanceRows {
		return rows
	}
	idx := make([]int, relevanceRows)
	for q := range idx {
		idx[q] = q * n / relevanceRows
	}
	return rows.Select(idx)
}

// variation is the total variance of the kernel's features on the rows.
func variation(ctx context.Context, k Kernel, rows data.Rows) (float64, error) {
	g, err := k.Bind(ctx, rows, nil)
	if err != nil {
		return 0, err
	}
	n := float64(g.Len())
	m := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(m, nil, nil)
	return mat.Trace(m)/n - mat.Sum(m)/(n*n), nil
}
