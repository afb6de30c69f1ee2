//go:build !noasm

#include "textflag.h"

// A term of the series: p = p g + a.
#define TERM(at) \
	VBROADCASTSD at(R8), Y7; \
	VFMADD213PD  Y7, Y5, Y6

// func log1pAVX2(dst, x *float64, n int, c float64)
TEXT ·log1pAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSD c+24(FP), Y15
	LEAQ ·log1pConstants(SB), R8
	VBROADCASTSD 0(R8), Y14  // largest
	VBROADCASTSD 8(R8), Y13  // 1
	VBROADCASTSD 16(R8), Y12 // sqrt(1/2)
	VBROADCASTSD 24(R8), Y11 // 2^52
	VBROADCASTSD 32(R8), Y10 // low part of ln 2
	VBROADCASTSD 40(R8), Y9  // high part

four:
	VMOVUPD (SI), Y0
	VMULPD  Y15, Y0, Y0
	VMINPD  Y0, Y14, Y0 // the second of NaN
	VADDPD  Y13, Y0, Y1 // y
	VSUBPD  Y13, Y1, Y2
	VSUBPD  Y2, Y0, Y2
	VDIVPD  Y1, Y2, Y2  // lost
	VPSUBQ  Y12, Y1, Y3
	VPSRLQ  $52, Y3, Y3 // e
	VPSLLQ  $52, Y3, Y4
	VPSUBQ  Y4, Y1, Y1  // m
	VPOR    Y11, Y3, Y3
	VSUBPD  Y11, Y3, Y3 // e as a float
	VSUBPD  Y13, Y1, Y4
	VADDPD  Y13, Y1, Y5
	VDIVPD  Y5, Y4, Y4  // f
	VMULPD  Y4, Y4, Y5  // g
	VBROADCASTSD 48(R8), Y6
	TERM(56)
	TERM(64)
	TERM(72)
	TERM(80)
	TERM(88)
	TERM(96)
	TERM(104)
	TERM(112)
	TERM(120)
	VMULPD      Y5, Y4, Y5 // f g
	VFMADD231PD Y10, Y3, Y2
	VFMADD231PD Y6, Y5, Y2
	VADDPD      Y4, Y4, Y4
	VADDPD      Y4, Y2, Y2
	VFMADD231PD Y9, Y3, Y2
	VMOVUPD     Y2, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JG   four
	VZEROUPPER
	RET
