package newton

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard/shardtest"
)

// Features that are kept, of all shards or of some, change no bit of a model, and nothing else is left beside them. A folder that
// cannot be written to is done without.
func TestKeptFeatures(t *testing.T) {
	two, three := shardtest.Generated(300, shardtest.Kind(2, 0.2)), shardtest.Generated(300, shardtest.Kind(3, 0.1))
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
	}{
		"columns":       {two, with("linear-svm")},
		"centres":       {two, onCentres(with("logistic"))},
		"three classes": {three, onCentres(tuned(with("l2-svm", "C", "1"), "loo:error"))},
		"sparse":        {shardtest.Sparse(), scaled(with("linear-logistic", "C", "1"), "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			_, shards := c.table.Written(t)
			model := func(folder string, room int64) []byte {
				t.Helper()
				m, _ := fitted(t, here{files: shards, fan: 8, passes: new(int), folder: folder, room: room}, c.recipe)
				path := filepath.Join(t.TempDir(), "model")
				if err := m.Save(path); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			want, folder := model("", 0), t.TempDir()
			if !bytes.Equal(model(folder, 1<<30), want) {
				t.Error("a fit that keeps features has another model")
			}
			size := int64(0)
			files := beside(t, folder)
			for _, path := range files {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				size += info.Size()
			}
			if len(files) != len(shards) {
				t.Errorf("%d files of %d shards", len(files), len(shards))
			}
			part := t.TempDir()
			if !bytes.Equal(model(part, size/2), want) {
				t.Error("a fit that keeps some features has another model")
			}
			if n := len(beside(t, part)); n == 0 || n == len(shards) {
				t.Errorf("%d files of %d shards have half the room", n, len(shards))
			}
			if !bytes.Equal(model(filepath.Join(part, "none"), 1<<30), want) {
				t.Error("a fit that cannot keep features has another model")
			}
		})
	}
}

// beside are the files of a folder, all of features.
func beside(t *testing.T, folder string) []string {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "features-*"))
	if err != nil || len(files) != len(all) {
		t.Fatalf("%d files, of features %d: %v", len(all), len(files), err)
	}
	return files
}
