//go:build !noasm

#include "textflag.h"

// Two columns of four rows: Y0 gets numbers at, at+1 of rows 0 and 2, Y1 those of rows 1 and 3.
#define PAIR(at) \
	VMOVUPD at(SI), X0                   \
	VMOVUPD at(R9), X1                   \
	VINSERTF128 $1, at(R10), Y0, Y0      \
	VINSERTF128 $1, at(R11), Y1, Y1      \
	VUNPCKLPD Y1, Y0, Y2                 \
	VUNPCKHPD Y1, Y0, Y3                 \
	VMOVUPD Y2, (DI)                     \
	VMOVUPD Y3, (DI)(DX*1)               \
	LEAQ (DI)(DX*2), DI

// func transpose4(dst *float64, s int, src *float64, ld, k int)
TEXT ·transpose4(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ s+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ ld+24(FP), R8
	MOVQ k+32(FP), CX
	SHLQ $3, DX
	SHLQ $3, R8
	LEAQ (SI)(R8*1), R9
	LEAQ (SI)(R8*2), R10
	LEAQ (R9)(R8*2), R11

four:
	PAIR(0)
	PAIR(16)
	ADDQ $32, SI
	ADDQ $32, R9
	ADDQ $32, R10
	ADDQ $32, R11
	SUBQ $4, CX
	JGT  four
	VZEROUPPER
	RET

#define TWO(at) \
	VMOVUPD at(SI), X0                   \
	VMOVUPD at(R9), X1                   \
	VUNPCKLPD X1, X0, X2                 \
	VUNPCKHPD X1, X0, X3                 \
	VMOVUPD X2, (DI)                     \
	VMOVUPD X3, (DI)(DX*1)               \
	LEAQ (DI)(DX*2), DI

// func transpose2(dst *float64, s int, src *float64, ld, k int)
TEXT ·transpose2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ s+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ ld+24(FP), R8
	MOVQ k+32(FP), CX
	SHLQ $3, DX
	LEAQ (SI)(R8*8), R9

two:
	TWO(0)
	TWO(16)
	ADDQ $32, SI
	ADDQ $32, R9
	SUBQ $4, CX
	JGT  two
	RET

// func divideAVX2(x *float64, w int, d float64)
TEXT ·divideAVX2(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), CX
	VBROADCASTSD d+16(FP), Y0

quotient:
	VMOVUPD (DI), Y1
	VDIVPD Y0, Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ $32, DI
	SUBQ $4, CX
	JGT  quotient
	VZEROUPPER
	RET

// func copySix(dst, src *float64, ld, k int)
TEXT ·copySix(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ ld+16(FP), R8
	MOVQ k+24(FP), CX
	SHLQ $3, R8

six:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), X1
	VMOVUPD Y0, (DI)
	VMOVUPD X1, 32(DI)
	ADDQ R8, SI
	ADDQ $48, DI
	DECQ CX
	JNZ  six
	VZEROUPPER
	RET

// func copyEight(dst, src *float64, ld, k int)
TEXT ·copyEight(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ ld+16(FP), R8
	MOVQ k+24(FP), CX
	SHLQ $3, R8

eight:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ R8, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  eight
	VZEROUPPER
	RET
