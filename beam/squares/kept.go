package squares

// Features of labelled rows that one pass has made are kept in a file of each shard for the next, on a machine whose workers share a
// folder of its own: to read them takes less than to read text again and to evaluate a kernel on centres. The file has the batches that
// the text was read by, so that sums over them are the same bit for bit, kept or not: of each the number of rows, their features,
// and their numbers or classes. It is there whole or not at all. A disk that is full, and shards beyond the room that is given, mean
// that features are made anew.

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// store is where features are kept.
type store struct {
	folder string
	room   int64 // bytes, of all shards
}

// KeepIn makes the passes by this plan keep features in a folder, as far as they take so many bytes.
func (p *Plan) KeepIn(folder string, room int64) { p.kept = &store{folder, room} }

// path is that of the file of a shard.
func (s *store) path(number int) string {
	return filepath.Join(s.folder, "features-"+strconv.Itoa(number))
}

// keeping writes the file of one shard. A nil one keeps nothing.
type keeping struct {
	path      string
	temporary *os.File
	to        *bufio.Writer
	left      int64 // bytes
	err       error
}

// keep begins the file of a shard, whose room begins where that of the shards before it ends; nil: it has none.
func (p *Plan) keep(number int) *keeping {
	if p.kept == nil {
		return nil
	}
	left := p.kept.room - int64(p.Known[number])*8*int64(1+p.Features.count(p.Columns))
	if left <= 0 {
		return nil
	}
	f, err := os.CreateTemp(p.kept.folder, ".features-*.tmp")
	if err != nil {
		return nil // the pass does without, and what else cannot be written there is told
	}
	return &keeping{path: p.kept.path(number), temporary: f, to: bufio.NewWriterSize(f, 1<<16), left: left}
}

// again forgets what was written.
func (k *keeping) again() {
	if k == nil || k.err != nil {
		return
	}
	k.to.Reset(k.temporary)
	_, err := k.temporary.Seek(0, io.SeekStart)
	k.err = errors.Join(err, k.temporary.Truncate(0))
}

// add writes a batch.
func (k *keeping) add(x *mat.Dense, values []float64) {
	if k == nil || k.err != nil {
		return
	}
	n, d := x.Dims()
	if k.left -= 8 * int64(n) * int64(d+1); k.left < 0 {
		k.err = errors.New("no room")
		return
	}
	text := binary.LittleEndian.AppendUint64(k.to.AvailableBuffer(), uint64(n))
	_, k.err = k.to.Write(text)
	for i := range n {
		k.numbers(x.RawRowView(i))
	}
	k.numbers(values)
}

// numbers writes some.
func (k *keeping) numbers(list []float64) {
	for len(list) > 0 && k.err == nil {
		text := k.to.AvailableBuffer()
		room := cap(text) / 8
		if room == 0 {
			k.err = k.to.Flush()
			continue
		}
		part := list[:min(room, len(list))]
		for _, v := range part {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		}
		_, k.err = k.to.Write(text)
		list = list[len(part):]
	}
}

// end puts the file in its place, if all went well.
func (k *keeping) end(whole bool) {
	if k == nil {
		return
	}
	if k.err == nil {
		k.err = k.to.Flush()
	}
	if err := k.temporary.Close(); k.err == nil && err == nil && whole && os.Rename(k.temporary.Name(), k.path) == nil {
		return
	}
	_ = os.Remove(k.temporary.Name()) // else its folder is removed in the end
}

// reading are the features of one shard that were kept.
type reading struct {
	file *os.File
	d    int
	text []byte
	all  []float64
}

// found are those of a shard; nil: they are not kept.
func (p *Plan) found(number int) *reading {
	if p.kept == nil {
		return nil
	}
	f, err := os.Open(p.kept.path(number))
	if err != nil {
		return nil
	}
	return &reading{file: f, d: p.Features.count(p.Columns)}
}

// next are the features of a batch, valid until the next, and the numbers or classes of its rows. The error at the end is io.EOF.
func (r *reading) next() (*mat.Dense, []float64, error) {
	var head [8]byte
	if _, err := io.ReadFull(r.file, head[:]); err != nil {
		return nil, nil, err
	}
	n := int(binary.LittleEndian.Uint64(head[:]))
	size := n * (r.d + 1)
	if cap(r.text) < 8*size {
		r.text, r.all = make([]byte, 8*size), make([]float64, size)
	}
	text, all := r.text[:8*size], r.all[:size]
	if _, err := io.ReadFull(r.file, text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.file.Name(), err)
	}
	for i := range all {
		all[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return mat.NewDense(n, r.d, all[:n*r.d]), all[n*r.d:], nil
}

// again begins anew.
func (r *reading) again() error {
	_, err := r.file.Seek(0, io.SeekStart)
	return err
}

// end closes the file.
func (r *reading) end() { _ = r.file.Close() } // nothing was written

// each goes over all batches.
func (r *reading) each(ctx context.Context, p *Plan, labelled func(Known) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, values, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := labelled(p.known(x, values)); err != nil {
			return err
		}
	}
}

// known are rows whose numbers or classes were kept.
func (p *Plan) known(x *mat.Dense, values []float64) Known {
	k := Known{X: x, Class: make([]int, len(values))}
	if p.Coding().Classes == 0 {
		k.Y = mat.NewDense(len(values), 1, values)
		return k
	}
	for i, v := range values {
		k.Class[i] = int(v)
	}
	k.Y = p.Coding().Code(k.Class)
	return k
}

// values are the numbers or classes of rows.
func (p *Plan) values(k known) []float64 {
	if p.Coding().Classes == 0 {
		return mat.Col(nil, 0, k.y)
	}
	list := make([]float64, len(k.class))
	for i, c := range k.class {
		list[i] = float64(c)
	}
	return list
}
