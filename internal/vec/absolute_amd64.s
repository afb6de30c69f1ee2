//go:build !noasm

#include "textflag.h"

// Register plan: Y0 a feature of x in all places, Y2 and Y3 differences, Y4..Y11 four sums of eight rows each, Y12 and Y13 weights,
// Y15 the mask that clears signs.

// sums += |x - z| of one feature of eight rows.
#define TERM(xplace, zplace, low, high) \
	VBROADCASTSD xplace(SI), Y0  \
	VSUBPD zplace(DX), Y0, Y2    \
	VSUBPD (zplace+32)(DX), Y0, Y3 \
	VANDPD Y15, Y2, Y2           \
	VANDPD Y15, Y3, Y3           \
	VADDPD Y2, low, low          \
	VADDPD Y3, high, high

#define MASK \
	VPCMPEQD Y15, Y15, Y15 \
	VPSRLQ $1, Y15, Y15

// func absDistanceAVX2(out, x, z *float64, features int)
TEXT ·absDistanceAVX2(SB), NOSPLIT, $0-32
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ z+16(FP), DX
	MOVQ features+24(FP), CX
	MASK
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11

distance:
	TERM(0, 0, Y4, Y5)
	TERM(64, 64, Y6, Y7)
	TERM(128, 128, Y8, Y9)
	TERM(192, 192, Y10, Y11)
	ADDQ $256, SI
	ADDQ $256, DX
	SUBQ $4, CX
	JG   distance
	VADDPD Y6, Y4, Y4
	VADDPD Y7, Y5, Y5
	VADDPD Y10, Y8, Y8
	VADDPD Y11, Y9, Y9
	VADDPD Y8, Y4, Y4
	VADDPD Y9, Y5, Y5
	VADDPD (DI), Y4, Y4
	VADDPD 32(DI), Y5, Y5
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VZEROUPPER
	RET

// out += weight |x - z| of one feature of eight rows.
#define WEIGHTED(place) \
	VBROADCASTSD place(SI), Y0   \
	VSUBPD place(DX), Y0, Y2     \
	VSUBPD (place+32)(DX), Y0, Y3 \
	VANDPD Y15, Y2, Y2           \
	VANDPD Y15, Y3, Y3           \
	VMOVUPD place(DI), Y4        \
	VMOVUPD (place+32)(DI), Y5   \
	VFMADD231PD Y2, Y12, Y4      \
	VFMADD231PD Y3, Y13, Y5      \
	VMOVUPD Y4, place(DI)        \
	VMOVUPD Y5, (place+32)(DI)

// func absWeightedAVX2(out, x, z, weight *float64, features int)
TEXT ·absWeightedAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ z+16(FP), DX
	MOVQ weight+24(FP), BX
	MOVQ features+32(FP), CX
	MASK
	VMOVUPD (BX), Y12
	VMOVUPD 32(BX), Y13

weighted:
	WEIGHTED(0)
	WEIGHTED(64)
	WEIGHTED(128)
	WEIGHTED(192)
	ADDQ $256, SI
	ADDQ $256, DX
	ADDQ $256, DI
	SUBQ $4, CX
	JG   weighted
	VZEROUPPER
	RET
