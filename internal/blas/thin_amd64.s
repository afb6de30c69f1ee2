//go:build !noasm

#include "textflag.h"

// FOUR adds the products of four rows, which begin at r, with four numbers of x to the sums s, one after the other. Halves of two
// rows are loaded side by side, so that one exchange a number is left to do.
#define FOUR(r, s) \
	VMOVUPD (r), X0                     \
	VINSERTF128 $1, (r)(R8*2), Y0, Y0   \
	VMOVUPD (r)(R8*1), X1               \
	VINSERTF128 $1, (r)(R10*1), Y1, Y1  \
	VMOVUPD 16(r), X2                   \
	VINSERTF128 $1, 16(r)(R8*2), Y2, Y2 \
	VMOVUPD 16(r)(R8*1), X3             \
	VINSERTF128 $1, 16(r)(R10*1), Y3, Y3 \
	VUNPCKLPD Y1, Y0, Y4                \
	VUNPCKHPD Y1, Y0, Y5                \
	VUNPCKLPD Y3, Y2, Y6                \
	VUNPCKHPD Y3, Y2, Y7                \
	VFMADD231PD Y12, Y4, s              \
	VFMADD231PD Y13, Y5, s              \
	VFMADD231PD Y14, Y6, s              \
	VFMADD231PD Y15, Y7, s

// func dots8(a *float64, lda, k int, x, sums *float64)
TEXT ·dots8(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ k+16(FP), CX
	MOVQ x+24(FP), DI
	MOVQ sums+32(FP), DX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R10
	LEAQ (SI)(R8*4), R11
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9

more:
	VBROADCASTSD (DI), Y12
	VBROADCASTSD 8(DI), Y13
	VBROADCASTSD 16(DI), Y14
	VBROADCASTSD 24(DI), Y15
	FOUR(SI, Y8)
	FOUR(R11, Y9)
	ADDQ $32, SI
	ADDQ $32, R11
	ADDQ $32, DI
	SUBQ $4, CX
	JG   more
	VMOVUPD Y8, (DX)
	VMOVUPD Y9, 32(DX)
	VZEROUPPER
	RET
