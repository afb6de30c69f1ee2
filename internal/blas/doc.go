// Package blas is the dense linear algebra under everything else: products,
// Cholesky and LU factorisations, triangular solves and symmetric eigenproblems
// on row-major gonum matrices (strides respected).
//
// Two engines answer the same calls: pure Go, and, where the environment variable
// MERCER_BLAS is "openblas", the system's OpenBLAS, opened at run time without cgo.
// It must be there and pass a self-test; small work is left to pure Go even then.
// A program built with the tag nodlopen has no OpenBLAS (and links statically).
//
// Pure Go is a packed matrix product (gemm.go) and what stands on it: triangular
// solves (triangular.go), Cholesky and LU (pure.go) by recursion, eigenvectors by
// blocks of reflections, divide and conquer (eigensystem.go). Its kernels are
// AVX-512 or AVX2 with FMA on amd64, chosen when the program starts; elsewhere
// gonum's product works. Both kernels give the same bits: an element of C sees the same
// fused operations in the same order, in slices of k.
//
// Results of the pure Go engine are bitwise independent of GOMAXPROCS and of
// SetThreads: work is divided over blocks of the output, and a sum over slabs whose
// number follows from the order of the matrix alone. OpenBLAS makes no such promise
// across thread counts. Operations below some twenty microseconds run on one thread; a
// larger one starts its helpers once (team.go), and several at a time share
// the processors.
//
// Sgemm and SgemmTiles are products in single precision, on gonum's blas32.General.
// SgemmTiles hands its result over by tiles and on processors with AVX2 runs on the pure
// Go kernels with either engine.
//
// All functions may be called from several goroutines. OpenBLAS runs its
// threaded calls one after another; programs that are parallel outside should
// call SetThreads(1) first.
//
// Shape mistakes panic; faults of the numbers (not positive definite, singular,
// not finite) are errors that name the place.
//
// Change here how dense matrices are computed with; a routine that is added has both engines,
// which agree.
package blas
