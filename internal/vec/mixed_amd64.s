//go:build !noasm

#include "textflag.h"

// func dotMixedAVX2(k *float32, x *float64, n int) float64
TEXT ·dotMixedAVX2(SB), NOSPLIT, $0-32
	MOVQ k+0(FP), SI
	MOVQ x+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

sixteen:
	VCVTPS2PD (SI), Y4
	VCVTPS2PD 16(SI), Y5
	VCVTPS2PD 32(SI), Y6
	VCVTPS2PD 48(SI), Y7
	VFMADD231PD (DI), Y4, Y0
	VFMADD231PD 32(DI), Y5, Y1
	VFMADD231PD 64(DI), Y6, Y2
	VFMADD231PD 96(DI), Y7, Y3
	ADDQ $64, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JG   sixteen
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VPERMILPD $1, X0, X1
	VADDSD X1, X0, X0
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// One row's part of 4 sums.
#define PART(place, to, sum) \
	VCVTPS2PD place(R10), to   \
	VFMADD231PD to, Y15, sum

#define ADD(place, sum) \
	VADDPD place(DI), sum, sum \
	VMOVUPD sum, place(DI)

// func addRowsMixedAVX2(out *float64, k *float32, columns, stride int, weight *float64, rows int)
TEXT ·addRowsMixedAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ k+8(FP), SI
	MOVQ columns+16(FP), CX
	MOVQ stride+24(FP), R8
	SHLQ $2, R8

columns:
	MOVQ weight+32(FP), R9
	MOVQ rows+40(FP), DX
	MOVQ SI, R10
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

row:
	VBROADCASTSD (R9), Y15
	PART(0, Y8, Y0)
	PART(16, Y9, Y1)
	PART(32, Y10, Y2)
	PART(48, Y11, Y3)
	PART(64, Y8, Y4)
	PART(80, Y9, Y5)
	PART(96, Y10, Y6)
	PART(112, Y11, Y7)
	ADDQ $8, R9
	ADDQ R8, R10
	DECQ DX
	JNZ  row
	ADD(0, Y0)
	ADD(32, Y1)
	ADD(64, Y2)
	ADD(96, Y3)
	ADD(128, Y4)
	ADD(160, Y5)
	ADD(192, Y6)
	ADD(224, Y7)
	ADDQ $256, DI
	ADDQ $128, SI
	SUBQ $32, CX
	JG   columns
	VZEROUPPER
	RET
