package metamorphic

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/mercer-ml/mercer/internal/blas"
)

// worker is a process that runs trials by one engine of linear algebra. A panic in a thread of its own ends a process, so that
// trials are run in others than the one that counts.
type worker struct {
	engine  string
	command *exec.Cmd
	in      io.WriteCloser
	out     chan outcome
	stderr  *tail
}

// asWorker is the variable of the environment that makes a process of this program a worker.
const asWorker = "MERCER_METAMORPHIC_WORKER"

// work is what a worker does: it reads numbers of trials and writes outcomes.
func work(ctx context.Context, seed uint64, in io.Reader, out io.Writer) error {
	if err := blas.Err(); err != nil {
		return err
	}
	lines, to := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var number uint64
		if _, err := fmt.Sscan(lines.Text(), &number); err != nil {
			return err
		}
		if err := to.Encode(drawTrial(seed, number).run(ctx)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// start starts a worker.
func start(engine string, seed uint64) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{engine: engine, command: exec.Command(self, "metamorphic", "-seed", fmt.Sprint(seed)), stderr: &tail{}, out: make(chan outcome, 1)}
	w.command.Env = append(os.Environ(), asWorker+"=1", "MERCER_BLAS="+engine)
	w.command.Stderr = w.stderr
	if w.in, err = w.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := w.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(w.out)
		for from := json.NewDecoder(stdout); ; {
			var o outcome
			if from.Decode(&o) != nil {
				return
			}
			w.out <- o
		}
	}()
	return w, w.command.Start()
}

// longest is how long a trial of some ten fits may take before it counts as one that does not heed its time.
const longest = 5 * time.Minute

// ask runs a trial. A worker that dies, or says nothing for longest, is the finding; it is then gone.
func (w *worker) ask(number uint64) (o outcome, gone bool) {
	o.Number = number
	if _, err := fmt.Fprintln(w.in, number); err != nil {
		o.find("process", "%v", err)
		return o, true
	}
	select {
	case answer, ok := <-w.out:
		if ok {
			return answer, false
		}
		_ = w.command.Wait() // what it said matters, not how it ended
		o.find("panic", "the process ended: %s", w.stderr.text())
	case <-time.After(longest):
		w.stop()
		o.find("time", "no answer within %v", longest)
	}
	return o, true
}

// stop ends the process.
func (w *worker) stop() {
	_ = w.command.Process.Kill() // it may have ended
	_ = w.command.Wait()
}

// tail keeps the beginning of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b[:min(len(b), max(0, 3000-len(t.kept)))]...)
	return len(b), nil
}

func (t *tail) text() string { return string(t.kept) }
