package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestExportWithoutColumns: columns that are no features keep a model of numbers out of no format, and the model that is read back
// decides as the one of the file without them.
func TestExportWithoutColumns(t *testing.T) {
	whole, part := "key,u,junk,v,w,kind\n", "u,v,kind\n"
	for i := range 40 {
		u, v, kind := float64(i%5)+1.5*float64(i%2), float64(i%7)-float64(i%2), []string{"a", "b"}[i%2]
		whole += fmt.Sprintf("r%d,%g,%d,%g,%d,%s\n", i, u, i%3, v, 1+i%2, kind)
		part += fmt.Sprintf("%g,%g,%s\n", u, v, kind)
	}
	folderWith(t, map[string]string{"whole.csv": whole, "part.csv": part})
	decided := func(model, rows string) string {
		var list []string
		for i, line := range strings.Split(strings.TrimSpace(done(t, "predict", model, rows).stdout), "\n") {
			if i > 0 {
				list = append(list, strings.Split(line, ",")[0])
			}
		}
		return strings.Join(list, " ")
	}
	ok(t, "convert", "part.csv", "-o", "part.svm")
	for format, method := range map[string]string{"libsvm": "svm", "liblinear": "linear-svm", "svmlin": "linear-svm"} {
		for _, flags := range []string{
			"--drop junk,key,w", "--features u,v", "--drop junk,w --id key", "--drop junk,key --weight w", "--drop junk,w --group key",
		} {
			args := append([]string{"fit", "whole.csv", "--method", method, "--tune", "none", "--quiet", "-o", "own.mercer"},
				strings.Fields(flags)...)
			ok(t, args...)
			ok(t, "export", "own.mercer", "--format", format, "-o", "own.model")
			if format == "svmlin" {
				continue // whose weights are read by no verb
			}
			ok(t, "convert", "own.model", "-o", "back.mercer")
			want := strings.NewReplacer("a", "0", "b", "1").Replace(decided("own.mercer", "part.csv"))
			if got := decided("back.mercer", "part.svm"); got != want {
				t.Errorf("%s of %s: it decides\n%s, and was\n%s", format, flags, got, want)
			}
		}
	}
}
