package pipeline

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/beam/work"
)

// largest is the size in bytes up to which an answer travels by the runner. A larger one is left as a file in the shared folder, and
// its name travels: a runner keeps all that passes through it, Prism in memory and several times.
const largest = 1 << 16

// numbered is an answer and the number of its element or group.
type numbered struct {
	Number int
	Answer work.Answer
}

// send emits an answer of one level of the tree for the group that it belongs to. Its file has the same name and content however often
// the work is done, and is there whole or not at all.
func send(spec, folder string, level int, n numbered, emit func(int, []byte)) error {
	if len(n.Answer.Data) > largest {
		path := fmt.Sprintf("%s-%d-%d", parts(folder, spec), level, n.Number)
		if err := transient(path, n.Answer.Data); err != nil {
			n.Answer = work.Failed(err) // trying again would not make room on a disk
		} else {
			n.Answer = work.Answer{Path: path}
		}
	}
	text, err := squares.Encode(n)
	if err == nil {
		emit(n.Number/fanIn, text)
	}
	return err
}

// transient writes a file whole or not at all, as replace.File does, but need not outlast the machine: no disk is waited for.
func transient(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// parts begins the paths of the files with answers for a spec.
func parts(folder, spec string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, spec) // a hash takes all
	return filepath.Join(folder, fmt.Sprintf("part-%x", h.Sum64()))
}

// removeParts removes the files with answers for a spec, which are not read any more: passes may be many, and their answers large.
func removeParts(folder, spec string) {
	files, _ := filepath.Glob(parts(folder, spec) + "-*") // the pattern is well formed
	for _, f := range files {
		_ = os.Remove(f) // the folder is removed in the end
	}
}

// inOrder are the answers by their numbers, each number once.
func inOrder(list []numbered) []work.Answer {
	slices.SortStableFunc(list, func(a, b numbered) int { return a.Number - b.Number })
	list = slices.CompactFunc(list, func(a, b numbered) bool { return a.Number == b.Number })
	answers := make([]work.Answer, len(list))
	for i, n := range list {
		answers[i] = n.Answer
	}
	return answers
}
