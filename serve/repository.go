package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/explain"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/model"
)

// repository is the models by name. A name with several files has several versions, of which the last file's is the one that
// requests without a version mean.
type repository struct {
	names []string // sorted
	files map[string][]*file
}

// file is a model file, and what was read of it last.
type file struct {
	path, name string
	now        atomic.Pointer[loaded] // what requests get; nil: nothing, by unload
	fault      atomic.Pointer[string] // why the file as it now is is not what requests get; nil: it is

	mu   sync.Mutex  // one load at a time
	seen os.FileInfo // of the file as it was last read, also in vain
	off  bool        // unloaded by a request: changes of the file are not followed
}

// loaded is a model that is ready to answer. It never changes: another takes its place, and requests that began with it
// end with it.
type loaded struct {
	*model.Model
	name, version string
	since         time.Time
	written       time.Time // the file
	queue         *queue
	quoted        []string // classes as JSON
	kept          func() (*explain.Kept, error)
	explainer     func() (*explain.Explainer, error)
}

// nameOf is the name of a model by its file.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// open reads all models.
func open(ctx context.Context, paths []string, o Options) (*repository, error) {
	r := &repository{files: map[string][]*file{}}
	for _, path := range paths {
		f := &file{path: path, name: nameOf(path)}
		next, err := f.load(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, other := range r.files[f.name] {
			if other.now.Load().version == next.version {
				return nil, fmt.Errorf("%s: the same model as %s, under the same name; leave one of them out", path, other.path)
			}
		}
		r.files[f.name] = append(r.files[f.name], f)
	}
	for name := range r.files {
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	return r, nil
}

// all lists the files, by name and then in the order they were given.
func (r *repository) all() []*file {
	var list []*file
	for _, name := range r.names {
		list = append(list, r.files[name]...)
	}
	return list
}

// load reads the file and, if it is good, puts it in the place of what was there.
func (f *file) load(ctx context.Context, o Options) (*loaded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replace(ctx, o)
}

// follow loads the file if it has changed, and is nil where it has not. A file that was unloaded is not followed.
func (f *file) follow(ctx context.Context, o Options) (*loaded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.changed() {
		return nil, nil
	}
	return f.replace(ctx, o)
}

// replace is load for those who hold the lock. Reading that the context ends says nothing of the file, and is done again.
func (f *file) replace(ctx context.Context, o Options) (*loaded, error) {
	next, err := f.read(ctx, o)
	switch {
	case err == nil:
		f.off = false
		f.fault.Store(nil)
		f.now.Store(next)
	case ctx.Err() != nil:
		f.seen = nil
	default:
		text := err.Error()
		f.fault.Store(&text)
	}
	return next, err
}

// unload ends the answers of a model until it is loaded again.
func (f *file) unload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = true
	f.now.Store(nil)
}

// changed says whether the file is another than the one that was read, also in vain. It is for those who hold the lock.
func (f *file) changed() bool {
	if f.off {
		return false
	}
	info, err := os.Stat(f.path)
	if err != nil {
		gone := f.seen != nil
		f.seen = nil
		return gone
	}
	return f.seen == nil || !os.SameFile(info, f.seen) || !info.ModTime().Equal(f.seen.ModTime()) || info.Size() != f.seen.Size() ||
		info.Mode() != f.seen.Mode()
}

// read reads the file. Its version is the beginning of the SHA-256 of its bytes.
func (f *file) read(ctx context.Context, o Options) (*loaded, error) {
	// Opening a pipe would wait for its writer for ever.
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, f.named(err)
	}
	if f.seen = info; !info.Mode().IsRegular() {
		return nil, &model.FileError{File: f.path, What: "is no regular file", Remedy: "give a file that mercer fit -o wrote"}
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, f.named(err)
	}
	defer in.Close() //nolint:errcheck // nothing was written
	if f.seen, err = in.Stat(); err != nil {
		return nil, f.named(err)
	}
	sum := sha256.New()
	m, err := model.Read(ctx, io.TeeReader(in, sum))
	if err != nil {
		return nil, f.named(err)
	}
	if m, err = m.Bind(ctx); err != nil {
		return nil, f.named(err)
	}
	l := &loaded{Model: m, name: f.name, version: hex.EncodeToString(sum.Sum(nil))[:12],
		since: time.Now(), written: f.seen.ModTime()}
	l.queue = newQueue(m.Predict, o)
	l.kept = sync.OnceValues(func() (*explain.Kept, error) { return explain.KeptBy(m) })
	l.explainer = sync.OnceValues(func() (*explain.Explainer, error) {
		return explain.New(context.Background(), m, explain.Options{Top: 1}) // for all requests: no one of them ends it
	})
	for _, c := range m.Classes {
		l.quoted = append(l.quoted, quoted(c))
	}
	return l, nil
}

// named makes an error name the file and a remedy.
func (f *file) named(err error) error {
	var damaged *model.FileError
	if errors.As(err, &damaged) {
		return &model.FileError{File: f.path, What: damaged.What, Remedy: damaged.Remedy}
	}
	var system *fs.PathError
	if errors.As(err, &system) {
		return &model.FileError{File: f.path, What: oserror.Text(system), Remedy: "give a file that mercer fit -o wrote"}
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// versions are those of a model that are loaded, the last file's first. Files that have become the same are one version.
func (r *repository) versions(name string) (list []*loaded) {
	for _, f := range slices.Backward(r.files[name]) {
		if l := f.now.Load(); l != nil && !slices.ContainsFunc(list, func(other *loaded) bool { return other.version == l.version }) {
			list = append(list, l)
		}
	}
	return list
}

// find returns the model of a name and version; "" is the last of the versions that is loaded.
func (r *repository) find(name, version string) (*loaded, error) {
	if _, ok := r.files[name]; !ok {
		return nil, &fault{http.StatusNotFound, fmt.Sprintf("no model %q; there are %s", name, strings.Join(r.names, ", "))}
	}
	var versions []string
	for _, l := range r.versions(name) {
		if version == "" || l.version == version {
			return l, nil
		}
		versions = append(versions, l.version)
	}
	if len(versions) == 0 {
		return nil, &fault{http.StatusNotFound, fmt.Sprintf("model %q is unloaded; load it by POST /v2/repository/models/%s/load", name,
			name)}
	}
	has := strings.Join(versions, ", ")
	return nil, &fault{http.StatusNotFound, fmt.Sprintf("model %q has no version %q; it has %s", name, version, has)}
}

// columns are the names of the cells of a row, in the order of the input; nil where they are numbered.
func (l *loaded) columns() []string {
	switch {
	case l.Text != nil:
		return []string{textColumn(l.Model)}
	case l.Table != nil:
		var names []string
		for _, c := range l.Table.Columns {
			if c.Feature() {
				names = append(names, c.Name)
			}
		}
		return names
	}
	return l.Features
}

// width is the number of cells of a row.
func (l *loaded) width() int {
	if names := l.columns(); names != nil {
		return len(names)
	}
	return l.Columns
}

// reads says whether cells are read as those of CSV: words, dates, numbers that may be missing.
func (l *loaded) reads() bool {
	return l.Text != nil || l.Table != nil || len(l.Parts) > 1 && l.Features != nil
}

// textColumn is the name of the column of documents.
func textColumn(m *model.Model) string {
	if m.Text.Column == "" {
		return "text" // documents of a folder have no column
	}
	return m.Text.Column
}

// outputs are those of a model, in the order of an answer.
func (l *loaded) outputs() []string {
	list := []string{"prediction", "score"}
	if l.HasProbabilities() {
		list = append(list, "probability")
	}
	return list
}

// predictionType is the data type of predictions.
func (l *loaded) predictionType() string {
	if l.Task == data.Regression {
		return typeDouble
	}
	return typeBytes
}
