//go:build !noasm

#include "exp_amd64.h"
#include "textflag.h"

// The loops of vec_amd64.s, and of the files of logarithms and ranks, in registers of eight numbers: the same operations on each number, in
// the same order.

// One term of the series for 32 elements: p = p r + a.
#define TERM32(place) \
	VBROADCASTSD place(R8), Z12 \
	VFMADD213PD Z12, Z0, Z8     \
	VFMADD213PD Z12, Z1, Z9     \
	VFMADD213PD Z12, Z2, Z10    \
	VFMADD213PD Z12, Z3, Z11

// r = c x within bounds; a NaN, the second source of the minimum, stays.
#define LOAD(place, r) \
	VMULPD place(SI), Z15, r \
	VMINPD r, Z16, r         \
	VMAXPD r, Z17, r

// t = magic + round(r / ln 2), n = t - magic.
#define ROUND(r, t, n) \
	VMOVAPD Z18, t         \
	VFMADD231PD Z19, r, t  \
	VSUBPD Z18, t, n

// r -= n ln 2, in two parts.
#define REDUCE(r, n) \
	VFNMADD231PD Z20, n, r \
	VFNMADD231PD Z21, n, r

// p = 2^n p by halves.
#define SCALE(t, p, place) \
	VPSRLQ $1, t, Z12     \
	VPSUBQ Z12, t, t      \
	VPSLLQ $52, Z12, Z12  \
	VPSLLQ $52, t, t      \
	VMULPD Z12, p, p      \
	VMULPD t, p, p        \
	VMOVUPD p, place(DI)

// Register plan: Z0..Z3 hold x, then r; Z4..Z7 magic + n; Z8..Z11 n, then the
// series; Z12 a term; Z15 the factor c; Z16..Z21 constants.

// func expAVX512(dst, x *float64, n int, c float64)
TEXT ·expAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD c+24(FP), Z15
	LEAQ ·constants(SB), R8
	VBROADCASTSD BIG(R8), Z16
	VBROADCASTSD LOW(R8), Z17
	VBROADCASTSD MAGIC(R8), Z18
	VBROADCASTSD LOG2E(R8), Z19
	VBROADCASTSD LN2HI(R8), Z20
	VBROADCASTSD LN2LO(R8), Z21

more:
	LOAD(0, Z0)
	LOAD(64, Z1)
	LOAD(128, Z2)
	LOAD(192, Z3)
	ROUND(Z0, Z4, Z8)
	ROUND(Z1, Z5, Z9)
	ROUND(Z2, Z6, Z10)
	ROUND(Z3, Z7, Z11)
	REDUCE(Z0, Z8)
	REDUCE(Z1, Z9)
	REDUCE(Z2, Z10)
	REDUCE(Z3, Z11)
	VBROADCASTSD TERM13(R8), Z8
	VMOVAPD Z8, Z9
	VMOVAPD Z8, Z10
	VMOVAPD Z8, Z11
	TERM32(56)
	TERM32(64)
	TERM32(72)
	TERM32(80)
	TERM32(88)
	TERM32(96)
	TERM32(104)
	TERM32(112)
	TERM32(120)
	TERM32(128)
	TERM32(136)
	TERM32(144)
	TERM32(152)
	SCALE(Z4, Z8, 0)
	SCALE(Z5, Z9, 64)
	SCALE(Z6, Z10, 128)
	SCALE(Z7, Z11, 192)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JG   more
	VZEROUPPER
	RET

// func distancesAVX512(s, norm *float64, n int, na, share float64) (done int)
TEXT ·distancesAVX512(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), DI
	MOVQ         norm+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD na+24(FP), Z14
	VBROADCASTSD share+32(FP), Z15
	XORQ         DX, DX

apart:
	VADDPD   (SI)(DX*8), Z14, Z1 // na + norm
	VMOVUPD  (DI)(DX*8), Z2
	VADDPD   Z2, Z2, Z2
	VSUBPD   Z2, Z1, Z3          // na + norm - 2 s
	VMULPD   Z15, Z1, Z4
	VCMPPD   $17, Z4, Z3, K1     // less than its share; not so of NaN
	KORTESTW K1, K1
	JNZ      near
	VMOVUPD  Z3, (DI)(DX*8)
	ADDQ     $8, DX
	CMPQ     DX, CX
	JLT      apart

near:
	MOVQ DX, done+40(FP)
	VZEROUPPER
	RET

// func rankFactorAVX512(to, p, q *float64, n int, a *[4]float64)
TEXT ·rankFactorAVX512(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ a+32(FP), BX
	VBROADCASTSD 0(BX), Z8
	VBROADCASTSD 8(BX), Z9
	VBROADCASTSD 16(BX), Z10
	VBROADCASTSD 24(BX), Z11
	XORQ AX, AX

factor:
	VMULPD      (DX)(AX*8), Z8, Z0
	VMULPD      (SI)(AX*8), Z9, Z1
	VMINPD      Z1, Z0, Z0 // min(P q, Q p)
	VMOVAPD     Z10, Z2
	VFMADD231PD Z11, Z0, Z2
	VMULPD      (DI)(AX*8), Z2, Z2
	VMOVUPD     Z2, (DI)(AX*8)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         factor
	VZEROUPPER
	RET

// A term of the series: p = p g + a.
#define TERM(at) \
	VBROADCASTSD at(R8), Z7; \
	VFMADD213PD  Z7, Z5, Z6

// func log1pAVX512(dst, x *float64, n int, c float64)
TEXT ·log1pAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD c+24(FP), Z15
	LEAQ ·log1pConstants(SB), R8
	VBROADCASTSD 0(R8), Z14  // largest
	VBROADCASTSD 8(R8), Z13  // 1
	VBROADCASTSD 16(R8), Z12 // sqrt(1/2)
	VBROADCASTSD 24(R8), Z11 // 2^52
	VBROADCASTSD 32(R8), Z10 // low part of ln 2
	VBROADCASTSD 40(R8), Z9  // high part

eight:
	VMOVUPD (SI), Z0
	VMULPD  Z15, Z0, Z0
	VMINPD  Z0, Z14, Z0 // the second of NaN
	VADDPD  Z13, Z0, Z1 // y
	VSUBPD  Z13, Z1, Z2
	VSUBPD  Z2, Z0, Z2  // lost
	VPSUBQ  Z12, Z1, Z3
	VPSRLQ  $52, Z3, Z3 // e
	VPSLLQ  $52, Z3, Z4
	VPSUBQ  Z4, Z1, Z1  // m
	VPSUBQ  Z4, Z13, Z6 // 2^-e
	VMULPD  Z6, Z2, Z2
	VPORQ   Z11, Z3, Z3
	VSUBPD  Z11, Z3, Z3 // e as a float
	VSUBPD  Z13, Z1, Z4
	VADDPD  Z13, Z1, Z5
	VBROADCASTSD 128(R8), Z6
	VBROADCASTSD 136(R8), Z7
	VFMADD213PD  Z7, Z4, Z6
	VBROADCASTSD 144(R8), Z7
	VFMADD213PD  Z7, Z4, Z6
	VFMADD213PD  Z13, Z4, Z6 // 1/m
	VMULPD  Z6, Z2, Z2
	VDIVPD  Z5, Z4, Z4  // f
	VMULPD  Z4, Z4, Z5  // g
	VBROADCASTSD 48(R8), Z6
	TERM(56)
	TERM(64)
	TERM(72)
	TERM(80)
	TERM(88)
	TERM(96)
	TERM(104)
	TERM(112)
	TERM(120)
	VMULPD      Z5, Z4, Z5 // f g
	VFMADD231PD Z10, Z3, Z2
	VFMADD231PD Z6, Z5, Z2
	VADDPD      Z4, Z4, Z4
	VADDPD      Z4, Z2, Z2
	VFMADD231PD Z9, Z3, Z2
	VMOVUPD     Z2, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JG   eight
	VZEROUPPER
	RET
