package reproduce

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The folder experiments has a file for each source. What is known of an experiment before it runs stands there:
//
//	text NAME: words that several notes have, for which {NAME} stands there
//
//	== ID
//	title: what it shows
//	source: author, year, table or figure, section
//	data: files or built-in sets
//	time: on two cores
//	runs: published number of random splits
//	sets: that may be chosen, comma-separated; without this line it has one
//	printed: METRIC; METRIC
//	- CASE | numbers that the source prints of it, one for each of these metrics
//	table: COLUMN; COLUMN
//	- ROW | numbers for the protocol, one for each of these columns
//	* a note: a difference of protocol, or what the numbers show; {runs} is the number of splits, and {found} the place
//	  of the notes that the run makes, which come first otherwise
//
//	== shown
//	table or figure | what it shows | the experiments that show it again, or why none does
//
// A line that begins with two spaces continues the one before; one with "# " is a remark.
//
//go:embed experiments/*.txt
var described embed.FS

// description is what a file says.
type description struct {
	experiments []experiment
	shown       []shown
}

// describe reads the file of a source; a test reads them all.
func describe(source string) description {
	text, err := described.ReadFile("experiments/" + source + ".txt")
	if err != nil {
		panic(err)
	}
	d, err := parse(string(text))
	if err != nil {
		panic(fmt.Errorf("experiments/%s.txt: %w", source, err))
	}
	return d
}

// parse reads a file of experiments. What it does not know, or misses, is an error.
func parse(text string) (d description, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\n  ", " "), "\n")
	shared, id := map[string]string{}, ""
	for _, line := range lines {
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "== "):
			if id = line[3:]; id != "shown" {
				d.experiments = append(d.experiments, experiment{Experiment: Experiment{ID: id}})
			}
		case id == "":
			err = share(shared, line)
		case id == "shown":
			err = d.show(line)
		default:
			err = d.experiments[len(d.experiments)-1].say(line)
		}
		if err != nil {
			return d, fmt.Errorf("%q: %w", line, err)
		}
	}
	said := map[string]bool{}
	for _, e := range d.experiments {
		if e.Title == "" || e.Source == "" || e.Data == "" || e.Expected == "" || e.runs == 0 {
			return d, fmt.Errorf("%s says too little of itself", e.ID)
		}
		for k, note := range e.notes {
			if e.notes[k], err = spell(note, shared, said); err != nil {
				return d, fmt.Errorf("%s: %w", e.ID, err)
			}
		}
	}
	for name := range shared {
		if !said[name] {
			return d, fmt.Errorf("no note has the text %s", name)
		}
	}
	return d, nil
}

// share reads a text of several notes.
func share(shared map[string]string, line string) error {
	name, text, ok := strings.Cut(strings.TrimPrefix(line, "text "), ": ")
	if _, twice := shared[name]; !ok || twice || !strings.HasPrefix(line, "text ") {
		return fmt.Errorf("neither a text with a name of its own nor an experiment")
	}
	shared[name] = text
	return nil
}

// show reads a line of the tables and figures.
func (d *description) show(line string) error {
	part := strings.Split(line, " | ")
	if len(part) != 3 {
		return fmt.Errorf("%d parts in place of three", len(part))
	}
	d.shown = append(d.shown, shown{part[0], part[1], part[2]})
	return nil
}

// printedTable is what the source prints of some cases: a number for each of the metrics.
type printedTable struct {
	metrics []string
	cases   []string
	values  [][]float64
}

// rows are the numbers of a table by the names of its rows.
func (p *printedTable) rows() map[string][]float64 {
	all := map[string][]float64{}
	for k, name := range p.cases {
		all[name] = p.values[k]
	}
	return all
}

// tableFor is the table that the description of an experiment has for protocols.
func tableFor(id string) *printedTable {
	source, _, _ := strings.Cut(id, "-")
	for _, e := range describe(source).experiments {
		if e.ID == id && len(e.tables) == 1 {
			return e.tables[0]
		}
	}
	panic(fmt.Errorf("%s is not described with one table", id))
}

// read reads a line of the table.
func (p *printedTable) read(line string) error {
	name, numbers, _ := strings.Cut(line, " | ")
	var row []float64
	for _, text := range strings.Fields(numbers) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		row = append(row, v)
	}
	if len(row) != len(p.metrics) {
		return fmt.Errorf("%d numbers of %d metrics", len(row), len(p.metrics))
	}
	p.cases, p.values = append(p.cases, name), append(p.values, row)
	return nil
}

// say reads a line of an experiment.
func (e *experiment) say(line string) (err error) {
	if note, ok := strings.CutPrefix(line, "* "); ok {
		e.notes = append(e.notes, note)
		return nil
	}
	if row, ok := strings.CutPrefix(line, "- "); ok && e.open != nil {
		return e.open.read(row)
	}
	key, value, _ := strings.Cut(line, ": ")
	said := map[string]*string{"title": &e.Title, "source": &e.Source, "data": &e.Data, "time": &e.Expected}
	switch {
	case key == "runs" && e.runs == 0:
		e.runs, err = strconv.Atoi(value)
	case key == "printed":
		e.open = &printedTable{metrics: strings.Split(value, "; ")}
		e.printed = append(e.printed, e.open)
	case key == "table":
		e.open = &printedTable{metrics: strings.Split(value, "; ")}
		e.tables = append(e.tables, e.open)
	case key == "sets" && e.sets == nil:
		e.sets = strings.Split(value, ", ")
	case said[key] != nil && *said[key] == "":
		*said[key] = value
	default:
		err = fmt.Errorf("unknown, or said twice")
	}
	return err
}

// found stands for the notes of a run.
const found = "{found}"

// named is a name in braces within a note.
var named = regexp.MustCompile(`\{[a-z][a-z0-9-]*\}`)

// spell replaces the names in a note by the texts that they stand for, and marks these as said.
func spell(note string, shared map[string]string, said map[string]bool) (_ string, err error) {
	note = named.ReplaceAllStringFunc(note, func(braced string) string {
		own := strings.Trim(braced, "{}")
		text, ok := shared[own]
		switch said[own] = true; {
		case own == "runs" || braced == found:
			return braced
		case !ok:
			err = fmt.Errorf("no text %s", own)
		}
		return text
	})
	return note, err
}

// complete are the notes of a run: those that it made, and those of the experiment.
func (e experiment) complete(made []string, runs int) []string {
	at := max(slices.Index(e.notes, found), 0)
	all := slices.Insert(slices.Clone(e.notes), at, made...)
	all = slices.DeleteFunc(all, func(note string) bool { return note == found })
	for k, note := range all {
		all[k] = strings.ReplaceAll(note, "{runs}", strconv.Itoa(runs))
	}
	return all
}
