// Package spectral groups and places rows by a neighbourhood graph, without
// labels: the unsupervised limits of manifold regularisation.
//
// Eigenmap places the rows of a graph by the smoothest functions on it (Laplacian
// eigenmaps); Regularised does so by functions of a kernel space, which are
// known for new rows too; Clustering makes clusters of either, whose number may be
// left to the eigenvalues. Rand and Matching compare clusters with classes.
//
//	g, err := graph.Recipe{}.Build(ctx, rows, nil)
//	e, err := spectral.Eigenmap{}.Fit(ctx, g, 2)              // e.Coordinates, n x 2
//	c, err := spectral.Clustering{Clusters: 3}.Fit(ctx, g, rows) // c.Of, a number a row
//
// Results depend on seeds, not on the number of threads. Panics are for wrong
// shapes; errors for what the data cannot give.
//
// Change here how rows are parted and placed; graphs are made in package graph.
package spectral
