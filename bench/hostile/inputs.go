//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/cli"
)

// fitted is the model that is read, and that changes are made to.
const fitted = "good.mercer"

// models writes models that are none, and lists the runs on them.
func models(dir string) ([]hostile, error) {
	if code := cli.Main(context.Background(), []string{"fit", "iris", "--labels", "20", "--quiet", "--method", "rls", "-o",
		filepath.Join(dir, fitted)}, nil, io.Discard, io.Discard); code != 0 {
		return nil, fmt.Errorf("the model of iris: exit code %d", code)
	}
	model, err := os.ReadFile(filepath.Join(dir, fitted))
	if err != nil {
		return nil, err
	}
	const linear = `"parts":[{"functions":[{"kind":"linear"}]}]}`
	list := []hostile{
		{kind: "`/dev/zero` as a model", args: words("predict /dev/zero iris")},
		{kind: "`/dev/zero` as a model", args: words("evaluate /dev/zero iris")},
	}
	for _, m := range []struct {
		name, kind string
		content    []byte
	}{
		{"short.mercer", "half a model", model[:len(model)/2]},
		{"dense.mercer", "a header of 2^31 columns or rows", sealed(dimensions(`"columns":2147483647,"centres":[],` + linear))},
		{"sparse.mercer", "a header of 2^31 columns or rows", sealed(dimensions(
			`"columns":2147483647,"sparse":true,"centres":[],"parts":[{"columns":[7],"functions":[],"offset":[1]}]}`))},
		{"rows.mercer", "a header of 2^31 columns or rows", sealed(dimensions(
			`"columns":3,"centres":[{"rows":2147483647,"columns":3}],"parts":[]}`))},
	} {
		if err := os.WriteFile(filepath.Join(dir, m.name), m.content, 0o600); err != nil {
			return nil, err
		}
		list = append(list, hostile{kind: m.kind, args: words("predict " + m.name + " iris")},
			hostile{kind: m.kind, args: words("evaluate " + m.name + " iris")})
	}
	return list, nil
}

// sets writes data, and lists the runs on them and on pipes.
func sets(dir string) ([]hostile, error) {
	csv := "a,b,c,d,label\n" + strings.Repeat("1,2,3,4,yes\n5,6,7,8,no\n", 50)
	if err := syscall.Mkfifo(filepath.Join(dir, "silent"), 0o600); err != nil {
		return nil, err
	}
	list := []hostile{
		{kind: "a pipe that gives nothing", args: words("predict silent iris"), interrupt: 2 * time.Second},
		{kind: "a pipe that gives nothing", args: words("fit silent"), interrupt: 2 * time.Second},
		{kind: "a pipe that gives nothing", args: words("predict good.mercer silent"), interrupt: 2 * time.Second},
		{kind: "a pipe that never ends", args: words("fit - --format csv"), stdin: "yes 1,2,3"},
		{kind: "a pipe that never ends", args: words("fit - --format libsvm"), stdin: "yes '1 1:2 2:3'"},
		{kind: "a pipe that never ends", args: words("evaluate good.mercer -"), stdin: "yes 1"},
		{kind: "a pipe that never ends", args: words("predict /dev/stdin iris"), stdin: "cat short.mercer /dev/zero"},
	}
	for _, large := range []string{
		"--method rls --set exact=true", "--method lap-rls --set exact=true --labels 50", "--method svm --kernel rbf", "--method l2-svm", "",
	} {
		list = append(list, hostile{kind: "30 000 rows, exact or not", args: words("fit two-moons:n=30000 --quiet --time-limit 30s " + large),
			mayAnswer: true})
	}
	for _, s := range []struct {
		name, kind string
		content    []byte
	}{
		{"/dev/zero", "`/dev/zero` as data", nil},
		{"zeros.csv", "`/dev/zero` as data", make([]byte, 1<<20)},
		{"nothing.csv", "an empty file", nil},
		{"rows.csv.gz", "12 GB in a gzip file", bomb("a,b,label\n", strings.Repeat("1,2,x\n3,4,y\n", 1<<20))},
		{"line.csv.gz", "12 GB in a gzip file", bomb("a,b,label\n", strings.Repeat("1", 12<<20))},
		{"cut.csv.gz", "a gzip file cut short", zipped(csv)[:60]},
		{"index.svm", "column 2147483646", []byte("1 2147483646:1\n-1 1:1\n1 2147483646:2\n-1 2:1\n")},
		{"long.csv", "a number of 400 digits", []byte("a,label\n" + strings.Repeat("1", 400) + ",x\n2,y\n")},
		{"wide.csv", "5 million columns", []byte(strings.Repeat("a,", 5_000_000) + "label\n")},
		{"cell.csv", "a cell of 100 MB", []byte("a,label\n" + strings.Repeat("x", 100_000_000) + ",yes\n")},
		{"quote.csv", "a quote that does not end", []byte("a,label\n\"" + strings.Repeat("x\n", 50_000_000))},
	} {
		if s.name != "/dev/zero" {
			if err := os.WriteFile(filepath.Join(dir, s.name), s.content, 0o600); err != nil {
				return nil, err
			}
		}
		mayAnswer := s.name == "index.svm" || s.name == "long.csv"
		for _, verb := range []string{"fit ", "predict good.mercer ", "evaluate good.mercer "} {
			list = append(list, hostile{kind: s.kind, args: words(verb + s.name), mayAnswer: mayAnswer})
		}
	}
	return list, nil
}

func words(text string) []string { return strings.Fields(text) }

// dimensions is a model without numbers, whose header says this.
func dimensions(rest string) []byte {
	header := `{"method":"rls","task":"regression","scaling":{"kind":"none"},` + rest
	b := append([]byte("mercer model 3\n"), binary.LittleEndian.AppendUint64(nil, uint64(len(header)))...)
	return append(b, header...)
}

// sealed puts the right check sum behind a model.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // to memory
	_ = z.Close()
	return b.Bytes()
}

// bomb is a gzip file of a beginning and 1000 times the rest, which is packed once.
func bomb(first, rest string) []byte {
	return append(zipped(first), bytes.Repeat(zipped(rest), 1000)...)
}

// mutations are models that differ from one that is good in a byte, a part left out, a part twice, or a number of the header that is
// huge; every second one has a right check sum.
func mutations(dir string, count int, seed uint64) ([]hostile, error) {
	model, err := os.ReadFile(filepath.Join(dir, fitted))
	if err != nil {
		return nil, err
	}
	body := model[:len(model)-sha256.Size]
	rng := rand.New(rand.NewPCG(seed, 21))
	var list []hostile
	for k := range count {
		b := bytes.Clone(body)
		switch at := rng.IntN(len(b)); k % 4 {
		case 0:
			for range 1 + rng.IntN(3) {
				b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
			}
		case 1:
			b = append(b[:at], b[min(at+1+rng.IntN(200), len(b)):]...)
		case 2:
			b = append(b[:at:at], body[max(at-1-rng.IntN(200), 0):]...)
		case 3:
			b = huge(b, rng)
		}
		kind, end := "a model with a change", model[len(body):]
		if k/4%2 == 1 {
			kind, b, end = "a model with a change and a right check sum", sealed(b), nil
		}
		name := fmt.Sprintf("changed%d.mercer", k)
		if err := os.WriteFile(filepath.Join(dir, name), append(b, end...), 0o600); err != nil {
			return nil, err
		}
		verb := []string{"predict", "evaluate"}[k%3%2]
		list = append(list, hostile{kind: kind, args: []string{verb, name, "iris"}, mayAnswer: end == nil || bytes.Equal(b, body)})
	}
	return list, nil
}

// huge replaces a number of the header by one that is huge, and says how long the header then is.
func huge(b []byte, rng *rand.Rand) []byte {
	const from = len("mercer model 3\n") + 8
	n := from + int(binary.LittleEndian.Uint64(b[from-8:]))
	var places [][2]int
	for i := from; i < n; i++ {
		if b[i] >= '0' && b[i] <= '9' && strings.IndexByte(":,[", b[i-1]) >= 0 {
			j := i
			for j < n && strings.IndexByte("0123456789.e-+", b[j]) >= 0 {
				j++
			}
			places = append(places, [2]int{i, j})
			i = j
		}
	}
	at := places[rng.IntN(len(places))]
	values := []string{"2147483647", "9223372036854775807", "1e308", "-1", "1000000000000", "0"}
	out := append(bytes.Clone(b[:at[0]]), values[rng.IntN(len(values))]...)
	out = append(out, b[at[1]:]...)
	binary.LittleEndian.PutUint64(out[from-8:], uint64(len(out)-len(b)+n-from)) //nolint:gosec // a length
	return out
}
