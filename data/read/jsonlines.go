package read

// JSON: objects, one a line or in a list, of which the keys are columns and the values cells: words, numbers, true, false and null,
// which is a missing value as a key is that an object has not. The columns are the keys of the first objects, in their order; a later
// key, and a value that is an object or a list, is a fault with its line.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"unicode/utf8"
)

// jsonLines are lines of which the first keys are known.
type jsonLines struct {
	file string
	keys []string
	at   map[string]int

	latin, half int // the first line that has text that is not UTF-8, or half of a character; 0: none has
}

// isJSON says whether a text begins with an object, with a list of objects, or with a list of lists, which is refused as JSON. Other
// text in brackets may be the first cell of CSV.
func isJSON(head []byte) bool {
	head, list := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	if list {
		head = bytes.TrimLeft(head, " \t\r\n")
		if bytes.HasPrefix(head, []byte("[")) {
			head = bytes.TrimLeft(head[1:], " \t\r\n")
			return len(head) > 0 && bytes.IndexByte([]byte(`"-0123456789`), head[0]) >= 0
		}
	}
	head, object := bytes.CutPrefix(head, []byte("{"))
	if head = bytes.TrimLeft(head, " \t\r\n"); !object {
		return false
	}
	return bytes.HasPrefix(head, []byte("}")) || objectKey.Match(head)
}

// objectKey is the first key of an object.
var objectKey = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"\s*:`)

// text is a line as UTF-8. As in other formats each text that is not UTF-8, here between quotes, is decoded by itself.
func (j *jsonLines) text(line []byte, number int) ([]byte, error) {
	note(&j.half, hasHalf(line), number)
	if utf8.Valid(line) {
		return line, nil
	}
	note(&j.latin, true, number)
	var bad []byte
	line = jsonText.ReplaceAllFunc(line, func(text []byte) []byte {
		out, ok := decoded(text)
		if !ok {
			bad = text
		}
		return out
	})
	if bad != nil {
		return nil, &Error{File: j.file, Line: number, What: "the text " + quote(bytes.Trim(bad, `"`)) + " is none",
			Remedy: "save the file as UTF-8"}
	}
	return line, nil
}

// jsonText is a key or a word of JSON.
var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// escapes are those of a text of JSON; the submatch is half of a character whose other half does not follow.
var escapes = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)`)

// hasHalf says whether a line has an escape of half a character, of which nothing can be made.
func hasHalf(line []byte) bool {
	if !bytes.Contains(line, []byte(`\ud`)) && !bytes.Contains(line, []byte(`\uD`)) {
		return false
	}
	return slices.ContainsFunc(escapes.FindAllSubmatch(line, -1), func(m [][]byte) bool { return m[1] != nil })
}

// each calls f with every key of the object on a line and its value, as a cell: null is empty.
func (j *jsonLines) each(line []byte, number int, f func(key string, value field) error) error {
	line, err := j.text(line, number)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	wrong := func(what string) error {
		return &Error{File: j.file, Line: number, What: what,
			Remedy: "give flat objects, one a line or in a list: words, numbers, true, false, null"}
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return wrong("no object of JSON")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return wrong("an object that is not well formed")
		}
		value, err := d.Token()
		if err != nil {
			return wrong("an object that is not well formed")
		}
		var cell field
		switch v := value.(type) {
		case string:
			cell.text = []byte(v)
		case json.Number:
			cell = field{text: []byte(v), typed: true}
		case bool:
			cell = field{text: fmt.Append(nil, v), typed: true}
		case json.Delim:
			return wrong(fmt.Sprintf("the value of %q is an object or a list", key))
		}
		if err := f(key.(string), cell); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return wrong("an object that is not closed")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return wrong("text after the object")
	}
	return nil
}

// newJSONLines finds the keys of the first lines.
func newJSONLines(head []byte, whole bool, file string) (*jsonLines, error) {
	j := &jsonLines{file: file, at: map[string]int{}}
	number := 0
	for line := range bytes.Lines(head) {
		number++
		if !whole && !bytes.HasSuffix(line, []byte("\n")) && number > 1 {
			break // cut off
		}
		if !whole && !bytes.HasSuffix(line, []byte("\n")) {
			return nil, &Error{File: file, Line: 1, What: fmt.Sprintf("a first line of more than %d bytes, whose keys would be the columns",
				len(line)), Remedy: "give objects of fewer keys, or CSV"}
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		err := j.each(line, number, func(key string, _ field) error {
			if _, known := j.at[key]; !known {
				j.at[key] = len(j.keys)
				j.keys = append(j.keys, key)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *jsonLines) names() (names []string, above int) { return j.keys, 0 }

func (j *jsonLines) says() (list []Warning) {
	if j.latin > 0 {
		list = append(list, Warning{File: j.file, Line: j.latin, What: notUTF8})
	}
	if j.half > 0 {
		list = append(list, Warning{File: j.file, Line: j.half, What: halfRune})
	}
	return list
}

func (j *jsonLines) row(to, line []byte, number int) ([]byte, error) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return to, nil
	}
	cells := make([]field, len(j.keys))
	err := j.each(line, number, func(key string, value field) error {
		c, known := j.at[key]
		if !known {
			return &Error{File: j.file, Line: number, What: fmt.Sprintf("the key %q, which none of the first objects has", key),
				Remedy: "give the first object all keys, with null where there is no value"}
		}
		if cells[c].text != nil {
			return &Error{File: j.file, Line: number, What: fmt.Sprintf("the key %q stands twice", key), Remedy: "remove one"}
		}
		cells[c] = value
		cells[c].text = append([]byte{}, value.text...)
		return nil
	})
	if err != nil {
		return to, err
	}
	for c, cell := range cells {
		if c > 0 {
			to = append(to, ',')
		}
		to = appendCellText(to, cell)
	}
	if len(cells) == 1 && len(cells[0].text) == 0 {
		to = append(to, '"', '"') // a row, and no blank line
	}
	return to, nil
}

// readJSONLines reads rows of JSON lines.
func readJSONLines(ctx context.Context, in io.Reader, file string, o Options, c cutting, to *sink) error {
	text, err := textOf(ctx, in, file)
	if err != nil {
		return err
	}
	one := newObjectLines(text.Reader, file)
	head, err := one.Peek(one.Size())
	switch {
	case errors.Is(err, io.EOF) && len(head) == 0:
		return &Error{File: file, What: "empty file", Remedy: "give flat objects, one a line or in a list"}
	case err != nil && !errors.Is(err, io.EOF) && !errors.As(err, new(*Error)): // of the disk, or an interrupt, and not of the text
		return unreadable(err, file, bytes.Count(head, []byte("\n")))
	}
	j, err := newJSONLines(head, err != nil, file)
	if err != nil {
		return err
	}
	ls, err := newLines(ctx, one, file)
	if err != nil {
		return err
	}
	for len(j.keys) == 0 {
		if _, err := ls.next(); errors.Is(err, io.EOF) {
			return &Error{File: file, What: "no object with a key", Remedy: "give flat objects, one a line or in a list"}
		} else if err != nil { // nothing is known of a text that cannot be read
			return err
		}
	}
	return asCSV(ctx, ls, j, o, c, to)
}
