package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// life is a soak: one address, at which one server after the other runs, and what came of it.
type life struct {
	f       flags
	tmp     string
	address string
	served  string              // the file that is served and replaced
	models  map[string][]string // classes by version of the model
	files   []string            // of the models, to be put in the place of served
	rows    [][]float64
	now     atomic.Pointer[server]

	answered, again, wrong, lost      atomic.Int64 // requests
	replaced, garbage                 atomic.Int64 // files
	ends, kills, slow, huge, nonsense atomic.Int64
	unexpected                        atomic.Int64 // answers of a status that was not due
	mu                                sync.Mutex
	memory                            [][]int64 // resident bytes of each server, once a second
}

// soak runs mercer serve among troubles for a time and prints what was lost.
func soak(ctx context.Context, w io.Writer, f flags, tmp string) error {
	l := &life{f: f, tmp: tmp, served: filepath.Join(tmp, "digits.mercer"), models: map[string][]string{}}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.soak)
	defer cancel()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { l.client(ctx, uint64(i)) })
	}
	for _, trouble := range []func(context.Context){l.replacer, l.ender, l.slowClient, l.hugeClient, l.nonsenseClient, l.watcher} {
		all.Go(func() { trouble(ctx) })
	}
	all.Wait()
	if err := l.now.Load().end(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the last end: %w", err)
	}
	l.print(w)
	return nil
}

// versionOf is the version of a model file, as docs/serving.md says.
func versionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:12]
}

// prepare fits two models of digits, knows their answers, and starts the first.
func (l *life) prepare(ctx context.Context) error {
	d, err := digitsIn(ctx, l.f, l.tmp)
	if err != nil {
		return err
	}
	l.rows = d.rows
	for i, c := range []string{"10", "0.01"} {
		file := filepath.Join(l.tmp, fmt.Sprintf("model-%d.mercer", i))
		if err := fit(ctx, l.f, d.file, file, machine(c)...); err != nil {
			return err
		}
		want, err := predicted(ctx, l.f, file, d.file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file) //nolint:gosec // written above
		if err != nil {
			return err
		}
		l.models[versionOf(text)] = want
		l.files = append(l.files, file)
	}
	if err := l.replace(l.files[0]); err != nil {
		return err
	}
	return l.start(ctx, "127.0.0.1:0")
}

// start starts a server at an address.
func (l *life) start(ctx context.Context, at string) error {
	s, err := start(context.WithoutCancel(ctx), io.Discard, l.f.Program, "serve", l.served, "--listen", at, "--quiet",
		"--request-time", "10s")
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.memory = append(l.memory, nil)
	l.mu.Unlock()
	if l.address == "" { // the others take the same
		l.address = s.address
	}
	l.now.Store(s)
	return nil
}

// replace puts a copy of a file in the place of the one that is served.
func (l *life) replace(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // a file of this run
	if err != nil {
		return err
	}
	next := l.served + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, l.served)
}

// pause waits, and says whether the soak goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// client asks for random rows. A request that the end of a server cut off is sent again, as a client would; one that is not
// answered within a minute is lost.
func (l *life) client(ctx context.Context, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	web := &http.Client{Timeout: 20 * time.Second}
	for pause(ctx, time.Millisecond) {
		idx := make([]int, 1+rng.IntN(40))
		var rows []float64
		for i := range idx {
			idx[i] = rng.IntN(len(l.rows))
			rows = append(rows, l.rows[idx[i]]...)
		}
		body, _ := json.Marshal(map[string]any{"inputs": []any{map[string]any{ // numbers always have a form
			"name": "x", "shape": []int{len(idx), len(l.rows[0])}, "datatype": "FP64", "data": rows,
		}}})
		l.persist(web, body, idx)
	}
}

// persist asks until there is an answer.
func (l *life) persist(web *http.Client, body []byte, idx []int) {
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		status, text, err := posted(web, "http://"+l.address+"/v2/models/digits/infer", bytes.NewReader(body))
		if err == nil && status == http.StatusOK {
			l.answered.Add(1)
			if !l.right(text, idx) {
				l.wrong.Add(1)
			}
			return
		}
		l.again.Add(1)
		if err == nil {
			l.unexpected.Add(1)
		}
	}
	l.lost.Add(1)
}

func posted(web *http.Client, url string, body io.Reader) (int, []byte, error) {
	answer, err := web.Post(url, "application/json", body)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // everything was read
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// right says whether an answer is that of the version that it names.
func (l *life) right(text []byte, idx []int) bool {
	var got struct {
		Version string `json:"model_version"`
		Outputs []struct {
			Data []any `json:"data"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal(text, &got); err != nil || len(got.Outputs) == 0 || len(got.Outputs[0].Data) != len(idx) {
		return false
	}
	want, known := l.models[got.Version]
	for k, i := range idx {
		if !known || got.Outputs[0].Data[k] != want[i] {
			return false
		}
	}
	return true
}

// replacer replaces the model every two seconds, each fifth time by garbage first.
func (l *life) replacer(ctx context.Context) {
	for i := 1; pause(ctx, 2*time.Second); i++ {
		if i%5 == 0 {
			if err := os.WriteFile(l.served, []byte("mercer model 3\ngarbage"), 0o600); err == nil {
				l.garbage.Add(1)
			}
			pause(ctx, 2*time.Second)
		}
		if err := l.replace(l.files[i%len(l.files)]); err == nil {
			l.replaced.Add(1)
		}
	}
}

// ender ends the server four times in the soak, by SIGTERM and by SIGKILL in turn, and starts it again at the same address. A model
// that is garbage at that time is put right first: a server does not start with one.
func (l *life) ender(ctx context.Context) {
	for i := 0; pause(ctx, l.f.soak/5); i++ {
		signal := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[i%2]
		err := l.now.Load().end(signal)
		if signal == syscall.SIGTERM {
			l.ends.Add(1)
			if err != nil { // it must end well
				l.unexpected.Add(1)
			}
		} else {
			l.kills.Add(1)
		}
		for tries := 0; tries < 50; tries++ {
			if err = errors.Join(l.replace(l.files[0]), l.start(ctx, l.address)); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// slowClient keeps twenty connections that send a byte a second.
func (l *life) slowClient(ctx context.Context) {
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for pause(ctx, time.Second) {
				c, err := net.Dial("tcp", l.address)
				if err != nil {
					continue
				}
				l.slow.Add(1)
				head := "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n"
				for _, b := range []byte(head + string(make([]byte, 900))) {
					if _, err := c.Write([]byte{b}); err != nil || !pause(ctx, time.Second/4) {
						break
					}
				}
				_ = c.Close() // nothing was asked for in earnest
			}
		})
	}
	all.Wait()
}

// spaces are endless.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// hugeClient sends bodies of a gigabyte, which are refused: with their length, and in chunks without.
func (l *life) hugeClient(ctx context.Context) {
	const size = 1 << 30
	web := &http.Client{Timeout: time.Minute}
	for i := 0; pause(ctx, time.Second); i++ {
		body := io.LimitReader(spaces{}, size)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.address+"/v2/models/digits/infer", body)
		if err != nil {
			return
		}
		if i%2 == 0 {
			r.ContentLength = size
		}
		l.huge.Add(1)
		answer, err := web.Do(r)
		if err != nil {
			continue // the connection was closed while the body was on its way
		}
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			l.unexpected.Add(1)
		}
		_ = answer.Body.Close() // not of interest
	}
}

// nonsenseClient sends random bytes, which are refused, as bodies and as requests.
func (l *life) nonsenseClient(ctx context.Context) {
	rng := rand.New(rand.NewPCG(1, 2))
	web := &http.Client{Timeout: 20 * time.Second}
	paths := []string{"/v2/models/digits/infer", "/predict", "/nearest/digits", "/v2/models/none/infer", "/v2/repository/index"}
	for i := 0; pause(ctx, 20*time.Millisecond); i++ {
		text := make([]byte, 1+rng.IntN(2000))
		for k := range text {
			text[k] = byte(rng.IntN(256))
		}
		l.nonsense.Add(1)
		if i%10 == 0 {
			if c, err := net.Dial("tcp", l.address); err == nil {
				_, _ = c.Write(text) // what becomes of it is not of interest
				_ = c.Close()
			}
			continue
		}
		status, _, err := posted(web, "http://"+l.address+paths[i%len(paths)], bytes.NewReader(text))
		if err == nil && (status < 400 || status >= 500) {
			l.unexpected.Add(1)
		}
	}
}

// watcher notes the memory of the server.
func (l *life) watcher(ctx context.Context) {
	for pause(ctx, time.Second) {
		if m := resident(l.now.Load().cmd.Process.Pid); m > 0 {
			l.mu.Lock()
			last := &l.memory[len(l.memory)-1]
			*last = append(*last, m)
			l.mu.Unlock()
		}
	}
}

// resident are the bytes of a process in memory, 0 where the system does not tell.
func resident(pid int) (bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var pages, of int64
	if _, err := fmt.Sscan(string(text), &pages, &of); err != nil {
		return 0
	}
	return of * int64(os.Getpagesize())
}

func (l *life) print(w io.Writer) {
	fmt.Fprintln(w, "| what | count |\n|---|---|")
	for _, line := range []struct {
		what   string
		counts []*atomic.Int64
	}{
		{"requests answered", []*atomic.Int64{&l.answered}},
		{"**lost**", []*atomic.Int64{&l.lost}},
		{"**wrong**", []*atomic.Int64{&l.wrong}},
		{"answers of a status that was not due", []*atomic.Int64{&l.unexpected}},
		{"sent again, as the server ended meanwhile", []*atomic.Int64{&l.again}},
		{"models replaced, by garbage", []*atomic.Int64{&l.replaced, &l.garbage}},
		{"ends by SIGTERM, by SIGKILL", []*atomic.Int64{&l.ends, &l.kills}},
		{"slow connections", []*atomic.Int64{&l.slow}},
		{"bodies of a gigabyte", []*atomic.Int64{&l.huge}},
		{"requests of random bytes", []*atomic.Int64{&l.nonsense}},
	} {
		fmt.Fprintf(w, "| %s | %d", line.what, line.counts[0].Load())
		for _, more := range line.counts[1:] {
			fmt.Fprintf(w, ", %d", more.Load())
		}
		fmt.Fprintln(w, " |")
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| server | seconds | MB, median of its first half | of its second half | largest |\n|---|---|---|---|---|")
	for i, m := range l.memory {
		if len(m) < 4 {
			continue
		}
		median := func(v []int64) int64 { return slices.Sorted(slices.Values(v))[len(v)/2] >> 20 }
		fmt.Fprintf(w, "| %d | %d | %d | %d | %d |\n", i+1, len(m), median(m[:len(m)/2]), median(m[len(m)/2:]), slices.Max(m)>>20)
	}
	fmt.Fprintln(w, "\nEight clients ask one to forty rows of digits at a time; an answer is wrong if it is not that of mercer "+
		"predict with the version of the model that it names. A request that is cut off is sent again; lost is one without an "+
		"answer for a minute.")
}
