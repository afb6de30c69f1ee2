// Package mercer learns in reproducing kernel Hilbert spaces from few labels and
// many unlabelled rows, and finds every hyper-parameter itself.
//
//	set, err := data.Builtin("digits")
//	...
//	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, mercer.Recipe{}, mercer.Options{})
//	out, err := m.Predict(rows)
//
// # One idea
//
// Every method is a regularised risk over a space with kernel k: a loss on the
// labelled rows, the norm of the space, perhaps a second norm f'Mf on all rows.
// The second norm makes another kernel, k~ (package manifold), so that
// semi-supervision is a kernel and any learner on a Gram matrix has it. Scores of
// hyper-parameters (package score) are functions of what a learner predicts for
// rows whose labels it was not given, in closed form; they are differentiated
// through learner, warp and kernel to all parameters in one pass, so that tuning
// is a derivative.
//
// # Four choices
//
// Kernel, learner, score and search do not know of each other: package kernel
// with graph and manifold, package rls, package score, and package search
// on package solve. Package auto holds the choice nobody had to make; package
// model is what remains of a fit.
//
// # Conventions
//
// Classes are in sorted order everywhere; with two classes the output is positive
// for the second. Recipes are plain values: the zero Recipe is `mercer fit DATA`.
// Nothing is random without a seed, and no result depends on the number of
// threads of pure Go (OpenBLAS does not promise it of its own products).
// Panics are for shape mistakes of the caller, errors for faults of the data.
package mercer
