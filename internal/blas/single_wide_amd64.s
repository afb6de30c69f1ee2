//go:build !noasm

#include "textflag.h"

// Register plan: Z8..Z31 hold the 12x32 block of sums, two registers a row; Z0, Z1 a row of two strips of the packed B;
// Z2, Z3 broadcasts of A.
#define ROWS(a, oa, s0, s1, s2, s3) \
	VBROADCASTSS oa+0(a), Z2     \
	VBROADCASTSS oa+4(a), Z3     \
	VFMADD231PS Z0, Z2, s0       \
	VFMADD231PS Z1, Z2, s1       \
	VFMADD231PS Z0, Z3, s2       \
	VFMADD231PS Z1, Z3, s3

#define STEP(oa, ob) \
	VMOVUPS ob(DI), Z0                          \
	VMOVUPS ob(R12), Z1                         \
	ROWS(SI, oa, Z8, Z9, Z10, Z11)              \
	ROWS(SI, oa+8, Z12, Z13, Z14, Z15)          \
	ROWS(SI, oa+16, Z16, Z17, Z18, Z19)         \
	ROWS(R13, oa, Z20, Z21, Z22, Z23)           \
	ROWS(R13, oa+8, Z24, Z25, Z26, Z27)         \
	ROWS(R13, oa+16, Z28, Z29, Z30, Z31)

#define ADD(lo, hi) \
	VMOVUPS (DX), Z1          \
	VMOVUPS 64(DX), Z2        \
	VFMADD231PS lo, Z0, Z1    \
	VFMADD231PS hi, Z0, Z2    \
	VMOVUPS Z1, (DX)          \
	VMOVUPS Z2, 64(DX)        \
	ADDQ R8, DX

#define SET(lo, hi) \
	VMULPS lo, Z0, Z1         \
	VMULPS hi, Z0, Z2         \
	VMOVUPS Z1, (DX)          \
	VMOVUPS Z2, 64(DX)        \
	ADDQ R8, DX

// func kernel12x32(pairs, k int, a, b, c *float32, ldc int, alpha float32, how update)
TEXT ·kernel12x32(SB), NOSPLIT, $0-53
	MOVQ pairs+0(FP), R10
	MOVQ k+8(FP), R11
	MOVQ a+16(FP), R13
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), DX
	MOVQ ldc+40(FP), R8
	MOVBLZX how+52(FP), AX
	SHLQ $2, R8

pair:
	// Strips of k columns of 6, and of k rows of 16 numbers.
	MOVQ R13, SI
	LEAQ (R11)(R11*2), R13
	SHLQ $3, R13
	ADDQ SI, R13
	MOVQ R9, DI
	MOVQ R11, R12
	SHLQ $6, R12
	ADDQ DI, R12
	MOVQ R11, CX
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15
	VPXORQ Z16, Z16, Z16
	VPXORQ Z17, Z17, Z17
	VPXORQ Z18, Z18, Z18
	VPXORQ Z19, Z19, Z19
	VPXORQ Z20, Z20, Z20
	VPXORQ Z21, Z21, Z21
	VPXORQ Z22, Z22, Z22
	VPXORQ Z23, Z23, Z23
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25
	VPXORQ Z26, Z26, Z26
	VPXORQ Z27, Z27, Z27
	VPXORQ Z28, Z28, Z28
	VPXORQ Z29, Z29, Z29
	VPXORQ Z30, Z30, Z30
	VPXORQ Z31, Z31, Z31
	SUBQ $4, CX
	JLT  tail

four:
	PREFETCHT0 384(SI)
	PREFETCHT0 384(R13)
	STEP(0, 0)
	STEP(24, 64)
	STEP(48, 128)
	STEP(72, 192)
	ADDQ $96, SI
	ADDQ $96, R13
	ADDQ $256, DI
	ADDQ $256, R12
	SUBQ $4, CX
	JGE  four

tail:
	ADDQ $4, CX
	JLE  store

one:
	STEP(0, 0)
	ADDQ $24, SI
	ADDQ $24, R13
	ADDQ $64, DI
	ADDQ $64, R12
	DECQ CX
	JNZ  one

store: // R13 is at the next pair
	VBROADCASTSS alpha+48(FP), Z0
	TESTL AX, AX
	JZ   set
	ADD(Z8, Z9)
	ADD(Z10, Z11)
	ADD(Z12, Z13)
	ADD(Z14, Z15)
	ADD(Z16, Z17)
	ADD(Z18, Z19)
	ADD(Z20, Z21)
	ADD(Z22, Z23)
	ADD(Z24, Z25)
	ADD(Z26, Z27)
	ADD(Z28, Z29)
	ADD(Z30, Z31)
	DECQ R10
	JNZ  pair
	VZEROUPPER
	RET

set:
	SET(Z8, Z9)
	SET(Z10, Z11)
	SET(Z12, Z13)
	SET(Z14, Z15)
	SET(Z16, Z17)
	SET(Z18, Z19)
	SET(Z20, Z21)
	SET(Z22, Z23)
	SET(Z24, Z25)
	SET(Z26, Z27)
	SET(Z28, Z29)
	SET(Z30, Z31)
	DECQ R10
	JNZ  pair
	VZEROUPPER
	RET
