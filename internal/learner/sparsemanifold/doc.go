// Package sparsemanifold trains machines of few basis functions that follow a graph of all rows.
//
// A function o = K_NJ beta of d centres J has too little freedom to be smooth along the graph and to meet the labels too, so
// that the plain machine (basis.Fit, Warp without slack) loses much of what the rows without a label tell. The repairs are
//
//	slack      a function f on the rows is smooth along the graph and stays near o       (slack.go, Warp)
//	sigmoid    the penalty is that of the squashed outputs tanh(rho o/2)                 (sigmoid.go)
//	decoupled  f spreads the labels over the graph, then o is a regression on f          (decoupled.go)
//
// Greedy selection for the slack machine is basis.Greedy on Slack.Basis.
//
// Symbols   N all n rows, L the labelled ones, Phi = K_NJ L^-T with K_JJ = L L' (kernel.Nystrom), M = L_graph^p. Scales are
// those of chapter 5 of the source: sums of losses, halves,
//
//	(gammaA/2) |o|^2 + (gammaI/2) f'Mf + 1/2 sum_L V(y_i, f_i),    V the losses of package learn
//
// Source    Sindhwani 2007, chapter 5.
package sparsemanifold
