// Package linear trains linear machines with and without labels by a few passes over the entries of their rows, of
// which there may be millions:
//
//	minimise over w   lambda/2 w'w + 1/2 sum_i a_i max(0, 1 - o_i)^2 + b_i max(0, 1 + o_i)^2,   o_i = x_i'w
//
// a_i is the price of row i for not being decided +1, b_i for not being decided -1. A row of label +1 has b_i = 0, one
// of label -1 has a_i = 0, and an unlabelled row of which it is believed by p that it is +1 has both. A machine has one
// such problem, or a sequence of them in which each begins at the solution of the one before. An offset is the weight of
// a constant feature, and so penalised.
//
// One algorithm a file: conjugate gradients (cgls.go), Newton's method around them (newton.go, ray.go), and on top of it
// the exchange of labels (switching.go) and annealing (annealing.go), which are solvers of package s3vm. Machines that are
// smooth along a graph have a problem of their own (laplacian.go). Supervised machines are those of package smooth.
//
// Source: Sindhwani 2007, chapter 6, corrected; Sindhwani and Keerthi, SIGIR 2006; Keerthi and DeCoste, JMLR 6 (2005).
package linear
