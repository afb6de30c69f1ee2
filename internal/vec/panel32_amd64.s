//go:build !noasm

#include "textflag.h"

// Register plan: DI row of out, SI x, R8 indices, R9 values, R10 place in start, R11 stride of
// out in bytes, CX rows left; in a row AX is the entry and DX the end, BX the row of x
// and Y15 its weight; Y0..Y7 hold the sums.

// The first entry and the end of the row.
#define ROW \
	MOVQ (R10), AX  \
	MOVQ 8(R10), DX \
	ADDQ $8, R10

// The row of x, whose bytes are 1 << shift, and the weight of entry AX.
#define ENTRY(shift) \
	MOVL (R8)(AX*4), BX          \
	VBROADCASTSS (R9)(AX*4), Y15 \
	SHLQ $shift, BX              \
	ADDQ SI, BX

// func panelAVX2(out, x *float32, stride, width int, start *int, idx *int32, val *float32, rows int)
TEXT ·panelAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ stride+16(FP), R11
	MOVQ width+24(FP), R12
	MOVQ start+32(FP), R10
	MOVQ idx+40(FP), R8
	MOVQ val+48(FP), R9
	MOVQ rows+56(FP), CX
	SHLQ $2, R11
	CMPQ R12, $32
	JEQ  row32

row64:
	ROW
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	CMPQ AX, DX
	JGE  store64

entry64:
	ENTRY(8)
	VFMADD231PS (BX), Y15, Y0
	VFMADD231PS 32(BX), Y15, Y1
	VFMADD231PS 64(BX), Y15, Y2
	VFMADD231PS 96(BX), Y15, Y3
	VFMADD231PS 128(BX), Y15, Y4
	VFMADD231PS 160(BX), Y15, Y5
	VFMADD231PS 192(BX), Y15, Y6
	VFMADD231PS 224(BX), Y15, Y7
	INCQ AX
	CMPQ AX, DX
	JLT  entry64

store64:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ R11, DI
	DECQ CX
	JNZ  row64
	VZEROUPPER
	RET

row32:
	ROW
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	CMPQ AX, DX
	JGE  store32

entry32:
	ENTRY(7)
	VFMADD231PS (BX), Y15, Y0
	VFMADD231PS 32(BX), Y15, Y1
	VFMADD231PS 64(BX), Y15, Y2
	VFMADD231PS 96(BX), Y15, Y3
	INCQ AX
	CMPQ AX, DX
	JLT  entry32

store32:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ R11, DI
	DECQ CX
	JNZ  row32
	VZEROUPPER
	RET
