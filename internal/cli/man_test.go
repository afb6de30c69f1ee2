package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The page has every verb and flag, no line that begins with a request which is not meant, and no complaint of groff.
func TestManualPage(t *testing.T) {
	r := run(t, "", "man")
	if r.code != exitDone {
		t.Fatal(r.stderr)
	}
	for _, part := range []string{`mercer fit`, `\-\-labels\-per\-class=N`, `\-o, \-\-output=MODEL`, `zcat new.svm.gz | mercer`, ".SH"} {
		if !strings.Contains(r.stdout, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	known := regexp.MustCompile(`^\.(TH|SH|TP|PP|B|br|nf|fi)( ".*")?$`)
	for line := range strings.Lines(r.stdout) {
		if line[0] == '.' && !known.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("a request that is not meant: %s", line)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // what follows is a further look only
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-ww", "-Tutf8")
	cmd.Stdin = strings.NewReader(r.stdout)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v: %s", err, complaints.String())
	}
}
