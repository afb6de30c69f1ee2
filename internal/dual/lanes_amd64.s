//go:build !noasm

#include "textflag.h"

// Eight elements a turn in two groups of four, A and B; each lane keeps its own
// extreme and the index of the first element that has it. The caller reduces the
// eight lanes. Counts are positive multiples of 8. Kernel rows are float32, or float64 in
// the functions with Double in their name, which differ in the loads alone.

DATA lanes<>+0(SB)/8, $0.0
DATA lanes<>+8(SB)/8, $1.0
DATA lanes<>+16(SB)/8, $2.0
DATA lanes<>+24(SB)/8, $3.0
DATA lanes<>+32(SB)/8, $4.0
DATA lanes<>+40(SB)/8, $8.0
DATA lanes<>+48(SB)/8, $2.0
DATA lanes<>+56(SB)/8, $1e-12
DATA lanes<>+64(SB)/8, $0xFFF0000000000000
DATA lanes<>+72(SB)/8, $0x7FF0000000000000
GLOBL lanes<>(SB), RODATA|NOPTR, $80

// Y14 and Y15 hold the indices of groups A and B, Y13 the step 8.
#define INDICES \
	VMOVUPD lanes<>+0(SB), Y14       \
	VBROADCASTSD lanes<>+32(SB), Y15 \
	VADDPD Y14, Y15, Y15             \
	VBROADCASTSD lanes<>+40(SB), Y13

#define NEXT \
	VADDPD Y13, Y14, Y14 \
	VADDPD Y13, Y15, Y15

// LARGER keeps in Y8 and Y9 what of Y0 and Y1 is larger, and its indices in Y10 and Y11.
#define LARGER \
	VCMPPD $30, Y8, Y0, Y2      \
	VCMPPD $30, Y9, Y1, Y3      \
	VBLENDVPD Y2, Y0, Y8, Y8    \
	VBLENDVPD Y3, Y1, Y9, Y9    \
	VBLENDVPD Y2, Y14, Y10, Y10 \
	VBLENDVPD Y3, Y15, Y11, Y11

// RESIDUALS subtracts d (Y0, Y1) from the residuals, left in Y4 and Y5, d in Y12.
#define RESIDUALS \
	VMOVUPD (SI)(AX*8), Y4   \
	VMOVUPD 32(SI)(AX*8), Y5 \
	VFNMADD231PD Y0, Y12, Y4 \
	VFNMADD231PD Y1, Y12, Y5 \
	VMOVUPD Y4, (SI)(AX*8)   \
	VMOVUPD Y5, 32(SI)(AX*8)

#define STORE_BEST \
	VMOVUPD Y8, (DI)     \
	VMOVUPD Y9, 32(DI)   \
	VMOVUPD Y10, 64(DI)  \
	VMOVUPD Y11, 96(DI)

#define STORE_WORST \
	VMOVUPD Y6, 128(DI) \
	VMOVUPD Y7, 160(DI)

// PAIR_BEGIN starts with the largest, -Inf, in Y8 and Y9 and the smallest, +Inf, in Y6 and Y7.
#define PAIR_BEGIN \
	INDICES                         \
	VBROADCASTSD lanes<>+64(SB), Y8 \
	VMOVAPD Y8, Y9                  \
	VXORPD Y10, Y10, Y10            \
	VXORPD Y11, Y11, Y11            \
	VBROADCASTSD lanes<>+72(SB), Y6 \
	VMOVAPD Y6, Y7                  \
	XORQ AX, AX

#define PAIR_STEP \
	RESIDUALS                   \
	VADDPD (R8)(AX*8), Y4, Y0   \
	VADDPD 32(R8)(AX*8), Y5, Y1 \
	LARGER                      \
	VADDPD (R9)(AX*8), Y4, Y4   \
	VADDPD 32(R9)(AX*8), Y5, Y5 \
	VMINPD Y6, Y4, Y6           \
	VMINPD Y7, Y5, Y7           \
	NEXT                        \
	ADDQ $8, AX                 \
	CMPQ AX, CX

// func pairUpdateAVX2(out *lanes, f, up, low *float64, ki, kj *float32, n int, d float64)
TEXT ·pairUpdateAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ up+16(FP), R8
	MOVQ low+24(FP), R9
	MOVQ ki+32(FP), R10
	MOVQ kj+40(FP), R11
	MOVQ n+48(FP), CX
	VBROADCASTSD d+56(FP), Y12
	PAIR_BEGIN

pairLoop:
	VCVTPS2PD (R10)(AX*4), Y0
	VCVTPS2PD 16(R10)(AX*4), Y1
	VCVTPS2PD (R11)(AX*4), Y2
	VCVTPS2PD 16(R11)(AX*4), Y3
	VSUBPD Y2, Y0, Y0
	VSUBPD Y3, Y1, Y1
	PAIR_STEP
	JLT  pairLoop
	STORE_BEST
	STORE_WORST
	VZEROUPPER
	RET

// func pairUpdateDoubleAVX2(out *lanes, f, up, low *float64, ki, kj *float64, n int, d float64)
TEXT ·pairUpdateDoubleAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ up+16(FP), R8
	MOVQ low+24(FP), R9
	MOVQ ki+32(FP), R10
	MOVQ kj+40(FP), R11
	MOVQ n+48(FP), CX
	VBROADCASTSD d+56(FP), Y12
	PAIR_BEGIN

pairDoubleLoop:
	VMOVUPD (R10)(AX*8), Y0
	VMOVUPD 32(R10)(AX*8), Y1
	VSUBPD (R11)(AX*8), Y0, Y0
	VSUBPD 32(R11)(AX*8), Y1, Y1
	PAIR_STEP
	JLT  pairDoubleLoop
	STORE_BEST
	STORE_WORST
	VZEROUPPER
	RET

// GAIN_BEGIN has 2 in Y6 and tau in Y5.
#define GAIN_BEGIN \
	INDICES                         \
	VXORPD Y8, Y8, Y8               \
	VXORPD Y9, Y9, Y9               \
	VXORPD Y10, Y10, Y10            \
	VXORPD Y11, Y11, Y11            \
	VBROADCASTSD lanes<>+48(SB), Y6 \
	VBROADCASTSD lanes<>+56(SB), Y5 \
	XORQ AX, AX

// GAIN_SQUARES leaves the squares in Y0 and Y1, the sums of diagonals in Y2 and Y3.
#define GAIN_SQUARES \
	VMOVUPD (SI)(AX*8), Y0      \
	VMOVUPD 32(SI)(AX*8), Y1    \
	VADDPD (R8)(AX*8), Y0, Y0   \
	VADDPD 32(R8)(AX*8), Y1, Y1 \
	VSUBPD Y0, Y12, Y0          \
	VSUBPD Y1, Y12, Y1          \
	VXORPD Y2, Y2, Y2           \
	VMAXPD Y2, Y0, Y0           \
	VMAXPD Y2, Y1, Y1           \
	VMULPD Y0, Y0, Y0           \
	VMULPD Y1, Y1, Y1           \
	VADDPD (R9)(AX*8), Y7, Y2   \
	VADDPD 32(R9)(AX*8), Y7, Y3

#define GAIN_STEP \
	VMAXPD Y5, Y2, Y2 \
	VMAXPD Y5, Y3, Y3 \
	VDIVPD Y2, Y0, Y0 \
	VDIVPD Y3, Y1, Y1 \
	LARGER            \
	NEXT              \
	ADDQ $8, AX       \
	CMPQ AX, CX

// func pairGainAVX2(out *lanes, f, low, diag *float64, ki *float32, n int, fi, kii float64)
TEXT ·pairGainAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ low+16(FP), R8
	MOVQ diag+24(FP), R9
	MOVQ ki+32(FP), R10
	MOVQ n+40(FP), CX
	VBROADCASTSD fi+48(FP), Y12
	VBROADCASTSD kii+56(FP), Y7
	GAIN_BEGIN

gainLoop:
	GAIN_SQUARES
	VCVTPS2PD (R10)(AX*4), Y4
	VFNMADD231PD Y4, Y6, Y2
	VCVTPS2PD 16(R10)(AX*4), Y4
	VFNMADD231PD Y4, Y6, Y3
	GAIN_STEP
	JLT  gainLoop
	STORE_BEST
	VZEROUPPER
	RET

// func pairGainDoubleAVX2(out *lanes, f, low, diag *float64, ki *float64, n int, fi, kii float64)
TEXT ·pairGainDoubleAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ low+16(FP), R8
	MOVQ diag+24(FP), R9
	MOVQ ki+32(FP), R10
	MOVQ n+40(FP), CX
	VBROADCASTSD fi+48(FP), Y12
	VBROADCASTSD kii+56(FP), Y7
	GAIN_BEGIN

gainDoubleLoop:
	GAIN_SQUARES
	VFNMADD231PD (R10)(AX*8), Y6, Y2
	VFNMADD231PD 32(R10)(AX*8), Y6, Y3
	GAIN_STEP
	JLT  gainDoubleLoop
	STORE_BEST
	VZEROUPPER
	RET

// COORD_BEGIN has the worst in Y6 and Y7.
#define COORD_BEGIN \
	INDICES              \
	VXORPD Y8, Y8, Y8    \
	VXORPD Y9, Y9, Y9    \
	VXORPD Y10, Y10, Y10 \
	VXORPD Y11, Y11, Y11 \
	VXORPD Y6, Y6, Y6    \
	VXORPD Y7, Y7, Y7    \
	XORQ AX, AX

#define COORD_STEP \
	RESIDUALS                     \
	VADDPD (R8)(AX*8), Y4, Y0     \
	VADDPD 32(R8)(AX*8), Y5, Y1   \
	VADDPD (R9)(AX*8), Y4, Y4     \
	VADDPD 32(R9)(AX*8), Y5, Y5   \
	VXORPD Y2, Y2, Y2             \
	VSUBPD Y4, Y2, Y4             \
	VSUBPD Y5, Y2, Y5             \
	VMAXPD Y4, Y0, Y0             \
	VMAXPD Y5, Y1, Y1             \
	VMAXPD Y2, Y0, Y0             \
	VMAXPD Y2, Y1, Y1             \
	VMAXPD Y6, Y0, Y6             \
	VMAXPD Y7, Y1, Y7             \
	VMULPD Y0, Y0, Y0             \
	VMULPD Y1, Y1, Y1             \
	VDIVPD (R10)(AX*8), Y0, Y0    \
	VDIVPD 32(R10)(AX*8), Y1, Y1  \
	LARGER                        \
	NEXT                          \
	ADDQ $8, AX                   \
	CMPQ AX, CX

// func coordinateAVX2(out *lanes, f, up, low, diag *float64, k *float32, n int, d float64)
TEXT ·coordinateAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ up+16(FP), R8
	MOVQ low+24(FP), R9
	MOVQ diag+32(FP), R10
	MOVQ k+40(FP), R11
	MOVQ n+48(FP), CX
	VBROADCASTSD d+56(FP), Y12
	COORD_BEGIN

coordLoop:
	VCVTPS2PD (R11)(AX*4), Y0
	VCVTPS2PD 16(R11)(AX*4), Y1
	COORD_STEP
	JLT  coordLoop
	STORE_BEST
	STORE_WORST
	VZEROUPPER
	RET

// func coordinateDoubleAVX2(out *lanes, f, up, low, diag *float64, k *float64, n int, d float64)
TEXT ·coordinateDoubleAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ f+8(FP), SI
	MOVQ up+16(FP), R8
	MOVQ low+24(FP), R9
	MOVQ diag+32(FP), R10
	MOVQ k+40(FP), R11
	MOVQ n+48(FP), CX
	VBROADCASTSD d+56(FP), Y12
	COORD_BEGIN

coordDoubleLoop:
	VMOVUPD (R11)(AX*8), Y0
	VMOVUPD 32(R11)(AX*8), Y1
	COORD_STEP
	JLT  coordDoubleLoop
	STORE_BEST
	STORE_WORST
	VZEROUPPER
	RET

#define ROWS_BEGIN \
	VBROADCASTSD (SI), Y12   \
	VBROADCASTSD 8(SI), Y13  \
	VBROADCASTSD 16(SI), Y14 \
	VBROADCASTSD 24(SI), Y15 \
	XORQ AX, AX

// func addRowsAVX2(f *float64, k0, k1, k2, k3 *float32, n int, d *float64)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-56
	MOVQ f+0(FP), DI
	MOVQ k0+8(FP), R8
	MOVQ k1+16(FP), R9
	MOVQ k2+24(FP), R10
	MOVQ k3+32(FP), R11
	MOVQ n+40(FP), CX
	MOVQ d+48(FP), SI
	ROWS_BEGIN

rowLoop:
	VMOVUPD (DI)(AX*8), Y0
	VMOVUPD 32(DI)(AX*8), Y1
	VCVTPS2PD (R8)(AX*4), Y2
	VCVTPS2PD 16(R8)(AX*4), Y3
	VCVTPS2PD (R9)(AX*4), Y4
	VCVTPS2PD 16(R9)(AX*4), Y5
	VCVTPS2PD (R10)(AX*4), Y6
	VCVTPS2PD 16(R10)(AX*4), Y7
	VCVTPS2PD (R11)(AX*4), Y8
	VCVTPS2PD 16(R11)(AX*4), Y9
	VFMADD231PD Y2, Y12, Y0
	VFMADD231PD Y3, Y12, Y1
	VFMADD231PD Y4, Y13, Y0
	VFMADD231PD Y5, Y13, Y1
	VFMADD231PD Y6, Y14, Y0
	VFMADD231PD Y7, Y14, Y1
	VFMADD231PD Y8, Y15, Y0
	VFMADD231PD Y9, Y15, Y1
	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD Y1, 32(DI)(AX*8)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  rowLoop
	VZEROUPPER
	RET

// func addRowsDoubleAVX2(f *float64, k0, k1, k2, k3 *float64, n int, d *float64)
TEXT ·addRowsDoubleAVX2(SB), NOSPLIT, $0-56
	MOVQ f+0(FP), DI
	MOVQ k0+8(FP), R8
	MOVQ k1+16(FP), R9
	MOVQ k2+24(FP), R10
	MOVQ k3+32(FP), R11
	MOVQ n+40(FP), CX
	MOVQ d+48(FP), SI
	ROWS_BEGIN

rowDoubleLoop:
	VMOVUPD (DI)(AX*8), Y0
	VMOVUPD 32(DI)(AX*8), Y1
	VFMADD231PD (R8)(AX*8), Y12, Y0
	VFMADD231PD 32(R8)(AX*8), Y12, Y1
	VFMADD231PD (R9)(AX*8), Y13, Y0
	VFMADD231PD 32(R9)(AX*8), Y13, Y1
	VFMADD231PD (R10)(AX*8), Y14, Y0
	VFMADD231PD 32(R10)(AX*8), Y14, Y1
	VFMADD231PD (R11)(AX*8), Y15, Y0
	VFMADD231PD 32(R11)(AX*8), Y15, Y1
	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD Y1, 32(DI)(AX*8)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  rowDoubleLoop
	VZEROUPPER
	RET
