// Package blas is the dense linear algebra under everything else: products,
// Cholesky and LU factorisations, triangular solves and symmetric eigenproblems
// on row-major gonum matrices (strides respected).
//
// It is a packed matrix product (gemm.go) and what stands on it: triangular
// solves (triangular.go), Cholesky and LU (engine.go) by recursion, eigenvectors by
// blocks of reflections, divide and conquer (eigensystem.go). Its kernels are
// AVX-512 or AVX2 with FMA on amd64, chosen when the program starts; elsewhere
// gonum's product works. Both kernels give the same bits: an element of C sees the same
// fused operations in the same order, in slices of k.
//
// Results are bitwise independent of GOMAXPROCS and of
// SetThreads: work is divided over blocks of the output, and a sum over slabs whose
// number follows from the order of the matrix alone. Operations below some twenty microseconds run on one thread; a
// larger one starts its helpers once (team.go), and several at a time share
// the processors. An operation Within a context ends soon after it (within.go).
//
// Sgemm and SgemmTiles are products in single precision, on gonum's blas32.General.
// SgemmTiles hands its result over by tiles.
//
// All functions may be called from several goroutines.
//
// Shape mistakes panic; faults of the numbers (not positive definite, singular,
// not finite) are errors that name the place.
//
// Change here how dense matrices are computed with; a routine that is added has a plain form without assembly,
// which agrees.
package blas
