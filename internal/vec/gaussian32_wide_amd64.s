//go:build !noasm

#include "textflag.h"

// The loop of gaussian32_amd64.s in registers of sixteen numbers: the same operations on each number, in the same order.

// t = s - (h + g) within bounds; a NaN, the second source of the minimum, stays.
#define DISTANCE(place, t) \
	VADDPS place(BX), Z15, t \
	VMOVUPS place(SI), Z12   \
	VSUBPS t, Z12, t         \
	VMINPS t, Z14, t         \
	VMAXPS t, Z13, t

// e = magic + round(t), r = t - round(t).
#define SPLIT(t, e) \
	VADDPS Z16, t, e         \
	VSUBPS Z16, e, Z8        \
	VSUBPS Z8, t, t

// One term of the polynomial for 64 elements: p = p r + a.
#define POLY64(a) \
	VFMADD213PS a, Z0, Z8     \
	VFMADD213PS a, Z1, Z9     \
	VFMADD213PS a, Z2, Z10    \
	VFMADD213PS a, Z3, Z11

// k = 2^n p.
#define POWER(e, p, place) \
	VPSLLD $23, e, e     \
	VMULPS e, p, p       \
	VMOVUPS p, place(DI)

// Register plan: Z0..Z3 hold t, then r; Z4..Z7 magic + n; Z8..Z11 the polynomial;
// Z13 the lower and Z14 the upper bound; Z15 h; Z16..Z23 constants.

// func gaussianAVX512(dst, s, norm *float32, n int, h float32)
TEXT ·gaussianAVX512(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ norm+16(FP), BX
	MOVQ n+24(FP), CX
	VBROADCASTSS h+32(FP), Z15
	LEAQ ·gauss32(SB), R8
	VBROADCASTSS (R8), Z13
	VPXORQ Z14, Z14, Z14
	VBROADCASTSS 4(R8), Z16
	VBROADCASTSS 8(R8), Z17
	VBROADCASTSS 12(R8), Z18
	VBROADCASTSS 16(R8), Z19
	VBROADCASTSS 20(R8), Z20
	VBROADCASTSS 24(R8), Z21
	VBROADCASTSS 28(R8), Z22
	VBROADCASTSS 32(R8), Z23

many:
	DISTANCE(0, Z0)
	DISTANCE(64, Z1)
	DISTANCE(128, Z2)
	DISTANCE(192, Z3)
	SPLIT(Z0, Z4)
	SPLIT(Z1, Z5)
	SPLIT(Z2, Z6)
	SPLIT(Z3, Z7)
	VMOVAPS Z17, Z8
	VMOVAPS Z17, Z9
	VMOVAPS Z17, Z10
	VMOVAPS Z17, Z11
	POLY64(Z18)
	POLY64(Z19)
	POLY64(Z20)
	POLY64(Z21)
	POLY64(Z22)
	POLY64(Z23)
	POWER(Z4, Z8, 0)
	POWER(Z5, Z9, 64)
	POWER(Z6, Z10, 128)
	POWER(Z7, Z11, 192)
	ADDQ $256, SI
	ADDQ $256, BX
	ADDQ $256, DI
	SUBQ $64, CX
	JG   many
	VZEROUPPER
	RET
