package read

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// TestSniffCutLines: a line that is cut off by the end of what is looked at tells the format by what of it is
// whole, wherever it is cut.
func TestSniffCutLines(t *testing.T) {
	var long strings.Builder
	for i := 1; long.Len() < 3000; i++ {
		fmt.Fprintf(&long, " %d:%d.5", i, i*37%1000)
	}
	for size := 1000; size < 1030; size++ {
		for text, want := range map[string]Format{"1" + long.String() + "\n": FormatLIBSVM, strings.ReplaceAll("1"+long.String(), ":", ",") +
			"\n": FormatCSV} {
			if got, err := sniff(bufio.NewReaderSize(strings.NewReader(text), size), "text"); err != nil || got != want {
				t.Errorf("cut at %d: %v, want %v, %v", size, got, want, err)
			}
		}
	}
}

// TestSniffCutRunes: text is text wherever a letter of several bytes, or a line without a blank, is cut, and
// what is no text is not.
func TestSniffCutRunes(t *testing.T) {
	for _, letter := range []string{"7,", "é", "語", "🙂", "aé語🙂"} {
		text := strings.Repeat(letter, 300)
		for size := 500; size < 512; size++ {
			if got, err := sniff(bufio.NewReaderSize(strings.NewReader(text), size), "text"); err != nil || got != FormatCSV {
				t.Errorf("%s cut at %d: %v, %v", letter, size, got, err)
			}
			if _, err := sniff(bufio.NewReaderSize(strings.NewReader(text[:400]+"\x80"+text), size), "text"); letter == "7," && err == nil {
				t.Error("bytes that are no letter are taken for text")
			}
		}
	}
	for text, right := range map[string]bool{"é": true, "a\xc3": true, "\xc3\x28": true, "\x81\x28": false, "a\x80\x80\x80\x80": false} {
		if _, err := sniff(bufio.NewReader(strings.NewReader(text)), "text"); err == nil != right {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Other programs' tables are named, with what reads them.
func TestSniffForeign(t *testing.T) {
	for text, want := range map[string]string{
		"PAR1\x15\x04\x00": "a Parquet file, not text; give it to mercer-arrow", "ARROW1\x00\x00": "an Arrow file, not text; give it to mercer-arrow",
		"PK\x03\x04\x14\x00": "a spreadsheet or a zip archive, not text; save the sheet as CSV", "\x00\x01\x02": "neither CSV nor LIBSVM text",
	} {
		if _, err := sniff(bufio.NewReader(strings.NewReader(text)), "rows"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := sniff(bufio.NewReader(strings.NewReader("PAR1,ARROW1\n1,2\n")), "rows"); err != nil {
		t.Error(err)
	}
}
