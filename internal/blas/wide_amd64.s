//go:build !noasm

#include "textflag.h"

// Register plan: Z8..Z31 hold the 12x16 block of sums, two registers a row; Z0, Z1 a row of the packed B;
// Z2..Z7 broadcasts of A, whose two strips begin at SI and R13. Those of B begin at DI and R12.
#define STEP(oa, ob) \
	VMOVUPD ob(DI), Z0            \
	VMOVUPD ob(R12), Z1           \
	VBROADCASTSD oa+0(SI), Z2              \
	VFMADD231PD Z0, Z2, Z8                 \
	VFMADD231PD Z1, Z2, Z9                 \
	VBROADCASTSD oa+8(SI), Z3              \
	VFMADD231PD Z0, Z3, Z10                \
	VFMADD231PD Z1, Z3, Z11                \
	VBROADCASTSD oa+16(SI), Z4             \
	VFMADD231PD Z0, Z4, Z12                \
	VFMADD231PD Z1, Z4, Z13                \
	VBROADCASTSD oa+24(SI), Z5             \
	VFMADD231PD Z0, Z5, Z14                \
	VFMADD231PD Z1, Z5, Z15                \
	VBROADCASTSD oa+32(SI), Z6             \
	VFMADD231PD Z0, Z6, Z16                \
	VFMADD231PD Z1, Z6, Z17                \
	VBROADCASTSD oa+40(SI), Z7             \
	VFMADD231PD Z0, Z7, Z18                \
	VFMADD231PD Z1, Z7, Z19                \
	VBROADCASTSD oa+0(R13), Z2             \
	VFMADD231PD Z0, Z2, Z20                \
	VFMADD231PD Z1, Z2, Z21                \
	VBROADCASTSD oa+8(R13), Z3             \
	VFMADD231PD Z0, Z3, Z22                \
	VFMADD231PD Z1, Z3, Z23                \
	VBROADCASTSD oa+16(R13), Z4            \
	VFMADD231PD Z0, Z4, Z24                \
	VFMADD231PD Z1, Z4, Z25                \
	VBROADCASTSD oa+24(R13), Z5            \
	VFMADD231PD Z0, Z5, Z26                \
	VFMADD231PD Z1, Z5, Z27                \
	VBROADCASTSD oa+32(R13), Z6            \
	VFMADD231PD Z0, Z6, Z28                \
	VFMADD231PD Z1, Z6, Z29                \
	VBROADCASTSD oa+40(R13), Z7            \
	VFMADD231PD Z0, Z7, Z30                \
	VFMADD231PD Z1, Z7, Z31

#define STORE(lo, hi) \
	VMOVUPD (DX), Z1          \
	VMOVUPD 64(DX), Z2        \
	VFMADD231PD lo, Z0, Z1    \
	VFMADD231PD hi, Z0, Z2    \
	VMOVUPD Z1, (DX)          \
	VMOVUPD Z2, 64(DX)        \
	ADDQ R8, DX

// STORE of a C that holds nothing.
#define FIRST(lo, hi) \
	VPXORQ Z1, Z1, Z1         \
	VPXORQ Z2, Z2, Z2         \
	VFMADD231PD lo, Z0, Z1    \
	VFMADD231PD hi, Z0, Z2    \
	VMOVUPD Z1, (DX)          \
	VMOVUPD Z2, 64(DX)        \
	ADDQ R8, DX

#define FETCH \
	PREFETCHT0 (R9)           \
	PREFETCHT0 64(R9)         \
	ADDQ R8, R9

// One row at the edge: the lower bits of the mask are those of the first 8 columns.
#define MASKED(lo, hi) \
	KMOVW (BX), K1                 \
	KSHIFTRW $8, K1, K2            \
	VMOVUPD.Z (DX), K1, Z1         \
	VMOVUPD.Z 64(DX), K2, Z2       \
	VFMADD231PD lo, Z0, Z1         \
	VFMADD231PD hi, Z0, Z2         \
	VMOVUPD Z1, K1, (DX)           \
	VMOVUPD Z2, K2, 64(DX)         \
	ADDQ R8, DX                    \
	ADDQ $2, BX                    \
	DECQ CX                        \
	JZ   done

// func kernel12x16(k int, a, b, c *float64, ldc int, alpha float64, next *float64, rows int, masks *uint16, how update)
TEXT ·kernel12x16(SB), NOSPLIT, $0-73
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ c+24(FP), DX
	MOVQ ldc+32(FP), R8
	SHLQ $3, R8
	// Strips of k columns of 6, and of k rows of 8 numbers.
	LEAQ (CX)(CX*2), R13
	SHLQ $4, R13
	ADDQ SI, R13
	MOVQ CX, R12
	SHLQ $6, R12
	ADDQ DI, R12
	MOVQ next+48(FP), BX
	// The rows of C arrive while the sums are formed.
	MOVQ DX, R9
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15
	VPXORQ Z16, Z16, Z16
	VPXORQ Z17, Z17, Z17
	VPXORQ Z18, Z18, Z18
	VPXORQ Z19, Z19, Z19
	VPXORQ Z20, Z20, Z20
	VPXORQ Z21, Z21, Z21
	VPXORQ Z22, Z22, Z22
	VPXORQ Z23, Z23, Z23
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25
	VPXORQ Z26, Z26, Z26
	VPXORQ Z27, Z27, Z27
	VPXORQ Z28, Z28, Z28
	VPXORQ Z29, Z29, Z29
	VPXORQ Z30, Z30, Z30
	VPXORQ Z31, Z31, Z31
	SUBQ $4, CX
	JLT  tail

four:
	PREFETCHT1 (BX)
	ADDQ $64, BX
	STEP(0, 0)
	STEP(48, 64)
	STEP(96, 128)
	STEP(144, 192)
	ADDQ $192, SI
	ADDQ $192, R13
	ADDQ $256, DI
	ADDQ $256, R12
	SUBQ $4, CX
	JGE  four

tail:
	ADDQ $4, CX
	JLE  store

one:
	STEP(0, 0)
	ADDQ $48, SI
	ADDQ $48, R13
	ADDQ $64, DI
	ADDQ $64, R12
	DECQ CX
	JNZ  one

store:
	VBROADCASTSD alpha+40(FP), Z0
	MOVQ masks+64(FP), BX
	TESTQ BX, BX
	JNZ  edge
	MOVBLZX how+72(FP), AX
	TESTL AX, AX
	JZ   first
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	STORE(Z16, Z17)
	STORE(Z18, Z19)
	STORE(Z20, Z21)
	STORE(Z22, Z23)
	STORE(Z24, Z25)
	STORE(Z26, Z27)
	STORE(Z28, Z29)
	STORE(Z30, Z31)
	VZEROUPPER
	RET

first:
	FIRST(Z8, Z9)
	FIRST(Z10, Z11)
	FIRST(Z12, Z13)
	FIRST(Z14, Z15)
	FIRST(Z16, Z17)
	FIRST(Z18, Z19)
	FIRST(Z20, Z21)
	FIRST(Z22, Z23)
	FIRST(Z24, Z25)
	FIRST(Z26, Z27)
	FIRST(Z28, Z29)
	FIRST(Z30, Z31)
	VZEROUPPER
	RET

edge:
	MOVQ rows+56(FP), CX
	MASKED(Z8, Z9)
	MASKED(Z10, Z11)
	MASKED(Z12, Z13)
	MASKED(Z14, Z15)
	MASKED(Z16, Z17)
	MASKED(Z18, Z19)
	MASKED(Z20, Z21)
	MASKED(Z22, Z23)
	MASKED(Z24, Z25)
	MASKED(Z26, Z27)
	MASKED(Z28, Z29)
	MASKED(Z30, Z31)

done:
	VZEROUPPER
	RET
