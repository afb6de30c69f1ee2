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
		for text, want := range map[string]Format{"1" + long.String() + "\n": FormatLIBSVM, strings.ReplaceAll("1"+long.String(), ":", ",") + "\n": FormatCSV} {
			if got, err := sniff(bufio.NewReaderSize(strings.NewReader(text), size), "text"); err != nil || got != want {
				t.Errorf("cut at %d: %v, want %v, %v", size, got, want, err)
			}
		}
	}
}
