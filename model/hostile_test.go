package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// sealed puts the right check sum behind a body, so that the reader gets past it.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

// file is a file of a version with this header and these numbers.
func file(t *testing.T, version int, header string, blocks ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "mercer model %d\n", version)
	for _, v := range append([]any{uint64(len(header)), []byte(header)}, blocks...) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return sealed(b.Bytes())
}

// common are the keys of a header that matter little.
const common = `{"method":"rls","task":"regression","scaling":{"kind":"none"},`

// allocated is how many bytes f asks for.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A corrupt part is named.
func TestCorruptPartIsNamed(t *testing.T) {
	const centres = `"columns":1,"centres":[{"rows":2,"columns":1},{"rows":1,"columns":1}],`
	const good = `{"functions":[{"kind":"linear"}]}`
	nan := []float64{1, 2, 3, 0}
	nan[3] /= nan[3]
	for _, c := range []struct {
		header string
		blocks []float64
		want   string
	}{
		{centres + `"parts":[` + good + `,{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"centres":1}]}]}`, nan[:2],
			"part 2, centres: is cut short"},
		{centres + `"parts":[` + good + `,{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"centres":1}]}]}`, nan[1:],
			"part 2, centres: a number is not finite"},
		{centres + `"parts":[` + good + `,{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"centres":1}]}]}`,
			[]float64{1, 2, 3, 4}, "part 2: function 1: coefficients: is cut short"},
		{centres + `"parts":[` + good + `,{"functions":[{"kind":"linear"},{"kind":"expansion","kernel":{"type":"foo"}}]}]}`,
			[]float64{1, 2, 3, 4, 5, 6}, `part 2: function 2: kernel: .*"foo"`},
		{centres + `"parts":[{"functions":[{"kind":"neural"}]}]}`, []float64{1, 2, 3}, `part 1: function 1: kind "neural"`},
		{centres + `"parts":[{"functions":[{"kind":"mean","kernel":{"type":"linear"}}]}]}`, []float64{1, 2, 3}, `part 1: function 1: a mean`},
		{centres + `"parts":[{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"rows":[1,1]}]}]}`, []float64{1, 2, 3},
			"part 1: function 1: rows: number 1 twice"},
		{centres + `"parts":[{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"rows":[2]}]}]}`, []float64{1, 2, 3},
			"part 1: function 1: rows: number 2 of 2"},
		{centres + `"parts":[{"functions":[{"kind":"expansion","kernel":{"type":"linear"},"centres":2}]}]}`, []float64{1, 2, 3},
			"part 1: function 1: centres 3 of 2"},
		{centres + `"parts":[{"columns":[1],"functions":[]}]}`, []float64{1, 2, 3}, "part 1: columns: number 1"},
		{centres + `"parts":[{"columns":[0,0],"functions":[]}]}`, []float64{1, 2, 3}, "part 1: columns: number 0"},
		{centres + `"parts":[{"functions":[],"offset":[1,2]}]}`, []float64{1, 2, 3}, "part 1: 2 offsets for 1 outputs"},
		{centres + `"parts":[]}`, []float64{1, 2, 3}, "has no part"},
		{centres + `"parts":[` + good + `],"front":{"chosen":0,"members":[{"parts":[` + good + `]}]}}`, []float64{1, 2, 3, 4},
			"member 1: part 1: function 1: weights: is cut short"},
		{centres + `"parts":[` + good + `],"front":{"chosen":1,"members":[{"parts":[` + good + `]}]}}`, []float64{1, 2, 3, 4, 5},
			"front: member 2 chosen of 1"},
	} {
		raw := file(t, 3, common+c.header, c.blocks)
		if strings.Contains(c.want, "cut short") {
			raw = raw[:len(raw)-sha256.Size]
		}
		_, err := read(t, raw)
		var fault *model.FileError
		first, last, _ := strings.Cut(c.want, ".*")
		if !errors.As(err, &fault) || !strings.HasPrefix(fault.What, first) || !strings.Contains(fault.What, last) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// What a file announces and does not hold takes no memory: at most some multiple of the bytes it has.
func TestAnnouncementsTakeNoMemory(t *testing.T) {
	const many = 1 << 20
	parts := func(text string) string { return `"columns":1,"centres":[],"parts":[` + text + `]}` }
	for name, raw := range map[string][]byte{
		"header": append([]byte("mercer model 3\n\x00\x00\x00\x08\x00\x00\x00\x00"), '{'),
		"dense":  file(t, 3, common+`"columns":3,"centres":[{"rows":1000000000,"columns":3}],"parts":[]}`),
		"huge":   file(t, 3, common+`"columns":3,"centres":[{"rows":4611686018427387904,"columns":3}],"parts":[]}`),
		"starts": file(t, 3, common+`"columns":3,"sparse":true,"centres":[{"rows":1000000000,"columns":3,"sparse":true}],"parts":[]}`),
		"entries": file(t, 3,
			common+`"columns":3,"sparse":true,"centres":[{"rows":1,"columns":3,"sparse":true,"nonzeros":2000000000}],"parts":[]}`,
			[]int64{0, 2000000000}),
		"weights":       file(t, 3, common+`"columns":2147483647,"centres":[],"parts":[{"functions":[{"kind":"linear"}]}]}`),
		"dense columns": file(t, 3, common+`"columns":2147483647,"centres":[],"parts":[{"functions":[],"offset":[1]}]}`),
		"chosen columns": file(t, 3,
			common+`"columns":2147483647,"sparse":true,"centres":[],"parts":[{"columns":[7],"functions":[],"offset":[1]}]}`),
		"columns of kernel": file(t, 3,
			common+`"columns":2147483647,"sparse":true,"centres":[{"rows":1,"columns":2147483647,"sparse":true}],"parts":`+
				`[{"functions":[{"kind":"expansion","kernel":{"type":"columns","columns":[1],`+
				`"base":{"type":"linear"}}}]}]}`, []int64{0, 0}, []float64{1}),
		"pairs": file(t, 3, `{"method":"svm","task":"classification","pairs":true,"classes":[""`+strings.Repeat(`,""`,
			99999)+`],"scaling":{"kind":"none"},`+parts(`{"functions":[]}`)),
		"parts":          file(t, 3, common+parts(`{}`+strings.Repeat(`,{}`, many))),
		"functions":      file(t, 3, common+parts(`{"functions":[{}`+strings.Repeat(`,{}`, many)+`]}`)),
		"centres":        file(t, 3, common+`"columns":1,"parts":[],"centres":[{}`+strings.Repeat(`,{}`, many)+`]}`),
		"members":        file(t, 3, common+`"front":{"members":[{}`+strings.Repeat(`,{}`, many)+`]},`+parts(``)),
		"old expansions": file(t, 1, common+`"columns":1,"expansions":[{}`+strings.Repeat(`,{}`, many)+`]}`),
		"old members":    file(t, 2, common+`"columns":1,"front":{"members":[{}`+strings.Repeat(`,{}`, many)+`]}}`),
	} {
		var err error
		used := allocated(func() { _, err = read(t, raw) })
		if err == nil || used > 32*int64(len(raw))+4<<20 {
			t.Errorf("%s: %d bytes for a file of %d; %v", name, used, len(raw), err)
		}
	}
}

// A sparse model may have more columns than its file has bytes: prediction keeps no table of them.
func TestManySparseColumns(t *testing.T) {
	const d = 1<<31 - 1
	for version, rest := range map[int]string{
		1: `"expansions":[{"kernel":{"type":"gaussian","sigma":2},"centres":0,"outputs":1}]}`,
		2: `"expansions":[{"kernel":{"type":"gaussian","sigma":2},"centres":0,"outputs":1}],"normalised":true}`,
		3: `"parts":[{"functions":[{"kind":"expansion","kernel":{"type":"gaussian","sigma":2}}]}]}`,
	} {
		raw := file(
			t,
			version,
			common+fmt.Sprintf(`"columns":%d,"sparse":true,"centres":[{"rows":2,"columns":%d,"sparse":true,"nonzeros":3}],`, d, d)+rest,
			[]int64{0, 2, 3},
			[]int32{4, d - 1, 9},
			[]float64{1, 2, 3},
			[]float64{5, 7},
		)
		x := data.Rows{Sparse: &data.CSR{R: 1, C: d, Start: []int{0, 2}, Index: []int32{4, 70}, Value: []float64{1, 1}}}
		narrow := data.Rows{Dense: mat.NewDense(1, 4, []float64{1, 1, 0, 0})}
		var got *mat.Dense
		used := allocated(func() {
			m, err := read(t, raw)
			if err != nil {
				t.Fatal(err)
			}
			got = predict(t, m, x)
		})
		if used > 4<<20 {
			t.Errorf("version %d: %d bytes for a file of %d", version, used, len(raw))
		}
		m, err := read(t, raw)
		if err != nil {
			t.Fatal(err)
		}
		switch f := m.Parts[0].Functions[0].(type) {
		case model.Expansion:
			f.Centres = data.Rows{Dense: mat.NewDense(2, 4, []float64{1, 0, 0, 2, 0, 0, 3, 0})}
			m.Parts[0].Functions[0] = f
		case model.Mean:
			f.Centres = data.Rows{Dense: mat.NewDense(2, 4, []float64{1, 0, 0, 2, 0, 0, 3, 0})}
			m.Parts[0].Functions[0] = f
		}
		m.Columns = 4
		if want := predict(t, m, narrow); !mat.EqualApprox(got, want, 1e-15) {
			t.Errorf("version %d: %v, want %v", version, got.At(0, 0), want.At(0, 0))
		}
	}
}

// A model is of one of the tasks that a row has an answer for: neither none nor the one that a fit is to find out.
func TestTaskIsDecided(t *testing.T) {
	for _, task := range []string{``, `"task":"auto",`} {
		raw := file(t, 3, `{"method":"rls",`+task+`"scaling":{"kind":"none"},"columns":1,"centres":[],"parts":[{"functions":[],"offset":[1]}]}`)
		if _, err := read(t, raw); err == nil || !strings.Contains(err.Error(), "neither a classification nor a regression") {
			t.Errorf("%s: %v", task, err)
		}
	}
}

// Of columns that a sparse model announces and does not store, weights are not made, and the nearest rows are those of fewer columns.
func TestWideSparseModel(t *testing.T) {
	const d = 1<<31 - 1
	wide := func(d int, row ...float64) *data.CSR {
		s := &data.CSR{R: 1, C: d, Start: []int{0, len(row)}, Value: row}
		for j := range row {
			s.Index = append(s.Index, int32(5*j))
		}
		return s
	}
	classes := make([]string, 1000)
	m := &model.Model{
		Task: data.Classification, Classes: classes, Columns: d, Sparse: true, Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: model.Single([]kernel.Expansion{
			{Kernel: kernel.Linear{}, Centres: data.Rows{Sparse: wide(d, 1, 2, 3)}, Coef: mat.NewDense(1, 1000, nil)},
		}, nil),
	}
	var err error
	used := allocated(func() { _, _, err = m.LinearWeights() })
	if err == nil || !strings.Contains(err.Error(), "2147483647 columns need") || used > 1<<20 {
		t.Errorf("%d bytes, %v", used, err)
	}
	nearest := func(d int) (list [][]model.Neighbour) {
		one := *m
		one.Columns = d
		used := allocated(func() {
			list, err = one.Nearest(t.Context(), data.Rows{Sparse: wide(d, 2, 2, 1)}, data.Rows{Sparse: wide(d, 1, 2, 3)}, 1)
		})
		if err != nil || used > 1<<20 {
			t.Fatalf("%d bytes, %v", used, err)
		}
		return list
	}
	if got, want := nearest(d), nearest(11); len(got) != 1 || got[0][0] != want[0][0] || math.Abs(got[0][0].Distance-math.Sqrt(5)) > 1e-15 {
		t.Errorf("%v, of fewer columns %v", got, want)
	}
}

// endless gives zeros behind its head, for ever, and counts what was taken.
type endless struct {
	head  []byte
	taken int64
}

func (e *endless) Read(p []byte) (int, error) {
	clear(p[copy(p, e.head):])
	e.head = e.head[min(len(p), len(e.head)):]
	e.taken += int64(len(p))
	return len(p), nil
}

// What never ends is refused as soon as it is wrong, or when the context says so.
func TestEndlessInput(t *testing.T) {
	zeros := &endless{}
	if _, err := model.Read(t.Context(), zeros); err == nil || zeros.taken > 1<<20 {
		t.Errorf("zeros: %v after %d bytes", err, zeros.taken)
	}
	whole := encode(t, sample(false))
	behind := &endless{head: whole}
	if _, err := model.Read(t.Context(), behind); err == nil || behind.taken > 1<<20 {
		t.Errorf("a model and zeros: %v after %d bytes", err, behind.taken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	head := file(t, 3, common+`"columns":1000000,"centres":[{"rows":1000000,"columns":1000000}],"parts":[]}`)
	slow := &endless{head: head[:len(head)-sha256.Size]}
	_, err := model.Read(ctx, readerFunc(func(p []byte) (int, error) {
		if slow.taken > 1<<24 {
			cancel()
		}
		return slow.Read(p)
	}))
	if !errors.Is(err, context.Canceled) || slow.taken > 1<<25 {
		t.Errorf("cancelled: %v after %d bytes", err, slow.taken)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A fault of reading is told as it is, not as damage.
func TestReadErrorIsKept(t *testing.T) {
	raw, wrong := encode(t, sample(false)), errors.New("the disk is on fire")
	for _, at := range []int{0, 5, 20, 300, len(raw) - 10, len(raw)} {
		if _, err := model.Read(t.Context(), io.MultiReader(bytes.NewReader(raw[:at]),
			readerFunc(func([]byte) (int, error) { return 0, wrong }))); !errors.Is(
			err,
			wrong,
		) {
			t.Errorf("after %d bytes: %v", at, err)
		}
	}
	for name, m := range samples() { // a fault that comes once, after which the file goes on
		raw := encode(t, m)
		for at := 0; at < len(raw); at += 1 + at/50 {
			again := false
			fault := readerFunc(func([]byte) (int, error) {
				if again {
					return 0, io.EOF
				}
				again = true
				return 0, wrong
			})
			_, err := model.Read(t.Context(), io.MultiReader(bytes.NewReader(raw[:at]), fault, bytes.NewReader(raw[at:])))
			if !errors.Is(err, wrong) {
				t.Errorf("%s, once after %d bytes: %v", name, at, err)
			}
		}
	}
}

// A model that was read must predict or refuse, never panic.
func FuzzRead(f *testing.F) {
	for _, m := range samples() {
		raw := encode(f, m)
		f.Add(raw[:len(raw)-sha256.Size])
	}
	old, err := filepath.Glob(filepath.Join("testdata", "v*.mercer"))
	if err != nil || len(old) < 14 {
		f.Fatalf("files of old versions: %v, %v", old, err)
	}
	for _, path := range old {
		raw, err := os.ReadFile(path) //nolint:gosec // a file of this test
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:len(raw)-sha256.Size])
	}
	f.Add([]byte("mercer model 1\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := read(t, sealed(body))
		if err != nil {
			return
		}
		rows := data.Rows{Sparse: &data.CSR{R: 2, C: m.Columns, Start: []int{0, 1, 1}, Index: []int32{0}, Value: []float64{1}}}
		if m.Columns > 1<<31-1 {
			t.Skip("no rows are so wide")
		}
		if !m.Sparse {
			rows = data.Rows{Dense: rows.Sparse.ToDense()}
		}
		out, err := m.Predict(t.Context(), rows)
		if err != nil {
			return
		}
		if r, c := out.Dims(); r != 2 || c != m.Outputs() {
			t.Errorf("%d x %d outputs", r, c)
		}
		m.Decide(out)
		var again bytes.Buffer
		if err := m.Write(&again); err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		back, err := read(t, again.Bytes())
		if err != nil {
			t.Fatalf("cannot be read again: %v", err)
		}
		if other := predict(t, back, rows); !mat.Equal(out, other) {
			t.Errorf("%v after writing, %v before", mat.Formatted(other), mat.Formatted(out))
		}
	})
}
