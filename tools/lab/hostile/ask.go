package hostile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// ask sends a server requests of every kind that reads the model, and says which it did not answer: with a success, or with an
// error that is the request's fault. The server prints its address first; one that ends before is asked nothing.
func ask(ctx context.Context, stdout io.Reader, rows, model string) string {
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return ""
	}
	address = strings.TrimSpace(address)
	text, err := os.ReadFile(rows) //nolint:gosec // a file of this program
	if err != nil {
		return err.Error()
	}
	lines := strings.SplitAfter(string(text), "\n")
	few := strings.Join(lines[:min(6, len(lines))], "")
	name := strings.TrimSuffix(filepath.Base(model), filepath.Ext(model))
	const tensor = `{"inputs":[{"name":"rows","datatype":"FP64","shape":[2,4],"data":[1,2,3,4,5,6,7,8]}]}`
	for _, r := range []struct{ path, body string }{
		{"/v2/models/" + name, ""},
		{"/example/" + name, ""},
		{"/", ""},
		{"/metrics", ""},
		{"/predict", string(text)},
		{"/predict?probability=true", string(text)},
		{"/predict?interval=0.8", string(text)},
		{"/nearest/" + name, few},
		{"/v2/models/" + name + "/infer", tensor},
	} {
		verb := http.MethodGet
		if r.body != "" {
			verb = http.MethodPost
		}
		request, err := http.NewRequestWithContext(ctx, verb, address+r.path, strings.NewReader(r.body))
		if err != nil {
			return err.Error()
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return fmt.Sprintf("%s %s: %v", verb, r.path, err)
		}
		said, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it was read, or the fault is told
		if err != nil || answer.StatusCode == http.StatusInternalServerError {
			return fmt.Sprintf("%s %s: %s %.200s (%v)", verb, r.path, answer.Status, said, err)
		}
	}
	return ""
}
