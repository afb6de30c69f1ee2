package tables

import "encoding/binary"

// deltas are numbers of which the differences are written: blocks of a least difference and, in parts that each have a width, what
// is added to it.
type deltas struct {
	perPart, parts int64
	total          int64 // numbers
	last           int64 // the first one
}

// Blocks have 4 parts of some 32 numbers; the library makes lists so long.
const mostParts, mostInPart = 1 << 16, 1 << 20

// newDeltas takes the head from the front, if it is there, which it need not be where no numbers are. There are most of them at most.
func newDeltas(b *compact, most int64) (d deltas, ok bool, err error) {
	var head [3]uint64
	for i := range head {
		if head[i], err = b.number(); err != nil {
			return d, false, nil //nolint:nilerr // the end
		}
	}
	if d.last, err = b.signed(); err != nil {
		return d, false, nil //nolint:nilerr // the end
	}
	block, parts := head[0], head[1]
	if parts == 0 || parts > block || parts > mostParts || block/parts > mostInPart || block/parts%8 != 0 || head[2] > uint64(most) {
		return d, false, errSizes
	}
	d.perPart, d.parts, d.total = int64(block/parts), int64(parts), int64(head[2])
	return d, true, nil
}

// sum takes the numbers, which are lengths, and adds them up.
func (d deltas) sum(b *compact) (sum int64, err error) {
	if d.total == 0 {
		return 0, nil
	}
	if sum = d.last; sum < 0 {
		return 0, errSizes
	}
	for left := d.total - 1; left > 0; {
		least, err := b.signed()
		if err != nil {
			return 0, err
		}
		widths, err := b.take(int(d.parts))
		if err != nil {
			return 0, err
		}
		for _, width := range widths {
			if left <= 0 {
				break
			}
			if width > 64 {
				return 0, errSizes
			}
			part, err := b.take(int(min(d.perPart/8*int64(width), int64(len(*b))))) // the last one may lack its end
			if err != nil {
				return 0, err
			}
			for i := range min(left, d.perPart) {
				d.last = int64(int32(d.last + least + int64(bitsAt(part, int(i)*int(width), int(width)))))
				if d.last < 0 {
					return 0, errSizes
				}
				sum += d.last
			}
			left -= d.perPart
		}
	}
	return sum, nil
}

// bitsAt are width bits from one on, 0 beyond the end.
func bitsAt(b []byte, at, width int) uint64 {
	var wide [16]byte
	if at/8 < len(b) {
		copy(wide[:9], b[at/8:])
	}
	v := binary.LittleEndian.Uint64(wide[:])>>(at%8) | uint64(wide[8])<<(64-at%8)
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}
