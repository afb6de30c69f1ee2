//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
)

// moons are rows of two shards, few of them labelled, and one file of all.
func moons(t *testing.T, rows, labels int) (pattern, whole string) {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(6, 6))
	const head = "id,u,v,w,answer\n"
	var text [2]string
	for i := range rows {
		class, u := i%2, r.Float64()
		v := (u - 0.5) * (u - 0.5) * 4
		if class == 1 {
			u, v = u+0.5, 0.7-v
		}
		answer := ""
		if i < labels {
			answer = []string{"a", "b"}[class]
		}
		text[i*2/rows] += fmt.Sprintf("r%d,%g,%g,%g,%s\n", i, u, v+0.05*r.NormFloat64(), 0.1*r.NormFloat64(), answer)
	}
	whole = filepath.Join(dir, "whole.csv")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "part0.csv"), []byte(head+text[0]), 0o666),
		os.WriteFile(filepath.Join(dir, "part1.csv"), []byte(head+text[1]), 0o666),
		os.WriteFile(whole, []byte(head+text[0]+text[1]), 0o666)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "part*.csv"), whole
}

// The machines of the default method, trained by workers of this process or of others, make the model of mercer fit.
func TestSweepOfAuto(t *testing.T) {
	pattern, whole := moons(t, 240, 20)
	dir := t.TempDir()
	best := filepath.Join(dir, "best.mercer")
	chosen := 0
	for grid, flags := range map[string][]string{
		`[{"method":"rls","kernel":"linear"},{},{"method":"auto","set":{"neighbours":["5","9"]}}]`: {"--workers", "2"},
		`{"cv":2}`: nil,
	} {
		for _, c := range sweepOf(t, pattern, whole, grid, append(flags, "-o", best)...).Candidates {
			if !c.Chosen || !strings.Contains(string(c.Result), `"candidates"`) {
				continue
			}
			chosen++
			a, b := loaded(t, best), refitted(t, whole, c.Recipe, filepath.Join(dir, "again.mercer"))
			if a.Result, b.Result = nil, nil; !bytes.Equal(file(t, a), file(t, b)) { // results have times
				t.Errorf("%s: the model in pieces is not that of mercer fit", grid)
			}
		}
	}
	if chosen != 2 {
		t.Errorf("a machine of the default method was chosen %d times of 2", chosen)
	}
}

// file is a model as a file.
func file(t *testing.T, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
