package read

// A folder of documents, one a file. Files in a sub-folder, at whatever depth, have its name as label; those of a
// sub-folder whose name means unlabelled have none, and neither have the files of a folder without sub-folders. Their order is that of
// the names, folder by folder. Names that begin with a dot are passed over.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/text"
)

// unlabelledFolder is the sub-folder of documents without a label.
const unlabelledFolder = "unlabelled"

// folderLabel is the name of the labels of documents in folders.
const folderLabel = "class"

// isFolder says whether a name is that of a folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// document is a file, and the sub-folder that it is in.
type document struct{ path, class string }

func readFolder(ctx context.Context, name string, o Options, to *sink) error {
	if o.Text == nil {
		if o.Want != nil || o.Dim > 0 {
			return &Error{File: name, What: "is a folder of documents, the model knows columns", Remedy: "name a file"}
		}
		o.Text = &data.Text{}
	}
	if o.chooses() {
		return &Error{File: name, What: "documents have no columns, of which some are chosen or described", Remedy: "give CSV"}
	}
	if err := o.csvOnly(name, "a folder of documents"); err != nil {
		return err
	}
	return learnFirst(ctx, o, to, func(to *sink) error {
		all, others, err := listDocuments(ctx, name, o)
		if err != nil {
			return err
		}
		if others > 0 {
			to.warnings = append(to.warnings, Warning{File: name, What: fmt.Sprintf(
				"%d files in no sub-folder, or that are no plain files, are left out", others)})
		}
		mem := &budget{ctx: ctx, file: name, limit: o.MemoryLimit}
		docs, err := newDocuments(&rows{budget: mem, o: o, sink: to, at: list[int]{budget: mem}, raw: newAnswers(mem, o.UnlabelledMark)})
		if err != nil {
			return err
		}
		for _, one := range all {
			if !isText([]byte(one.class)) {
				return &Error{File: one.path, What: "the name of the folder, " + quote([]byte(one.class)) + ", is a class and not text",
					Remedy: "name the folder in UTF-8"}
			}
		}
		if all[0].class != "" {
			docs.labelled = folderLabel
		}
		if err := docs.files(ctx, all); err != nil {
			return err
		}
		return docs.finish(0)
	})
}

// listDocuments lists the files of a folder, and counts those that are no documents.
func listDocuments(ctx context.Context, name string, o Options) (list []document, others int, err error) {
	var top []document
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != name
		switch {
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || d.IsDir():
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		if err != nil || !info.Mode().IsRegular() {
			others++
			return nil //nolint:nilerr // a link to nowhere, which is counted
		}
		inside, err := filepath.Rel(name, path)
		if err != nil {
			return err
		}
		class, _, isSub := strings.Cut(filepath.ToSlash(inside), "/")
		if !isSub {
			top = append(top, document{path: path})
			return nil
		}
		list = append(list, document{path, class})
		return nil
	})
	switch {
	case isStop(err):
		return nil, 0, err
	case err != nil:
		return nil, 0, &Error{File: name, What: err.Error(), Remedy: "check the permissions of the folder"}
	case len(list) > 0:
		return list, others + len(top), nil
	case len(top) == 0:
		return nil, 0, &Error{File: name, What: "a folder without files", Remedy: "give documents, one a file"}
	case !o.LabelOptional:
		return nil, 0, &Error{File: name, What: "a folder of files, none of which has a label",
			Remedy: "put those of each class into a sub-folder named after it, or name a file in it"}
	}
	return top, others, nil
}

// files counts the words of files, some on each processor, and joins them in order.
func (d *documents) files(ctx context.Context, list []document) error {
	const each = 64 // files a processor takes at a time; no result depends on it
	parts := make([]*text.Counts, 2*runtime.GOMAXPROCS(0))
	odd, all := make([]oddities, len(parts)), oddities{}
	for k := range parts {
		parts[k] = d.counts()
	}
	for lo := 0; lo < len(list); lo += each * len(parts) {
		some := list[lo:min(lo+each*len(parts), len(list))]
		n := (len(some) + each - 1) / each
		err := parallel.Each(0, n, func(k int) error {
			parts[k].Reset()
			odd[k] = oddities{}
			for _, one := range some[k*each : min((k+1)*each, len(some))] {
				if err := ctx.Err(); err != nil {
					return err
				}
				content, err := contentOf(one.path)
				if err != nil {
					return err
				}
				content, latin, broken := text.UTF8(content)
				parts[k].Add(content)
				odd[k].latin.note(latin, one.path)
				odd[k].torn.note(broken, one.path)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for k := range n {
			if err := d.join(parts[k], func(i int) (int, []byte) { return 0, some[k*each+i].label() }); err != nil {
				return err
			}
			all.latin.add(odd[k].latin)
			all.torn.add(odd[k].torn)
		}
	}
	all.latin.tell(notUTF8, d.sink)
	all.torn.tell(torn, d.sink)
	return nil
}

// oddities are files of which something is said.
type oddities struct{ latin, torn someFiles }

// someFiles are files of a folder: how many, and the first of them.
type someFiles struct {
	n     int
	first string
}

func (s *someFiles) add(more someFiles) {
	s.n += more.n
	s.first = cmp.Or(s.first, more.first)
}

func (s *someFiles) note(is bool, path string) {
	if is {
		s.add(someFiles{1, path})
	}
}

// tell says what they have.
func (s *someFiles) tell(what string, to *sink) {
	if s.n == 0 {
		return
	}
	if s.n > 1 {
		what += ", here and in " + brief.Count(s.n-1, "further file")
	}
	to.warnings = append(to.warnings, Warning{File: s.first, What: what})
}

// label is the class of a document, nothing where that means unlabelled.
func (d document) label() []byte {
	if d.class == unlabelledFolder {
		return nil
	}
	return []byte(d.class)
}

// contentOf is the text of a file. Packed text and files of other programs are refused.
func contentOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxLine {
		return nil, &Error{File: path, What: fmt.Sprintf("a document of more than %d bytes", maxLine), Remedy: "check that this is text"}
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path) //nolint:gosec // the user names the folder
	}
	switch {
	case err != nil:
		return nil, &Error{File: path, What: oserror.Text(err), Remedy: "check the file and its permissions"}
	case bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")):
		return nil, &Error{File: path, What: "UTF-16 text", Remedy: "save it as UTF-8"}
	case bytes.HasPrefix(content, []byte("\x1f\x8b")):
		return nil, &Error{File: path, What: "a document that is packed", Remedy: "unpack it"}
	}
	return content, isForeign(content, path)
}
