//go:build !noasm

#include "textflag.h"

// Register plan: DI out and SI x at the first column of the block, CX columns left,
// R8 idx, R9 val, R10 entries, R11 stride in bytes; in a block AX counts the
// entries, BX is the entry's row and Y15 its weight; Y0..Y7 hold the sums.

// The row and the weight of entry AX.
#define ENTRY \
	MOVL (R8)(AX*4), BX          \
	IMULQ R11, BX                \
	VBROADCASTSD (R9)(AX*8), Y15 \
	ADDQ SI, BX

// func gatherAVX2(out, x *float64, columns int, idx *int32, val *float64, entries, stride int)
TEXT ·gatherAVX2(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ columns+16(FP), CX
	MOVQ idx+24(FP), R8
	MOVQ val+32(FP), R9
	MOVQ entries+40(FP), R10
	MOVQ stride+48(FP), R11
	SHLQ $3, R11
	MOVQ CX, R12
	SUBQ $32, CX
	JLT  rest

wide:
	XORL   AX, AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

wideEntry:
	ENTRY
	VFMADD231PD (BX), Y15, Y0
	VFMADD231PD 32(BX), Y15, Y1
	VFMADD231PD 64(BX), Y15, Y2
	VFMADD231PD 96(BX), Y15, Y3
	VFMADD231PD 128(BX), Y15, Y4
	VFMADD231PD 160(BX), Y15, Y5
	VFMADD231PD 192(BX), Y15, Y6
	VFMADD231PD 224(BX), Y15, Y7
	INCQ AX
	CMPQ AX, R10
	JLT  wideEntry
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  wide

rest:
	ADDQ $32, CX // 0 to 31 columns are left of the R12 there were
	JLE  done
	CMPQ R12, $16
	JLT  four

	// Blocks of 16, the last of which steps back over columns that are done, to end
	// at the end: the same sums are stored again.
sixteen:
	MOVQ CX, DX
	SUBQ $16, DX
	JGE  sixteenThere
	LEAQ (SI)(DX*8), SI
	LEAQ (DI)(DX*8), DI
	MOVQ $16, CX

sixteenThere:
	XORL   AX, AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

sixteenEntry:
	ENTRY
	VFMADD231PD (BX), Y15, Y0
	VFMADD231PD 32(BX), Y15, Y1
	VFMADD231PD 64(BX), Y15, Y2
	VFMADD231PD 96(BX), Y15, Y3
	INCQ AX
	CMPQ AX, R10
	JLT  sixteenEntry
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JG   sixteen
	JMP  done

four:
	CMPQ R12, $4
	JLT  one

	// Blocks of 4 in the same way, where there are 4 to 15 columns in all.
fourBlock:
	MOVQ CX, DX
	SUBQ $4, DX
	JGE  fourThere
	LEAQ (SI)(DX*8), SI
	LEAQ (DI)(DX*8), DI
	MOVQ $4, CX

fourThere:
	XORL   AX, AX
	VXORPD Y0, Y0, Y0

fourEntry:
	ENTRY
	VFMADD231PD (BX), Y15, Y0
	INCQ AX
	CMPQ AX, R10
	JLT  fourEntry
	VMOVUPD Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JG   fourBlock
	JMP  done

	// Column by column, where there are less than 4.
one:
	XORL   AX, AX
	VXORPD X0, X0, X0

oneEntry:
	MOVL         (R8)(AX*4), BX
	IMULQ        R11, BX
	VMOVSD       (R9)(AX*8), X15
	VFMADD231SD  (SI)(BX*1), X15, X0
	INCQ         AX
	CMPQ         AX, R10
	JLT          oneEntry
	VMOVSD       X0, (DI)
	ADDQ         $8, SI
	ADDQ         $8, DI
	DECQ         CX
	JG           one

done:
	VZEROUPPER
	RET
