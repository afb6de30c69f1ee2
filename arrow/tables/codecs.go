package tables

import (
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Two codecs of the library make room of their own where packed bytes say that they unpack to more than the page was said to
// have, which is as much as the memory allows. These refuse that. The library keeps one list of codecs for the whole program.
func init() {
	for _, c := range []compress.Compression{compress.Codecs.Snappy, compress.Codecs.Zstd} {
		inner, err := compress.GetCodec(c)
		if err != nil {
			panic(err) // the library has both
		}
		if c == compress.Codecs.Snappy {
			compress.RegisterCodec(c, snappyWithin{inner})
			continue
		}
		in, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err) // the options are right
		}
		compress.RegisterCodec(c, zstdWithin{inner, in})
	}
}

type snappyWithin struct{ compress.Codec }

// Decode panics, as the library's do, where dst is too short.
func (s snappyWithin) Decode(dst, src []byte) []byte {
	if n, err := snappy.DecodedLen(src); err == nil && n > len(dst) {
		panic(errSizes)
	}
	return s.Codec.Decode(dst, src)
}

type zstdWithin struct {
	compress.Codec
	in *zstd.Decoder
}

// Decode panics, as the library's do, where dst is too short.
func (z zstdWithin) Decode(dst, src []byte) []byte {
	out, err := z.in.DecodeAll(src, dst[:0])
	if err != nil {
		panic(err)
	}
	return out
}
