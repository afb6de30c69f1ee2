package kernel

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Clusters is k(x, z) = sum_k P_k(x) P_k(z), where P_k(x) is the posterior of cluster k in a mixture of
// Gaussians of one spherical variance: rows are alike if they are of the same clusters. A function of
// this kernel has one value a cluster, and passes from one to the next where clusters meet.
// Positive semi-definite of rank K. The mixture is fitted to the rows, labelled or not, by Adapt; it
// has the number of clusters of the least BIC (package mixture). Sparse
// rows are written out. No parameters.
// Source: the cluster kernels of Chapelle, Weston and Schoelkopf 2003, with posteriors.
type Clusters struct {
	Fit fitted // nil: from the rows, see Adapt
}

var clustersKind = kindOf(param.Words{
	ID: "clusters", Title: "posteriors of clusters",
	Formula: "sum_k P_k(x) P_k(z),  P_k(x) = s_k N(x; m_k, v I) / sum_j s_j N(x; m_j, v I)",
	About: "rows are alike if they are of the same clusters of all rows, labelled or not; tried by auto where the rows form two to " +
		"ten round clusters; their number is that of the least BIC",
	Source:  "Chapelle, Weston & Schoelkopf 2003, with the posteriors of a mixture of Gaussians",
	SciKit:  "mixture.GaussianMixture(covariance_type = spherical).predict_proba before a linear machine",
	Example: "mercer fit g50c:labelled=25 --method rls --kernel clusters",
}, func(k *Clusters) []field {
	return []field{{name: "fit", value: &fitting{&k.Fit, new(mixture.Clusters)}}}
})

// Components is k(x, z) = a(x)'a(z)/s^2 + 1, where a(x) are the scores of x on the principal components
// of the rows that vary more than noise does, at least the first and at most ten, and s^2 is their mean
// squared length. Rows far from all others are drawn in first. Positive semi-definite of rank m + 1.
// The components are those of the rows, labelled or not, that Adapt is given (package mixture). Sparse
// rows are written out. No parameters.
type Components struct {
	Fit fitted // nil: from the rows, see Adapt
}

var componentsKind = kindOf(param.Words{
	ID: "components", Title: "principal components above the noise",
	Formula: "a(x)'a(z)/s^2 + 1,  a(x) the scores of x, s^2 their mean squared length",
	About: "the directions in which all rows, labelled or not, vary more than noise does, at most ten; tried by auto where the other " +
		"directions are alike",
	Source:  "Marchenko & Pastur 1967 for the noise, John 1971 for its likeness",
	SciKit:  "decomposition.PCA before a linear machine",
	Example: "mercer fit g50c:labelled=25 --method rls --kernel components",
}, func(k *Components) []field {
	return []field{{name: "fit", value: &fitting{&k.Fit, new(mixture.Components)}}}
})

// fitted is a map of rows that was found in the rows of a fit.
type fitted interface {
	// Map returns the features of rows, n x m.
	Map(x *mat.Dense) *mat.Dense
	// Dim is the number of columns of the rows that it maps.
	Dim() int
	// Valid says what is wrong with values that were read; nil: nothing.
	Valid() error
}

// Space is empty.
func (k Clusters) Space() param.Space { return nil }

// Space is empty.
func (k Components) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k Clusters) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// With returns the kernel itself; theta must be empty.
func (k Components) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt fits the mixture to dense rows: the cost of mixture.Look.
func (k Clusters) Adapt(rows data.Rows) Kernel {
	if k.Fit != nil {
		return k
	}
	if e := look(rows); e != nil && e.Clusters != nil {
		k.Fit = e.Clusters
	}
	return k
}

// Adapt finds the components of dense rows: the cost of mixture.Look.
func (k Components) Adapt(rows data.Rows) Kernel {
	if k.Fit != nil {
		return k
	}
	if e := look(rows); e != nil && e.Components != nil {
		k.Fit = e.Components
	}
	return k
}

// look is what the rows show, nil where they cannot be looked at: then Bind says why.
func look(rows data.Rows) *mixture.Evidence {
	if rows.Len() == 0 || rows.Dim() == 0 || !fits(rows) {
		return nil
	}
	e, err := mixture.Look(context.Background(), written(rows))
	if err != nil {
		return nil
	}
	return e
}

// Bind computes the posteriors: 2 n d K flops.
func (k Clusters) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindMapped(ctx, k, train, w.Scope(fmt.Sprintf("clusters %p: ", k.Fit)))
}

// Bind computes the scores: 2 n d m flops.
func (k Components) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindMapped(ctx, k, train, w.Scope(fmt.Sprintf("components %p: ", k.Fit)))
}

// Map returns the posteriors of the rows, a column a cluster.
func (k Clusters) Map(rows data.Rows) (data.Rows, error) {
	if err := k.check(bound); err != nil {
		return data.Rows{}, fmt.Errorf("kernel: %w", err)
	}
	return mapDense("clusters", k.Fit.Dim(), k.Fit.Map, rows)
}

// Map returns the scores of the rows and a constant, in units of Fit.Scale.
func (k Components) Map(rows data.Rows) (data.Rows, error) {
	if err := k.check(bound); err != nil {
		return data.Rows{}, fmt.Errorf("kernel: %w", err)
	}
	return mapDense("components", k.Fit.Dim(), k.Fit.Map, rows)
}

func mapDense(name string, d int, of func(*mat.Dense) *mat.Dense, rows data.Rows) (data.Rows, error) {
	if rows.Dim() != d {
		return data.Rows{}, fmt.Errorf("kernel: %s: the rows have %d columns, those it was fitted to %d", name, rows.Dim(), d)
	}
	return data.Rows{Dense: of(written(rows)), ID: rows.ID}, nil
}

// mostWritten is the number of values up to which sparse rows are written out.
const mostWritten = 2e8 // 1.6 GB

func fits(rows data.Rows) bool {
	return !rows.IsSparse() || float64(rows.Len())*float64(rows.Dim()) <= mostWritten
}

// written are the rows with their zeros.
func written(rows data.Rows) *mat.Dense {
	if rows.IsSparse() {
		return rows.Sparse.ToDense()
	}
	return rows.Dense
}

func (k Clusters) check(at stage) error {
	switch {
	case k.Fit != nil:
		return told("clusters", k.Fit.Valid())
	case at == bound:
		return unfitted("clusters")
	}
	return nil
}

func (k Components) check(at stage) error {
	switch {
	case k.Fit != nil:
		return told("components", k.Fit.Valid())
	case at == bound:
		return unfitted("components")
	}
	return nil
}

func unfitted(name string) error {
	return fmt.Errorf("%s: it is not fitted: there are fewer than two rows, sparse ones of more than %g values with their zeros, or "+
		"values whose squares overflow; scale large values, and choose linear or gaussian for the others", name, mostWritten)
}

func told(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
