package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/label/page"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/replace"
)

// labelCmd is mercer label.
type labelCmd struct {
	Data   string `arg:"" help:"${label_data}"`
	Output string `short:"o" help:"At the end, fit as mercer fit does and write the model here." placeholder:"MODEL"`

	source  `group:"Data:"`
	tabular `group:"Data:"`
	Scale   string `help:"${scale}" group:"Data:" placeholder:"KIND"`

	Classes  []string `help:"${label_classes}" group:"Labelling:" placeholder:"NAME"`
	Image    string   `help:"${label_image}" group:"Labelling:" placeholder:"WxH|COLUMN"`
	Folder   string   `name:"image-folder" help:"${label_folder}" group:"Labelling:" placeholder:"DIR"`
	Log      string   `help:"${label_log}" group:"Labelling:" placeholder:"FILE"`
	Labelled string   `help:"${label_labelled}" group:"Labelling:" placeholder:"FILE"`
	Port     int      `help:"Port of the page at 127.0.0.1 (default: a free one)." group:"Labelling:" placeholder:"N"`
	guarded  `group:"Labelling:"`
	Seed     *uint64 `help:"Seed of everything drawn at random (default 1)." group:"Labelling:" placeholder:"N"`

	drawing `group:"experiments"`

	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (labelCmd) Help() string {
	return `Opens a page at 127.0.0.1 that asks for the labels of the rows that help most, learns after every answer, and says what
error it expects. Every answer is in a file before the next question; the data are never changed. The page's button
End, or Ctrl-C, writes the labelled rows and, with -o, the model. The same command goes on where it was left.
Other users of this machine can open the page too, unless MERCER_TOKEN has a token, which is then part of its address.

Examples:

    mercer label rows.csv -o rows.mercer                     rows as a table; a row without a label is one to ask about
    mercer label digits --image 8x8 --labels-per-class 1     features are pixels; for a try: most labels are hidden
    mercer label photos.csv --image file                     pictures, whose files a column names
    mercer label mails.csv --text body --classes ham,spam    documents
    mercer label rows.csv --port 8080 --log answers.jsonl --labelled rows-labelled.csv`
}

// labelling is what a run of the verb works on.
type labelling struct {
	in            *mercer.Input
	recipe        mercer.Recipe
	sheet         *sheets // what rows look like
	classes       []string
	log, labelled string
	token         string
	session       *label.Session
	features      *label.Features
	kept          *label.Log
	listener      net.Listener
}

// Run labels.
func (c *labelCmd) Run(e *env) error {
	l := &labelling{}
	if err := c.check(l); err != nil {
		return err
	}
	if err := c.read(e, l); err != nil {
		return err
	}
	if err := c.listen(e, l); err != nil {
		return err
	}
	if p := l.sheet.pictures; p != nil {
		defer p.close() //nolint:errcheck // nothing was written there
	}
	defer l.listener.Close() //nolint:errcheck // the server has closed it, unless there was none
	if err := c.begin(e, l); err != nil {
		return err
	}
	err := c.serve(e, l)
	if err = errors.Join(err, l.kept.Close()); err != nil {
		return err
	}
	return c.end(e, l)
}

// listen takes the port, before the work that would be lost if it cannot be had.
func (c *labelCmd) listen(e *env, l *labelling) (err error) {
	at := fmt.Sprintf("127.0.0.1:%d", c.Port)
	l.listener, err = listenAt(e.ctx, at, "--port 0, which takes a free one")
	return named(err, at, nil)
}

// check refuses what can be refused before the data are read, and names the files.
func (c *labelCmd) check(l *labelling) error {
	switch {
	case c.Data == standard:
		return usage("label -: the rows are read again for the page; give a file")
	case c.Port < 0 || c.Port > 65535:
		return usage("--port %d: must be from 1 to 65535, or 0 for a free one", c.Port)
	case c.Folder != "" && !namesFiles(c.Image):
		return usage("--image-folder is for --image COLUMN, whose files are in it; name the column, or leave the folder out")
	case c.Log == standard || c.Labelled == standard || c.Output == standard:
		return usage("-: answers, labelled rows and the model are files; name them")
	case len(c.View) > 0:
		return usage("--view: the graph of the rows is made of all columns of one file; leave it out")
	}
	if err := c.drawing.check(); err != nil {
		return err
	}
	var err error
	if l.token, err = c.guarded.token(); err != nil {
		return err
	}
	base := strings.NewReplacer(":", "-", "=", "-", ",", "-").Replace(filepath.Base(c.Data))
	if !data.IsBuiltin(c.Data) {
		base = filepath.Join(filepath.Dir(c.Data), filepath.Base(c.Data))
	}
	stem := strings.TrimSuffix(base, ".gz")
	l.log = cmp.Or(c.Log, base+".labels.jsonl")
	l.labelled = cmp.Or(c.Labelled, strings.TrimSuffix(stem, filepath.Ext(stem))+".labelled.csv")
	for _, to := range []struct{ flag, path string }{{"--log", l.log}, {"--labelled", l.labelled}, {"-o", c.Output}} {
		if err := writable(to.flag, to.path, c.Data, c.Columns); err != nil {
			return err
		}
	}
	if sameFile(l.log, l.labelled) || sameFile(l.log, c.Output) || sameFile(l.labelled, c.Output) {
		return usage("--log, --labelled and -o: two of them are the same file; name different ones")
	}
	return c.threads.use()
}

// read reads the rows and what they look like.
func (c *labelCmd) read(e *env, l *labelling) error {
	if err := c.suits(c.Data); err != nil {
		return err
	}
	o := c.source.options(e)
	o.LabelOptional, o.LabelNamed = true, true
	if err := c.tabular.add(e, &o, false); err != nil {
		return err
	}
	width, height, column := pixels(c.Image)
	if column != "" {
		o.Drop = append(slices.Clone(o.Drop), column)
	}
	if name := c.Data; e.further(name) {
		return &fault{file: name, what: "rows are shown as the cells of CSV, which this is not; write the table, or save the sheet, as CSV"}
	}
	set, err := e.open(c.Data, o, c.talk)
	if wrong := new(read.Error); column != "" && errors.As(err, &wrong) { // the column was left out as --drop does
		wrong.What = strings.Replace(wrong.What, "--drop "+column+":", "--image "+column+":", 1)
	}
	if err != nil {
		return err
	}
	if c.Label != "" && c.Label != "none" && set.LabelName == "" { // also of a set without names
		e.warn(c.talk, fmt.Sprintf("%s: no column %q, so labels get a new one of that name", set.Source, c.Label))
		set.LabelName = c.Label
	}
	if err := apply.Labelled(set, c.Label); err != nil {
		return named(err, "", nil)
	}
	if set.Answers == nil {
		set.Answers = make(data.Answers, set.Rows.Len())
	}
	l.in = &mercer.Input{Set: set}
	l.recipe = mercer.Recipe{Scale: c.Scale, Task: data.Classification.String()}
	if c.Seed != nil {
		l.recipe.Seed = *c.Seed
	}
	if err := c.known(l); err != nil {
		return err
	}
	if c.Labels != nil || c.LabelsPerClass != nil {
		if err := c.hide(l.in); err != nil {
			return named(err, c.Data, set)
		}
	}
	if !c.Quiet {
		e.sayColumns(set)
	}
	if l.sheet, err = newSheets(e.ctx, set, width, height, column, cmp.Or(c.ID, set.Table.ID())); err != nil || column == "" {
		return err
	}
	folder := cmp.Or(c.Folder, filepath.Dir(set.Source))
	l.sheet.pictures, err = newPhotographs(folder, func(text string) { e.warn(c.talk, text) })
	return named(err, folder, nil)
}

// hide hides all labels but some that are drawn.
func (c *labelCmd) hide(in *mercer.Input) error {
	labels, err := data.Interpret(in.Set.Answers, in.Set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return err
	}
	seed := uint64(1)
	if c.Seed != nil {
		seed = *c.Seed
	}
	keep, err := c.draw(labels, seed)
	if err != nil {
		return err
	}
	if c.Labels != nil && *c.Labels == 1 {
		return usage("--labels 1: one label is of one class; keep 2 at least")
	}
	shown := *in.Set
	shown.Answers, in.Hidden = data.Hide(in.Set.Answers, keep)
	in.Set = &shown
	return nil
}

// known finds the classes, and refuses labels that are none.
func (c *labelCmd) known(l *labelling) error {
	set := l.in.Set
	for _, name := range c.Classes {
		if data.IsUnlabelled(name) || c.UnlabelledMark != "" && data.ClassName(name) == data.ClassName(c.UnlabelledMark) {
			return usage("--classes %s: %q means that there is no label; name another class", strings.Join(c.Classes, ","), name)
		}
	}
	l.classes = c.Classes
	index := data.ClassIndex(c.Classes)
	for i, a := range set.Answers {
		if len(c.Classes) == 0 || data.IsUnlabelled(a) {
			continue
		}
		if k, _ := index(a); k < 0 {
			err := &data.LabelError{Row: i, What: fmt.Sprintf("label %q is none of --classes", a), Remedy: "add it there, or correct it"}
			return named(err, set.Source, set)
		}
	}
	if len(c.Classes) > 0 {
		return nil
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err == nil && labels.Task == data.Regression {
		return &fault{file: set.Source, what: fmt.Sprintf("column %q: %s, and classes are what is asked for; name them with --classes, "+
			"or name another column with --label", set.LabelName, labels.Decided)}
	}
	l.classes = labels.Classes // none of labels that are all alike, or absent
	return nil
}

// begin makes the features and goes on with the log.
func (c *labelCmd) begin(e *env, l *labelling) error {
	set := l.in.Set
	scaling, _, err := set.FitScaling(c.Scale)
	if err != nil {
		return usage("--scale %s: %v", c.Scale, err)
	}
	if !c.Quiet {
		e.say("%s, %s: finding rows that are alike", brief.Count(set.Rows.Len(), "row"), brief.Count(set.Rows.Dim(), "feature"))
	}
	seed := max(l.recipe.Seed, 1)
	recipe := label.Recipe{Seed: seed}
	if need, allowed := recipe.Bytes(set.Rows), cmp.Or(int64(c.Memory), machine.Memory()/5*4); allowed > 0 && need > allowed {
		return &fault{file: set.Source, what: fmt.Sprintf("%d rows need %s of memory, %s are allowed; label a part of them, or "+
			"raise --memory",
			set.Rows.Len(), brief.Bytes(need), brief.Bytes(allowed))}
	}
	l.features, err = recipe.Fit(e.ctx, scaling.Apply(set.Rows))
	if err != nil {
		return named(err, c.Data, set)
	}
	l.kept, err = label.OpenLog(l.log, label.Subject{Data: shown(set.Source), Rows: set.Rows.Len(),
		Checksum: checksum(&data.Set{Rows: set.Rows, Features: set.Features})})
	var wrong *label.LogError
	if errors.As(err, &wrong) {
		return &fault{file: wrong.Path, line: wrong.Line, what: wrong.What + "; " + wrong.Remedy}
	}
	if err != nil {
		return named(err, l.log, nil)
	}
	if l.kept.Torn {
		e.warn(c.talk, l.log+": the last line was half written, as by a process that was killed, and is left out")
	}
	l.session, err = label.Begin(l.features, label.Start{Answers: set.Answers, Classes: l.classes, UnlabelledMark: c.UnlabelledMark,
		Entries: l.kept.Entries, Keeper: l.kept, Clock: time.Now}, label.Chooser{Seed: seed})
	if err != nil {
		return errors.Join(named(err, l.log, nil), l.kept.Close())
	}
	return nil
}

// serve shows the page until a person ends it or the program is interrupted.
func (c *labelCmd) serve(e *env, l *labelling) error {
	ends := fmt.Sprintf("The labelled rows go to %s", l.labelled)
	if c.Output != "" {
		ends += fmt.Sprintf(", and then the model, which is fitted, to %s", c.Output)
	}
	p := page.New(l.session, l.features, page.Show{
		Token: l.token, Title: shown(l.in.Set.Source), Ends: ends + ".", Row: l.sheet.row, Image: l.sheet.image(),
	})
	server := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	address := fmt.Sprintf("http://%s/", l.listener.Addr())
	if l.token != "" {
		address += "?token=" + url.QueryEscape(l.token)
	}
	e.say("label %s at %s (End there, or Ctrl-C here, to finish)", shown(l.in.Set.Source), address)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l.listener) }()
	select {
	case err := <-failed:
		return named(err, l.listener.Addr().String(), nil)
	case <-p.Done():
	case <-e.ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close() // requests that do not end; what was answered is in the log
	}
	return nil
}

// labelResult is what label --json prints.
type labelResult struct {
	Data     string         `json:"data"`
	Rows     int            `json:"rows"`
	Answered int            `json:"answered"`
	Classes  []label.Class  `json:"classes"`
	Error    label.Estimate `json:"error"`
	Log      string         `json:"log"`
	Labelled string         `json:"labelled"`
	Fit      *mercer.Result `json:"fit,omitempty"`
}

// end writes the labelled rows and fits.
func (c *labelCmd) end(e *env, l *labelling) error {
	set := *l.in.Set
	set.Answers = l.session.Answers()
	set.LabelName = cmp.Or(set.LabelName, "label")
	err := replace.File(l.labelled, func(w io.Writer) error { return l.sheet.write(w, &set) })
	if err != nil {
		return named(err, l.labelled, nil)
	}
	state := l.session.State()
	r := labelResult{Data: set.Source, Rows: state.Rows, Answered: state.Answered, Classes: state.Classes, Error: state.Error, Log: l.log,
		Labelled: l.labelled}
	if !c.Quiet {
		e.say("%d of %s have a label; answers in %s, labelled rows in %s", r.Answered, brief.Count(r.Rows, "row"), l.log, l.labelled)
	}
	if c.Output != "" {
		if r.Fit, err = c.fit(e, l, &set); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		if r.Fit != nil {
			r.Fit = r.Fit.Finite()
		}
		return e.printJSON(r)
	case r.Fit != nil:
		e.warn(c.talk, r.Fit.Warnings...)
		err = e.show(table(r.Fit))
	}
	return err
}

// fit is that of mercer fit on the rows with their labels. It goes on after the interrupt that ended the labelling.
func (c *labelCmd) fit(e *env, l *labelling, set *data.Set) (*mercer.Result, error) {
	in := mercer.Input{Set: set}
	if l.in.Hidden != nil {
		in.Hidden = l.in.Hidden.Without(set.Answers.Answered())
	}
	o := mercer.Options{Memory: int64(c.Memory)}
	if !c.Quiet {
		e.say("%v", mercer.ForecastFit(in, l.recipe, o))
	}
	m, res, err := fit.Fit(context.WithoutCancel(e.ctx), in, l.recipe, o)
	if err != nil {
		return nil, named(err, l.labelled, set)
	}
	if err := e.save(m, c.Output); err != nil {
		return nil, err
	}
	res.Model = c.Output
	return res, nil
}
