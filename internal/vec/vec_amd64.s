//go:build !noasm

#include "exp_amd64.h"
#include "textflag.h"

// One term of the series for 16 elements: p = p r + a.
#define TERM16(place) \
	VBROADCASTSD place(R8), Y12 \
	VFMADD213PD Y12, Y0, Y8     \
	VFMADD213PD Y12, Y1, Y9     \
	VFMADD213PD Y12, Y2, Y10    \
	VFMADD213PD Y12, Y3, Y11

// The same for 4.
#define TERM4(place) \
	VBROADCASTSD place(R8), Y12 \
	VFMADD213PD Y12, Y0, Y8

// r = c x within bounds; a NaN, the second source of the minimum, stays.
#define LOAD(place, r) \
	VMULPD place(SI), Y15, r \
	VMINPD r, Y13, r         \
	VMAXPD r, Y14, r

// t = magic + round(r / ln 2), n = t - magic.
#define ROUND(r, t, n) \
	VMOVAPD Y13, t         \
	VFMADD231PD Y14, r, t  \
	VSUBPD Y13, t, n

// r -= n ln 2, in two parts.
#define REDUCE(r, n) \
	VFNMADD231PD Y12, n, r \
	VFNMADD231PD Y13, n, r

// p = 2^n p by halves.
#define SCALE(t, p, place) \
	VPSRLQ $1, t, Y12     \
	VPSUBQ Y12, t, t      \
	VPSLLQ $52, Y12, Y12  \
	VPSLLQ $52, t, t      \
	VMULPD Y12, p, p      \
	VMULPD t, p, p        \
	VMOVUPD p, place(DI)

// Register plan: Y0..Y3 hold x, then r; Y4..Y7 magic + n; Y8..Y11 n, then the
// series; Y12..Y14 constants; Y15 the factor c.

// func expAVX2(dst, x *float64, n int, c float64)
TEXT ·expAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD c+24(FP), Y15
	LEAQ ·constants(SB), R8
	SUBQ $16, CX
	JLT  few

sixteen:
	VBROADCASTSD BIG(R8), Y13
	VBROADCASTSD LOW(R8), Y14
	LOAD(0, Y0)
	LOAD(32, Y1)
	LOAD(64, Y2)
	LOAD(96, Y3)
	VBROADCASTSD MAGIC(R8), Y13
	VBROADCASTSD LOG2E(R8), Y14
	ROUND(Y0, Y4, Y8)
	ROUND(Y1, Y5, Y9)
	ROUND(Y2, Y6, Y10)
	ROUND(Y3, Y7, Y11)
	VBROADCASTSD LN2HI(R8), Y12
	VBROADCASTSD LN2LO(R8), Y13
	REDUCE(Y0, Y8)
	REDUCE(Y1, Y9)
	REDUCE(Y2, Y10)
	REDUCE(Y3, Y11)
	VBROADCASTSD TERM13(R8), Y8
	VMOVAPD Y8, Y9
	VMOVAPD Y8, Y10
	VMOVAPD Y8, Y11
	TERM16(56)
	TERM16(64)
	TERM16(72)
	TERM16(80)
	TERM16(88)
	TERM16(96)
	TERM16(104)
	TERM16(112)
	TERM16(120)
	TERM16(128)
	TERM16(136)
	TERM16(144)
	TERM16(152)
	SCALE(Y4, Y8, 0)
	SCALE(Y5, Y9, 32)
	SCALE(Y6, Y10, 64)
	SCALE(Y7, Y11, 96)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  sixteen

few:
	ADDQ $16, CX
	JLE  done

four:
	VBROADCASTSD BIG(R8), Y13
	VBROADCASTSD LOW(R8), Y14
	LOAD(0, Y0)
	VBROADCASTSD MAGIC(R8), Y13
	VBROADCASTSD LOG2E(R8), Y14
	ROUND(Y0, Y4, Y8)
	VBROADCASTSD LN2HI(R8), Y12
	VBROADCASTSD LN2LO(R8), Y13
	REDUCE(Y0, Y8)
	VBROADCASTSD TERM13(R8), Y8
	TERM4(56)
	TERM4(64)
	TERM4(72)
	TERM4(80)
	TERM4(88)
	TERM4(96)
	TERM4(104)
	TERM4(112)
	TERM4(120)
	TERM4(128)
	TERM4(136)
	TERM4(144)
	TERM4(152)
	SCALE(Y4, Y8, 0)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JG   four

done:
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() (a uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, a+0(FP)
	RET

// func sqrtAVX2(dst, x *float64, n int)
TEXT ·sqrtAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

root:
	VSQRTPD (SI), Y0
	VMOVUPD Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JG   root
	VZEROUPPER
	RET

// func distancesAVX2(s, norm *float64, n int, na, share float64) (done int)
TEXT ·distancesAVX2(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), DI
	MOVQ         norm+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD na+24(FP), Y14
	VBROADCASTSD share+32(FP), Y15
	XORQ         DX, DX

apart:
	VADDPD    (SI)(DX*8), Y14, Y1 // na + norm
	VMOVUPD   (DI)(DX*8), Y2
	VADDPD    Y2, Y2, Y2
	VSUBPD    Y2, Y1, Y3          // na + norm - 2 s
	VMULPD    Y15, Y1, Y4
	VCMPPD    $17, Y4, Y3, Y5     // less than its share; not so of NaN
	VMOVMSKPD Y5, AX
	TESTL     AX, AX
	JNZ       near
	VMOVUPD   Y3, (DI)(DX*8)
	ADDQ      $4, DX
	CMPQ      DX, CX
	JLT       apart

near:
	MOVQ DX, done+40(FP)
	VZEROUPPER
	RET
