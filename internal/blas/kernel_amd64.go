//go:build !noasm

package blas

import "github.com/mercer-ml/mercer/internal/vec"

// hasKernels says that processor and operating system carry AVX2 and FMA.
var hasKernels = vec.AVX2

// hasWide says that they carry AVX-512 too.
var hasWide = vec.AVX512

// kernel6x8 adds alpha A B to the 6 x 8 block C with row stride ldc, or to nothing and overwrites C, where A is
// packed as k columns of 6 and B as k rows of 8. k >= 1. It asks for k/2 numbers from next on, which are not read.
//
//go:noescape
func kernel6x8(k int, a, b, c *float64, ldc int, alpha float64, next *float64, how update)

// kernel12x16 is kernel6x8 for a 12 x 16 block of C, where A is packed as two of its strips, one after the other, and B
// likewise: every element sees the same operations. It asks for 2k numbers from next on. At an edge of C masks is not nil: bit j of
// the mask of each row says whether column j is there, and it adds whatever how says. AVX-512.
//
//go:noescape
func kernel12x16(k int, a, b, c *float64, ldc int, alpha float64, next *float64, rows int, masks *uint16, how update)

// rowSubAVX2 is rowSub for k >= 1.
//
//go:noescape
func rowSubAVX2(dst *float64, w int, x *float64, ldx int, coef *float64, inc, k int)

// rotateAVX2 is rotatePlain with z at the last of the k+1 rows, k >= 1.
//
//go:noescape
func rotateAVX2(z, c, s *float64, k int)

// symv4 adds to y what 4 rows of n numbers give to the columns, y_j += sum_q xr_q a_qj, and stores the
// products of the rows and x in sums. n >= 4 is a multiple of 4.
//
//go:noescape
func symv4(a *float64, lda, n int, x, y, xr, sums *float64)

// dots4 stores the products of 4 rows of n numbers and v. n >= 8 is a multiple of 8.
//
//go:noescape
func dots4(x *float64, ldx, n int, v, sums *float64)

// dots8 stores the products of 8 rows of k numbers, lda apart, with x: each a sum of fused products, one after the other from 0 on.
// k >= 4 is a multiple of 4.
//
//go:noescape
func dots8(a *float64, lda, k int, x, sums *float64)

// transpose4 stores the transpose of 4 rows of k numbers, ld apart, in k rows of 4, s apart. k >= 4 is a multiple of 4.
//
//go:noescape
func transpose4(dst *float64, s int, src *float64, ld, k int)

// transpose2 is transpose4 of 2 rows.
//
//go:noescape
func transpose2(dst *float64, s int, src *float64, ld, k int)

// divideAVX2 divides w numbers by d. w >= 4 is a multiple of 4.
//
//go:noescape
func divideAVX2(x *float64, w int, d float64)

// copySix copies the first 6 numbers of k rows, ld apart, one after the other. k >= 1.
//
//go:noescape
func copySix(dst, src *float64, ld, k int)

// copyEight copies the first 8.
//
//go:noescape
func copyEight(dst, src *float64, ld, k int)
