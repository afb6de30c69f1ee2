package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func sparseOf(row []float64) *data.CSR { return data.CSRFromDense(mat.NewDense(1, len(row), row)) }

// TestScanAgrees: what encoding/json writes is read as it was, numbers to the bit.
func TestScanAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), 1, 20).Draw(t, "data")
		id := rapid.String().Draw(t, "id")
		type object = map[string]any
		request := object{
			"id": id, "parameters": rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "parameters"),
			"inputs": []any{object{
				"name": "x", "shape": []int{1, len(data)}, "datatype": "FP64", "data": data, "more": []any{nil, true, object{}},
			}},
			"outputs": []any{object{"name": id}},
		}
		text, err := json.MarshalIndent(request, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		q, err := parseRequest(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want string
		if raw, err := json.Marshal(id); err != nil || json.Unmarshal(raw, &want) != nil { // text that is no UTF-8 is replaced
			t.Fatal(err)
		}
		if q.id != want || q.outputs[0] != want || len(q.input.numbers) != len(data) {
			t.Fatalf("%+v", q)
		}
		for i, v := range q.input.numbers {
			if v != data[i] {
				t.Fatalf("%v became %v", data[i], v)
			}
		}
	})
}

// TestCutRequests: a request that ends early is refused wherever it ends.
func TestCutRequests(t *testing.T) {
	for _, text := range []string{
		`{"inputs":[{"name":"x","shape":[1,3],"datatype":"FP64","data":[1, 2,-3.5e1]}],"outputs":[{"name":"score"}]}`,
		`{"inputs":[{"name":"x","shape":[2,2],"datatype":"FP64","data":[[1,2], [3, 4]]}]}`,
		`{"inputs":[{"name":"x","shape":[1,2],"datatype":"BYTES","data":["a", null]}],"id":"\u00e9"}`,
	} {
		if _, err := parseRequest([]byte(text)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for n := range len(text) {
			if _, err := parseRequest([]byte(text[:n])); err == nil {
				t.Errorf("%s is taken", text[:n])
			}
		}
	}
}

// FuzzRequest: no text makes the reader fail otherwise than by an error, and what it takes is JSON but for the spelling of
// numbers.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP64","data":[1,2]}]}`, `{"a":[[[{}]]],"id":"\u00e9"}`,
		`{"inputs":[{"name":"x","shape":[2,1],"datatype":"BYTES","data":[["a"],[null]]}],"outputs":[{"name":"score"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := parseRequest(text)
		if err != nil {
			return
		}
		if _, err := q.input.rows(2); err == nil && !q.input.isText {
			_ = q.input.convert(2)
		}
	})
}

// BenchmarkScan compares the scanner with encoding/json on a request of 1000 x 64 numbers.
func BenchmarkScan(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float64, 64_000)
	for i := range data {
		data[i] = math.Round(1e6*rng.NormFloat64()) / 1e6
	}
	text, err := json.Marshal(map[string]any{"inputs": []any{map[string]any{
		"name": "x", "shape": []int{1000, 64}, "datatype": "FP64", "data": data,
	}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for range b.N {
			if _, err := parseRequest(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	small := bytes.Clone(text[:bytes.IndexByte(text, '[')+1])
	small = append(small, `{"name":"x","shape":[1000,64],"datatype":"FP64","data":[0`...)
	for i := range 64_000 - 1 {
		small = fmt.Appendf(small, ",%d", i*i%17)
	}
	small = append(small, "]}]}"...)
	b.Run("small", func(b *testing.B) {
		b.SetBytes(int64(len(small)))
		for range b.N {
			if _, err := parseRequest(small); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for range b.N {
			var q struct {
				Inputs []struct {
					Name, Datatype string
					Shape          []int
					Data           []float64
				}
			}
			if err := json.Unmarshal(text, &q); err != nil {
				b.Fatal(err)
			}
		}
	})
}
