package hostile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// change is a way to damage a model without its check sum.
type change struct {
	name   string
	make   func(body []byte, rng *rand.Rand) []byte
	sealed bool // always with a right check sum, as its aim is what lies behind
}

var changes = []change{
	{name: "changed bits", make: bits},
	{name: "a part left out", make: leftOut},
	{name: "a part twice", make: twice},
	{name: "a huge number in its header", make: huge},
	{name: "another value in its header", make: another, sealed: true},
	{name: "other numbers behind its header", make: numbers, sealed: true},
}

// mutations are models that differ from good ones by a change; those that are not always sealed are so every second time. Each
// is given to one verb: as starts and verbs are of numbers without a common divisor, all pairs come in turn.
func mutations(dir string, count int, seed uint64) ([]hostile, error) {
	rng := rand.New(rand.NewPCG(seed, 21))
	var list []hostile
	for k := range count {
		s := starts[k%len(starts)]
		model, err := os.ReadFile(filepath.Join(dir, s.model))
		if err != nil {
			return nil, err
		}
		body := model[:len(model)-sha256.Size]
		way := changes[rng.IntN(len(changes))]
		b := way.make(bytes.Clone(body), rng)
		kind, mayAnswer := "a model with "+way.name, bytes.Equal(b, body)
		if way.sealed || rng.IntN(2) == 0 {
			kind, b, mayAnswer = kind+" and a right check sum", sealed(b), true
		} else {
			b = append(b, model[len(body):]...)
		}
		name := fmt.Sprintf("changed%d.mercer", k)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return nil, err
		}
		list = append(list, verbs[k%len(verbs)].on(kind, name, s.data, mayAnswer))
	}
	return list, nil
}

func bits(b []byte, rng *rand.Rand) []byte {
	for range 1 + rng.IntN(3) {
		b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
	}
	return b
}

func leftOut(b []byte, rng *rand.Rand) []byte {
	at := rng.IntN(len(b))
	return append(b[:at:at], b[min(at+1+rng.IntN(200), len(b)):]...)
}

func twice(b []byte, rng *rand.Rand) []byte {
	at := rng.IntN(len(b))
	return append(b[:at:at], b[max(at-1-rng.IntN(200), 0):]...)
}

// header is where the header of a model begins and ends: behind a line and its length.
func header(b []byte) (from, to int) {
	from = bytes.IndexByte(b, '\n') + 9
	return from, from + int(binary.LittleEndian.Uint64(b[from-8:])) //nolint:gosec // of a good model
}

// headed is a model with another header, and its length before it.
func headed(b, text []byte) []byte {
	from, to := header(b)
	out := append(bytes.Clone(b[:from]), text...)
	binary.LittleEndian.PutUint64(out[from-8:], uint64(len(text)))
	return append(out, b[to:]...)
}

// huge replaces a number of the header by one that no header should have.
func huge(b []byte, rng *rand.Rand) []byte {
	from, to := header(b)
	text := b[from:to]
	var places [][2]int
	for i := 1; i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' && strings.IndexByte(":,[", text[i-1]) >= 0 {
			j := i
			for j < len(text) && strings.IndexByte("0123456789.e-+", text[j]) >= 0 {
				j++
			}
			places = append(places, [2]int{i, j})
			i = j
		}
	}
	at := places[rng.IntN(len(places))]
	values := []string{"2147483647", "9223372036854775807", "1e308", "-1", "1000000000000", "0"}
	changed := append(bytes.Clone(text[:at[0]]), values[rng.IntN(len(values))]...)
	return headed(b, append(changed, text[at[1]:]...))
}

// another takes a value of the header, at any depth, and puts one of another kind in its place, or none.
func another(b []byte, rng *rand.Rand) []byte {
	from, to := header(b)
	d := json.NewDecoder(bytes.NewReader(b[from:to]))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		panic(err) // the header of a good model
	}
	text, err := json.Marshal(replaced(tree, rng, 0))
	if err != nil {
		panic(err)
	}
	return headed(b, text)
}

// gone marks what is left out of its object or list.
type gone struct{}

// replaced changes one value below a value, or the value.
func replaced(v any, rng *rand.Rand, depth int) any {
	if depth == 0 || rng.IntN(4) > 0 {
		switch v := v.(type) {
		case map[string]any:
			if len(v) == 0 {
				break
			}
			key := slices.Sorted(maps.Keys(v))[rng.IntN(len(v))]
			if one := replaced(v[key], rng, depth+1); one == (gone{}) {
				delete(v, key)
			} else {
				v[key] = one
			}
			return v
		case []any:
			if len(v) == 0 {
				break
			}
			at := rng.IntN(len(v))
			switch one := replaced(v[at], rng, depth+1); {
			case one == (gone{}):
				return slices.Delete(v, at, at+1)
			case rng.IntN(6) == 0:
				return append(v, one)
			default:
				v[at] = one
			}
			return v
		}
	}
	values := []any{
		nil, true, -1, 0, 1, 3, 1e-300, 1e300, math.MaxInt32, math.MaxInt64, "", "x", "gaussian", []any{}, []any{0}, map[string]any{},
		gone{}, gone{},
	}
	return values[rng.IntN(len(values))]
}

// numbers replaces some of the numbers behind the header by such as no fit writes.
func numbers(b []byte, rng *rand.Rand) []byte {
	_, to := header(b)
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1e300, 1e160, 5e-324, 0}
	for range 1 + rng.IntN(4) {
		if n := (len(b) - to) / 8; n > 0 {
			at := to + 8*rng.IntN(n)
			binary.LittleEndian.PutUint64(b[at:], math.Float64bits(values[rng.IntN(len(values))]))
		}
	}
	return b
}
