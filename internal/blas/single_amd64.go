//go:build !noasm

package blas

// kernel6x16 stores alpha A B in the block C of 6 strips rows and 16 columns with row
// stride ldc, or adds it, where A is packed as strips of k columns of 6 and B as k rows of
// 16. k >= 1, strips >= 1.
//
//go:noescape
func kernel6x16(strips, k int, a, b, c *float32, ldc int, alpha float32, how update)

// kernel12x32 is kernel6x16 for blocks of 12 rows, two strips of A, and 32 columns, two strips of B: every element sees the
// same operations. AVX-512.
//
//go:noescape
func kernel12x32(pairs, k int, a, b, c *float32, ldc int, alpha float32, how update)

// transpose8 stores the transpose of 8 rows of k numbers, ld apart, in k rows of 8, s
// apart. k is a positive multiple of 8.
//
//go:noescape
func transpose8(dst, src *float32, s, ld, k int)
