//go:build !noasm

#include "textflag.h"

// Register plan: Y0..Y3 four features of x, Y4..Y7 sums x + z, Y8..Y11 numerators,
// Y12 the least sum, Y13 a product, Y14 and Y15 the results of four rows each.

// s = max(x + z, least), n = (x - z)^2.
#define DISTANCE(place, x, s, n) \
	VADDPD place(DX), x, s \
	VSUBPD place(DX), x, n \
	VMAXPD Y12, s, s       \
	VMULPD n, n, n

// s = max(x + z, least), n = x z.
#define PRODUCT(place, x, s, n) \
	VADDPD place(DX), x, s \
	VMULPD place(DX), x, n \
	VMAXPD Y12, s, s

// acc += ((n0 s1 + n1 s0) s2 s3 + (n2 s3 + n3 s2) s0 s1) / (s0 s1 s2 s3).
#define FRACTIONS(acc) \
	VMULPD Y4, Y9, Y9        \
	VMULPD Y6, Y11, Y11      \
	VFMADD231PD Y8, Y5, Y9   \
	VFMADD231PD Y10, Y7, Y11 \
	VMULPD Y4, Y5, Y4        \
	VMULPD Y6, Y7, Y6        \
	VMULPD Y4, Y11, Y11      \
	VMULPD Y4, Y6, Y13       \
	VFMADD231PD Y9, Y6, Y11  \
	VDIVPD Y13, Y11, Y11     \
	VADDPD Y11, acc, acc

#define BEGIN \
	MOVQ out+0(FP), DI        \
	MOVQ x+8(FP), SI          \
	MOVQ z+16(FP), DX         \
	MOVQ features+24(FP), CX  \
	VBROADCASTSD ·chiSmallest(SB), Y12 \
	VMOVUPD (DI), Y14         \
	VMOVUPD 32(DI), Y15

#define LOADX \
	VBROADCASTSD (SI), Y0    \
	VBROADCASTSD 64(SI), Y1  \
	VBROADCASTSD 128(SI), Y2 \
	VBROADCASTSD 192(SI), Y3

#define END \
	VMOVUPD Y14, (DI)   \
	VMOVUPD Y15, 32(DI) \
	VZEROUPPER

// func chiDistanceAVX2(out, x, z *float64, features int)
TEXT ·chiDistanceAVX2(SB), NOSPLIT, $0-32
	BEGIN

distance:
	LOADX
	DISTANCE(0, Y0, Y4, Y8)
	DISTANCE(64, Y1, Y5, Y9)
	DISTANCE(128, Y2, Y6, Y10)
	DISTANCE(192, Y3, Y7, Y11)
	FRACTIONS(Y14)
	DISTANCE(32, Y0, Y4, Y8)
	DISTANCE(96, Y1, Y5, Y9)
	DISTANCE(160, Y2, Y6, Y10)
	DISTANCE(224, Y3, Y7, Y11)
	FRACTIONS(Y15)
	ADDQ $256, SI
	ADDQ $256, DX
	SUBQ $4, CX
	JG   distance
	END
	RET

// func chiProductAVX2(out, x, z *float64, features int)
TEXT ·chiProductAVX2(SB), NOSPLIT, $0-32
	BEGIN

product:
	LOADX
	PRODUCT(0, Y0, Y4, Y8)
	PRODUCT(64, Y1, Y5, Y9)
	PRODUCT(128, Y2, Y6, Y10)
	PRODUCT(192, Y3, Y7, Y11)
	FRACTIONS(Y14)
	PRODUCT(32, Y0, Y4, Y8)
	PRODUCT(96, Y1, Y5, Y9)
	PRODUCT(160, Y2, Y6, Y10)
	PRODUCT(224, Y3, Y7, Y11)
	FRACTIONS(Y15)
	ADDQ $256, SI
	ADDQ $256, DX
	SUBQ $4, CX
	JG   product
	END
	RET
