//go:build !noasm

#include "textflag.h"

// Register plan: Y4..Y15 hold the 6x16 block of sums, two registers a row; Y0, Y1 a
// row of the packed B; Y2, Y3 broadcasts of A.
#define STEP(oa, ob) \
	VMOVUPS ob+0(DI), Y0         \
	VMOVUPS ob+32(DI), Y1        \
	VBROADCASTSS oa+0(SI), Y2    \
	VBROADCASTSS oa+4(SI), Y3    \
	VFMADD231PS Y0, Y2, Y4       \
	VFMADD231PS Y1, Y2, Y5       \
	VFMADD231PS Y0, Y3, Y6       \
	VFMADD231PS Y1, Y3, Y7       \
	VBROADCASTSS oa+8(SI), Y2    \
	VBROADCASTSS oa+12(SI), Y3   \
	VFMADD231PS Y0, Y2, Y8       \
	VFMADD231PS Y1, Y2, Y9       \
	VFMADD231PS Y0, Y3, Y10      \
	VFMADD231PS Y1, Y3, Y11      \
	VBROADCASTSS oa+16(SI), Y2   \
	VBROADCASTSS oa+20(SI), Y3   \
	VFMADD231PS Y0, Y2, Y12      \
	VFMADD231PS Y1, Y2, Y13      \
	VFMADD231PS Y0, Y3, Y14      \
	VFMADD231PS Y1, Y3, Y15

#define ADD(lo, hi) \
	VMOVUPS (DX), Y1          \
	VMOVUPS 32(DX), Y2        \
	VFMADD231PS lo, Y0, Y1    \
	VFMADD231PS hi, Y0, Y2    \
	VMOVUPS Y1, (DX)          \
	VMOVUPS Y2, 32(DX)        \
	ADDQ R8, DX

#define SET(lo, hi) \
	VMULPS lo, Y0, Y1         \
	VMULPS hi, Y0, Y2         \
	VMOVUPS Y1, (DX)          \
	VMOVUPS Y2, 32(DX)        \
	ADDQ R8, DX

// func kernel6x16(strips, k int, a, b, c *float32, ldc int, alpha float32, how update)
TEXT ·kernel6x16(SB), NOSPLIT, $0-53
	MOVQ strips+0(FP), R10
	MOVQ k+8(FP), R11
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), R12
	MOVQ c+32(FP), DX
	MOVQ ldc+40(FP), R8
	MOVBLZX how+52(FP), AX
	SHLQ $2, R8

strip:
	MOVQ R11, CX
	MOVQ R12, DI
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
	VXORPS Y12, Y12, Y12
	VXORPS Y13, Y13, Y13
	VXORPS Y14, Y14, Y14
	VXORPS Y15, Y15, Y15
	TESTL AX, AX
	JZ   multiply
	// The rows of C arrive while the sums are formed.
	MOVQ DX, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)

multiply:
	SUBQ $4, CX
	JLT  tail

four:
	PREFETCHT0 384(SI)
	STEP(0, 0)
	STEP(24, 64)
	STEP(48, 128)
	STEP(72, 192)
	ADDQ $96, SI
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  four

tail:
	ADDQ $4, CX
	JLE  store

one:
	STEP(0, 0)
	ADDQ $24, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  one

store:
	VBROADCASTSS alpha+48(FP), Y0
	TESTL AX, AX
	JZ   set
	ADD(Y4, Y5)
	ADD(Y6, Y7)
	ADD(Y8, Y9)
	ADD(Y10, Y11)
	ADD(Y12, Y13)
	ADD(Y14, Y15)
	DECQ R10
	JNZ  strip
	VZEROUPPER
	RET

set:
	SET(Y4, Y5)
	SET(Y6, Y7)
	SET(Y8, Y9)
	SET(Y10, Y11)
	SET(Y12, Y13)
	SET(Y14, Y15)
	DECQ R10
	JNZ  strip
	VZEROUPPER
	RET

// func transpose8(dst, src *float32, s, ld, k int)
TEXT ·transpose8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ s+16(FP), R8
	MOVQ ld+24(FP), R9
	MOVQ k+32(FP), CX
	SHLQ $2, R8
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R10  // 3 ld
	LEAQ (R8)(R8*2), R11  // 3 s

square:
	LEAQ (SI)(R9*4), DX
	LEAQ (DI)(R8*4), BX
	// Halves of row r and row r+4 side by side, so that the rest stays within halves.
	VMOVUPS (SI), X0
	VINSERTF128 $1, (DX), Y0, Y0
	VMOVUPS (SI)(R9*1), X1
	VINSERTF128 $1, (DX)(R9*1), Y1, Y1
	VMOVUPS (SI)(R9*2), X2
	VINSERTF128 $1, (DX)(R9*2), Y2, Y2
	VMOVUPS (SI)(R10*1), X3
	VINSERTF128 $1, (DX)(R10*1), Y3, Y3
	VMOVUPS 16(SI), X4
	VINSERTF128 $1, 16(DX), Y4, Y4
	VMOVUPS 16(SI)(R9*1), X5
	VINSERTF128 $1, 16(DX)(R9*1), Y5, Y5
	VMOVUPS 16(SI)(R9*2), X6
	VINSERTF128 $1, 16(DX)(R9*2), Y6, Y6
	VMOVUPS 16(SI)(R10*1), X7
	VINSERTF128 $1, 16(DX)(R10*1), Y7, Y7
	VUNPCKLPS Y1, Y0, Y8
	VUNPCKHPS Y1, Y0, Y9
	VUNPCKLPS Y3, Y2, Y10
	VUNPCKHPS Y3, Y2, Y11
	VUNPCKLPD Y10, Y8, Y0
	VUNPCKHPD Y10, Y8, Y1
	VUNPCKLPD Y11, Y9, Y2
	VUNPCKHPD Y11, Y9, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, (DI)(R8*1)
	VMOVUPS Y2, (DI)(R8*2)
	VMOVUPS Y3, (DI)(R11*1)
	VUNPCKLPS Y5, Y4, Y8
	VUNPCKHPS Y5, Y4, Y9
	VUNPCKLPS Y7, Y6, Y10
	VUNPCKHPS Y7, Y6, Y11
	VUNPCKLPD Y10, Y8, Y4
	VUNPCKHPD Y10, Y8, Y5
	VUNPCKLPD Y11, Y9, Y6
	VUNPCKHPD Y11, Y9, Y7
	VMOVUPS Y4, (BX)
	VMOVUPS Y5, (BX)(R8*1)
	VMOVUPS Y6, (BX)(R8*2)
	VMOVUPS Y7, (BX)(R11*1)
	ADDQ $32, SI
	LEAQ (DI)(R8*8), DI
	SUBQ $8, CX
	JG   square
	VZEROUPPER
	RET
