package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

// A model file, described in docs/formats.md:
//
//	"mercer model 1\n"       magic and version
//	uint64                   length of the header
//	header                   JSON
//	blocks                   numbers, in the order of the header, each little-endian
//	SHA-256                  of everything before
const (
	magic   = "mercer model "
	version = 2 // of models with a front or normalised; others are written as version 1
	// maxHeader bounds the JSON header; block sizes are bounded by the file.
	maxHeader = 1 << 28
)

// header is the JSON part. Expansions name their centres by number, so that
// several may share them.
type header struct {
	Method      string          `json:"method"`
	Task        data.Task       `json:"task"`
	Classes     []string        `json:"classes,omitempty"`
	Pairs       bool            `json:"pairs,omitempty"`
	Label       string          `json:"label,omitempty"`
	Columns     int             `json:"columns"`
	Features    []string        `json:"features,omitempty"`
	Sparse      bool            `json:"sparse,omitempty"`
	Scaling     data.Scaling    `json:"scaling"`
	Calibration *calibration    `json:"calibration,omitempty"`
	Offset      []float64       `json:"offset,omitempty"`
	Recipe      json.RawMessage `json:"recipe,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"`
	Centres     []centres       `json:"centres"`
	Expansions  []expansion     `json:"expansions"`
	Normalised  bool            `json:"normalised,omitempty"`
	Front       *frontHeader    `json:"front,omitempty"`
}

// centres are rows x columns float64, or for sparse rows: rows+1 int64 starts,
// nonzeros int32 columns, nonzeros float64 values.
type centres struct {
	Rows     int  `json:"rows"`
	Columns  int  `json:"columns"`
	Sparse   bool `json:"sparse,omitempty"`
	Nonzeros int  `json:"nonzeros,omitempty"`
}

// expansion is rows x outputs float64.
type expansion struct {
	Kernel  json.RawMessage `json:"kernel"`
	Centres int             `json:"centres"`
	Outputs int             `json:"outputs"`
}

// calibration is one of the calibrations under its name.
type calibration struct {
	Sigmoid  *calibrate.Sigmoid  `json:"sigmoid,omitempty"`
	Isotonic *calibrate.Isotonic `json:"isotonic,omitempty"`
	Softmax  *calibrate.Softmax  `json:"softmax,omitempty"`
	Pairs    *calibrate.Pairs    `json:"pairs,omitempty"`
}

func named(c calibrate.Calibration) *calibration {
	switch c := c.(type) {
	case calibrate.Sigmoid:
		return &calibration{Sigmoid: &c}
	case calibrate.Isotonic:
		return &calibration{Isotonic: &c}
	case calibrate.Softmax:
		return &calibration{Softmax: &c}
	case calibrate.Pairs:
		return &calibration{Pairs: &c}
	}
	return nil
}

func (c *calibration) value() calibrate.Calibration {
	switch {
	case c == nil:
	case c.Sigmoid != nil:
		return *c.Sigmoid
	case c.Isotonic != nil:
		return *c.Isotonic
	case c.Softmax != nil:
		return *c.Softmax
	case c.Pairs != nil:
		return *c.Pairs
	}
	return nil
}

// calibrates says whether the calibration is for the outputs that the model has.
func (m *Model) calibrates() error {
	fits := false
	switch c := m.Calibration.(type) {
	case calibrate.Sigmoid, calibrate.Isotonic:
		fits = m.Outputs() == 1
	case calibrate.Softmax:
		fits = len(m.Classes) > 2 && !m.Pairs
	case calibrate.Pairs:
		fits = m.Pairs && c.Classes == len(m.Classes)
	}
	if !fits || m.Task != data.Classification {
		return corrupt("a calibration %T for %d classes with %d outputs", m.Calibration, len(m.Classes), m.Outputs())
	}
	return nil
}

// Save writes the model to path, beside first and then renamed.
func (m *Model) Save(path string) error {
	return replace.File(path, m.Write)
}

// Write writes the model.
func (m *Model) Write(w io.Writer) error {
	h := header{
		Method: m.Method, Task: m.Task, Classes: m.Classes, Pairs: m.Pairs, Label: m.Label, Columns: m.Columns, Features: m.Features, Sparse: m.Sparse,
		Scaling: m.Scaling, Calibration: named(m.Calibration), Offset: m.Offset, Recipe: m.Recipe, Result: m.Result, Normalised: m.Normalised,
	}
	written := 1
	if m.Front != nil || m.Normalised {
		written = version
	}
	if m.Front != nil {
		var err error
		if h.Front, err = m.Front.header(); err != nil {
			return err
		}
	}
	type rows struct {
		dense  *mat.Dense
		sparse *sparse.CSR
	}
	place := map[rows]int{}
	var distinct []rows
	for _, e := range m.Expansions {
		k, err := kernel.Marshal(e.Kernel)
		if err != nil {
			return err
		}
		key := rows{e.Centres.Dense, e.Centres.Sparse}
		at, ok := place[key]
		if !ok {
			at = len(distinct)
			place[key] = at
			distinct = append(distinct, key)
			h.Centres = append(h.Centres, describe(e.Centres))
		}
		_, outputs := e.Coef.Dims()
		h.Expansions = append(h.Expansions, expansion{Kernel: k, Centres: at, Outputs: outputs})
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("model: header: %w", err)
	}
	sum := sha256.New()
	out := io.MultiWriter(w, sum)
	if _, err := fmt.Fprintf(out, "%s%d\n", magic, written); err != nil {
		return err
	}
	if err := binary.Write(out, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	for _, r := range distinct {
		if err := writeRows(out, data.Rows{Dense: r.dense, Sparse: r.sparse}); err != nil {
			return err
		}
	}
	for _, e := range m.Expansions {
		if err := writeDense(out, e.Coef); err != nil {
			return err
		}
	}
	if m.Front != nil {
		if err := writeRows(out, m.Front.Centres); err != nil {
			return err
		}
		for _, one := range m.Front.Members {
			for _, p := range one.Parts {
				if len(p.Rows) == 0 {
					continue
				}
				if err := writeDense(out, p.Coef); err != nil {
					return err
				}
			}
		}
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// writeRows writes a block of centres.
func writeRows(w io.Writer, r data.Rows) error {
	if r.Sparse == nil {
		return writeDense(w, r.Dense)
	}
	start := make([]int64, len(r.Sparse.Start))
	for i, s := range r.Sparse.Start {
		start[i] = int64(s)
	}
	for _, v := range []any{start, r.Sparse.Index, r.Sparse.Value} {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}

func writeDense(w io.Writer, a *mat.Dense) error {
	r, _ := a.Dims()
	for i := range r {
		if err := binary.Write(w, binary.LittleEndian, a.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// FileError says what is wrong with a model file.
type FileError struct{ File, What, Remedy string }

func (e *FileError) Error() string { return fmt.Sprintf("%s: %s; %s", e.File, e.What, e.Remedy) }

// Load reads a model file.
func Load(path string) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil, &FileError{path, pe.Err.Error(), "give a file that mercer fit -o wrote"}
		}
		return nil, err
	}
	m, err := Decode(raw)
	var fe *FileError
	if errors.As(err, &fe) {
		fe.File = path
	}
	return m, err
}

func corrupt(format string, args ...any) error {
	return &FileError{"model", fmt.Sprintf(format, args...), "the file is damaged; fit the model again"}
}

// Decode reads a model from the bytes of a file.
func Decode(raw []byte) (*Model, error) {
	if !bytes.HasPrefix(raw, []byte(magic)) {
		return nil, &FileError{"model", "is not a Mercer model", "give a file that mercer fit -o wrote"}
	}
	rest := raw[len(magic):]
	line := bytes.IndexByte(rest[:min(len(rest), 20)], '\n')
	if line < 0 {
		return nil, corrupt("no version in its first line")
	}
	var v int
	if _, err := fmt.Sscanf(string(rest[:line]), "%d", &v); err != nil || v < 1 {
		return nil, corrupt("version %q", rest[:line])
	}
	if v > version {
		return nil, &FileError{"model", fmt.Sprintf("has version %d, this program reads up to %d", v, version), "use a newer mercer"}
	}
	rest = rest[line+1:]
	if len(rest) < 8+sha256.Size {
		return nil, corrupt("is cut short")
	}
	body := raw[:len(raw)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], raw[len(raw)-sha256.Size:]) {
		return nil, corrupt("has a wrong check sum")
	}
	size := binary.LittleEndian.Uint64(rest)
	rest = rest[8 : len(rest)-sha256.Size]
	if size > uint64(len(rest)) || size > maxHeader {
		return nil, corrupt("announces a header of %d bytes", size)
	}
	var h header
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return nil, corrupt("header: %v", err)
	}
	r := &blocks{rest: rest[size:]}
	m := &Model{
		Method: h.Method, Task: h.Task, Classes: h.Classes, Pairs: h.Pairs, Label: h.Label, Columns: h.Columns, Features: h.Features, Sparse: h.Sparse,
		Scaling: h.Scaling, Calibration: h.Calibration.value(), Offset: h.Offset, Recipe: h.Recipe, Result: h.Result,
	}
	var rows []data.Rows
	for _, c := range h.Centres {
		if c.Columns != h.Columns {
			return nil, corrupt("centres of %d columns for %d features", c.Columns, h.Columns)
		}
		x, err := r.centres(c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, x)
	}
	for _, e := range h.Expansions {
		k, err := kernel.Unmarshal(e.Kernel)
		if err != nil {
			return nil, corrupt("kernel: %v", err)
		}
		if e.Centres < 0 || e.Centres >= len(rows) || e.Outputs != m.Outputs() {
			return nil, corrupt("an expansion on centres %d with %d outputs", e.Centres, e.Outputs)
		}
		coef, err := r.dense(rows[e.Centres].Len(), e.Outputs)
		if err != nil {
			return nil, err
		}
		m.Expansions = append(m.Expansions, kernel.Expansion{Kernel: k, Centres: rows[e.Centres], Coef: coef})
	}
	m.Normalised = h.Normalised
	if h.Front != nil {
		if h.Front.Centres.Columns != h.Columns {
			return nil, corrupt("a front of %d columns for %d features", h.Front.Centres.Columns, h.Columns)
		}
		var err error
		if m.Front, err = r.front(h.Front, m.Outputs()); err != nil {
			return nil, err
		}
	}
	if len(r.rest) != 0 {
		return nil, corrupt("has %d bytes too many", len(r.rest))
	}
	return m, m.check()
}

// check refuses headers whose parts do not fit each other.
func (m *Model) check() error {
	switch {
	case m.Columns < 1 || m.Features != nil && len(m.Features) != m.Columns:
		return corrupt("%d features with %d names", m.Columns, len(m.Features))
	case m.Task == data.Classification && len(m.Classes) < 2:
		return corrupt("%d classes", len(m.Classes))
	case m.Normalised && len(m.Expansions) != 1:
		return corrupt("a weighted mean of %d expansions", len(m.Expansions))
	case m.Offset != nil && len(m.Offset) != m.Outputs():
		return corrupt("%d offsets for %d outputs", len(m.Offset), m.Outputs())
	}
	if m.Calibration != nil {
		if err := m.Calibration.Check(); err != nil {
			return corrupt("calibration: %v", err)
		}
		if err := m.calibrates(); err != nil {
			return err
		}
	}
	if err := m.Scaling.Check(m.Columns); err != nil {
		return corrupt("scaling: %v", err)
	}
	return nil
}

// blocks reads the numbers; it never allocates more than the file holds.
type blocks struct{ rest []byte }

func (b *blocks) take(count, size int) ([]byte, error) {
	if count < 0 || count > len(b.rest)/size {
		return nil, corrupt("is cut short: %d numbers announced, %d bytes left", count, len(b.rest))
	}
	part := b.rest[:count*size]
	b.rest = b.rest[count*size:]
	return part, nil
}

func (b *blocks) floats(count int) ([]float64, error) {
	part, err := b.take(count, 8)
	if err != nil {
		return nil, err
	}
	v := make([]float64, count)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(part[8*i:]))
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil, corrupt("a number is not finite")
		}
	}
	return v, nil
}

func (b *blocks) dense(rows, columns int) (*mat.Dense, error) {
	if rows <= 0 || columns <= 0 || rows > len(b.rest)/8/columns {
		return nil, corrupt("is cut short: a block of %d x %d numbers", rows, columns)
	}
	v, err := b.floats(rows * columns)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(rows, columns, v), nil
}

func (b *blocks) centres(c centres) (data.Rows, error) {
	if !c.Sparse {
		x, err := b.dense(c.Rows, c.Columns)
		return data.Rows{Dense: x}, err
	}
	if c.Rows <= 0 || c.Nonzeros < 0 || c.Rows >= len(b.rest) || c.Columns <= 0 || c.Columns > math.MaxInt32 {
		return data.Rows{}, corrupt("sparse centres %d x %d with %d entries", c.Rows, c.Columns, c.Nonzeros)
	}
	part, err := b.take(c.Rows+1, 8)
	if err != nil {
		return data.Rows{}, err
	}
	start := make([]int, c.Rows+1)
	for i := range start {
		start[i] = int(int64(binary.LittleEndian.Uint64(part[8*i:])))
	}
	if part, err = b.take(c.Nonzeros, 4); err != nil {
		return data.Rows{}, err
	}
	index := make([]int32, c.Nonzeros)
	for i := range index {
		index[i] = int32(binary.LittleEndian.Uint32(part[4*i:]))
	}
	value, err := b.floats(c.Nonzeros)
	if err != nil {
		return data.Rows{}, err
	}
	s, err := sparse.New(c.Rows, c.Columns, start, index, value)
	if err != nil {
		return data.Rows{}, corrupt("sparse centres: %v", err)
	}
	return data.Rows{Sparse: s}, nil
}
