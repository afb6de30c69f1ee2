// Package complexity measures functions of a reproducing kernel Hilbert space, f = sum_j alpha_j
// k(x_j, .), so that functions of different kernels can be compared (Kokshenev 2010, chapter
// 5). The squared norm alpha'G alpha is no such measure: scaling the kernel scales it.
//
//	RKHS         alpha'G alpha                                     for one kernel
//	Normalised   alpha'S G S alpha, S = diag(sqrt k(x_i,x_i))      eqs 5.9, 5.10
//	Reference    sum_i alpha_i^2/d_i, d = diag(G^-1 G_ref G^-1)    eq. 5.33
//
// None of them counts the offset.
//
// A new measure is a function of its own file here, which package mobj then offers.
package complexity
