package model

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// readBytes is how many bytes are read between two looks at the context; no result depends on it. Memory grows by pieces that
// were read, never by what a file announces.
const readBytes = 1 << 19

// stream reads a file once, from its beginning, and sums it up.
type stream struct {
	ctx   context.Context
	r     *bufio.Reader
	sum   hash.Hash
	count int64 // bytes read
	piece []byte
}

func newStream(ctx context.Context, r io.Reader) *stream {
	return &stream{ctx: ctx, r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}
}

// read fills p, of at most readBytes, or returns io.EOF or io.ErrUnexpectedEOF.
func (s *stream) read(p []byte) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	n, err := io.ReadFull(s.r, p)
	s.count += int64(n)
	s.sum.Write(p[:n])
	return err
}

// ended says whether an error of read is the end of the file.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// full is read where the file must not end.
func (s *stream) full(p []byte) error {
	err := s.read(p)
	if ended(err) {
		return corrupt("is cut short")
	}
	return err
}

// bytes reads n bytes.
func (s *stream) bytes(n int) ([]byte, error) {
	var all []byte
	for len(all) < n {
		at, more := len(all), min(readBytes, n-len(all))
		all = slices.Grow(all, more)[:at+more]
		if err := s.full(all[at:]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sequence reads count numbers of a size in bytes each.
func sequence[T any](s *stream, count, size int, number func([]byte) T) ([]T, error) {
	if s.piece == nil {
		s.piece = make([]byte, readBytes)
	}
	var v []T
	for len(v) < count {
		p := s.piece[:size*min(readBytes/size, count-len(v))]
		if err := s.full(p); err != nil {
			return nil, err
		}
		v = slices.Grow(v, len(p)/size)
		for ; len(p) > 0; p = p[size:] {
			v = append(v, number(p))
		}
	}
	return v, nil
}

// floats reads count finite numbers.
func (s *stream) floats(count int) ([]float64, error) {
	v, err := sequence(s, count, 8, func(p []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(p)) })
	if slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 }) {
		return nil, corrupt("a number is not finite")
	}
	return v, err
}

// dense reads a block of rows x columns numbers.
func (s *stream) dense(rows, columns int) (*mat.Dense, error) {
	if rows <= 0 || columns <= 0 || rows > math.MaxInt/8/columns {
		return nil, corrupt("a block of %d x %d numbers", rows, columns)
	}
	v, err := s.floats(rows * columns)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(rows, columns, v), nil
}

// rows reads a block of centres.
func (s *stream) rows(c centres) (data.Rows, error) {
	if !c.Sparse {
		x, err := s.dense(c.Rows, c.Columns)
		return data.Rows{Dense: x}, err
	}
	if c.Rows <= 0 || c.Rows == math.MaxInt || c.Nonzeros < 0 || c.Columns <= 0 || c.Columns > math.MaxInt32 {
		return data.Rows{}, corrupt("sparse rows %d x %d with %d entries", c.Rows, c.Columns, c.Nonzeros)
	}
	start, err := sequence(s, c.Rows+1, 8, func(p []byte) int { return int(int64(binary.LittleEndian.Uint64(p))) })
	if err != nil {
		return data.Rows{}, err
	}
	index, err := sequence(s, c.Nonzeros, 4, func(p []byte) int32 { return int32(binary.LittleEndian.Uint32(p)) })
	if err != nil {
		return data.Rows{}, err
	}
	value, err := s.floats(c.Nonzeros)
	if err != nil {
		return data.Rows{}, err
	}
	x, err := data.NewCSR(c.Rows, c.Columns, start, index, value)
	if err != nil {
		return data.Rows{}, corrupt("%v", err)
	}
	return data.Rows{Sparse: x}, nil
}
