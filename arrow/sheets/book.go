package sheets

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/machine"
)

// book is an open workbook: an archive of parts (ECMA-376, part 2), each of which is unpacked where it is read, to its end, so that its
// checksum is compared.
type book struct {
	parts  map[string]*zip.File // by their names in lower case
	limit  int64                // of bytes that are held
	sheets []sheet              // in their order
	texts  []string             // that cells share
	shown  []kind               // how a style shows a number, by its own number
	old    bool                 // dates count from 1904
}

// sheet is one of a workbook.
type sheet struct{ name, part string }

// open reads what cells refer to. Cost: the shared texts are held.
func open(f read.File) (*book, error) {
	var head [8]byte
	if n, _ := f.ReadAt(head[:], 0); bytes.HasPrefix(head[:n], []byte("\xd0\xcf\x11\xe0")) { // a compound file
		return nil, errLocked
	}
	archive, err := zip.NewReader(f, f.Size)
	if err != nil {
		return nil, err
	}
	b := &book{parts: map[string]*zip.File{}, limit: machine.Allowed(f.MemoryLimit)}
	if b.limit <= 0 { // nothing is known of the machine
		b.limit = math.MaxInt64
	}
	for _, part := range archive.File {
		b.parts[inLower(part.Name)] = part
	}
	root, err := b.relations("")
	if err != nil {
		return nil, err
	}
	at := root.typed("officeDocument")
	if at == "" {
		return nil, errors.New("no workbook is in it")
	}
	own, err := b.relations(at)
	if err != nil {
		return nil, err
	}
	var w struct {
		Properties struct {
			Old bool `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := b.decode(at, &w); err != nil {
		return nil, err
	}
	b.old = w.Properties.Old
	for _, s := range w.Sheets {
		b.sheets = append(b.sheets, sheet{s.Name, own.named(s.ID)})
	}
	folder := path.Dir(at)
	if err := b.readTexts(cmp.Or(own.typed("sharedStrings"), path.Join(folder, "sharedStrings.xml"))); err != nil {
		return nil, err
	}
	return b, b.readStyles(cmp.Or(own.typed("styles"), path.Join(folder, "styles.xml")))
}

// inLower is the name of a part by which it is found: some programs write it with other letters or strokes than where they refer to it.
func inLower(name string) string { return strings.ToLower(strings.ReplaceAll(name, `\`, "/")) }

// relations are what a part refers to.
type relations []struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"` // the name of a part
}

// relations reads those of a part, "" = of the archive.
func (b *book) relations(of string) (relations, error) {
	var all struct {
		List relations `xml:"Relationship"`
	}
	folder, name := path.Split(of)
	if err := b.decode(folder+"_rels/"+name+".rels", &all); err != nil {
		return nil, err
	}
	for i := range all.List {
		to := &all.List[i].Target
		if *to = strings.ReplaceAll(*to, `\`, "/"); !strings.HasPrefix(*to, "/") {
			*to = "/" + folder + *to
		}
		*to = path.Clean(*to)[1:]
	}
	return all.List, nil
}

// typed is the part of the first relation of a type, whose address differs among the editions of the standard.
func (all relations) typed(kind string) string {
	for _, r := range all {
		if strings.HasSuffix(r.Type, "/"+kind) {
			return r.Target
		}
	}
	return ""
}

// named is the part of the relation of a name.
func (all relations) named(id string) string {
	for _, r := range all {
		if r.ID == id {
			return r.Target
		}
	}
	return ""
}

// part is a part that is read as XML.
type part struct {
	*xml.Decoder
	unpacked io.ReadCloser
	limit    int64 // of bytes that are read at a time, as the decoder may hold them
	left     int64 // of them
}

// part opens one.
func (b *book) part(name string) (*part, error) {
	file := b.parts[inLower(name)]
	if file == nil {
		return nil, fmt.Errorf("its part %q is missing", name)
	}
	in, err := file.Open()
	if err != nil {
		return nil, err
	}
	p := &part{unpacked: in, limit: b.limit, left: b.limit}
	p.Decoder = xml.NewDecoder(p)
	p.CharsetReader = charset.NewReaderLabel
	return p, nil
}

// Read reads on within the limit.
func (p *part) Read(to []byte) (int, error) {
	n, err := p.unpacked.Read(to)
	if p.left -= int64(n); p.left < 0 {
		return 0, &limitError{p.limit}
	}
	return n, err
}

// afresh says that nothing is held any more of what was read.
func (p *part) afresh() { p.left = p.limit }

// end reads the rest, of which nothing is wanted but that it is whole.
func (p *part) end() error {
	p.afresh()
	_, err := io.Copy(io.Discard, p)
	return err
}

func (p *part) close() { _ = p.unpacked.Close() } // it never fails: nothing was written

// decode reads a whole part.
func (b *book) decode(name string, to any) error {
	p, err := b.part(name)
	if err != nil {
		return err
	}
	defer p.close()
	if err = p.Decode(to); err == nil {
		err = p.end()
	}
	return within(name, err)
}

// limitError says that the limit of memory was met.
type limitError struct{ limit int64 }

func (e *limitError) Error() string {
	return fmt.Sprintf("reading on needs more memory, over the limit of %d KB; raise --memory, or save the sheet as CSV", e.limit>>10)
}

// within says where an error was met.
func within(place string, err error) error {
	if err == nil || final(err) {
		return err
	}
	return fmt.Errorf("%s: %w", place, err)
}

var errLocked = errors.New("a spreadsheet with a password, or of an older format; save it as .xlsx without a password, or as CSV")

// final says whether an error says all there is to say: what stopped the reading was no fault of the file, or has a remedy of its own.
func final(err error) bool {
	var limit *limitError
	return errors.As(err, &limit) || errors.Is(err, errLocked) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// oneClause is the text of an error on a line, which is not taken apart where a remedy would begin.
func oneClause(err error) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), "; ", ", ")
}
