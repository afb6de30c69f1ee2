//go:build !noasm

#include "textflag.h"

// Register plan of the micro-kernel: Y4..Y15 hold the 6x8 block of sums, two
// registers a row; Y0, Y1 a row of the packed B; Y2, Y3 broadcasts of A.
#define STEP(oa, ob) \
	VMOVUPD ob+0(DI), Y0         \
	VMOVUPD ob+32(DI), Y1        \
	VBROADCASTSD oa+0(SI), Y2    \
	VBROADCASTSD oa+8(SI), Y3    \
	VFMADD231PD Y0, Y2, Y4       \
	VFMADD231PD Y1, Y2, Y5       \
	VFMADD231PD Y0, Y3, Y6       \
	VFMADD231PD Y1, Y3, Y7       \
	VBROADCASTSD oa+16(SI), Y2   \
	VBROADCASTSD oa+24(SI), Y3   \
	VFMADD231PD Y0, Y2, Y8       \
	VFMADD231PD Y1, Y2, Y9       \
	VFMADD231PD Y0, Y3, Y10      \
	VFMADD231PD Y1, Y3, Y11      \
	VBROADCASTSD oa+32(SI), Y2   \
	VBROADCASTSD oa+40(SI), Y3   \
	VFMADD231PD Y0, Y2, Y12      \
	VFMADD231PD Y1, Y2, Y13      \
	VFMADD231PD Y0, Y3, Y14      \
	VFMADD231PD Y1, Y3, Y15

#define STORE(lo, hi) \
	VMOVUPD (DX), Y1          \
	VMOVUPD 32(DX), Y2        \
	VFMADD231PD lo, Y0, Y1    \
	VFMADD231PD hi, Y0, Y2    \
	VMOVUPD Y1, (DX)          \
	VMOVUPD Y2, 32(DX)        \
	ADDQ R8, DX

// STORE of a C that holds nothing.
#define FIRST(lo, hi) \
	VXORPD Y1, Y1, Y1         \
	VXORPD Y2, Y2, Y2         \
	VFMADD231PD lo, Y0, Y1    \
	VFMADD231PD hi, Y0, Y2    \
	VMOVUPD Y1, (DX)          \
	VMOVUPD Y2, 32(DX)        \
	ADDQ R8, DX

// func kernel6x8(k int, a, b, c *float64, ldc int, alpha float64, next *float64, how update)
TEXT ·kernel6x8(SB), NOSPLIT, $0-57
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ c+24(FP), DX
	MOVQ ldc+32(FP), R8
	SHLQ $3, R8
	MOVQ next+48(FP), BX
	// The rows of C arrive while the sums are formed.
	MOVQ DX, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
	VXORPD Y12, Y12, Y12
	VXORPD Y13, Y13, Y13
	VXORPD Y14, Y14, Y14
	VXORPD Y15, Y15, Y15
	SUBQ $4, CX
	JLT  tail

four:
	PREFETCHT0 384(SI)
	PREFETCHT1 (BX)
	ADDQ $16, BX
	STEP(0, 0)
	STEP(48, 64)
	PREFETCHT0 448(SI)
	STEP(96, 128)
	STEP(144, 192)
	ADDQ $192, SI
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  four

tail:
	ADDQ $4, CX
	JLE  store

one:
	STEP(0, 0)
	ADDQ $48, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  one

store:
	VBROADCASTSD alpha+40(FP), Y0
	MOVBLZX how+56(FP), AX
	TESTL AX, AX
	JZ   first
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	STORE(Y12, Y13)
	STORE(Y14, Y15)
	VZEROUPPER
	RET

first:
	FIRST(Y4, Y5)
	FIRST(Y6, Y7)
	FIRST(Y8, Y9)
	FIRST(Y10, Y11)
	FIRST(Y12, Y13)
	FIRST(Y14, Y15)
	VZEROUPPER
	RET

// func rowSubAVX2(dst *float64, w int, x *float64, ldx int, coef *float64, inc, k int)
TEXT ·rowSubAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), CX
	MOVQ x+16(FP), SI
	MOVQ ldx+24(FP), R8
	MOVQ inc+40(FP), R9
	SHLQ $3, R8
	SHLQ $3, R9
	SUBQ $32, CX
	JLT  narrow

wide:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VMOVUPD 128(DI), Y4
	VMOVUPD 160(DI), Y5
	VMOVUPD 192(DI), Y6
	VMOVUPD 224(DI), Y7
	MOVQ coef+32(FP), R10
	MOVQ k+48(FP), DX
	MOVQ SI, R11

wideloop:
	VBROADCASTSD (R10), Y8
	VFNMADD231PD (R11), Y8, Y0
	VFNMADD231PD 32(R11), Y8, Y1
	VFNMADD231PD 64(R11), Y8, Y2
	VFNMADD231PD 96(R11), Y8, Y3
	VFNMADD231PD 128(R11), Y8, Y4
	VFNMADD231PD 160(R11), Y8, Y5
	VFNMADD231PD 192(R11), Y8, Y6
	VFNMADD231PD 224(R11), Y8, Y7
	ADDQ R9, R10
	ADDQ R8, R11
	DECQ DX
	JNZ  wideloop
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ $256, DI
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  wide

narrow:
	ADDQ $32, CX
	SUBQ $4, CX
	JLT  scalar

quad:
	VMOVUPD (DI), Y0
	MOVQ coef+32(FP), R10
	MOVQ k+48(FP), DX
	MOVQ SI, R11

quadloop:
	VBROADCASTSD (R10), Y8
	VFNMADD231PD (R11), Y8, Y0
	ADDQ R9, R10
	ADDQ R8, R11
	DECQ DX
	JNZ  quadloop
	VMOVUPD Y0, (DI)
	ADDQ $32, DI
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  quad

scalar:
	ADDQ $4, CX
	JLE  done

single:
	VMOVSD (DI), X0
	MOVQ coef+32(FP), R10
	MOVQ k+48(FP), DX
	MOVQ SI, R11

singleloop:
	VMOVSD (R10), X8
	VFNMADD231SD (R11), X8, X0
	ADDQ R9, R10
	ADDQ R8, R11
	DECQ DX
	JNZ  singleloop
	VMOVSD X0, (DI)
	ADDQ $8, DI
	ADDQ $8, SI
	DECQ CX
	JNZ  single

done:
	VZEROUPPER
	RET

// One rotation of four columns: the row above gets s v + c u, and c v - s u is
// carried on in u, where u is the row carried and v the row below it in memory.
#define TURN(place, u, v, up) \
	VMOVUPD place-128(DI), v     \
	VMULPD Y12, u, up            \
	VFMADD231PD Y13, v, up       \
	VMULPD Y12, v, v             \
	VFNMADD213PD v, Y13, u       \
	VMOVUPD up, place(DI)

// func rotateAVX2(z, c, s *float64, k int)
TEXT ·rotateAVX2(SB), NOSPLIT, $0-32
	MOVQ z+0(FP), DI
	MOVQ c+8(FP), SI
	MOVQ s+16(FP), DX
	MOVQ k+24(FP), CX
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3

turn:
	VBROADCASTSD (SI), Y12
	VBROADCASTSD (DX), Y13
	TURN(0, Y0, Y4, Y8)
	TURN(32, Y1, Y5, Y9)
	TURN(64, Y2, Y6, Y10)
	TURN(96, Y3, Y7, Y11)
	ADDQ $8, SI
	ADDQ $8, DX
	SUBQ $128, DI
	DECQ CX
	JNZ  turn
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET
