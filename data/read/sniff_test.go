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
		for text, want := range map[string]Format{"1" + long.String() + "\n": FormatLIBSVM,
			strings.ReplaceAll("1"+long.String(), ":", ",") +
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
	for text, want := range map[string]string{"ab": "ab", "aé": "a", "a\xc3": "a", "a\xe2\x80": "a", "a\xf0\x9f\x80": "a", "é7": "é7"} {
		if got := whole([]byte(text)); string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, right := range map[string]bool{"é": true, "a\xc3": true, "\xc3\x28": true, "\x81\x28": false, "a\x80\x80\x80\x80": false} {
		if _, err := sniff(bufio.NewReader(strings.NewReader(text)), "text"); err == nil != right {
			t.Errorf("%q: %v", text, err)
		}
	}
}
