package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
)

// embedCmd is mercer embed.
type embedCmd struct {
	Data   string `arg:"" help:"${embed_data}"`
	Output string `short:"o" help:"Write CSV here instead of standard output." placeholder:"OUT"`
	Dim    int    `help:"Dimensions (default 2)." default:"2" placeholder:"M"`

	unlabelledData
}

// Help shows examples.
func (embedCmd) Help() string {
	return `Places rows by the smoothest functions on their graph of neighbours (Laplacian eigenmaps): columns e1 .. eM,
one record a row. With --kernel or --test the functions belong to a kernel space and are known for new rows.

Examples:

    mercer embed digits --dim 2 -o digits.csv
    mercer embed rows.csv --dim 5 --neighbours 15 --set weights=heat
    mercer embed rows.csv --dim 3 --test new.csv -o new-places.csv
    mercer embed text.svm.gz --set metric=cosine --json`
}

// Run embeds.
func (c *embedCmd) Run(e *env) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	if c.Dim < 1 {
		return usage("--dim %d: must be at least 1", c.Dim)
	}
	if err := c.begin(c.Data, &c.Output); err != nil {
		return err
	}
	l, ctx, stop, err := c.learn(e, c.Data, p, c.Dim)
	if err != nil {
		return err
	}
	defer stop()
	at := time.Now()
	var m *spectral.Embedding
	if p.regularised != nil {
		m, err = p.regularised.Fit(ctx, l.graph, l.rows, c.Dim)
	} else {
		m, err = spectral.Eigenmap{Seed: p.seed}.Fit(ctx, l.graph, c.Dim)
	}
	if err != nil {
		return named(c.late(err, l.set), c.Data, l.set)
	}
	l.seconds["embed"] = time.Since(at).Seconds()
	places := m.Coordinates
	if l.test != nil {
		if places, err = m.At(e.ctx, l.fresh); err != nil {
			return named(err, c.Test, l.test)
		}
	}
	l.seconds["total"] = time.Since(l.start).Seconds()
	return c.report(e, p, l, m, places)
}

// embedResult is what embed --json prints.
type embedResult struct {
	Rows        embedRows          `json:"rows"`
	Dim         int                `json:"dim"`
	Kernel      string             `json:"kernel,omitempty"`
	Eigenvalues []float64          `json:"eigenvalues"`
	Status      string             `json:"status"`
	Certificate embedCertificate   `json:"certificate"`
	Graph       diagnose.Graph     `json:"graph"`
	Coordinates [][]float64        `json:"coordinates,omitempty"` // a list a row; absent where a file has them
	Output      string             `json:"output,omitempty"`
	Views       []mercer.View      `json:"views,omitempty"` // whose graphs are joined with that by all columns
	Scaling     string             `json:"scaling"`
	Seconds     map[string]float64 `json:"seconds"`
}

type embedRows struct {
	Rows     int `json:"unlabelled"`
	Test     int `json:"test"`
	Features int `json:"features"`
}

type embedCertificate struct {
	Residual float64 `json:"residual"` // the largest |L u - lambda u|
}

func (c *embedCmd) report(e *env, p *plan, l *learned, m *spectral.Embedding, places *mat.Dense) error {
	n, dims := places.Dims()
	out := &columnsCSV{n: n, record: func(dst []string, i int) []string {
		for _, v := range places.RawRowView(i) {
			dst = append(dst, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return dst
	}}
	for j := range dims {
		out.names = append(out.names, "e"+strconv.Itoa(j+1))
	}
	r := &embedResult{Rows: rowsOf(l), Dim: dims, Kernel: p.kernel, Eigenvalues: m.Values, Status: c.status(e, m.Status, m.Residual),
		Graph: diagnose.Of(l.graph, nil), Output: c.Output, Views: l.views, Scaling: l.scaling, Seconds: l.seconds}
	for _, v := range m.Residual {
		r.Certificate.Residual = max(r.Certificate.Residual, v)
	}
	if c.Output != "" || !c.JSON {
		if err := e.writeColumns(c.Output, out.called(c.ID, l.ids())); err != nil {
			return err
		}
	}
	if !c.JSON {
		if c.Quiet && c.Output == "" {
			return nil
		}
		_, err := io.WriteString(e.tables(c.Output), c.table(r, l))
		return err
	}
	if c.Output == "" {
		r.Coordinates = make([][]float64, n)
		for i := range n {
			r.Coordinates[i] = places.RawRowView(i)
		}
	}
	return e.printJSON(r)
}

func rowsOf(l *learned) embedRows {
	r := embedRows{Rows: l.rows.Len(), Features: l.rows.Dim()}
	if l.test != nil {
		r.Test = l.test.Rows.Len()
	}
	return r
}

// tables is where a table goes: standard output, unless the columns are there.
func (e *env) tables(output string) io.Writer {
	if output == "" {
		return e.stderr
	}
	return e.stdout
}

func (c *embedCmd) table(r *embedResult, l *learned) string {
	var s sheet
	title := "Laplacian eigenmaps"
	if r.Kernel != "" {
		title = "regularised Laplacian eigenmaps, " + r.Kernel + " kernel"
	}
	s.text(title + ": " + brief.Count(r.Dim, "dimension"))
	rows := brief.Count(r.Rows.Rows, "row") + ", " + brief.Count(r.Rows.Features, "feature")
	if r.Rows.Test > 0 {
		rows += fmt.Sprintf(", %d new rows placed", r.Rows.Test)
	}
	s.line("rows", rows)
	s.line("eigenvalues", numbers(r.Eigenvalues))
	l.graphLines(&s)
	s.line("certificate", fmt.Sprintf("%s, residual %s", r.Status, short(r.Certificate.Residual)))
	s.line("scaling", r.Scaling)
	return s.String()
}

// numbers prints a list of at most ten.
func numbers(v []float64) string {
	text := ""
	for i, x := range v {
		if i == 10 {
			return text + " ..."
		}
		if i > 0 {
			text += " "
		}
		text += short(x)
	}
	return text
}
