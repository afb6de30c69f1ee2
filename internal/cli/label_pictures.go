package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/brief"
)

// mostPicture is the size in bytes up to which a file is shown as a picture: a photograph of 50 megapixels has about half as many.
const mostPicture = 64 << 20

// photographs reads the files that a column of the data names. Whoever wrote the data is not to be trusted with all files of this machine:
// those in one folder are shown, and nothing that a link in it leads to elsewhere.
type photographs struct {
	root *os.Root
	warn func(text string) // is called for the first file that is not shown
	once sync.Once
}

// newPhotographs opens the folder.
func newPhotographs(folder string, warn func(text string)) (*photographs, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &photographs{root: root, warn: warn}, nil
}

// read is the file of a name, which is relative to the folder or is a path inside it. The error says what is wrong with it; the first
// one is a warning besides.
func (p *photographs) read(ctx context.Context, name string) ([]byte, error) {
	content, err := p.content(ctx, name)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("picture %s is not shown: %w", brief.Quote(name), err)
		p.once.Do(func() { p.warn(err.Error() + "; the page tells further ones in their place") })
	}
	return content, err
}

func (p *photographs) content(ctx context.Context, name string) ([]byte, error) {
	inside, err := p.inside(name)
	if err != nil {
		return nil, err
	}
	info, err := p.root.Stat(inside) // before it is opened, which waits for the writer of a named pipe
	if err != nil {
		return nil, p.told(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := p.root.Open(inside)
	if err != nil {
		return nil, p.told(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	content, err := io.ReadAll(io.LimitReader(await.Reader(ctx, f), mostPicture+1))
	if err == nil && len(content) > mostPicture {
		err = fmt.Errorf("it has more than %s", brief.Bytes(mostPicture))
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// inside is a name relative to the folder.
func (p *photographs) inside(name string) (string, error) {
	if filepath.IsAbs(name) {
		folder, err := filepath.Abs(p.root.Name())
		if err != nil {
			return "", err
		}
		if name, err = filepath.Rel(folder, name); err != nil {
			return "", p.outside()
		}
	}
	if !filepath.IsLocal(name) {
		return "", p.outside()
	}
	return name, nil
}

// outside is the error of a file that is not in the folder.
func (p *photographs) outside() error {
	return fmt.Errorf("it is not in %s; name the folder of all pictures with --image-folder", p.root.Name())
}

// told is the reason of an error of the folder, whose name and paths the message has already.
func (p *photographs) told(err error) error {
	var path *os.PathError
	switch {
	case !errors.As(err, &path):
		return err
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return path.Err
	case path.Err.Error() == "path escapes from parent": // of a link; package os has no value for it
		return p.outside()
	}
	return path.Err
}

// close lets the folder go.
func (p *photographs) close() error { return p.root.Close() }
