package share

// A journal has the pieces of a fit done here, and keeps what each gave in a file that outlives the run, one a line:
//
//	{"stage":"candidates","piece":3,"crc32":"8c736521","result":"..."}
//
// The result is base64 of what travels between members of a crew.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/mercer-ml/mercer/internal/journal"
	"github.com/mercer-ml/mercer/result"
)

// Journal is a crew of one, which is here: the file of one run. Its methods are for one goroutine.
type Journal struct {
	*journal.File
	known map[where][]byte
	begun map[string]int // stages of a name
}

// where is the place of a piece in its fit.
type where struct {
	stage string
	piece int
}

// line is a piece in the file.
type line struct {
	Stage  string `json:"stage"`
	Piece  int    `json:"piece"`
	Sum    string `json:"crc32"` // of the result's bytes
	Result []byte `json:"result"`
}

// OpenJournal reads the journal at path, if there is one; it is made when the first piece is done. A file that is no journal, or one
// of other data, another recipe or another version of the program is a *journal.Error and stays as it is.
func OpenJournal(path string, h journal.Header) (*Journal, error) {
	file, lines, err := journal.Open(path, h)
	if err != nil {
		return nil, err
	}
	j := &Journal{File: file, known: map[where][]byte{}, begun: map[string]int{}}
	for number := journal.FirstLine; len(lines) > 0; number++ {
		var one []byte
		one, lines, _ = bytes.Cut(lines, []byte{'\n'})
		var l line
		switch err := json.Unmarshal(one, &l); {
		case err != nil:
			return nil, &journal.Error{Line: number, What: err.Error()}
		case l.Stage == "" || l.Piece < 0:
			return nil, &journal.Error{Line: number, What: "is not a piece of a fit"}
		case l.Sum != sum(l.Result):
			return nil, &journal.Error{Line: number, What: "was changed: its check sum differs"}
		}
		j.known[where{l.Stage, l.Piece}] = l.Result
	}
	return j, nil
}

func sum(b []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)) }

// Known is the number of pieces that the file had or that were done since.
func (j *Journal) Known() int { return len(j.known) }

// Apart implements Crew.
func (j *Journal) Apart() bool { return false }

// Begin implements Crew. A piece is done when its result is asked for.
func (j *Journal) Begin(_ context.Context, stage string, _ int, do result.Piece) (result.Piece, error) {
	if j.begun[stage]++; j.begun[stage] > 1 {
		stage = fmt.Sprintf("%s, time %d", stage, j.begun[stage])
	}
	return func(ctx context.Context, number int) ([]byte, error) {
		at := where{stage, number}
		if known, ok := j.known[at]; ok {
			return known, nil
		}
		result, err := do(ctx, number)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(line{stage, number, sum(result), result})
		if err != nil {
			return nil, err
		}
		j.known[at] = result
		return result, j.Keep(text)
	}, nil
}
