//go:build !noasm

#include "textflag.h"

// t = s - (h + g) within bounds; a NaN, the second source of the minimum, stays.
#define DISTANCE(place, t) \
	VADDPS place(BX), Y15, t \
	VMOVUPS place(SI), Y12   \
	VSUBPS t, Y12, t         \
	VMINPS t, Y14, t         \
	VMAXPS t, Y13, t

// e = magic + round(t), r = t - round(t).
#define SPLIT(t, e) \
	VADDPS Y12, t, e         \
	VSUBPS Y12, e, Y8        \
	VSUBPS Y8, t, t

// One term of the polynomial for 32 elements: p = p r + a.
#define POLY32(place) \
	VBROADCASTSS place(R8), Y12 \
	VFMADD213PS Y12, Y0, Y8     \
	VFMADD213PS Y12, Y1, Y9     \
	VFMADD213PS Y12, Y2, Y10    \
	VFMADD213PS Y12, Y3, Y11

// The same for 8.
#define POLY8(place) \
	VBROADCASTSS place(R8), Y12 \
	VFMADD213PS Y12, Y0, Y8

// k = 2^n p.
#define POWER(e, p, place) \
	VPSLLD $23, e, e     \
	VMULPS e, p, p       \
	VMOVUPS p, place(DI)

// Register plan: Y0..Y3 hold t, then r; Y4..Y7 magic + n; Y8..Y11 the polynomial;
// Y12 constants; Y13 the lower and Y14 the upper bound; Y15 h.

// func gaussianAVX2(dst, s, norm *float32, n int, h float32)
TEXT ·gaussianAVX2(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ norm+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSS h+32(FP), Y15
	LEAQ ·gauss32(SB), R8
	VBROADCASTSS (R8), Y13
	VXORPS Y14, Y14, Y14
	SUBQ $32, CX
	JLT  few

many:
	DISTANCE(0, Y0)
	DISTANCE(32, Y1)
	DISTANCE(64, Y2)
	DISTANCE(96, Y3)
	VBROADCASTSS 4(R8), Y12
	SPLIT(Y0, Y4)
	SPLIT(Y1, Y5)
	SPLIT(Y2, Y6)
	SPLIT(Y3, Y7)
	VBROADCASTSS 8(R8), Y8
	VMOVAPS Y8, Y9
	VMOVAPS Y8, Y10
	VMOVAPS Y8, Y11
	POLY32(12)
	POLY32(16)
	POLY32(20)
	POLY32(24)
	POLY32(28)
	POLY32(32)
	POWER(Y4, Y8, 0)
	POWER(Y5, Y9, 32)
	POWER(Y6, Y10, 64)
	POWER(Y7, Y11, 96)
	ADDQ $128, SI
	ADDQ $128, BX
	ADDQ $128, DI
	SUBQ $32, CX
	JGE  many

few:
	ADDQ $32, CX
	JLE  done

eight:
	DISTANCE(0, Y0)
	VBROADCASTSS 4(R8), Y12
	SPLIT(Y0, Y4)
	VBROADCASTSS 8(R8), Y8
	POLY8(12)
	POLY8(16)
	POLY8(20)
	POLY8(24)
	POLY8(28)
	POLY8(32)
	POWER(Y4, Y8, 0)
	ADDQ $32, SI
	ADDQ $32, BX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   eight

done:
	VZEROUPPER
	RET
