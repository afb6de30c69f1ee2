//go:build !noasm

#include "textflag.h"

// Register plan: Y8..Y11 the four numbers of the row in all places, Y12 ones, Y15 the mask that clears signs, Y4 and Y5 sums.

// Y0 = min(P q, Q p)
#define KERNEL \
	VMULPD (DX)(AX*8), Y8, Y0 \
	VMULPD (SI)(AX*8), Y9, Y1 \
	VMINPD Y1, Y0, Y0

#define ROW \
	VBROADCASTSD 0(BX), Y8   \
	VBROADCASTSD 8(BX), Y9   \
	VBROADCASTSD 16(BX), Y10 \
	VBROADCASTSD 24(BX), Y11

// func rankFactorAVX2(to, p, q *float64, n int, a *[4]float64)
TEXT ·rankFactorAVX2(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ a+32(FP), BX
	ROW
	XORQ AX, AX

factor:
	KERNEL
	VMOVAPD     Y10, Y2
	VFMADD231PD Y11, Y0, Y2
	VMULPD      (DI)(AX*8), Y2, Y2
	VMOVUPD     Y2, (DI)(AX*8)
	ADDQ        $4, AX
	CMPQ        AX, CX
	JLT         factor
	VZEROUPPER
	RET

// func rankSlopeAVX2(weight, p, q, rank *float64, n int, a *[4]float64, s *[8]float64)
TEXT ·rankSlopeAVX2(SB), NOSPLIT, $0-56
	MOVQ weight+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ rank+24(FP), R8
	MOVQ n+32(FP), CX
	MOVQ a+40(FP), BX
	MOVQ s+48(FP), R9
	ROW
	VPCMPEQD Y15, Y15, Y15
	VPSLLQ   $54, Y15, Y12
	VPSRLQ   $2, Y12, Y12  // ones: 0x3ff0000000000000
	VPSRLQ   $1, Y15, Y15
	VMOVUPD  0(R9), Y4
	VMOVUPD  32(R9), Y5
	XORQ     AX, AX

slope:
	KERNEL
	VMOVAPD     Y12, Y2
	VFMADD231PD Y10, Y0, Y2
	VMOVUPD     (DI)(AX*8), Y3
	VDIVPD      Y2, Y3, Y3             // t = weight / (1 + W k)
	VMULPD      Y0, Y3, Y6
	VSUBPD      Y3, Y6, Y7
	VADDPD      Y7, Y4, Y4
	VSUBPD      (R8)(AX*8), Y11, Y1
	VANDPD      Y15, Y1, Y1
	VFMADD231PD Y1, Y6, Y5
	ADDQ        $4, AX
	CMPQ        AX, CX
	JLT         slope
	VMOVUPD     Y4, 0(R9)
	VMOVUPD     Y5, 32(R9)
	VZEROUPPER
	RET
