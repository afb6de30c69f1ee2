// Package graph makes weighted graphs on the rows of a data set and gives their
// Laplacians as operators: the intrinsic norm f'Rf of manifold regularisation.
//
// Neighbours finds exact nearest neighbours once for the largest number wanted;
// Recipe.Build turns them into a Graph; Graph.Operator is R = L^p, never formed,
// with the derivative in the width of its heat weights; Combine weighs several.
//
//	lists, err := graph.Neighbours(ctx, rows, 50, graph.Euclidean)
//	g, err := graph.Recipe{Neighbours: 10}.Build(ctx, rows, lists)
//	r := g.Operator()
//	r.MulTo(dst, x)
//
// Results do not depend on the number of threads. Panics are for wrong shapes;
// errors for what the data cannot give.
//
// A new kind of weights, metric or operator is a file here, tested by package graphtest.
package graph
