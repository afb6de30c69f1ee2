package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/internal/await"
	"github.com/mercer-ml/mercer/internal/brief"
)

// mostSmall is the size in bytes up to which files are read that are read whole: recipes, lists of columns, certificates.
const mostSmall = 16 << 20

// readSmall reads such a file, which may be a pipe. It ends with the context, and where the file is too large.
func readSmall(ctx context.Context, path string) ([]byte, error) {
	f, err := await.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(await.Reader(ctx, f), mostSmall+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostSmall {
		return nil, &fault{file: path, what: fmt.Sprintf("it has more than %s; name another file", brief.Bytes(mostSmall))}
	}
	return text, nil
}
