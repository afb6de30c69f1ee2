package read

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestWriteSplits: what is written is what is read.
func TestWriteSplits(t *testing.T) {
	want := []data.Split{{Name: "0", Labelled: []int{0, 5, 9}}, {Name: "b", Labelled: []int{3}}}
	path := filepath.Join(t.TempDir(), "splits.csv")
	f, err := os.Create(path) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteSplits(f, want), f.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := Splits(t.Context(), path, 10)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v; %v", got, want, err)
	}
	if err := WriteSplits(full{}, want); err == nil {
		t.Error("a writer that fails was not heard")
	}
}

// full is a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
