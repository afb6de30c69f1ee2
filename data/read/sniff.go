package read

// The format of text whose name does not tell: LIBSVM if the first lines hold index:value
// and nothing else but a label before them, else CSV. Cost: one look at the first 64 KiB.

import (
	"bufio"
	"bytes"
)

// sniff tells the format by the first lines, without reading on.
func sniff(in *bufio.Reader, file string) (Format, error) {
	head, _ := in.Peek(in.Size()) // less at the end of the text, which next reports
	if err := isForeign(head, file); err != nil {
		return "", err
	}
	if !isText(whole(head)) && !isLatin(head) {
		return "", &Error{File: file, What: "neither CSV nor LIBSVM text", Remedy: "give a text file, or its --format if this is one"}
	}
	switch {
	case isARFF(head):
		return FormatARFF, nil
	case isJSON(head):
		return FormatJSON, nil
	}
	pairs := 0
	for line := range bytes.Lines(head) {
		if !bytes.HasSuffix(line, []byte("\n")) && len(head) == in.Size() { // cut off
			line = line[:bytes.LastIndexAny(line, " \t")+1]
		}
		n, ok := entries(line)
		if !ok {
			return FormatCSV, nil
		}
		pairs += n
	}
	if pairs == 0 {
		return FormatCSV, nil
	}
	return FormatLIBSVM, nil
}

// sniffDocuments is sniff where documents are read, which LIBSVM text has none of: what is no other format is CSV.
func sniffDocuments(in *bufio.Reader) Format {
	head, _ := in.Peek(in.Size()) // less at the end of the text, which next reports
	switch {
	case isARFF(head):
		return FormatARFF
	case isJSON(head):
		return FormatJSON
	}
	return FormatCSV
}

// whole drops the last rune of text that may be cut in it.
func whole(head []byte) []byte {
	for n := 1; n <= 3 && n < len(head); n++ {
		if c := head[len(head)-n]; c >= 0xc0 {
			return head[:len(head)-n]
		} else if c < 0x80 {
			break
		}
	}
	return head
}

// entries counts the index:value of a line of LIBSVM text; ok is false for other text.
func entries(line []byte) (n int, ok bool) {
	line = trimEnd(line)
	if end := bytes.IndexByte(line, '#'); end >= 0 {
		line = line[:end]
	}
	token, at := nextToken(line, 0)
	for first := true; token != nil; first = false {
		index, value, pair := bytes.Cut(token, []byte(":"))
		switch {
		case pair && (string(index) == "qid" || len(index) > 0 && len(bytes.Trim(index, "0123456789")) == 0) && !bytes.ContainsAny(value,
			":,;"):
			n++
		case first && !pair && !bytes.ContainsAny(token, ",;\""): // the label
		default:
			return n, false
		}
		token, at = nextToken(line, at+len(token))
	}
	return n, true
}
