package columns

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"math/bits"
)

// words are different words with the number of cells that have each, in the order in which they were first met. The zero value is empty.
//
// A hash table with open addressing: no cell allocates, and a list that is emptied keeps its memory. The texts lie one after the other.
// Cost: a hash and a comparison a cell, independent of the number of words.
type words struct {
	slots []uint64 // of a power of two: the upper half of the hash above the number of the word plus 1; 0: none
	list  []word
	text  []byte
}

// word is one of words.
type word struct {
	from, to uint32 // in the text
	hash     uint32
	cells    int
	seen     bool  // it is no number, and a further cell of it needs no other look
	texts    bool  // its cells count as texts
	other    uint8 // its number among the cells that are no numbers, while these are counted
	dates    uint8 // so many of the dates that were read are of its cells, from the number date on
	date     uint32
}

const (
	leastSlots = 16
	loadShift  = 1 // half of the slots are used at most
)

// hashOf is a hash of a word, by products of 64 bits whose halves are joined.
func hashOf(b []byte) uint32 {
	const a, c = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(b)) * a
	for len(b) > 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b), c)
		h = hi ^ lo
		b = b[8:]
	}
	var last uint64
	switch n := len(b); {
	case n >= 4: // both halves may have a part of it
		last = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		last = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	hi, lo := bits.Mul64(h^last, c)
	hi, lo = bits.Mul64(hi^lo, a)
	return uint32((hi ^ lo) >> 32)
}

// find is the number of a word in the list, -1 if it is not there.
func (w *words) find(text []byte, hash uint32) int {
	if len(w.slots) == 0 {
		return -1
	}
	mask := uint32(len(w.slots) - 1)
	for k := hash & mask; ; k = (k + 1) & mask {
		slot := w.slots[k]
		if slot == 0 {
			return -1
		}
		if uint32(slot>>32) == hash {
			i := int(uint32(slot)) - 1
			if at := &w.list[i]; bytes.Equal(w.text[at.from:at.to], text) {
				return i
			}
		}
	}
}

// add appends a word that is not there.
func (w *words) add(text []byte, hash uint32, cells int) int {
	if (len(w.list)+1)<<loadShift > len(w.slots) {
		w.grow()
	}
	from := len(w.text)
	w.text = append(w.text, text...)
	w.list = append(w.list, word{from: uint32(from), to: uint32(len(w.text)), hash: hash, cells: cells})
	w.place(hash, len(w.list))
	return len(w.list) - 1
}

// count adds cells of a word, and is its number.
func (w *words) count(text []byte, hash uint32, cells int) int {
	i := w.find(text, hash)
	if i < 0 {
		return w.add(text, hash, cells)
	}
	w.list[i].cells += cells
	return i
}

func (w *words) place(hash uint32, number int) {
	mask := uint32(len(w.slots) - 1)
	k := hash & mask
	for w.slots[k] != 0 {
		k = (k + 1) & mask
	}
	w.slots[k] = uint64(hash)<<32 | uint64(number)
}

func (w *words) grow() {
	w.slots = make([]uint64, max(leastSlots, 2*len(w.slots)))
	for i := range w.list {
		w.place(w.list[i].hash, i+1)
	}
}

// empty forgets all words and keeps the memory.
func (w *words) empty() {
	if len(w.list) > 0 {
		clear(w.slots)
	}
	w.list, w.text = w.list[:0], w.text[:0]
}

// of is the text of a word of the list, valid until the next is added.
func (w *words) of(i int) []byte { return w.text[w.list[i].from:w.list[i].to] }

// len is the number of different words.
func (w *words) len() int { return len(w.list) }

// having is the number of cells that have a word.
func (w *words) having(text string) int {
	if i := w.find([]byte(text), hashOf([]byte(text))); i >= 0 {
		return w.list[i].cells
	}
	return 0
}

// all are the words as strings.
func (w *words) all() []string {
	list := make([]string, len(w.list))
	for i := range list {
		list[i] = string(w.of(i))
	}
	return list
}

// counted are the words with their numbers of cells.
func (w *words) counted() map[string]int {
	list := make(map[string]int, len(w.list))
	for i := range w.list {
		list[string(w.of(i))] = w.list[i].cells
	}
	return list
}

// travellingWords are words as encoding/gob carries them.
type travellingWords struct {
	Words []string
	Cells []int
}

// GobEncode implements gob.GobEncoder.
func (w *words) GobEncode() ([]byte, error) {
	t := travellingWords{Words: w.all()}
	for i := range w.list {
		t.Cells = append(t.Cells, w.list[i].cells)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(t)
	return b.Bytes(), err
}

// GobDecode implements gob.GobDecoder.
func (w *words) GobDecode(text []byte) error {
	var t travellingWords
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&t); err != nil {
		return err
	}
	*w = words{}
	for i, word := range t.Words {
		w.add([]byte(word), hashOf([]byte(word)), t.Cells[i])
	}
	return nil
}
