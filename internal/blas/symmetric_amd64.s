//go:build !noasm

#include "textflag.h"

// One row of A: acc0 and acc1 gather its sum, Y10 and Y11 what it gives to the columns.
#define ROW(reg, bc, acc0, acc1) \
	VFMADD231PD (reg), Y8, acc0    \
	VFMADD231PD 32(reg), Y9, acc1  \
	VFMADD231PD (reg), bc, Y10     \
	VFMADD231PD 32(reg), bc, Y11   \
	ADDQ $64, reg

// The sum of the numbers in acc0 and acc1, stored at place.
#define TOTAL(acc0, acc1, low, place) \
	VADDPD acc1, acc0, acc0        \
	VEXTRACTF128 $1, acc0, X8      \
	VADDPD X8, low, low            \
	VPERMILPD $1, low, X8          \
	VADDSD X8, low, low            \
	VMOVSD low, place(BX)

// func symv4(a *float64, lda, n int, x, y, xr, sums *float64)
TEXT ·symv4(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), DI
	MOVQ xr+40(FP), AX
	MOVQ sums+48(FP), BX
	SHLQ $3, R8
	LEAQ (SI)(R8*1), R9
	LEAQ (SI)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	VBROADCASTSD (AX), Y12
	VBROADCASTSD 8(AX), Y13
	VBROADCASTSD 16(AX), Y14
	VBROADCASTSD 24(AX), Y15
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ $8, CX
	JLT  four

eight:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	VMOVUPD (DI), Y10
	VMOVUPD 32(DI), Y11
	ROW(SI, Y12, Y0, Y1)
	ROW(R9, Y13, Y2, Y3)
	ROW(R10, Y14, Y4, Y5)
	ROW(R11, Y15, Y6, Y7)
	VMOVUPD Y10, (DI)
	VMOVUPD Y11, 32(DI)
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  eight

four:
	ADDQ $8, CX
	JLE  total
	VMOVUPD (DX), Y8
	VMOVUPD (DI), Y10
	VFMADD231PD (SI), Y8, Y0
	VFMADD231PD (SI), Y12, Y10
	VFMADD231PD (R9), Y8, Y2
	VFMADD231PD (R9), Y13, Y10
	VFMADD231PD (R10), Y8, Y4
	VFMADD231PD (R10), Y14, Y10
	VFMADD231PD (R11), Y8, Y6
	VFMADD231PD (R11), Y15, Y10
	VMOVUPD Y10, (DI)

total:
	TOTAL(Y0, Y1, X0, 0)
	TOTAL(Y2, Y3, X2, 8)
	TOTAL(Y4, Y5, X4, 16)
	TOTAL(Y6, Y7, X6, 24)
	VZEROUPPER
	RET

#define DOT(reg, acc0, acc1) \
	VFMADD231PD (reg), Y8, acc0    \
	VFMADD231PD 32(reg), Y9, acc1  \
	ADDQ $64, reg

// func dots4(x *float64, ldx, n int, v, sums *float64)
TEXT ·dots4(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ ldx+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ v+24(FP), DX
	MOVQ sums+32(FP), BX
	SHLQ $3, R8
	LEAQ (SI)(R8*1), R9
	LEAQ (SI)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

dot:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	DOT(SI, Y0, Y1)
	DOT(R9, Y2, Y3)
	DOT(R10, Y4, Y5)
	DOT(R11, Y6, Y7)
	ADDQ $64, DX
	SUBQ $8, CX
	JGT  dot
	TOTAL(Y0, Y1, X0, 0)
	TOTAL(Y2, Y3, X2, 8)
	TOTAL(Y4, Y5, X4, 16)
	TOTAL(Y6, Y7, X6, 24)
	VZEROUPPER
	RET
