package columns

// Words of columns that have too many. From then on a column keeps those that it has (Merge), so that parts which follow need to count no
// others: most cells of a column of numbers are then done with after a look at one bit. A part shows the same in both ways as long as it
// has not too many words by itself.

// Kept are the words that columns of a table keep, nil for those that still take in others. They do not change but for their numbers of
// cells, which are not looked at, and may be used while the table grows.
type Kept []*kept

type kept struct {
	of     *words
	filter []uint64 // a bit for the hash of each word
}

// filterBits are bits of a filter for each word that a column may have: one cell in sixteen has that of another word.
const filterBits = 16

// Kept are the words that columns keep, given those that they kept before; more says whether there are further ones.
func (p *Profile) Kept(before Kept) (list Kept, more bool) {
	list = before
	for c := range p.Columns {
		s := &p.Columns[c]
		if s.Overflow == 0 || before != nil && before[c] != nil {
			continue
		}
		if !more {
			list, more = make(Kept, len(p.Columns)), true
			copy(list, before)
		}
		list[c] = keep(&s.Words)
	}
	return list, more
}

func keep(w *words) *kept {
	size := 1
	for 64*size < filterBits*w.len() {
		size *= 2
	}
	k := &kept{w, make([]uint64, size)}
	for i := range w.list {
		h := w.list[i].hash
		k.filter[h>>6&uint32(size-1)] |= 1 << (h & 63)
	}
	return k
}

// find is the number of a word in the list, -1 if it is not there.
func (k *kept) find(text []byte, hash uint32) int {
	if k.filter[hash>>6&uint32(len(k.filter)-1)]>>(hash&63)&1 == 0 {
		return -1
	}
	return k.of.find(text, hash)
}

// Count makes a profile without rows that of a part which counts the words that its table keeps, if its rows, of which there are so many
// at most, are not more than its own words may be.
func (p *Profile) Count(list Kept, rows int) {
	if list == nil || rows > p.Most {
		return
	}
	for c := range p.Columns {
		if list[c] != nil {
			p.Columns[c].kept, p.Columns[c].Broken = list[c], true
		}
	}
}
