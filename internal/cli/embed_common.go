package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
)

// unlabelledData are the flags of the verbs that learn without labels.
type unlabelledData struct {
	source `group:"Data:"`
	chosen `group:"Data:"`
	Test   string `help:"${unlabelleddata_test}" group:"Data:" placeholder:"FILE"`
	Scale  string `help:"${scale}" group:"Data:" placeholder:"KIND"`

	Neighbours *int     `help:"Neighbours of each row in the graph (default 10)." group:"Choosing:" placeholder:"K"`
	Search     string   `help:"${unlabelleddata_search}" group:"Choosing:" placeholder:"HOW"`
	Kernel     string   `help:"${unlabelleddata_kernel}" group:"Choosing:" placeholder:"SPEC"`
	Set        []string `help:"${unlabelleddata_set}" group:"Choosing:" placeholder:"NAME=VALUE" sep:"none"`
	Seed       *uint64  `help:"Seed of everything drawn at random (default 1)." group:"Choosing:" placeholder:"N"`

	talk    `group:"Running:"`
	threads `group:"Running:"`
	Limit   limit `name:"time-limit" help:"${unlabelleddata_limit}" group:"Running:" placeholder:"DUR"`
}

// begin refuses files that cannot be read or written, and sets the threads. An output that is standard becomes none.
func (f *unlabelledData) begin(rows string, output *string) error {
	if rows == "-" && f.Test == "-" {
		return usage("standard input can be read once; give the other as a file")
	}
	if *output == standard {
		*output = ""
	}
	if err := asCSV("-o", *output); err != nil {
		return err
	}
	if err := writable("-o", *output, append(f.files(), rows, f.Test)...); err != nil {
		return err
	}
	return f.threads.use()
}

// plan is what the flags ask for.
type plan struct {
	graph       graph.Recipe
	regularised *spectral.Regularised // nil: values on the rows alone
	kernel      string
	seed        uint64
}

// plan reads the choices.
func (f *unlabelledData) plan() (*plan, error) {
	p := &plan{seed: 1, kernel: f.Kernel}
	if f.Seed != nil {
		p.seed = *f.Seed
	}
	if f.Neighbours != nil {
		if p.graph.Neighbours = *f.Neighbours; p.graph.Neighbours < 1 {
			return nil, usage("--neighbours %d: must be at least 1", p.graph.Neighbours)
		}
	}
	if f.Search != "" {
		if err := p.graph.Search.Method.UnmarshalText([]byte(f.Search)); err != nil {
			return nil, usage("--search %s: must be auto, exact or approximate", f.Search)
		}
	}
	p.graph.Search.Seed = p.seed
	set, err := settings(f.Set)
	if err != nil {
		return nil, err
	}
	if p.kernel == "" && f.Test != "" {
		p.kernel = "gaussian"
	}
	if strings.Contains(p.kernel, "precomputed") {
		return nil, usage("--kernel %s: a precomputed matrix is for the library; name another kernel, see mercer methods", p.kernel)
	}
	if p.kernel != "" {
		p.regularised = &spectral.Regularised{Seed: p.seed}
	}
	sigma := 0.0
	for name, value := range set {
		if err := p.set(name, value, &sigma); err != nil {
			return nil, err
		}
	}
	if set["sigma"] != "" && set["gamma"] != "" {
		return nil, usage("--set sigma and gamma are one parameter; give one of them")
	}
	if sigma > 0 {
		if p.kernel != "gaussian" {
			return nil, usage(
				"--set sigma: of the kernel gaussian; write others with their parameters, as in --kernel \"gaussian(sigma=2)+linear\"",
			)
		}
		p.kernel = fmt.Sprintf("gaussian(sigma=%v)", sigma)
	}
	return p, p.check()
}

// check refuses settings that make no graph, and settings that the kind of graph does not have.
func (p *plan) check() error {
	g := p.graph
	switch {
	case g.Kind == graph.Epsilon && g.Radius == 0:
		return usage("--set graph=epsilon: needs the length of the longest edge, as in --set epsilon_graph=0.5")
	case g.Kind != graph.Epsilon && g.Radius != 0:
		return usage("--set epsilon_graph: of --set graph=epsilon; add that, or leave it out")
	case g.Kind != graph.NearestNeighbours && g.Neighbours != 0 && g.Weights != graph.SelfTuned:
		return usage("--neighbours: of --set graph=knn or weights=self-tuned; leave it out of a graph of the kind %v", g.Kind)
	case g.Kind != graph.NearestNeighbours && g.Symmetry != graph.Union:
		return usage("--set symmetry: of --set graph=knn; leave it out of a graph of the kind %v", g.Kind)
	case g.Width != 0 && g.Weights != graph.Heat && g.Weights != graph.SelfTuned:
		return usage("--set width: the weights %v have none; add --set weights=heat or weights=self-tuned", g.Weights)
	}
	if err := g.Check(); err != nil {
		return usage("%s", strings.TrimPrefix(err.Error(), "graph: "))
	}
	return nil
}

// set is one --set.
func (p *plan) set(name, value string, sigma *float64) error {
	words := map[string]interface{ UnmarshalText([]byte) error }{
		"graph": &p.graph.Kind, "metric": &p.graph.Metric, "weights": &p.graph.Weights, "symmetry": &p.graph.Symmetry,
		"laplacian": &p.graph.Laplacian,
	}
	if w, ok := words[name]; ok {
		if err := w.UnmarshalText([]byte(value)); err != nil {
			return usage("--set %s=%s: %s", name, value, strings.TrimPrefix(err.Error(), "graph: "))
		}
		return nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		err = fmt.Errorf("%q is no positive number", value)
	}
	whole := func(to *int) {
		if err == nil && (v != math.Trunc(v) || v > 1e6) {
			err = fmt.Errorf("%q is no whole number up to 1000000", value)
		}
		*to = int(v)
	}
	kernelOnly := true
	switch name {
	case "neighbours":
		if p.graph.Neighbours > 0 {
			return usage("--neighbours %d with --set neighbours=%s: they are the same; give one of them", p.graph.Neighbours, value)
		}
		whole(&p.graph.Neighbours)
		kernelOnly = false
	case "width":
		p.graph.Width = v
		kernelOnly = false
	case "epsilon_graph":
		p.graph.Radius = v
		kernelOnly = false
	case "degree":
		whole(&p.graph.Degree)
	case "sigma":
		*sigma = v
	case "gamma": // LIBSVM's
		*sigma = math.Sqrt(1 / (2 * v))
	case "gamma_a":
		if p.regularised != nil {
			p.regularised.Gamma = v
		}
	case "rank":
		var rank int
		whole(&rank)
		if p.regularised != nil {
			p.regularised.Rank = rank
		}
	default:
		return usage(
			"--set %s: no such parameter; there are graph, epsilon_graph, metric, weights, width, symmetry, laplacian, "+
				"neighbours and, with "+
				"--kernel, gamma_a, degree, rank, sigma, gamma",
			name,
		)
	}
	if err != nil {
		return usage("--set %s=%s: %v", name, value, err)
	}
	if kernelOnly && p.regularised == nil {
		return usage("--set %s: needs --kernel (or --test, which takes a gaussian one)", name)
	}
	return nil
}

// learned holds what both verbs have read, and the graph that they have made.
type learned struct {
	set, test *data.Set
	views     []mercer.View
	rows      data.Rows // scaled
	fresh     data.Rows // scaled rows of test
	scaling   string
	graph     *graph.Graph
	seconds   map[string]float64
	start     time.Time
}

// learn reads the data, scales them and builds the graph. stop ends the time
// limit.
func (f *unlabelledData) learn(e *env, name string, p *plan, dims int) (l *learned, ctx context.Context, stop func(), err error) {
	l = &learned{seconds: map[string]float64{}, start: time.Now()}
	ctx, stop = e.ctx, func() {}
	if err := f.read(e, name, l); err != nil {
		return nil, nil, stop, err
	}
	if p.regularised != nil {
		if p.regularised.Kernel, err = kernel.Parse(p.kernel, l.set.Features); err != nil {
			return nil, nil, stop, usage("--%v", err)
		}
	}
	scaling, reason, err := l.set.FitScaling(f.Scale)
	if err != nil {
		return nil, nil, stop, usage("--scale %s: %v", f.Scale, err)
	}
	l.scaling = reason
	l.rows = scaling.Apply(l.set.Rows)
	if l.test != nil {
		if err := scaling.Refuses(l.test.Rows); err != nil {
			return nil, nil, stop, named(err, l.test.Source, l.test)
		}
		l.fresh = scaling.Apply(l.test.Rows)
	}
	need := p.bytes(l.rows, dims, 1+len(l.views))
	allowed := machine.Allowed(int64(f.Memory))
	if allowed > 0 && need > allowed {
		return nil, nil, stop, &fault{
			file: l.set.Source,
			what: fmt.Sprintf("%d rows need %s of memory, %s are allowed; take fewer neighbours, fewer rows, or raise --memory",
				l.rows.Len(), brief.Bytes(need), brief.Bytes(allowed)),
		}
	}
	// The garbage collector works earlier than it would, so that the process stays within the memory
	// that was announced.
	old := debug.SetMemoryLimit(need + need/8 + 64<<20)
	stop = func() { debug.SetMemoryLimit(old) }
	if !f.Quiet {
		e.say("%s x %s; %s; up to %s", brief.Count(l.rows.Len(), "row"), brief.Count(l.rows.Dim(), "feature"), l.labelsSay(), brief.Bytes(need))
	}
	if f.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(e.ctx, time.Duration(f.Limit))
		stop = func() { cancel(); debug.SetMemoryLimit(old) }
	}
	if err := f.connect(ctx, e, name, p, l); err != nil {
		stop()
		return nil, nil, func() {}, err
	}
	return l, ctx, stop, nil
}

// read opens the data, with the columns of views, and the new rows.
func (f *unlabelledData) read(e *env, name string, l *learned) (err error) {
	if err := f.suits(name, f.Test); err != nil {
		return err
	}
	views, err := apply.ParseViews(f.View)
	if err != nil {
		return err
	}
	o := f.source.options(e)
	files := apply.Files{Options: o, Views: views}
	o.LabelOptional, o.LabelNamed = true, true
	if f.choose(&o); len(f.View) > 0 && len(f.Drop)+len(f.Features) > 0 {
		return usage("--view with --drop or --features: views are columns of numbers; name those to use with --view")
	}
	o.Prepare = len(f.View) == 0
	if l.set, err = f.unjudged(e, name, o); err != nil {
		return err
	}
	if err := apply.Labelled(l.set, f.Label); err != nil {
		return named(err, "", nil)
	}
	if len(f.View) > 0 {
		l.set, l.views, err = files.Join(e.ctx, l.set)
		if e.warnOf(f.talk, files.Warnings); err != nil {
			return named(err, "", nil)
		}
	}
	if f.Test == "" {
		return nil
	}
	if apply.InFiles(views) {
		return usage("--view NAME=FILE with --test: the new rows have no such file; put all columns in one, with --view NAME=FIRST..LAST")
	}
	o = apply.Matching(o, l.set.Features, l.set.Rows.Dim(), l.set.Text, l.set.Table)
	o.Label = l.set.LabelName
	if l.test, err = e.open(f.Test, o, f.talk); err != nil {
		return err
	}
	if s := l.test.Rows.Sparse; s != nil && s.C < l.set.Rows.Dim() {
		s.C = l.set.Rows.Dim() // absent columns of sparse rows are zero
	}
	l.test.Rows = apply.Form(l.test.Rows, l.set.Rows.IsSparse())
	return nil
}

// ids are what the rows that are written are called, nil without --id.
func (l *learned) ids() []string {
	if l.test != nil {
		return l.test.ID
	}
	return l.set.ID
}

// labelsSay tells which column was kept out of the features.
func (l *learned) labelsSay() string {
	if l.set.LabelName == "" {
		return "no column of labels"
	}
	return fmt.Sprintf("column %q holds labels and is not learned from", l.set.LabelName)
}

// connect builds the graph, of all columns or the mean of that and one a view.
func (f *unlabelledData) connect(ctx context.Context, e *env, name string, p *plan, l *learned) error {
	if n := l.rows.Len(); p.graph.Neighbours == 0 && n > 1 && n <= p.graph.Defaults().Neighbours {
		p.graph.Neighbours = n - 1
	}
	at := time.Now()
	columns := [][2]int{{1, l.rows.Dim()}}
	for _, v := range l.views {
		columns = append(columns, [2]int{v.First, v.Last})
	}
	var graphs []*graph.Graph
	for q, c := range columns {
		rows := l.rows
		if q > 0 {
			list := make([]int, c[1]-c[0]+1)
			for i := range list {
				list[i] = c[0] - 1 + i
			}
			rows = rows.SelectColumns(list)
		}
		g, err := p.graph.Build(ctx, rows, nil)
		if err != nil {
			return named(f.late(err, l.set), name, l.set)
		}
		graphs = append(graphs, g)
	}
	if l.graph = graphs[0]; len(graphs) > 1 {
		l.graph = graph.Joined(graphs)
	}
	l.seconds["graph"] = time.Since(at).Seconds()
	f.found(e, l.graph.Recall)
	return nil
}

// found warns where the search for neighbours missed many.
func (f *unlabelledData) found(e *env, recall float64) {
	if recall < 0.95 {
		e.warn(f.talk, fmt.Sprintf("only %.1f %% of the true neighbours were found; --search exact finds all", 100*recall))
	}
}

// late explains an end of time before there was an answer.
func (f *unlabelledData) late(err error, set *data.Set) error {
	return late(err, time.Duration(f.Limit), set.Source, "give more time, or fewer neighbours")
}

// bytes says how much is needed at most: twice the rows (scaled, centred), lists
// and graphs, and vectors or the basis of a kernel.
func (p *plan) bytes(rows data.Rows, dims, graphs int) int64 {
	r := p.graph.Defaults()
	n, k := float64(rows.Len()), float64(r.Neighbours)
	table := 8 * n * float64(rows.Dim())
	if rows.IsSparse() {
		table = 12 * float64(rows.Sparse.NNZ())
	}
	lists := n * (12*k + 2*k*(20+20+12)) // lists, both directions, weights and Laplacian
	if exact := p.graph.Search.Method; exact == graph.Approximate || exact == graph.Auto && n > 50_000 {
		lists += n * (16*2*max(30, 2*k)*2.25 + 200)
	}
	if r.Kind != graph.NearestNeighbours {
		lists += min(n*n, float64(r.MaxEdges)) * (12 + 20 + 12) // found, weights and Laplacian
	}
	if graphs > 1 { // and their mean
		lists *= float64(graphs + 1)
	}
	vectors := 8 * n * 10 * float64(dims+max(4, dims/2))
	if p.regularised != nil {
		rank := min(n, 3000)
		switch {
		case p.regularised.Rank > 0:
			rank = min(n, float64(p.regularised.Rank))
		case n > 3000:
			rank = 500
		}
		vectors = 8 * (n*rank + 4*rank*rank + n*150)
	}
	return int64(3*table+lists+vectors) + 64<<20
}

// graphLines are the lines of a table that describe the graph.
func (l *learned) graphLines(s *sheet) {
	if len(l.views) > 0 {
		names := make([]string, len(l.views))
		for q, v := range l.views {
			names[q] = v.Name
		}
		s.line("views", "the graph is the mean of those by "+strings.Join(names, ", ")+" and by all columns")
	}
	d := diagnose.Of(l.graph, nil)
	text := fmt.Sprintf("%s, mean degree %s, %s", brief.Count(d.Edges, "edge"), short(d.MeanDegree), brief.Count(d.Components, "component"))
	if d.Components > 1 {
		text += fmt.Sprintf(", the largest of %d rows", d.LargestComponent)
	}
	s.line("graph", text)
	if d.MaxInDegree > 0 {
		text = fmt.Sprintf("%.0f %% of the neighbours mutual, largest hub chosen by %d", 100*d.MutualShare, d.MaxInDegree)
		if d.Recall < 1 {
			text += fmt.Sprintf(", %.1f %% of the true neighbours found", 100*d.Recall)
		}
		s.line("", text)
	}
}

// status is the word for a solver's end, and warns where it is no good one.
func (f *unlabelledData) status(e *env, s solve.Status, residual []float64) string {
	worst := 0.0
	for _, r := range residual {
		worst = max(worst, r)
	}
	if s.Converged() {
		return "converged"
	}
	word := "stopped"
	if s == solve.Unfinished {
		word = "time limit"
	}
	e.warn(f.talk, fmt.Sprintf("the eigenvectors are not final (%s), residual %.2g", word, worst))
	return word
}

// unjudged is e.open without hints at groups and orders, by which no row is judged here.
func (f *unlabelledData) unjudged(e *env, name string, o read.Options) (*data.Set, error) {
	set, warnings, err := e.read(name, o)
	if err != nil {
		return nil, err
	}
	e.warnOf(f.talk, slices.DeleteFunc(warnings, func(w read.Warning) bool { return columns.IsHint(w.What) }))
	return set, nil
}

// writeColumns writes CSV to the file, or to standard output without one.
func (e *env) writeColumns(file string, p *columnsCSV) error {
	if file == "" {
		return named(p.write(e.stdout), "standard output", nil)
	}
	return named(putTable(file, p.write), file, nil)
}

// columnsCSV is a table of n records with a header.
type columnsCSV struct {
	names  []string
	n      int
	record func(dst []string, i int) []string // appends the fields of record i
}

// called puts a column of what rows are called before the others, where they are called something.
func (p *columnsCSV) called(name string, ids []string) *columnsCSV {
	if ids == nil {
		return p
	}
	return &columnsCSV{names: append([]string{name}, p.names...), n: p.n, record: func(dst []string, i int) []string {
		return p.record(append(dst, ids[i]), i)
	}}
}

func (p *columnsCSV) write(w io.Writer) error {
	out := csv.NewWriter(w)
	err := out.Write(p.names)
	var record []string
	for i := 0; i < p.n && err == nil; i++ {
		record = p.record(record[:0], i)
		err = out.Write(record)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}
