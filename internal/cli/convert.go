package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/exchange/libsvm"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/model"
)

// convertCmd is mercer convert.
type convertCmd struct {
	In     string `arg:"" help:"A model of LIBSVM, LIBLINEAR, SVMlin (.weights) or ONNX (.onnx), or a data file."`
	Output string `short:"o" required:"" help:"The model of this program, or a data file: .csv or .svm, each also .gz." placeholder:"OUT"`
	Range  string `help:"Ranges that svm-scale -s wrote: the model gets this scaling, data are scaled." placeholder:"FILE"`

	source `group:"Data:"`
	chosen `group:"Data:"`
	talk   `group:"Running:"`
}

// Help shows examples.
func (convertCmd) Help() string {
	return `A model keeps its predictions, but for equal votes: classes are put into sorted order. Of ONNX (.onnx) support
vector machines and linear models are converted, as scikit-learn's are written. Data in CSV become LIBSVM text and back; classes
that are no numbers are numbered in sorted order, from 0.

Examples:

    svm-train train.svm train.svm.model && mercer convert train.svm.model -o train.mercer
    svm-scale -s ranges train.svm > scaled.svm; svm-train scaled.svm model; mercer convert model --range ranges -o train.mercer
    mercer convert rows.csv -o rows.svm --unlabelled-mark 0
    mercer convert rows.svm -o rows.csv.gz`
}

// Run converts.
func (c *convertCmd) Run(e *env) error {
	if err := writable("-o", c.Output, c.In, c.Range); err != nil {
		return err
	}
	ranges, err := c.ranges(e.ctx)
	if err != nil {
		return err
	}
	kind, err := modelKind(e.ctx, c.In)
	if err != nil {
		return named(err, c.In, nil)
	}
	if kind == "" {
		return c.data(e, ranges)
	}
	if c.ofData() {
		return usage("%s is a model, which is converted as it is; leave out the flags of data, but --memory", c.In)
	}
	m, err := readForeign(e.ctx, c.In, kind)
	if err != nil {
		return named(err, c.In, nil)
	}
	if ranges != nil {
		limit := machine.Allowed(int64(c.Memory))
		if err := libsvm.Rescale(m, ranges, limit); err != nil {
			return &fault{file: c.Range, what: err.Error()}
		}
	}
	if err := e.save(m, c.Output); err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(map[string]any{"output": c.Output, "method": m.Method})
	}
	return nil
}

func (c *convertCmd) ranges(ctx context.Context) (*libsvm.Ranges, error) {
	if c.Range == "" {
		return nil, nil
	}
	f, err := await.Open(ctx, c.Range)
	if err != nil {
		return nil, named(err, c.Range, nil)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	g, err := libsvm.ReadRanges(await.Reader(ctx, f), c.Range)
	return g, named(err, c.Range, nil)
}

// modelKind says whether a file begins as a model of LIBSVM or LIBLINEAR does, or is called as SVMlin's or ONNX's are.
func modelKind(ctx context.Context, path string) (string, error) {
	if path == "-" || data.IsBuiltin(path) || isFolder(path) {
		return "", nil
	}
	for _, ending := range []string{svmlinEnding, onnxEnding} {
		if strings.HasSuffix(path, ending) {
			return ending, nil
		}
	}
	f, err := await.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	head := make([]byte, 16)
	n, err := io.ReadFull(await.Reader(ctx, f), head)
	if err != nil && n == 0 {
		return "", nil // an empty file, which the reader of data knows to describe
	}
	for _, kind := range []string{"svm_type", "solver_type"} {
		if bytes.HasPrefix(head[:n], []byte(kind+" ")) {
			return kind, nil
		}
	}
	return "", nil
}

// svmlinEnding ends the names of SVMlin's models, which are numbers and nothing else.
const svmlinEnding = ".weights"

// onnxEnding ends the names of ONNX's models, which have no first bytes of their own.
const onnxEnding = ".onnx"

func readForeign(ctx context.Context, path, kind string) (*model.Model, error) {
	f, err := await.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	switch kind {
	case "svm_type":
		m, err := libsvm.Read(bufio.NewReader(await.Reader(ctx, f)), path)
		if err != nil {
			return nil, err
		}
		return m.ToModel()
	case svmlinEnding:
		w, err := libsvm.ReadWeights(bufio.NewReader(await.Reader(ctx, f)), path)
		if err != nil {
			return nil, err
		}
		return w.ToModel()
	case onnxEnding:
		m, err := onnx.Read(await.Reader(ctx, f))
		if err != nil {
			return nil, &fault{file: path, what: err.Error()}
		}
		return m, nil
	}
	m, err := libsvm.ReadLinear(bufio.NewReader(await.Reader(ctx, f)), path)
	if err != nil {
		return nil, err
	}
	return m.ToModel()
}

// ofData says whether a flag is given that says something of a data file.
func (c *convertCmd) ofData() bool {
	return c.Format+c.Label+c.UnlabelledMark+c.ID != "" || c.words() != nil || c.spelled.given() ||
		len(c.View)+len(c.Drop)+len(c.Features) > 0
}

// rows are those of a data file as they stand. Where cells are no plain numbers, or answers are amounts, they are those of the table
// that fit makes of them, if all of it is numbers.
func (c *convertCmd) rows(e *env, o read.Options) (*data.Set, error) {
	set, warnings, err := e.read(c.In, o)
	var fault *read.Error
	info, lost := os.Stat(c.In)
	again := lost == nil && info.Mode().IsRegular() && c.words() == nil // a pipe is read once
	if again && (errors.As(err, &fault) || err == nil && columns.AmountsOf(set.Answers).Found) {
		o.Prepare = true
		if table, more, err := e.read(c.In, o); err == nil && table.Table.Numeric() {
			e.warnOf(c.talk, more)
			return table, nil
		}
	}
	e.warnOf(c.talk, warnings)
	return set, err
}

// data converts a data file.
func (c *convertCmd) data(e *env, g *libsvm.Ranges) error {
	if len(c.View) > 0 {
		return usage("--view: the columns of one file are converted; leave it out")
	}
	o := c.options(e)
	c.choose(&o)
	o.LabelOptional = true
	if err := c.suits(c.In); err != nil {
		return err
	}
	set, err := c.rows(e, o)
	if err != nil {
		return err
	}
	if g != nil {
		set.Rows = g.Apply(set.Rows)
	}
	name := strings.TrimSuffix(strings.ToLower(c.Output), ".gz")
	first, classes := 0, []string(nil)
	write := func(w io.Writer) error {
		var err error
		switch {
		case strings.HasSuffix(name, ".csv"):
			return read.WriteCSV(w, set)
		case strings.HasSuffix(name, ".svm"), strings.HasSuffix(name, ".libsvm"), strings.HasSuffix(name, ".svmlight"):
			first, classes, err = read.WriteLIBSVM(w, set, c.UnlabelledMark)
			return err
		}
		return usage("-o %s: its ending does not say the format; end it in .csv or .svm, each also .gz", c.Output)
	}
	if err := putTable(c.Output, write); err != nil {
		var file *fs.PathError
		var link *os.LinkError
		if errors.As(err, &file) || errors.As(err, &link) {
			return named(err, c.Output, nil)
		}
		return named(err, c.In, set)
	}
	if classes != nil {
		e.warn(c.talk, fmt.Sprintf("classes are written as the numbers %d to %d: %s", first, first+len(classes)-1, strings.Join(classes, ", ")))
	}
	if c.JSON {
		return e.printJSON(map[string]any{"output": c.Output, "rows": set.Rows.Len()})
	}
	return nil
}
