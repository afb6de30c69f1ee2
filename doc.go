// Package mercer learns from few labels and many unlabelled rows, by regularised least squares,
// support vector and logistic machines in reproducing kernel Hilbert spaces, and chooses every
// hyper-parameter by itself.
//
//	var recipe mercer.Recipe
//	in, _, err := mercer.Open(ctx, mercer.Files{Data: "rows.csv"}, &recipe)
//	...
//	m, res, err := mercer.Fit(ctx, *in, recipe, mercer.Options{})
//	rows, _, err := mercer.OpenFor(ctx, m, "new.csv", read.Options{})
//	classes, err := m.Classify(ctx, rows.Rows)
//
// A Recipe says what is asked for; the zero Recipe is `mercer fit DATA`. The words that these
// packages use are explained in docs/notation.md.
//
// # One idea
//
// Every method minimises a loss on the labelled rows and the norm of a space of functions with
// kernel k. Some methods add a second norm f'Mf on all rows, labelled or not. The second norm
// makes another kernel of the first (package manifold). So semi-supervision is a kernel, and any
// learner that works on a Gram matrix has it.
//
// Hyper-parameters are judged by scores (package score). A score is a function of what a learner
// predicts for rows whose labels it was not given, mostly in closed form. It is differentiated
// through learner and kernel to all parameters in one pass, so that tuning is a derivative.
//
// # Four choices
//
// Kernel, learner, score and search do not know of each other. Kernels are in packages kernel and
// manifold, the latter over graphs of package graph; learners in learn/rls, learn/svm and
// learn/smooth; scores in score; searches in search. Each can be used without this package.
// Package internal/method joins them into methods, and package model is what remains of a fit.
//
// # Conventions
//
// Classes are in sorted order everywhere; with two classes the output is positive for the second.
// Recipes are plain values, which no fit changes. Nothing is random without a seed, and no result
// depends on the number of threads.
// A mistake in the shape of an argument is the caller's and panics; a fault of the data is an error.
//
// Change here what the front door offers: package internal/fit leads from rows to an
// answer, and package result declares what is asked and answered.
package mercer
