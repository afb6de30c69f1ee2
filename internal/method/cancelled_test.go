package method

import (
	"context"
	"errors"
	"testing"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// TestCancelledBefore: of a context that has ended every method, alone and with a search, makes the error, and no candidates.
func TestCancelledBefore(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	sets, tried := inputs(), 0
	for _, m := range All() {
		for _, text := range []string{"", " --tune none", " --search random", " --search gradient"} {
			_, r, err := Read(asked(t, m.ID+text))
			if err != nil {
				continue
			}
			for _, name := range []string{"two", "numbers"} {
				in := sets[name]
				p, err := task.Prepare(t.Context(), in, r, result.Options{}, m.Coding, 0)
				if err != nil {
					continue
				}
				s := task.SizeOf(in, r.Recipe, result.Options{}, m.Coding.OneClass)
				if c, err := m.Form(s, r).Produce(ended, p); !errors.Is(err, context.Canceled) {
					t.Errorf("%s%s, %s: %v, %v", m.ID, text, name, c, err)
				}
				tried++
			}
		}
	}
	if tried < len(All()) {
		t.Errorf("%d requests of %d methods", tried, len(All()))
	}
}
