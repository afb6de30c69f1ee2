package hostile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// fitted is the model that predicts and evaluates hostile data, and that models which are none are made of.
const fitted = "good.mercer"

// models writes models that are none, and lists the runs of every verb on them.
func models(dir string) ([]hostile, error) {
	model, err := os.ReadFile(filepath.Join(dir, fitted))
	if err != nil {
		return nil, err
	}
	const linear = `"parts":[{"functions":[{"kind":"linear"}]}]}`
	var list []hostile
	for _, m := range []struct {
		name, kind string
		content    []byte
		data       string // that it could be asked about; "": it cannot be read
	}{
		{"/dev/zero", "`/dev/zero` as a model", nil, ""},
		{"short.mercer", "half a model", model[:len(model)/2], ""},
		{"dense.mercer", "a header of 2^31 columns or rows", sealed(dimensions(`"columns":2147483647,"centres":[],` + linear)), ""},
		{"sparse.mercer", "a header of 2^31 columns or rows", sealed(dimensions(
			`"columns":2147483647,"sparse":true,"centres":[],"parts":[{"columns":[7],"functions":[],"offset":[1]}]}`)), ""},
		{"rows.mercer", "a header of 2^31 columns or rows", sealed(dimensions(
			`"columns":3,"centres":[{"rows":2147483647,"columns":3}],"parts":[]}`)), ""},
		{"wide.mercer", "2^31 columns, of which one is stored", sealed(append(dimensions(
			`"columns":2147483647,"sparse":true,"recipe":{"method":"svm"},`+sparseCentres(1, 2147483647, 1)),
			little(int64(0), int64(1), int32(2), 1.5, 1.0)...)), "iris.svm"},
		{"square.mercer", "60 000 empty rows of 400 000 columns, dense ones to come", sealed(append(dimensions(
			`"columns":400000,"recipe":{"method":"svm"},`+sparseCentres(60000, 400000, 0)), make([]byte, 8*(60001+60000))...)), "iris.svm"},
	} {
		if m.content != nil {
			if err := os.WriteFile(filepath.Join(dir, m.name), m.content, 0o600); err != nil {
				return nil, err
			}
		}
		for _, verb := range verbs {
			list = append(list, verb.on(m.kind, m.name, cmp.Or(m.data, "iris.csv"), m.data != ""))
		}
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
		"--method rls --set exact=true", "--method lap-rls --set exact=true --labels 50", "--method svm --kernel rbf", "--method l2-svm",
		"",
	} {
		list = append(list, hostile{kind: "30 000 rows, exact or not", mayAnswer: true,
			args: words("fit two-moons:n=30000 --quiet --time-limit 30s " + large)})
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

// sparseCentres is the rest of a header: a linear machine of so many sparse rows.
func sparseCentres(rows, columns, stored int) string {
	return fmt.Sprintf(`"centres":[{"rows":%d,"columns":%d,"sparse":true,"nonzeros":%d}],"parts":[{"functions":[`+
		`{"kind":"expansion","kernel":{"type":"linear"},"centres":0}]}]}`, rows, columns, stored)
}

// little are numbers as a model file has them.
func little(numbers ...any) []byte {
	var b bytes.Buffer
	for _, v := range numbers {
		_ = binary.Write(&b, binary.LittleEndian, v) // to memory
	}
	return b.Bytes()
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
