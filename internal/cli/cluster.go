package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/diagnose"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
)

// clusterCmd is mercer cluster.
type clusterCmd struct {
	Data     string `arg:"" help:"${cluster_data}"`
	Output   string `short:"o" help:"Write CSV here instead of standard output." placeholder:"OUT"`
	Clusters string `help:"How many, or auto: 2 to 10, by the eigenvalues (default)." default:"auto" placeholder:"K"`
	Split    string `help:"${cluster_split}" enum:"sign,median,k-means," default:"" placeholder:"sign|median|k-means"`

	unlabelledData
}

// Help shows examples.
func (clusterCmd) Help() string {
	return `Spectral clustering of the graph of neighbours: column cluster, numbers from 0, one record a row. With
--kernel or --test the functions belong to a kernel space and clusters are known for new rows.

Examples:

    mercer cluster two-moons -o moons.csv
    mercer cluster digits --clusters 10
    mercer cluster pages.csv --clusters 5 --view links=links.csv
    mercer cluster rows.csv --clusters auto --neighbours 15 --set weights=self-tuned
    mercer cluster rows.csv --clusters 4 --test new.csv -o new-clusters.csv
    mercer cluster large.csv.gz --clusters 5 --search approximate --time-limit 5m --json`
}

// Run clusters.
func (c *clusterCmd) Run(e *env) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	recipe, err := c.recipe(p)
	if err != nil {
		return err
	}
	if err := c.begin(c.Data, &c.Output); err != nil {
		return err
	}
	l, ctx, stop, err := c.learn(e, c.Data, p, max(recipe.Clusters, 10))
	if err != nil {
		return err
	}
	defer stop()
	for _, set := range []*data.Set{l.set, l.test} { // before the work
		if _, err := classesOf(set); err != nil {
			return named(err, set.Source, set)
		}
	}
	at := time.Now()
	k, err := recipe.Fit(ctx, l.graph, l.rows)
	if err != nil {
		return named(c.late(err, l.set), c.Data, l.set)
	}
	l.seconds["cluster"] = time.Since(at).Seconds()
	of := k.Of
	if l.test != nil {
		if of, err = k.At(e.ctx, l.fresh); err != nil {
			return named(err, c.Test, l.test)
		}
	}
	l.seconds["total"] = time.Since(l.start).Seconds()
	return c.report(e, p, l, k, of)
}

func (c *clusterCmd) recipe(p *plan) (spectral.Clustering, error) {
	r := spectral.Clustering{Seed: p.seed, Eigenmap: spectral.Eigenmap{Seed: p.seed}, Regularised: p.regularised}
	if c.Clusters != "auto" {
		k, err := strconv.Atoi(c.Clusters)
		if err != nil || k < 2 {
			return r, usage("--clusters %s: must be auto or a number from 2", c.Clusters)
		}
		r.Clusters = k
	}
	switch c.Split {
	case "median":
		r.Split = spectral.Median
	case "k-means":
		r.Split = spectral.KMeans
	}
	if (c.Split == "sign" || c.Split == "median") && r.Clusters != 2 {
		return r, usage("--split %s: parts two clusters; give --clusters 2", c.Split)
	}
	return r, nil
}

// classesOf returns the class numbers of a set, -1 where there is none; nil for a
// set without labels, or with numbers for labels.
func classesOf(set *data.Set) ([]int, error) {
	if set == nil || !slices.ContainsFunc(set.Answers, func(a string) bool { return !data.IsUnlabelled(a) }) {
		return nil, nil
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil || labels.Task != data.Classification {
		return nil, nil //nolint:nilerr // labels that make no classes (all alike, numbers) are nothing to compare with
	}
	return labels.Class, nil
}

// clearGap is the eigengap below which a number of clusters means little: rows of
// two Gaussians that overlap (g50c) have -0.1, the digits 0.31.
const clearGap = 0.1

// agreement compares clusters with the labelled rows.
type agreement struct {
	Labelled     int     `json:"labelled"`
	AdjustedRand float64 `json:"adjusted_rand"`
	Error        float64 `json:"error"` // after the best one-to-one naming of clusters
}

func agree(set *data.Set, of []int) (*agreement, error) {
	class, err := classesOf(set)
	if class == nil || err != nil {
		return nil, err
	}
	var a, b []int
	for i, v := range class {
		if v >= 0 {
			a, b = append(a, of[i]), append(b, v)
		}
	}
	return &agreement{len(a), spectral.Rand(a, b), spectral.Matching(a, b)}, nil
}

// clusterResult is what cluster --json prints.
type clusterResult struct {
	Rows          embedRows          `json:"rows"`
	Clusters      int                `json:"clusters"`
	Sizes         []int              `json:"sizes"`
	NormalisedCut float64            `json:"normalised_cut"`
	Gaps          []float64          `json:"gaps,omitempty"` // relative eigengaps of 2, 3, .. clusters
	Kernel        string             `json:"kernel,omitempty"`
	Eigenvalues   []float64          `json:"eigenvalues"`
	Status        string             `json:"status"`
	Certificate   embedCertificate   `json:"certificate"`
	Graph         diagnose.Graph     `json:"graph"`
	Aside         int                `json:"aside"` // rows of small components, which follow the nearest row
	Metrics       map[string]any     `json:"metrics,omitempty"`
	Cluster       []int              `json:"cluster,omitempty"` // one a row; absent where a file has them
	Output        string             `json:"output,omitempty"`
	Views         []mercer.View      `json:"views,omitempty"` // whose graphs are joined with that by all columns
	Scaling       string             `json:"scaling"`
	Seconds       map[string]float64 `json:"seconds"`
}

func (c *clusterCmd) report(e *env, p *plan, l *learned, k *spectral.Clusters, of []int) error {
	r := &clusterResult{Rows: rowsOf(l), Clusters: k.K, Sizes: k.Size, NormalisedCut: k.Cut, Gaps: k.Gaps, Kernel: p.kernel,
		Eigenvalues: k.Embedding.Values, Status: c.status(e, k.Embedding.Status, k.Embedding.Residual),
		Graph: diagnose.Of(l.graph, nil), Aside: k.Aside, Output: c.Output, Views: l.views, Scaling: l.scaling, Seconds: l.seconds}
	for _, v := range k.Embedding.Residual {
		r.Certificate.Residual = max(r.Certificate.Residual, v)
	}
	compare := func(name string, set *data.Set, of []int) error {
		a, err := agree(set, of)
		if a != nil {
			if r.Metrics == nil {
				r.Metrics = map[string]any{}
			}
			r.Metrics[name] = a
		}
		return err
	}
	if err := compare("labelled", l.set, k.Of); err != nil {
		return err
	}
	if l.test != nil {
		if err := compare("test", l.test, of); err != nil {
			return err
		}
	}
	if len(k.Gaps) > 0 && slices.Max(k.Gaps) < clearGap {
		e.warn(
			c.talk,
			fmt.Sprintf(
				"no clear number of clusters (largest gap %s); showing %d; choose with --clusters",
				short(slices.Max(k.Gaps)),
				k.K,
			),
		)
	}
	if c.Split == "median" && max(k.Size[0], k.Size[1])-min(k.Size[0], k.Size[1]) > 1 {
		e.warn(
			c.talk,
			fmt.Sprintf(
				"the median makes clusters of %d and %d rows, for rows of equal value stay together; more neighbours join the %s",
				k.Size[0],
				k.Size[1],
				brief.Count(k.Components, "component"),
			),
		)
	}
	if c.Output != "" || !c.JSON {
		out := &columnsCSV{names: []string{"cluster"}, n: len(of), record: func(dst []string, i int) []string {
			return append(dst, strconv.Itoa(of[i]))
		}}
		if err := e.writeColumns(c.Output, out.called(c.ID, l.ids())); err != nil {
			return err
		}
	}
	if c.JSON {
		if c.Output == "" {
			r.Cluster = of
		}
		return e.printJSON(r)
	}
	if c.Quiet && c.Output == "" {
		return nil
	}
	_, err := io.WriteString(e.tables(c.Output), c.table(r, l))
	return err
}

func (c *clusterCmd) table(r *clusterResult, l *learned) string {
	var s sheet
	title := "spectral clustering"
	if r.Kernel != "" {
		title = "regularised spectral clustering, " + r.Kernel + " kernel"
	}
	s.text(title + ": " + brief.Count(r.Clusters, "cluster"))
	rows := brief.Count(r.Rows.Rows, "row") + ", " + brief.Count(r.Rows.Features, "feature")
	if r.Rows.Test > 0 {
		rows += fmt.Sprintf(", %d new rows", r.Rows.Test)
	}
	s.line("rows", rows)
	sizes := ""
	for i, v := range r.Sizes {
		if i == 20 {
			sizes += " ..."
			break
		}
		sizes += " " + strconv.Itoa(v)
	}
	s.line("sizes", sizes[1:])
	s.line("cut", short(r.NormalisedCut)+" (normalised)")
	for _, name := range []string{"labelled", "test"} {
		if a, ok := r.Metrics[name].(*agreement); ok {
			s.line(name, fmt.Sprintf("%s: adjusted Rand index %.3f, error %.2f %% after matching clusters with classes",
				brief.Count(a.Labelled, "row"), a.AdjustedRand, 100*a.Error))
		}
	}
	s.line("eigenvalues", numbers(r.Eigenvalues))
	if len(r.Gaps) > 0 {
		s.line("gaps", numbers(r.Gaps)+" of 2, 3, .. clusters")
	}
	l.graphLines(&s)
	if r.Aside > 0 {
		s.line("aside", brief.Count(r.Aside, "row")+" in small components, with the cluster of the nearest row")
	}
	s.line("certificate", fmt.Sprintf("%s, residual %s", r.Status, short(r.Certificate.Residual)))
	s.line("scaling", r.Scaling)
	return s.String()
}
